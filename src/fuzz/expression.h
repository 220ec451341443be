/* SPDX-License-Identifier: Apache-2.0
 *
 * Integer expressions over parameters, for the constraints of a spec. Compiled once to code of a
 * stack machine, so that neither a long nor a deep expression can exhaust the stack of the process.
 */
#ifndef OB_FUZZ_EXPRESSION_H
#define OB_FUZZ_EXPRESSION_H

#include "base/arena.h"
#include "opbench/value.h"

typedef struct ob__expression_step {
    int op;          /* of expression.c */
    int64_t operand; /* a number, the place of a parameter, or the step to go to */
} ob__expression_step;

typedef struct ob__expression {
    const char *text;
    ob__expression_step *steps;
    size_t step_count;
} ob__expression;

/* The place of a name among the values; -1 when there is none. */
typedef ptrdiff_t (*ob__expression_find_fn)(const void *ctx, const char *name, size_t length);

typedef struct ob__expression_names {
    ob__expression_find_fn find;
    const void *ctx;
} ob__expression_names;

/* OB_ERR_SYNTAX, OB_ERR_NOT_FOUND or OB_ERR_LIMIT with the place in the text. */
ob_status ob__expression_compile(const char *text, const ob__expression_names *names,
                                 ob_arena *arena, ob__expression *out, ob_err *err);
/* True and false are 1 and 0. OB_ERR_OVERFLOW; OB_ERR_INVALID for a division by 0 or a value that is
 * no whole number. */
ob_status ob__expression_eval(const ob__expression *expression, const ob_value *values,
                              int64_t *out, ob_err *err);

#endif
