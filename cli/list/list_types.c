/* SPDX-License-Identifier: Apache-2.0
 *
 * `opbench list types`: the types of config arguments, the core's and those that generators bring,
 * with the attributes that each needs and takes.
 */
#include "list.h"

#include "opbench/arg.h"

#include <string.h>

/* For programs; what "__range__" may do with an attribute follows from it. */
static const char *const KIND_NAMES[] = {
    [OB_ATTR_ANY] = "any",           [OB_ATTR_INT] = "int",
    [OB_ATTR_REAL] = "real",         [OB_ATTR_BOOL] = "bool",
    [OB_ATTR_STRING] = "string",     [OB_ATTR_DEVICE] = "device",
    [OB_ATTR_DTYPE] = "dtype",       [OB_ATTR_SHAPE] = "shape",
    [OB_ATTR_STRIDES] = "strides",   [OB_ATTR_FLAG] = "flag",
    [OB_ATTR_INT_PAIR] = "int_pair", [OB_ATTR_REAL_PAIR] = "real_pair",
    [OB_ATTR_IGNORED] = "ignored",   [OB_ATTR_ARGS] = "args",
};

static const char *kind_name(ob_attr_kind kind)
{
    return (size_t)kind < sizeof KIND_NAMES / sizeof KIND_NAMES[0] ? KIND_NAMES[kind] : "any";
}

typedef struct found_type {
    const ob_arg_type *type;
    const char *origin;
    const char *category; /* the generator that brings it; "" for the core's */
} found_type;

/* Walks the types of all generators. Stops at number `index` and fills *found (may be NULL);
 * returns how many were walked over. */
static size_t walk_generator_types(const ob_context *context, size_t index, found_type *found)
{
    size_t seen = 0, core_count = 0;
    const ob_arg_type *core = ob_arg_types(&core_count);
    for (size_t g = 0; g < ob_context_count(context, OB_ENTRY_GENERATOR); g++) {
        const ob_entry_info info = ob_context_entry(context, OB_ENTRY_GENERATOR, g);
        const ob_generator_desc *desc = ob_context_find_generator(context, info.name);
        /* The core's generator may point at the core's own table, which is listed already. */
        if (desc == NULL || desc->types == NULL || desc->types == core)
            continue;
        for (const ob_arg_type *type = desc->types; type->name != NULL; type++) {
            if (seen == index && found != NULL) {
                *found = (found_type){.type = type, .origin = info.origin, .category = info.name};
                return seen;
            }
            seen++;
        }
    }
    return seen;
}

static found_type find_type(const ob_context *context, size_t index)
{
    size_t core = 0;
    const ob_arg_type *types = ob_arg_types(&core);
    found_type found = {.type = &types[0], .origin = "built in", .category = ""};
    if (index < core)
        found.type = &types[index];
    else
        walk_generator_types(context, index - core, &found);
    return found;
}

size_t ob__list_count_types(const ob_context *context)
{
    size_t core = 0;
    ob_arg_types(&core);
    return core + walk_generator_types(context, 0, NULL);
}

/* "value|value_range": at least one of them. */
static bool is_one_of(const ob_arg_type *type, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = type->one_of; at != NULL && *at != '\0';) {
        const size_t word = strcspn(at, "|");
        if (word == length && memcmp(at, name, length) == 0)
            return true;
        at += word + (at[word] == '|');
    }
    return false;
}

/* "dtype shape [device]; help": in the notation of usage lines, what is in brackets may be left
 * out. */
static void describe(const ob_arg_type *type, const char *help, char *out, size_t size)
{
    size_t used = 0;
    bool one_of_shown = false;
    out[0] = '\0';
    for (const ob_arg_attr *a = type->attrs; a != NULL && a->name != NULL; a++) {
        const bool one_of = is_one_of(type, a->name);
        if (one_of && one_of_shown)
            continue;
        one_of_shown = one_of_shown || one_of;
        const bool bare = one_of || a->required;
        const int n = snprintf(out + used, size - used, "%s%s%s%s", used > 0 ? " " : "",
                               bare ? "" : "[", one_of ? type->one_of : a->name, bare ? "" : "]");
        if (n < 0 || (size_t)n >= size - used)
            return;
        used += (size_t)n;
    }
    snprintf(out + used, size - used, "%s%s", used > 0 && help[0] != '\0' ? "; " : "", help);
}

void ob__list_type_at(const ob_context *context, size_t index, ob_list_item *item)
{
    const found_type found = find_type(context, index);
    item->name = found.type->name;
    item->also = "";
    item->origin = found.origin;
    item->category = found.category;
    item->help = found.type->help != NULL ? found.type->help : "";
    describe(found.type, item->help, item->text, sizeof item->text);
    item->shown = item->text;
    item->available = true;
    item->reason = "";
}

static ob_status add_attribute(ob_json_doc *doc, ob_json *array, const ob_arg_attr *attr,
                               ob_err *err)
{
    ob_json *object = ob_json_new_object(doc);
    if (object == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    OB_TRY(ob__list_set_string(doc, object, "name", attr->name, err));
    OB_TRY(ob__list_set_string(doc, object, "kind", kind_name(attr->kind), err));
    OB_TRY(ob_json_set(doc, object, "required", ob_json_new_bool(doc, attr->required), err));
    OB_TRY(ob__list_set_words(doc, object, "choices", attr->choices != NULL ? attr->choices : "",
                              "|", err));
    return ob_json_append(doc, array, object, err);
}

ob_status ob__list_type_fields(const ob_context *context, size_t index, ob_json_doc *doc,
                               ob_json *object, ob_err *err)
{
    const ob_arg_type *type = find_type(context, index).type;
    ob_json *array = ob_json_new_array(doc);
    if (array == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    for (const ob_arg_attr *a = type->attrs; a != NULL && a->name != NULL; a++)
        OB_TRY(add_attribute(doc, array, a, err));
    OB_TRY(ob_json_set(doc, object, "attributes", array, err));
    return ob__list_set_words(doc, object, "one_of", type->one_of != NULL ? type->one_of : "", "|",
                              err);
}
