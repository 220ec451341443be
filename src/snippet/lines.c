/* SPDX-License-Identifier: Apache-2.0
 *
 * Python's textwrap.dedent, textwrap.indent, str.strip and str.splitlines for code, and
 * templates of it.
 */
#include "snippet/lines.h"

#include "base/text_append.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

/* Blanks that a line may begin with; only these two make a margin. */
static size_t margin_length(const char *line)
{
    return strspn(line, " \t");
}

/* A line of blanks up to its newline, or the end. */
static bool is_blank_line(const char *line)
{
    const char *c = line + margin_length(line);
    return *c == '\n' || *c == '\0';
}

static const char *next_line(const char *line)
{
    const char *newline = strchr(line, '\n');
    return newline == NULL ? NULL : newline + 1;
}

/* The longest start that the margins of all lines with text share. */
static size_t common_margin(const char *text, const char **margin)
{
    size_t length = 0;
    *margin = NULL;
    for (const char *line = text; line != NULL; line = next_line(line)) {
        if (is_blank_line(line))
            continue;
        const size_t own = margin_length(line);
        if (*margin == NULL) {
            *margin = line;
            length = own;
            continue;
        }
        size_t same = 0;
        while (same < length && same < own && (*margin)[same] == line[same])
            same++;
        length = same;
    }
    return length;
}

const char *ob__dedent(ob_arena *arena, const char *text)
{
    const char *margin;
    const size_t drop = common_margin(text, &margin);
    char *out = ob__arena_alloc(arena, strlen(text) + 1);
    if (out == NULL)
        return NULL;
    char *to = out;
    for (const char *line = text; line != NULL; line = next_line(line)) {
        const char *newline = strchr(line, '\n');
        if (!is_blank_line(line)) {
            const char *from = line + drop;
            const size_t length = newline == NULL ? strlen(from) : (size_t)(newline - from);
            memcpy(to, from, length);
            to += length;
        }
        if (newline != NULL)
            *to++ = '\n';
    }
    *to = '\0';
    return out;
}

const char *ob__indent(ob_arena *arena, const char *text, const char *prefix)
{
    const size_t prefix_length = strlen(prefix);
    size_t lines = 1;
    for (const char *c = text; *c != '\0'; c++)
        lines += *c == '\n';
    char *out = ob__arena_alloc(arena, strlen(text) + lines * prefix_length + 1);
    if (out == NULL)
        return NULL;
    char *to = out;
    for (const char *line = text; line != NULL && *line != '\0'; line = next_line(line)) {
        const char *end = strchr(line, '\n');
        const size_t length = end == NULL ? strlen(line) : (size_t)(end - line) + 1;
        bool has_text = false;
        for (size_t i = 0; i < length; i++)
            has_text = has_text || !is_blank(line[i]);
        if (has_text) {
            memcpy(to, prefix, prefix_length);
            to += prefix_length;
        }
        memcpy(to, line, length);
        to += length;
    }
    *to = '\0';
    return out;
}

const char *ob__strip(ob_arena *arena, const char *text)
{
    while (is_blank(*text))
        text++;
    size_t length = strlen(text);
    while (length > 0 && is_blank(text[length - 1]))
        length--;
    return ob__arena_strdup(arena, text, length);
}

const char *ob__join(ob_arena *arena, const char *between, const char *const *parts)
{
    size_t size = 1;
    for (size_t i = 0; parts[i] != NULL; i++)
        size += strlen(parts[i]) + strlen(between);
    char *out = ob__arena_alloc(arena, size);
    if (out == NULL)
        return NULL;
    char *to = out;
    *to = '\0';
    for (size_t i = 0; parts[i] != NULL; i++) {
        if (i > 0)
            to = stpcpy(to, between);
        to = stpcpy(to, parts[i]);
    }
    return out;
}

bool ob__take_line(ob_arena *arena, const char **at, const char **line)
{
    const size_t length = strcspn(*at, "\n\r\v\f");
    const char *end = *at + length;
    *line = ob__arena_strdup(arena, *at, length);
    if (*end == '\r' && end[1] == '\n')
        end++;
    *at = *end == '\0' || end[1] == '\0' ? NULL : end + 1;
    return *line != NULL;
}

/* The pair whose name stands at `at`, or NULL. */
static const char *const *pair_at(const char *at, const char *const *pairs)
{
    for (; *pairs != NULL; pairs += 2)
        if (strncmp(at, pairs[0], strlen(pairs[0])) == 0)
            return pairs;
    return NULL;
}

const char *ob__fill_in(ob_arena *arena, const char *text, const char *const *pairs)
{
    ob_text out = {0};
    bool ok = true;
    while (ok && *text != '\0') {
        const char *const *pair = pair_at(text, pairs);
        ok = pair != NULL ? ob_text_append_str(&out, pair[1]) : ob_text_append(&out, text, 1);
        text += pair != NULL ? strlen(pair[0]) : 1;
    }
    const char *made =
        ok ? ob__arena_strdup(arena, out.data == NULL ? "" : out.data, out.size) : NULL;
    ob_text_fini(&out);
    return made;
}
