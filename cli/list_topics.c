/* SPDX-License-Identifier: Apache-2.0
 *
 * Where `opbench list` takes the items of each topic from.
 */
#include "list.h"

#include "opbench/arg.h"
#include "opbench/graph.h"

#include <string.h>

static const char BUILT_IN[] = "built in";

static void from_entry(const ob_context *context, ob_entry_kind kind, size_t index,
                       ob_list_item *item)
{
    const ob_entry_info info = ob_context_entry(context, kind, index);
    item->name = info.name;
    item->origin = info.origin;
    item->category = info.category;
    item->help = info.help;
    item->available = info.available;
    item->reason = info.reason;
}

/* ---- operators, then modules and models ---- */

static size_t count_ops(const ob_context *context)
{
    return ob_context_count(context, OB_ENTRY_OPERATOR) + ob_module_count();
}

static void op_at(const ob_context *context, size_t index, ob_list_item *item)
{
    const size_t operators = ob_context_count(context, OB_ENTRY_OPERATOR);
    if (index < operators) {
        from_entry(context, OB_ENTRY_OPERATOR, index, item);
        return;
    }
    const ob_module_info module = ob_module_at(index - operators);
    item->name = module.name;
    item->origin = BUILT_IN;
    item->category = module.category;
    item->help = module.signature;
    item->available = true;
    item->reason = "";
}

/* ---- the registry's other kinds ---- */

#define OB_LIST_KIND(name, kind)                                                                   \
    static size_t count_##name(const ob_context *context)                                          \
    {                                                                                              \
        return ob_context_count(context, kind);                                                    \
    }                                                                                              \
    static void name##_at(const ob_context *context, size_t index, ob_list_item *item)             \
    {                                                                                              \
        from_entry(context, kind, index, item);                                                    \
    }
OB_LIST_KIND(backends, OB_ENTRY_BACKEND)
OB_LIST_KIND(plugins, OB_ENTRY_PLUGIN)
OB_LIST_KIND(generators, OB_ENTRY_GENERATOR)
OB_LIST_KIND(iterators, OB_ENTRY_ITERATOR)

/* ---- element types ---- */

static const char *const CLASS_NAMES[] = {
    [OB_DTYPE_CLASS_BOOL] = "bool",       [OB_DTYPE_CLASS_UINT] = "unsigned",
    [OB_DTYPE_CLASS_INT] = "integer",     [OB_DTYPE_CLASS_FLOAT] = "floating",
    [OB_DTYPE_CLASS_COMPLEX] = "complex",
};

static size_t count_dtypes(const ob_context *context)
{
    (void)context;
    return OB_DTYPE_COUNT;
}

static void dtype_at(const ob_context *context, size_t index, ob_list_item *item)
{
    (void)context;
    const ob_dtype_info *info = ob_dtype_get_info((ob_dtype)index);
    const bool has_aliases = info->aliases != NULL && info->aliases[0] != '\0';
    snprintf(item->text, sizeof item->text, "%zu %s, torch.%s, in configs %s%s%s", info->size_bytes,
             info->size_bytes == 1 ? "byte" : "bytes", info->torch_name, info->param_name,
             has_aliases ? "|" : "", has_aliases ? info->aliases : "");
    item->name = info->name;
    item->origin = BUILT_IN;
    item->category = CLASS_NAMES[info->cls];
    item->help = item->text;
    item->available = true;
    item->reason = "";
}

/* ---- types of config arguments: the core's, then those that generators bring ---- */

static void type_to_item(const ob_arg_type *type, const char *origin, const char *category,
                         ob_list_item *item)
{
    item->name = type->name;
    item->origin = origin;
    item->category = category;
    item->help = type->help != NULL ? type->help : "";
    item->available = true;
    item->reason = "";
}

/* Walks the types of all generators. Stops at number `index` and fills *item (may be NULL); returns
 * how many were walked over. */
static size_t walk_generator_types(const ob_context *context, size_t index, ob_list_item *item)
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
            if (seen == index && item != NULL) {
                type_to_item(type, info.origin, info.name, item);
                return seen;
            }
            seen++;
        }
    }
    return seen;
}

static size_t count_types(const ob_context *context)
{
    size_t core = 0;
    ob_arg_types(&core);
    return core + walk_generator_types(context, 0, NULL);
}

static void type_at(const ob_context *context, size_t index, ob_list_item *item)
{
    size_t core = 0;
    const ob_arg_type *types = ob_arg_types(&core);
    if (index < core)
        type_to_item(&types[index], BUILT_IN, "", item);
    else
        walk_generator_types(context, index - core, item);
}

#define OB_LIST_TOPIC(topic, title, plugins, failures, count_fn, at_fn)                            \
    {                                                                                              \
        .name = topic, .help_title = title, .needs_plugins = plugins, .shows_failures = failures,  \
        .count = count_fn, .at = at_fn                                                             \
    }

/* The words of OB_LIST_TOPICS, in its order. */
static const ob_list_topic TOPICS[] = {
    OB_LIST_TOPIC("ops", "SCHEMA", true, false, count_ops, op_at),
    OB_LIST_TOPIC("backends", "HELP", true, true, count_backends, backends_at),
    OB_LIST_TOPIC("plugins", "HELP", true, true, count_plugins, plugins_at),
    OB_LIST_TOPIC("generators", "HELP", true, false, count_generators, generators_at),
    OB_LIST_TOPIC("iterators", "HELP", true, false, count_iterators, iterators_at),
    OB_LIST_TOPIC("dtypes", "HELP", false, false, count_dtypes, dtype_at),
    OB_LIST_TOPIC("types", "HELP", true, false, count_types, type_at),
};

const ob_list_topic *ob__list_find_topic(const char *name)
{
    for (size_t i = 0; i < sizeof TOPICS / sizeof TOPICS[0]; i++) {
        if (strcmp(TOPICS[i].name, name) == 0)
            return &TOPICS[i];
    }
    return NULL;
}
