/* SPDX-License-Identifier: Apache-2.0
 *
 * A comparison as JSON: the tables with all figures of each cell in seconds, and the text that the cell
 * has in the other forms. One line.
 */
#include "base/json_node.h"
#include "compare/compare_cells.h"

#include <inttypes.h>
#include <stdlib.h>

static bool append_string(ob_text *text, const char *from)
{
    return from != NULL ? ob__json_write_any(text, from, strlen(from))
                        : ob_text_append_str(text, "null");
}

static bool append_real(ob_text *text, const char *key, double value)
{
    return ob_text_append_str(text, key) && ob__text_append_real(text, value);
}

/* A table on its way into the text. */
typedef struct writing {
    const ob_compare_table *table;
    const ob_compare_style *style;
    const ob_column_format *formats;
} writing;

static bool append_cell(ob_text *text, const writing *w, size_t row, size_t column)
{
    const ob_compare_cell *cell = &w->table->cells[row * w->table->column_count + column];
    const ob_measurement_stats *s = cell->stats;
    if (s == NULL)
        return ob_text_append_str(text, "null");
    const bool warns = s->spread != OB_SPREAD_NARROW;
    const ob_column_format format = {.decimals = w->formats[column].decimals,
                                     .warns = w->formats[column].warns && warns};
    return ob_text_append_str(text, "{\"text\": \"") &&
           ob__cell_append(text, &format, w->table, cell, w->style) &&
           append_real(text, "\", \"median\": ", s->median) &&
           append_real(text, ", \"mean\": ", s->mean) && append_real(text, ", \"p25\": ", s->p25) &&
           append_real(text, ", \"p75\": ", s->p75) && append_real(text, ", \"iqr\": ", s->iqr) &&
           ob_text_printf(text,
                          ", \"samples\": %zu, \"significant_figures\": %d, \"has_warnings\": %s}",
                          s->count, s->significant_figures, warns ? "true" : "false");
}

static bool append_row(ob_text *text, const writing *w, size_t row)
{
    const ob_compare_row *r = &w->table->rows[row];
    bool ok = ob_text_printf(text, "{\"num_threads\": %" PRId64 ", \"env\": ", r->num_threads) &&
              append_string(text, r->env) && ob_text_append_str(text, ", \"name\": ") &&
              append_string(text, r->name) && ob_text_append_str(text, ", \"cells\": [");
    for (size_t i = 0; ok && i < w->table->column_count; i++)
        ok = (i == 0 || ob_text_append(text, ", ", 2)) && append_cell(text, w, row, i);
    return ok && ob_text_append_str(text, "]}");
}

static bool append_table(ob_text *text, const ob_compare_table *table,
                         const ob_compare_style *style)
{
    ob_column_format *formats = ob__column_formats(table, style);
    const writing w = {.table = table, .style = style, .formats = formats};
    bool ok = formats != NULL && ob_text_append_str(text, "{\"label\": ") &&
              append_string(text, table->label) &&
              ob_text_printf(text, ", \"unit\": \"%s\", \"columns\": [", table->unit->symbol);
    for (size_t i = 0; ok && i < table->column_count; i++)
        ok = (i == 0 || ob_text_append(text, ", ", 2)) && append_string(text, table->columns[i]);
    ok = ok && ob_text_append_str(text, "], \"rows\": [");
    for (size_t i = 0; ok && i < table->row_count; i++)
        ok = (i == 0 || ob_text_append(text, ", ", 2)) && append_row(text, &w, i);
    free(formats);
    return ok && ob_text_append_str(text, "]}");
}

ob_status ob__json_tables_print(const ob_compare *compare, const ob_compare_style *style,
                                ob_text *text, ob_err *err)
{
    bool ok = ob_text_append(text, "[", 1);
    for (size_t i = 0; ok && i < ob_compare_table_count(compare); i++)
        ok = (i == 0 || ob_text_append(text, ", ", 2)) &&
             append_table(text, ob_compare_table_at(compare, i), style);
    return ok && ob_text_append(text, "]\n", 2)
               ? OB_OK
               : ob_err_set(err, OB_ERR_NOMEM, "out of memory for a table as JSON");
}
