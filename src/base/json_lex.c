/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON tokens. Text in memory is read where it lies; a stream is read through a window that grows only
 * as far as one token needs, up to a limit. Every place that can meet the end of the window goes
 * through need(), so a token may be cut anywhere.
 */
#include "base/json_lex.h"

#include "base/json_plain.h"
#include "base/number.h"
#include "base/utf8.h"
#include "opbench/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_WINDOW = 64 << 10, LONGEST_NUMBER = 1024 };

void ob__json_lexer_init(ob_json_lexer *lexer, const ob_json_source *source, size_t max_token)
{
    const bool in_memory = source->fill == NULL && source->data != NULL;
    const char *text = in_memory ? source->data : "";
    *lexer = (ob_json_lexer){.source = *source,
                             .max_token = max_token,
                             .line = 1,
                             .origin = text,
                             .start = text,
                             .at = text,
                             .end = in_memory ? text + source->size : text,
                             .exhausted = source->fill == NULL};
}

void ob__json_lexer_fini(ob_json_lexer *lexer)
{
    free(lexer->window);
    free(lexer->decoded);
    ob_text_fini(&lexer->repaired);
}

const char *ob__json_token_name(ob_json_token_kind kind)
{
    static const char *const NAMES[] = {
        [OB_JSON_TOKEN_BEGIN_OBJECT] = "'{'",
        [OB_JSON_TOKEN_END_OBJECT] = "'}'",
        [OB_JSON_TOKEN_BEGIN_ARRAY] = "'['",
        [OB_JSON_TOKEN_END_ARRAY] = "']'",
        [OB_JSON_TOKEN_COMMA] = "','",
        [OB_JSON_TOKEN_COLON] = "':'",
        [OB_JSON_TOKEN_STRING] = "a string",
        [OB_JSON_TOKEN_INT] = "a number",
        [OB_JSON_TOKEN_REAL] = "a number",
        [OB_JSON_TOKEN_TRUE] = "true",
        [OB_JSON_TOKEN_FALSE] = "false",
        [OB_JSON_TOKEN_NULL] = "null",
        [OB_JSON_TOKEN_WORD] = "a word without quotes",
        [OB_JSON_TOKEN_END] = "the end",
    };
    return NAMES[kind];
}

static void set_place(const ob_json_lexer *lexer, const char *where, ob_json_token *token)
{
    const uint64_t offset = lexer->base + (uint64_t)(where - lexer->origin);
    const uint64_t column = offset - lexer->line_start - lexer->continuation_bytes + 1;
    token->line = lexer->line;
    token->column = column > UINT32_MAX ? UINT32_MAX : (uint32_t)column;
}

ob_status ob__json_lexer_error(const ob_json_lexer *lexer, const ob_json_token *token,
                               ob_status code, ob_err *err, const char *format, ...)
{
    char message[sizeof err->message];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return ob_err_set_at(err, code, lexer->source.name, token->line, token->column, NULL, "%s",
                         message);
}

/* Error at byte `index` of the token under way. */
#define FAIL_AT(lexer, index, code, err, ...)                                                      \
    do {                                                                                           \
        ob_json_token place_;                                                                      \
        set_place((lexer), (lexer)->start + (index), &place_);                                     \
        return ob__json_lexer_error((lexer), &place_, (code), (err), __VA_ARGS__);                 \
    } while (0)

/* Moves what is still needed to the front of the window and reads more behind it. */
static ob_status refill(ob_json_lexer *lexer, ob_err *err)
{
    const size_t kept = (size_t)(lexer->end - lexer->start);
    const size_t consumed = (size_t)(lexer->at - lexer->start);
    if (kept > lexer->max_token + LONGEST_NUMBER)
        FAIL_AT(lexer, 0, OB_ERR_LIMIT, err, "a string or number longer than %zu bytes; shorten it",
                lexer->max_token);
    lexer->base += (uint64_t)(lexer->start - lexer->origin);
    if (kept == lexer->window_size) {
        const size_t size = lexer->window_size ? 2 * lexer->window_size : FIRST_WINDOW;
        char *window = malloc(size);
        if (window == NULL)
            FAIL_AT(lexer, 0, OB_ERR_NOMEM, err, "out of memory for a string of %zu bytes", kept);
        if (kept > 0)
            memcpy(window, lexer->start, kept);
        free(lexer->window);
        lexer->window = window;
        lexer->window_size = size;
    } else if (kept > 0) {
        memmove(lexer->window, lexer->start, kept);
    }
    lexer->origin = lexer->start = lexer->window;
    lexer->at = lexer->window + consumed;
    size_t got = 0;
    lexer->end = lexer->window + kept;
    OB_TRY(lexer->source.fill(lexer->source.ctx, lexer->window + kept, lexer->window_size - kept,
                              &got, err));
    lexer->end += got;
    lexer->exhausted = got == 0;
    return OB_OK;
}

/* *byte = byte `index` of the token under way, -1 at the end of the text. */
static inline ob_status need(ob_json_lexer *lexer, size_t index, int *byte, ob_err *err)
{
    while ((size_t)(lexer->end - lexer->start) <= index) {
        if (lexer->exhausted) {
            *byte = -1;
            return OB_OK;
        }
        OB_TRY(refill(lexer, err));
    }
    *byte = (unsigned char)lexer->start[index];
    return OB_OK;
}

/* ---- strings ---- */

/* Length of the UTF-8 sequence at byte `index`; 0 if it is not well formed (Unicode table 3-7). */
static ob_status utf8_length(ob_json_lexer *lexer, size_t index, size_t *length, ob_err *err)
{
    int lead, next;
    OB_TRY(need(lexer, index, &lead, err));
    *length = 0;
    const size_t wanted = lead >= 0xC2 && lead <= 0xDF   ? 2
                          : lead >= 0xE0 && lead <= 0xEF ? 3
                          : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                         : 0;
    for (size_t i = 1; i < wanted; i++) {
        OB_TRY(need(lexer, index + i, &next, err));
        const int low = i == 1 && lead == 0xE0 ? 0xA0 : i == 1 && lead == 0xF0 ? 0x90 : 0x80;
        const int high = i == 1 && lead == 0xED ? 0x9F : i == 1 && lead == 0xF4 ? 0x8F : 0xBF;
        if (next < low || next > high)
            return OB_OK;
    }
    *length = wanted;
    return OB_OK;
}

static int hex4(const char *text)
{
    int value = 0;
    for (int i = 0; i < 4; i++) {
        const char c = text[i];
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

static char *put_utf8(char *to, unsigned code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xC0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        *to++ = (char)(0xE0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
        *to++ = (char)(0x80 | (code & 0x3F));
    } else {
        *to++ = (char)(0xF0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 0x3F));
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
        *to++ = (char)(0x80 | (code & 0x3F));
    }
    return to;
}

/* One \uXXXX (or a surrogate pair of them) at from; NULL when it is none. Advances *from. With repair half
 * a pair is U+FFFD. */
static char *decode_unicode(const char **from, const char *end, bool repair, char *to)
{
    enum { REPLACEMENT = 0xFFFD };
    const char *text = *from;
    int code = end - text >= 6 ? hex4(text + 2) : -1;
    if (code < 0)
        return NULL;
    text += 6;
    if (code >= 0xD800 && code <= 0xDFFF) {
        const int low = end - text >= 6 && text[0] == '\\' && text[1] == 'u' ? hex4(text + 2) : -1;
        const bool is_pair = code <= 0xDBFF && low >= 0xDC00 && low <= 0xDFFF;
        if (!is_pair && !repair)
            return NULL;
        code = is_pair ? 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00) : REPLACEMENT;
        text += is_pair ? 6 : 0;
    }
    *from = text;
    return put_utf8(to, (unsigned)code);
}

/* Resolves the escapes of the string under way (bytes 1 .. length) into lexer->decoded. Decoding never makes
 * a text longer. */
static ob_status decode(ob_json_lexer *lexer, size_t length, ob_json_token *token, ob_err *err)
{
    static const char SHORT[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
    if (!OB_RESERVE(lexer->decoded, lexer->decoded_size, length))
        FAIL_AT(lexer, 0, OB_ERR_NOMEM, err, "out of memory for a string of %zu bytes", length);
    const char *from = lexer->start + 1, *end = from + length;
    char *to = lexer->decoded;
    while (from < end) {
        if (*from != '\\') {
            *to++ = *from++;
            continue;
        }
        char *next = NULL;
        if (from[1] == 'u') {
            next = decode_unicode(&from, end, lexer->source.repair, to);
            if (next == NULL)
                FAIL_AT(lexer, from - lexer->start, OB_ERR_SYNTAX, err,
                        "bad \\u escape in a string; four hex digits, surrogates in pairs");
            to = next;
            continue;
        }
        for (const char *pair = SHORT; *pair != '\0' && next == NULL; pair += 2)
            if (*pair == from[1])
                next = memcpy(to, pair + 1, 1);
        if (next == NULL)
            FAIL_AT(lexer, from - lexer->start, OB_ERR_SYNTAX, err,
                    "bad escape '\\%c' in a string; a backslash itself is written \\\\", from[1]);
        to++;
        from += 2;
    }
    token->text = lexer->decoded;
    token->length = (size_t)(to - lexer->decoded);
    return OB_OK;
}

/* U+FFFD for every byte of the string that is not UTF-8. */
static ob_status repair(ob_json_lexer *lexer, ob_json_token *token, ob_err *err)
{
    lexer->repaired.size = 0;
    if (!ob__utf8_repair(&lexer->repaired, token->text, token->length))
        FAIL_AT(lexer, 0, OB_ERR_NOMEM, err, "out of memory for a string of %zu bytes",
                token->length);
    token->text = lexer->repaired.data;
    token->length = lexer->repaired.size;
    return OB_OK;
}

static ob_status lex_string(ob_json_lexer *lexer, ob_json_token *token, ob_err *err)
{
    size_t i = 1;
    bool escaped = false, broken = false;
    for (;;) {
        i = (size_t)(ob__json_plain_end(lexer->start + i, lexer->end) - lexer->start);
        if (i - 1 > lexer->max_token)
            FAIL_AT(lexer, 0, OB_ERR_LIMIT, err, "a string longer than %zu bytes; shorten it",
                    lexer->max_token);
        int c, next;
        OB_TRY(need(lexer, i, &c, err));
        if (c == '"')
            break;
        if (c == '\\') {
            OB_TRY(need(lexer, i + 1, &next, err));
            escaped = true;
            i += next < 0 ? 1 : 2;
        } else if (c >= 0x80) {
            size_t length;
            OB_TRY(utf8_length(lexer, i, &length, err));
            if (length == 0 && !lexer->source.repair)
                FAIL_AT(lexer, i, OB_ERR_SYNTAX, err,
                        "byte 0x%02X in a string is not valid UTF-8; save the file as UTF-8",
                        (unsigned)c);
            broken = broken || length == 0;
            lexer->continuation_bytes += length > 0 ? length - 1 : 0;
            i += length > 0 ? length : 1;
        } else if (c < 0) {
            FAIL_AT(lexer, 0, OB_ERR_SYNTAX, err,
                    "this string is not closed; it is cut off, or a '\"' is missing");
        } else if (c < 0x20) {
            FAIL_AT(
                lexer, i, OB_ERR_SYNTAX, err,
                "control character 0x%02X in a string; close the string with '\"' or write \\u%04X",
                (unsigned)c, (unsigned)c);
        }
    }
    token->kind = OB_JSON_TOKEN_STRING;
    token->text = lexer->start + 1;
    token->length = i - 1;
    lexer->at = lexer->start + i + 1;
    if (escaped)
        OB_TRY(decode(lexer, i - 1, token, err));
    return broken ? repair(lexer, token, err) : OB_OK;
}

/* ---- numbers and words ---- */

static size_t digits(const char *text, size_t i, size_t length)
{
    while (i < length && ob__is_digit(text[i]))
        i++;
    return i;
}

/* -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)? */
static bool number_is_valid(const char *text, size_t length, bool *whole)
{
    size_t i = length > 0 && text[0] == '-';
    size_t next = digits(text, i, length);
    if (next == i || (text[i] == '0' && next > i + 1))
        return false;
    i = next;
    *whole = i == length;
    if (i < length && text[i] == '.') {
        next = digits(text, ++i, length);
        if (next == i)
            return false;
        i = next;
    }
    if (i < length && (text[i] | 0x20) == 'e') {
        i++;
        if (i < length && (text[i] == '+' || text[i] == '-'))
            i++;
        next = digits(text, i, length);
        if (next == i)
            return false;
        i = next;
    }
    return i == length;
}

static bool is_word(int c)
{
    return ob__is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_' || c == '.' ||
           c == '+' || c == '-';
}

/* The bytes of a number or a bare word: letters, digits and, in numbers, . + - */
static ob_status word_length(ob_json_lexer *lexer, size_t *length, ob_err *err)
{
    for (size_t i = 1; i <= LONGEST_NUMBER; i++) {
        int c = 0;
        if (i < (size_t)(lexer->end - lexer->start))
            c = (unsigned char)lexer->start[i];
        else
            OB_TRY(need(lexer, i, &c, err));
        if (!is_word(c)) {
            *length = i;
            return OB_OK;
        }
    }
    FAIL_AT(lexer, 0, OB_ERR_LIMIT, err, "a number or word longer than %d characters; shorten it",
            LONGEST_NUMBER);
}

/* A whole number of up to 18 digits that ends in the window: nearly all of them. */
static inline bool lex_small_number(ob_json_lexer *lexer, ob_json_token *token)
{
    enum { MOST = 18 };
    const char *text = lexer->start, *p = text + (*text == '-'), *first = p;
    const char *limit = lexer->end - p > MOST ? p + MOST : lexer->end;
    uint64_t value = 0;
    while (p < limit && ob__is_digit(*p))
        value = 10 * value + (uint64_t)(*p++ - '0');
    if (p == first || p >= lexer->end || is_word((unsigned char)*p) ||
        (*first == '0' && p - first > 1))
        return false;
    token->kind = OB_JSON_TOKEN_INT;
    token->integer = first > text ? -(int64_t)value : (int64_t)value;
    token->text = text;
    token->length = (size_t)(p - text);
    lexer->at = p;
    return true;
}

static ob_status lex_number(ob_json_lexer *lexer, ob_json_token *token, ob_err *err)
{
    if (lex_small_number(lexer, token))
        return OB_OK;
    size_t length;
    bool whole;
    OB_TRY(word_length(lexer, &length, err));
    const char *text = lexer->start;
    if (!number_is_valid(text, length, &whole)) {
        if (length >= 4 && strncmp(text, "-Inf", 4) == 0)
            FAIL_AT(lexer, 0, OB_ERR_SYNTAX, err, "-Infinity is not JSON; write a number");
        FAIL_AT(lexer, 0, OB_ERR_SYNTAX, err,
                "'%.*s' is not a JSON number; write it like 12, -0.5 or 1e-3",
                (int)(length < 40 ? length : 40), text);
    }
    token->kind = whole && ob__parse_i64(text, length, &token->integer) ? OB_JSON_TOKEN_INT
                                                                        : OB_JSON_TOKEN_REAL;
    token->text = text;
    token->length = length;
    lexer->at = lexer->start + length;
    return OB_OK;
}

static ob_status lex_word(ob_json_lexer *lexer, ob_json_token *token, ob_err *err)
{
    static const struct {
        const char *word;
        ob_json_token_kind kind;
    } WORDS[] = {
        {"true", OB_JSON_TOKEN_TRUE}, {"false", OB_JSON_TOKEN_FALSE}, {"null", OB_JSON_TOKEN_NULL}};
    size_t length;
    OB_TRY(word_length(lexer, &length, err));
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        if (strlen(WORDS[i].word) == length && memcmp(WORDS[i].word, lexer->start, length) == 0) {
            token->kind = WORDS[i].kind;
            lexer->at = lexer->start + length;
            return OB_OK;
        }
    }
    token->kind = OB_JSON_TOKEN_WORD;
    token->text = lexer->start;
    token->length = length;
    lexer->at = lexer->start + length;
    return OB_OK;
}

/* ---- everything else ---- */

static ob_status bad_byte(ob_json_lexer *lexer, int c, ob_err *err)
{
    int next = -1;
    OB_TRY(need(lexer, 1, &next, err));
    if (c == '\'')
        FAIL_AT(lexer, 0, OB_ERR_SYNTAX, err, "strings are in double quotes in JSON");
    if (c == '#' || (c == '/' && (next == '/' || next == '*')))
        FAIL_AT(lexer, 0, OB_ERR_SYNTAX, err, "JSON has no comments; remove this one");
    if (c == 0x1F && next == 0x8B)
        FAIL_AT(lexer, 0, OB_ERR_SYNTAX, err, "this is gzip data, not JSON text; unpack it first");
    if ((c == '.' || c == '+') && ob__is_digit(next))
        FAIL_AT(lexer, 0, OB_ERR_SYNTAX, err, "a JSON number begins with a digit; write %s",
                c == '.' ? "0 before the point" : "it without the plus sign");
    if (c > 0x20 && c < 0x7F)
        FAIL_AT(lexer, 0, OB_ERR_SYNTAX, err, "unexpected character '%c'", c);
    FAIL_AT(lexer, 0, OB_ERR_SYNTAX, err, "unexpected byte 0x%02X; this is not JSON text in UTF-8",
            (unsigned)c);
}

static ob_status skip_more_blanks(ob_json_lexer *lexer, int *byte, ob_err *err)
{
    for (;;) {
        const char *p = lexer->at;
        for (; p < lexer->end; p++) {
            if (*p == '\n') {
                lexer->line++;
                lexer->line_start = lexer->base + (uint64_t)(p + 1 - lexer->origin);
                lexer->continuation_bytes = 0;
            } else if (*p != ' ' && *p != '\t' && *p != '\r') {
                break;
            }
        }
        lexer->at = lexer->start = p;
        if (p < lexer->end) {
            *byte = (unsigned char)*p;
            return OB_OK;
        }
        OB_TRY(need(lexer, 0, byte, err));
        if (*byte < 0)
            return OB_OK;
    }
}

/* Blanks up to the next token; *byte is its first byte or -1. Mostly there is one or none. */
static inline ob_status skip_blanks(ob_json_lexer *lexer, int *byte, ob_err *err)
{
    const char *p = lexer->at;
    if (lexer->end - p >= 2) {
        p += *p == ' ';
        if ((unsigned char)*p > ' ') {
            lexer->at = lexer->start = p;
            *byte = (unsigned char)*p;
            return OB_OK;
        }
    }
    return skip_more_blanks(lexer, byte, err);
}

static ob_status skip_byte_order_mark(ob_json_lexer *lexer, ob_err *err)
{
    int bytes[3];
    lexer->start = lexer->at;
    for (size_t i = 0; i < 3; i++)
        OB_TRY(need(lexer, i, &bytes[i], err));
    if (bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF) {
        lexer->at = lexer->start + 3;
        lexer->line_start = 3;
    }
    return OB_OK;
}

/* Tokens of one byte; -1 for all others. */
static int punctuation(int c)
{
    switch (c) {
    case '{':
        return OB_JSON_TOKEN_BEGIN_OBJECT;
    case '}':
        return OB_JSON_TOKEN_END_OBJECT;
    case '[':
        return OB_JSON_TOKEN_BEGIN_ARRAY;
    case ']':
        return OB_JSON_TOKEN_END_ARRAY;
    case ',':
        return OB_JSON_TOKEN_COMMA;
    case ':':
        return OB_JSON_TOKEN_COLON;
    default:
        return -1;
    }
}

ob_status ob__json_lexer_skip(ob_json_lexer *lexer, char separator, bool *skipped, ob_err *err)
{
    int c;
    OB_TRY(skip_blanks(lexer, &c, err));
    *skipped = c == separator;
    if (!*skipped)
        return OB_OK;
    if (separator == ',') {
        ob_json_token comma;
        set_place(lexer, lexer->start, &comma);
        lexer->comma_line = comma.line;
        lexer->comma_column = comma.column;
    }
    lexer->at = lexer->start + 1;
    return OB_OK;
}

ob_status ob__json_lexer_next(ob_json_lexer *lexer, ob_json_token *token, ob_err *err)
{
    int c;
    if (lexer->base == 0 && lexer->at == lexer->origin)
        OB_TRY(skip_byte_order_mark(lexer, err));
    OB_TRY(skip_blanks(lexer, &c, err));
    *token = (ob_json_token){.kind = OB_JSON_TOKEN_END, .text = ""};
    set_place(lexer, lexer->start, token);
    if (c < 0)
        return OB_OK;
    if (c == '"')
        return lex_string(lexer, token, err);
    const int mark = punctuation(c);
    if (mark >= 0) {
        token->kind = (ob_json_token_kind)mark;
        lexer->at = lexer->start + 1;
        return OB_OK;
    }
    if (c == '-' || ob__is_digit(c))
        return lex_number(lexer, token, err);
    return is_word(c) && c != '.' && c != '+' ? lex_word(lexer, token, err)
                                              : bad_byte(lexer, c, err);
}
