/* SPDX-License-Identifier: Apache-2.0
 *
 * Profiler traces have neither schemas nor overloads, and values that are no numbers are empty in them. The
 * dispatcher passed all arguments of the operator, in order: their number and kinds tell which overload it was.
 */
#include "op/table.h"
#include "trace/alias.h"

#include <stdio.h>
#include <string.h>

static bool takes(const ob_type *type, const ob_trace_value *value);

static bool takes_list(const ob_type *type, const ob_trace_value *value)
{
    if (value->kind != OB_TRACE_LIST)
        return false;
    for (uint32_t i = 0; i < value->count; i++)
        if (!takes(type->element, &value->as.items[i]))
            return false;
    return true;
}

static bool takes(const ob_type *type, const ob_trace_value *value)
{
    const uint32_t kind = value->kind;
    switch (type->kind) {
    case OB_TYPE_OPTIONAL:
        return kind == OB_TRACE_NONE || kind == OB_TRACE_UNRECORDED || takes(type->element, value);
    case OB_TYPE_LIST:
        return takes_list(type, value);
    case OB_TYPE_TENSOR:
        return kind == OB_TRACE_TENSOR || kind == OB_TRACE_NO_TENSOR;
    case OB_TYPE_INT:
    case OB_TYPE_SYM_INT:
    case OB_TYPE_DTYPE:
    case OB_TYPE_LAYOUT:
    case OB_TYPE_MEMORY_FORMAT:
        return kind == OB_TRACE_INT;
    case OB_TYPE_BOOL:
        return kind == OB_TRACE_BOOL;
    case OB_TYPE_FLOAT:
        return kind == OB_TRACE_DOUBLE || kind == OB_TRACE_INT;
    case OB_TYPE_SCALAR:
        return kind == OB_TRACE_DOUBLE || kind == OB_TRACE_INT || kind == OB_TRACE_BOOL;
    case OB_TYPE_STR:
        return kind == OB_TRACE_STR;
    case OB_TYPE_DEVICE:
    case OB_TYPE_GENERATOR:
        return kind == OB_TRACE_UNRECORDED;
    default:
        return false;
    }
}

static bool fits(const ob_schema *schema, const ob_trace_alias *alias, size_t count)
{
    if (schema->arg_count != count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!takes(schema->args[i].type, &alias->args[i]) &&
            (alias->args[i].kind != OB_TRACE_UNRECORDED || !schema->args[i].has_default))
            return false;
    return true;
}

bool ob__trace_left_away(const ob_schema_arg *arg, const ob_trace_value *value)
{
    return arg != NULL && value->kind == OB_TRACE_UNRECORDED && arg->has_default;
}

/* A device that must be given is the one that everything runs on. */
static void set_devices(const ob_schema *schema, ob_trace_alias *alias)
{
    for (size_t i = 0; i < alias->count; i++) {
        if (schema->args[i].type->kind != OB_TYPE_DEVICE || alias->count > OB_TRACE_ALIAS_ARGS)
            continue;
        if (alias->args != alias->own)
            memcpy(alias->own, alias->args, alias->count * sizeof *alias->own);
        alias->args = alias->own;
        alias->own[i] = (ob_trace_value){.kind = OB_TRACE_DEVICE, .as = {.text = ""}};
    }
}

bool ob__trace_alias_fit(const ob_op_table *table, bool without_out, ob_trace_alias *alias)
{
    const size_t length = strlen(alias->name);
    if (alias->schema[0] != '\0' || alias->count == 0 || strchr(alias->name, '.') != NULL ||
        (without_out && alias->args[alias->count - 1].kind != OB_TRACE_TENSOR))
        return false;
    const size_t count = alias->count - without_out;
    for (uint32_t i = ob__table_first(table, alias->name, length); i != OB__INDEX_NONE;
         i = ob__table_entry(table, i)->next_overload) {
        ob__op_entry *entry = ob__table_entry(table, i);
        if (ob__table_load(entry, NULL) != OB_OK || !fits(entry->op.schema, alias, count) ||
            entry->name_length >= sizeof alias->fitted)
            continue;
        snprintf(alias->fitted, sizeof alias->fitted, "%.*s", (int)entry->name_length, entry->name);
        alias->name = alias->fitted;
        alias->schema = entry->op.schema->text;
        alias->count = count;
        set_devices(entry->op.schema, alias);
        return true;
    }
    return false;
}
