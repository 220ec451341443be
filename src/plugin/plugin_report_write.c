/* SPDX-License-Identifier: Apache-2.0
 *
 * Writing a report, where the plug-in's code is loaded.
 */
#include "base/json_node.h"
#include "plugin/plugin_report.h"

#include <float.h>
#include <math.h>
#include <string.h>

ob__registry_mark ob__registry_get_mark(const ob_context *context)
{
    return (ob__registry_mark){.backends = context->backends.count,
                               .operators = ob_op_table_count(context->operators),
                               .generators = context->generators.count,
                               .iterators = context->iterators.count};
}

static bool write_text(ob_text *text, const char *value)
{
    return value == NULL ? ob_text_append_str(text, "null")
                         : ob__json_write_any(text, value, strlen(value));
}

static bool write_struct(ob_text *text, const ob__report_struct *shape, const char *at);

static bool is_last(const ob__report_struct *shape, const char *at)
{
    const char *first;
    memcpy(&first, at + shape->fields[0].offset, sizeof first);
    return first == NULL;
}

static bool write_rows(ob_text *text, const ob__report_struct *shape, const char *rows)
{
    bool ok = ob_text_append_str(text, "[");
    for (const char *at = rows; ok && at != NULL && !is_last(shape, at); at += shape->size)
        ok = (at == rows || ob_text_append_str(text, ", ")) && write_struct(text, shape, at);
    return ok && ob_text_append_str(text, "]");
}

static bool write_field(ob_text *text, const ob__report_row *row, const char *at)
{
    const void *field = at + row->offset;
    const void *pointer;
    switch (row->kind) {
    case OB__REPORT_TEXT:
    case OB__REPORT_CODE_TEXT:
        memcpy(&pointer, field, sizeof pointer);
        return write_text(text, pointer);
    case OB__REPORT_FLAG:
        return ob_text_append_str(text, *(const bool *)field ? "true" : "false");
    case OB__REPORT_INT:
        return ob_text_printf(text, "%d", *(const int *)field);
    case OB__REPORT_SIZE:
        return ob_text_printf(text, "%zu", *(const size_t *)field);
    case OB__REPORT_REAL:
        return ob_text_printf(text, "%.17g", fmin(*(const double *)field, DBL_MAX));
    case OB__REPORT_FUNCTION:
        memcpy(&pointer, field, sizeof pointer);
        return ob_text_append_str(text, pointer != NULL ? "true" : "false");
    case OB__REPORT_ROWS:
        memcpy(&pointer, field, sizeof pointer);
        return write_rows(text, row->rows, pointer);
    }
    return false;
}

/* Without the bracket at its end. */
static bool open_struct(ob_text *text, const ob__report_struct *shape, const char *at)
{
    bool ok = ob_text_append_str(text, "{");
    for (const ob__report_row *row = shape->fields; ok && row->name != NULL; row++)
        ok = ob_text_printf(text, "%s\"%s\": ", row == shape->fields ? "" : ", ", row->name) &&
             write_field(text, row, at);
    return ok;
}

static bool write_struct(ob_text *text, const ob__report_struct *shape, const char *at)
{
    return open_struct(text, shape, at) && ob_text_append_str(text, "}");
}

static bool begin_list(ob_text *text, const ob__report_struct *shape)
{
    return ob_text_printf(text, ", \"%s\": [", shape->name);
}

static bool write_entries(ob_text *text, const ob__report_struct *shape, const ob__entry_list *list,
                          size_t first)
{
    bool ok = begin_list(text, shape);
    for (size_t i = first; ok && i < list->count; i++)
        ok = ob_text_append_str(text, i > first ? ", " : "") &&
             write_struct(text, shape, list->items[i]->desc);
    return ok && ob_text_append_str(text, "]");
}

/* With what each says of this machine. */
static bool write_backends(ob_context *context, ob_text *text, size_t first)
{
    bool ok = begin_list(text, &ob__report_backend);
    for (size_t i = first; ok && i < context->backends.count; i++) {
        const ob_entry_info info = ob_context_entry(context, OB_ENTRY_BACKEND, i);
        ok = ob_text_append_str(text, i > first ? ", " : "") &&
             open_struct(text, &ob__report_backend, context->backends.items[i]->desc) &&
             ob_text_append_str(text, ", \"why_not\": ") && write_text(text, info.reason) &&
             ob_text_append_str(text, "}");
    }
    return ok && ob_text_append_str(text, "]");
}

static bool write_operators(const ob_context *context, ob_text *text, size_t first)
{
    const size_t count = ob_op_table_count(context->operators);
    bool ok = begin_list(text, &ob__report_operator);
    for (size_t i = first; ok && i < count; i++) {
        const ob_op *op = ob_op_table_at(context->operators, i);
        ok = op != NULL && ob_text_append_str(text, i > first ? ", " : "") &&
             write_struct(text, &ob__report_operator, (const char *)op->row);
    }
    return ok && ob_text_append_str(text, "]");
}

bool ob__plugin_report_write(ob_context *context, const char *path, const ob__registry_mark *since,
                             ob_text *text)
{
    const ob__plugin_record *plugin = ob__plugin_find_path(context, path);
    const char *version = plugin->version[0] != '\0' ? plugin->version : NULL;
    return ob_text_append_str(text, "{\"name\": ") && write_text(text, plugin->name) &&
           ob_text_append_str(text, ", \"version\": ") && write_text(text, version) &&
           write_backends(context, text, since->backends) &&
           write_operators(context, text, since->operators) &&
           write_entries(text, &ob__report_generator, &context->generators, since->generators) &&
           write_entries(text, &ob__report_iterator, &context->iterators, since->iterators) &&
           ob_text_append_str(text, "}");
}
