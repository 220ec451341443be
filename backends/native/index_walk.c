/* SPDX-License-Identifier: Apache-2.0
 *
 * Walks by index; see index_walk.h. The last dimension is the inner loop. When no index changes along
 * it, the place in big is found once per line.
 */
#include "index_walk.h"

#include <string.h>

enum { GRAIN = 1 << 13 };

/* One line: positions along the last dimension. */
typedef struct line {
    int64_t big, small; /* first elements, without the indices' part */
    int64_t index[OB_MAX_DIMS];
} line;

/* The start of line number `number`. */
static line find_line(const native_walk *w, int64_t number)
{
    line l = {0};
    for (int d = w->ndim - 2; d >= 0; d--) {
        const int64_t at = number % w->sizes[d];
        number /= w->sizes[d];
        l.big += at * w->big[d];
        l.small += at * w->small[d];
        for (int k = 0; k < w->index_count; k++)
            l.index[k] += at * w->index[k].strides[d];
    }
    return l;
}

/* What the indices at position i of the line add to the place in big. */
static bool find_place(const native_walk *w, const line *l, int64_t i, native_bad_index *bad,
                       int64_t *place)
{
    *place = 0;
    for (int k = 0; k < w->index_count; k++) {
        const native_walk_index *x = &w->index[k];
        int64_t value = x->values[l->index[k] + i * x->strides[w->ndim - 1]];
        if (w->wraps ? !native_index_wrap(bad, &value, x->limit)
                     : !native_index_ok(bad, value, x->limit))
            return false;
        *place += value * x->step;
    }
    return true;
}

#define ADD(type, factor_) *(type *)big += *(const type *)small * (type)(factor_)

/* One element. */
static inline void meet(const native_walk_data *d, void *big, void *small)
{
    if (d->action == NATIVE_WALK_ADD) {
        if (d->cls == NATIVE_F32)
            ADD(float, d->factor);
        else if (d->cls == NATIVE_F64)
            ADD(double, d->factor);
        else
            ADD(uint64_t, d->factor_integer);
        return;
    }
    void *to = d->action == NATIVE_WALK_READ ? small : big;
    const void *from = d->action == NATIVE_WALK_READ ? big : small;
    switch (d->size) {
    case 4:
        memcpy(to, from, 4);
        break;
    case 8:
        memcpy(to, from, 8);
        break;
    default:
        memcpy(to, from, d->size);
    }
}

/* A line whose indices stay the same. */
static void meet_line(const native_walk *w, const native_walk_data *d, char *big, char *small)
{
    void *big_line = big;
    const void *small_line = small;
    const int last = w->ndim - 1;
    const int64_t count = w->sizes[last];
    const bool dense = w->big[last] == 1 && w->small[last] == 1;
    if (dense && d->action == NATIVE_WALK_READ) {
        memcpy(small, big, (size_t)count * d->size);
        return;
    }
    if (dense && d->action == NATIVE_WALK_WRITE) {
        memcpy(big, small, (size_t)count * d->size);
        return;
    }
    if (dense && d->cls == NATIVE_F32) {
        const float factor = (float)d->factor;
        for (int64_t i = 0; i < count; i++)
            ((float *)big_line)[i] += ((const float *)small_line)[i] * factor;
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        meet(d, big, small);
        big += w->big[last] * (int64_t)d->size;
        small += w->small[last] * (int64_t)d->size;
    }
}

typedef struct job {
    const native_walk *w;
    const native_walk_data *d;
    native_bad_index *bad;
    bool constant; /* no index changes along a line */
} job;

static bool do_line(const job *j, int64_t number)
{
    const native_walk *w = j->w;
    const native_walk_data *d = j->d;
    const int last = w->ndim - 1;
    const int64_t size = (int64_t)d->size;
    const line l = find_line(w, number);
    char *big = (char *)d->big + l.big * size, *small = (char *)d->small + l.small * size;
    int64_t place;
    if (j->constant) {
        if (!find_place(w, &l, 0, j->bad, &place))
            return false;
        meet_line(w, d, big + place * size, small);
        return true;
    }
    for (int64_t i = 0; i < w->sizes[last]; i++) {
        if (!find_place(w, &l, i, j->bad, &place))
            return false;
        meet(d, big + (place + i * w->big[last]) * size, small + i * w->small[last] * size);
    }
    return true;
}

static void do_lines(void *ctx, int64_t begin, int64_t end)
{
    for (int64_t number = begin; number < end; number++)
        if (!do_line(ctx, number))
            return;
}

void native_walk_run(const native_env *env, const native_walk *walk, const native_walk_data *data,
                     native_bad_index *bad)
{
    const int last = walk->ndim - 1;
    int64_t lines = 1;
    for (int d = 0; d < last; d++)
        lines *= walk->sizes[d];
    if (lines == 0 || walk->sizes[last] == 0)
        return;
    job j = {.w = walk, .d = data, .bad = bad, .constant = true};
    for (int k = 0; k < walk->index_count; k++)
        j.constant = j.constant && walk->index[k].strides[last] == 0;
    /* Two positions may write one element, so writers stay on one thread, in order. */
    if (data->action == NATIVE_WALK_READ)
        native_parallel(env, lines, GRAIN / walk->sizes[last] + 1, do_lines, &j);
    else
        do_lines(&j, 0, lines);
}
