/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops over rows for T = float or double; included by rows_loops.c once for each. LANES is how
 * many sums run side by side.
 */

/* In pairs, so that no addition waits for all before it. */
static inline double CAT(add_lanes, CLASS)(const T *lanes)
{
    double parts[LANES];
    for (int lane = 0; lane < LANES; lane++)
        parts[lane] = (double)lanes[lane];
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int lane = 0; lane < half; lane++)
            parts[lane] += parts[lane + half];
    return parts[0];
}

/* Sums LANES terms of `expression` (over i) at a time, block after block. */
#define BLOCKED_SUM(total, count, expression)                                                      \
    do {                                                                                           \
        for (int64_t block = 0; block < (count); block += BLOCK) {                                 \
            const int64_t end = (count)-block < BLOCK ? (count) : block + BLOCK;                   \
            T lanes[LANES] = {0};                                                                  \
            int64_t at = block;                                                                    \
            for (; at + LANES <= end; at += LANES)                                                 \
                for (int64_t lane = 0; lane < LANES; lane++) {                                     \
                    const int64_t i = at + lane;                                                   \
                    lanes[lane] += (expression);                                                   \
                }                                                                                  \
            for (int64_t i = at; i < end; i++)                                                     \
                lanes[i - at] += (expression);                                                     \
            (total) += CAT(add_lanes, CLASS)(lanes);                                               \
        }                                                                                          \
    } while (0)

/* LANES elements at once are PIECES vectors. */
typedef T CAT(vector, CLASS) __attribute__((vector_size(VECTOR_BYTES)));

typedef BITS CAT(mask, CLASS) __attribute__((vector_size(VECTOR_BYTES)));

static inline CAT(vector, CLASS) CAT(load_vector, CLASS)(const T *from)
{
    CAT(vector, CLASS) v;
    memcpy(&v, from, sizeof v);
    return v;
}

static inline void CAT(store_vector, CLASS)(T *to, CAT(vector, CLASS) v)
{
    memcpy(to, &v, sizeof v);
}

#include "pool_real.h"

static double CAT(row_sum, CLASS)(const void *row, int64_t count)
{
    const T *x = row;
    double total = 0;
    for (int64_t block = 0; block < count; block += BLOCK) {
        const int64_t end = count - block < BLOCK ? count : block + BLOCK;
        CAT(vector, CLASS) sums[PIECES] = {0};
        T lanes[LANES];
        int64_t at = block;
        for (; at + LANES <= end; at += LANES)
            EACH_PIECE(p, PIECES)
        sums[p] += CAT(load_vector, CLASS)(x + at + p * ACROSS);
        EACH_PIECE(p, PIECES)
        CAT(store_vector, CLASS)(lanes + p * ACROSS, sums[p]);
        for (int64_t i = at; i < end; i++)
            lanes[i - at] += x[i];
        total += CAT(add_lanes, CLASS)(lanes);
    }
    return total;
}

/* In double from the first addition on: short rows, of which there are many. */
typedef double CAT(wide, CLASS) __attribute__((vector_size(VECTOR_BYTES)));
typedef T CAT(narrow, CLASS)
    __attribute__((vector_size(VECTOR_BYTES / sizeof(double) * sizeof(T))));

static inline CAT(wide, CLASS) CAT(load_wide, CLASS)(const T *from)
{
    CAT(narrow, CLASS) v;
    memcpy(&v, from, sizeof v);
    return __builtin_convertvector(v, CAT(wide, CLASS));
}

static double CAT(row_sum_short, CLASS)(const void *row, int64_t count)
{
    enum { WIDE = VECTOR_BYTES / sizeof(double), SIDES = 4 };
    const T *x = row;
    CAT(wide, CLASS) sums[SIDES] = {0};
    double parts[WIDE], total = 0;
    int64_t at = 0;
    for (; at + SIDES * WIDE <= count; at += SIDES * WIDE)
        EACH_PIECE(p, SIDES)
    sums[p] += CAT(load_wide, CLASS)(x + at + p * WIDE);
    for (; at + WIDE <= count; at += WIDE)
        sums[0] += CAT(load_wide, CLASS)(x + at);
    sums[0] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    memcpy(parts, &sums[0], sizeof parts);
    for (int lane = 0; lane < WIDE; lane++)
        total += parts[lane];
    for (; at < count; at++)
        total += (double)x[at];
    return total;
}

static double CAT(row_sum_squares, CLASS)(const void *row, int64_t count, double mean)
{
    const T *x = row;
    const T shift = (T)mean;
    double total = 0;
    BLOCKED_SUM(total, count, (x[i] - shift) * (x[i] - shift));
    return total;
}

static native_sums CAT(row_sum_grad, CLASS)(const void *grad, const void *row, const void *weight,
                                            int64_t count, double mean)
{
    const T *g = grad, *x = row, *w = weight;
    const T shift = (T)mean;
    native_sums sums = {0, 0};
    if (w == NULL) {
        BLOCKED_SUM(sums.grad, count, g[i]);
        BLOCKED_SUM(sums.grad_x, count, g[i] * (x[i] - shift));
    } else {
        BLOCKED_SUM(sums.grad, count, g[i] * w[i]);
        BLOCKED_SUM(sums.grad_x, count, g[i] * w[i] * (x[i] - shift));
    }
    return sums;
}

static void CAT(row_norm, CLASS)(const native_norm_row *row)
{
    T *out = row->out;
    const T *x = row->x, *w = row->weight, *b = row->bias;
    const T mean = (T)row->mean, scale = (T)row->scale, shift = (T)row->shift;
    const int64_t count = row->count;
    if (w != NULL && b != NULL)
        LOOP_PRAGMA for (int64_t i = 0; i < count; i++) out[i] =
            (x[i] - mean) * scale * w[i] + b[i];
    else if (w != NULL)
        LOOP_PRAGMA for (int64_t i = 0; i < count; i++) out[i] = (x[i] - mean) * scale * w[i];
    else if (b != NULL)
        LOOP_PRAGMA for (int64_t i = 0; i < count; i++) out[i] = (x[i] - mean) * scale + b[i];
    else
        LOOP_PRAGMA for (int64_t i = 0; i < count; i++) out[i] = (x[i] - mean) * scale + shift;
}

static void CAT(row_norm_grad, CLASS)(const native_grad_row *row)
{
    T *out = row->out;
    const T *g = row->grad, *x = row->x, *w = row->weight;
    const T mean = (T)row->mean, scale = (T)row->scale, slope = (T)row->slope;
    const T shift = (T)row->shift;
    const int64_t count = row->count;
    if (w == NULL)
        LOOP_PRAGMA for (int64_t i = 0; i < count; i++) out[i] =
            g[i] * scale + (x[i] - mean) * slope + shift;
    else
        LOOP_PRAGMA for (int64_t i = 0; i < count; i++) out[i] =
            g[i] * w[i] * scale + (x[i] - mean) * slope + shift;
}

static void CAT(row_add_grad, CLASS)(double *weight, double *bias, const void *grad,
                                     const void *row, int64_t count, double mean, double scale)
{
    const T *g = grad, *x = row;
    if (weight != NULL)
        LOOP_PRAGMA for (int64_t i = 0; i < count; i++) weight[i] +=
            (double)g[i] * (((double)x[i] - mean) * scale);
    if (bias != NULL)
        LOOP_PRAGMA for (int64_t i = 0; i < count; i++) bias[i] += (double)g[i];
}

/* ---- convolutions ---- */

/* Two vectors at a time, so that additions do not wait for each other. */
static void CAT(add_taps, CLASS)(const native_taps *taps)
{
    T *out = taps->out;
    const T *in = taps->in, *w = taps->weights;
    _Static_assert(2 * LANES <= NATIVE_TAP_SLACK, "the last step stays inside the slack");
    for (int64_t i = 0; i < taps->count; i += 2 * LANES) {
        CAT(vector, CLASS) sums[2 * PIECES];
        EACH_PIECE(p, 2 * PIECES)
        sums[p] = (CAT(vector, CLASS)){0} + (T)taps->start;
        for (int64_t t = 0; t < taps->taps; t++) {
            const T *from = in + taps->offsets[t] + i;
            EACH_PIECE(p, 2 * PIECES)
            sums[p] += CAT(load_vector, CLASS)(from + p * ACROSS) * w[t];
        }
        EACH_PIECE(p, 2 * PIECES)
        CAT(store_vector, CLASS)(out + i + p * ACROSS, sums[p]);
    }
}

/* ---- softmax of one row ---- */

/* NaN is not more than anything: it comes through in the sum. */
static T CAT(row_max, CLASS)(const T *x, int64_t count)
{
    CAT(vector, CLASS) best[PIECES];
    EACH_PIECE(p, PIECES)
    best[p] = (CAT(vector, CLASS)){0} - (T)INFINITY;
    T lanes[LANES];
    int64_t at = 0;
    for (; at + LANES <= count; at += LANES)
        EACH_PIECE(p, PIECES)
        {
            const CAT(vector, CLASS) v = CAT(load_vector, CLASS)(x + at + p * ACROSS);
            const CAT(mask, CLASS) more = v > best[p];
            best[p] = (CAT(vector, CLASS))(((CAT(mask, CLASS))v & more) |
                                           ((CAT(mask, CLASS))best[p] & ~more));
        }
    EACH_PIECE(p, PIECES)
    CAT(store_vector, CLASS)(lanes + p * ACROSS, best[p]);
    for (; at < count; at++)
        lanes[0] = x[at] > lanes[0] ? x[at] : lanes[0];
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int lane = 0; lane < half; lane++)
            lanes[lane] = lanes[lane + half] > lanes[lane] ? lanes[lane + half] : lanes[lane];
    return lanes[0];
}

/* out = exp(x - shift); returns the sum. */
static double CAT(row_exp, CLASS)(T *out, const T *x, int64_t count, T shift)
{
    LOOP_PRAGMA
    for (int64_t i = 0; i < count; i++)
        out[i] = M(exp)(x[i] - shift);
    return CAT(row_sum, CLASS)(out, count);
}

static void CAT(row_softmax, CLASS)(void *to, const void *from, int64_t count)
{
    T *out = to;
    const T factor =
        (T)(1 / CAT(row_exp, CLASS)(out, from, count, CAT(row_max, CLASS)(from, count)));
    LOOP_PRAGMA
    for (int64_t i = 0; i < count; i++)
        out[i] *= factor;
}

static void CAT(row_log_softmax, CLASS)(void *to, const void *from, int64_t count)
{
    T *out = to;
    const T *x = from;
    if (count == 0)
        return;
    const T best = CAT(row_max, CLASS)(x, count);
    double total = 0;
    int64_t at = 0;
    do {
        T part[BLOCK];
        total += CAT(row_exp, CLASS)(part, x + at, count - at < BLOCK ? count - at : BLOCK, best);
        at += BLOCK;
    } while (at < count);
    const T lost = (T)log(total);
    LOOP_PRAGMA
    for (int64_t i = 0; i < count; i++)
        out[i] = x[i] - best - lost;
}

static void CAT(row_softmax_backward, CLASS)(void *to, const void *grad, const void *result,
                                             int64_t count)
{
    T *out = to;
    const T *g = grad, *y = result;
    double total = 0;
    BLOCKED_SUM(total, count, g[i] * y[i]);
    const T mean = (T)total;
    LOOP_PRAGMA
    for (int64_t i = 0; i < count; i++)
        out[i] = (g[i] - mean) * y[i];
}

static void CAT(row_log_softmax_backward, CLASS)(void *to, const void *grad, const void *result,
                                                 int64_t count)
{
    T *out = to;
    const T *g = grad, *y = result;
    const T total = (T)CAT(row_sum, CLASS)(g, count);
    LOOP_PRAGMA
    for (int64_t i = 0; i < count; i++)
        out[i] = g[i] - M(exp)(y[i]) * total;
}

/* ---- softmax of neighbouring columns ---- */

#define EACH_COLUMN(c) LOOP_PRAGMA for (int c = 0; c < width; c++)

static void CAT(block_max, CLASS)(const native_softmax_block *b, T *best)
{
    const int width = b->width;
    EACH_COLUMN(c) best[c] = (T)-INFINITY;
    for (int64_t r = 0; r < b->count; r++) {
        const T *x = (const T *)b->in + r * b->stride;
        EACH_COLUMN(c) best[c] = x[c] > best[c] ? x[c] : best[c];
    }
}

static void CAT(block_softmax, CLASS)(const native_softmax_block *b)
{
    const int width = b->width;
    T best[NATIVE_SOFTMAX_WIDTH];
    double total[NATIVE_SOFTMAX_WIDTH] = {0};
    CAT(block_max, CLASS)(b, best);
    for (int64_t r = 0; r < b->count; r++) {
        const T *x = (const T *)b->in + r * b->stride;
        T *out = (T *)b->out + r * b->stride;
        EACH_COLUMN(c) out[c] = M(exp)(x[c] - best[c]);
        EACH_COLUMN(c) total[c] += (double)out[c];
    }
    for (int64_t r = 0; r < b->count; r++) {
        T *out = (T *)b->out + r * b->stride;
        EACH_COLUMN(c) out[c] = out[c] * (T)(1 / total[c]);
    }
}

static void CAT(block_log_softmax, CLASS)(const native_softmax_block *b)
{
    const int width = b->width;
    T best[NATIVE_SOFTMAX_WIDTH], part[NATIVE_SOFTMAX_WIDTH];
    double total[NATIVE_SOFTMAX_WIDTH] = {0};
    CAT(block_max, CLASS)(b, best);
    for (int64_t r = 0; r < b->count; r++) {
        const T *x = (const T *)b->in + r * b->stride;
        EACH_COLUMN(c) part[c] = M(exp)(x[c] - best[c]);
        EACH_COLUMN(c) total[c] += (double)part[c];
    }
    EACH_COLUMN(c) part[c] = (T)log(total[c]);
    for (int64_t r = 0; r < b->count; r++) {
        const T *x = (const T *)b->in + r * b->stride;
        T *out = (T *)b->out + r * b->stride;
        EACH_COLUMN(c) out[c] = x[c] - best[c] - part[c];
    }
}

static void CAT(block_softmax_backward, CLASS)(const native_softmax_block *b)
{
    const int width = b->width;
    double total[NATIVE_SOFTMAX_WIDTH] = {0};
    for (int64_t r = 0; r < b->count; r++) {
        const T *g = (const T *)b->grad + r * b->stride, *y = (const T *)b->in + r * b->stride;
        EACH_COLUMN(c) total[c] += (double)g[c] * (double)y[c];
    }
    for (int64_t r = 0; r < b->count; r++) {
        const T *g = (const T *)b->grad + r * b->stride, *y = (const T *)b->in + r * b->stride;
        T *out = (T *)b->out + r * b->stride;
        EACH_COLUMN(c) out[c] = (g[c] - (T)total[c]) * y[c];
    }
}

static void CAT(block_log_softmax_backward, CLASS)(const native_softmax_block *b)
{
    const int width = b->width;
    double total[NATIVE_SOFTMAX_WIDTH] = {0};
    for (int64_t r = 0; r < b->count; r++) {
        const T *g = (const T *)b->grad + r * b->stride;
        EACH_COLUMN(c) total[c] += (double)g[c];
    }
    for (int64_t r = 0; r < b->count; r++) {
        const T *g = (const T *)b->grad + r * b->stride, *y = (const T *)b->in + r * b->stride;
        T *out = (T *)b->out + r * b->stride;
        EACH_COLUMN(c) out[c] = g[c] - M(exp)(y[c]) * (T)total[c];
    }
}

#undef EACH_COLUMN
#undef BLOCKED_SUM

static const native_rows CAT(rows, CLASS) = {
    .add_taps = CAT(add_taps, CLASS),
    .sum = CAT(row_sum, CLASS),
    .sum_short = CAT(row_sum_short, CLASS),
    .pool_max = CAT(pool_max, CLASS),
    .pool_add = CAT(pool_add, CLASS),
    .sum_squares = CAT(row_sum_squares, CLASS),
    .sum_grad = CAT(row_sum_grad, CLASS),
    .norm = CAT(row_norm, CLASS),
    .norm_grad = CAT(row_norm_grad, CLASS),
    .add_grad = CAT(row_add_grad, CLASS),
    .softmax = CAT(row_softmax, CLASS),
    .log_softmax = CAT(row_log_softmax, CLASS),
    .softmax_backward = CAT(row_softmax_backward, CLASS),
    .log_softmax_backward = CAT(row_log_softmax_backward, CLASS),
    .softmax_block = CAT(block_softmax, CLASS),
    .log_softmax_block = CAT(block_log_softmax, CLASS),
    .softmax_backward_block = CAT(block_softmax_backward, CLASS),
    .log_softmax_backward_block = CAT(block_log_softmax_backward, CLASS),
};
