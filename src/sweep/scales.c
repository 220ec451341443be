/* SPDX-License-Identifier: Apache-2.0
 *
 * input_scales: the values of each variable, as a list, one value, or a range from, to, and step or times.
 */
#include "sweep/sweep_int.h"

#include "base/nearest.h"

#include <string.h>

enum { MOST_VALUES = 1000000 };

static ob_status no_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the scales");
}

typedef struct range {
    int64_t from, to, by;
    bool multiplies;
} range;

static ob_status read_range(const ob_json *node, range *out, ob_err *err)
{
    const ob_json *from = ob_json_get(node, "from"), *to = ob_json_get(node, "to");
    const ob_json *step = ob_json_get(node, "step"), *times = ob_json_get(node, "times");
    const ob_json *by = times != NULL ? times : step;
    *out = (range){.from = ob_json_int(from, 0),
                   .to = ob_json_int(to, 0),
                   .by = ob_json_int(by, 1),
                   .multiplies = times != NULL};
    const size_t known = (size_t)(from != NULL) + (to != NULL) + (by != NULL);
    if (ob_json_get_kind(from) != OB_JSON_INT || ob_json_get_kind(to) != OB_JSON_INT ||
        (by != NULL && ob_json_get_kind(by) != OB_JSON_INT) || ob_json_count(node) != known)
        return ob__node_error(err, node,
                              "a range must be {\"from\": 1, \"to\": 1024, \"times\": 2} or "
                              "{\"from\": 1, \"to\": 10, \"step\": 1}, in whole numbers");
    if (out->multiplies ? out->by < 2 || out->from < 1 : out->by < 1)
        return ob__node_error(err, node,
                              out->multiplies
                                  ? "\"times\" must be at least 2, and \"from\" at least 1"
                                  : "\"step\" must be at least 1");
    return out->from <= out->to
               ? OB_OK
               : ob__node_error(err, node, "\"from\" is larger than \"to\": the range is empty");
}

static ob_status write_range(ob_json_doc *doc, const ob_json *node, ob_json *list, ob_err *err)
{
    range r;
    OB_TRY(read_range(node, &r, err));
    for (int64_t value = r.from; value <= r.to;) {
        const ob_json *item = ob_json_new_int(doc, value);
        if (ob_json_count(list) == MOST_VALUES)
            return ob__node_error(err, node, "the range has more than %d values", MOST_VALUES);
        if (item == NULL)
            return no_memory(err);
        OB_TRY(ob_json_append(doc, list, item, err));
        if (r.multiplies ? __builtin_mul_overflow(value, r.by, &value)
                         : __builtin_add_overflow(value, r.by, &value))
            break;
    }
    return OB_OK;
}

static ob_status read_scale(ob_json_doc *doc, const ob_json *node, const ob_json **out, ob_err *err)
{
    *out = node;
    if (ob_json_get_kind(node) == OB_JSON_ARRAY)
        return OB_OK;
    ob_json *list = ob_json_new_array(doc);
    if (list == NULL)
        return no_memory(err);
    list->line = node->line;
    list->column = node->column;
    *out = list;
    if (ob_json_get_kind(node) == OB_JSON_OBJECT)
        return write_range(doc, node, list, err);
    return ob_json_append(doc, list, node, err);
}

ob_status ob__sweep_read_scales(ob_sweep *sweep, ob_err *err)
{
    const ob_json *scales = ob_json_get(sweep->root, "input_scales");
    ob_json *all = ob_json_new_object(sweep->made);
    if (ob_json_get_kind(scales) != OB_JSON_OBJECT)
        return ob__node_error(err, scales != NULL ? scales : sweep->root,
                              "\"input_scales\" must be an object with the values of each name, "
                              "{\"batch\": [1, 8, 64]}");
    if (all == NULL)
        return no_memory(err);
    all->line = scales->line;
    all->column = scales->column;
    for (size_t i = 0; i < ob_json_count(scales); i++) {
        const ob_json *values;
        const char *name = ob_json_key(scales, i);
        if (name[0] == '\0')
            return ob__node_error(err, ob_json_key_node(scales, i),
                                  "a variable needs a name of letters");
        if (ob__sweep_is_column(name))
            return ob__node_error(err, ob_json_key_node(scales, i),
                                  "\"%s\" is already a column of the table, so a variable cannot "
                                  "have that name; call it \"%s_value\", say",
                                  name, name);
        OB_TRY(read_scale(sweep->made, ob_json_item(scales, i), &values, err));
        OB_TRY(ob_json_set(sweep->made, all, name, values, err));
    }
    sweep->scales = all;
    return ob__sweep_space_read(all, &sweep->space, err);
}

ob_status ob__sweep_use(ob_sweep *sweep, const ob_json *node, const char *name, size_t *variable,
                        ob_err *err)
{
    const char *names[OB_SWEEP_MAX_VARIABLES];
    const size_t found = ob__sweep_space_find(&sweep->space, name);
    if (found != SIZE_MAX) {
        sweep->used[found] = true;
        if (variable != NULL)
            *variable = found;
        return OB_OK;
    }
    for (size_t i = 0; i < sweep->space.variable_count; i++)
        names[i] = sweep->space.variables[i].name;
    const char *near = ob_nearest_name(name, names, sweep->space.variable_count);
    return ob__node_error(err, node,
                          "\"%.60s\" has no values in \"input_scales\"%s; add them there", name,
                          ob__near_text(near, " (did you mean \"", "\"?)", "").text);
}
