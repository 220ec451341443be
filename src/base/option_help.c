/* SPDX-License-Identifier: Apache-2.0
 *
 * Texts about options. The help block of a group:
 *
 *   -c, --config FILE   Help text, wrapped at 80 columns, continued in the
 *                       same column.
 *       --count         ...
 *
 * The column is that of the widest option of the table, up to a limit; a wider one has its text on the next
 * line.
 */
#include "base/option_field.h"

#include "base/text_append.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum {
    WIDTH = 80,
    MAX_COLUMN = 32, /* of the help text */
    GAP = 2,         /* between option and text, at least */
    TITLE_SIZE = 192,
};

ob_placeholder ob__option_placeholder(const ob_option *row)
{
    ob_placeholder p = {.text = ""};
    if (row->type == OB_OPTION_FLAG)
        return p;
    const char *text = row->value     ? row->value
                       : row->choices ? row->choices
                       : row->unit    ? row->unit
                                      : "VALUE";
    snprintf(p.text, sizeof p.text, "%s", text);
    for (char *c = p.text; text == row->unit && *c != '\0'; c++)
        *c = (char)toupper((unsigned char)*c);
    return p;
}

size_t ob_option_format_title(const ob_option *row, char *out, size_t size)
{
    const char letter[] = {'-', row->letter, ',', ' ', '\0'};
    const ob_placeholder value = ob__option_placeholder(row);
    return (size_t)snprintf(out, size, "%s--%s%s%s", row->letter ? letter : "", row->name,
                            value.text[0] ? " " : "", value.text);
}

bool ob_option_append_help(const ob_option *row, ob_text *text)
{
    const char *usual = row->otherwise != NULL ? row->otherwise : row->initial;
    const bool has_unit = row->otherwise == NULL && row->unit != NULL;
    bool ok = ob_text_append_str(text, row->help != NULL ? row->help : "");
    if (row->choices != NULL && row->value != NULL) /* the placeholder hides them */
        ok = ok && ob_text_printf(text, " One of %s.", row->choices);
    if (row->refused != NULL)
        return ok && ob_text_printf(text, " Refused: %s.", row->refused);
    if (!ok || usual == NULL || !has_unit)
        return ok && (usual == NULL || ob_text_printf(text, " Default: %s.", usual));
    const size_t length = strlen(row->unit);
    const bool is_one = strcmp(usual, "1") == 0 && row->unit[length - 1] == 's';
    return ob_text_printf(text, " Default: %s %.*s.", usual, (int)(length - is_one), row->unit);
}

/* ---- blocks ---- */

static const char NO_GROUP[] = "Options";

static const char *group_of(const ob_option *row)
{
    return row->group != NULL ? row->group : NO_GROUP;
}

bool ob_option_is_in(const ob_option *row, const char *group)
{
    return row->help != NULL && strcmp(group_of(row), group) == 0;
}

/* A group begins where its first row stands. */
static bool begins_group(const ob_option *rows, const ob_option *row)
{
    while (rows != row && !ob_option_is_in(rows, group_of(row)))
        rows++;
    return rows == row && row->help != NULL;
}

const char *ob_options_next_group(const ob_option *rows, const char *group)
{
    bool found = group == NULL;
    for (const ob_option *row = rows; row->name != NULL; row++) {
        if (!begins_group(rows, row))
            continue;
        if (found)
            return group_of(row);
        found = strcmp(group_of(row), group) == 0;
    }
    return NULL;
}

/* "  -c, --config FILE", in one column whether there is a letter or not. */
static size_t format_left(const ob_option *row, char *out)
{
    char title[TITLE_SIZE];
    ob_option_format_title(row, title, sizeof title);
    snprintf(out, TITLE_SIZE + 8, "  %s%s", row->letter ? "" : "    ", title);
    return strlen(out);
}

static size_t find_column(const ob_option *rows)
{
    char left[TITLE_SIZE + 8];
    size_t column = 0;
    for (const ob_option *row = rows; row->name != NULL; row++) {
        const size_t width = format_left(row, left) + GAP;
        if (row->help != NULL && width <= MAX_COLUMN && width > column)
            column = width;
    }
    return column > 0 ? column : MAX_COLUMN;
}

static bool append_row(const ob_option *row, size_t column, ob_text *text)
{
    char left[TITLE_SIZE + 8];
    ob_text help = {0};
    const size_t width = format_left(row, left);
    const bool below = width + GAP > column;
    const ob_wrap how = {.column = below ? 0 : width, .indent = column, .width = WIDTH};
    const bool ok = ob_text_append(text, left, width) &&
                    (!below || ob_text_append(text, "\n", 1)) &&
                    ob_option_append_help(row, &help) && ob_text_append(&help, "", 1) &&
                    ob_text_append_wrapped(text, help.data, &how);
    ob_text_fini(&help);
    return ok;
}

bool ob_options_append_help(const ob_option *rows, const char *group, ob_text *text)
{
    const size_t column = find_column(rows);
    for (const ob_option *row = rows; row->name != NULL; row++)
        if (ob_option_is_in(row, group) && !append_row(row, column, text))
            return false;
    return true;
}
