/* SPDX-License-Identifier: Apache-2.0
 *
 * Softmax and its logarithm. Dense tensors are seen as [outer, axis, inner]. Where something lies inside of the
 * axis they are brought to [outer, inner, axis], by reorders: for other layouts the library has only its reference
 * code, which takes hundreds of times as long.
 */
#include "emit.h"

static int flatten(dnn_view *const *views, int count, int dim)
{
    bool dense = true;
    for (int i = 0; i < count; i++)
        dense = dense && dnn_view_is_contiguous(views[i]);
    if (!dense)
        return dim;
    int64_t sizes[] = {1, views[0]->ndim > 0 ? views[0]->sizes[dim] : 1, 1};
    for (int d = 0; d < views[0]->ndim; d++) {
        if (d != dim)
            sizes[d < dim ? 0 : 2] *= views[0]->sizes[d];
    }
    for (int i = 0; i < count; i++)
        dnn_view_reshape(views[i], sizes[2] == 1 ? 2 : 3, sizes);
    if (sizes[2] == 1)
        return 1;
    for (int i = 0; i < count; i++) {
        dnn_view *view = views[i];
        const int64_t length = view->sizes[1], step = view->strides[1];
        view->sizes[1] = view->sizes[2], view->strides[1] = view->strides[2];
        view->sizes[2] = length, view->strides[2] = step;
    }
    return 2;
}

static const dnn_layout *layout_of(dnn_plan *plan, const dnn_view *view, int axis, ob_err *err)
{
    dnn_view laid = *view;
    if (axis == 2 && view->ndim == 3)
        dnn_view_contiguous_strides(&laid);
    return dnn_plan_plain(plan, &laid, err);
}

static ob_status plan_softmax(dnn_call *call, ob_err *err)
{
    dnn_plan *plan = call->plan;
    dnn_view in = dnn_arg_view(call, "self"), out = dnn_output(call, 0);
    dnn_view *const views[] = {&in, &out};
    OB_TRY(dnn_plan_dense(plan, &in, err));
    dnn_request request = {.kind = DNN_SOFTMAX,
                           .algorithm = (dnn_algorithm)call->kernel->variant,
                           .training = plan->training};
    if (request.algorithm == DNN_SOFTMAX_LOG && out.dtype == OB_DTYPE_F32)
        OB_TRY(dnn_refuse_inexact(call, err));
    request.axis = flatten(views, 2, ob_kit_dim(dnn_arg_int(call, "dim", -1), in.ndim));
    request.src = layout_of(plan, &in, request.axis, err);
    request.dst = layout_of(plan, &out, request.axis, err);
    if (request.src == NULL || request.dst == NULL)
        return OB_ERR_UNSUPPORTED;
    const dnn_binding bindings[] = {{DNN_SRC, &in, false, false}, {DNN_DST, &out, true, false}};
    return dnn_plan_emit(plan, &request, bindings, 2, NULL, err);
}

static ob_status plan_softmax_backward(dnn_call *call, ob_err *err)
{
    dnn_plan *plan = call->plan;
    dnn_view grad = dnn_arg_view(call, "grad_output"), result = dnn_arg_view(call, "output");
    dnn_view out = dnn_output(call, 0);
    dnn_view *const views[] = {&out, &grad, &result};
    OB_TRY(dnn_plan_dense(plan, &grad, err));
    OB_TRY(dnn_plan_dense(plan, &result, err));
    dnn_request request = {.kind = DNN_SOFTMAX_BACKWARD,
                           .algorithm = (dnn_algorithm)call->kernel->variant};
    request.axis = flatten(views, 3, ob_kit_dim(dnn_arg_int(call, "dim", -1), out.ndim));
    request.src = layout_of(plan, &out, request.axis, err);
    request.diff = layout_of(plan, &grad, request.axis, err);
    request.dst = layout_of(plan, &result, request.axis, err);
    if (request.src == NULL || request.diff == NULL || request.dst == NULL)
        return OB_ERR_UNSUPPORTED;
    const dnn_binding bindings[] = {{DNN_DST, &result, false, false},
                                    {DNN_DIFF_DST, &grad, false, false},
                                    {DNN_DIFF_SRC, &out, true, false}};
    return dnn_plan_emit(plan, &request, bindings, 3, NULL, err);
}

#define BACKWARD plan_softmax_backward

const dnn_kernel dnn_kernels_softmax[] = {
    {.name = "aten::_softmax", .plan = plan_softmax, .variant = DNN_SOFTMAX_LINEAR},
    {.name = "aten::_log_softmax", .plan = plan_softmax, .variant = DNN_SOFTMAX_LOG},
    {.name = "aten::_softmax_backward_data", .plan = BACKWARD, .variant = DNN_SOFTMAX_LINEAR},
    {.name = "aten::_log_softmax_backward_data", .plan = BACKWARD, .variant = DNN_SOFTMAX_LOG},
    {.name = NULL},
};
