/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums of products: out(row, column) = sum over k of a(row, k) * b(column, k), for matrix products, convolutions and their
 * gradients. What is different about them is where the elements are.
 */
#ifndef NATIVE_REFERENCE_PRODUCT_H
#define NATIVE_REFERENCE_PRODUCT_H

#include "reference_call.h"

typedef struct ref_product ref_product;
struct ref_product {
    int64_t blocks, rows, columns, length; /* blocks: batches, groups; each has rows and columns */
    const ref_tensor *a, *b;
    /* The offsets in a of a row's elements, in b of a column's; -1 = a zero that is not added. */
    void (*row)(const ref_product *p, int64_t block, int64_t row, int64_t *offsets);
    void (*column)(const ref_product *p, int64_t block, int64_t column, int64_t *offsets);
    /* The row-major place of an element of the output. */
    int64_t (*place)(const ref_product *p, int64_t block, int64_t row, int64_t column);
    /* And back. */
    void (*find)(const ref_product *p, int64_t place, int64_t *block, int64_t *row,
                 int64_t *column);
    /* What is done with a sum: times alpha, and beta times what lies at `place` of the tensor broadcast to the output. */
    ball alpha, beta;
    int64_t whole_alpha, whole_beta;
    bool scaled;            /* alpha is not 1 */
    const ref_tensor *plus; /* NULL = nothing is added */
    const void *data;       /* the caller's */
};

ob_status ref_product_run(ref_call *call, ref_out *out, const ref_product *p, ob_err *err);

#endif
