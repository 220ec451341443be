/* SPDX-License-Identifier: Apache-2.0
 *
 * Tokens of a JSON text, over one buffer that is refilled as it is read.
 */
#ifndef OB_BASE_JSON_LEX_H
#define OB_BASE_JSON_LEX_H

#include "base/json_read.h"

typedef enum ob_json_token_kind {
    OB_JSON_TOKEN_BEGIN_OBJECT,
    OB_JSON_TOKEN_END_OBJECT,
    OB_JSON_TOKEN_BEGIN_ARRAY,
    OB_JSON_TOKEN_END_ARRAY,
    OB_JSON_TOKEN_COMMA,
    OB_JSON_TOKEN_COLON,
    OB_JSON_TOKEN_STRING,
    OB_JSON_TOKEN_INT,
    OB_JSON_TOKEN_REAL,
    OB_JSON_TOKEN_TRUE,
    OB_JSON_TOKEN_FALSE,
    OB_JSON_TOKEN_NULL,
    OB_JSON_TOKEN_WORD, /* letters that are none of these: an error, worded by what was expected */
    OB_JSON_TOKEN_END,
} ob_json_token_kind;

typedef struct ob_json_token {
    ob_json_token_kind kind;
    uint32_t line, column;
    int64_t integer;
    const char *text; /* STRING: decoded; REAL and WORD: as written */
    size_t length;
} ob_json_token;

typedef struct ob_json_lexer {
    ob_json_source source;
    size_t max_token;
    const char *origin;   /* first byte of the window */
    const char *at, *end; /* unread part of the window */
    const char *start;    /* first byte of the token under way; kept when the window moves */
    char *window;         /* own buffer; NULL for text in memory */
    size_t window_size;
    bool exhausted; /* the source has no more */
    char *decoded;  /* strings with escapes */
    size_t decoded_size;
    ob_text repaired; /* strings that were not UTF-8 */
    /* Places: a column is offset - line_start - continuation_bytes + 1. */
    uint64_t base; /* offset of the window in the text */
    uint32_t line;
    uint64_t line_start;
    uint64_t continuation_bytes;       /* of UTF-8, in this line */
    uint32_t comma_line, comma_column; /* the last comma */
} ob_json_lexer;

void ob__json_lexer_init(ob_json_lexer *lexer, const ob_json_source *source, size_t max_token);
void ob__json_lexer_fini(ob_json_lexer *lexer);
/* Takes a comma or colon if that comes next; half of all tokens are, and nobody wants more of them. */
ob_status ob__json_lexer_skip(ob_json_lexer *lexer, char separator, bool *skipped, ob_err *err);
ob_status ob__json_lexer_next(ob_json_lexer *lexer, ob_json_token *token, ob_err *err);
const char *ob__json_token_name(ob_json_token_kind kind); /* "a string", for messages */

/* Error at the token's place; returns code. */
ob_status ob__json_lexer_error(const ob_json_lexer *lexer, const ob_json_token *token,
                               ob_status code, ob_err *err, const char *format, ...)
    OB_PRINTF(5, 6);

#endif
