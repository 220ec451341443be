/* SPDX-License-Identifier: Apache-2.0
 *
 * Steps that several groups of kernels are made of.
 */
#ifndef OB_ONEDNN_EMIT_H
#define OB_ONEDNN_EMIT_H

#include "onednn_kernel.h"

/* to = from, with conversion and repetition: a reorder, or a plain loop where the library has none. */
ob_status dnn_emit_copy(dnn_plan *plan, const dnn_view *to, const dnn_view *from, ob_err *err);
ob_status dnn_emit_fill(dnn_plan *plan, const dnn_view *to, double value, ob_err *err);
/* 1 everywhere, by prepare. */
ob_status dnn_emit_ones(dnn_plan *plan, const dnn_view *to, ob_err *err);
/* out = a OP b * b_scale with broadcasting; the shape of out is the whole one. */
ob_status dnn_emit_binary(dnn_plan *plan, dnn_algorithm algorithm, const dnn_view *a,
                          const dnn_view *b, const dnn_view *out, double b_scale, ob_err *err);

typedef struct dnn_curve {
    dnn_algorithm algorithm;
    double alpha, beta;
} dnn_curve;

ob_status dnn_emit_eltwise(dnn_plan *plan, const dnn_curve *curve, const dnn_view *in,
                           const dnn_view *out, ob_err *err);
/* out = gradient; data is the input, or the result where the algorithm's name ends in DST. */
ob_status dnn_emit_eltwise_backward(dnn_plan *plan, const dnn_curve *curve, const dnn_view *grad,
                                    const dnn_view *data, const dnn_view *out, ob_err *err);
/* out has the dimensions of in, size 1 where it is reduced. */
ob_status dnn_emit_reduction(dnn_plan *plan, dnn_algorithm algorithm, double power,
                             const dnn_view *in, const dnn_view *out, ob_err *err);
/* [n,] rows, columns to [n,] 1, columns: what the library has only its reference code for. */
bool dnn_sums_rows(const dnn_view *in, const dnn_view *out);
ob_status dnn_emit_reduced_last(dnn_plan *plan, dnn_view *in, dnn_view *out, ob_err *err);

bool dnn_is_float(ob_dtype dtype);

#endif
