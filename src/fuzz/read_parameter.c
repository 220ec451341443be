/* SPDX-License-Identifier: Apache-2.0
 *
 * One parameter of a spec's JSON:
 *
 *   {"name": "k", "minval": 1, "maxval": 9, "distribution": "uniform" or "loguniform"}
 *   {"name": "k", "distribution": [[1, 0.3], [{"alias": "n"}, 0.7]]}
 *   {"name": "k", "distribution": {"1": 0.3, "2": 0.7}}       keys are read as JSON where they can be
 *   {"name": "k", "alias": "n"}
 */
#include "base/json_node.h"
#include "base/nearest.h"
#include "base/number.h"
#include "config/check_value.h"
#include "fuzz/read.h"

#include <string.h>

const ob_json *ob__fuzz_get(const ob_json *object, const char *name)
{
    const ob_json *node = ob_json_get(object, name);
    return ob_json_get_kind(node) == OB_JSON_NULL ? NULL : node;
}

ob_status ob__fuzz_no_memory(ob__fuzz_reader *r)
{
    return ob_err_set(r->err, OB_ERR_NOMEM, "out of memory for the spec");
}

ob_status ob__fuzz_check_keys(ob__fuzz_reader *r, const ob_json *object, const char *const *names)
{
    for (size_t i = 0; i < ob_json_count(object); i++) {
        const char *key = ob_json_key(object, i);
        ob_nearest nearest;
        bool known = false;
        ob__nearest_start(&nearest, key, strlen(key));
        for (const char *const *name = names; *name != NULL && !known; name++) {
            ob__nearest_offer(&nearest, *name);
            known = strcmp(*name, key) == 0;
        }
        if (!known)
            return ob__node_error(r->err, ob_json_key_node(object, i), "unknown key \"%.64s\"%s",
                                  key,
                                  ob__near_text(nearest.best, "; did you mean \"", "\"?", "").text);
    }
    return OB_OK;
}

/* ---- choices ---- */

static ob_status read_value(ob__fuzz_reader *r, const ob_json *node, ob_fuzz_choice *out)
{
    size_t length;
    switch (ob_json_get_kind(node)) {
    case OB_JSON_NULL:
        out->value = ob_value_none();
        return OB_OK;
    case OB_JSON_BOOL:
        out->value = ob_value_bool(ob_json_bool(node, false));
        return OB_OK;
    case OB_JSON_INT:
        out->value = ob_value_int(ob_json_int(node, 0));
        return OB_OK;
    case OB_JSON_REAL:
        out->value = ob_value_double(ob_json_real(node, 0));
        return OB_OK;
    case OB_JSON_STRING: {
        const char *text = ob_json_string(node, &length);
        out->value.kind = OB_VALUE_STR;
        out->value.as.str.text = ob__arena_strdup(&r->arena, text, length);
        out->value.as.str.length = length;
        return out->value.as.str.text != NULL ? OB_OK : ob__fuzz_no_memory(r);
    }
    default:
        out->alias = ob_json_string(ob_json_get(node, "alias"), NULL);
        if (out->alias == NULL || ob_json_count(node) != 1)
            return ob__node_error(
                r->err, node,
                "a choice must be a number, a string, true, false, null or {\"alias\": \"NAME\"}");
        return OB_OK;
    }
}

static ob_status read_probability(ob__fuzz_reader *r, const ob_json *node, double *out)
{
    if (ob_json_get_kind(node) != OB_JSON_INT && ob_json_get_kind(node) != OB_JSON_REAL)
        return ob__node_error(r->err, node, "a probability must be a number, not %s",
                              ob_json_kind_name(ob_json_get_kind(node)));
    *out = ob_json_real(node, 0);
    return OB_OK;
}

static ob_status read_pairs(ob__fuzz_reader *r, const ob_json *list, ob_fuzz_choice *out)
{
    for (size_t i = 0; i < ob_json_count(list); i++) {
        const ob_json *pair = ob_json_item(list, i);
        if (ob_json_get_kind(pair) != OB_JSON_ARRAY || ob_json_count(pair) != 2)
            return ob__node_error(r->err, pair, "a choice must be a pair [value, probability]");
        OB_TRY(read_value(r, ob_json_item(pair, 0), &out[i]));
        OB_TRY(read_probability(r, ob_json_item(pair, 1), &out[i].probability));
    }
    return OB_OK;
}

/* A key that is JSON of its own (1, 0.5, true, null) is that value, any other a text. */
static ob_status read_key(ob__fuzz_reader *r, const ob_json *key, ob_fuzz_choice *out)
{
    ob_json_doc *doc;
    size_t length;
    const char *text = ob_json_string(key, &length);
    const ob_json_limits limits = {
        .size = sizeof limits, .max_memory_bytes = 1 << 16, .max_depth = 2};
    if (ob_json_parse("key", text, length, &limits, &doc, NULL) != OB_OK)
        return read_value(r, key, out);
    const ob_json *root = ob_json_doc_root(doc);
    const ob_json_kind kind = ob_json_get_kind(root);
    const bool plain =
        kind == OB_JSON_NULL || kind == OB_JSON_BOOL || kind == OB_JSON_INT || kind == OB_JSON_REAL;
    const ob_status status = read_value(r, plain ? root : key, out);
    ob_json_doc_destroy(doc);
    return status;
}

static ob_status read_table(ob__fuzz_reader *r, const ob_json *table, ob_fuzz_choice *out)
{
    for (size_t i = 0; i < ob_json_count(table); i++) {
        OB_TRY(read_key(r, ob_json_key_node(table, i), &out[i]));
        OB_TRY(read_probability(r, ob_json_item(table, i), &out[i].probability));
    }
    return OB_OK;
}

static ob_status read_choices(ob__fuzz_reader *r, const ob_json *node, ob_fuzz_parameter *out)
{
    const size_t count = ob_json_count(node);
    const char *alias = ob_json_string(ob_json_get(node, "alias"), NULL);
    ob_fuzz_choice *choices = ob__arena_alloc_array(&r->arena, count + 1, sizeof *choices);
    if (choices == NULL)
        return ob__fuzz_no_memory(r);
    memset(choices, 0, (count + 1) * sizeof *choices);
    out->distribution = OB_FUZZ_CHOICE;
    out->choices = choices;
    out->choice_count = count;
    if (alias != NULL && count == 1) {
        choices[0] = (ob_fuzz_choice){.alias = alias, .probability = 1};
        return OB_OK;
    }
    return ob_json_get_kind(node) == OB_JSON_ARRAY ? read_pairs(r, node, choices)
                                                   : read_table(r, node, choices);
}

/* ---- the parameter ---- */

static ob_status read_bound(ob__fuzz_reader *r, const ob_json *node, const char *name,
                            const char *short_name, ob_value *out)
{
    const ob_json *bound = ob__fuzz_get(node, name);
    if (bound == NULL)
        bound = ob__fuzz_get(node, short_name);
    if (bound == NULL)
        return OB_OK; /* the fuzzer says whether one is needed */
    if (ob_json_get_kind(bound) == OB_JSON_INT)
        *out = ob_value_int(ob_json_int(bound, 0));
    else if (ob_json_get_kind(bound) == OB_JSON_REAL)
        *out = ob_value_double(ob_json_real(bound, 0));
    else
        return ob__node_error(r->err, bound, "\"%s\" must be a number, not %s", name,
                              ob_json_kind_name(ob_json_get_kind(bound)));
    return OB_OK;
}

static ob_status read_distribution(ob__fuzz_reader *r, const ob_json *node, ob_fuzz_parameter *out)
{
    const ob_json *distribution = ob__fuzz_get(node, "distribution");
    const ob_json *alias = ob__fuzz_get(node, "alias");
    const char *word = ob_json_string(distribution, NULL);
    if (distribution == NULL && ob_json_get_kind(alias) == OB_JSON_STRING) {
        const ob_fuzz_choice one = {.alias = ob_json_string(alias, NULL), .probability = 1};
        ob_fuzz_choice *choice = ob__arena_alloc_array(&r->arena, 1, sizeof *choice);
        if (choice == NULL)
            return ob__fuzz_no_memory(r);
        *choice = one;
        out->distribution = OB_FUZZ_CHOICE;
        out->choices = choice;
        out->choice_count = 1;
        return OB_OK;
    }
    if (alias != NULL)
        return ob__node_error(r->err, alias,
                              "an alias must be the name of a parameter, without a distribution");
    if (ob_json_get_kind(distribution) == OB_JSON_ARRAY ||
        ob_json_get_kind(distribution) == OB_JSON_OBJECT)
        return read_choices(r, distribution, out);
    if (word != NULL && strcmp(word, "uniform") == 0)
        out->distribution = OB_FUZZ_UNIFORM;
    else if (word != NULL && strcmp(word, "loguniform") == 0)
        out->distribution = OB_FUZZ_LOGUNIFORM;
    else
        return ob__node_error(r->err, distribution != NULL ? distribution : node,
                              "%s; give \"uniform\", \"loguniform\" or a list of [value, "
                              "probability]",
                              distribution != NULL ? "unknown distribution"
                                                   : "the parameter has no distribution");
    return OB_OK;
}

ob_status ob__fuzz_read_parameter(ob__fuzz_reader *r, const ob_json *node, const char *name,
                                  ob_fuzz_parameter *out)
{
    static const char *const KEYS[] = {"name",         "minval", "min",   "maxval", "max",
                                       "distribution", "strict", "alias", NULL};
    *out = (ob_fuzz_parameter){.name = name};
    if (ob_json_get_kind(node) != OB_JSON_OBJECT)
        return ob__node_error(r->err, node, "a parameter must be an object, not %s",
                              ob_json_kind_name(ob_json_get_kind(node)));
    OB_TRY(ob__fuzz_check_keys(r, node, KEYS));
    if (ob_json_string(ob_json_get(node, "name"), NULL) != NULL)
        out->name = ob_json_string(ob_json_get(node, "name"), NULL);
    if (out->name == NULL)
        return ob__node_error(r->err, node, "the parameter has no \"name\"");
    const ob_json *strict = ob__fuzz_get(node, "strict");
    if (strict != NULL && ob_json_get_kind(strict) != OB_JSON_BOOL)
        return ob__node_error(r->err, strict, "\"strict\" must be true or false");
    out->strict = ob_json_bool(strict, false);
    OB_TRY(read_bound(r, node, "minval", "min", &out->min));
    OB_TRY(read_bound(r, node, "maxval", "max", &out->max));
    return read_distribution(r, node, out);
}
