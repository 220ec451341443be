/* SPDX-License-Identifier: Apache-2.0
 *
 * Sorting samples in place, or as far as one place needs. qsort may allocate and calls back for each comparison; ten million samples
 * are sorted several times faster here. Quicksort on the median of three, insertion sort for short
 * ranges, heap sort where a range was split badly too often, so that no order of samples is quadratic.
 */
#include "measure/stats.h"

enum { SHORT_RANGE = 24, MAX_DEPTH = 2 * 64 };

static void swap(double *a, double *b)
{
    const double kept = *a;
    *a = *b;
    *b = kept;
}

static void insertion_sort(double *x, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const double moving = x[i];
        size_t at = i;
        for (; at > 0 && x[at - 1] > moving; at--)
            x[at] = x[at - 1];
        x[at] = moving;
    }
}

static void sift_down(double *x, size_t root, size_t count)
{
    while (2 * root + 1 < count) {
        size_t child = 2 * root + 1;
        child += child + 1 < count && x[child + 1] > x[child];
        if (x[root] >= x[child])
            return;
        swap(&x[root], &x[child]);
        root = child;
    }
}

static void heap_sort(double *x, size_t count)
{
    for (size_t root = count / 2; root-- > 0;)
        sift_down(x, root, count);
    for (size_t end = count; end-- > 1;) {
        swap(&x[0], &x[end]);
        sift_down(x, 0, end);
    }
}

/* Splits so that x[0..split) <= x[split..count), both sides not empty; count >= 3. */
static size_t partition(double *x, size_t count)
{
    double *middle = &x[count / 2], *last = &x[count - 1];
    if (*middle < x[0])
        swap(middle, &x[0]);
    if (*last < *middle) {
        swap(last, middle);
        if (*middle < x[0])
            swap(middle, &x[0]);
    }
    const double pivot = *middle;
    size_t low = 0, high = count - 1;
    for (;;) {
        do
            low++;
        while (x[low] < pivot);
        do
            high--;
        while (x[high] > pivot);
        if (low >= high)
            return low;
        swap(&x[low], &x[high]);
    }
}

void ob_stats_sort(double *samples, size_t count)
{
    struct {
        double *start;
        size_t count, depth;
    } waiting[MAX_DEPTH];
    size_t waits = 0, depth = 0, allowed = 0;
    for (size_t n = count; n > 1; n /= 2)
        allowed += 2;
    for (;;) {
        while (count > SHORT_RANGE && depth < allowed) {
            const size_t split = partition(samples, count);
            depth++;
            /* The longer side waits: the stack never holds more than log2(count). */
            if (split < count - split) {
                waiting[waits].start = samples + split;
                waiting[waits].count = count - split;
                count = split;
            } else {
                waiting[waits].start = samples;
                waiting[waits].count = split;
                samples += split;
                count -= split;
            }
            waiting[waits++].depth = depth;
        }
        if (count > SHORT_RANGE)
            heap_sort(samples, count);
        else
            insertion_sort(samples, count);
        if (waits == 0)
            return;
        waits--;
        samples = waiting[waits].start;
        count = waiting[waits].count;
        depth = waiting[waits].depth;
    }
}

double ob__stats_select(double *samples, size_t count, size_t place)
{
    size_t allowed = 0, from = 0;
    for (size_t n = count; n > 1; n /= 2)
        allowed += 2;
    while (count > SHORT_RANGE && allowed-- > 0) {
        const size_t split = partition(samples + from, count);
        const bool right = place - from >= split;
        from += right ? split : 0;
        count = right ? count - split : split;
    }
    if (count > SHORT_RANGE)
        heap_sort(samples + from, count);
    else
        insertion_sort(samples + from, count);
    return samples[place];
}
