/* SPDX-License-Identifier: Apache-2.0
 *
 * The code of plug-ins that are known by a report, for a process that was asked to run it: a worker, a trial, a session in
 * one process with its caller. The file is loaded into a registry of its own, where it is checked as any other; its
 * structs are then copied over those that the report filled, which others may point to.
 */
#include "plugin/bring_in.h"

#include "plugin/plugin_report.h"

#include <string.h>

static ob_status has_changed(const ob__plugin_record *record, ob_err *err)
{
    return ob_err_set_at(
        err, OB_ERR_PLUGIN, record->path, 0, 0, NULL,
        "the contents of plug-in '%s' just changed; rebuild it, or remove the file", record->name);
}

static size_t count_of(const ob__entry_list *list, const char *origin)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        count += strcmp(list->items[i]->origin, origin) == 0;
    return count;
}

/* The structs are the context's own (plugin_report_read.c), so that they may be written to. */
static bool fill_entries(const ob__entry_list *known, const ob__entry_list *loaded,
                         const char *origin, size_t size, bool write)
{
    if (count_of(known, origin) != loaded->count)
        return false;
    for (size_t i = 0; i < loaded->count; i++) {
        const void *desc = loaded->items[i]->desc;
        const char *name;
        memcpy(&name, desc, sizeof name);
        const ob__entry *entry = ob__entry_find(known, name);
        if (entry == NULL || strcmp(entry->origin, origin) != 0)
            return false;
        if (write)
            memcpy((void *)entry->desc, desc, size);
    }
    return true;
}

static bool fill_operators(const ob_context *context, const ob_context *loaded, size_t first,
                           const char *origin, bool write)
{
    size_t at = first;
    for (size_t i = 0; i < ob_op_table_count(context->operators); i++) {
        const ob_op *op = ob_op_table_at(context->operators, i);
        if (op == NULL || strcmp(op->origin, origin) != 0)
            continue;
        const ob_op *real = at < ob_op_table_count(loaded->operators)
                                ? ob_op_table_at(loaded->operators, at++)
                                : NULL;
        if (real == NULL || strcmp(real->row->schema, op->row->schema) != 0)
            return false;
        if (write)
            *(ob_op_row *)op->row = *real->row;
    }
    return at == ob_op_table_count(loaded->operators);
}

/* All of it is there, or nothing is written. */
static bool fill(const ob_context *context, const ob__plugin_record *record,
                 const ob_context *loaded, size_t first_operator, bool write)
{
    const char *origin = record->name;
    return fill_entries(&context->backends, &loaded->backends, origin, sizeof(ob_backend_desc),
                        write) &&
           fill_entries(&context->generators, &loaded->generators, origin,
                        sizeof(ob_generator_desc), write) &&
           fill_entries(&context->iterators, &loaded->iterators, origin, sizeof(ob_iterator_desc),
                        write) &&
           fill_operators(context, loaded, first_operator, origin, write);
}

ob_status ob__plugin_bring_in(ob_context *context, ob__plugin_record *record, ob_err *err)
{
    ob_context *loaded;
    if (!record->only_known)
        return OB_OK;
    OB_TRY(ob__context_create_empty(&context->log, &loaded, err));
    const size_t first_operator = ob_op_table_count(loaded->operators);
    ob_status status = ob__plugin_load_file(loaded, record->path, err);
    if (status == OB_OK && (strcmp(loaded->plugins[0]->name, record->name) != 0 ||
                            !fill(context, record, loaded, first_operator, false)))
        status = has_changed(record, err);
    if (status != OB_OK) {
        ob_context_destroy(loaded);
        return status;
    }
    fill(context, record, loaded, first_operator, true);
    record->only_known = false;
    loaded->next_loaded = context->next_loaded; /* what was copied may point into it */
    context->next_loaded = loaded;
    return OB_OK;
}

static bool has_operators(const ob_context *context, const char *origin)
{
    for (size_t i = 0; i < ob_op_table_count(context->operators); i++) {
        const ob_op *op = ob_op_table_at(context->operators, i);
        if (op != NULL && strcmp(op->origin, origin) == 0)
            return true;
    }
    return false;
}

ob_status ob__plugins_bring_in(ob_context *context, const char *backend, ob_err *err)
{
    const ob__entry *entry = backend != NULL ? ob__entry_find(&context->backends, backend) : NULL;
    for (size_t i = 0; i < context->plugin_count; i++) {
        ob__plugin_record *record = context->plugins[i];
        ob_err why;
        if (!record->only_known)
            continue;
        if (entry != NULL && strcmp(entry->origin, record->name) == 0)
            OB_TRY(ob__plugin_bring_in(context, record, err));
        else if ((has_operators(context, record->name) || record->walker != NULL) &&
                 ob__plugin_bring_in(context, record, &why) != OB_OK)
            ob_log_report(&context->log, OB_LOG_WARNING, &why);
    }
    return OB_OK;
}
