/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops for T = float or double; included by loops.c once for each.
 */

#include "kit/loops_real_functions.h"

#define REAL_BOTH(kind, name, e) DEFINE_##kind(name, SCALARS_REAL, e)
#define REAL_FLOAT(kind, name, e) DEFINE_##kind(name, SCALARS_REAL, e)
#define REAL_INT(kind, name, e)
#define OB_KIT_LOOP(name, kind, types, real, integer) REAL_##types(kind, loop_##name, real)
#include "kit/loops.def"
#undef OB_KIT_LOOP
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

/* 32 sums side by side, whatever the instruction set: one vector alone would wait for each addition before the next. */
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
        vector_sums sums[32 / SUMS] = {0};                                                         \
        double s[32], total = 0;                                                                   \
        int64_t i = 0;                                                                             \
        for (; i + 32 <= count; i += 32)                                                           \
            EACH_PIECE(p, 32 / SUMS)                                                               \
        sums[p] += CAT(name##_vector, CLASS)(a + i + p * SUMS, shift);                             \
        for (; i + 8 <= count; i += 8)                                                             \
            EACH_PIECE(p, 8 / SUMS)                                                                \
        sums[p] += CAT(name##_vector, CLASS)(a + i + p * SUMS, shift);                             \
        for (; i < count; i++) {                                                                   \
            const double x = (double)a[i];                                                         \
            total += (expression);                                                                 \
        }                                                                                          \
        EACH_PIECE(p, 32 / SUMS)                                                                   \
        memcpy(s + p * SUMS, &sums[p], sizeof sums[p]);                                            \
        for (int p = 0; p < 8; p++)                                                                \
            s[p] = (s[p] + s[p + 8]) + (s[p + 16] + s[p + 24]);                                    \
        for (int p = 0; p < 4; p++)                                                                \
            s[p] += s[p + 4];                                                                      \
        total += (s[0] + s[2]) + (s[1] + s[3]);                                                    \
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
