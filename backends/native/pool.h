/* SPDX-License-Identifier: Apache-2.0
 *
 * Pools on raw contiguous memory. Which input elements an output sees is written down per
 * dimension as spans, once, in setup; so fixed and adaptive windows, padding and dilation are one
 * and the same to the loops. Functions work on a range of planes (a plane is one channel of one
 * image), so that planes can be spread over threads.
 */
#ifndef OB_NATIVE_POOL_H
#define OB_NATIVE_POOL_H

#include "native_rows.h"
#include "window.h"

#include <stdbool.h>

typedef struct native_span {
    int64_t lo, hi; /* input elements, inside the input */
    int64_t full;   /* how many elements the window has with its padding */
} native_span;

typedef struct native_pool {
    int64_t wide[NATIVE_SPATIAL], narrow[NATIVE_SPATIAL];
    int64_t step[NATIVE_SPATIAL];             /* between the elements of a span */
    const native_span *spans[NATIVE_SPATIAL]; /* narrow[d] of them */
    const native_window *window; /* of fixed windows; NULL = adaptive ones, which have spans only */
    const native_rows *rows;
    int64_t divisor;  /* of an average; 0 = the window's size */
    bool include_pad; /* that size counts padding */
} native_pool;

/* The spans of one dimension. */
void native_pool_window_spans(const native_window *window, int d, native_span *out);
void native_pool_adaptive_spans(int64_t wide, int64_t narrow, native_span *out);

/* X(suffix, type) for each type there is a version for. */
#define NATIVE_POOL_TYPES(X)                                                                       \
    X(f32, float)                                                                                  \
    X(f64, double)

/* What the average of output o (flat, of a plane) is divided by; 0 when it sees nothing. */
int64_t native_pool_divisor(const native_pool *pool, int64_t o);

#define NATIVE_POOL_DECLARE(suffix, type)                                                          \
    /* indices: flat positions in the input's plane. NaN wins. */                                  \
    void native_pool_max_##suffix(const native_pool *pool, const type *in, type *out,              \
                                  int64_t *indices, int64_t begin, int64_t end);                   \
    /* Adds each gradient at its index. False when an index is outside the plane. */               \
    bool native_pool_max_backward_##suffix(const native_pool *pool, const type *grad,              \
                                           const int64_t *indices, type *out, int64_t begin,       \
                                           int64_t end);                                           \
    void native_pool_avg_##suffix(const native_pool *pool, const type *in, type *out,              \
                                  int64_t begin, int64_t end);                                     \
    void native_pool_avg_backward_##suffix(const native_pool *pool, const type *grad, type *out,   \
                                           int64_t begin, int64_t end);
/* pool_rows.c: the columns inner[0] to inner[1] - 1 of one line of outputs of a plane, with fixed windows. */
#define NATIVE_POOL_DECLARE_ROWS(suffix, type)                                                     \
    void native_pool_max_row_##suffix(const native_pool *pool, const type *in, type *out,          \
                                      int64_t *indices, int64_t line, const int64_t inner[2]);     \
    void native_pool_avg_row_##suffix(const native_pool *pool, const type *in, type *out,          \
                                      int64_t line, const int64_t inner[2]);
/* The columns of outputs whose fixed windows lie inside from left to right. */
void native_pool_inner_columns(const native_pool *pool, int64_t *first, int64_t *end);
NATIVE_POOL_TYPES(NATIVE_POOL_DECLARE)
NATIVE_POOL_TYPES(NATIVE_POOL_DECLARE_ROWS)
#undef NATIVE_POOL_DECLARE_ROWS
#undef NATIVE_POOL_DECLARE

#endif
