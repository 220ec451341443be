/* SPDX-License-Identifier: Apache-2.0
 *
 * Pools with fixed windows, a row of windows at a time; see pool.h. What one window sees one after the other,
 * all windows of a strip of outputs see together.
 */
#include "pool.h"

#include <math.h>

enum { COLUMNS = 256 }; /* outputs of a strip */

/* A part of one row of outputs, and how far its elements were visited. */
typedef struct strip {
    const native_pool *pool;
    native_span depth, height;
    int64_t first, count; /* columns */
    int64_t d, h, k;      /* the next element */
} strip;

static strip strip_at(const native_pool *p, int64_t line, int64_t first)
{
    const int64_t left = p->narrow[2] - first;
    strip s = {.pool = p,
               .depth = p->spans[0][line / p->narrow[1]],
               .height = p->spans[1][line % p->narrow[1]],
               .first = first,
               .count = left < COLUMNS ? left : COLUMNS};
    s.d = s.depth.lo;
    s.h = s.height.lo;
    return s;
}

/* The next element of every window that has it: which columns of the strip those are (from *at on), and where
 * their elements stand in the plane. False after the last. */
static bool next_elements(strip *s, native_pool_row *out, int64_t *at)
{
    const native_pool *p = s->pool;
    const native_window *w = p->window;
    while (s->d < s->depth.hi && s->height.lo < s->height.hi) {
        int64_t lo, hi;
        native_window_inside(w, 2, s->k, &lo, &hi);
        lo = lo < s->first ? s->first : lo;
        hi = hi > s->first + s->count ? s->first + s->count : hi;
        *at = lo - s->first;
        out->count = hi - lo;
        out->stride = w->stride[2];
        out->start = (s->d * p->wide[1] + s->h) * p->wide[2] + lo * w->stride[2] +
                     s->k * w->dilation[2] - w->padding[2];
        if (++s->k == w->kernel[2]) {
            s->k = 0;
            s->h += p->step[1];
        }
        if (s->h >= s->height.hi) {
            s->h = s->height.lo;
            s->d += p->step[0];
        }
        if (out->count > 0)
            return true;
    }
    return false;
}

/* The place of the first element that a window sees; -1 when all of it lies in the padding. */
static int64_t first_place(const strip *s, int64_t column)
{
    const native_pool *p = s->pool;
    const native_span x = p->spans[2][s->first + column];
    if (s->depth.lo >= s->depth.hi || s->height.lo >= s->height.hi || x.lo >= x.hi)
        return -1;
    return (s->depth.lo * p->wide[1] + s->height.lo) * p->wide[2] + x.lo;
}

#define DEFINE_STRIPS(suffix, type, place_type)                                                    \
    static void max_strip_##suffix(strip *s, const type *in, type *best, int64_t *indices)         \
    {                                                                                              \
        place_type places[COLUMNS];                                                                \
        native_pool_row row;                                                                       \
        int64_t at;                                                                                \
        for (int64_t c = 0; c < s->count; c++) {                                                   \
            const int64_t place = first_place(s, c);                                               \
            best[c] = (type)-INFINITY;                                                             \
            places[c] = (place_type)(place < 0 ? 0 : place);                                       \
        }                                                                                          \
        while (next_elements(s, &row, &at)) {                                                      \
            row.in = in + row.start;                                                               \
            s->pool->rows->pool_max(&row, best + at, places + at);                                 \
        }                                                                                          \
        for (int64_t c = 0; c < s->count; c++)                                                     \
            indices[c] = places[c];                                                                \
    }                                                                                              \
    static void avg_strip_##suffix(strip *s, const type *in, type *out, int64_t line)              \
    {                                                                                              \
        double totals[COLUMNS] = {0};                                                              \
        native_pool_row row;                                                                       \
        int64_t at;                                                                                \
        while (next_elements(s, &row, &at)) {                                                      \
            row.in = in + row.start;                                                               \
            s->pool->rows->pool_add(&row, totals + at);                                            \
        }                                                                                          \
        for (int64_t c = 0; c < s->count; c++) {                                                   \
            const int64_t o = line * s->pool->narrow[2] + s->first + c;                            \
            const int64_t divisor = native_pool_divisor(s->pool, o);                               \
            out[c] = (type)(divisor == 0 ? 0 : totals[c] / (double)divisor);                       \
        }                                                                                          \
    }                                                                                              \
    void native_pool_max_rows_##suffix(const native_pool *p, const type *in, type *out,            \
                                       int64_t *indices)                                           \
    {                                                                                              \
        for (int64_t line = 0; line < p->narrow[0] * p->narrow[1]; line++)                         \
            for (int64_t first = 0; first < p->narrow[2]; first += COLUMNS) {                      \
                strip s = strip_at(p, line, first);                                                \
                const int64_t o = line * p->narrow[2] + first;                                     \
                max_strip_##suffix(&s, in, out + o, indices + o);                                  \
            }                                                                                      \
    }                                                                                              \
    void native_pool_avg_rows_##suffix(const native_pool *p, const type *in, type *out)            \
    {                                                                                              \
        for (int64_t line = 0; line < p->narrow[0] * p->narrow[1]; line++)                         \
            for (int64_t first = 0; first < p->narrow[2]; first += COLUMNS) {                      \
                strip s = strip_at(p, line, first);                                                \
                avg_strip_##suffix(&s, in, out + line * p->narrow[2] + first, line);               \
            }                                                                                      \
    }
/* A strip has columns, which the analyzer cannot know. */
DEFINE_STRIPS(f32, float, int32_t)  // NOLINT(clang-analyzer-core.uninitialized.Assign)
DEFINE_STRIPS(f64, double, int64_t) // NOLINT(clang-analyzer-core.uninitialized.Assign)
