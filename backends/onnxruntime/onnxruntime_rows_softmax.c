/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows: softmax, its logarithm, and their gradients.
 */
#include "translate.h"

#include <string.h>

static void emit_softmax(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *self = ort_arg_meta(call, "self"), *result = ort_result_meta(call, 0);
    ort_id x = ort_arg_as(call, "self", result->dtype);
    if (ob_kit_numel(self) == 0) {
        ort_result(call, 0, x);
        return;
    }
    if (self->ndim == 0)
        x = ort_reshape(t, x, (const int64_t[]){1}, 1);
    x = ort_emit(t, call->row->onnx, result->dtype, &x, 1,
                 ORT_ATTRS(ORT_I("axis", ob_kit_dim(ort_arg_int(call, "dim", -1), self->ndim))));
    ort_result(call, 0, self->ndim == 0 ? ort_reshape(t, x, NULL, 0) : x);
}

/* output * (grad - sum(grad * output)); of the logarithm: grad - exp(output) * sum(grad). */
static void emit_softmax_backward(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *output = ort_arg_meta(call, "output");
    const ob_dtype dtype = ort_result_meta(call, 0)->dtype;
    const ort_id grad = ort_arg_as(call, "grad_output", dtype),
                 y = ort_arg_as(call, "output", dtype);
    const int64_t dim = ob_kit_dim(ort_arg_int(call, "dim", -1), output->ndim);
    const bool logarithm = strcmp(call->row->onnx, "LogSoftmax") == 0;
    const ort_id terms = logarithm ? grad : ort_binary(t, "Mul", grad, y);
    const ort_id sum = output->ndim == 0 ? terms : ort_reduce(t, "ReduceSum", terms, &dim, 1, true);
    if (logarithm) {
        const ort_id p = ort_binary(t, "Mul", ort_unary(t, "Exp", y), sum);
        ort_result(call, 0, ort_binary(t, "Sub", grad, p));
        return;
    }
    ort_result(call, 0, ort_binary(t, "Mul", y, ort_binary(t, "Sub", grad, sum)));
}

const ort_row ort_rows_softmax[] = {
    {.name = "aten::softmax.int", .emit = emit_softmax, .onnx = "Softmax"},
    {.name = "aten::_softmax", .emit = emit_softmax, .onnx = "Softmax"},
    {.name = "aten::log_softmax.int", .emit = emit_softmax, .onnx = "LogSoftmax"},
    {.name = "aten::_log_softmax", .emit = emit_softmax, .onnx = "LogSoftmax"},
    {.name = "aten::_softmax_backward_data", .emit = emit_softmax_backward, .onnx = "Softmax"},
    {.name = "aten::_log_softmax_backward_data",
     .emit = emit_softmax_backward,
     .onnx = "LogSoftmax"},
    {.name = NULL},
};
