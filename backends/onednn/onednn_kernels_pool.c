/* SPDX-License-Identifier: Apache-2.0
 *
 * Pooling. What the library remembers of a maximum's place (its workspace) stands for PyTorch's indices: good
 * for the backward, and for nothing else.
 */
#include "emit_bytes.h"

typedef struct pooling {
    dnn_view input, output; /* or their gradients; batched */
    dnn_request request;
} pooling;

/* A batch of one for what has none. */
static dnn_view batched(const dnn_view *view, int spatial)
{
    return view->ndim == spatial + 1 ? dnn_view_insert_dim(view, 0) : *view;
}

static size_t read_list(const dnn_call *call, const char *name, int64_t *out, int spatial)
{
    const size_t count = dnn_arg_ints(call, name, out, 3);
    for (int d = 1; count == 1 && d < spatial; d++)
        out[d] = out[0];
    return count;
}

/* false: windows reach over the padding, which the library would count in. */
static bool read_windows(const dnn_call *call, pooling *p)
{
    dnn_request *r = &p->request;
    bool within = true;
    for (int d = 0; d < 3; d++)
        r->dilation[d] = 1;
    read_list(call, "kernel_size", r->kernel, r->spatial);
    if (read_list(call, "stride", r->strides, r->spatial) == 0)
        for (int d = 0; d < r->spatial; d++)
            r->strides[d] = r->kernel[d];
    read_list(call, "padding", r->pad_left, r->spatial);
    read_list(call, "dilation", r->dilation, r->spatial);
    for (int d = 0; d < r->spatial; d++) {
        const int64_t in = p->input.sizes[d + 2], out = p->output.sizes[d + 2];
        const int64_t range = (r->kernel[d] - 1) * r->dilation[d] + 1;
        r->pad_right[d] = (out - 1) * r->strides[d] + range - in - r->pad_left[d];
        within = within && r->pad_right[d] <= r->pad_left[d];
    }
    return within;
}

/* Windows of one size that do not overlap. */
static bool read_adaptive(pooling *p)
{
    dnn_request *r = &p->request;
    for (int d = 0; d < r->spatial; d++) {
        const int64_t in = p->input.sizes[d + 2], out = p->output.sizes[d + 2];
        if (out == 0 || in % out != 0)
            return false;
        r->kernel[d] = r->strides[d] = in / out;
        r->dilation[d] = 1;
    }
    return true;
}

static ob_status read_average(const dnn_call *call, pooling *p, ob_err *err)
{
    dnn_request *r = &p->request;
    int64_t volume = 1;
    r->algorithm = DNN_POOL_AVG_EXCLUDE;
    if (call->kernel->variant < 0)
        return read_adaptive(p)
                   ? OB_OK
                   : dnn_refuse(call, err, "oneDNN's windows must all have the same size");
    const bool within = read_windows(call, p);
    for (int d = 0; d < r->spatial; d++)
        volume *= r->kernel[d];
    const bool divisor = !dnn_arg_is_none(call, "divisor_override");
    if (divisor && dnn_arg_int(call, "divisor_override", 1) != volume)
        return dnn_refuse(call, err, "oneDNN can only divide by the size of the window");
    if (dnn_arg_bool(call, "count_include_pad", true) || divisor) {
        if (!within && !divisor)
            return dnn_refuse(call, err, "oneDNN counts what is beyond the padding");
        r->algorithm = DNN_POOL_AVG_INCLUDE;
    }
    return OB_OK;
}

static ob_status start(dnn_call *call, pooling *p, ob_err *err)
{
    const bool bytes = dnn_is_byte(p->input.dtype);
    if (!bytes && !dnn_is_float(p->input.dtype))
        return dnn_refuse(call, err, "the backend only pools floating dtypes and bytes");
    if (bytes && p->request.algorithm != DNN_POOL_MAX && !call->plan->library_integers)
        return dnn_refuse(call, err,
                          "oneDNN rounds averages of integers, but PyTorch truncates; the "
                          "backend's option integers=library accepts that");
    OB_TRY(dnn_plan_dense(call->plan, &p->input, err));
    return dnn_plan_dense(call->plan, &p->output, err);
}

static int spatial_of(const dnn_call *call)
{
    const int variant = call->kernel->variant;
    return variant < 0 ? -variant : variant;
}

/* The layout to pool from: where it lies, but bytes with channels innermost, as the library's fast code has it. With
 * gaps there is only its reference code, which in 3.7 leaves gradients of maxima as they were before. */
static const dnn_layout *source_layout(dnn_plan *plan, const dnn_view *in, ob_err *err)
{
    dnn_view laid = *in;
    if (dnn_plan_is_blocked(plan, in) || (!dnn_is_byte(in->dtype) && dnn_view_is_dense(in)))
        return dnn_plan_current(plan, in, err);
    if (dnn_is_byte(in->dtype))
        laid = dnn_view_channels_last(in);
    else
        dnn_view_contiguous_strides(&laid);
    return dnn_plan_plain(plan, &laid, err);
}

/* ---- averages ---- */

static ob_status plan_average(dnn_call *call, ob_err *err)
{
    const dnn_view in = dnn_arg_view(call, "self"), out = dnn_output(call, 0);
    const int spatial = spatial_of(call);
    pooling p = {.input = batched(&in, spatial), .output = batched(&out, spatial)};
    p.request.spatial = spatial;
    OB_TRY(read_average(call, &p, err));
    OB_TRY(start(call, &p, err));
    p.request.kind = DNN_POOL;
    p.request.src = source_layout(call->plan, &p.input, err);
    p.request.dst = dnn_plan_any(call->plan, &p.output, err);
    if (p.request.src == NULL || p.request.dst == NULL)
        return OB_ERR_UNSUPPORTED;
    const dnn_binding bindings[] = {{DNN_SRC, &p.input, false, false},
                                    {DNN_DST, &p.output, true, false}};
    return dnn_plan_emit(call->plan, &p.request, bindings, 2, NULL, err);
}

static ob_status plan_average_backward(dnn_call *call, ob_err *err)
{
    const dnn_view in = dnn_output(call, 0), grad = dnn_arg_view(call, "grad_output");
    const dnn_view self = dnn_arg_view(call, "self");
    const int spatial = spatial_of(call);
    pooling p = {.input = batched(&in, spatial), .output = batched(&grad, spatial)};
    p.request.spatial = spatial;
    OB_TRY(read_average(call, &p, err));
    OB_TRY(start(call, &p, err));
    const dnn_view source = batched(&self, spatial);
    p.request.kind = DNN_POOL_BACKWARD;
    p.request.src = dnn_plan_is_blocked(call->plan, &source)
                        ? dnn_plan_current(call->plan, &source, err)
                        : dnn_plan_plain(call->plan, &p.input, err);
    p.request.dst = dnn_plan_any(call->plan, &p.output, err);
    if (p.request.src == NULL || p.request.dst == NULL)
        return OB_ERR_UNSUPPORTED;
    const dnn_binding bindings[] = {{DNN_DIFF_DST, &p.output, false, false},
                                    {DNN_DIFF_SRC, &p.input, true, false}};
    return dnn_plan_emit(call->plan, &p.request, bindings, 2, NULL, err);
}

/* ---- maxima ---- */

static ob_status plan_maximum(dnn_call *call, ob_err *err)
{
    dnn_plan *plan = call->plan;
    const dnn_view in = dnn_arg_view(call, "self"), out = dnn_output(call, 0);
    const dnn_view indices = dnn_output(call, 1);
    const int spatial = spatial_of(call);
    pooling p = {.input = batched(&in, spatial), .output = batched(&out, spatial)};
    const dnn_desc *desc;
    p.request.spatial = spatial;
    p.request.algorithm = DNN_POOL_MAX;
    OB_TRY(start(call, &p, err));
    if (call->kernel->variant > 0)
        read_windows(call, &p);
    else if (!read_adaptive(&p))
        return dnn_refuse(call, err, "oneDNN's windows must all have the same size");
    p.request.kind = DNN_POOL;
    p.request.training = plan->training;
    p.request.src = source_layout(plan, &p.input, err);
    p.request.dst = dnn_plan_any(plan, &p.output, err);
    if (p.request.src == NULL || p.request.dst == NULL)
        return OB_ERR_UNSUPPORTED;
    const dnn_binding bindings[] = {{DNN_SRC, &p.input, false, false},
                                    {DNN_DST, &p.output, true, false},
                                    {DNN_WORKSPACE, &indices, true, false}};
    OB_TRY(dnn_plan_emit(plan, &p.request, bindings, plan->training ? 3 : 2, &desc, err));
    plan->groups[indices.group].made_by = desc;
    return OB_OK;
}

static ob_status plan_maximum_backward(dnn_call *call, ob_err *err)
{
    dnn_plan *plan = call->plan;
    const dnn_view in = dnn_output(call, 0), grad = dnn_arg_view(call, "grad_output");
    const dnn_view indices = dnn_arg_view(call, "indices");
    const int spatial = spatial_of(call);
    pooling p = {.input = batched(&in, spatial), .output = batched(&grad, spatial)};
    p.request.spatial = spatial;
    p.request.algorithm = DNN_POOL_MAX;
    p.request.hint = plan->groups[indices.group].made_by;
    if (p.request.hint == NULL)
        return dnn_refuse(call, err, "oneDNN needs what its own forward pass stored, not indices");
    OB_TRY(start(call, &p, err));
    if (call->kernel->variant > 0)
        read_windows(call, &p);
    else
        read_adaptive(&p);
    p.request.kind = DNN_POOL_BACKWARD;
    p.request.src = dnn_desc_layout(plan->lib, &plan->layouts, p.request.hint, DNN_SRC);
    p.request.dst = dnn_desc_layout(plan->lib, &plan->layouts, p.request.hint, DNN_DST);
    const dnn_binding bindings[] = {{DNN_DIFF_DST, &p.output, false, false},
                                    {DNN_WORKSPACE, &indices, false, false},
                                    {DNN_DIFF_SRC, &p.input, true, false}};
    return dnn_plan_emit(plan, &p.request, bindings, 3, NULL, err);
}

/* variant: spatial dimensions; negative for adaptive windows. */
const dnn_kernel dnn_kernels_pool[] = {
    {.name = "aten::avg_pool2d", .plan = plan_average, .variant = 2},
    {.name = "aten::avg_pool2d_backward", .plan = plan_average_backward, .variant = 2},
    {.name = "aten::avg_pool3d", .plan = plan_average, .variant = 3},
    {.name = "aten::avg_pool3d_backward", .plan = plan_average_backward, .variant = 3},
    {.name = "aten::_adaptive_avg_pool2d", .plan = plan_average, .variant = -2},
    {.name = "aten::_adaptive_avg_pool2d_backward", .plan = plan_average_backward, .variant = -2},
    {.name = "aten::_adaptive_avg_pool3d", .plan = plan_average, .variant = -3},
    {.name = "aten::_adaptive_avg_pool3d_backward", .plan = plan_average_backward, .variant = -3},
    {.name = "aten::max_pool2d_with_indices", .plan = plan_maximum, .variant = 2},
    {.name = "aten::max_pool2d_with_indices_backward", .plan = plan_maximum_backward, .variant = 2},
    {.name = "aten::max_pool3d_with_indices", .plan = plan_maximum, .variant = 3},
    {.name = "aten::max_pool3d_with_indices_backward", .plan = plan_maximum_backward, .variant = 3},
    {.name = "aten::adaptive_max_pool2d", .plan = plan_maximum, .variant = -2},
    {.name = "aten::adaptive_max_pool2d_backward", .plan = plan_maximum_backward, .variant = -2},
    {.name = NULL},
};
