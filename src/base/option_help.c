/* SPDX-License-Identifier: Apache-2.0
 *
 * The help block of option rows:
 *
 *   -c, --config FILE   Help text, wrapped at 80 columns, continued in the
 *                       same column.
 *       --count         ...
 *
 * The column is that of the widest option, up to a limit; a wider one has its text on the next
 * line.
 */
#include "opbench/option.h"

#include <stdio.h>
#include <string.h>

enum {
    WIDTH = 80,
    MAX_COLUMN = 32, /* of the help text */
    GAP = 2,         /* between option and text, at least */
    LEFT_SIZE = 160,
};

/* Output that counts what does not fit, like snprintf. */
typedef struct sink {
    char *out;
    size_t size;
    size_t length;
} sink;

static void put(sink *s, const char *bytes, size_t count)
{
    if (s->length < s->size) {
        const size_t room = s->size - s->length;
        memcpy(s->out + s->length, bytes, count < room ? count : room);
    }
    s->length += count;
}

static void put_blanks(sink *s, size_t count)
{
    while (count-- > 0)
        put(s, " ", 1);
}

/* Characters, not bytes: continuation bytes of UTF-8 take no column. */
static size_t columns(const char *text, size_t count)
{
    size_t result = 0;
    for (size_t i = 0; i < count; i++)
        result += ((unsigned char)text[i] & 0xc0u) != 0x80u;
    return result;
}

static size_t format_left(const ob_option *row, char *out)
{
    const char letter[] = {'-', row->letter, ',', ' ', '\0'};
    const char *value = row->value ? row->value : row->choices;
    if (row->type == OB_OPTION_FLAG || value == NULL)
        value = "";
    const int n = snprintf(out, LEFT_SIZE, "  %s--%s%s%s", row->letter ? letter : "    ", row->name,
                           value[0] ? " " : "", value);
    return n < LEFT_SIZE ? (size_t)n : LEFT_SIZE - 1;
}

static size_t text_column(const ob_option *rows)
{
    char left[LEFT_SIZE];
    size_t column = 0;
    for (const ob_option *row = rows; row->name != NULL; row++) {
        const size_t width = columns(left, format_left(row, left)) + GAP;
        if (width <= MAX_COLUMN && width > column)
            column = width;
    }
    return column > 0 ? column : MAX_COLUMN;
}

/* Words of text behind what is already on the line; returns the column reached. */
static size_t put_wrapped(sink *s, const char *text, size_t column, size_t at)
{
    for (const char *word = text; *word != '\0';) {
        if (*word == ' ') {
            word++;
            continue;
        }
        const size_t bytes = strcspn(word, " ");
        const size_t width = columns(word, bytes);
        if (at > column && at + 1 + width > WIDTH) {
            put(s, "\n", 1);
            put_blanks(s, column);
            at = column;
        } else if (at > column) {
            put(s, " ", 1);
            at++;
        }
        put(s, word, bytes);
        at += width;
        word += bytes;
    }
    return at;
}

static void put_row(sink *s, const ob_option *row, size_t column)
{
    char left[LEFT_SIZE];
    const size_t bytes = format_left(row, left);
    const size_t width = columns(left, bytes);
    put(s, left, bytes);
    if (row->help == NULL && row->choices == NULL) {
        put(s, "\n", 1);
        return;
    }
    if (width + GAP > column) {
        put(s, "\n", 1);
        put_blanks(s, column);
    } else {
        put_blanks(s, column - width);
    }
    const size_t at = put_wrapped(s, row->help ? row->help : "", column, column);
    if (row->choices && row->value) { /* the placeholder hides them */
        char choices[LEFT_SIZE];
        snprintf(choices, sizeof choices, "(%s)", row->choices);
        put_wrapped(s, choices, column, at);
    }
    put(s, "\n", 1);
}

size_t ob_options_help(const ob_option *rows, char *out, size_t size)
{
    sink s = {.out = out, .size = size};
    const size_t column = text_column(rows);
    for (const ob_option *row = rows; row->name != NULL; row++)
        put_row(&s, row, column);
    if (size > 0)
        out[s.length < size ? s.length : size - 1] = '\0';
    return s.length;
}
