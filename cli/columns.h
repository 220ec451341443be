/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tables of `opbench run` share: columns of one width, for a terminal or as Markdown, and the
 * texts and figures of csv.
 */
#ifndef OB_CLI_COLUMNS_H
#define OB_CLI_COLUMNS_H

#include "command.h"

typedef struct ob_columns {
    const char *const *titles;
    size_t columns, text_columns; /* the first are texts, the others figures */
    size_t rows;
    const char *(*cell)(const void *ctx, size_t row, size_t column);
    /* Below the row on a terminal; it or its text may be NULL. Lines are separated by "\n". */
    const char *(*note)(const void *ctx, size_t row);
    const void *ctx;
} ob_columns;

enum { OB_MOST_COLUMNS = 40 };

/* columns <= OB_MOST_COLUMNS */
bool ob__columns_print(ob_cli *cli, const ob_columns *grid, bool markdown);

/* How many columns a text takes on the screen: characters of UTF-8, not bytes. */
size_t ob__columns_width(const char *text);

/* Four significant digits with the unit that suits; "-" for NaN. */
void ob__time_text(double ns, char *out, size_t size);

/* RFC 4180: quotes around everything that is not plain. */
bool ob__csv_text(ob_cli *cli, const char *text);
/* The fewest digits that read back as the same number; nothing for NaN. */
bool ob__csv_figure(ob_cli *cli, double value);
/* Times are known to the picosecond. */
bool ob__csv_time(ob_cli *cli, double ns);

#endif
