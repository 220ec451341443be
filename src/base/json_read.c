/* SPDX-License-Identifier: Apache-2.0
 *
 * The streaming reader's grammar: which token may follow which, and what to say when another comes.
 * json_lex.c finds the tokens. No recursion: the nesting is a stack of bits, so depth costs a byte per
 * eight levels and cannot overflow the C stack.
 */
#include "base/json_lex.h"

#include <stdlib.h>
#include <string.h>

enum { DEFAULT_DEPTH = 256, DEFAULT_STRING = 16 << 20 };

/* What may come next. */
typedef enum state {
    WANT_VALUE,       /* at the top, or after "key": */
    WANT_COLON,       /* after a key */
    WANT_FIRST_VALUE, /* after [ */
    WANT_LATER_VALUE, /* after a comma in an array */
    WANT_FIRST_KEY,   /* after { */
    WANT_LATER_KEY,   /* after a comma in an object */
    WANT_COMMA,       /* after a value inside a container */
    WANT_NOTHING,     /* after the top value */
} state;

struct ob_json_reader {
    ob_json_lexer lexer;
    state state;
    uint32_t depth, max_depth;
    uint8_t *is_object;  /* one bit per level */
    uint32_t *opened_at; /* line of the bracket of each level, for "not closed" */
    size_t trailing_commas;
    uint32_t comma_line, comma_column;
};

ob_status ob__json_reader_create(const ob_json_source *source, const ob_json_limits *limits,
                                 ob_json_reader **out, ob_err *err)
{
    ob_json_reader *reader = calloc(1, sizeof *reader);
    *out = NULL;
    if (reader == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the JSON reader");
    reader->max_depth = limits && limits->max_depth ? limits->max_depth : DEFAULT_DEPTH;
    const size_t max_string =
        limits && limits->max_string_bytes ? limits->max_string_bytes : DEFAULT_STRING;
    reader->is_object = calloc(reader->max_depth / 8 + 1, 1);
    reader->opened_at = calloc(reader->max_depth, sizeof *reader->opened_at);
    if (reader->is_object == NULL || reader->opened_at == NULL) {
        ob__json_reader_destroy(reader);
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the JSON reader");
    }
    ob__json_lexer_init(&reader->lexer, source, max_string);
    *out = reader;
    return OB_OK;
}

void ob__json_reader_destroy(ob_json_reader *reader)
{
    if (reader == NULL)
        return;
    ob__json_lexer_fini(&reader->lexer);
    free(reader->is_object);
    free(reader->opened_at);
    free(reader);
}

size_t ob__json_reader_trailing_commas(const ob_json_reader *reader, uint32_t *line,
                                       uint32_t *column)
{
    if (line != NULL)
        *line = reader->comma_line;
    if (column != NULL)
        *column = reader->comma_column;
    return reader->trailing_commas;
}

uint32_t ob__json_reader_depth(const ob_json_reader *reader)
{
    return reader->depth;
}

bool ob__json_reader_is_cut_off(const ob_json_reader *reader)
{
    const ob_json_lexer *lexer = &reader->lexer;
    const size_t left = (size_t)(lexer->end - lexer->start);
    return lexer->exhausted && (left == 0 || memchr(lexer->start, '\n', left) == NULL);
}

static bool in_object(const ob_json_reader *reader)
{
    const uint32_t level = reader->depth - 1;
    return reader->depth > 0 && (reader->is_object[level / 8] >> (level % 8) & 1);
}

static void after_value(ob_json_reader *reader)
{
    reader->state = reader->depth == 0 ? WANT_NOTHING : WANT_COMMA;
}

static ob_status open_container(ob_json_reader *reader, const ob_json_token *token, bool object,
                                ob_json_event *event, ob_err *err)
{
    if (reader->depth == reader->max_depth)
        return ob__json_lexer_error(&reader->lexer, token, OB_ERR_LIMIT, err,
                                    "nested deeper than %u levels; flatten it", reader->max_depth);
    const uint32_t level = reader->depth++;
    const uint8_t bit = (uint8_t)(1u << (level % 8));
    reader->is_object[level / 8] = (uint8_t)(object ? reader->is_object[level / 8] | bit
                                                    : reader->is_object[level / 8] & ~bit);
    reader->opened_at[level] = token->line;
    reader->state = object ? WANT_FIRST_KEY : WANT_FIRST_VALUE;
    event->kind = object ? OB_JSON_EVENT_BEGIN_OBJECT : OB_JSON_EVENT_BEGIN_ARRAY;
    return OB_OK;
}

static ob_status close_container(ob_json_reader *reader, bool object, ob_json_event *event)
{
    event->kind = object ? OB_JSON_EVENT_END_OBJECT : OB_JSON_EVENT_END_ARRAY;
    reader->depth--;
    after_value(reader);
    return OB_OK;
}

/* What to write instead of a bare word: Python's spellings are the common ones. */
static ob_status unexpected_word(const ob_json_reader *reader, const ob_json_token *token,
                                 ob_err *err)
{
    static const char *const INSTEAD[][2] = {
        {"True", "true"},    {"TRUE", "true"},         {"False", "false"},   {"FALSE", "false"},
        {"None", "null"},    {"NULL", "null"},         {"NaN", "a number"},  {"nan", "a number"},
        {"inf", "a number"}, {"Infinity", "a number"}, {"undefined", "null"}};
    const int length = (int)(token->length < 40 ? token->length : 40);
    if (reader->state == WANT_FIRST_KEY || reader->state == WANT_LATER_KEY)
        return ob__json_lexer_error(&reader->lexer, token, OB_ERR_SYNTAX, err,
                                    "'%.*s' has no quotes; keys are in double quotes", length,
                                    token->text);
    for (size_t i = 0; i < sizeof INSTEAD / sizeof *INSTEAD; i++)
        if (strlen(INSTEAD[i][0]) == token->length &&
            memcmp(INSTEAD[i][0], token->text, token->length) == 0)
            return ob__json_lexer_error(&reader->lexer, token, OB_ERR_SYNTAX, err,
                                        "'%s' is not JSON; write %s", INSTEAD[i][0], INSTEAD[i][1]);
    return ob__json_lexer_error(
        &reader->lexer, token, OB_ERR_SYNTAX, err,
        "'%.*s' is not JSON; a value is a number, a string in double quotes, "
        "true, false, null, [...] or {...}",
        length, token->text);
}

/* The message for a token that the state does not allow. */
static ob_status unexpected(ob_json_reader *reader, const ob_json_token *token, ob_err *err)
{
    static const char *const WANTED[] = {
        [WANT_VALUE] = "expected a value",
        [WANT_COLON] = "expected ':' after the key",
        [WANT_FIRST_VALUE] = "expected a value or ']'",
        [WANT_LATER_VALUE] = "expected a value after the comma",
        [WANT_FIRST_KEY] = "expected a key in double quotes or '}'",
        [WANT_LATER_KEY] = "expected a key in double quotes after the comma",
        [WANT_COMMA] = "expected ','",
        [WANT_NOTHING] = "expected nothing more after the end of the JSON value",
    };
    if (token->kind == OB_JSON_TOKEN_WORD)
        return unexpected_word(reader, token, err);
    if (token->kind == OB_JSON_TOKEN_END && reader->depth > 0)
        return ob__json_lexer_error(&reader->lexer, token, OB_ERR_SYNTAX, err,
                                    "the text ends inside the %s that begins in line %u; it is cut "
                                    "off, or a '%c' is missing",
                                    in_object(reader) ? "object" : "array",
                                    reader->opened_at[reader->depth - 1],
                                    in_object(reader) ? '}' : ']');
    if (token->kind == OB_JSON_TOKEN_END)
        return ob__json_lexer_error(&reader->lexer, token, OB_ERR_SYNTAX, err,
                                    "the text is empty; write a JSON value");
    return ob__json_lexer_error(
        &reader->lexer, token, OB_ERR_SYNTAX, err, "%s%s, found %s%s", WANTED[reader->state],
        reader->state != WANT_COMMA ? ""
        : in_object(reader)         ? " or '}'"
                                    : " or ']'",
        ob__json_token_name(token->kind),
        reader->state == WANT_NOTHING ? "; remove it, or put all into one value" : "");
}

static ob_status take_value(ob_json_reader *reader, const ob_json_token *token,
                            ob_json_event *event, ob_err *err)
{
    switch (token->kind) {
    case OB_JSON_TOKEN_BEGIN_OBJECT:
        return open_container(reader, token, true, event, err);
    case OB_JSON_TOKEN_BEGIN_ARRAY:
        return open_container(reader, token, false, event, err);
    case OB_JSON_TOKEN_STRING:
        event->kind = OB_JSON_EVENT_STRING;
        break;
    case OB_JSON_TOKEN_INT:
        event->kind = OB_JSON_EVENT_INT;
        break;
    case OB_JSON_TOKEN_REAL:
        event->kind = OB_JSON_EVENT_REAL;
        break;
    case OB_JSON_TOKEN_TRUE:
    case OB_JSON_TOKEN_FALSE:
        event->kind = OB_JSON_EVENT_BOOL;
        event->boolean = token->kind == OB_JSON_TOKEN_TRUE;
        break;
    case OB_JSON_TOKEN_NULL:
        event->kind = OB_JSON_EVENT_NULL;
        break;
    default:
        return unexpected(reader, token, err);
    }
    after_value(reader);
    return OB_OK;
}

static ob_status take_key(ob_json_reader *reader, const ob_json_token *token, ob_json_event *event,
                          ob_err *err)
{
    /* Only an escape can be one. */
    if (token->text != reader->lexer.start + 1 && memchr(token->text, '\0', token->length) != NULL)
        return ob__json_lexer_error(&reader->lexer, token, OB_ERR_SYNTAX, err,
                                    "a key holds the character \\u0000; remove it");
    event->kind = OB_JSON_EVENT_KEY;
    reader->state = WANT_COLON;
    return OB_OK;
}

static void note_trailing_comma(ob_json_reader *reader)
{
    if (reader->trailing_commas++ == 0) {
        reader->comma_line = reader->lexer.comma_line;
        reader->comma_column = reader->lexer.comma_column;
    }
}

/* A closing bracket where something else could stand too; false = it may not stand here. */
static bool closes(ob_json_reader *reader, const ob_json_token *token)
{
    const bool object = in_object(reader);
    if (token->kind != (object ? OB_JSON_TOKEN_END_OBJECT : OB_JSON_TOKEN_END_ARRAY) ||
        reader->depth == 0 || reader->state == WANT_VALUE || reader->state == WANT_COLON)
        return false;
    if (reader->state == WANT_LATER_KEY || reader->state == WANT_LATER_VALUE)
        note_trailing_comma(reader);
    return true;
}

ob_status ob__json_reader_next(ob_json_reader *reader, ob_json_event *event, ob_err *err)
{
    ob_json_token token;
    bool skipped;
    if (reader->state == WANT_COMMA) {
        OB_TRY(ob__json_lexer_skip(&reader->lexer, ',', &skipped, err));
        if (skipped)
            reader->state = in_object(reader) ? WANT_LATER_KEY : WANT_LATER_VALUE;
    } else if (reader->state == WANT_COLON) {
        OB_TRY(ob__json_lexer_skip(&reader->lexer, ':', &skipped, err));
        if (skipped)
            reader->state = WANT_VALUE;
    }
    OB_TRY(ob__json_lexer_next(&reader->lexer, &token, err));
    *event = (ob_json_event){.line = token.line,
                             .column = token.column,
                             .integer = token.integer,
                             .text = token.text,
                             .length = token.length};
    if ((token.kind == OB_JSON_TOKEN_END_OBJECT || token.kind == OB_JSON_TOKEN_END_ARRAY) &&
        closes(reader, &token))
        return close_container(reader, token.kind == OB_JSON_TOKEN_END_OBJECT, event);
    switch (reader->state) {
    case WANT_VALUE:
    case WANT_FIRST_VALUE:
    case WANT_LATER_VALUE:
        return take_value(reader, &token, event, err);
    case WANT_FIRST_KEY:
    case WANT_LATER_KEY:
        if (token.kind == OB_JSON_TOKEN_STRING)
            return take_key(reader, &token, event, err);
        break;
    case WANT_NOTHING:
        if (token.kind == OB_JSON_TOKEN_END) {
            event->kind = OB_JSON_EVENT_END;
            return OB_OK;
        }
        if (reader->lexer.source.many) {
            reader->state = WANT_VALUE;
            return take_value(reader, &token, event, err);
        }
        break;
    case WANT_COMMA:
    case WANT_COLON:
        break;
    }
    return unexpected(reader, &token, err);
}
