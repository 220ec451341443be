/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of matrices: out[b] = beta * self[b] + alpha * (left[b] @ right[b]), for any strides.
 *
 * A work-group computes a square of TILE x TILE results. It brings as large a piece of each factor to local
 * memory, in turns; a work-item has PER results below each other. Given by the build: C, the compute type;
 * TO, TL, TR, TS, the dtypes of result, factors and addend (no TS: none).
 */
#ifdef PANEL
/* For processors, which have caches instead of local memory: a work-item computes ROWS rows of two vectors each.
 * right is dense in the compute type, with rows of PITCH elements, a multiple of COLUMNS. */
#define ROWS 8
#define V CAT(C, 16)
#if PANEL == 2
#define COLUMNS 32
#else
#define COLUMNS 16
#endif
#endif
#define TILE 32
#define PER 8

typedef struct matmul {
    long rows, columns, inner;
    long out[4], left[4], right[4], self[4]; /* offset, strides of batch, row, column */
} matmul;

#ifdef PANEL
inline void store_row(__global MEMORY(TO) *out,
#ifdef TS
                      __global const MEMORY(TS) *self,
#endif
                      const matmul *p, long batch, long row, long column, V sums, C alpha, C beta)
{
    C values[16];
    vstore16(sums, 0, values);
    for (int k = 0; k < 16 && column + k < p->columns; k++) {
        C value = alpha * values[k];
#ifdef TS
        if (beta != 0)
            value += beta * LOAD(TS, self, p->self[0] + batch * p->self[1] + row * p->self[2] + (column + k) * p->self[3]);
#endif
        STORE(TO, out, p->out[0] + batch * p->out[1] + row * p->out[2] + (column + k) * p->out[3], value);
    }
}

__kernel void panel(__global MEMORY(TO) *out, __global const MEMORY(TL) *left, __global const C *right
#ifdef TS
                    , __global const MEMORY(TS) *self
#endif
                    , matmul p, C alpha, C beta)
{
    const long batch = (long)get_global_id(2);
    const long column = (long)get_global_id(0) * COLUMNS, top = (long)get_global_id(1) * ROWS;
    __global const C *b = right + p.right[0] + batch * p.right[1] + column;
    long rows[ROWS]; /* below the last, the last again */
    V low[ROWS];
#if PANEL == 2
    V high[ROWS];
#endif
    for (int w = 0; w < ROWS; w++) {
        rows[w] = p.left[0] + batch * p.left[1] + min(top + w, p.rows - 1) * p.left[2];
        low[w] = (V)(0);
#if PANEL == 2
        high[w] = (V)(0);
#endif
    }
    for (long k = 0; k < p.inner; k++) {
        const V first = vload16(0, b + k * p.right[2]);
#if PANEL == 2
        const V second = vload16(1, b + k * p.right[2]);
#endif
#pragma unroll
        for (int w = 0; w < ROWS; w++) {
            const C factor = LOAD(TL, left, rows[w] + k * p.left[3]);
            low[w] += first * factor;
#if PANEL == 2
            high[w] += second * factor;
#endif
        }
    }
    for (int w = 0; w < ROWS && top + w < p.rows; w++) {
#ifdef TS
#define ADDEND self,
#else
#define ADDEND
#endif
        store_row(out, ADDEND &p, batch, top + w, column, low[w], alpha, beta);
#if PANEL == 2
        store_row(out, ADDEND &p, batch, top + w, column + 16, high[w], alpha, beta);
#endif
    }
}
#else

__kernel __attribute__((reqd_work_group_size(TILE, TILE / PER, 1))) void product(
    __global MEMORY(TO) *out, __global const MEMORY(TL) *left, __global const MEMORY(TR) *right
#ifdef TS
    , __global const MEMORY(TS) *self
#endif
    , matmul p, C alpha, C beta)
{
    __local C left_tile[TILE][TILE];
    __local C right_tile[TILE][TILE];
    const int x = (int)get_local_id(0), y = (int)get_local_id(1);
    const long batch = (long)get_global_id(2);
    const long column = (long)get_group_id(0) * TILE + x, top = (long)get_group_id(1) * TILE;
    C sums[PER];
    for (int w = 0; w < PER; w++)
        sums[w] = 0;
    for (long start = 0; start < p.inner; start += TILE) {
        for (int w = 0; w < PER; w++) {
            const int r = y * PER + w;
            const long row = top + r, k = start + x, down = start + r;
            left_tile[r][x] = row < p.rows && k < p.inner
                                  ? LOAD(TL, left, p.left[0] + batch * p.left[1] + row * p.left[2] + k * p.left[3])
                                  : (C)0;
            right_tile[r][x] =
                down < p.inner && column < p.columns
                    ? LOAD(TR, right, p.right[0] + batch * p.right[1] + down * p.right[2] + column * p.right[3])
                    : (C)0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++) {
            const C factor = right_tile[k][x];
            for (int w = 0; w < PER; w++)
                sums[w] += left_tile[y * PER + w][k] * factor;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int w = 0; w < PER; w++) {
        const long row = top + y * PER + w;
        if (row >= p.rows || column >= p.columns)
            continue;
        C value = alpha * sums[w];
#ifdef TS
        /* With beta 0, what stands in self does not count, be it a NaN. */
        if (beta != 0)
            value += beta * LOAD(TS, self, p.self[0] + batch * p.self[1] + row * p.self[2] + column * p.self[3]);
#endif
        STORE(TO, out, p.out[0] + batch * p.out[1] + row * p.out[2] + column * p.out[3], value);
    }
}
#endif
