/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators of two tensors with broadcasting.
 */
#include "emit.h"

static ob_status plan_binary(dnn_call *call, ob_err *err)
{
    const dnn_view a = dnn_arg_view(call, "self"), b = dnn_arg_view(call, "other");
    const dnn_view out = dnn_output(call, 0);
    return dnn_emit_binary(call->plan, (dnn_algorithm)call->kernel->variant, &a, &b, &out,
                           dnn_arg_double(call, "alpha", 1), err);
}

/* other - alpha * self */
static ob_status plan_reversed(dnn_call *call, ob_err *err)
{
    const dnn_view a = dnn_arg_view(call, "self"), b = dnn_arg_view(call, "other");
    const dnn_view out = dnn_output(call, 0);
    return dnn_emit_binary(call->plan, (dnn_algorithm)call->kernel->variant, &b, &a, &out,
                           dnn_arg_double(call, "alpha", 1), err);
}

#define BINARY(op, algorithm)                                                                      \
    {                                                                                              \
        .name = "aten::" op, .plan = plan_binary, .variant = (algorithm)                           \
    }

const dnn_kernel dnn_kernels_binary[] = {
    BINARY("add.Tensor", DNN_ADD),
    BINARY("add_.Tensor", DNN_ADD),
    BINARY("sub.Tensor", DNN_SUB),
    BINARY("sub_.Tensor", DNN_SUB),
    BINARY("mul.Tensor", DNN_MUL),
    BINARY("mul_.Tensor", DNN_MUL),
    BINARY("div.Tensor", DNN_DIV),
    BINARY("div_.Tensor", DNN_DIV),
    BINARY("maximum", DNN_MAX),
    BINARY("minimum", DNN_MIN),
    BINARY("ge.Tensor", DNN_GE),
    BINARY("gt.Tensor", DNN_GT),
    BINARY("le.Tensor", DNN_LE),
    BINARY("lt.Tensor", DNN_LT),
    BINARY("eq.Tensor", DNN_EQ),
    BINARY("ne.Tensor", DNN_NE),
    {.name = "aten::rsub.Tensor", .plan = plan_reversed, .variant = DNN_SUB},
    {.name = NULL},
};
