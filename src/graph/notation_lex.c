/* SPDX-License-Identifier: Apache-2.0
 *
 * Tokens of the graph notation, and the places of errors in a text.
 */
#include "graph/notation.h"

#include "base/number.h"

#include <stdio.h>
#include <string.h>

static const char *const TOKEN_NAMES[] = {
#define OB__TOKEN_NAME(id, text) [OB__TOKEN_##id] = (text),
    OB__TOKEN_MAP(OB__TOKEN_NAME)
#undef OB__TOKEN_NAME
};

const char *ob__token_name(ob__token_kind kind)
{
    return TOKEN_NAMES[kind];
}

/* ---- places ---- */

static void find_place(const ob__source *source, uint32_t start, uint32_t *line, uint32_t *column)
{
    *line = 1;
    uint32_t line_start = 0;
    for (uint32_t i = 0; i < start && i < source->length; i++) {
        if (source->text[i] == '\n') {
            (*line)++;
            line_start = i + 1;
        }
    }
    *column = start - line_start + 1;
}

/* A part of the text that is fit to print: at most 60 characters, on one line. */
static void copy_part(const ob__source *source, size_t start, size_t end, char out[static 64])
{
    enum { MAX_PART = 60 };
    size_t length = end - start;
    const bool cut = length > MAX_PART;
    if (cut)
        length = MAX_PART;
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)source->text[start + i];
        out[i] = c < 0x20 || c >= 0x7f ? '?' : (char)c;
    }
    memcpy(out + length, cut ? "..." : "", cut ? 4 : 1);
}

void ob__source_locate(const ob__source *source, uint32_t start, uint32_t end, ob_err *err)
{
    if (err == NULL)
        return;
    find_place(source, start, &err->line, &err->column);
    char part[64];
    const bool at_end = start >= source->length;
    if (at_end)
        copy_part(source, 0, source->length, part);
    else
        copy_part(source, start, end > source->length ? source->length : end, part);
    const size_t used = strlen(err->message);
    snprintf(err->message + used, sizeof err->message - used, "; %s \"%s\"%s%s",
             at_end ? "at the end of" : "in", part, source->what != NULL ? " of " : "",
             source->what != NULL ? source->what : "");
}

ob_status ob__source_error(const ob__source *source, uint32_t start, uint32_t end, ob_status code,
                           ob_err *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    ob_err_setv(err, code, format, args);
    va_end(args);
    ob__source_locate(source, start, end, err);
    return code;
}

/* ---- tokens ---- */

static bool is_word(char c)
{
    return ob__is_word_start(c) || ob__is_digit(c);
}

/* Blanks, line ends and "# comments". */
static size_t skip_blanks(const ob__source *source, size_t at)
{
    while (at < source->length) {
        const char c = source->text[at];
        if (c == '#') {
            while (at < source->length && source->text[at] != '\n')
                at++;
        } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            at++;
        } else {
            break;
        }
    }
    return at;
}

static char peek(const ob__source *source, size_t at)
{
    return at < source->length ? source->text[at] : '\0';
}

/* word {"::" word} {"." word-or-number}: "x", "aten::add.Tensor", "features.0.weight". */
static size_t name_end(const ob__source *source, size_t at)
{
    for (;;) {
        while (is_word(peek(source, at)))
            at++;
        if (peek(source, at) == '.' && is_word(peek(source, at + 1)))
            at += 1;
        else if (peek(source, at) == ':' && peek(source, at + 1) == ':' &&
                 ob__is_word_start(peek(source, at + 2)))
            at += 2;
        else
            return at;
    }
}

static ob_status read_name(const ob__source *source, size_t at, ob_arena *arena, ob__token *token,
                           ob_err *err)
{
    const size_t end = name_end(source, at);
    token->end = (uint32_t)end;
    token->kind = OB__TOKEN_NAME;
    token->length = end - at;
    for (int kind = OB__TOKEN_TRUE; kind <= OB__TOKEN_OR; kind++) {
        if (strlen(TOKEN_NAMES[kind]) == token->length &&
            memcmp(TOKEN_NAMES[kind], source->text + at, token->length) == 0)
            token->kind = (ob__token_kind)kind;
    }
    token->text = ob__arena_strdup(arena, source->text + at, token->length);
    return token->text != NULL ? OB_OK : ob_err_set(err, OB_ERR_NOMEM, "out of memory for a name");
}

static ob_status read_number(const ob__source *source, size_t at, ob__token *token, ob_err *err)
{
    size_t end = at;
    bool real = false;
    while (ob__is_digit(peek(source, end)))
        end++;
    if (peek(source, end) == '.' && ob__is_digit(peek(source, end + 1))) {
        real = true;
        end++;
        while (ob__is_digit(peek(source, end)))
            end++;
    }
    if (peek(source, end) == 'e' || peek(source, end) == 'E') {
        size_t digits = end + 1;
        if (peek(source, digits) == '-' || peek(source, digits) == '+')
            digits++;
        if (ob__is_digit(peek(source, digits))) {
            real = true;
            end = digits;
            while (ob__is_digit(peek(source, end)))
                end++;
        }
    }
    token->end = (uint32_t)end;
    if (ob__is_word_start(peek(source, end)) || peek(source, end) == '.')
        return ob__source_error(source, token->start, token->end + 1, OB_ERR_SYNTAX, err,
                                "a number is followed by '%c'; put a space or an operator there",
                                peek(source, end));
    token->kind = real ? OB__TOKEN_REAL : OB__TOKEN_INT;
    if (real)
        token->real = ob__parse_double(source->text + at, end - at);
    else if (!ob__parse_i64(source->text + at, end - at, &token->integer))
        return ob__source_error(source, token->start, token->end, OB_ERR_OVERFLOW, err,
                                "the number does not fit 64 bits; write it as a real (1e20)");
    return OB_OK;
}

static ob_status read_string(const ob__source *source, size_t at, ob_arena *arena, ob__token *token,
                             ob_err *err)
{
    static const char ESCAPES[] = "n\nt\tr\r\\\\\"\"''";
    const char quote = source->text[at];
    size_t end = at + 1;
    while (end < source->length && source->text[end] != quote)
        end += source->text[end] == '\\' ? 2 : 1;
    token->end = (uint32_t)(end < source->length ? end + 1 : source->length);
    if (end >= source->length)
        return ob__source_error(source, token->start, token->end, OB_ERR_SYNTAX, err,
                                "the string is not closed; close it with %c", quote);
    char *text = ob__arena_alloc(arena, end - at);
    if (text == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a string");
    size_t length = 0;
    for (size_t i = at + 1; i < end; i++) {
        char c = source->text[i];
        if (c == '\\') {
            const char *escape = ESCAPES;
            c = source->text[++i];
            while (*escape != '\0' && *escape != c)
                escape += 2;
            if (*escape == '\0')
                return ob__source_error(source, (uint32_t)i - 1, (uint32_t)i + 1, OB_ERR_SYNTAX,
                                        err, "unknown escape; use \\n \\t \\r \\\\ \\\" or \\'");
            c = escape[1];
        }
        text[length++] = c;
    }
    text[length] = '\0';
    token->kind = OB__TOKEN_STRING;
    token->text = text;
    token->length = length;
    return OB_OK;
}

static ob_status read_mark(const ob__source *source, size_t at, ob__token *token, ob_err *err)
{
    for (int kind = OB__TOKEN_EQ; kind < OB__TOKEN_COUNT; kind++) {
        const size_t length = strlen(TOKEN_NAMES[kind]);
        if (source->length - at >= length &&
            memcmp(source->text + at, TOKEN_NAMES[kind], length) == 0) {
            token->kind = (ob__token_kind)kind;
            token->end = (uint32_t)(at + length);
            return OB_OK;
        }
    }
    const unsigned char c = (unsigned char)source->text[at];
    if (c < 0x20 || c >= 0x7f)
        return ob__source_error(source, token->start, token->start + 1, OB_ERR_SYNTAX, err,
                                "byte 0x%02x is not part of the notation; remove it", c);
    return ob__source_error(source, token->start, token->start + 1, OB_ERR_SYNTAX, err,
                            "'%c' is not part of the notation; remove it", c);
}

ob_status ob__token_read(const ob__source *source, size_t *at, ob_arena *arena, ob__token *token,
                         ob_err *err)
{
    size_t start = skip_blanks(source, *at);
    *token = (ob__token){.kind = OB__TOKEN_END, .start = (uint32_t)start, .end = (uint32_t)start};
    if (start < source->length) {
        const char c = source->text[start];
        if (ob__is_word_start(c)) {
            OB_TRY(read_name(source, start, arena, token, err));
        } else if (c == '@') {
            if (!ob__is_word_start(peek(source, start + 1)))
                return ob__source_error(source, token->start, token->start + 1, OB_ERR_SYNTAX, err,
                                        "'@' must be followed by the name of a function");
            OB_TRY(read_name(source, start + 1, arena, token, err));
            token->kind = OB__TOKEN_FUNCTION;
        } else if (ob__is_digit(c)) {
            OB_TRY(read_number(source, start, token, err));
        } else if (c == '"' || c == '\'') {
            OB_TRY(read_string(source, start, arena, token, err));
        } else {
            OB_TRY(read_mark(source, start, token, err));
        }
    }
    *at = token->end;
    return OB_OK;
}
