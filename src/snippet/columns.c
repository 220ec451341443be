/* SPDX-License-Identifier: Apache-2.0
 *
 * Statements side by side: Python in the first 40 columns, C++ behind a bar.
 *
 *     Python                                   | C++
 *     ---------------------------------------- | ----------------------------------------
 *     a = torch.relu(x)                        | auto a = torch::relu(x);
 *
 * Lines of Python keep their padding, as in the original; of the line of dashes either half will do.
 */
#include "snippet/lines.h"
#include "snippet/suite_int.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMN = 40, MIN_LINES = 3 };

/* Where the character with this number begins; NULL when the line is shorter. */
static const char *character(const char *line, size_t number)
{
    for (; number > 0; number--) {
        if (*line == '\0')
            return NULL;
        line++;
        while (((unsigned char)*line & 0xC0) == 0x80)
            line++;
    }
    return line;
}

static bool all_blank(const char *text)
{
    return text[strspn(text, " \t\r\v\f")] == '\0';
}

static bool is_heading(const char *line)
{
    if (strncmp(line, "Python", 6) != 0)
        return false;
    const char *bar = line + 6;
    size_t blanks = 0;
    for (; isspace((unsigned char)*bar); bar++)
        blanks++;
    return blanks == COLUMN + 1 - 6 && strncmp(bar, "| C++", 5) == 0 && all_blank(bar + 5);
}

static bool is_separator(const char *line)
{
    const size_t length = strlen(line), dashes = strspn(line, "-");
    if (dashes == COLUMN && line[COLUMN] == ' ')
        return true;
    return length > COLUMN && line[length - COLUMN - 1] == ' ' &&
           strspn(line + length - COLUMN, "-") == COLUMN;
}

/* Splits "<40 characters> |" with or without " code" behind it. */
static bool split_line(ob_arena *arena, const char *line, const char **python, const char **cpp)
{
    const char *bar = character(line, COLUMN);
    if (bar == NULL || strncmp(bar, " |", 2) != 0 || (bar[2] != '\0' && bar[2] != ' '))
        return false;
    *python = ob__arena_strdup(arena, line, (size_t)(bar - line));
    *cpp = ob__arena_strdup(arena, bar + 2 + (bar[2] == ' '), strlen(bar + 2 + (bar[2] == ' ')));
    return true;
}

static ob_status split_lines(ob_arena *arena, const char **lines, size_t count, const char **python,
                             const char **cpp, ob_err *err)
{
    if (count < MIN_LINES)
        return ob_err_set(
            err, OB_ERR_CONFIG,
            "statements in columns need a heading, a line of dashes and at least one line of code");
    if (!is_heading(lines[0]))
        return ob_err_set(err, OB_ERR_CONFIG,
                          "Column header `%s` does not match pattern "
                          "`^Python\\s{35}\\| C\\+\\+(\\s*)$`",
                          lines[0]);
    if (!is_separator(lines[1]))
        return ob_err_set(err, OB_ERR_CONFIG,
                          "`%s` is not a line of 40 dashes, \" | \" and 40 dashes", lines[1]);
    const char **left = ob__arena_alloc_array(arena, count, sizeof *left);
    const char **right = ob__arena_alloc_array(arena, count, sizeof *right);
    if (left == NULL || right == NULL)
        return ob__snippet_no_memory(err);
    for (size_t i = 2; i < count; i++) {
        if (!split_line(arena, lines[i], &left[i - 2], &right[i - 2]))
            return ob_err_set(err, OB_ERR_CONFIG, "Invalid line `%s`", lines[i]);
        if (left[i - 2] == NULL || right[i - 2] == NULL)
            return ob__snippet_no_memory(err);
    }
    left[count - 2] = right[count - 2] = NULL;
    *python = ob__join(arena, "\n", left);
    *cpp = ob__join(arena, "\n", right);
    return *python != NULL && *cpp != NULL ? OB_OK : ob__snippet_no_memory(err);
}

ob_status ob__stmts_parse(ob_arena *arena, const char *text, const char **python, const char **cpp,
                          ob_err *err)
{
    const char *dedented = ob__dedent(arena, text);
    const char *at = dedented == NULL ? NULL : ob__strip(arena, dedented);
    if (at == NULL)
        return ob__snippet_no_memory(err);
    const size_t most = strlen(at) + 1;
    const char **lines = ob__arena_alloc_array(arena, most, sizeof *lines);
    size_t count = 0;
    if (lines == NULL)
        return ob__snippet_no_memory(err);
    while (at != NULL && *at != '\0')
        if (!ob__take_line(arena, &at, &lines[count++]))
            return ob__snippet_no_memory(err);
    return split_lines(arena, lines, count, python, cpp, err);
}

ob_status ob_stmts_parse(const char *text, char **python, char **cpp, ob_err *err)
{
    ob_arena arena;
    const char *left = NULL, *right = NULL;
    *python = *cpp = NULL;
    ob__arena_init(&arena, 0);
    ob_status status = ob__stmts_parse(&arena, text, &left, &right, err);
    if (status == OB_OK && left != NULL && right != NULL) {
        *python = strdup(left);
        *cpp = strdup(right);
        if (*python == NULL || *cpp == NULL) {
            free(*python);
            free(*cpp);
            *python = *cpp = NULL;
            status = ob__snippet_no_memory(err);
        }
    }
    ob__arena_fini(&arena);
    return status;
}
