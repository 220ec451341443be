/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops over a row of windows for T = float or double; included by rows_real.h for each. As many windows as a vector has
 * elements are done together and see their elements one by one, in the order in which one window would: the first of
 * equal maxima stays, and a NaN wins. What is left at the end of a row is done with windows that were done before: to see
 * the same elements twice changes no maximum.
 */

static inline CAT(vector, CLASS) CAT(load_stepped, CLASS)(const T *in, int64_t stride)
{
    CAT(vector, CLASS) v = {0};
    if (stride == 1)
        return CAT(load_vector, CLASS)(in);
    if (stride == 2)
        return __builtin_shufflevector(CAT(load_vector, CLASS)(in),
                                       CAT(load_vector, CLASS)(in + ACROSS - 1),
                                       CAT(EVERY_OTHER, CLASS));
    for (int lane = 0; lane < ACROSS; lane++)
        v[lane] = in[lane * stride];
    return v;
}

/* The windows from o on, as many as a vector has elements. Inlined for each stride, so that it is none of the loop's business. */
static inline __attribute__((always_inline)) void
CAT(pool_max_across, CLASS)(const native_pool_row *row, int64_t o, int64_t stride, T *values,
                            BITS *places)
{
    CAT(vector, CLASS) best = CAT(load_vector, CLASS)(values + o);
    CAT(mask, CLASS) place, steps = {0};
    memcpy(&place, places + o, sizeof place);
    for (int lane = 0; lane < ACROSS; lane++)
        steps[lane] = (BITS)(lane * stride);
    for (int e = 0; e < row->elements; e++) {
        const int64_t start = row->offsets[e] + o * stride;
        const CAT(vector, CLASS) x =
            CAT(load_stepped, CLASS)((const T *)row->plane + start, stride);
        const CAT(mask, CLASS) more = (x > best) | (x != x);
        best =
            (CAT(vector, CLASS))((more & (CAT(mask, CLASS))x) | (~more & (CAT(mask, CLASS))best));
        place = (more & (steps + (BITS)start)) | (~more & place);
    }
    CAT(store_vector, CLASS)(values + o, best);
    memcpy(places + o, &place, sizeof place);
}

static void CAT(pool_max, CLASS)(const native_pool_row *row, void *values, void *places)
{
    const T *in = row->plane;
    T *best = values;
    BITS *place = places;
    for (int64_t o = 0; row->count >= ACROSS && o < row->count; o += ACROSS) {
        const int64_t at = o + ACROSS <= row->count ? o : row->count - ACROSS;
        if (row->stride == 1)
            CAT(pool_max_across, CLASS)(row, at, 1, best, place);
        else if (row->stride == 2)
            CAT(pool_max_across, CLASS)(row, at, 2, best, place);
        else
            CAT(pool_max_across, CLASS)(row, at, row->stride, best, place);
    }
    for (int64_t o = 0; row->count < ACROSS && o < row->count; o++)
        for (int e = 0; e < row->elements; e++) {
            const int64_t i = row->offsets[e] + o * row->stride;
            const bool more = in[i] > best[o] || in[i] != in[i];
            best[o] = more ? in[i] : best[o];
            place[o] = more ? (BITS)i : place[o];
        }
}

static void CAT(pool_add, CLASS)(const native_pool_row *row, double *totals)
{
    const int64_t count = row->count, stride = row->stride;
    for (int e = 0; e < row->elements; e++) {
        const T *in = (const T *)row->plane + row->offsets[e];
        if (stride == 1)
            LOOP_PRAGMA for (int64_t o = 0; o < count; o++) totals[o] += (double)in[o];
        else if (stride == 2)
            LOOP_PRAGMA for (int64_t o = 0; o < count; o++) totals[o] += (double)in[2 * o];
        else
            LOOP_PRAGMA for (int64_t o = 0; o < count; o++) totals[o] += (double)in[o * stride];
    }
}
