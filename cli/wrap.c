/* SPDX-License-Identifier: Apache-2.0
 *
 * Texts broken at their blanks, for help and tables.
 */
#include "command.h"

#include <string.h>

void ob__cli_print_wrapped(ob_cli *cli, const char *text, const ob_cli_wrap *how)
{
    size_t column = how->column;
    bool first = true; /* on its line */
    while (*text != '\0') {
        if (*text == '\n') {
            ob__cli_write(cli, "\n", 1);
            column = 0;
            first = true;
            text++;
            continue;
        }
        const size_t length = strcspn(text, " \n");
        if (!first && column + 1 + length > how->width) {
            ob__cli_write(cli, "\n", 1);
            column = 0;
            first = true;
        }
        if (column < how->indent) {
            ob__cli_printf(cli, "%*s", (int)(how->indent - column), "");
            column = how->indent;
        }
        ob__cli_printf(cli, "%s%.*s", first ? "" : " ", (int)length, text);
        column += length + (first ? 0 : 1);
        first = false;
        text += length;
        text += strspn(text, " ");
    }
    ob__cli_write(cli, "\n", 1);
}
