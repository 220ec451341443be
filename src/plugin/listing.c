/* SPDX-License-Identifier: Apache-2.0
 *
 * The context as lists for people: what there is, where it came from and, for what is missing, why.
 *
 * A backend is asked whether it can work here (probe) when it is first listed, not when it is
 * registered: commands that list nothing should not pay for it.
 */
#include "plugin/registry.h"

#include "opbench/vec.h"

#include <stdlib.h>
#include <string.h>

size_t ob_context_count(const ob_context *context, ob_entry_kind kind)
{
    switch (kind) {
    case OB_ENTRY_OPERATOR:
        return ob_op_table_count(context->operators);
    case OB_ENTRY_BACKEND:
        return context->backends.count + ob__missing_count(context);
    case OB_ENTRY_GENERATOR:
        return context->generators.count;
    case OB_ENTRY_ITERATOR:
        return context->iterators.count;
    case OB_ENTRY_PLUGIN:
        return context->plugin_count;
    }
    return 0;
}

static void probe(ob__entry *entry)
{
    const ob_backend_desc *desc = entry->desc;
    entry->probed = true;
    if (desc->probe == NULL || desc->probe(ob_host_get(), &entry->why_not) == OB_OK) {
        entry->why_not.text[0] = '\0';
        return;
    }
    entry->why_not.text[sizeof entry->why_not.text - 1] = '\0';
    if (entry->why_not.text[0] == '\0')
        strcpy(entry->why_not.text, "it does not work here and does not say why");
}

static ob_entry_info backend_info(ob__entry *entry)
{
    const ob_backend_desc *desc = entry->desc;
    if (!entry->probed)
        probe(entry);
    return (ob_entry_info){.name = desc->name,
                           .origin = entry->origin,
                           .category = "",
                           .help = desc->help,
                           .available = entry->why_not.text[0] == '\0',
                           .reason = entry->why_not.text,
                           .names = "",
                           .version = ""};
}

/* The part of the schema before its arguments, made once and kept; the list of kept names only
 * grows. A listing is a view: making its names does not change what the context holds. */
static const char *operator_name(ob_context *context, size_t index, const char *schema)
{
    if (index >= context->op_name_count) {
        const size_t count = ob_op_table_count(context->operators);
        if (!OB_RESERVE(context->op_names, context->op_name_capacity, count))
            return schema;
        while (context->op_name_count < count)
            context->op_names[context->op_name_count++] = NULL;
    }
    if (context->op_names[index] == NULL)
        context->op_names[index] =
            ob__arena_strdup(&context->arena, schema, strcspn(schema, "( \t\r\n"));
    return context->op_names[index] != NULL ? context->op_names[index] : schema;
}

static ob_entry_info operator_info(const ob_context *context, size_t index)
{
    const ob_op *op = ob_op_table_at(context->operators, index);
    if (op == NULL)
        return (ob_entry_info){.name = "",
                               .origin = "",
                               .category = "",
                               .help = "",
                               .reason = "its schema cannot be read; this is a bug",
                               .names = "",
                               .version = ""};
    return (ob_entry_info){
        .name = operator_name((ob_context *)context, index, op->row->schema),
        .origin = op->origin,
        .category = op->row->category != NULL ? op->row->category : "",
        .help = op->row->schema,
        .available = true,
        .reason = "",
        .names = op->row->names != NULL ? op->row->names : "",
        .version = "",
    };
}

static ob_entry_info describe(const ob_context *context, ob_entry_kind kind, size_t index)
{
    ob_entry_info info = {.name = "",
                          .origin = "",
                          .category = "",
                          .help = "",
                          .reason = "",
                          .names = "",
                          .version = ""};
    if (index >= ob_context_count(context, kind))
        return info;
    info.available = true;
    switch (kind) {
    case OB_ENTRY_OPERATOR:
        return operator_info(context, index);
    case OB_ENTRY_BACKEND:
        return index < context->backends.count
                   ? backend_info(context->backends.items[index])
                   : ob__missing_info((ob_context *)context, index - context->backends.count);
    case OB_ENTRY_GENERATOR: {
        const ob__entry *entry = context->generators.items[index];
        const ob_generator_desc *desc = entry->desc;
        info.name = desc->name;
        info.help = desc->help;
        info.origin = entry->origin;
        break;
    }
    case OB_ENTRY_ITERATOR: {
        const ob__entry *entry = context->iterators.items[index];
        const ob_iterator_desc *desc = entry->desc;
        info.name = desc->name;
        info.help = desc->help;
        info.origin = entry->origin;
        break;
    }
    case OB_ENTRY_PLUGIN: {
        const ob__plugin_record *record = context->plugins[index];
        info.name = record->name;
        info.help = record->help;
        info.version = record->version;
        info.origin = record->path;
        info.available = record->available;
        info.reason = record->reason;
        break;
    }
    }
    return info;
}

void ob_context_entry_sized(const ob_context *context, ob_entry_kind kind, size_t index,
                            ob_entry_info *out, size_t size)
{
    const ob_entry_info info = describe(context, kind, index);
    memset(out, 0, size);
    memcpy(out, &info, size < sizeof info ? size : sizeof info);
}
