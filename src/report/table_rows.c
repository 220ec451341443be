/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows for programs: CSV (lines end in a newline alone) and JSON. What is not known is empty, or null.
 */
#include "report/table_model.h"

#include "base/json_node.h"

#include <stdlib.h>
#include <string.h>

bool ob__table_print_csv_head(const ob_table *table, ob_text *out)
{
    size_t count;
    size_t *shown = ob__table_shown(table, false, &count);
    bool ok = shown != NULL;
    for (size_t i = 0; ok && i < count; i++)
        ok = (i == 0 || ob_text_append(out, ",", 1)) &&
             ob__append_csv(out, table->columns[shown[i]].name);
    free(shown);
    return ok && ob_text_append(out, "\n", 1);
}

bool ob__table_print_csv_row(const ob_table *table, size_t row, ob_text *out)
{
    size_t count;
    size_t *shown = ob__table_shown(table, false, &count);
    bool ok = shown != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        const ob_cell *cell = ob__table_peek(table, row, shown[i]);
        ok = (i == 0 || ob_text_append(out, ",", 1)) &&
             (!isnan(cell->number) && cell->json == NULL
                  ? ob__number_append(cell->number, table->columns[shown[i]].hint, out)
                  : cell->text == NULL || ob__append_csv(out, cell->text));
    }
    free(shown);
    return ok && ob_text_append(out, "\n", 1);
}

/* A count is a whole number in JSON; the others read as reals. */
static bool append_value(const ob_cell *cell, ob_hint hint, ob_text *out)
{
    if (cell->json != NULL)
        return ob_text_append_str(out, cell->json);
    if (isfinite(cell->number))
        return ob__number_append(cell->number, hint == OB_HINT_COUNT ? hint : OB_HINT_REAL, out);
    return cell->text != NULL ? ob__json_write_any(out, cell->text, strlen(cell->text))
                              : ob_text_append_str(out, "null");
}

bool ob__table_print_json_row(const ob_table *table, size_t row, ob_text *out)
{
    size_t count;
    size_t *shown = ob__table_shown(table, false, &count);
    bool ok = shown != NULL && ob_text_append(out, "{", 1);
    for (size_t i = 0; ok && i < count; i++) {
        const ob_column *column = &table->columns[shown[i]];
        ok = (i == 0 || ob_text_append(out, ", ", 2)) &&
             ob__json_write_any(out, column->name, strlen(column->name)) &&
             ob_text_append(out, ": ", 2) &&
             append_value(ob__table_peek(table, row, shown[i]), column->hint, out);
    }
    free(shown);
    return ok && ob_text_append(out, "}", 1);
}

bool ob__table_is_uniform(const ob_table *table, size_t column)
{
    const char *first = table->row_count > 0 ? ob__table_peek(table, 0, column)->text : NULL;
    for (size_t i = 1; i < table->row_count; i++) {
        const char *text = ob__table_peek(table, i, column)->text;
        if (strcmp(text != NULL ? text : "", first != NULL ? first : "") != 0)
            return false;
    }
    return true;
}
