/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops for T = float or double; included by loops.c once for each.
 */

#include "plan/loops_real_functions.h"

#define REAL_BOTH(kind, name, e) DEFINE_##kind(name, SCALARS_REAL, e)
#define REAL_FLOAT(kind, name, e) DEFINE_##kind(name, SCALARS_REAL, e)
#define REAL_INT(kind, name, e)
#define PLAN_LOOP(name, kind, types, real, integer) REAL_##types(kind, loop_##name, real)
#include "plan/loops.def"
#undef PLAN_LOOP
#undef REAL_BOTH
#undef REAL_FLOAT
#undef REAL_INT

/* ---- reductions ---- */

/* Adds to a sum and keeps what is lost (Neumaier), so that the length of a reduction hardly counts. */
static inline void CAT(accumulate, CLASS)(native_accumulator *acc, double term)
{
    const double total = acc->real + term;
    if (fabs(acc->real) >= fabs(term))
        acc->low += (acc->real - total) + term;
    else
        acc->low += (term - total) + acc->real;
    acc->real = total;
}

/* Four vectors of sums at a time: one alone would wait for each addition before the next. */
#define DEFINE_SUM(name, expression, vector_expression)                                            \
    static inline vector_sums CAT(name##_vector, CLASS)(const T *from, double shift)               \
    {                                                                                              \
        const vector_sums x = LOAD_VECTOR(from);                                                   \
        (void)shift;                                                                               \
        return vector_expression;                                                                  \
    }                                                                                              \
    static void CAT(reduce_##name, CLASS)(native_accumulator * acc, const void *in, int64_t count, \
                                          double shift)                                            \
    {                                                                                              \
        const T *a = in;                                                                           \
        vector_sums s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};                                        \
        double total = 0;                                                                          \
        int64_t i = 0;                                                                             \
        for (; i + 32 <= count; i += 32) {                                                         \
            s0 += CAT(name##_vector, CLASS)(a + i, shift);                                         \
            s1 += CAT(name##_vector, CLASS)(a + i + 8, shift);                                     \
            s2 += CAT(name##_vector, CLASS)(a + i + 16, shift);                                    \
            s3 += CAT(name##_vector, CLASS)(a + i + 24, shift);                                    \
        }                                                                                          \
        for (; i + 8 <= count; i += 8)                                                             \
            s0 += CAT(name##_vector, CLASS)(a + i, shift);                                         \
        for (; i < count; i++) {                                                                   \
            const double x = (double)a[i];                                                         \
            total += (expression);                                                                 \
        }                                                                                          \
        s0 = (s0 + s1) + (s2 + s3);                                                                \
        const double halves[4] = {s0[0] + s0[4], s0[1] + s0[5], s0[2] + s0[6], s0[3] + s0[7]};     \
        total += (halves[0] + halves[2]) + (halves[1] + halves[3]);                                \
        CAT(accumulate, CLASS)(acc, total);                                                        \
    }
DEFINE_SUM(sum, x, x)
DEFINE_SUM(sum_abs, fabs(x), (vector_sums)((vector_bits)x &INT64_MAX))
DEFINE_SUM(sum_squares, (x - shift) * (x - shift), (x - shift) * (x - shift))
#undef DEFINE_SUM

static void CAT(reduce_prod, CLASS)(native_accumulator *acc, const void *in, int64_t count,
                                    double shift)
{
    const T *a = in;
    double product = 1;
    (void)shift;
    _Pragma("omp simd reduction(* : product)") for (int64_t i = 0; i < count; i++)
    {
        product *= (double)a[i];
    }
    acc->real *= product;
}

#define DEFINE_EXTREME(name, better, start, pragma)                                                \
    static void CAT(reduce_##name, CLASS)(native_accumulator * acc, const void *in, int64_t count, \
                                          double shift)                                            \
    {                                                                                              \
        const T *a = in;                                                                           \
        T best = (T)(start);                                                                       \
        int nan = 0;                                                                               \
        (void)shift;                                                                               \
        _Pragma(pragma) for (int64_t i = 0; i < count; i++)                                        \
        {                                                                                          \
            best = a[i] better best ? a[i] : best;                                                 \
            nan |= a[i] != a[i];                                                                   \
        }                                                                                          \
        if (nan || acc->real != acc->real)                                                         \
            acc->real = (double)NAN;                                                               \
        else if ((double)best better acc->real)                                                    \
            acc->real = (double)best;                                                              \
    }
DEFINE_EXTREME(max, >, -INFINITY, "omp simd reduction(max : best) reduction(| : nan)")
DEFINE_EXTREME(min, <, INFINITY, "omp simd reduction(min : best) reduction(| : nan)")
#undef DEFINE_EXTREME

static void CAT(add_rows, CLASS)(void *totals, const void *in, int64_t count)
{
    double *to = totals;
    const T *a = in;
    LOOP_PRAGMA for (int64_t i = 0; i < count; i++)
    {
        to[i] += (double)a[i];
    }
}
