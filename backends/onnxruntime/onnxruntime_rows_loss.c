/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows: losses. PyTorch's reduction: 0 none, 1 mean, 2 sum.
 */
#include "translate.h"

/* The terms by a recipe, then their mean or sum. */
static ort_id finish(ort_call *call, ort_id terms, const ob_tensor *like)
{
    int64_t axes[OB_MAX_DIMS];
    const int64_t reduction = ort_arg_int(call, "reduction", 1);
    for (int d = 0; d < like->ndim; d++)
        axes[d] = d;
    if (reduction == 0 || like->ndim == 0)
        return terms;
    return ort_reduce(call->t, reduction == 1 ? "ReduceMean" : "ReduceSum", terms, axes,
                      (size_t)like->ndim, false);
}

static ort_id difference(ort_call *call)
{
    const ob_dtype dtype = ort_result_meta(call, 0)->dtype;
    return ort_binary(call->t, "Sub", ort_arg_as(call, "self", dtype),
                      ort_arg_as(call, "target", dtype));
}

static bool can_compare(ort_call *call)
{
    const ob_tensor *a = ort_arg_meta(call, "self"), *b = ort_arg_meta(call, "target");
    bool same = a->ndim == b->ndim;
    for (int d = 0; same && d < a->ndim; d++)
        same = a->sizes[d] == b->sizes[d];
    if (!same || !ort_is_float(a->dtype))
        ort_refuse(call, same ? "whole numbers" : "input and target of different shapes");
    return same && ort_is_float(a->dtype);
}

static void emit_mse(ort_call *call)
{
    if (!can_compare(call))
        return;
    const ort_id d = difference(call);
    ort_result(call, 0, finish(call, ort_binary(call->t, "Mul", d, d), ort_arg_meta(call, "self")));
}

static void emit_l1(ort_call *call)
{
    if (can_compare(call))
        ort_result(
            call, 0,
            finish(call, ort_unary(call->t, "Abs", difference(call)), ort_arg_meta(call, "self")));
}

/* Squares within `bound`, straight lines outside; huber's are `bound` times as steep. */
static void emit_smooth(ort_call *call)
{
    ort_translation *t = call->t;
    const bool huber = call->row->onnx[0] == 'd';
    const double bound = ort_arg_double(call, call->row->onnx, 1);
    if (!can_compare(call))
        return;
    const ob_tensor *self = ort_arg_meta(call, "self");
    const ob_dtype dtype = self->dtype;
    const ort_id size = ort_unary(t, "Abs", difference(call));
    if (bound <= 0) {
        ort_result(call, 0, finish(call, size, self));
        return;
    }
    const ort_id within =
        ort_emit(t, "Less", OB_DTYPE_BOOL, ORT_IN(size, ort_number(t, dtype, bound)), NULL);
    const ort_id square = ort_binary(t, "Mul", ort_binary(t, "Mul", size, size),
                                     ort_number(t, dtype, huber ? 0.5 : 0.5 / bound));
    ort_id line = ort_binary(t, "Sub", size, ort_number(t, dtype, 0.5 * bound));
    if (huber)
        line = ort_binary(t, "Mul", line, ort_number(t, dtype, bound));
    ort_result(call, 0, finish(call, ort_where(t, within, square, line), self));
}

/* 2 (self - target) grad, divided by the number of terms for the mean. */
static void emit_mse_backward(ort_call *call)
{
    ort_translation *t = call->t;
    if (!can_compare(call))
        return;
    const ob_tensor *self = ort_arg_meta(call, "self");
    const double count = (double)ob_kit_numel(self);
    const double factor = ort_arg_int(call, "reduction", 1) == 1 && count > 0 ? 2 / count : 2;
    const ort_id d = ort_binary(t, "Mul", difference(call), ort_number(t, self->dtype, factor));
    ort_result(call, 0, ort_binary(t, "Mul", d, ort_arg(call, "grad_output")));
}

/* ---- nll ---- */

/* What both directions need: targets, with those to be left out replaced by 0, and the weight of each sample. */
typedef struct samples {
    int64_t count, classes;
    ort_id safe; /* i64 [count] */
    ort_id weight;
    ob_dtype dtype;
} samples;

static samples read_samples(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *self = ort_arg_meta(call, "self");
    samples s = {.count = ob_kit_numel(ort_arg_meta(call, "target")),
                 .classes = self->sizes[self->ndim > 1 ? 1 : 0],
                 .dtype = self->dtype};
    const ort_id target = ort_reshape(t, ort_arg_as(call, "target", OB_DTYPE_I64), &s.count, 1);
    const ort_id skip =
        ort_number(t, OB_DTYPE_I64, (double)ort_arg_int(call, "ignore_index", -100));
    const ort_id skipped = ort_emit(t, "Equal", OB_DTYPE_BOOL, ORT_IN(target, skip), NULL);
    s.safe = ort_where(t, skipped, ort_number(t, OB_DTYPE_I64, 0), target);
    const ort_id weight = ort_arg(call, "weight");
    const ort_id each = weight == ORT_NONE ? ort_filled(t, s.dtype, 1, &s.count, 1)
                                           : ort_emit(t, "Gather", s.dtype, ORT_IN(weight, s.safe),
                                                      ORT_ATTRS(ORT_I("axis", 0)));
    s.weight = ort_where(t, skipped, ort_number(t, s.dtype, 0), each);
    return s;
}

static void emit_nll(ort_call *call)
{
    ort_translation *t = call->t;
    const samples s = read_samples(call);
    const int64_t reduction = ort_arg_int(call, "reduction", 1), axis = 0;
    ort_id self = ort_arg(call, "self");
    if (ort_arg_meta(call, "self")->ndim == 4) /* classes last */
        self = ort_transpose(t, self, (const int64_t[]){0, 2, 3, 1}, 4);
    self = ort_reshape(t, self, (const int64_t[]){s.count, s.classes}, 2);
    const ort_id at = ort_reshape(t, s.safe, (const int64_t[]){s.count, 1}, 2);
    ort_id x =
        ort_emit(t, "GatherElements", s.dtype, ORT_IN(self, at), ORT_ATTRS(ORT_I("axis", 1)));
    x = ort_reshape(t, x, &s.count, 1);
    x = ort_unary(t, "Neg", ort_binary(t, "Mul", x, s.weight));
    const ort_id total = ort_reduce(t, "ReduceSum", s.weight, &axis, 1, false);
    if (reduction != 0)
        x = ort_reduce(t, "ReduceSum", x, &axis, 1, false);
    if (reduction == 1)
        x = ort_binary(t, "Div", x, total);
    ort_result(call, 0, ort_reshape_like(t, x, ort_result_meta(call, 0)));
    ort_result(call, 1, reduction == 0 ? ort_number(t, s.dtype, 0) : total);
}

static void emit_nll_backward(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *result = ort_result_meta(call, 0), *grad = ort_arg_meta(call, "grad_output");
    const samples s = read_samples(call);
    const int64_t column[] = {s.count, 1}, wide[] = {s.count, s.classes};
    ort_id g = ort_arg(call, "grad_output");
    if (ort_arg_int(call, "reduction", 1) == 1)
        g = ort_binary(t, "Div", g, ort_arg_as(call, "total_weight", s.dtype));
    if (grad->ndim > 0)
        g = ort_reshape(t, g, &s.count, 1);
    g = ort_unary(t, "Neg", ort_binary(t, "Mul", s.weight, g));
    const ort_id zeros = ort_filled(t, s.dtype, 0, wide, 2);
    g = ort_scatter(t, zeros, ort_reshape(t, s.safe, column, 2), ort_reshape(t, g, column, 2), 1,
                    false);
    if (result->ndim == 4) {
        const int64_t *n = result->sizes;
        g = ort_reshape(t, g, (const int64_t[]){n[0], n[2], n[3], n[1]}, 4);
        ort_result(call, 0, ort_transpose(t, g, (const int64_t[]){0, 3, 1, 2}, 4));
        return;
    }
    ort_result(call, 0, ort_reshape_like(t, g, result));
}

const ort_row ort_rows_loss[] = {
    {.name = "aten::mse_loss", .emit = emit_mse},
    {.name = "aten::mse_loss_backward", .emit = emit_mse_backward},
    {.name = "aten::l1_loss", .emit = emit_l1},
    {.name = "aten::smooth_l1_loss", .emit = emit_smooth, .onnx = "beta"},
    {.name = "aten::huber_loss", .emit = emit_smooth, .onnx = "delta"},
    {.name = "aten::nll_loss2d_forward", .emit = emit_nll},
    {.name = "aten::nll_loss2d_backward", .emit = emit_nll_backward},
    {.name = "aten::nll_loss_forward", .emit = emit_nll},
    {.name = "aten::nll_loss_backward", .emit = emit_nll_backward},
    {.name = NULL},
};
