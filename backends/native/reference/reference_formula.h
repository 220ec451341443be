/* SPDX-License-Identifier: Apache-2.0
 *
 * How the tables of reference_arithmetic.c and reference_activation.c write formulas: REAL(name, formula) of balls a[0], a[1], ...,
 * WHOLE of whole numbers, COMPLEX of complex ones, and a row for each operator.
 */
#ifndef NATIVE_REFERENCE_FORMULA_H
#define NATIVE_REFERENCE_FORMULA_H

#include "reference_pointwise.h"

#define ADD(x, y) ball_add(r, x, y)
#define SUB(x, y) ball_sub(r, x, y)
#define MUL(x, y) ball_mul(r, x, y)
#define DIV(x, y) ball_div(r, x, y)
#define F(f, x) ball_function(r, x, f)
#define ONE ball_of(1)
#define C(x) ((ball){x, r->given * fabs(x)}) /* a constant that is rounded */
#define LOOSE(x, roundings) ball_loose(r, x, roundings)
/* Libraries are right to a rounding of 1, not of what little is left. */
#define SIGMOID(x) LOOSE(DIV(ONE, ADD(ONE, F(exp, ball_neg(x)))), 1)
/* Usual approximations are that good to 1 only: PyTorch's in float32 is off by 3.1e-7. */
#define ERF(x) LOOSE(F(erf, x), 2)

/* Other formulas for the same lose more: so many roundings of 1. */
static inline ball ball_loose(const ball_rules *r, ball x, double roundings)
{
    return (ball){x.v, x.e + roundings * r->u};
}

#define REAL(name, formula)                                                                        \
    static ball real_##name(const ball_rules *r, const ball *a, const point_options *o)            \
    {                                                                                              \
        (void)r, (void)a, (void)o;                                                                 \
        return formula;                                                                            \
    }
#define WHOLE(name, formula)                                                                       \
    static int64_t whole_##name(const int64_t *a, const point_options *o)                          \
    {                                                                                              \
        (void)a, (void)o;                                                                          \
        return formula;                                                                            \
    }
#define COMPLEX(name, formula)                                                                     \
    static complex_ball complex_##name(const ball_rules *r, const complex_ball *a,                 \
                                       const point_options *o)                                     \
    {                                                                                              \
        (void)r, (void)a, (void)o;                                                                 \
        return formula;                                                                            \
    }

#define CADD(x, y) ((complex_ball){ADD((x).re, (y).re), ADD((x).im, (y).im)})

static inline complex_ball cneg(complex_ball x)
{
    return (complex_ball){ball_neg(x.re), ball_neg(x.im)};
}

static inline complex_ball cmul(const ball_rules *r, complex_ball x, complex_ball y)
{
    return (complex_ball){SUB(MUL(x.re, y.re), MUL(x.im, y.im)),
                          ADD(MUL(x.re, y.im), MUL(x.im, y.re))};
}

static inline double sign_of(double x)
{
    return (double)(x > 0) - (double)(x < 0);
}
static inline double rsqrt_of(double x)
{
    return 1 / sqrt(x);
}

#define POINT(op, words, real_fn, whole_fn, complex_fn)                                            \
    {                                                                                              \
        .name = "aten::" #op, .run = ref_pointwise, .data = &(const point_row)                     \
        {                                                                                          \
            .operands = (words), .real = (real_fn), .whole = (whole_fn), .complex = (complex_fn)   \
        }                                                                                          \
    }
#define POINT_REAL(op) POINT(op, "self", real_##op, NULL, NULL)

#endif
