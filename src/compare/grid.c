/* SPDX-License-Identifier: Apache-2.0
 *
 * The layout of text tables. Widths count code points; a byte that is not UTF-8 counts as one and is
 * printed as U+FFFD.
 */
#include "compare/grid.h"

#include "base/utf8.h"
#include "compare/names.h"

#include <inttypes.h>
#include <stdlib.h>

static const char BETWEEN[] = "  |  ";
static const size_t MAX_TABLE_BYTES = (size_t)1 << 30;

static const char *const ESCAPES[] = {
#define ESCAPE(id, escape) [OB_MARK_##id] = escape,
    OB_MARK_MAP(ESCAPE)
#undef ESCAPE
};
static const char RESET_TWICE[] = "\033[0m\033[0m";

/* ---- from a comparison ---- */

/* The scratch's bytes as a text of the arena; empties scratch. NULL when memory is out. */
static const char *keep(ob_arena *arena, ob_text *scratch)
{
    const char *text =
        ob__arena_strdup(arena, scratch->size > 0 ? scratch->data : "", scratch->size);
    scratch->size = 0;
    return text;
}

static bool append_blanks_to(ob_text *text, size_t start, size_t width)
{
    const char *at = text->data + start, *end = text->data + text->size;
    size_t count = 0;
    for (; at < end; count++)
        ob__utf8_next(&at, end);
    return count >= width || ob__text_append_fill(text, ' ', width - count);
}

static size_t longest_env(const ob_compare_table *table)
{
    size_t longest = 0;
    for (size_t i = 0; table->has_envs && i < table->row_count; i++) {
        const size_t length = ob__utf8_count(ob__env_name(table->rows[i].env));
        longest = length > longest ? length : longest;
    }
    return longest;
}

static bool make_rows(const ob_compare_table *table, ob_arena *arena, ob_text *scratch,
                      ob_grid_row *rows)
{
    const size_t env_width = longest_env(table) + 4;
    for (size_t i = 0; i < table->row_count; i++) {
        const ob_compare_row *row = &table->rows[i];
        rows[i] = (ob_grid_row){.name = NULL};
        if (row->starts_group &&
            (!ob__text_printf(scratch, "%" PRId64 " threads: ", row->num_threads) ||
             (rows[i].separator = keep(arena, scratch)) == NULL))
            return false;
        if (!ob__text_append_str(scratch, "  ") ||
            (row->shows_env && !ob__text_printf(scratch, "(%s)", ob__env_name(row->env))) ||
            !append_blanks_to(scratch, 2, env_width) || !ob__text_append_str(scratch, row->name) ||
            (rows[i].name = keep(arena, scratch)) == NULL)
            return false;
    }
    return true;
}

static bool make_cells(const ob_compare_table *table, const ob_compare_style *style,
                       ob_arena *arena, ob_text *scratch, ob_grid_cell *cells)
{
    ob_column_format *formats = ob__column_formats(table, style);
    bool ok = formats != NULL;
    for (size_t i = 0; ok && i < table->row_count * table->column_count; i++)
        ok = ob__cell_append(scratch, &formats[i % table->column_count], table, &table->cells[i],
                             style) &&
             (cells[i].text = keep(arena, scratch)) != NULL;
    free(formats);
    return ok;
}

static bool fill(const ob_compare_table *table, const ob_compare_style *style, ob_arena *arena,
                 ob_grid *out)
{
    const size_t cell_count = table->row_count * table->column_count;
    const char **headers = ob__arena_alloc_array(arena, table->column_count, sizeof *headers);
    ob_grid_row *rows = ob__arena_alloc_array(arena, table->row_count, sizeof *rows);
    ob_grid_cell *cells = ob__arena_alloc_array(arena, cell_count, sizeof *cells);
    ob_mark *marks = calloc(cell_count, sizeof *marks);
    ob_text scratch = {.data = NULL};
    bool ok = headers != NULL && rows != NULL && cells != NULL && marks != NULL &&
              ob__marks_make(table, style->colorize, marks, NULL) == OB_OK &&
              make_rows(table, arena, &scratch, rows) &&
              make_cells(table, style, arena, &scratch, cells) &&
              ob__note_append(&scratch, table, style) &&
              (out->note = keep(arena, &scratch)) != NULL;
    for (size_t i = 0; ok && i < table->column_count; i++)
        headers[i] = ob__or_empty(table->columns[i]);
    for (size_t i = 0; ok && i < cell_count; i++)
        cells[i].mark = marks[i];
    free(marks);
    ob_text_fini(&scratch);
    out->title = ob__or_empty(table->label);
    out->headers = headers;
    out->rows = rows;
    out->cells = cells;
    return ok;
}

ob_status ob__grid_make(const ob_compare_table *table, const ob_compare_style *style,
                        ob_arena *arena, ob_grid *out, ob_err *err)
{
    *out = (ob_grid){.row_count = table->row_count, .column_count = table->column_count};
    return fill(table, style, arena, out)
               ? OB_OK
               : ob_err_set(err, OB_ERR_NOMEM,
                            "out of memory for a table of %zu rows and %zu columns",
                            table->row_count, table->column_count);
}

/* ---- to text ---- */

static bool append_repaired(ob_text *text, const char *from)
{
    return ob__utf8_repair(text, from, strlen(from));
}

/* Python's str.ljust and str.center. */
static bool append_left(ob_text *text, const char *from, size_t width, char with)
{
    const size_t length = ob__utf8_count(from);
    return append_repaired(text, from) &&
           (length >= width || ob__text_append_fill(text, with, width - length));
}

static bool append_centred(ob_text *text, const char *from, size_t width, char with)
{
    const size_t length = ob__utf8_count(from);
    const size_t pad = width > length ? width - length : 0;
    const size_t left = pad / 2 + (pad & width & 1);
    return ob__text_append_fill(text, with, left) && append_repaired(text, from) &&
           ob__text_append_fill(text, with, pad - left);
}

/* widths[0] is that of the names. Returns the width of a line. */
static size_t measure_widths(const ob_grid *grid, size_t *widths)
{
    size_t total = 0;
    widths[0] = 0;
    for (size_t row = 0; row < grid->row_count; row++) {
        const size_t width = ob__utf8_count(grid->rows[row].name);
        widths[0] = width > widths[0] ? width : widths[0];
    }
    total = widths[0];
    for (size_t column = 0; column < grid->column_count; column++) {
        size_t *width = &widths[column + 1];
        *width = ob__utf8_count(grid->headers[column]);
        for (size_t row = 0; row < grid->row_count; row++) {
            const char *cell = grid->cells[row * grid->column_count + column].text;
            const size_t length = ob__utf8_count(cell);
            *width = length > *width ? length : *width;
        }
        total += *width + strlen(BETWEEN);
    }
    return total;
}

static bool append_heading(ob_text *text, const ob_grid *grid, const size_t *widths, size_t total)
{
    ob_text title = {.data = NULL};
    bool ok = ob__text_printf(&title, " %s ", grid->title) && ob__text_append(&title, "", 1) &&
              ob__text_append(text, "[", 1) &&
              append_centred(text, title.data, total > 2 ? total - 2 : 0, '-') &&
              ob__text_append(text, "]\n", 2) && ob__text_append_fill(text, ' ', widths[0]);
    ob_text_fini(&title);
    for (size_t i = 0; ok && i < grid->column_count; i++)
        ok = ob__text_append_str(text, BETWEEN) &&
             append_centred(text, grid->headers[i], widths[i + 1], ' ');
    return ok && ob__text_append(text, "\n", 1);
}

static bool append_row(ob_text *text, const ob_grid *grid, size_t row, const size_t *widths,
                       size_t total)
{
    const ob_grid_row *r = &grid->rows[row];
    bool ok = (r->separator == NULL ||
               (append_left(text, r->separator, total, '-') && ob__text_append(text, "\n", 1))) &&
              append_left(text, r->name, widths[0], ' ');
    for (size_t i = 0; ok && i < grid->column_count; i++) {
        const ob_grid_cell *cell = &grid->cells[row * grid->column_count + i];
        const bool marked = cell->mark != OB_MARK_NONE;
        ok = ob__text_append_str(text, BETWEEN) && ob__text_append_str(text, ESCAPES[cell->mark]) &&
             append_centred(text, cell->text, widths[i + 1], ' ') &&
             (!marked || ob__text_append_str(text, RESET_TWICE));
    }
    return ok && ob__text_append(text, "\n", 1);
}

ob_status ob__grid_print(const ob_grid *grid, ob_text *text, ob_err *err)
{
    size_t *widths = calloc(grid->column_count + 1, sizeof *widths);
    bool ok = widths != NULL;
    if (ok) {
        const size_t total = measure_widths(grid, widths);
        if (total > MAX_TABLE_BYTES / (2 * grid->row_count + 2)) {
            free(widths);
            return ob_err_set(err, OB_ERR_LIMIT,
                              "the table would take more than 1 GiB: %zu rows of %zu characters; "
                              "shorten the labels, or compare fewer measurements",
                              grid->row_count, total);
        }
        ok = append_heading(text, grid, widths, total);
        for (size_t row = 0; ok && row < grid->row_count; row++)
            ok = append_row(text, grid, row, widths, total);
        ok = ok && ob__text_append(text, "\n", 1) && ob__text_append_str(text, grid->note);
    }
    free(widths);
    return ok ? OB_OK : ob_err_set(err, OB_ERR_NOMEM, "out of memory for the text of a table");
}
