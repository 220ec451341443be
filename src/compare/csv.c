/* SPDX-License-Identifier: Apache-2.0
 *
 * A comparison as CSV (RFC 4180, lines end in a newline alone): one heading for all tables, with every
 * description that any of them has, so that the file is one rectangle. Numbers are medians in the
 * row's unit, all digits unless they are trimmed.
 */
#include "base/utf8.h"
#include "compare/grid.h"
#include "compare/names.h"
#include "measure/unique.h"

#include <inttypes.h>
#include <stdlib.h>

/* Columns of all tables. */
typedef struct columns {
    const char **names; /* of each table's, one table behind the other */
    size_t count;
    ob_unique unique;
} columns;

static bool append_field(ob_text *text, const char *field)
{
    ob_text repaired = {.data = NULL};
    bool ok = ob__utf8_repair(&repaired, field, strlen(field));
    const bool quoted = strpbrk(field, ",\"\r\n") != NULL;
    ok = ok && (!quoted || ob__text_append(text, "\"", 1));
    for (size_t i = 0; ok && i < repaired.size; i++)
        ok = (repaired.data[i] != '"' || ob__text_append(text, "\"", 1)) &&
             ob__text_append(text, &repaired.data[i], 1);
    ob_text_fini(&repaired);
    return ok && (!quoted || ob__text_append(text, "\"", 1));
}

static int compare_names(const void *a, const void *b)
{
    return ob__text_compare(a, b);
}

static ob_status gather_columns(const ob_compare *compare, columns *out, ob_err *err)
{
    size_t count = 0;
    for (size_t t = 0; t < ob_compare_table_count(compare); t++)
        count += ob_compare_get_table(compare, t)->column_count;
    out->names = calloc(count + 1, sizeof *out->names);
    if (out->names == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the columns of a CSV table");
    for (size_t t = 0; t < ob_compare_table_count(compare); t++) {
        const ob_compare_table *table = ob_compare_get_table(compare, t);
        for (size_t i = 0; i < table->column_count; i++)
            out->names[out->count++] = table->columns[i];
    }
    const ob_status status =
        ob__unique_init(&out->unique, (const void *const *)out->names, count, compare_names, err);
    if (status != OB_OK)
        free((void *)out->names);
    return status;
}

/* A table on its way into the file. */
typedef struct writing {
    const ob_compare_table *table;
    const ob_compare_style *style;
    const ob_column_format *formats;
    const size_t
        *places;         /* [column of the file] = column of the table, plus one; 0 = it has none */
    size_t column_count; /* of the file */
} writing;

static bool append_number(ob_text *text, const writing *w, size_t row, size_t column)
{
    const ob_compare_cell *cell = &w->table->cells[row * w->table->column_count + column];
    if (cell->stats == NULL)
        return true;
    if (w->style->trim_significant_figures) {
        const ob_column_format format = {.decimals = w->formats[column].decimals};
        return ob__cell_append(text, &format, w->table, cell, w->style);
    }
    return ob__text_append_real(text, cell->stats->median / w->table->unit->scale);
}

static bool append_row(ob_text *text, const writing *w, size_t row)
{
    const ob_compare_row *r = &w->table->rows[row];
    bool ok = append_field(text, ob__or_empty(w->table->label)) &&
              ob__text_printf(text, ",%" PRId64 ",", r->num_threads) &&
              append_field(text, ob__or_empty(r->env)) && ob__text_append(text, ",", 1) &&
              append_field(text, r->name) && ob__text_printf(text, ",%s", w->table->unit->symbol);
    for (size_t i = 0; ok && i < w->column_count; i++)
        ok = ob__text_append(text, ",", 1) &&
             (w->places[i] == 0 || append_number(text, w, row, w->places[i] - 1));
    return ok && ob__text_append(text, "\n", 1);
}

static bool append_table(ob_text *text, const ob_compare_table *table,
                         const ob_compare_style *style, const size_t *places, size_t column_count)
{
    ob_column_format *formats = ob__column_formats(table, style);
    const writing w = {.table = table,
                       .style = style,
                       .formats = formats,
                       .places = places,
                       .column_count = column_count};
    bool ok = formats != NULL;
    for (size_t row = 0; ok && row < table->row_count; row++)
        ok = append_row(text, &w, row);
    free(formats);
    return ok;
}

static bool append_all(ob_text *text, const ob_compare *compare, const ob_compare_style *style,
                       const columns *all)
{
    const size_t count = all->unique.count;
    size_t *places = calloc(count + 1, sizeof *places);
    bool ok = places != NULL && ob__text_append_str(text, "label,num_threads,env,name,unit");
    for (size_t i = 0; ok && i < count; i++)
        ok = ob__text_append(text, ",", 1) &&
             append_field(text, ob__or_empty(all->names[all->unique.firsts[i]]));
    ok = ok && ob__text_append(text, "\n", 1);
    for (size_t t = 0, base = 0; ok && t < ob_compare_table_count(compare); t++) {
        const ob_compare_table *table = ob_compare_get_table(compare, t);
        memset(places, 0, count * sizeof *places);
        for (size_t i = 0; i < table->column_count; i++)
            places[all->unique.numbers[base + i]] = i + 1;
        base += table->column_count;
        ok = append_table(text, table, style, places, count);
    }
    free(places);
    return ok;
}

ob_status ob__csv_print(const ob_compare *compare, const ob_compare_style *style, ob_text *text,
                        ob_err *err)
{
    columns all = {.names = NULL};
    OB_TRY(gather_columns(compare, &all, err));
    const bool ok = append_all(text, compare, style, &all);
    ob__unique_fini(&all.unique);
    free((void *)all.names);
    return ok ? OB_OK : ob_err_set(err, OB_ERR_NOMEM, "out of memory for a CSV table");
}
