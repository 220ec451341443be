/* SPDX-License-Identifier: Apache-2.0
 *
 * Dropout: the mask is filled by a plain loop, what is done with it is a product.
 */
#include "emit.h"
#include "plain_loops.h"

static ob_status plan_dropout(dnn_call *call, ob_err *err)
{
    const dnn_view in = dnn_arg_view(call, "input"), out = dnn_output(call, 0);
    const dnn_view mask = dnn_output(call, 1);
    if (!dnn_is_float(out.dtype))
        return dnn_refuse(call, err, "integers cannot be scaled by a number with a fraction");
    const bool train = dnn_arg_is_none(call, "train") || dnn_arg_bool(call, "train", true);
    const double p = train ? dnn_arg_double(call, "p", 0.5) : 0;
    const dnn_plain_loop loop = {
        .run = dnn_plain_mask, .name = "mask", .views = {mask}, .count = 1, .numbers = {1 - p}};
    OB_TRY(dnn_plan_plain_loop(call->plan, &loop, 1, err));
    return dnn_emit_binary(call->plan, DNN_MUL, &in, &mask, &out, p < 1 ? 1 / (1 - p) : 1, err);
}

static ob_status plan_dropout_backward(dnn_call *call, ob_err *err)
{
    const dnn_view grad = dnn_arg_view(call, "grad_output"), mask = dnn_arg_view(call, "mask");
    const dnn_view out = dnn_output(call, 0);
    if (!dnn_is_float(out.dtype))
        return dnn_refuse(call, err, "integers have no gradients");
    return dnn_emit_binary(call->plan, DNN_MUL, &grad, &mask, &out,
                           dnn_arg_double(call, "scale", 1), err);
}

const dnn_kernel dnn_kernels_random[] = {
    {.name = "aten::native_dropout", .plan = plan_dropout},
    {.name = "aten::native_dropout_backward", .plan = plan_dropout_backward},
    {.name = NULL},
};
