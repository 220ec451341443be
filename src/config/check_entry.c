/* SPDX-License-Identifier: Apache-2.0
 *
 * A whole entry without macros: what DefaultConfigIterator takes, and what every materialised entry
 * must be.
 */
#include "config/check_value.h"

#include <string.h>

ob_status ob__check_size_list(const char *name, const ob_json *list, ob_err *err)
{
    if (ob_json_get_kind(list) != OB_JSON_ARRAY)
        return ob__node_error(err, list, "\"%s\" must be a list of sizes, not %s", name,
                              ob_json_kind_name(ob_json_get_kind(list)));
    if (list->count > OB_MAX_DIMS)
        return ob__node_error(err, list, "\"%s\" has %u dimensions; tensors have at most %d", name,
                              list->count, OB_MAX_DIMS);
    return OB_OK;
}

static ob_status check_sizes(const char *name, const ob_json *list, int64_t *sizes, ob_err *err)
{
    OB_TRY(ob__check_size_list(name, list, err));
    for (uint32_t i = 0; i < list->count; i++) {
        const ob_json *size = &list->as.items[i];
        if (size->kind == OB_JSON_ARRAY)
            return ob__node_error(err, size,
                                  "an element of \"%s\" is a list; for a range use "
                                  "RangeConfigIterator and \"__range__\": [\"%s\"]",
                                  name, name);
        OB_TRY(ob__check_value(OB_ATTR_INT, name, size, err));
        if (size->as.integer < 0)
            return ob__node_error(err, size, "\"%s\" holds %lld; sizes are 0 or more", name,
                                  (long long)size->as.integer);
        sizes[i] = size->as.integer;
    }
    return OB_OK;
}

/* shape, its product, and strides of the same length. */
static ob_status check_geometry(const ob_arg_type *type, const ob_json *arg, ob_err *err)
{
    const ob_json *shape = NULL, *strides = NULL, *dtype_name = NULL;
    const char *shape_name = "", *strides_name = "";
    for (const ob_arg_attr *attr = type->attrs; attr != NULL && attr->name != NULL; attr++) {
        const ob_json *value = ob_json_get(arg, attr->name);
        if (attr->kind == OB_ATTR_SHAPE) {
            shape = value;
            shape_name = attr->name;
        } else if (attr->kind == OB_ATTR_STRIDES) {
            strides = value;
            strides_name = attr->name;
        } else if (attr->kind == OB_ATTR_DTYPE) {
            dtype_name = value;
        }
    }
    int64_t sizes[OB_MAX_DIMS], steps[OB_MAX_DIMS];
    if (shape == NULL)
        return OB_OK;
    OB_TRY(check_sizes(shape_name, shape, sizes, err));
    const char *name = ob_json_string(dtype_name, NULL);
    const ob_dtype dtype = name ? ob_dtype_from_name(name, strlen(name)) : OB_DTYPE_U8;
    OB_TRY(ob__check_shape_product(shape, sizes, shape->count, dtype, err));
    if (strides == NULL)
        return OB_OK;
    OB_TRY(check_sizes(strides_name, strides, steps, err));
    if (strides->count != shape->count)
        return ob__node_error(err, strides, "\"%s\" has %u elements, the shape %u; they must agree",
                              strides_name, strides->count, shape->count);
    int64_t bytes;
    ob_err why;
    if (ob_shape_span_bytes(sizes, steps, (int)shape->count, dtype, &bytes, &why) != OB_OK)
        return ob__node_error(err, strides, "%s", why.message);
    return OB_OK;
}

/* Looked for first: a list that a macro should expand would be reported as a wrong value otherwise. */
static ob_status refuse_macros(const ob_json *arg, ob_err *err)
{
    for (uint32_t i = 0; i < arg->count; i++) {
        const ob_json *key = &arg->as.members[i].key;
        if (ob__is_meta_key(key->as.string))
            return ob__node_error(
                err, key,
                "DefaultConfigIterator does not expand \"%s\"; set the iterator to "
                "\"RangeConfigIterator\", or remove it",
                key->as.string);
    }
    return OB_OK;
}

static ob_status check_plain_arg(const ob_generator_desc *generator, const ob_json *arg,
                                 const ob_log *log, ob_err *err)
{
    const ob_arg_type *type;
    OB_TRY(ob__find_arg_type(generator, arg, &type, err));
    OB_TRY(refuse_macros(arg, err));
    ob__warn_of_unknown(type, arg, log);
    for (uint32_t i = 0; i < arg->count; i++) {
        const ob_json_member *member = &arg->as.members[i];
        const char *key = member->key.as.string;
        const ob_arg_attr *attr = ob__find_attr(type, key);
        if (attr == NULL)
            continue;
        OB_TRY(ob__check_attr(attr, &member->value, log, err));
        if (attr->kind != OB_ATTR_ARGS)
            continue;
        if (member->value.kind != OB_JSON_ARRAY)
            return ob__node_error(err, &member->value, "\"%s\" must be a list of arguments, not %s",
                                  key, ob_json_kind_name(ob_json_get_kind(&member->value)));
        for (uint32_t k = 0; k < member->value.count; k++)
            OB_TRY(check_plain_arg(generator, &member->value.as.items[k], log, err));
    }
    OB_TRY(ob__check_present(type, arg, err));
    OB_TRY(check_geometry(type, arg, err));
    return ob__check_by_type(generator, type, arg, err);
}

ob_status ob__check_plain_entry(const ob_generator_desc *generator, const ob_json *entry,
                                const ob_log *log, ob_err *err)
{
    OB_TRY(ob__check_entry_form(entry, true, err));
    const ob_json *args = ob_json_get(entry, "args"), *kwargs = ob_json_get(entry, "kwargs");
    for (size_t i = 0; i < ob_json_count(args); i++)
        OB_TRY(check_plain_arg(generator, ob_json_item(args, i), log, err));
    for (size_t i = 0; i < ob_json_count(kwargs); i++)
        OB_TRY(check_plain_arg(generator, ob_json_item(kwargs, i), log, err));
    return OB_OK;
}
