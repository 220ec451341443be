/* SPDX-License-Identifier: Apache-2.0
 *
 * What a generator itself says of a materialised entry: the checks of its own argument types, then its
 * check of the whole.
 */
#include "config/config_int.h"

#include "config/check_value.h"
#include "plugin/walk.h"

bool ob__generator_has_checks(const ob_generator_desc *generator)
{
    if (generator == NULL)
        return false;
    if (generator->validate != NULL)
        return true;
    for (const ob_arg_type *type = generator->types; type != NULL && type->name != NULL; type++)
        if (type->check != NULL)
            return true;
    return false;
}

bool ob__checks_items(const ob_spec_list *list)
{
    return !ob__iterator_is_core(list->iterator) || ob__generator_has_checks(list->generator);
}

ob_status ob__check_item(const ob_spec_list *list, const ob_json *entry, ob_err *err)
{
    if (!ob__iterator_is_core(list->iterator))
        OB_TRY(ob__check_plain_entry(list->generator, entry, NULL, err));
    return ob__generator_has_checks(list->generator)
               ? ob__check_by_generator(list->generator, entry, err)
               : OB_OK;
}

static ob_status check_arg(const ob_generator_desc *generator, const ob_json *arg, ob_err *err)
{
    const ob_arg_type *type;
    OB_TRY(ob__find_arg_type(generator, arg, &type, err));
    const ob_json *items = ob_json_get(arg, "value");
    const ob_arg_attr *attr = ob__find_attr(type, "value");
    if (attr != NULL && attr->kind == OB_ATTR_ARGS)
        for (size_t i = 0; i < ob_json_count(items); i++)
            OB_TRY(check_arg(generator, ob_json_item(items, i), err));
    return ob__check_by_type(generator, type, arg, err);
}

ob_status ob__check_by_generator(const ob_generator_desc *generator, const ob_json *entry,
                                 ob_err *err)
{
    const ob_json *args = ob_json_get(entry, "args"), *kwargs = ob_json_get(entry, "kwargs");
    for (size_t i = 0; i < ob_json_count(args); i++)
        OB_TRY(check_arg(generator, ob_json_item(args, i), err));
    for (size_t i = 0; i < ob_json_count(kwargs); i++)
        OB_TRY(check_arg(generator, ob_json_item(kwargs, i), err));
    if (generator->validate == NULL)
        return OB_OK;
    const ob_status status = ob__generator_validate(generator, entry, err);
    /* A place in the file says more than the way from the entry. */
    if (status != OB_OK && err != NULL && err->line != 0)
        err->path[0] = '\0';
    return ob__at_node(status, entry, err);
}
