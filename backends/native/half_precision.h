/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix products of halves (bf16, f16). OpenBLAS has none, and a whole matrix converted to float
 * first is written and read at twice its size; here blocks of it are converted (or only put in
 * order, where the processor multiplies bf16) into buffers that stay in the cache. Sums are kept in
 * float and rounded once. Which sums an element is made of does not depend on the threads.
 */
#ifndef OB_NATIVE_HALF_PRECISION_H
#define OB_NATIVE_HALF_PRECISION_H

#include "native_kernel.h"

/* Matrices with any strides, in elements; step is between those of a batch. */
typedef struct native_half_matrix {
    void *data;
    int64_t step, row, column;
} native_half_matrix;

/* out[i] = beta * self[i] + alpha * a[i] b[i] for count products of m x k and k x n matrices; with
 * `sums` one output for all of them. */
typedef struct native_half_precision {
    ob_dtype dtype;
    int64_t count, m, n, k;
    bool sums, adds; /* adds: self is read */
    native_half_matrix a, b, self, out;
    float alpha, beta;
    /* Planned: how the output is cut, and the buffers, one for each thread at most. */
    bool thin; /* few rows: b is read where it lies */
    int64_t block_rows, block_columns, block_steps;
    size_t buffer_bytes, offset;
    int64_t buffers;
} native_half_precision;

/* Fills what is planned, and reserves scratch. */
ob_status native_half_precision_plan(ob_kit_call *call, native_half_precision *halves, ob_err *err);
void native_half_precision_run(const ob_kit_call *call, const native_half_precision *halves);

/* ---- inner loops, compiled once per instruction set (half_precision_loops.c) ---- */

enum {
    NATIVE_TILE_COLUMNS_MAX = 32,
    NATIVE_THIN_ROWS = 4,    /* what `thin` takes at most */
    NATIVE_THIN_COLUMNS = 32 /* its pieces begin at multiples of this */
};

/* A piece of a product with few rows, all bf16. Either b's columns or its rows are dense. */
typedef struct native_thin {
    int64_t rows, columns, k;
    const uint16_t *a; /* rows x k, dense */
    const uint16_t *b;
    int64_t b_row, b_column;
    float *out; /* rows x columns, dense; added to */
} native_thin;

/* Panels hold `width` rows of a, or columns of b, step by step. A step is one number as float, or
 * with `pairs` two bf16 that follow each other along k. */
typedef struct native_half_loops {
    const char *isa;
    bool pairs;
    int64_t rows, columns; /* of a tile, which is what `multiply` computes at once */
    /* c += a b; c is a tile of rows c_row apart. */
    void (*multiply)(int64_t steps, const void *a, const void *b, float *c, int64_t c_row);
    /* Only with pairs: `lines` lines (the rest of the width is zero) with k elements. */
    void (*pack)(const uint16_t *from, int64_t line, int64_t along, int64_t lines, int64_t width,
                 int64_t k, uint32_t *to);
    void (*thin)(const native_thin *thin);
} native_half_loops;

/* The best for bf16 and the best for f16 of those that go with the set of `loops`. */
const native_half_loops *native_half_loops_of(const native_env *env, ob_dtype dtype);

#endif
