/* SPDX-License-Identifier: Apache-2.0
 *
 * softmax, log_softmax and their gradients along one dimension; a work-item has one row. Given by the build: C;
 * TO, TX and, for gradients, TG, the dtypes; LOG; ROWS, how many dimensions besides the one there are.
 */
typedef struct rows {
    long count, length;
    long size[15], out[15], x[15], grad[15]; /* sizes and strides besides the dimension */
    long offset[3], stride[3];               /* of out, x, grad; strides along the dimension */
} rows;

/* Where the row starts in out, x and grad. */
inline void row_start(const rows *r, long row, long *at)
{
    at[0] = r->offset[0];
    at[1] = r->offset[1];
    at[2] = r->offset[2];
    for (int d = ROWS - 1; d >= 0; d--) {
        const long i = d == 0 ? row : row % r->size[d];
        row = d == 0 ? 0 : row / r->size[d];
        at[0] += i * r->out[d];
        at[1] += i * r->x[d];
        at[2] += i * r->grad[d];
    }
}

#define LANES 16

#ifndef TG
__kernel void forward(__global MEMORY(TO) *out, __global const MEMORY(TX) *x, rows r)
{
    const long row = (long)get_global_id(0);
    if (row >= r.count)
        return;
    long at[3];
    row_start(&r, row, at);
    const long in = at[1], step = r.stride[1], to = at[0], to_step = r.stride[0];
    C most = -INFINITY, sums[LANES];
    for (long i = 0; i < r.length; i++)
        most = fmax(most, LOAD(TX, x, in + i * step));
    for (int k = 0; k < LANES; k++)
        sums[k] = 0;
    long i = 0;
    for (; i + LANES <= r.length; i += LANES) {
        for (int k = 0; k < LANES; k++)
            sums[k] += exp(LOAD(TX, x, in + (i + k) * step) - most);
    }
    for (int k = 0; i < r.length; i++, k++)
        sums[k] += exp(LOAD(TX, x, in + i * step) - most);
    for (int width = LANES / 2; width > 0; width /= 2) {
        for (int k = 0; k < width; k++)
            sums[k] += sums[k + width];
    }
#ifdef LOG
    const C shift = log(sums[0]);
    for (long j = 0; j < r.length; j++)
        STORE(TO, out, to + j * to_step, LOAD(TX, x, in + j * step) - most - shift);
#else
    const C factor = 1 / sums[0];
    for (long j = 0; j < r.length; j++)
        STORE(TO, out, to + j * to_step, exp(LOAD(TX, x, in + j * step) - most) * factor);
#endif
}
#else

/* x is the result of the forward. */
__kernel void backward(__global MEMORY(TO) *out, __global const MEMORY(TX) *x,
                       __global const MEMORY(TG) *grad, rows r)
{
    const long row = (long)get_global_id(0);
    if (row >= r.count)
        return;
    long at[3];
    row_start(&r, row, at);
    C sum = 0;
    for (long i = 0; i < r.length; i++) {
        const C g = LOAD(TG, grad, at[2] + i * r.stride[2]);
#ifdef LOG
        sum += g;
#else
        sum += g * LOAD(TX, x, at[1] + i * r.stride[1]);
#endif
    }
    for (long i = 0; i < r.length; i++) {
        const C g = LOAD(TG, grad, at[2] + i * r.stride[2]);
        const C y = LOAD(TX, x, at[1] + i * r.stride[1]);
#ifdef LOG
        STORE(TO, out, at[0] + i * r.stride[0], g - exp(y) * sum);
#else
        STORE(TO, out, at[0] + i * r.stride[0], (g - sum) * y);
#endif
    }
}
#endif
