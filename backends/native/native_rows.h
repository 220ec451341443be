/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops over one row of dense elements, for softmax, the normalisations and pools; compiled once per
 * instruction set like loops.c. Sums are made in blocks, in lanes of the row's type, and the
 * blocks are added up in double: rounding does not grow with the length of the row.
 */
#ifndef OB_NATIVE_ROWS_H
#define OB_NATIVE_ROWS_H

#include "loops.h"

/* sums of a gradient g over a row: of g * w, and of g * w * (x - mean). */
typedef struct native_sums {
    double grad, grad_x;
} native_sums;

/* out = (g * w) * scale + (x - mean) * slope + shift; w NULL stands for ones. */
typedef struct native_grad_row {
    void *out;
    const void *grad, *x, *weight;
    int64_t count;
    double mean, scale, slope, shift;
} native_grad_row;

/* out = (x - mean) * scale * w + b. weight and bias are arrays, or NULL for 1 and 0. */
typedef struct native_norm_row {
    void *out;
    const void *x, *weight, *bias;
    int64_t count;
    double mean, scale, shift; /* shift is added too */
} native_norm_row;

/* A block of `width` neighbouring columns of a [count, stride] matrix, each a softmax. */
typedef struct native_softmax_block {
    void *out;
    const void *in, *grad; /* grad: backward, and then in is the forward's result */
    int64_t count, stride;
    int width; /* at most NATIVE_SOFTMAX_WIDTH */
} native_softmax_block;
enum { NATIVE_SOFTMAX_WIDTH = 64 };

/* Elements of the windows of a row, each of which all of its windows have: window o sees those at offsets[e] + o * stride
 * of a plane, in this order. */
typedef struct native_pool_row {
    const void *plane;
    const int64_t *offsets;
    int elements;
    int64_t count, stride; /* of windows */
} native_pool_row;

/* out[i] = start + the sum of weights[t] * in[offsets[t] + i]. Both arrays have NATIVE_TAP_SLACK elements more than the
 * count asks for, which are read and written too. */
typedef struct native_taps {
    void *out;
    const void *in, *weights;
    const int64_t *offsets;
    int64_t taps, count;
    double start;
} native_taps;
enum { NATIVE_TAP_SLACK = 32 };

typedef struct native_rows {
    void (*add_taps)(const native_taps *taps);
    /* Where an element is more than its window's value, it and its place (int32_t for float, int64_t
     * for double) take over. */
    void (*pool_max)(const native_pool_row *row, void *values, void *places);
    void (*pool_add)(const native_pool_row *row, double *totals);
    double (*sum)(const void *x, int64_t count);
    double (*sum_short)(const void *x, int64_t count); /* in double from the first addition on */
    double (*sum_squares)(const void *x, int64_t count, double mean); /* of x - mean */
    native_sums (*sum_grad)(const void *grad, const void *x, const void *weight, int64_t count,
                            double mean);
    void (*norm)(const native_norm_row *row);
    void (*norm_grad)(const native_grad_row *row);
    /* totals (double) += g * (x - mean) * scale, and += g; NULL leaves one out. */
    void (*add_grad)(double *weight, double *bias, const void *grad, const void *x, int64_t count,
                     double mean, double scale);
    /* One row; out may be in. */
    void (*softmax)(void *out, const void *in, int64_t count);
    void (*log_softmax)(void *out, const void *in, int64_t count);
    void (*softmax_backward)(void *out, const void *grad, const void *result, int64_t count);
    void (*log_softmax_backward)(void *out, const void *grad, const void *result, int64_t count);
    void (*softmax_block)(const native_softmax_block *block);
    void (*log_softmax_block)(const native_softmax_block *block);
    void (*softmax_backward_block)(const native_softmax_block *block);
    void (*log_softmax_backward_block)(const native_softmax_block *block);
} native_rows;

/* The rows of the instruction set that the backend runs with, for NATIVE_F32 or NATIVE_F64. */
const native_rows *native_rows_of(const native_env *env, native_class cls);

#endif
