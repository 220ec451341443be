/* SPDX-License-Identifier: Apache-2.0
 *
 * What the shapes of an entry can become, checked without walking its cases: every element is a constant,
 * a range (whose ends bound it), or a copy of one of these. The largest shape takes every element at its
 * highest, and that case exists, because axes are independent of each other and copies only repeat
 * them; so the check is exact for overflow. Placeholders such as -1 are never looked at: a copy stands
 * in their place.
 */
#include "config/expansion_build.h"

#include <inttypes.h>

typedef struct bounds {
    int64_t low, high;
} bounds;

static ob_status constant_bounds(const char *name, const ob_json *element, bounds *out, ob_err *err)
{
    if (element->kind == OB_JSON_ARRAY)
        return ob__node_error(err, element,
                              "an element of \"%s\" is a list, but \"%s\" is not named in "
                              "\"__range__\"; add \"__range__\": [\"%s\"]",
                              name, name, name);
    OB_TRY(ob__check_value(OB_ATTR_INT, name, element, err));
    out->low = out->high = element->as.integer;
    return OB_OK;
}

static void widen(bounds *b, const bounds *more, bool first)
{
    b->low = first || more->low < b->low ? more->low : b->low;
    b->high = first || more->high > b->high ? more->high : b->high;
}

/* Of element `index` as it stands, not as a copy. */
static ob_status own_bounds(const ob_expansion *expansion, const char *name, const ob_json *attr,
                            uint32_t index, bounds *out, ob_err *err)
{
    const ob_axis *whole = ob__expansion_axis_of(expansion, attr);
    if (whole != NULL && whole->kind == OB_AXIS_LIST) {
        for (uint64_t i = 0; i < whole->count; i++) {
            bounds one = {0};
            OB_TRY(constant_bounds(name, &whole->items[i].as.items[index], &one, err));
            widen(out, &one, i == 0);
        }
        return OB_OK;
    }
    const ob_json *element = &attr->as.items[index];
    const ob_axis *axis = ob__expansion_axis_of(expansion, element);
    if (axis == NULL)
        return constant_bounds(name, element, out, err);
    const int64_t last =
        axis->count > 0 ? axis->lo + (int64_t)(axis->count - 1) * axis->step : axis->lo;
    *out = (bounds){.low = axis->lo < last ? axis->lo : last,
                    .high = axis->lo < last ? last : axis->lo};
    return OB_OK;
}

/* Of element `index` after copying. */
static ob_status element_bounds(const ob_expansion *expansion, const char *name,
                                const ob_json *attr, uint32_t index, bounds *out, ob_err *err)
{
    const ob_copy *copy;
    *out = (bounds){0};
    while ((copy = ob__expansion_copy_to(expansion, attr, index)) != NULL) {
        attr = copy->from;
        index = copy->from_index;
    }
    return own_bounds(expansion, name, attr, index, out, err);
}

/* The widest dtype that the argument takes; u8 when it has none. */
static ob_dtype widest_dtype(const ob_expansion *expansion, const ob_shaped_arg *shaped)
{
    ob_dtype widest = OB_DTYPE_U8;
    for (const ob_arg_attr *attr = shaped->type->attrs; attr->name != NULL; attr++) {
        if (attr->kind != OB_ATTR_DTYPE)
            continue;
        const ob_json *node = ob_json_get(shaped->arg, attr->name);
        const ob_axis *axis = ob__expansion_axis_of(expansion, node);
        const ob_json *names = axis != NULL ? axis->items : node;
        for (uint64_t i = 0; node != NULL && i < (axis != NULL ? axis->count : 1); i++) {
            size_t length;
            const char *name = ob_json_string(&names[i], &length);
            const ob_dtype dtype = name ? ob_dtype_from_name(name, length) : OB_DTYPE_INVALID;
            if (dtype != OB_DTYPE_INVALID && ob_dtype_size(dtype) > ob_dtype_size(widest))
                widest = dtype;
        }
    }
    return widest;
}

/* One list of sizes: `attr` itself, or one of its alternatives. */
static ob_status check_list(const ob_expansion *expansion, const ob_shaped_arg *shaped,
                            const char *name, const ob_json *attr, const ob_json *list,
                            bool is_shape, ob_err *err)
{
    int64_t highest[OB_MAX_DIMS];
    OB_TRY(ob__check_size_list(name, list, err));
    for (uint32_t i = 0; i < list->count; i++) {
        bounds b = {0};
        if (attr != list && ob__expansion_copy_to(expansion, attr, i) == NULL)
            OB_TRY(constant_bounds(name, &list->as.items[i], &b, err));
        else
            OB_TRY(element_bounds(expansion, name, attr, i, &b, err));
        if (b.low < 0)
            return ob__node_error(err, &list->as.items[i], "\"%s\" would hold %" PRId64 "; %s",
                                  name, b.low,
                                  is_shape ? "sizes are 0 or more, and a placeholder needs a "
                                             "\"__copy__\""
                                           : "strides are 0 or more");
        highest[i] = b.high;
    }
    if (!is_shape || expansion->count == 0)
        return OB_OK;
    return ob__check_shape_product(list, highest, list->count, widest_dtype(expansion, shaped),
                                   err);
}

static ob_status check_attr(const ob_expansion *expansion, const ob_shaped_arg *shaped,
                            const ob_arg_attr *attr, ob_err *err)
{
    const ob_json *node = ob_json_get(shaped->arg, attr->name);
    const ob_axis *axis = ob__expansion_axis_of(expansion, node);
    const bool alternatives = axis != NULL && axis->kind == OB_AXIS_LIST;
    const bool is_shape = attr->kind == OB_ATTR_SHAPE;
    if (node == NULL)
        return OB_OK;
    if (!alternatives)
        return check_list(expansion, shaped, attr->name, node, node, is_shape, err);
    for (uint64_t i = 0; i < axis->count; i++)
        OB_TRY(check_list(expansion, shaped, attr->name, node, &axis->items[i], is_shape, err));
    return OB_OK;
}

/* The lengths of shape and strides agree, for all alternatives of both. */
static ob_status check_strides(const ob_expansion *expansion, const ob_shaped_arg *shaped,
                               ob_err *err)
{
    const ob_json *lists[2] = {NULL, NULL};
    uint64_t counts[2] = {0, 0};
    for (const ob_arg_attr *attr = shaped->type->attrs; attr->name != NULL; attr++) {
        if (attr->kind != OB_ATTR_SHAPE && attr->kind != OB_ATTR_STRIDES)
            continue;
        const size_t which = attr->kind == OB_ATTR_STRIDES;
        const ob_json *node = ob_json_get(shaped->arg, attr->name);
        const ob_axis *axis = ob__expansion_axis_of(expansion, node);
        lists[which] = axis != NULL && axis->kind == OB_AXIS_LIST ? axis->items : node;
        counts[which] = node == NULL ? 0 : lists[which] == node ? 1 : axis->count;
    }
    for (uint64_t i = 0; i < counts[0]; i++)
        for (uint64_t j = 0; j < counts[1]; j++)
            if (lists[0][i].count != lists[1][j].count)
                return ob__node_error(err, &lists[1][j],
                                      "strides of %u elements for a shape of %u; they must agree",
                                      lists[1][j].count, lists[0][i].count);
    return OB_OK;
}

ob_status ob__expansion_check_shapes(const ob_expansion_build *build, ob_err *err)
{
    for (const ob_shaped_arg *shaped = build->shaped; shaped != NULL; shaped = shaped->next) {
        for (const ob_arg_attr *attr = shaped->type->attrs; attr->name != NULL; attr++)
            if (attr->kind == OB_ATTR_SHAPE || attr->kind == OB_ATTR_STRIDES)
                OB_TRY(check_attr(build->expansion, shaped, attr, err));
        OB_TRY(check_strides(build->expansion, shaped, err));
    }
    return OB_OK;
}
