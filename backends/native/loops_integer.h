/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops for T = int32_t or int64_t, U their unsigned kin; included by loops.c once for each.
 */

#include "kit/loops_integer_functions.h"

#define INTEGER_BOTH(kind, name, e) DEFINE_##kind(name, SCALARS_INTEGER, e)
#define INTEGER_FLOAT(kind, name, e)
#define INTEGER_INT(kind, name, e) DEFINE_##kind(name, SCALARS_INTEGER, e)
#define OB_KIT_LOOP(name, kind, types, real, integer) INTEGER_##types(kind, loop_##name, integer)
#include "kit/loops.def"
#undef OB_KIT_LOOP
#undef INTEGER_BOTH
#undef INTEGER_FLOAT
#undef INTEGER_INT

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
