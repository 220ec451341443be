/* SPDX-License-Identifier: Apache-2.0
 *
 * Printing cells in columns.
 */
#include "columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void ob__time_text(double ns, char *out, size_t size)
{
    static const struct {
        double ns;
        const char *unit;
    } UNITS[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {0, "ns"}};
    if (isnan(ns)) {
        snprintf(out, size, "-");
        return;
    }
    size_t u = 0;
    while (fabs(ns) < UNITS[u].ns)
        u++;
    snprintf(out, size, "%.4g %s", UNITS[u].ns > 0 ? ns / UNITS[u].ns : ns, UNITS[u].unit);
}

/* Code points: what a terminal shows of plain text. */
size_t ob__columns_width(const char *text)
{
    size_t count = 0;
    for (; *text != '\0'; text++)
        count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

/* A bar would end a cell of Markdown. */
static void escape_bars(const char *text, char *out, size_t size)
{
    size_t at = 0;
    for (; *text != '\0' && at + 3 < size; text++) {
        if (*text == '|')
            out[at++] = '\\';
        out[at++] = *text;
    }
    out[at] = '\0';
}

static bool print_cell(ob_cli *cli, const char *text, size_t wide, bool left)
{
    const size_t shown = ob__columns_width(text);
    const int pad = wide > shown ? (int)(wide - shown) : 0;
    return left ? ob__cli_printf(cli, "%s%*s", text, pad, "")
                : ob__cli_printf(cli, "%*s%s", pad, "", text);
}

/* row beyond the last: the titles. */
static const char *text_at(const ob_columns *grid, size_t row, size_t column)
{
    return row < grid->rows ? grid->cell(grid->ctx, row, column) : grid->titles[column];
}

static bool print_line(ob_cli *cli, const ob_columns *grid, size_t row, const size_t *wide,
                       bool markdown)
{
    bool ok = !markdown || ob__cli_printf(cli, "| ");
    for (size_t c = 0; ok && c < grid->columns; c++) {
        const char *text = text_at(grid, row, c);
        char escaped[512];
        escape_bars(text, escaped, sizeof escaped);
        ok = (c == 0 || ob__cli_printf(cli, markdown ? " | " : "  ")) &&
             print_cell(cli, markdown ? escaped : text, wide[c], c < grid->text_columns);
    }
    return ok && ob__cli_printf(cli, markdown ? " |\n" : "\n");
}

static bool print_rule(ob_cli *cli, const ob_columns *grid, const size_t *wide)
{
    bool ok = true;
    for (size_t c = 0; ok && c < grid->columns; c++) {
        ok = ob__cli_printf(cli, c == 0 ? "|" : "");
        for (size_t i = 0; ok && i < wide[c] + 1; i++)
            ok = ob__cli_write(cli, "-", 1);
        ok = ok && ob__cli_printf(cli, c < grid->text_columns ? "-|" : ":|");
    }
    return ok && ob__cli_printf(cli, "\n");
}

static bool print_note(ob_cli *cli, const ob_columns *grid, size_t row)
{
    const char *note = grid->note != NULL ? grid->note(grid->ctx, row) : NULL;
    bool ok = true;
    while (ok && note != NULL && *note != '\0') {
        const size_t length = strcspn(note, "\n");
        ok = ob__cli_printf(cli, "    %.*s\n", (int)length, note);
        note += length + (note[length] == '\n');
    }
    return ok;
}

bool ob__columns_print(ob_cli *cli, const ob_columns *grid, bool markdown)
{
    size_t wide[OB_MOST_COLUMNS] = {0};
    for (size_t c = 0; c < grid->columns; c++) {
        wide[c] = ob__columns_width(grid->titles[c]);
        for (size_t i = 0; i < grid->rows; i++) {
            const size_t w = ob__columns_width(grid->cell(grid->ctx, i, c));
            wide[c] = w > wide[c] ? w : wide[c];
        }
    }
    bool ok = print_line(cli, grid, grid->rows, wide, markdown) &&
              (!markdown || print_rule(cli, grid, wide));
    for (size_t i = 0; ok && i < grid->rows; i++)
        ok = print_line(cli, grid, i, wide, markdown) && (markdown || print_note(cli, grid, i));
    return ok;
}

/* ---- csv ---- */

bool ob__csv_text(ob_cli *cli, const char *text)
{
    if (text[strcspn(text, ",\"\n\r")] == '\0')
        return ob__cli_printf(cli, "%s", text);
    bool ok = ob__cli_printf(cli, "\"");
    for (; ok && *text != '\0'; text++)
        ok = *text == '"' ? ob__cli_printf(cli, "\"\"") : ob__cli_write(cli, text, 1);
    return ok && ob__cli_printf(cli, "\"");
}

bool ob__csv_figure(ob_cli *cli, double value)
{
    char text[32];
    if (isnan(value))
        return true;
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) >= value && strtod(text, NULL) <= value)
            break;
    }
    return ob__cli_printf(cli, "%s", text);
}

bool ob__csv_time(ob_cli *cli, double ns)
{
    return isnan(ns) || ob__cli_printf(cli, "%.15g", round(ns * 1e3) / 1e3);
}
