/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops over a row of windows for T = float or double; included by rows_loops.c once for each. A window's elements
 * come one by one, each for all windows of the row at once, in the order in which one window would see
 * them: the first of equal maxima stays, and a NaN wins.
 */

#define EACH_WINDOW(step)                                                                          \
    LOOP_PRAGMA for (int64_t o = 0; o < count; o++)                                                \
    {                                                                                              \
        const T x = in[o * (step)];                                                                \
        const int more = (x > best[o]) | (x != x);                                                 \
        best[o] = more ? x : best[o];                                                              \
        place[o] = more ? (BITS)(start + o * (step)) : place[o];                                   \
    }

static void CAT(pool_max, CLASS)(const native_pool_row *row, void *values, void *places)
{
    const T *in = row->in;
    T *best = values;
    BITS *place = places;
    const int64_t count = row->count, stride = row->stride;
    const BITS start = (BITS)row->start;
    if (stride == 1)
        EACH_WINDOW(1)
    else if (stride == 2)
        EACH_WINDOW(2)
    else
        EACH_WINDOW(stride)
}
#undef EACH_WINDOW

static void CAT(pool_add, CLASS)(const native_pool_row *row, double *totals)
{
    const T *in = row->in;
    const int64_t count = row->count, stride = row->stride;
    if (stride == 1)
        LOOP_PRAGMA for (int64_t o = 0; o < count; o++) totals[o] += (double)in[o];
    else if (stride == 2)
        LOOP_PRAGMA for (int64_t o = 0; o < count; o++) totals[o] += (double)in[2 * o];
    else
        LOOP_PRAGMA for (int64_t o = 0; o < count; o++) totals[o] += (double)in[o * stride];
}
