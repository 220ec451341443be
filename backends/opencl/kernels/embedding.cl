/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of tables by index: look-ups, bags and their gradients. Indices and offsets are dense longs, gradients and
 * results are dense. A work-item has BLOCK columns. An index outside the table leaves a fault and counts for
 * nothing. Given by the build: C; TW, the dtype of the table, or of its gradient; TG of a gradient, TF of
 * factors (no TF: none); MODE of bags.
 */
#define BLOCK 16
#define SUM 0
#define MEAN 1
#define MAX 2

#define INDEX_OR(index, limit, otherwise)                                                          \
    if ((index) < 0 || (index) >= (limit)) {                                                       \
        if (column == 0)                                                                           \
            leave_fault(faults, site, FAULT_INDEX, index, limit);                                  \
        otherwise;                                                                                 \
    }

typedef struct table {
    long rows, width, count, bags, offsets, padding;
    long weight, row_stride, column_stride; /* where the table is */
    long out, indices, starts, factors, map, sizes, maxima, grad; /* where the dense ones start */
    long with_map;
} table;

#if defined(LOOKUP)
/* Bytes are copied, whatever they mean: TW is a dtype of the right size. */
__kernel void lookup(__global MEMORY(TW) *out, __global const MEMORY(TW) *weight,
                     __global const long *indices, table t, volatile __global fault *faults,
                     int site)
{
    const long column = (long)get_global_id(0) * BLOCK, i = (long)get_global_id(1);
    if (column >= t.width || i >= t.count)
        return;
    const long index = indices[t.indices + i], last = min(column + BLOCK, t.width);
    INDEX_OR(index, t.rows, return)
    for (long k = column; k < last; k++)
        out[t.out + i * t.width + k] = weight[t.weight + index * t.row_stride + k * t.column_stride];
}

#elif defined(SCATTER)
/* One after the other, so that equal indices add up the same way every time. map NULL: index i is for row i of
 * the gradient; else for row map[i], a bag. */
__kernel void scatter(__global MEMORY(TW) *out, __global C *sums, __global const MEMORY(TG) *grad,
                      __global const long *indices, __global const long *map,
                      __global const long *sizes, __global const C *factors, __global int *counts,
                      table t, volatile __global fault *faults, int site)
{
    const long column = (long)get_global_id(0) * BLOCK, last = min(column + BLOCK, t.width);
    if (column >= t.width)
        return;
    for (long row = 0; row < t.rows; row++) {
        for (long k = column; k < last; k++)
            sums[row * t.width + k] = 0;
    }
    for (long i = 0; i < t.count; i++) {
        const long index = indices[t.indices + i];
        long from = i;
        C scale = 1;
        INDEX_OR(index, t.rows, return)
#ifdef BAGS
        from = map[t.map + i];
        INDEX_OR(from, t.bags, return)
#if MODE == MEAN
        scale = 1 / (C)max(sizes[t.sizes + from], 1L);
#endif
#ifdef FACTORS
        scale = factors[t.factors + i];
#endif
#endif
        if (index == t.padding)
            continue;
        for (long k = column; k < last; k++)
            sums[index * t.width + k] += scale * LOAD(TG, grad, t.grad + from * t.width + k);
    }
    for (long row = 0; row < t.rows; row++) {
        C scale = 1;
#ifdef BY_FREQUENCY
        scale = 1 / (C)max(counts[row], 1);
#endif
        for (long k = column; k < last; k++)
            STORE(TW, out, t.out + row * t.width + k, sums[row * t.width + k] * scale);
    }
}

/* How often each row is meant; counts are zero before. */
__kernel void count(__global const long *indices, __global int *counts, table t)
{
    const long i = (long)get_global_id(0);
    if (i >= t.count)
        return;
    const long index = indices[t.indices + i];
    if (index >= 0 && index < t.rows)
        atomic_inc(&counts[index]);
}
__kernel void clear(__global int *counts, long rows)
{
    const long i = (long)get_global_id(0);
    if (i < rows)
        counts[i] = 0;
}

#elif defined(SPREAD)
/* The gradient of a maximum goes to where it was. */
__kernel void spread(__global MEMORY(TW) *out, __global C *sums, __global const MEMORY(TG) *grad,
                     __global const long *maxima, __global const long *sizes, table t)
{
    const long k = (long)get_global_id(0);
    if (k >= t.width)
        return;
    for (long row = 0; row < t.rows; row++)
        sums[row * t.width + k] = 0;
    for (long bag = 0; bag < t.bags; bag++) {
        const long index = maxima[t.maxima + bag * t.width + k];
        if (sizes[t.sizes + bag] > 0 && index >= 0 && index < t.rows)
            sums[index * t.width + k] += LOAD(TG, grad, t.grad + bag * t.width + k);
    }
    for (long row = 0; row < t.rows; row++)
        STORE(TW, out, t.out + row * t.width + k, sums[row * t.width + k]);
}

#else
/* Offsets rise from 0 to at most the number of indices. */
inline bool bag_range(__global const long *starts, const table *t, long bag, long *begin, long *end)
{
    *begin = starts[t->starts + bag];
    *end = bag + 1 < t->offsets ? starts[t->starts + bag + 1] : t->count;
    return *begin >= 0 && *begin <= *end && *end <= t->count && (bag > 0 || *begin == 0);
}

__kernel void bag(__global MEMORY(TW) *out, __global const MEMORY(TW) *weight,
                  __global const long *indices, __global const long *starts,
                  __global const C *factors, __global long *maxima, table t,
                  volatile __global fault *faults, int site)
{
    const long column = (long)get_global_id(0) * BLOCK, b = (long)get_global_id(1);
    if (column >= t.width || b >= t.bags)
        return;
    const int width = (int)min((long)BLOCK, t.width - column);
    long begin, end, seen = 0, best[BLOCK];
    C sums[BLOCK];
    for (int k = 0; k < BLOCK; k++) {
        sums[k] = 0;
        best[k] = 0;
    }
    if (!bag_range(starts, &t, b, &begin, &end)) {
        if (column == 0)
            leave_fault(faults, site, FAULT_OFFSETS, begin, t.count);
        end = begin = 0;
    }
    for (long i = begin; i < end; i++) {
        const long index = indices[t.indices + i];
        INDEX_OR(index, t.rows, break)
        if (index == t.padding)
            continue;
        C factor = 1;
#ifdef FACTORS
        factor = factors[t.factors + i];
#endif
        for (int k = 0; k < width; k++) {
            const C x = LOAD(TW, weight, t.weight + index * t.row_stride + (column + k) * t.column_stride);
#if MODE == MAX
            if (seen == 0 || x > sums[k]) {
                sums[k] = x;
                best[k] = index;
            }
#else
            sums[k] += x * factor;
#endif
        }
        seen++;
    }
    for (int k = 0; k < width; k++) {
        STORE(TW, out, t.out + b * t.width + column + k, MODE == MEAN && seen > 1 ? sums[k] / (C)seen : sums[k]);
#if MODE == MAX
        maxima[t.maxima + b * t.width + column + k] = best[k];
#endif
    }
}

/* Which bag each index is in, and how many indices of each bag count. Indices behind the last offset are in no
 * bag: the map is zero there. */
__kernel void maps(__global const long *indices, __global const long *starts, __global long *map,
                   __global long *sizes, table t)
{
    const long b = (long)get_global_id(0);
    if (b >= t.bags)
        return;
    long begin, end, seen = 0;
    if (!bag_range(starts, &t, b, &begin, &end))
        end = begin = 0;
    for (long i = begin; i < end; i++) {
        seen += indices[t.indices + i] != t.padding;
        if (t.with_map != 0)
            map[t.map + i] = b;
    }
    sizes[t.sizes + b] = seen;
}
#endif
