/* SPDX-License-Identifier: Apache-2.0
 *
 * FuzzConfigIterator: the draws of a fuzzer as inputs (or builds) of a config. An entry is
 *
 *   {"fuzz": SPEC, "count": 100, "seed": 0, "args": [{"type": "fuzz", "name": "x"}, ...]}
 *
 * where SPEC is a spec, the name of a preset or the path of a file. An argument of type fuzz becomes
 * the drawn tensor or parameter of that name, also inside of lists; other arguments stay as they
 * are. Without args and kwargs all tensors are the arguments. Ids are <entry>_<draw>.
 */
#include "base/text_append.h"
#include "config/check_value.h"
#include "fuzz/fuzzer.h"

#include <stdlib.h>
#include <string.h>

typedef struct source {
    const ob_json *entry;
    ob_fuzzer *fuzzer;
} source;

typedef struct fuzz_state {
    size_t count;
    source *sources;
    uint64_t *first;  /* index of each source's first case, and the total behind the last */
    ob_json_doc *doc; /* holds the item given last */
} fuzz_state;

static void fuzz_close(void *opaque)
{
    fuzz_state *state = opaque;
    if (state == NULL)
        return;
    for (size_t i = 0; i < state->count; i++)
        ob_fuzzer_destroy(state->sources[i].fuzzer);
    ob_json_doc_destroy(state->doc);
    free(state->sources);
    free(state->first);
    free(state);
}

/* ---- opening ---- */

static ob_status read_number(const ob_json *entry, const char *name, int64_t fallback, int64_t *out,
                             ob_err *err)
{
    const ob_json *node = ob_json_get(entry, name);
    *out = ob_json_int(node, fallback);
    if (node != NULL && (ob_json_get_kind(node) != OB_JSON_INT || *out < 0))
        return ob__node_error(err, node, "\"%s\" must be a whole number of 0 or more", name);
    return OB_OK;
}

static ob_status open_fuzzer(const ob_json *entry, ob_fuzzer **out, ob_err *err)
{
    const ob_json *spec = ob_json_get(entry, "fuzz");
    const char *name = ob_json_string(spec, NULL);
    int64_t number;
    OB_TRY(read_number(entry, "seed", 0, &number, err));
    const uint64_t seed = (uint64_t)number;
    const uint64_t *given = ob_json_get(entry, "seed") != NULL ? &seed : NULL;
    const ob_fuzz_preset_params preset = {.size = sizeof preset, .name = name};
    if (spec == NULL)
        return ob__node_error(
            err, entry,
            "an entry of FuzzConfigIterator needs \"fuzz\": a spec, the name of a "
            "preset or the path of a spec file");
    if (name == NULL)
        return ob_fuzzer_open_json(spec, given, out, err);
    if (ob_fuzz_preset_find(name) != NULL)
        return ob__at_node(ob_fuzzer_open_preset(&preset, seed, out, err), spec, err);
    const ob_status status = ob_fuzzer_open_file(name, given, out, err);
    /* An error inside of the file has its own place; one of the file as such has the config's. */
    return err != NULL && err->file[0] != '\0' ? status : ob__at_node(status, spec, err);
}

static ob_status add_source(fuzz_state *state, const ob_json *entry, ob_err *err)
{
    const size_t i = state->count;
    int64_t count;
    if (ob_json_get_kind(entry) != OB_JSON_OBJECT)
        return ob__node_error(err, entry, "an entry must be an object, not %s",
                              ob_json_kind_name(ob_json_get_kind(entry)));
    if (ob_json_get(entry, "count") == NULL)
        return ob__node_error(err, entry, "the entry needs \"count\": how many draws to take");
    OB_TRY(read_number(entry, "count", 0, &count, err));
    state->sources[i] = (source){.entry = entry};
    OB_TRY(open_fuzzer(entry, &state->sources[i].fuzzer, err));
    state->count++;
    if (__builtin_add_overflow(state->first[i], (uint64_t)count, &state->first[i + 1]) ||
        state->first[i + 1] > INT64_MAX)
        return ob__node_error(err, entry, "the list has more than 2^63 draws; take fewer");
    return OB_OK;
}

static ob_status fuzz_open(const ob_iterator_args *args, void **out, ob_err *err)
{
    const size_t count = ob_json_count(args->entries);
    fuzz_state *state = calloc(1, sizeof *state);
    ob_status status = OB_OK;
    *out = NULL;
    if (state != NULL) {
        state->sources = calloc(count + 1, sizeof *state->sources);
        state->first = calloc(count + 1, sizeof *state->first);
    }
    if (state == NULL || state->sources == NULL || state->first == NULL)
        status = ob_err_set(err, OB_ERR_NOMEM, "out of memory for %zu entries", count);
    for (size_t i = 0; i < count && status == OB_OK; i++)
        status = add_source(state, ob_json_item(args->entries, i), err);
    if (status != OB_OK) {
        fuzz_close(state);
        return status;
    }
    *out = state;
    return OB_OK;
}

static uint64_t fuzz_count(void *opaque)
{
    const fuzz_state *state = opaque;
    return state->first[state->count];
}

/* ---- arguments ---- */

/* One item under construction. Nodes are NULL when memory is out. */
typedef struct maker {
    ob_json_doc *doc;
    const ob_fuzz_draw *draw;
    ob_err *err;
} maker;

static ob_status no_memory(const maker *m)
{
    return ob_err_set(m->err, OB_ERR_NOMEM, "out of memory for an entry");
}

static ob_status set(const maker *m, ob_json *object, const char *key, const ob_json *value)
{
    return value != NULL ? ob_json_set(m->doc, object, key, value, m->err) : no_memory(m);
}

static ob_status set_text(const maker *m, ob_json *object, const char *key, const char *text)
{
    return set(m, object, key, ob_json_new_string(m->doc, text, strlen(text)));
}

static ob_status set_list(const maker *m, ob_json *object, const char *key, const int64_t *numbers,
                          int count)
{
    ob_json *list = ob_json_new_array(m->doc);
    if (list == NULL)
        return no_memory(m);
    for (int i = 0; i < count; i++) {
        const ob_json *number = ob_json_new_int(m->doc, numbers[i]);
        if (number == NULL)
            return no_memory(m);
        OB_TRY(ob_json_append(m->doc, list, number, m->err));
    }
    return ob_json_set(m->doc, object, key, list, m->err);
}

/* The draw's own number of places, not the density: that is a share again. */
static ob_status put_sparse(const maker *m, const ob_fuzz_tensor_info *info, ob_json *out)
{
    OB_TRY(set_text(m, out, "layout", "sparse_coo"));
    OB_TRY(set(m, out, "sparse_dim", ob_json_new_int(m->doc, info->sparse_dim)));
    OB_TRY(set(m, out, "nnz", ob_json_new_int(m->doc, ob__fuzz_taken(info))));
    return info->is_coalesced ? OB_OK : set(m, out, "coalesced", ob_json_new_bool(m->doc, false));
}

static ob_status put_tensor(const maker *m, const ob_fuzz_tensor_info *info, ob_json *out)
{
    static const int64_t RANGE[] = {OB__FUZZ_INT_LOWEST, OB__FUZZ_INT_HIGHEST};
    OB_TRY(set_text(m, out, "type", "tensor"));
    OB_TRY(set_text(m, out, "dtype", ob_dtype_get_info(info->dtype)->torch_name));
    OB_TRY(set_list(m, out, "shape", info->size, info->ndim));
    if (info->sparse)
        OB_TRY(put_sparse(m, info, out));
    else if (!info->is_contiguous)
        OB_TRY(set_list(m, out, "strides", info->strides, info->ndim));
    if (ob_dtype_is_integral(info->dtype) && info->dtype != OB_DTYPE_BOOL)
        OB_TRY(set_list(m, out, "value_range", RANGE, 2));
    return OB_OK;
}

static ob_status put_parameter(const maker *m, const ob_value *value, ob_json *out)
{
    switch (value->kind) {
    case OB_VALUE_BOOL:
        OB_TRY(set_text(m, out, "type", "bool"));
        return set(m, out, "value", ob_json_new_bool(m->doc, value->as.boolean));
    case OB_VALUE_INT:
        OB_TRY(set_text(m, out, "type", "int"));
        return set(m, out, "value", ob_json_new_int(m->doc, value->as.integer));
    case OB_VALUE_DOUBLE:
        OB_TRY(set_text(m, out, "type", "float"));
        return set(m, out, "value", ob_json_new_real(m->doc, value->as.real));
    case OB_VALUE_STR:
        OB_TRY(set_text(m, out, "type", "str"));
        return set(m, out, "value",
                   ob_json_new_string(m->doc, value->as.str.text, value->as.str.length));
    default:
        return set_text(m, out, "type", "none");
    }
}

/* What the draw has under the argument's name, with the argument's further attributes. */
static ob_status put_drawn(const maker *m, const ob_json *arg, ob_json *out)
{
    const char *name = ob_json_string(ob_json_get(arg, "name"), NULL);
    if (name == NULL)
        return ob__node_error(
            m->err, arg, "an argument of type fuzz needs the \"name\" of a tensor or parameter");
    const ob_fuzz_tensor_info *info = ob_fuzz_draw_tensor(m->draw, name);
    const ob_value *value = ob_fuzz_draw_get(m->draw, name);
    if (info == NULL && value == NULL)
        return ob__node_error(m->err, arg, "the spec has no tensor or parameter \"%.64s\"", name);
    OB_TRY(info != NULL ? put_tensor(m, info, out) : put_parameter(m, value, out));
    for (size_t i = 0; i < ob_json_count(arg); i++) {
        const char *key = ob_json_key(arg, i);
        if (strcmp(key, "type") != 0 && strcmp(key, "name") != 0)
            OB_TRY(ob_json_set(m->doc, out, key, ob_json_item(arg, i), m->err));
    }
    return OB_OK;
}

/* No deeper than the reader of the config allows. */
static ob_status put_arg(const maker *m, const ob_json *arg, ob_json *out)
{
    const char *type = ob_json_string(ob_json_get(arg, "type"), NULL);
    if (type != NULL && strcmp(type, "fuzz") == 0)
        return put_drawn(m, arg, out);
    for (size_t i = 0; i < ob_json_count(arg); i++) {
        const ob_json *value = ob_json_item(arg, i);
        const bool nested = ob_json_get_kind(value) == OB_JSON_ARRAY &&
                            ob_json_get_kind(ob_json_item(value, 0)) == OB_JSON_OBJECT;
        ob_json *list = nested ? ob_json_new_array(m->doc) : NULL;
        for (size_t k = 0; nested && k < ob_json_count(value); k++) {
            ob_json *item = ob_json_new_object(m->doc);
            if (list == NULL || item == NULL)
                return no_memory(m);
            OB_TRY(put_arg(m, ob_json_item(value, k), item));
            OB_TRY(ob_json_append(m->doc, list, item, m->err));
        }
        OB_TRY(set(m, out, ob_json_key(arg, i), nested ? list : value));
    }
    return OB_OK;
}

static ob_status refuse_wrong_arg(const maker *m, const ob_json *arg)
{
    if (ob_json_get_kind(arg) == OB_JSON_OBJECT)
        return OB_OK;
    return ob__node_error(m->err, arg, "an argument must be an object, not %s",
                          ob_json_kind_name(ob_json_get_kind(arg)));
}

static ob_status put_args(const maker *m, const ob_json *entry, ob_json *list)
{
    const ob_json *args = ob_json_get(entry, "args");
    const bool all = args == NULL && ob_json_get(entry, "kwargs") == NULL;
    const size_t count = all ? m->draw->tensor_count : ob_json_count(args);
    for (size_t i = 0; i < count; i++) {
        ob_json *arg = ob_json_new_object(m->doc);
        if (arg == NULL)
            return no_memory(m);
        if (!all)
            OB_TRY(refuse_wrong_arg(m, ob_json_item(args, i)));
        OB_TRY(all ? put_tensor(m, &m->draw->tensors[i], arg)
                   : put_arg(m, ob_json_item(args, i), arg));
        OB_TRY(ob_json_append(m->doc, list, arg, m->err));
    }
    return OB_OK;
}

static ob_status put_kwargs(const maker *m, const ob_json *entry, ob_json *out)
{
    const ob_json *kwargs = ob_json_get(entry, "kwargs");
    for (size_t i = 0; i < ob_json_count(kwargs); i++) {
        ob_json *arg = ob_json_new_object(m->doc);
        if (arg == NULL)
            return no_memory(m);
        OB_TRY(refuse_wrong_arg(m, ob_json_item(kwargs, i)));
        OB_TRY(put_arg(m, ob_json_item(kwargs, i), arg));
        OB_TRY(ob_json_set(m->doc, out, ob_json_key(kwargs, i), arg, m->err));
    }
    return OB_OK;
}

static ob_status make_item(fuzz_state *state, const source *s, uint64_t step, const ob_json **out,
                           ob_err *err)
{
    maker m = {.err = err};
    ob_json_doc_destroy(state->doc);
    state->doc = NULL;
    OB_TRY(ob__at_node(ob_fuzzer_draw(s->fuzzer, step, &m.draw, err), s->entry, err));
    OB_TRY(ob_json_doc_create(&state->doc, err));
    m.doc = state->doc;
    ob_json *entry = ob_json_new_object(m.doc), *args = ob_json_new_array(m.doc);
    ob_json *kwargs = ob_json_new_object(m.doc);
    if (entry == NULL || args == NULL || kwargs == NULL)
        return no_memory(&m);
    OB_TRY(put_args(&m, s->entry, args));
    OB_TRY(put_kwargs(&m, s->entry, kwargs));
    OB_TRY(ob_json_set(m.doc, entry, "args", args, err));
    if (ob_json_count(kwargs) > 0)
        OB_TRY(ob_json_set(m.doc, entry, "kwargs", kwargs, err));
    *out = entry;
    return OB_OK;
}

static ob_status fuzz_at(void *opaque, uint64_t index, ob_iterator_item *item, ob_err *err)
{
    fuzz_state *state = opaque;
    size_t which = 0;
    while (state->first[which + 1] <= index)
        which++;
    const uint64_t step = index - state->first[which];
    size_t length = ob__format_u64(which, item->id);
    item->id[length++] = '_';
    length += ob__format_u64(step, item->id + length);
    item->id[length] = '\0';
    item->core = NULL;
    return make_item(state, &state->sources[which], step, &item->entry, err);
}

/* The first draw of every entry, so that what can never work is said before anything runs. */
static ob_status fuzz_validate(const ob_iterator_args *args, ob_err *err)
{
    void *opaque;
    OB_TRY(fuzz_open(args, &opaque, err));
    fuzz_state *state = opaque;
    ob_status status = OB_OK;
    for (size_t i = 0; i < state->count && status == OB_OK; i++) {
        const ob_json *unused;
        status = make_item(state, &state->sources[i], 0, &unused, err);
    }
    fuzz_close(state);
    return status;
}

static const ob_iterator_desc FUZZ_ITERATOR = {
    .name = "FuzzConfigIterator",
    .help = "draws from a fuzzer: random tensors and parameters, the same for a given seed",
    .validate = fuzz_validate,
    .open = fuzz_open,
    .count = fuzz_count,
    .at = fuzz_at,
    .close = fuzz_close,
};

static const ob_iterator_desc *const ITERATORS[] = {&FUZZ_ITERATOR, NULL};

const ob_plugin ob__fuzz_builtin = {
    OB_PLUGIN_HEAD,
    .name = "builtin-fuzz",
    .iterators = ITERATORS,
};
