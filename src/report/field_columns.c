/* SPDX-License-Identifier: Apache-2.0
 *
 * Columns from the rows of src/result/fields.def: the unit says how the numbers are written, and times of every unit become
 * ns.
 */
#include "report/views.h"

#include "base/json_node.h"
#include "opbench/vec.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    ob_hint hint;
    double scale;
} UNITS[] = {
    [OB_UNIT_NONE] = {OB_HINT_FIGURE, 1},   [OB_UNIT_COUNT] = {OB_HINT_COUNT, 1},
    [OB_UNIT_NS] = {OB_HINT_TIME, 1},       [OB_UNIT_MS] = {OB_HINT_TIME, 1e6},
    [OB_UNIT_S] = {OB_HINT_TIME, 1e9},      [OB_UNIT_BYTES] = {OB_HINT_COUNT, 1},
    [OB_UNIT_MIB] = {OB_HINT_FIGURE, 1},    [OB_UNIT_FLOP] = {OB_HINT_FIGURE, 1},
    [OB_UNIT_GFLOPS] = {OB_HINT_FIGURE, 1}, [OB_UNIT_GBS] = {OB_HINT_FIGURE, 1},
    [OB_UNIT_SHARE] = {OB_HINT_SHARE, 1},   [OB_UNIT_TIME] = {OB_HINT_TEXT, 1},
};
_Static_assert(sizeof UNITS / sizeof *UNITS == OB_UNIT_TYPE_COUNT, "a unit has no hint");

static bool is_number(const ob_field *field)
{
    return field->type == OB_FIELD_INT || field->type == OB_FIELD_COUNT ||
           field->type == OB_FIELD_REAL;
}

static ob_hint hint_of(const ob_field *field)
{
    if (!is_number(field))
        return OB_HINT_TEXT;
    return field->type != OB_FIELD_REAL && field->unit == OB_UNIT_NONE ? OB_HINT_COUNT
                                                                       : UNITS[field->unit].hint;
}

static const ob_field *find(const char *path, size_t length, const char *pass)
{
    char full[128];
    const char *star = memchr(path, '*', length);
    const size_t before = star != NULL ? (size_t)(star - path) : length;
    const int size =
        snprintf(full, sizeof full, "%.*s%s%.*s", (int)before, path, star != NULL ? pass : "",
                 star != NULL ? (int)(length - before - 1) : 0, star != NULL ? star + 1 : "");
    return size > 0 && (size_t)size < sizeof full
               ? ob_record_find_field(OB_RECORD_RESULT_LINE, full)
               : NULL;
}

void ob__field_columns_add(ob_field_columns *fields, ob_table *table, const char *path,
                           const ob_column *column)
{
    const ob_field *forward = find(path, strlen(path), "forward");
    ob_column c = *column;
    if (forward == NULL || table->no_memory)
        return;
    table->no_memory = !OB_RESERVE(fields->items, fields->room, fields->count + 1);
    if (table->no_memory)
        return;
    c.hint = hint_of(forward);
    fields->items[fields->count++] =
        (ob_field_column){.fields = {forward, find(path, strlen(path), "backward")},
                          .column = ob_table_add_column(table, &c)};
}

/* A word that a choice may mean a field by: its path, or the name of a statistic. */
static void ask(ob_field_columns *fields, ob_table *table, const char *word, size_t length)
{
    char path[128], name[136];
    if (length == 0 || length >= sizeof path - sizeof "statistics/*/")
        return;
    for (size_t i = 0; i < table->column_count; i++) {
        const ob_column *c = &table->columns[i];
        if ((c->name != NULL && strncmp(c->name, word, length) == 0 && c->name[length] == '\0') ||
            (c->title != NULL && strncmp(c->title, word, length) == 0 && c->title[length] == '\0'))
            return;
    }
    snprintf(path, sizeof path, "%.*s", (int)length, word);
    if (find(path, length, "forward") == NULL)
        snprintf(path, sizeof path, "statistics/*/%.*s", (int)length, word);
    const ob_field *field = find(path, strlen(path), "forward");
    if (field == NULL || field->type == OB_FIELD_REALS || field->type == OB_FIELD_OBJECT)
        return;
    char title[128];
    snprintf(title, sizeof title, "%.*s", (int)length, word);
    snprintf(name, sizeof name, "%s%s", title, hint_of(field) == OB_HINT_TIME ? "_ns" : "");
    ob__field_columns_add(fields, table, path,
                          &(ob_column){.title = title, .name = name, .flags = OB_COLUMN_HIDDEN});
}

void ob__field_columns_ask(ob_field_columns *fields, ob_table *table, const ob_table_choice *choice)
{
    if (choice == NULL)
        return;
    const char *const texts[] = {choice->columns, choice->sort, choice->filter};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (const char *at = texts[i]; at != NULL && *at != '\0';) {
            at += strspn(at, "-, \t\r\n()=!<>~\"'");
            const size_t length = strcspn(at, ", \t\r\n()=!<>~\"'");
            ask(fields, table, at, length);
            at += length;
        }
}

/* ---- values ---- */

static double number_of(const void *member, const ob_field *field)
{
    return field->type == OB_FIELD_INT     ? (double)*(const int64_t *)member
           : field->type == OB_FIELD_COUNT ? (double)*(const uint64_t *)member
                                           : *(const double *)member * UNITS[field->unit].scale;
}

static bool append_text(const void *member, const ob_field *field, ob_text *out)
{
    const ob_strings *strings = member;
    bool ok = true;
    switch (field->type) {
    case OB_FIELD_STR:
        return ob_text_append_str(out, *(const char *const *)member);
    case OB_FIELD_CHARS:
        return ob_text_append(out, member, strnlen(member, field->size));
    case OB_FIELD_BYTES:
        return ob_text_append(out, ((const ob_bytes *)member)->data,
                              ((const ob_bytes *)member)->size);
    case OB_FIELD_FLAG:
        return ob_text_append_str(out, *(const int8_t *)member ? "true" : "false");
    case OB_FIELD_STATUS:
        return ob_text_append_str(
            out, ob_record_status_get_info(*(const ob_record_status *)member)->word);
    case OB_FIELD_STRINGS:
        for (size_t i = 0; ok && i < strings->count; i++)
            ok = ob_text_append_str(out, i > 0 ? "; " : "") &&
                 ob_text_append_str(out, strings->items[i]);
        return ok;
    case OB_FIELD_JSON:
        return ob__json_write(out, *(const ob_json *const *)member);
    default:
        return true;
    }
}

void ob__field_columns_fill(const ob_field_columns *fields, ob_table *table,
                            const ob_record *record, bool backward)
{
    ob_text text = {.data = NULL};
    for (size_t i = 0; i < fields->count; i++) {
        const ob_field *field = fields->items[i].fields[backward];
        if (!ob_record_has(record, field))
            continue;
        const void *member = ob_record_member(record, field);
        text.size = 0;
        if (is_number(field))
            ob_table_set_number(table, fields->items[i].column, number_of(member, field));
        else if (append_text(member, field, &text) && ob_text_append(&text, "", 1))
            ob_table_set_text(table, fields->items[i].column, text.data);
        else
            table->no_memory = true;
    }
    ob_text_fini(&text);
}
