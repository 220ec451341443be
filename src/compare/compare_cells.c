/* SPDX-License-Identifier: Apache-2.0
 *
 * The numbers of a column: how many digits it has, what a cell says, and how it stands against the best.
 */
#include "compare/compare_cells.h"

#include "base/text_append.h"
#include "measure/units.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* Differences below this are not believed when cells are coloured. */
static const double SLACK_S = 100e-9;
enum { SUFFIX_WIDTH = 7, MAX_DECIMALS = 40 };

static const ob_compare_cell *cell_at(const ob_compare_table *table, size_t row, size_t column)
{
    return &table->cells[row * table->column_count + column];
}

static bool has_warning(const ob_compare_cell *cell)
{
    return cell->stats != NULL && cell->stats->spread != OB_SPREAD_NARROW;
}

static ob_column_format column_format(const ob_compare_table *table, size_t column,
                                      const ob_compare_style *style)
{
    ob_column_format format = {.decimals = 1};
    int most_digits = INT_MIN, fewest_decimals = MAX_DECIMALS;
    for (size_t row = 0; row < table->row_count; row++) {
        const ob_compare_cell *cell = cell_at(table, row, column);
        if (cell->stats == NULL)
            continue;
        const double value = cell->stats->median / table->unit->scale;
        const int digits = (int)ceil(ob__log10_single(value));
        const int decimals = cell->stats->significant_figures - digits;
        most_digits = digits > most_digits ? digits : most_digits;
        fewest_decimals = decimals < fewest_decimals ? decimals : fewest_decimals;
        format.warns = format.warns || (style->highlight_warnings && has_warning(cell));
    }
    if (most_digits == INT_MIN)
        return format; /* nothing was measured */
    if (style->trim_significant_figures)
        format.decimals = fewest_decimals > 0 ? fewest_decimals : 0;
    /* Far below one unit the sum is negative, which the original's formatting reads as a sign and a width. */
    format.width = (size_t)abs(most_digits + format.decimals + (format.decimals > 0));
    return format;
}

ob_column_format *ob__column_formats(const ob_compare_table *table, const ob_compare_style *style)
{
    ob_column_format *formats = calloc(table->column_count + 1, sizeof *formats);
    for (size_t i = 0; formats != NULL && i < table->column_count; i++)
        formats[i] = column_format(table, i, style);
    return formats;
}

/* The suffix at the right end of its columns, or these columns empty. */
static bool append_suffix(ob_text *text, const ob_compare_cell *cell)
{
    ob_text suffix = {.data = NULL};
    bool ok = true;
    if (has_warning(cell))
        ok = ob_text_append_str(&suffix, " (! ") &&
             ob__text_append_fixed(&suffix, cell->stats->iqr / cell->stats->median * 100, 0, 0) &&
             ob_text_append_str(&suffix, "%)");
    ok = ok &&
         (suffix.size >= SUFFIX_WIDTH ||
          ob__text_append_fill(text, ' ', SUFFIX_WIDTH - suffix.size)) &&
         ob_text_append(text, suffix.data, suffix.size);
    ob_text_fini(&suffix);
    return ok;
}

bool ob__cell_append(ob_text *text, const ob_column_format *format, const ob_compare_table *table,
                     const ob_compare_cell *cell, const ob_compare_style *style)
{
    const size_t start = text->size;
    double value = cell->stats != NULL ? cell->stats->median / table->unit->scale : 1;
    if (cell->stats != NULL && style->trim_significant_figures)
        value = ob_trim_figures(value, cell->stats->significant_figures);
    if (!ob__text_append_fixed(text, value, format->width, format->decimals) ||
        (format->warns && !append_suffix(text, cell)))
        return false;
    if (cell->stats == NULL)
        memset(text->data + start, ' ', text->size - start);
    return true;
}

bool ob__note_append(ob_text *text, const ob_compare_table *table, const ob_compare_style *style)
{
    return ob_text_printf(text, "Times are in %ss (%s).\n", table->unit->english,
                          table->unit->symbol) &&
           (!style->highlight_warnings || !table->has_warnings ||
            ob_text_append_str(text, "(! XX%) Measurement has high variance, where XX is the IQR / "
                                     "median * 100.\n"));
}

/* ---- marks ---- */

static ob_mark judge(double value, double best)
{
    if (value <= best * 1.01 || value <= best + SLACK_S)
        return OB_MARK_BEST;
    if (value <= best * 1.1)
        return OB_MARK_GOOD;
    if (value >= best * 5)
        return OB_MARK_VERY_BAD;
    return value >= best * 2 ? OB_MARK_BAD : OB_MARK_NONE;
}

/* Which of the `best` numbers a cell is set against. */
static size_t best_index(const ob_compare_table *table, ob_colorize colorize, size_t row,
                         size_t column)
{
    return colorize == OB_COLORIZE_ROWWISE ? row
                                           : table->rows[row].group * table->column_count + column;
}

ob_mark *ob__marks_make(const ob_compare_table *table, ob_colorize colorize)
{
    /* Groups are at most as many as rows. */
    const size_t count = table->row_count * table->column_count;
    ob_mark *marks = calloc(count + 1, sizeof *marks);
    double *best = calloc(count + 1, sizeof *best);
    if (best == NULL || marks == NULL) {
        free(best);
        free(marks);
        return NULL;
    }
    if (colorize == OB_COLORIZE_NONE) {
        free(best);
        return marks;
    }
    for (size_t i = 0; i < count; i++)
        best[i] = INFINITY;
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < count; i++) {
            const size_t row = i / table->column_count, column = i % table->column_count;
            if (table->cells[i].stats == NULL)
                continue;
            double *other = &best[best_index(table, colorize, row, column)];
            if (pass == 0)
                *other = fmin(*other, table->cells[i].stats->median);
            else
                marks[i] = judge(table->cells[i].stats->median, *other);
        }
    free(best);
    return marks;
}
