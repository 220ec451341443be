/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers with their bounds. A ball is an exact result (as near as float64 comes) and how far a right kernel may
 * be from it. Every operation carries the bounds of its operands on and adds the rounding that a kernel does there, so that a formula
 * written in balls has its own error bound: what cancels, and what was really summed, shows in it.
 *
 * The formulas are the plain ones. A kernel that does better is within the bound all the more.
 */
#ifndef NATIVE_REFERENCE_BALL_H
#define NATIVE_REFERENCE_BALL_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct ball {
    double v; /* the value */
    double e; /* bound of |kernel's - v|; INFINITY = anything */
} ball;

/* How the kernels of a call compute. */
typedef struct ball_rules {
    double u; /* half an epsilon of the precision they compute in; 0 = whole numbers, exact */
    double
        half; /* in half precision: half an epsilon of that. Libraries may round to it after every step */
    double given; /* the same of the dtype that constants are rounded to */
    /* Bounds of operands are added for their squares: they come from many calls, whose roundings know nothing of
     * each other. Else they are added themselves. */
    bool deep;
} ball_rules;

/* A library's exp, log, erf and so on may be off by so many roundings. */
#define BALL_FUNCTION_ROUNDINGS 4

static inline ball ball_of(double v)
{
    return (ball){.v = v, .e = 0};
}

/* e times x, where nothing times anything is nothing. */
static inline double ball_times(double x, double e)
{
    return e == 0 || x == 0 ? 0 : fabs(x) * e;
}

static inline double ball_join(const ball_rules *r, double a, double b)
{
    return a == 0 ? b : b == 0 ? a : r->deep ? hypot(a, b) : a + b;
}

/* The rounding of a result. What is infinite or no number was not rounded. */
static inline double ball_rounding(const ball_rules *r, double v)
{
    return isfinite(v) ? (r->u + r->half) * fabs(v) : 0;
}

static inline ball ball_add(const ball_rules *r, ball a, ball b)
{
    const double v = a.v + b.v;
    return (ball){v, ball_join(r, a.e, b.e) + ball_rounding(r, v)};
}

static inline ball ball_neg(ball a)
{
    return (ball){-a.v, a.e};
}

static inline ball ball_sub(const ball_rules *r, ball a, ball b)
{
    return ball_add(r, a, ball_neg(b));
}

static inline ball ball_mul(const ball_rules *r, ball a, ball b)
{
    const double v = a.v * b.v;
    return (ball){v, ball_join(r, ball_times(a.v, b.e), ball_times(b.v, a.e)) +
                         ball_times(a.e, b.e) + ball_rounding(r, v)};
}

static inline ball ball_div(const ball_rules *r, ball a, ball b)
{
    const double v = a.v / b.v;
    const double least = fabs(b.v) - b.e;
    if (a.e == 0 && b.e == 0)
        return (ball){v, ball_rounding(r, v)};
    if (!(least > 0))
        return (ball){v, INFINITY};
    return (ball){v, ball_join(r, a.e, ball_times(v, b.e)) / least + ball_rounding(r, v)};
}

/* A smooth function of one number, `roundings` of it off. */
static inline ball ball_function_of(const ball_rules *r, ball a, double (*f)(double),
                                    double roundings)
{
    const double v = f(a.v);
    double e = isfinite(v) ? (roundings * r->u + r->half) * fabs(v) : 0;
    if (v == 0 && f(1) != 0 && a.v != 0)
        e += 0x1p-1000; /* it came out as nothing, which others may call very little */
    if (a.e > 0) {
        const double up = fabs(f(a.v + a.e) - v), down = fabs(f(a.v - a.e) - v);
        e += fmax(isnan(up) ? INFINITY : up, isnan(down) ? INFINITY : down);
    }
    return (ball){v, e};
}

static inline ball ball_function(const ball_rules *r, ball a, double (*f)(double))
{
    return ball_function_of(r, a, f, BALL_FUNCTION_ROUNDINGS);
}

/* ---- what decides ---- */

/* Whether something holds, and whether the operands' bounds leave no doubt. */
typedef struct ball_truth {
    bool is, sure;
} ball_truth;

static inline ball_truth ball_less(ball a, ball b)
{
    const double reach = a.e + b.e;
    return (ball_truth){a.v < b.v,
                        reach == 0 || fabs(a.v - b.v) > reach || isnan(a.v) || isnan(b.v)};
}

static inline ball_truth ball_at_most(ball a, ball b)
{
    const ball_truth less = ball_less(a, b);
    return (ball_truth){a.v <= b.v, less.sure};
}

/* a where it holds, b where it does not, both where that is not sure. */
static inline ball ball_if(ball_truth t, ball a, ball b)
{
    const ball taken = t.is ? a : b, other = t.is ? b : a;
    if (t.sure)
        return taken;
    return (ball){taken.v, fmax(taken.e, fabs(taken.v - other.v) + other.e)};
}

/* The larger, or the number that is none. */
static inline ball ball_max(ball a, ball b)
{
    if (isnan(a.v) || isnan(b.v))
        return ball_of(NAN);
    const ball top = a.v >= b.v ? a : b, low = a.v >= b.v ? b : a;
    return (ball){top.v, fmax(top.e, low.v + low.e - top.v)};
}

static inline ball ball_min(ball a, ball b)
{
    return ball_neg(ball_max(ball_neg(a), ball_neg(b)));
}

static inline ball ball_abs(ball a)
{
    return (ball){fabs(a.v), a.e};
}

/* A function with steps. */
static inline ball ball_step(ball a, double (*f)(double))
{
    const double v = f(a.v);
    return (ball){v, a.e == 0 ? 0 : fmax(fabs(f(a.v + a.e) - v), fabs(f(a.v - a.e) - v))};
}

static inline ball ball_truth_value(ball_truth t)
{
    return (ball){t.is, t.sure ? 0 : 1};
}

/* ---- sums ---- */

/* Many numbers that are added, in an order that nobody knows. */
typedef struct ball_sum {
    double sum, lost;         /* with what it lost, by Neumaier */
    double magnitude, square; /* of the terms: |v| and v * v */
    double error, error_square;
    int64_t count;
} ball_sum;

static inline void ball_sum_add(ball_sum *s, ball x)
{
    const double next = s->sum + x.v;
    s->lost += fabs(s->sum) >= fabs(x.v) ? s->sum - next + x.v : x.v - next + s->sum;
    s->sum = next;
    s->magnitude += fabs(x.v);
    s->square += x.v * x.v;
    s->error += x.e;
    s->error_square += x.e * x.e;
    s->count++;
}

/* A sum of n terms has n - 1 roundings, each of a partial sum. Where the terms come in no special order a partial sum of k
 * terms is about as large as k/n of the result and the square root of the squares' sum; roundings add up as
 * their squares do. No order can do worse than n times the magnitudes. */
static inline ball ball_sum_end(const ball_rules *r, const ball_sum *s)
{
    /* With the slack of results (reference.c) nine standard deviations of terms that are added one after the other. */
    static const double DEVIATIONS = 0.75, DEVIATIONS_IN_HALF = 2;
    /* So many terms may be summed in one place, and so many in half precision; whoever sums more so is wrong. */
    static const double MOST = 0x1p18, MOST_IN_HALF = 32;
    const double v = isfinite(s->lost) ? s->sum + s->lost : s->sum;
    const double n = fmin((double)s->count, MOST);
    const double spread = v * v + s->square;
    const double own = fmin(n * s->magnitude, DEVIATIONS * sqrt(n * spread) + s->magnitude);
    const double few = fmin(n, MOST_IN_HALF);
    const double in_half =
        r->half * fmin(few * s->magnitude, DEVIATIONS_IN_HALF * sqrt(few * spread));
    const double carried = r->deep ? fmin(s->error, 3 * sqrt(s->error_square)) : s->error;
    if (s->count < 2)
        return (ball){v, carried};
    return (ball){v, carried + (isfinite(own) ? r->u * own + in_half : 0)};
}

#endif
