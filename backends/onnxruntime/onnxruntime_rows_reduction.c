/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows: sums, extremes, moments and norms.
 */
#include "translate.h"

#include <math.h>
#include <string.h>

/* Which dimensions go. */
typedef struct axes {
    int64_t dims[OB_MAX_DIMS];
    size_t count;
    bool keep;
    int64_t length; /* elements behind one of the result */
} axes;

static axes axes_of(const ort_call *call, const ob_tensor *self)
{
    axes a = {.keep = ort_arg_bool(call, "keepdim", false), .length = 1};
    a.count = ort_arg_ints(call, "dim", a.dims, OB_MAX_DIMS);
    if (a.count == 0)
        for (; a.count < (size_t)self->ndim; a.count++)
            a.dims[a.count] = (int64_t)a.count;
    if (self->ndim == 0)
        a.count = 0;
    for (size_t i = 0; i < a.count; i++) {
        a.dims[i] = ob_kit_dim(a.dims[i], self->ndim);
        a.length *= self->sizes[a.dims[i]];
    }
    return a;
}

static ort_id reduce(ort_translation *t, const char *op, ort_id id, const axes *a)
{
    return a->count == 0 ? id : ort_reduce(t, op, id, a->dims, a->count, a->keep);
}

/* What a reduction of nothing gives; ONNX Runtime refuses, or writes nothing. */
static bool reduce_nothing(ort_call *call, const ob_tensor *self, double value)
{
    const ob_tensor *result = ort_result_meta(call, 0);
    if (ob_kit_numel(self) > 0)
        return false;
    ort_result(call, 0, ort_filled(call->t, result->dtype, value, result->sizes, result->ndim));
    return true;
}

static void emit_sum(ort_call *call)
{
    const ob_tensor *self = ort_arg_meta(call, "self");
    const axes a = axes_of(call, self);
    const char *op = call->row->onnx;
    const double nothing = strcmp(op, "ReduceSum") == 0    ? 0
                           : strcmp(op, "ReduceProd") == 0 ? 1
                                                           : (double)NAN;
    if (!reduce_nothing(call, self, nothing))
        ort_result(
            call, 0,
            reduce(call->t, op, ort_arg_as(call, "self", ort_result_meta(call, 0)->dtype), &a));
}

static void emit_extreme(ort_call *call)
{
    const ob_tensor *self = ort_arg_meta(call, "self");
    const axes a = axes_of(call, self);
    ort_result(call, 0, reduce(call->t, call->row->onnx, ort_arg(call, "self"), &a));
}

static ort_id arg_extreme(ort_translation *t, const char *op, ort_id id, int64_t axis, bool keep)
{
    return ort_emit(t, op, OB_DTYPE_I64, &id, 1,
                    ORT_ATTRS(ORT_I("axis", axis), ORT_I("keepdims", keep)));
}

/* Values and the places of the first of them. */
static void emit_extreme_dim(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *self = ort_arg_meta(call, "self");
    const axes a = axes_of(call, self);
    const ort_id id = ort_arg(call, "self");
    const bool max = strcmp(call->row->onnx, "ReduceMax") == 0;
    ort_result(call, 0, reduce(t, call->row->onnx, id, &a));
    ort_result(call, 1,
               self->ndim == 0 ? ort_number(t, OB_DTYPE_I64, 0)
                               : arg_extreme(t, max ? "ArgMax" : "ArgMin", id, a.dims[0], a.keep));
}

static void emit_arg_extreme(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *self = ort_arg_meta(call, "self"), *result = ort_result_meta(call, 0);
    const int64_t all = ob_kit_numel(self);
    ort_id id = ort_arg(call, "self");
    if (ort_arg_is_none(call, "dim") || self->ndim == 0) {
        id = arg_extreme(t, call->row->onnx, ort_reshape(t, id, &all, 1), 0, false);
        ort_result(call, 0, result->ndim > 0 ? ort_reshape_like(t, id, result) : id);
        return;
    }
    ort_result(call, 0,
               arg_extreme(t, call->row->onnx, id,
                           ob_kit_dim(ort_arg_int(call, "dim", 0), self->ndim),
                           ort_arg_bool(call, "keepdim", false)));
}

/* The extremes of 0 and 1. */
static void emit_any(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *self = ort_arg_meta(call, "self");
    const axes a = axes_of(call, self);
    const ort_id truth = ort_cast(t, ort_arg(call, "self"), OB_DTYPE_BOOL);
    if (!reduce_nothing(call, self, strcmp(call->row->onnx, "ReduceMin") == 0))
        ort_result(call, 0,
                   ort_cast(t, reduce(t, call->row->onnx, ort_cast(t, truth, OB_DTYPE_I32), &a),
                            OB_DTYPE_BOOL));
}

/* ---- moments ---- */

static int64_t correction_of(const ort_call *call)
{
    if (!ort_arg_is_none(call, "unbiased"))
        return ort_arg_bool(call, "unbiased", true);
    return ort_arg_int(call, "correction", 1);
}

/* The row says what is wanted: var, std, or both of var_mean. */
static void emit_var(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *self = ort_arg_meta(call, "self");
    const ob_dtype dtype = self->dtype;
    const axes a = axes_of(call, self);
    axes kept = a;
    kept.keep = true;
    const double divisor = (double)a.length - (double)correction_of(call);
    const ort_id x = ort_arg(call, "self");
    if (ob_kit_numel(self) == 0) {
        ort_refuse(call, "there are no elements");
        return;
    }
    const ort_id mean = reduce(t, "ReduceMean", x, &kept);
    const ort_id d = ort_binary(t, "Sub", x, mean);
    ort_id sum = reduce(t, "ReduceSum", ort_binary(t, "Mul", d, d), &a);
    sum = ort_binary(t, "Div", sum, ort_number(t, dtype, divisor > 0 ? divisor : 0));
    ort_result(call, 0, strcmp(call->row->onnx, "std") == 0 ? ort_unary(t, "Sqrt", sum) : sum);
    if (ort_result_meta(call, 1) != NULL)
        ort_result(call, 1, ort_reshape_like(t, mean, ort_result_meta(call, 1)));
}

/* ---- norms ---- */

static ort_id norm_of(ort_call *call, ort_id x, double p, const axes *a)
{
    ort_translation *t = call->t;
    const ob_dtype dtype = ort_dtype_of(t, x);
    if (a->count > 0 && p == 2)
        return reduce(t, "ReduceL2", x, a);
    if (a->count > 0 && p == 1)
        return reduce(t, "ReduceL1", x, a);
    const ort_id size = ort_unary(t, "Abs", x);
    if (isinf(p))
        return reduce(t, p > 0 ? "ReduceMax" : "ReduceMin", size, a);
    if (p == 0) {
        const ort_id zero =
            ort_emit(t, "Equal", OB_DTYPE_BOOL, ORT_IN(x, ort_number(t, dtype, 0)), NULL);
        const ort_id some = ort_emit(t, "Not", OB_DTYPE_BOOL, &zero, 1, NULL);
        return reduce(t, "ReduceSum", ort_cast(t, some, dtype), a);
    }
    const ort_id sum =
        reduce(t, "ReduceSum", ort_binary(t, "Pow", size, ort_number(t, dtype, p)), a);
    return ort_binary(t, "Pow", sum, ort_number(t, dtype, 1 / p));
}

static void emit_norm(ort_call *call)
{
    const ob_tensor *self = ort_arg_meta(call, "self"), *result = ort_result_meta(call, 0);
    const axes a = axes_of(call, self);
    const double p = ort_arg_double(call, call->row->onnx, 2);
    if (!reduce_nothing(call, self, 0))
        ort_result(call, 0, norm_of(call, ort_arg_as(call, "self", result->dtype), p, &a));
}

static void emit_logsumexp(ort_call *call)
{
    const ob_tensor *self = ort_arg_meta(call, "self"), *result = ort_result_meta(call, 0);
    const axes a = axes_of(call, self);
    if (!reduce_nothing(call, self, -(double)INFINITY))
        ort_result(call, 0,
                   reduce(call->t, "ReduceLogSumExp", ort_arg_as(call, "self", result->dtype), &a));
}

const ort_row ort_rows_reduction[] = {
    {.name = "aten::sum", .emit = emit_sum, .onnx = "ReduceSum"},
    {.name = "aten::sum.dim_IntList", .emit = emit_sum, .onnx = "ReduceSum"},
    {.name = "aten::mean", .emit = emit_sum, .onnx = "ReduceMean"},
    {.name = "aten::mean.dim", .emit = emit_sum, .onnx = "ReduceMean"},
    {.name = "aten::prod", .emit = emit_sum, .onnx = "ReduceProd"},
    {.name = "aten::prod.dim_int", .emit = emit_sum, .onnx = "ReduceProd"},
    {.name = "aten::max", .emit = emit_extreme, .onnx = "ReduceMax"},
    {.name = "aten::min", .emit = emit_extreme, .onnx = "ReduceMin"},
    {.name = "aten::amax", .emit = emit_extreme, .onnx = "ReduceMax"},
    {.name = "aten::amin", .emit = emit_extreme, .onnx = "ReduceMin"},
    {.name = "aten::max.dim", .emit = emit_extreme_dim, .onnx = "ReduceMax"},
    {.name = "aten::min.dim", .emit = emit_extreme_dim, .onnx = "ReduceMin"},
    {.name = "aten::argmax", .emit = emit_arg_extreme, .onnx = "ArgMax"},
    {.name = "aten::argmin", .emit = emit_arg_extreme, .onnx = "ArgMin"},
    {.name = "aten::any", .emit = emit_any, .onnx = "ReduceMax"},
    {.name = "aten::any.dim", .emit = emit_any, .onnx = "ReduceMax"},
    {.name = "aten::all", .emit = emit_any, .onnx = "ReduceMin"},
    {.name = "aten::all.dim", .emit = emit_any, .onnx = "ReduceMin"},
    {.name = "aten::var", .emit = emit_var, .onnx = "var"},
    {.name = "aten::var.dim", .emit = emit_var, .onnx = "var"},
    {.name = "aten::var.correction", .emit = emit_var, .onnx = "var"},
    {.name = "aten::std", .emit = emit_var, .onnx = "std"},
    {.name = "aten::std.dim", .emit = emit_var, .onnx = "std"},
    {.name = "aten::std.correction", .emit = emit_var, .onnx = "std"},
    {.name = "aten::var_mean", .emit = emit_var, .onnx = "var"},
    {.name = "aten::var_mean.dim", .emit = emit_var, .onnx = "var"},
    {.name = "aten::var_mean.correction", .emit = emit_var, .onnx = "var"},
    {.name = "aten::norm.Scalar", .emit = emit_norm, .onnx = "p"},
    {.name = "aten::norm.ScalarOpt_dim", .emit = emit_norm, .onnx = "p"},
    {.name = "aten::norm.ScalarOpt_dtype", .emit = emit_norm, .onnx = "p"},
    {.name = "aten::norm.ScalarOpt_dim_dtype", .emit = emit_norm, .onnx = "p"},
    {.name = "aten::linalg_vector_norm", .emit = emit_norm, .onnx = "ord"},
    {.name = "aten::logsumexp", .emit = emit_logsumexp},
    {.name = NULL},
};
