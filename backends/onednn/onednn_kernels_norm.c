/* SPDX-License-Identifier: Apache-2.0
 *
 * Batch and layer normalization. The library works with variances, PyTorch with inverse deviations: those
 * are as many as channels or rows, and converted by a plain loop.
 */
#include "emit.h"
#include "plain_loops.h"

/* A list of f32 in memory without gaps, as the library wants scales and statistics. */
static ob_status as_list(dnn_plan *plan, dnn_view *view, ob_err *err)
{
    const int64_t count = dnn_view_numel(view);
    if (view->dtype == OB_DTYPE_F32 && dnn_view_is_contiguous(view)) {
        dnn_view_reshape(view, 1, &count);
        return OB_OK;
    }
    dnn_view list;
    OB_TRY(dnn_plan_temporary(plan, OB_DTYPE_F32, view->ndim, view->sizes, &list, err));
    OB_TRY(dnn_emit_copy(plan, &list, view, err));
    dnn_view_reshape(&list, 1, &count);
    *view = list;
    return OB_OK;
}

/* Where a list of f32 goes first: the tensor itself, or one to be converted afterwards. */
static ob_status list_for(dnn_plan *plan, const dnn_view *view, int64_t count, dnn_view *list,
                          ob_err *err)
{
    if (dnn_view_is(view) && view->dtype == OB_DTYPE_F32 && dnn_view_is_contiguous(view)) {
        *list = *view;
        dnn_view_reshape(list, 1, &count);
        return OB_OK;
    }
    return dnn_plan_temporary(plan, OB_DTYPE_F32, 1, &count, list, err);
}

static ob_status deliver(dnn_plan *plan, const dnn_view *to, const dnn_view *list, ob_err *err)
{
    dnn_view from = *list;
    if (!dnn_view_is(to) || to->group == list->group)
        return OB_OK;
    dnn_view_reshape(&from, to->ndim, to->sizes);
    return dnn_emit_copy(plan, to, &from, err);
}

static ob_status loop_two(dnn_plan *plan, void (*run)(const dnn_plain_loop *), const char *name,
                          const dnn_view *to, const dnn_view *from, double first, double second,
                          ob_err *err)
{
    const dnn_plain_loop loop = {
        .run = run, .name = name, .views = {*to, *from}, .count = 2, .numbers = {first, second}};
    return dnn_plan_plain_loop(plan, &loop, 1, err);
}

/* The inverse deviations of variances, to where they are wanted. */
static ob_status give_deviation(dnn_plan *plan, const dnn_view *to, const dnn_view *variance,
                                double eps, ob_err *err)
{
    dnn_view list;
    if (!dnn_view_is(to) || dnn_view_numel(to) == 0)
        return OB_OK;
    OB_TRY(list_for(plan, to, dnn_view_numel(variance), &list, err));
    OB_TRY(loop_two(plan, dnn_plain_inverse_deviation, "inverse deviation", &list, variance, eps, 0,
                    err));
    return deliver(plan, to, &list, err);
}

static ob_status get_variance(dnn_plan *plan, dnn_view *deviation, double eps, dnn_view *variance,
                              ob_err *err)
{
    OB_TRY(as_list(plan, deviation, err));
    OB_TRY(dnn_plan_temporary(plan, OB_DTYPE_F32, 1, deviation->sizes, variance, err));
    return loop_two(plan, dnn_plain_variance, "variance", variance, deviation, eps, 0, err);
}

static void bind(dnn_binding *bindings, int *count, int arg, const dnn_view *view, bool output)
{
    if (dnn_view_is(view))
        bindings[(*count)++] = (dnn_binding){arg, view, output, false};
}

/* Weight and bias, if there are any. */
static ob_status read_affine(const dnn_call *call, dnn_view *weight, dnn_view *bias, ob_err *err)
{
    *weight = dnn_arg_view(call, "weight");
    *bias = dnn_arg_view(call, "bias");
    if (dnn_view_is(weight))
        OB_TRY(as_list(call->plan, weight, err));
    return dnn_view_is(bias) ? as_list(call->plan, bias, err) : OB_OK;
}

/* What both norms are given; `other` is the bias, or the gradient of the result. */
typedef struct norm {
    dnn_view in, out, mean, variance, weight, other;
    bool gives_stats; /* mean and variance are results */
} norm;

static ob_status emit_norm(dnn_plan *plan, const dnn_request *request, const norm *n, ob_err *err)
{
    dnn_binding bindings[6];
    int count = 0;
    bind(bindings, &count, DNN_SRC, &n->in, false);
    bind(bindings, &count, DNN_SCALE, &n->weight, false);
    bind(bindings, &count, DNN_SHIFT, &n->other, false);
    bind(bindings, &count, DNN_MEAN, &n->mean, n->gives_stats);
    bind(bindings, &count, DNN_VARIANCE, &n->variance, n->gives_stats);
    bind(bindings, &count, DNN_DST, &n->out, true);
    return dnn_plan_emit(plan, request, bindings, count, NULL, err);
}

/* ---- batch norm ---- */

static ob_status update_running(dnn_call *call, const char *name, const dnn_view *now,
                                double factor, ob_err *err)
{
    const dnn_view running = dnn_arg_view(call, name);
    if (!dnn_view_is(&running))
        return OB_OK;
    if (running.dtype != OB_DTYPE_F32 || !dnn_view_is_contiguous(&running))
        return dnn_refuse(call, err, "running statistics must be contiguous float32");
    return loop_two(call->plan, dnn_plain_running, "running statistics", &running, now,
                    dnn_arg_double(call, "momentum", 0.1), factor, err);
}

static ob_status plan_batch_norm(dnn_call *call, ob_err *err)
{
    dnn_plan *plan = call->plan;
    dnn_view in = dnn_arg_view(call, "input"), out = dnn_output(call, 0);
    const dnn_view save_mean = dnn_output(call, 1), save_deviation = dnn_output(call, 2);
    const bool training = dnn_arg_bool(call, "training", false);
    const double eps = dnn_arg_double(call, "eps", 1e-5);
    const int64_t channels = in.sizes[1], per_channel = dnn_view_numel(&in) / channels;
    dnn_view weight, bias, mean = dnn_arg_view(call, "running_mean"),
                           variance = dnn_arg_view(call, "running_var");
    if (!dnn_is_float(in.dtype))
        return dnn_refuse(call, err, "the backend only normalizes floating dtypes");
    if (!training && !(dnn_view_is(&mean) && dnn_view_is(&variance)))
        return dnn_refuse(call, err, "there are no running statistics");
    OB_TRY(dnn_plan_dense(plan, &in, err));
    OB_TRY(read_affine(call, &weight, &bias, err));
    if (training) {
        OB_TRY(list_for(plan, &save_mean, channels, &mean, err));
        OB_TRY(dnn_plan_temporary(plan, OB_DTYPE_F32, 1, &channels, &variance, err));
    } else {
        OB_TRY(as_list(plan, &mean, err));
        OB_TRY(as_list(plan, &variance, err));
    }
    const dnn_request request = {.kind = DNN_BATCH_NORM,
                                 .training = training || plan->training,
                                 .src = dnn_plan_current(plan, &in, err),
                                 .epsilon = (float)eps,
                                 .use_scale = dnn_view_is(&weight),
                                 .use_shift = dnn_view_is(&bias),
                                 .global_stats = !training};
    if (request.src == NULL)
        return OB_ERR_UNSUPPORTED;
    const norm n = {in, out, mean, variance, weight, bias, training};
    OB_TRY(emit_norm(plan, &request, &n, err));
    if (!training)
        return OB_OK;
    OB_TRY(deliver(plan, &save_mean, &mean, err));
    OB_TRY(give_deviation(plan, &save_deviation, &variance, eps, err));
    OB_TRY(update_running(call, "running_mean", &mean, 1, err));
    return update_running(call, "running_var", &variance,
                          per_channel > 1 ? (double)per_channel / (double)(per_channel - 1) : 1,
                          err);
}

/* The gradients of weight and bias come together. */
typedef struct affine_grads {
    dnn_view weight, bias; /* as the library gives them */
} affine_grads;

static ob_status plan_affine_grads(dnn_call *call, int64_t count, affine_grads *grads, ob_err *err)
{
    const dnn_view weight = dnn_output(call, 1), bias = dnn_output(call, 2);
    OB_TRY(list_for(call->plan, &weight, count, &grads->weight, err));
    return list_for(call->plan, &bias, count, &grads->bias, err);
}

static ob_status deliver_affine_grads(dnn_call *call, const affine_grads *grads, ob_err *err)
{
    const dnn_view weight = dnn_output(call, 1), bias = dnn_output(call, 2);
    OB_TRY(deliver(call->plan, &weight, &grads->weight, err));
    return deliver(call->plan, &bias, &grads->bias, err);
}

/* Some versions ask for the shift, which none reads. */
static ob_status asks_for_more(const dnn_plan *plan, const dnn_request *request, int inputs,
                               bool *out, ob_err *err)
{
    dnn_desc *desc;
    OB_TRY(dnn_describe(plan->lib, request, &desc, err));
    *out = dnn_desc_inputs(plan->lib, desc) > inputs;
    dnn_desc_destroy(plan->lib, desc);
    return OB_OK;
}

static ob_status emit_norm_backward(dnn_call *call, const dnn_request *request, const norm *n,
                                    const affine_grads *grads, ob_err *err)
{
    dnn_binding bindings[9];
    bool more;
    int count = 0;
    bind(bindings, &count, DNN_SRC, &n->in, false);
    bind(bindings, &count, DNN_DIFF_DST, &n->other, false);
    bind(bindings, &count, DNN_MEAN, &n->mean, false);
    bind(bindings, &count, DNN_VARIANCE, &n->variance, false);
    bind(bindings, &count, DNN_SCALE, &n->weight, false);
    OB_TRY(asks_for_more(call->plan, request, count, &more, err));
    if (more)
        bind(bindings, &count, DNN_SHIFT, &n->weight, false);
    bind(bindings, &count, DNN_DIFF_SRC, &n->out, true);
    bind(bindings, &count, DNN_DIFF_SCALE, &grads->weight, true);
    bind(bindings, &count, DNN_DIFF_SHIFT, &grads->bias, true);
    OB_TRY(dnn_plan_emit(call->plan, request, bindings, count, NULL, err));
    return dnn_view_is(&n->weight) ? deliver_affine_grads(call, grads, err) : OB_OK;
}

/* The gradient of the data, into a tensor that nobody sees if it is not wanted. */
static ob_status data_grad(dnn_call *call, const dnn_view *like, dnn_view *out, ob_err *err)
{
    *out = dnn_output(call, 0);
    if (dnn_view_is(out))
        return OB_OK;
    return dnn_plan_temporary(call->plan, like->dtype, like->ndim, like->sizes, out, err);
}

static ob_status plan_batch_norm_backward(dnn_call *call, ob_err *err)
{
    dnn_plan *plan = call->plan;
    dnn_view in = dnn_arg_view(call, "input"), grad = dnn_arg_view(call, "grad_out"), out;
    const bool training = dnn_arg_bool(call, "train", true);
    const double eps = dnn_arg_double(call, "eps", 1e-5);
    dnn_view weight = dnn_arg_view(call, "weight"), variance;
    dnn_view mean = dnn_arg_view(call, training ? "save_mean" : "running_mean");
    dnn_view spread = dnn_arg_view(call, training ? "save_invstd" : "running_var");
    const int64_t channels = in.sizes[1];
    const bool affine = dnn_view_is(&weight);
    affine_grads grads = {{.group = DNN_NONE_ID}, {.group = DNN_NONE_ID}};
    if (!dnn_view_is(&mean) || !dnn_view_is(&spread))
        return dnn_refuse(call, err, "there are no statistics");
    OB_TRY(dnn_plan_dense(plan, &in, err));
    OB_TRY(dnn_plan_dense(plan, &grad, err));
    OB_TRY(as_list(plan, &mean, err));
    if (training) {
        OB_TRY(get_variance(plan, &spread, eps, &variance, err));
    } else {
        variance = spread;
        OB_TRY(as_list(plan, &variance, err));
    }
    if (affine) {
        OB_TRY(as_list(plan, &weight, err));
        OB_TRY(plan_affine_grads(call, channels, &grads, err));
    }
    OB_TRY(data_grad(call, &in, &out, err));
    const dnn_layout *layout = dnn_plan_current(plan, &in, err);
    if (layout == NULL)
        return OB_ERR_UNSUPPORTED;
    const dnn_request request = {.kind = DNN_BATCH_NORM_BACKWARD,
                                 .src = layout,
                                 .diff = layout,
                                 .epsilon = (float)eps,
                                 .use_scale = affine,
                                 .use_shift = affine,
                                 .global_stats = !training};
    const norm n = {in, out, mean, variance, weight, grad, false};
    return emit_norm_backward(call, &request, &n, &grads, err);
}

/* ---- layer norm ---- */

/* Seen as rows of what is normalized. */
static ob_status as_rows(dnn_plan *plan, dnn_view *view, int64_t rows, int64_t length, ob_err *err)
{
    const int64_t sizes[] = {rows, length};
    if (!dnn_view_is_contiguous(view)) {
        dnn_view dense;
        OB_TRY(dnn_plan_temporary(plan, view->dtype, view->ndim, view->sizes, &dense, err));
        OB_TRY(dnn_emit_copy(plan, &dense, view, err));
        *view = dense;
    }
    dnn_view_reshape(view, 2, sizes);
    return OB_OK;
}

static int64_t normalized_length(const dnn_call *call)
{
    int64_t sizes[OB_MAX_DIMS], length = 1;
    const size_t count = dnn_arg_ints(call, "normalized_shape", sizes, OB_MAX_DIMS);
    for (size_t i = 0; i < count && i < OB_MAX_DIMS; i++)
        length *= sizes[i];
    return length;
}

static ob_status plan_layer_norm(dnn_call *call, ob_err *err)
{
    dnn_plan *plan = call->plan;
    dnn_view in = dnn_arg_view(call, "input"), out = dnn_output(call, 0), weight, bias;
    const dnn_view save_mean = dnn_output(call, 1), save_deviation = dnn_output(call, 2);
    const double eps = dnn_arg_double(call, "eps", 1e-5);
    const int64_t length = normalized_length(call), rows = dnn_view_numel(&in) / length;
    const bool stats = plan->training || dnn_output_is_used(call, 1) || dnn_output_is_used(call, 2);
    dnn_view mean = {.group = DNN_NONE_ID}, variance = {.group = DNN_NONE_ID}, one;
    const int64_t sizes[] = {rows, length};
    if (!dnn_is_float(in.dtype))
        return dnn_refuse(call, err, "the backend only normalizes floating dtypes");
    OB_TRY(as_rows(plan, &in, rows, length, err));
    if (!dnn_view_reshape(&out, 2, sizes))
        return dnn_refuse(call, err, "the result cannot be seen as rows");
    OB_TRY(read_affine(call, &weight, &bias, err));
    if (stats) {
        OB_TRY(list_for(plan, &save_mean, rows, &mean, err));
        OB_TRY(dnn_plan_temporary(plan, OB_DTYPE_F32, 1, &rows, &variance, err));
    }
    one = (dnn_view){.dtype = OB_DTYPE_F32, .ndim = 1, .sizes = {rows}, .strides = {1}};
    const dnn_request request = {.kind = DNN_LAYER_NORM,
                                 .training = stats,
                                 .src = dnn_plan_plain(plan, &in, err),
                                 .weights = dnn_plan_plain(plan, &one, err),
                                 .epsilon = (float)eps,
                                 .use_scale = dnn_view_is(&weight),
                                 .use_shift = dnn_view_is(&bias)};
    if (request.src == NULL || request.weights == NULL)
        return OB_ERR_UNSUPPORTED;
    const norm n = {in, out, mean, variance, weight, bias, true};
    OB_TRY(emit_norm(plan, &request, &n, err));
    if (!stats)
        return OB_OK;
    OB_TRY(deliver(plan, &save_mean, &mean, err));
    return give_deviation(plan, &save_deviation, &variance, eps, err);
}

static ob_status plan_layer_norm_backward(dnn_call *call, ob_err *err)
{
    dnn_plan *plan = call->plan;
    dnn_view in = dnn_arg_view(call, "input"), grad = dnn_arg_view(call, "grad_out"), out;
    dnn_view mean = dnn_arg_view(call, "mean"), deviation = dnn_arg_view(call, "rstd"), variance;
    dnn_view weight = dnn_arg_view(call, "weight");
    const int64_t length = normalized_length(call), rows = dnn_view_numel(&in) / length;
    const bool affine = dnn_view_is(&weight);
    affine_grads grads = {{.group = DNN_NONE_ID}, {.group = DNN_NONE_ID}};
    const int64_t sizes[] = {rows, length};
    OB_TRY(as_rows(plan, &in, rows, length, err));
    OB_TRY(as_rows(plan, &grad, rows, length, err));
    OB_TRY(as_list(plan, &mean, err));
    OB_TRY(get_variance(plan, &deviation, 0, &variance, err)); /* eps is in it already */
    if (affine) {
        OB_TRY(as_list(plan, &weight, err));
        OB_TRY(plan_affine_grads(call, length, &grads, err));
    }
    OB_TRY(data_grad(call, &in, &out, err));
    if (!dnn_view_reshape(&out, 2, sizes))
        return dnn_refuse(call, err, "the gradient cannot be seen as rows");
    const dnn_request request = {.kind = DNN_LAYER_NORM_BACKWARD,
                                 .src = dnn_plan_plain(plan, &in, err),
                                 .diff = dnn_plan_plain(plan, &grad, err),
                                 .weights = dnn_plan_plain(plan, &mean, err),
                                 .use_scale = affine,
                                 .use_shift = affine};
    if (request.src == NULL || request.diff == NULL || request.weights == NULL)
        return OB_ERR_UNSUPPORTED;
    const norm n = {in, out, mean, variance, weight, grad, false};
    return emit_norm_backward(call, &request, &n, &grads, err);
}

const dnn_kernel dnn_kernels_norm[] = {
    {.name = "aten::native_batch_norm", .plan = plan_batch_norm},
    {.name = "aten::native_batch_norm_backward", .plan = plan_batch_norm_backward},
    {.name = "aten::native_layer_norm", .plan = plan_layer_norm},
    {.name = "aten::native_layer_norm_backward", .plan = plan_layer_norm_backward},
    {.name = NULL},
};
