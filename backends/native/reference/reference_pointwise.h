/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators that make each element of their result from one element of every operand, broadcast. A row says which arguments
 * are the operands and has a function of balls, and one of whole numbers where integers are computed as such.
 */
#ifndef NATIVE_REFERENCE_POINTWISE_H
#define NATIVE_REFERENCE_POINTWISE_H

#include "reference_call.h"

typedef struct point_options {
    unsigned given; /* bit k: operand k is there */
    char mode;    /* the first letter of the argument that is a word ("floor", "tanh"); 0 = none */
    bool truth;   /* the first operand is of bool */
    double count; /* of elements, for those that take a mean of them later */
} point_options;

typedef struct complex_ball {
    ball re, im;
} complex_ball;

typedef ball (*point_real)(const ball_rules *r, const ball *a, const point_options *o);
typedef int64_t (*point_whole)(const int64_t *a, const point_options *o);
typedef complex_ball (*point_complex)(const ball_rules *r, const complex_ball *a,
                                      const point_options *o);

typedef struct point_row {
    /* Arguments by name, with "|" between words for the same in other overloads. "@weight" has one element for each
     * channel, along dimension 1. */
    const char *operands;
    point_real real;
    point_whole whole;     /* NULL: of whole numbers as of real ones, exactly */
    point_complex complex; /* NULL: there is none */
    bool with_mode;        /* whole numbers are computed as such only where a mode says how */
} point_row;

/* The first output. call->data is the point_row. */
ob_status ref_pointwise(ref_call *call, ob_err *err);
/* The same into another output, with a count for the options. */
ob_status ref_pointwise_into(ref_call *call, ref_out *out, double count, ob_err *err);

#endif
