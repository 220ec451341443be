/* SPDX-License-Identifier: Apache-2.0
 *
 * A backend that lacks an operator says so below every row of it. From three equal notes on they stand once, below the
 * table.
 */
#include "report/table_model.h"
#include "report/text_index.h"

#include <stdlib.h>

enum { LEAST = 3 };

static void add_line(ob_table *table, const char *note, size_t count)
{
    ob_text line = {.data = NULL};
    if (ob_text_printf(&line, "%zu cases: ", count) && ob_text_append_str(&line, note) &&
        ob_text_append(&line, "", 1))
        ob_table_add_line(table, line.data);
    else
        table->no_memory = true;
    ob_text_fini(&line);
}

static size_t count_notes(const ob_table *table)
{
    size_t count = 0;
    for (size_t i = 0; i < table->row_count; i++)
        for (const ob_row_note *note = table->rows[i].notes; note != NULL; note = note->next)
            count++;
    return count;
}

void ob__table_fold_notes(ob_table *table)
{
    ob_text_index notes = {.texts = NULL};
    size_t *counts = calloc(count_notes(table) + 1, sizeof *counts);
    bool ok = counts != NULL;
    for (size_t i = 0; ok && i < table->row_count; i++)
        for (const ob_row_note *note = table->rows[i].notes; ok && note != NULL;
             note = note->next) {
            const size_t known = ob__text_index_find(&notes, note->text);
            ok = known != OB_NO_TEXT || ob__text_index_add(&notes, note->text);
            if (ok)
                counts[known != OB_NO_TEXT ? known : notes.count - 1]++;
        }
    for (size_t i = 0; ok && i < table->row_count; i++)
        for (ob_row_note **at = &table->rows[i].notes; *at != NULL;) {
            if (counts[ob__text_index_find(&notes, (*at)->text)] >= LEAST)
                *at = (*at)->next;
            else
                at = &(*at)->next;
        }
    for (size_t n = 0; ok && n < notes.count; n++)
        if (counts[n] >= LEAST)
            add_line(table, notes.texts[n], counts[n]);
    table->no_memory = table->no_memory || !ok;
    ob__text_index_fini(&notes);
    free(counts);
}
