/* SPDX-License-Identifier: Apache-2.0
 *
 * A spec as JSON:
 *
 *   {"parameters": [...], "tensors": [...], "constraints": ["k0 % 2 == 0"], "seed": 0}
 *   {"preset": "spectral", "dtype": "complex64", "probability_regular": 0.5, "seed": 0}
 *
 * Both lists may hold lists, which are flattened, and may be objects from names to members. A lone
 * parameter is a spec too.
 */
#include "fuzz/read.h"

#include "base/json_node.h"
#include "config/check_value.h"
#include "fuzz/fuzzer.h"

#include <string.h>

static const char LONE_NAME[] = "p"; /* of a lone parameter without a name */

typedef struct parts {
    ob_fuzz_spec spec;
    ob__fuzz_positions places;
} parts;

/* The members of "parameters" or "tensors", one level of nesting flattened. */
typedef struct members {
    const ob_json **nodes;
    const char **names; /* keys of an object, else NULL */
    size_t count;
} members;

static ob_status list_members(ob__fuzz_reader *r, const ob_json *list, const char *what,
                              members *out)
{
    const ob_json_kind kind = ob_json_get_kind(list);
    size_t room = 1;
    if (list != NULL && kind != OB_JSON_ARRAY && kind != OB_JSON_OBJECT)
        return ob__node_error(r->err, list, "\"%s\" must be a list, not %s", what,
                              ob_json_kind_name(kind));
    for (size_t i = 0; i < ob_json_count(list); i++) {
        const ob_json *item = ob_json_item(list, i);
        room += ob_json_get_kind(item) == OB_JSON_ARRAY ? ob_json_count(item) : 1;
    }
    out->nodes = ob__arena_alloc_array(&r->arena, room, sizeof *out->nodes);
    out->names = ob__arena_alloc_array(&r->arena, room, sizeof *out->names);
    if (out->nodes == NULL || out->names == NULL)
        return ob__fuzz_no_memory(r);
    out->count = 0;
    for (size_t i = 0; i < ob_json_count(list); i++) {
        const ob_json *item = ob_json_item(list, i);
        const bool nested = kind == OB_JSON_ARRAY && ob_json_get_kind(item) == OB_JSON_ARRAY;
        for (size_t j = 0; j < (nested ? ob_json_count(item) : 1); j++) {
            out->nodes[out->count] = nested ? ob_json_item(item, j) : item;
            out->names[out->count++] = kind == OB_JSON_OBJECT ? ob_json_key(list, i) : NULL;
        }
    }
    return OB_OK;
}

static ob_status read_parameters(ob__fuzz_reader *r, const ob_json *list, parts *out)
{
    members m;
    OB_TRY(list_members(r, list, "parameters", &m));
    ob_fuzz_parameter *parameters = ob__arena_alloc_array(&r->arena, m.count, sizeof *parameters);
    if (parameters == NULL)
        return ob__fuzz_no_memory(r);
    for (size_t i = 0; i < m.count; i++)
        OB_TRY(ob__fuzz_read_parameter(r, m.nodes[i], m.names[i], &parameters[i]));
    out->spec.parameters = parameters;
    out->spec.parameter_count = m.count;
    out->places.parameters = m.nodes;
    return OB_OK;
}

static ob_status read_tensors(ob__fuzz_reader *r, const ob_json *list, parts *out)
{
    members m;
    OB_TRY(list_members(r, list, "tensors", &m));
    ob_fuzz_tensor *tensors = ob__arena_alloc_array(&r->arena, m.count, sizeof *tensors);
    if (tensors == NULL)
        return ob__fuzz_no_memory(r);
    for (size_t i = 0; i < m.count; i++)
        OB_TRY(ob__fuzz_read_tensor(r, m.nodes[i], m.names[i], &tensors[i]));
    out->spec.tensors = tensors;
    out->spec.tensor_count = m.count;
    out->places.tensors = m.nodes;
    return OB_OK;
}

/* One text, or a list of texts. */
static ob_status read_constraints(ob__fuzz_reader *r, const ob_json *list, parts *out)
{
    const bool one = ob_json_get_kind(list) == OB_JSON_STRING;
    const size_t count = one ? 1 : ob_json_count(list);
    const char **texts = ob__arena_alloc_array(&r->arena, count, sizeof *texts);
    const ob_json **nodes = ob__arena_alloc_array(&r->arena, count, sizeof *nodes);
    if (texts == NULL || nodes == NULL)
        return ob__fuzz_no_memory(r);
    if (list != NULL && !one && ob_json_get_kind(list) != OB_JSON_ARRAY)
        return ob__node_error(r->err, list, "\"constraints\" must be a list of strings");
    for (size_t i = 0; i < count; i++) {
        size_t length = 0;
        nodes[i] = one ? list : ob_json_item(list, i);
        texts[i] = ob_json_string(nodes[i], &length);
        if (texts[i] == NULL || strlen(texts[i]) != length)
            return ob__node_error(r->err, nodes[i],
                                  "a constraint must be a string such as \"k0 < k1\"");
    }
    out->spec.constraints = texts;
    out->spec.constraint_count = count;
    out->places.constraints = nodes;
    return OB_OK;
}

static ob_status read_seed(ob__fuzz_reader *r, const ob_json *node, const uint64_t *given,
                           uint64_t *out)
{
    const ob_json *seed = ob__fuzz_get(node, "seed");
    *out = given != NULL ? *given : 0;
    if (seed == NULL)
        return OB_OK;
    if (ob_json_get_kind(seed) != OB_JSON_INT || ob_json_int(seed, 0) < 0)
        return ob__node_error(r->err, seed, "\"seed\" must be a whole number of 0 or more");
    if (given == NULL)
        *out = (uint64_t)ob_json_int(seed, 0);
    return OB_OK;
}

static ob_status open_preset(ob__fuzz_reader *r, const ob_json *node, uint64_t seed,
                             ob_fuzzer **out)
{
    static const char *const KEYS[] = {"preset", "dtype", "probability_regular", "seed", NULL};
    OB_TRY(ob__fuzz_check_keys(r, node, KEYS));
    const ob_json *regular = ob__fuzz_get(node, "probability_regular");
    const double share = ob_json_real(regular, -1);
    const ob_fuzz_preset_params params = {.size = sizeof params,
                                          .name = ob_json_string(ob_json_get(node, "preset"), NULL),
                                          .dtype =
                                              ob_json_string(ob__fuzz_get(node, "dtype"), NULL),
                                          .probability_regular = regular ? &share : NULL};
    if (params.name == NULL)
        return ob__node_error(r->err, ob_json_get(node, "preset"), "\"preset\" must be a name");
    return ob__at_node(ob_fuzzer_open_preset(&params, seed, out, r->err), node, r->err);
}

static ob_status open_lone(ob__fuzz_reader *r, const ob_json *node, uint64_t seed, ob_fuzzer **out)
{
    parts p = {.places = {.parameters = &node}};
    ob_fuzz_parameter parameter;
    OB_TRY(ob__fuzz_read_parameter(r, node, LONE_NAME, &parameter));
    p.spec.parameters = &parameter;
    p.spec.parameter_count = 1;
    return ob__fuzzer_create(&p.spec, &p.places, seed, out, r->err);
}

/* The keys of a benchmark config are operators: torch.add, aten::add. */
static ob_status check_no_config(ob__fuzz_reader *r, const ob_json *node)
{
    const char *key = ob_json_count(node) > 0 ? ob_json_key(node, 0) : "";
    if (strpbrk(key, ".:") == NULL)
        return OB_OK;
    return ob__node_error(r->err, ob_json_key_node(node, 0),
                          "unknown key \"%.64s\"; this is a benchmark config, not a spec: run it "
                          "with `opbench run -c`",
                          key);
}

static ob_status open_spec(ob__fuzz_reader *r, const ob_json *node, const uint64_t *given,
                           ob_fuzzer **out)
{
    static const char *const KEYS[] = {"parameters", "tensors", "constraints", "seed", NULL};
    parts p = {.spec = {.parameter_count = 0}};
    uint64_t seed;
    if (ob_json_get_kind(node) != OB_JSON_OBJECT)
        return ob__node_error(r->err, node, "a spec must be an object, not %s",
                              ob_json_kind_name(ob_json_get_kind(node)));
    if (ob_json_get(node, "distribution") != NULL)
        return open_lone(r, node, given != NULL ? *given : 0, out);
    OB_TRY(read_seed(r, node, given, &seed));
    if (ob_json_get(node, "preset") != NULL)
        return open_preset(r, node, seed, out);
    OB_TRY(check_no_config(r, node));
    OB_TRY(ob__fuzz_check_keys(r, node, KEYS));
    OB_TRY(read_parameters(r, ob__fuzz_get(node, "parameters"), &p));
    OB_TRY(read_tensors(r, ob__fuzz_get(node, "tensors"), &p));
    OB_TRY(read_constraints(r, ob__fuzz_get(node, "constraints"), &p));
    if (p.spec.parameter_count + p.spec.tensor_count == 0)
        return ob__node_error(r->err, node, "the spec has neither parameters nor tensors");
    return ob__fuzzer_create(&p.spec, &p.places, seed, out, r->err);
}

ob_status ob_fuzzer_open_json(const ob_json *spec, const uint64_t *seed, ob_fuzzer **out,
                              ob_err *err)
{
    ob_err own;
    ob__fuzz_reader r = {.err = err != NULL ? err : &own};
    *out = NULL;
    ob__arena_init(&r.arena, 0);
    const ob_status status = open_spec(&r, spec, seed, out);
    ob__arena_fini(&r.arena);
    return status;
}

/* Opens the root of doc, which is given away, and adds file and path to an error. */
static ob_status open_doc(ob_json_doc *doc, const uint64_t *seed, ob_fuzzer **out, ob_err *err)
{
    const ob_json *root = ob_json_doc_root(doc);
    const ob_status status = ob_fuzzer_open_json(root, seed, out, err);
    if (status != OB_OK && err != NULL) {
        const char *name = ob_json_doc_name(doc);
        const size_t length = strnlen(name, sizeof err->file - 1);
        memcpy(err->file, name, length);
        err->file[length] = '\0';
        ob__json_path_at(root, err->line, err->column, err->path, sizeof err->path);
    }
    ob_json_doc_destroy(doc);
    return status;
}

ob_status ob_fuzzer_open_file(const char *path, const uint64_t *seed, ob_fuzzer **out, ob_err *err)
{
    ob_json_doc *doc;
    *out = NULL;
    OB_TRY(ob_json_parse_file(path, NULL, &doc, err));
    return open_doc(doc, seed, out, err);
}

ob_status ob_fuzzer_open_memory(const char *name, const void *data, size_t size,
                                const uint64_t *seed, ob_fuzzer **out, ob_err *err)
{
    ob_json_doc *doc;
    *out = NULL;
    OB_TRY(ob_json_parse(name, data, size, NULL, &doc, err));
    return open_doc(doc, seed, out, err);
}
