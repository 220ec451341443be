/* SPDX-License-Identifier: Apache-2.0
 *
 * The schema reader's state and its steps that more than one file takes.
 */
#ifndef OB_OP_SCHEMA_PARSER_H
#define OB_OP_SCHEMA_PARSER_H

#include "base/number.h"
#include "op/schema_int.h"

typedef struct ob__parser {
    ob_schema *schema;
    const char *begin, *at, *end;
    char *strings; /* the copy of the text whose separators are overwritten */
    ob_type *next_type;
    ob_schema_arg *next_arg;
    ob_err *err;
} ob__parser;

static inline bool ob__parser_is_word(char c)
{
    return ob__is_word_start(c) || ob__is_digit(c);
}

void ob__parser_skip_space(ob__parser *p);
/* Skips blanks; moves behind the token if it is there. */
bool ob__parser_take(ob__parser *p, const char *token);
/* Start of the word that was taken; NULL = there is none. */
const char *ob__parser_take_word(ob__parser *p);
/* The bytes from start to stop as a string of the schema. At stop there must be a separator. */
const char *ob__parser_string(ob__parser *p, const char *start, const char *stop);
/* Errors at p->at: `what` says what was expected. They return the code. */
ob_status ob__parser_fail_code(const ob__parser *p, ob_status code, const char *what);
ob_status ob__parser_fail(const ob__parser *p, const char *what);

/* A type with all that follows it: "Tensor(a!)[]?". */
ob_status ob__parser_type(ob__parser *p, int depth, const ob_type **out);

#endif
