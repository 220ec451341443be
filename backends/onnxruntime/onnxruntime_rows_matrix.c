/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows: matrix products.
 */
#include "translate.h"

/* x * factor, where that is not 1. */
static ort_id scale(ort_call *call, ort_id x, const char *factor)
{
    ort_translation *t = call->t;
    const ob_value *value = ort_arg_value(call, factor);
    if (value == NULL || ort_arg_double(call, factor, 1) == 1)
        return x;
    const ob_dtype dtype = ort_dtype_of(t, x);
    return ort_emit(t, "Mul", dtype, ORT_IN(x, ort_number_from(t, dtype, value)), NULL);
}

/* beta * self + alpha * product; self is not looked at when beta is 0, as PyTorch does it. */
static ort_id add_scaled(ort_call *call, ort_id product)
{
    ort_translation *t = call->t;
    product = scale(call, product, "alpha");
    if (ort_arg_double(call, "beta", 1) == 0)
        return product;
    const ort_id self = scale(call, ort_arg(call, "self"), "beta");
    return ort_emit(t, "Add", ort_dtype_of(t, product), ORT_IN(self, product), NULL);
}

/* Products of arguments. Where there is nothing to multiply they are zeros, which ONNX Runtime forgets to write. A vector
 * on the right becomes a column: the optimiser of 1.20 gives wrong results for a transposed matrix and a vector. */
static ort_id matmul(ort_call *call, const char *left, const char *right, const int64_t *sizes,
                     int ndim)
{
    ort_translation *t = call->t;
    const ob_tensor *a = ort_arg_meta(call, left), *b = ort_arg_meta(call, right);
    ort_id y = ort_arg(call, right);
    if (ob_kit_numel(a) == 0 || ob_kit_numel(b) == 0)
        return ort_filled(t, a->dtype, 0, sizes, ndim);
    const bool column = a->ndim > 1 && b->ndim == 1;
    if (column)
        y = ort_reshape(t, y, (const int64_t[]){b->sizes[0], 1}, 2);
    y = ort_emit(t, "MatMul", a->dtype, ORT_IN(ort_arg(call, left), y), NULL);
    return column ? ort_reshape(t, y, sizes, ndim) : y;
}

static ort_id matmul_like(ort_call *call, const char *left, const char *right,
                          const ob_tensor *result)
{
    return matmul(call, left, right, result->sizes, result->ndim);
}

static void emit_product(ort_call *call)
{
    const char *const *args =
        (const char *const[]){call->schema->args[0].name, call->schema->args[1].name};
    ort_result(call, 0, matmul_like(call, args[0], args[1], ort_result_meta(call, 0)));
}

static void emit_addmm(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *result = ort_result_meta(call, 0), *mat1 = ort_arg_meta(call, "mat1");
    const double alpha = ort_arg_double(call, "alpha", 1), beta = ort_arg_double(call, "beta", 1);
    const ort_id a = ort_arg(call, "mat1"), b = ort_arg(call, "mat2"), c = ort_arg(call, "self");
    if (!ort_is_float(result->dtype) || mat1->sizes[1] == 0) {
        ort_result(call, 0, add_scaled(call, matmul_like(call, "mat1", "mat2", result)));
        return;
    }
    ort_result(call, 0,
               ort_emit(t, "Gemm", result->dtype, (const ort_id[]){a, b, c}, beta == 0 ? 2 : 3,
                        ORT_ATTRS(ORT_F("alpha", alpha), ORT_F("beta", beta))));
}

static void emit_batched(ort_call *call)
{
    ort_result(call, 0,
               add_scaled(call, matmul_like(call, "batch1", "batch2", ort_result_meta(call, 0))));
}

static void emit_addbmm(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *a = ort_arg_meta(call, "batch1"), *b = ort_arg_meta(call, "batch2");
    const int64_t sizes[] = {a->sizes[0], a->sizes[1], b->sizes[2]};
    const ort_id product = matmul(call, "batch1", "batch2", sizes, 3);
    const ort_id axes = ort_ints(t, (const int64_t[]){0}, 1);
    ort_result(call, 0,
               add_scaled(call, ort_emit(t, "ReduceSum", ort_dtype_of(t, product),
                                         ORT_IN(product, axes), ORT_ATTRS(ORT_I("keepdims", 0)))));
}

static void emit_addmv(ort_call *call)
{
    ort_result(call, 0,
               add_scaled(call, matmul_like(call, "mat", "vec", ort_result_meta(call, 0))));
}

static ort_id outer(ort_call *call, const char *column, const char *row)
{
    ort_translation *t = call->t;
    const int64_t sizes[] = {ob_kit_numel(ort_arg_meta(call, column)), 1};
    const ort_id tall = ort_reshape(t, ort_arg(call, column), sizes, 2);
    return ort_emit(t, "Mul", ort_dtype_of(t, tall), ORT_IN(tall, ort_arg(call, row)), NULL);
}

static void emit_outer(ort_call *call)
{
    ort_result(call, 0, outer(call, "self", "vec2"));
}

static void emit_addr(ort_call *call)
{
    ort_result(call, 0, add_scaled(call, outer(call, "vec1", "vec2")));
}

/* x w^T + b. One Gemm for matrices; more dimensions are folded into rows, as exporters do not, but torch does. */
static void emit_linear(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *input = ort_arg_meta(call, "input"), *weight = ort_arg_meta(call, "weight"),
                    *result = ort_result_meta(call, 0);
    const ort_id w = ort_arg(call, "weight"), b = ort_arg(call, "bias");
    ort_id x = ort_arg(call, "input");
    if (weight->ndim != 2 || !ort_is_float(result->dtype)) {
        const ort_id flat = weight->ndim == 2 ? ort_transpose(t, w, (const int64_t[]){1, 0}, 2) : w;
        x = ort_emit(t, "MatMul", result->dtype, ORT_IN(x, flat), NULL);
        if (b != ORT_NONE)
            x = ort_emit(t, "Add", result->dtype, ORT_IN(x, b), NULL);
        ort_result(call, 0, x);
        return;
    }
    const int64_t width = weight->sizes[1], rows = width > 0 ? ob_kit_numel(input) / width : 0;
    if (width == 0) {
        x = ort_filled(t, result->dtype, 0, result->sizes, result->ndim);
        ort_result(call, 0,
                   b == ORT_NONE ? x : ort_emit(t, "Add", result->dtype, ORT_IN(x, b), NULL));
        return;
    }
    if (input->ndim != 2)
        x = ort_reshape(t, x, (const int64_t[]){rows, width}, 2);
    x = ort_emit(t, "Gemm", result->dtype, (const ort_id[]){x, w, b}, b == ORT_NONE ? 2 : 3,
                 ORT_ATTRS(ORT_I("transB", 1)));
    ort_result(call, 0, input->ndim != 2 ? ort_reshape_like(t, x, result) : x);
}

const ort_row ort_rows_matrix[] = {
    {.name = "aten::mm", .emit = emit_product},
    {.name = "aten::bmm", .emit = emit_product},
    {.name = "aten::mv", .emit = emit_product},
    {.name = "aten::dot", .emit = emit_product},
    {.name = "aten::matmul", .emit = emit_product},
    {.name = "aten::addmm", .emit = emit_addmm},
    {.name = "aten::baddbmm", .emit = emit_batched},
    {.name = "aten::addbmm", .emit = emit_addbmm},
    {.name = "aten::addmv", .emit = emit_addmv},
    {.name = "aten::outer", .emit = emit_outer},
    {.name = "aten::addr", .emit = emit_addr},
    {.name = "aten::linear", .emit = emit_linear},
    {.name = NULL},
};
