/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops for T = int32_t or int64_t, U their unsigned kin; included by loops.c once for each.
 * Arithmetic wraps, as PyTorch's does. A zero divisor is reported and gives 0.
 */

static inline T CAT(truncate_divide, CLASS)(T x, T y, bool *zero)
{
    if (y == 0) {
        *zero = true;
        return 0;
    }
    return y == -1 ? (T)(0u - (U)x) : (T)(x / y); /* the smallest number has no opposite */
}

static inline T CAT(truncate_modulo, CLASS)(T x, T y, bool *zero)
{
    if (y == 0) {
        *zero = true;
        return 0;
    }
    return y == -1 ? 0 : (T)(x % y);
}

static inline T CAT(floor_divide, CLASS)(T x, T y, bool *zero)
{
    const T quotient = CAT(truncate_divide, CLASS)(x, y, zero);
    const T rest = CAT(truncate_modulo, CLASS)(x, y, zero);
    return rest != 0 && (rest < 0) != (y < 0) ? quotient - 1 : quotient;
}

static inline T CAT(floor_modulo, CLASS)(T x, T y, bool *zero)
{
    const T rest = CAT(truncate_modulo, CLASS)(x, y, zero);
    return rest != 0 && (rest < 0) != (y < 0) ? (T)(rest + y) : rest;
}

/* Negative exponents give what is left of the fraction: 1 for 1, 1 or -1 for -1, else 0. */
static inline T CAT(power, CLASS)(T x, T y)
{
    if (y < 0)
        return x == 1 ? 1 : x == -1 ? ((y & 1) != 0 ? -1 : 1) : 0;
    U result = 1, base = (U)x;
    for (U rest = (U)y; rest != 0; rest >>= 1, base *= base) {
        if ((rest & 1) != 0)
            result *= base;
    }
    return (T)result;
}

#define INT_FLOOR_DIV(x, y) CAT(floor_divide, CLASS)(x, y, &args->zero_divisor)
#define INT_TRUNC_DIV(x, y) CAT(truncate_divide, CLASS)(x, y, &args->zero_divisor)
#define INT_REMAINDER(x, y) CAT(floor_modulo, CLASS)(x, y, &args->zero_divisor)
#define INT_FMOD(x, y) CAT(truncate_modulo, CLASS)(x, y, &args->zero_divisor)
#define INT_POW(x, y) CAT(power, CLASS)(x, y)
#define INTEGER_BOTH(kind, name, e) DEFINE_##kind(name, SCALARS_INTEGER, e)
#define INTEGER_FLOAT(kind, name, e)
#define INTEGER_INT(kind, name, e) DEFINE_##kind(name, SCALARS_INTEGER, e)
#define PLAN_LOOP(name, kind, types, real, integer) INTEGER_##types(kind, loop_##name, integer)
#include "plan/loops.def"
#undef PLAN_LOOP
#undef INTEGER_BOTH
#undef INTEGER_FLOAT
#undef INTEGER_INT
#undef INT_FLOOR_DIV
#undef INT_TRUNC_DIV
#undef INT_REMAINDER
#undef INT_FMOD
#undef INT_POW

/* ---- reductions ---- */

#define DEFINE_WRAPPING(name, start, expression)                                                   \
    static void CAT(reduce_##name, CLASS)(native_accumulator * acc, const void *in, int64_t count, \
                                          double shift)                                            \
    {                                                                                              \
        const T *a = in;                                                                           \
        uint64_t total = (uint64_t)acc->integer;                                                   \
        (void)shift;                                                                               \
        for (int64_t i = 0; i < count; i++) {                                                      \
            const uint64_t x = (uint64_t)(int64_t)a[i];                                            \
            total = (expression);                                                                  \
        }                                                                                          \
        acc->integer = (int64_t)total;                                                             \
    }
DEFINE_WRAPPING(sum, 0, total + x)
DEFINE_WRAPPING(sum_abs, 0, total + (a[i] < 0 ? 0 - x : x))
DEFINE_WRAPPING(sum_squares, 0, total + x * x)
DEFINE_WRAPPING(prod, 1, total *x)
#undef DEFINE_WRAPPING

#define DEFINE_EXTREME(name, better)                                                               \
    static void CAT(reduce_##name, CLASS)(native_accumulator * acc, const void *in, int64_t count, \
                                          double shift)                                            \
    {                                                                                              \
        const T *a = in;                                                                           \
        int64_t best = acc->integer;                                                               \
        (void)shift;                                                                               \
        for (int64_t i = 0; i < count; i++)                                                        \
            best = a[i] better best ? a[i] : best;                                                 \
        acc->integer = best;                                                                       \
    }
DEFINE_EXTREME(max, >)
DEFINE_EXTREME(min, <)
#undef DEFINE_EXTREME

static void CAT(add_rows, CLASS)(void *totals, const void *in, int64_t count)
{
    uint64_t *to = totals;
    const T *a = in;
    LOOP_PRAGMA for (int64_t i = 0; i < count; i++)
    {
        to[i] += (uint64_t)(int64_t)a[i];
    }
}
