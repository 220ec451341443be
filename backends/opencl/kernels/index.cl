/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading and adding by index along one dimension, and triangles. An index outside the dimension leaves a fault. Given by the
 * build: C; TX and TO, the dtypes; DIMS, how many the walked tensor has.
 */
typedef struct walk {
    long count;
    long size[12], out[12], x[12], index[12]; /* strides; the dimension's own of x (reading) is in `step` */
    long out_offset, x_offset, index_offset, step, limit;
} walk;

#ifdef GATHER
/* out[.., i, ..] = x[.., index, ..]: gather, index_select. */
__kernel void gather(__global MEMORY(TO) *out, __global const MEMORY(TX) *x,
                     __global const long *indices, walk w, volatile __global fault *faults, int site)
{
    long rest = (long)get_global_id(0);
    if (rest >= w.count)
        return;
    long to = w.out_offset, from = w.x_offset, at = w.index_offset;
    for (int d = DIMS - 1; d >= 0; d--) {
        const long i = rest % w.size[d];
        rest /= w.size[d];
        to += i * w.out[d];
        from += i * w.x[d];
        at += i * w.index[d];
    }
    const long index = indices[at];
    if (index < 0 || index >= w.limit) {
        leave_fault(faults, site, FAULT_INDEX, index, w.limit);
        return;
    }
    out[to] = x[from + index * w.step];
}
#endif

#ifdef TRIANGLE
/* What is below (or with UPPER above) the diagonal of the last two dimensions, zero elsewhere. */
__kernel void triangle(__global MEMORY(TO) *out, __global const MEMORY(TX) *x, walk w, long diagonal)
{
    long rest = (long)get_global_id(0), last[2];
    if (rest >= w.count)
        return;
    long to = w.out_offset, from = w.x_offset;
    for (int d = DIMS - 1; d >= 0; d--) {
        const long i = rest % w.size[d];
        rest /= w.size[d];
        to += i * w.out[d];
        from += i * w.x[d];
        if (d >= DIMS - 2)
            last[d - (DIMS - 2)] = i;
    }
#ifdef UPPER
    const bool kept = last[1] - last[0] >= diagonal;
#else
    const bool kept = last[1] - last[0] <= diagonal;
#endif
    out[to] = kept ? x[from] : 0;
}
#endif
