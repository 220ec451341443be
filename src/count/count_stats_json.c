/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts as JSON, one object per count, and back. Names are those of the original's CallgrindStats; part, command
 * and key are ours.
 */
#include "count/counts_file.h"
#include "count/counts_int.h"
#include "opbench/record.h"
#include "opbench/vec.h"

#include <string.h>

/* Texts of the task: key and place. */
typedef struct task_key {
    const char *key;
    size_t offset;
} task_key;

static const task_key TASK_KEYS[] = {
    {"stmt", offsetof(ob_task_spec, stmt)},
    {"setup", offsetof(ob_task_spec, setup)},
    {"global_setup", offsetof(ob_task_spec, global_setup)},
    {"label", offsetof(ob_task_spec, label)},
    {"sub_label", offsetof(ob_task_spec, sub_label)},
    {"description", offsetof(ob_task_spec, description)},
    {"env", offsetof(ob_task_spec, env)},
};

typedef struct table_key {
    const char *key;
    size_t offset;
    bool inclusive;
} table_key;

static const table_key TABLE_KEYS[] = {
    {"baseline_inclusive_stats", offsetof(ob_count_stats_params, baseline_inclusive), true},
    {"baseline_exclusive_stats", offsetof(ob_count_stats_params, baseline_exclusive), false},
    {"stmt_inclusive_stats", offsetof(ob_count_stats_params, stmt_inclusive), true},
    {"stmt_exclusive_stats", offsetof(ob_count_stats_params, stmt_exclusive), false},
};

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

/* ---- writing ---- */

static ob_status set(ob_json_doc *doc, ob_json *object, const char *key, const ob_json *value,
                     ob_err *err)
{
    return value == NULL ? ob__counts_no_memory(err) : ob_json_set(doc, object, key, value, err);
}

static ob_json *text_node(ob_json_doc *doc, const char *text)
{
    return text == NULL ? ob_json_new_null(doc) : ob_json_new_string(doc, text, strlen(text));
}

static ob_status task_to_json(const ob_task_spec *task, ob_json_doc *doc, ob_json **out,
                              ob_err *err)
{
    *out = task->stmt == NULL ? ob_json_new_null(doc) : ob_json_new_object(doc);
    if (*out == NULL)
        return ob__counts_no_memory(err);
    if (task->stmt == NULL)
        return OB_OK;
    for (size_t i = 0; i < LENGTH(TASK_KEYS); i++) {
        const char *text;
        memcpy(&text, (const char *)task + TASK_KEYS[i].offset, sizeof text);
        OB_TRY(set(doc, *out, TASK_KEYS[i].key, text_node(doc, text), err));
    }
    return set(doc, *out, "num_threads", ob_json_new_int(doc, task->num_threads), err);
}

ob_status ob_count_stats_to_json(const ob_count_stats *stats, ob_json_doc *doc, ob_json **out,
                                 ob_err *err)
{
    const ob_count_stats_params *is = ob_count_stats_get(stats);
    ob_json *task, *object = ob_json_new_object(doc);
    *out = object;
    if (object == NULL)
        return ob__counts_no_memory(err);
    OB_TRY(task_to_json(&is->task, doc, &task, err));
    OB_TRY(set(doc, object, "task_spec", task, err));
    OB_TRY(set(doc, object, "number_per_run", ob_json_new_int(doc, is->number_per_run), err));
    OB_TRY(set(doc, object, "built_with_debug_symbols",
               ob_json_new_bool(doc, is->built_with_debug_symbols), err));
    OB_TRY(set(doc, object, "part", ob_json_new_int(doc, is->part), err));
    OB_TRY(set(doc, object, "command", text_node(doc, is->command), err));
    OB_TRY(
        set(doc, object, "counts", ob_json_new_int(doc, ob_count_stats_counts(stats, false)), err));
    OB_TRY(set(doc, object, "counts_denoised",
               ob_json_new_int(doc, ob_count_stats_counts(stats, true)), err));
    for (size_t i = 0; i < LENGTH(TABLE_KEYS); i++) {
        const ob_counts *counts;
        ob_json *table;
        memcpy(&counts, (const char *)is + TABLE_KEYS[i].offset, sizeof counts);
        OB_TRY(ob_counts_to_json(counts, doc, &table, err));
        OB_TRY(set(doc, object, TABLE_KEYS[i].key, table, err));
    }
    OB_TRY(set(doc, object, "stmt_callgrind_out", text_node(doc, is->callgrind_out), err));
    return is->key != NULL ? set(doc, object, "key", text_node(doc, is->key), err) : OB_OK;
}

/* ---- reading ---- */

static ob_status wrong(const ob_json *node, const char *what, ob_err *err)
{
    return ob_err_set_at(err, OB_ERR_CONFIG, NULL, ob_json_line(node), ob_json_column(node), NULL,
                         "%s; give what opbench count --json wrote", what);
}

/* A text or null. */
static ob_status text_from_json(const ob_json *node, const char **out, ob_err *err)
{
    size_t length = 0;
    *out = ob_json_string(node, &length);
    if (*out != NULL ? strlen(*out) == length : ob_json_get_kind(node) == OB_JSON_NULL)
        return OB_OK;
    return wrong(node, "expected a string or null", err);
}

static ob_status task_from_json(const ob_json *node, ob_task_spec *task, ob_err *err)
{
    if (ob_json_get_kind(node) == OB_JSON_NULL)
        return OB_OK;
    if (ob_json_get_kind(node) != OB_JSON_OBJECT)
        return wrong(node, "task_spec must be an object or null", err);
    for (size_t i = 0; i < LENGTH(TASK_KEYS); i++) {
        const char *text;
        OB_TRY(text_from_json(ob_json_get(node, TASK_KEYS[i].key), &text, err));
        memcpy((char *)task + TASK_KEYS[i].offset, &text, sizeof text);
    }
    task->num_threads = ob_json_int(ob_json_get(node, "num_threads"), 1);
    return OB_OK;
}

static ob_status tables_from_json(const ob_json *root, ob_counts **tables, ob_err *err)
{
    for (size_t i = 0; i < LENGTH(TABLE_KEYS); i++) {
        const ob_json *node = ob_json_get(root, TABLE_KEYS[i].key);
        OB_TRY(ob_counts_from_json(node, &tables[i], err));
        if (tables[i] != NULL && tables[i]->inclusive != TABLE_KEYS[i].inclusive)
            return wrong(node, "inclusive does not match the name of the table", err);
    }
    return OB_OK;
}

ob_status ob_count_stats_from_json(const ob_json *root, ob_count_stats **out, ob_err *err)
{
    ob_counts *tables[LENGTH(TABLE_KEYS)] = {NULL};
    ob_count_stats_params params = {
        .size = sizeof params,
        .number_per_run = ob_json_int(ob_json_get(root, "number_per_run"), 0),
        .built_with_debug_symbols =
            ob_json_bool(ob_json_get(root, "built_with_debug_symbols"), true),
        .part = ob_json_int(ob_json_get(root, "part"), 0),
    };
    *out = NULL;
    ob_status status = ob_json_get(root, "stmt_exclusive_stats") == NULL
                           ? wrong(root, "there is no stmt_exclusive_stats", err)
                           : task_from_json(ob_json_get(root, "task_spec"), &params.task, err);
    if (status == OB_OK)
        status = text_from_json(ob_json_get(root, "command"), &params.command, err);
    if (status == OB_OK)
        status =
            text_from_json(ob_json_get(root, "stmt_callgrind_out"), &params.callgrind_out, err);
    if (status == OB_OK)
        status = text_from_json(ob_json_get(root, "key"), &params.key, err);
    if (status == OB_OK)
        status = tables_from_json(root, tables, err);
    for (size_t i = 0; i < LENGTH(TABLE_KEYS); i++)
        memcpy((char *)&params + TABLE_KEYS[i].offset, &tables[i], sizeof tables[i]);
    if (status == OB_OK)
        status = ob_count_stats_create(&params, out, err);
    for (size_t i = 0; i < LENGTH(TABLE_KEYS); i++)
        ob_counts_destroy(tables[i]);
    return status;
}

static ob_status add_stats(ob_count_file *file, const ob_json *node, ob_err *err)
{
    if (!OB_RESERVE(file->parts, file->capacity, file->size + 1))
        return ob__counts_no_memory(err);
    OB_TRY(ob_count_stats_from_json(node, &file->parts[file->size], err));
    file->size++;
    return OB_OK;
}

/* A record of any kind; results that were counted have their tables in it. */
static bool is_record(const ob_json *root)
{
    size_t count;
    const ob_field *fields = ob_record_fields(&count);
    for (size_t i = 0; i < count; i++)
        if ((fields[i].flags & OB_FIELD_MARK) != 0 && ob_json_get(root, fields[i].path) != NULL)
            return true;
    return false;
}

static ob_status add_line(ob_count_file *file, const ob_json *root, ob_err *err)
{
    if (!is_record(root))
        return add_stats(file, root, err);
    const ob_json *tables = ob_json_get(ob_json_get(root, "instructions"), "tables");
    for (size_t i = 0; i < ob_json_count(tables); i++)
        OB_TRY(add_stats(file, ob_json_item(tables, i), err));
    return OB_OK;
}

/* Line numbers of the single texts count from 1; those of the file are wanted. */
static void place(ob_err *err, const char *name, uint32_t lines_before)
{
    if (err == NULL)
        return;
    const ob_err why = *err;
    ob_err_set_at(err, why.code, name, why.line + lines_before, why.column, why.path, "%s",
                  why.message);
}

ob_status ob__read_count_json(ob_count_file *file, const char *text, size_t size, ob_err *err)
{
    const char *at = text, *end = text + size;
    ob_count_line line;
    for (uint32_t number = 0; ob__next_line(&at, end, &line); number++) {
        if (line.size == 0)
            continue;
        ob_json_doc *doc = NULL;
        ob_status status = ob_json_parse(file->name, line.text, line.size, NULL, &doc, err);
        if (status == OB_OK)
            status = add_line(file, ob_json_doc_root(doc), err);
        ob_json_doc_destroy(doc);
        if (status != OB_OK) {
            place(err, file->name, number);
            return status;
        }
    }
    return OB_OK;
}
