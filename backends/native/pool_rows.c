/* SPDX-License-Identifier: Apache-2.0
 *
 * Pools with fixed windows, a row of windows at a time; see pool.h. What one window sees one after the other,
 * all windows of a strip of outputs see together. Windows that reach over the left or right edge see fewer elements, and are
 * done one by one.
 */
#include "pool.h"

#include <math.h>

enum {
    COLUMNS = 256, /* outputs of a strip */
    ELEMENTS = 64, /* of a window, at a time */
};

/* A part of one row of outputs, and how far its elements were visited. */
typedef struct strip {
    const native_pool *pool;
    native_span depth, height;
    int64_t first, count; /* columns */
    int64_t d, h, k;      /* the next element */
} strip;

static strip strip_at(const native_pool *p, int64_t line, int64_t first, int64_t end)
{
    const int64_t left = end - first;
    strip s = {.pool = p,
               .depth = p->spans[0][line / p->narrow[1]],
               .height = p->spans[1][line % p->narrow[1]],
               .first = first,
               .count = left < COLUMNS ? left : COLUMNS};
    s.d = s.depth.lo;
    s.h = s.height.lo;
    return s;
}

/* The next elements of the strip's first window, ELEMENTS at most; 0 after the last. */
static int next_elements(strip *s, int64_t offsets[ELEMENTS])
{
    const native_pool *p = s->pool;
    const native_window *w = p->window;
    int count = 0;
    while (count < ELEMENTS && s->d < s->depth.hi && s->height.lo < s->height.hi) {
        offsets[count++] = (s->d * p->wide[1] + s->h) * p->wide[2] + s->first * w->stride[2] +
                           s->k * w->dilation[2] - w->padding[2];
        if (++s->k == w->kernel[2]) {
            s->k = 0;
            s->h += p->step[1];
        }
        if (s->h >= s->height.hi) {
            s->h = s->height.lo;
            s->d += p->step[0];
        }
    }
    return count;
}

void native_pool_inner_columns(const native_pool *p, int64_t *first, int64_t *end)
{
    int64_t other;
    native_window_inside(p->window, 2, 0, first, &other);
    native_window_inside(p->window, 2, p->window->kernel[2] - 1, &other, end);
    if (*end < *first)
        *end = *first;
}

#define DEFINE_STRIPS(suffix, type, place_type)                                                    \
    static void max_strip_##suffix(strip *s, const type *in, type *best, int64_t *indices)         \
    {                                                                                              \
        int64_t offsets[ELEMENTS];                                                                 \
        place_type places[COLUMNS];                                                                \
        native_pool_row row = {.plane = in,                                                        \
                               .offsets = offsets,                                                 \
                               .count = s->count,                                                  \
                               .stride = s->pool->window->stride[2]};                              \
        row.elements = next_elements(s, offsets);                                                  \
        for (int64_t c = 0; c < s->count; c++) {                                                   \
            best[c] = (type)-INFINITY;                                                             \
            places[c] = (place_type)(row.elements == 0 ? 0 : offsets[0] + c * row.stride);         \
        }                                                                                          \
        for (; row.elements > 0; row.elements = next_elements(s, offsets))                         \
            s->pool->rows->pool_max(&row, best, places);                                           \
        for (int64_t c = 0; c < s->count; c++)                                                     \
            indices[c] = places[c];                                                                \
    }                                                                                              \
    static void avg_strip_##suffix(strip *s, const type *in, type *out, int64_t divisor)           \
    {                                                                                              \
        int64_t offsets[ELEMENTS];                                                                 \
        double totals[COLUMNS] = {0};                                                              \
        native_pool_row row = {.plane = in,                                                        \
                               .offsets = offsets,                                                 \
                               .count = s->count,                                                  \
                               .stride = s->pool->window->stride[2]};                              \
        while ((row.elements = next_elements(s, offsets)) > 0)                                     \
            s->pool->rows->pool_add(&row, totals);                                                 \
        for (int64_t c = 0; c < s->count; c++)                                                     \
            out[c] = (type)(divisor == 0 ? 0 : totals[c] / (double)divisor);                       \
    }                                                                                              \
    void native_pool_max_row_##suffix(const native_pool *p, const type *in, type *out,             \
                                      int64_t *indices, int64_t line, const int64_t inner[2])      \
    {                                                                                              \
        for (int64_t first = inner[0]; first < inner[1]; first += COLUMNS) {                       \
            strip s = strip_at(p, line, first, inner[1]);                                          \
            const int64_t o = line * p->narrow[2] + first;                                         \
            max_strip_##suffix(&s, in, out + o, indices + o);                                      \
        }                                                                                          \
    }                                                                                              \
    void native_pool_avg_row_##suffix(const native_pool *p, const type *in, type *out,             \
                                      int64_t line, const int64_t inner[2])                        \
    {                                                                                              \
        for (int64_t first = inner[0]; first < inner[1]; first += COLUMNS) {                       \
            strip s = strip_at(p, line, first, inner[1]);                                          \
            const int64_t o = line * p->narrow[2] + first;                                         \
            avg_strip_##suffix(&s, in, out + o, native_pool_divisor(p, o));                        \
        }                                                                                          \
    }
/* A strip has columns, which the analyzer cannot know. */
DEFINE_STRIPS(f32, float, int32_t)  // NOLINT(clang-analyzer-core.uninitialized.Assign)
DEFINE_STRIPS(f64, double, int64_t) // NOLINT(clang-analyzer-core.uninitialized.Assign)
