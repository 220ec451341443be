/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading a report. The process that wrote it ran code of a stranger: each text and number has a limit, what is more than
 * a field may hold is refused, and what comes out is checked once more as any plug-in's structs are.
 */
#include "plugin/plugin_report.h"
#include "plugin/walker.h"

#include <string.h>

enum { MOST_TEXT = 4 << 10, MOST_CODE_TEXT = 64 << 10, MOST_ROWS = 10000 };

typedef struct report {
    ob_arena *arena;
    size_t rows; /* that were read, of all tables */
    ob_err *err;
} report;

static ob_status no_report(const report *r, const char *what, const char *name)
{
    return ob_err_set(r->err, OB_ERR_PLUGIN,
                      "the process that loaded it gave a malformed report (\"%s\": %s); rebuild "
                      "it, or remove the file",
                      name, what);
}

static ob_status no_memory(const report *r)
{
    return ob_err_set(r->err, OB_ERR_NOMEM, "out of memory");
}

/* Absent and null are NULL. */
static ob_status read_text(const report *r, const ob_json *node, const char *name, bool is_code,
                           const char **out)
{
    size_t length = 0;
    *out = NULL;
    if (node == NULL || ob_json_get_kind(node) == OB_JSON_NULL)
        return OB_OK;
    const char *text = ob_json_string(node, &length);
    if (text == NULL || strlen(text) != length)
        return no_report(r, "no text", name);
    if (length > (is_code ? MOST_CODE_TEXT : MOST_TEXT))
        return no_report(r, "too long", name);
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)text[i];
        if ((c < ' ' && !(is_code && (c == '\n' || c == '\t' || c == '\r'))) || c == 0x7f)
            return no_report(r, "a control character", name);
    }
    *out = ob__arena_strdup(r->arena, text, length);
    return *out != NULL ? OB_OK : no_memory(r);
}

static ob_status read_number(const report *r, const ob_json *node, const ob__report_row *row,
                             void *field)
{
    const ob_json_kind kind = ob_json_get_kind(node);
    const double real = ob_json_real(node, -1);
    if (row->kind == OB__REPORT_REAL) {
        if ((kind != OB_JSON_REAL && kind != OB_JSON_INT) || !(real >= (double)row->least))
            return no_report(r, "not a valid number", row->name);
        memcpy(field, &real, sizeof real);
        return OB_OK;
    }
    const int64_t whole = ob_json_int(node, row->least);
    if (kind != OB_JSON_INT || whole < row->least || whole > row->most)
        return no_report(r, "not a valid number", row->name);
    if (row->kind == OB__REPORT_INT)
        *(int *)field = (int)whole;
    else
        *(size_t *)field = (size_t)whole;
    return OB_OK;
}

static ob_status read_struct(report *r, const ob_json *node, const ob__report_struct *shape,
                             char *at);

/* A table with a row of zeros at its end; an empty one is NULL. */
static ob_status read_rows(report *r, const ob_json *node, const ob__report_struct *shape,
                           const char **out)
{
    const size_t count = ob_json_count(node);
    *out = NULL;
    if (ob_json_get_kind(node) != OB_JSON_ARRAY || count > MOST_ROWS - r->rows)
        return no_report(r, "not a list, or too long", shape->name);
    r->rows += count;
    if (count == 0)
        return OB_OK;
    char *rows = ob__arena_alloc_array(r->arena, count + 1, shape->size);
    if (rows == NULL)
        return no_memory(r);
    memset(rows, 0, (count + 1) * shape->size);
    for (size_t i = 0; i < count; i++)
        OB_TRY(read_struct(r, ob_json_item(node, i), shape, rows + i * shape->size));
    *out = rows;
    return OB_OK;
}

static ob_status read_field(report *r, const ob_json *node, const ob__report_row *row, char *at)
{
    void *field = at + row->offset;
    const char *pointer = NULL;
    switch (row->kind) {
    case OB__REPORT_TEXT:
    case OB__REPORT_CODE_TEXT:
        OB_TRY(read_text(r, node, row->name, row->kind == OB__REPORT_CODE_TEXT, &pointer));
        memcpy(field, &pointer, sizeof pointer);
        return OB_OK;
    case OB__REPORT_INT:
    case OB__REPORT_SIZE:
    case OB__REPORT_REAL:
        return read_number(r, node, row, field);
    case OB__REPORT_FLAG:
    case OB__REPORT_FUNCTION:
        if (ob_json_get_kind(node) != OB_JSON_BOOL)
            return no_report(r, "neither true nor false", row->name);
        if (row->kind == OB__REPORT_FLAG)
            *(bool *)field = ob_json_bool(node, false);
        else if (ob_json_bool(node, false))
            memcpy(field, &row->stand_in, sizeof row->stand_in);
        return OB_OK;
    case OB__REPORT_ROWS:
        OB_TRY(read_rows(r, node, row->rows, &pointer));
        memcpy(field, &pointer, sizeof pointer);
        return OB_OK;
    }
    return OB_OK;
}

static ob_status read_struct(report *r, const ob_json *node, const ob__report_struct *shape,
                             char *at)
{
    const char *first;
    if (ob_json_get_kind(node) != OB_JSON_OBJECT)
        return no_report(r, "no object", shape->name);
    for (const ob__report_row *row = shape->fields; row->name != NULL; row++)
        OB_TRY(read_field(r, ob_json_get(node, row->name), row, at));
    memcpy(&first, at + shape->fields[0].offset, sizeof first);
    return first != NULL ? OB_OK : no_report(r, "missing from a row", shape->fields[0].name);
}

/* A list of pointers, as plug-ins have them. */
static ob_status read_list(report *r, const ob_json *root, const ob__report_struct *shape,
                           const void ***out)
{
    const ob_json *node = ob_json_get(root, shape->name);
    const size_t count = ob_json_count(node);
    const char *rows;
    OB_TRY(read_rows(r, node, shape, &rows));
    *out = ob__arena_alloc_array(r->arena, count + 1, sizeof **out);
    if (*out == NULL)
        return no_memory(r);
    for (size_t i = 0; i < count; i++)
        (*out)[i] = rows + i * shape->size;
    (*out)[count] = NULL;
    return OB_OK;
}

static ob_status read_plugin(report *r, const ob_json *root, ob_plugin *out)
{
    const void **backends, **operators, **generators, **iterators;
    *out = (ob_plugin){OB_PLUGIN_HEAD};
    if (ob_json_get_kind(root) != OB_JSON_OBJECT)
        return no_report(r, "no object", "plug-in");
    OB_TRY(read_text(r, ob_json_get(root, "name"), "name", false, &out->name));
    OB_TRY(read_text(r, ob_json_get(root, "version"), "version", false, &out->version));
    OB_TRY(read_list(r, root, &ob__report_backend, &backends));
    OB_TRY(read_list(r, root, &ob__report_operator, &operators));
    OB_TRY(read_list(r, root, &ob__report_generator, &generators));
    OB_TRY(read_list(r, root, &ob__report_iterator, &iterators));
    out->backends = (const ob_backend_desc *const *)backends;
    out->operators = (const ob_op_row *const *)operators;
    out->generators = (const ob_generator_desc *const *)generators;
    out->iterators = (const ob_iterator_desc *const *)iterators;
    return OB_OK;
}

/* Why each backend cannot work here; those of the report are the last ones. */
static ob_status read_reasons(report *r, const ob_json *root, const ob__entry_list *list)
{
    const ob_json *rows = ob_json_get(root, ob__report_backend.name);
    const size_t count = ob_json_count(rows);
    for (size_t i = 0; i < count; i++) {
        ob__entry *entry = list->items[list->count - count + i];
        const char *why_not;
        OB_TRY(read_text(r, ob_json_get(ob_json_item(rows, i), "why_not"), "why_not", false,
                         &why_not));
        entry->probed = true;
        strncpy(entry->why_not.text, why_not != NULL ? why_not : "",
                sizeof entry->why_not.text - 1);
    }
    return OB_OK;
}

/* What would run code of the plug-in asks this one. */
static ob_status give_walker(ob_context *context, ob__plugin_record *record,
                             const ob_plugin *plugin, ob_err *err)
{
    if (plugin->generators == NULL || plugin->iterators == NULL ||
        (plugin->generators[0] == NULL && plugin->iterators[0] == NULL))
        return OB_OK;
    record->walker = ob__walker_create(context, record);
    if (record->walker == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    /* The structs are those that were read above. */
    for (size_t i = 0; plugin->generators[i] != NULL; i++)
        ((ob__known_generator *)plugin->generators[i])->walker = record->walker;
    for (size_t i = 0; plugin->iterators[i] != NULL; i++)
        ((ob__known_iterator *)plugin->iterators[i])->walker = record->walker;
    return OB_OK;
}

static ob_status read_report(ob_context *context, const char *path, const ob_json *root,
                             ob_err *err)
{
    report r = {.arena = &context->arena, .err = err};
    ob_plugin plugin;
    OB_TRY(read_plugin(&r, root, &plugin));
    OB_TRY(ob__registry_add_plugin(context, &plugin, path, false, err));
    ob__plugin_record *record = ob__plugin_find_path(context, path);
    record->only_known = true;
    OB_TRY(give_walker(context, record, &plugin, err));
    return read_reasons(&r, root, &context->backends);
}

ob_status ob__plugin_report_read(ob_context *context, const char *path, const char *text,
                                 size_t size, ob_err *err)
{
    static const ob_json_limits LIMITS = {.size = sizeof(ob_json_limits),
                                          .max_memory_bytes = 64 << 20,
                                          .max_string_bytes = MOST_CODE_TEXT,
                                          .max_depth = 16};
    ob_json_doc *doc;
    ob_err why;
    if (ob_json_parse(path, text, size, &LIMITS, &doc, &why) != OB_OK)
        return ob_err_set(err, OB_ERR_PLUGIN,
                          "the process that loaded it gave a malformed report (%s); rebuild it, or "
                          "remove the file",
                          why.message);
    const ob_status status = read_report(context, path, ob_json_doc_root(doc), err);
    ob_json_doc_destroy(doc);
    return status;
}
