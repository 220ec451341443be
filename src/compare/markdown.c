/* SPDX-License-Identifier: Apache-2.0
 *
 * A table as Markdown. Thread count and environment are columns, because Markdown has no groups of rows; a
 * column that would be the same in every row is left out.
 */
#include "base/utf8.h"
#include "compare/grid.h"
#include "compare/names.h"

#include <inttypes.h>
#include <stdlib.h>

/* Characters that Markdown or HTML would read are written so that they show. */
static bool append_escaped(ob_text *text, const char *from)
{
    ob_text repaired = {.data = NULL};
    bool ok = ob__utf8_repair(&repaired, from, strlen(from));
    for (size_t i = 0; ok && i < repaired.size; i++) {
        const char c = repaired.data[i];
        if (c == '\r')
            continue;
        ok = c == '\n'  ? ob__text_append_str(text, "<br>")
             : c == '<' ? ob__text_append_str(text, "&lt;")
             : c == '&' ? ob__text_append_str(text, "&amp;")
             : c != '\0' && strchr("|\\`*_[]", c) != NULL
                 ? ob__text_append(text, "\\", 1) && ob__text_append(text, &c, 1)
                 : ob__text_append(text, &c, 1);
    }
    ob_text_fini(&repaired);
    return ok;
}

static bool append_column(ob_text *text, const char *name)
{
    return ob__text_append(text, " ", 1) && append_escaped(text, name) &&
           ob__text_append(text, " |", 2);
}

static bool append_heading(ob_text *text, const ob_compare_table *table, bool threads)
{
    bool ok = (table->label == NULL || table->label[0] == '\0' ||
               (ob__text_append_str(text, "### ") && append_escaped(text, table->label) &&
                ob__text_append_str(text, "\n\n"))) &&
              ob__text_append(text, "|", 1) && (!threads || append_column(text, "threads")) &&
              (!table->has_envs || append_column(text, "env")) && append_column(text, "");
    for (size_t i = 0; ok && i < table->column_count; i++)
        ok = append_column(text, ob__or_empty(table->columns[i]));
    ok = ok && ob__text_append(text, "\n|", 2) &&
         (!threads || ob__text_append_str(text, "---:|")) &&
         (!table->has_envs || ob__text_append_str(text, "---|")) &&
         ob__text_append_str(text, "---|");
    for (size_t i = 0; ok && i < table->column_count; i++)
        ok = ob__text_append_str(text, "---:|");
    return ok && ob__text_append(text, "\n", 1);
}

/* Without the blanks that place it in a text table. */
static bool append_cell(ob_text *text, const ob_grid_cell *cell)
{
    const char *start = cell->text + strspn(cell->text, " ");
    size_t length = strlen(start);
    while (length > 0 && start[length - 1] == ' ')
        length--;
    const char *bold = cell->mark == OB_MARK_BEST && length > 0 ? "**" : "";
    return ob__text_printf(text, " %s%.*s%s |", bold, (int)length, start, bold);
}

static bool append_rows(ob_text *text, const ob_compare_table *table, const ob_grid *grid,
                        bool threads)
{
    bool ok = true;
    for (size_t row = 0; ok && row < table->row_count; row++) {
        const ob_compare_row *r = &table->rows[row];
        ok = ob__text_append(text, "|", 1) &&
             (!threads || ob__text_printf(text, " %" PRId64 " |", r->num_threads)) &&
             (!table->has_envs || append_column(text, ob__env_name(r->env))) &&
             append_column(text, r->name);
        for (size_t i = 0; ok && i < table->column_count; i++)
            ok = append_cell(text, &grid->cells[row * table->column_count + i]);
        ok = ok && ob__text_append(text, "\n", 1);
    }
    return ok;
}

ob_status ob__markdown_print(const ob_compare_table *table, const ob_compare_style *style,
                             ob_text *text, ob_err *err)
{
    const bool threads =
        table->rows[table->row_count - 1].group > 0 || table->rows[0].num_threads != 1;
    ob_arena arena;
    ob_grid grid;
    ob__arena_init(&arena, 0);
    ob_status status = ob__grid_make(table, style, &arena, &grid, err);
    if (status == OB_OK &&
        !(append_heading(text, table, threads) && append_rows(text, table, &grid, threads) &&
          ob__text_append(text, "\n", 1) && ob__note_append(text, table, style)))
        status = ob_err_set(err, OB_ERR_NOMEM, "out of memory for a Markdown table");
    ob__arena_fini(&arena);
    return status;
}
