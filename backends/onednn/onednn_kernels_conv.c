/* SPDX-License-Identifier: Apache-2.0
 *
 * Convolutions, forward and both backwards, transposed ones too. All layouts are the library's choice.
 */
#include "emit_bytes.h"

#include "plain_loops.h"

#include <string.h>

typedef struct convolution {
    dnn_view input, weight, bias, output; /* or their gradients */
    bool transposed;
    dnn_request request;
} convolution;

/* The library's weights are [groups,] outputs, inputs, kernel...; a transposed one has inputs before outputs. */
static dnn_view arrange_weight(const dnn_view *weight, int64_t groups, bool transposed)
{
    dnn_view view = dnn_view_insert_dim(weight, 0);
    const int64_t first = weight->sizes[0] / groups;
    view.sizes[0] = groups;
    view.strides[0] = first * weight->strides[0];
    view.sizes[1] = first;
    if (transposed) {
        view.sizes[1] = weight->sizes[1], view.sizes[2] = first;
        view.strides[1] = weight->strides[1], view.strides[2] = weight->strides[0];
    }
    if (groups > 1)
        return view;
    memmove(view.sizes, view.sizes + 1, (size_t)(view.ndim - 1) * sizeof *view.sizes);
    memmove(view.strides, view.strides + 1, (size_t)(view.ndim - 1) * sizeof *view.strides);
    view.ndim--;
    return view;
}

static ob_status read_windows(const dnn_call *call, const dnn_view *weight, convolution *c,
                              ob_err *err)
{
    dnn_request *r = &c->request;
    int64_t padding[3] = {0};
    r->spatial = c->input.ndim - 2;
    if (r->spatial < 1 || r->spatial > 3)
        return dnn_refuse(call, err, "oneDNN convolves one to three dimensions");
    for (int d = 0; d < 3; d++)
        r->strides[d] = r->dilation[d] = 1;
    const size_t counts[] = {dnn_arg_ints(call, "stride", r->strides, 3),
                             dnn_arg_ints(call, "dilation", r->dilation, 3),
                             dnn_arg_ints(call, "padding", padding, 3)};
    for (int d = 1; d < r->spatial; d++) { /* one number stands for all */
        if (counts[0] == 1)
            r->strides[d] = r->strides[0];
        if (counts[1] == 1)
            r->dilation[d] = r->dilation[0];
        if (counts[2] == 1)
            padding[d] = padding[0];
    }
    const dnn_view *wide = c->transposed ? &c->output : &c->input;
    const dnn_view *narrow = c->transposed ? &c->input : &c->output;
    for (int d = 0; d < r->spatial; d++) {
        const int64_t range = (weight->sizes[d + 2] - 1) * r->dilation[d] + 1;
        r->pad_left[d] = padding[d];
        r->pad_right[d] =
            (narrow->sizes[d + 2] - 1) * r->strides[d] + range - wide->sizes[d + 2] - padding[d];
    }
    return OB_OK;
}

static ob_status choose_layouts(dnn_plan *plan, convolution *c, ob_err *err)
{
    c->request.src = dnn_plan_any(plan, &c->input, err);
    c->request.weights = dnn_plan_any(plan, &c->weight, err);
    c->request.dst = dnn_plan_any(plan, &c->output, err);
    c->request.bias = dnn_view_is(&c->bias) ? dnn_plan_any(plan, &c->bias, err) : NULL;
    return c->request.src == NULL || c->request.weights == NULL || c->request.dst == NULL ||
                   (c->request.bias == NULL && dnn_view_is(&c->bias))
               ? OB_ERR_UNSUPPORTED
               : OB_OK;
}

/* ---- bytes ---- */

/* out = the last bits of the sums, plus what is added: a bias, or the parts before. */
static ob_status wrap_image(dnn_plan *plan, const dnn_view *out, const dnn_view *sums,
                            const dnn_view *add, bool bias, ob_err *err)
{
    const dnn_view laid = dnn_view_channels_last(out);
    const dnn_layout *layout = dnn_plan_plain(plan, &laid, err);
    dnn_plain_loop wrap = {
        .run = dnn_plain_wrap, .name = "wrap", .count = 2, .elementwise = true, .numbers = {1, 1}};
    wrap.views[0] = dnn_view_channels_behind(&laid);
    wrap.views[1] = dnn_view_channels_behind(sums);
    if (layout == NULL)
        return OB_ERR_UNSUPPORTED;
    if (dnn_view_is(add)) {
        wrap.views[2] = wrap.views[0];
        wrap.views[2].group = add->group;
        wrap.views[2].offset = add->offset;
        for (int d = 0; bias && d < out->ndim; d++)
            wrap.views[2].strides[d] = d + 1 < out->ndim ? 0 : add->strides[0];
        wrap.count = 3;
    }
    return dnn_plan_plain_loop_form(plan, &wrap, out, layout, err);
}

/* A tensor like `like` whose own layout has the channels innermost. */
static ob_status image_like(dnn_plan *plan, const dnn_view *like, ob_dtype dtype, dnn_view *out,
                            ob_err *err)
{
    OB_TRY(dnn_plan_temporary(plan, dtype, like->ndim, like->sizes, out, err));
    *out = dnn_view_channels_last(out);
    plan->groups[out->group].base = *out;
    return OB_OK;
}

static ob_status emit_byte_part(dnn_plan *plan, convolution *c, const dnn_view *sums, ob_err *err)
{
    c->request.src = dnn_plan_any(plan, &c->input, err);
    c->request.weights = dnn_plan_any(plan, &c->weight, err);
    c->request.dst = dnn_plan_plain(plan, sums, err);
    if (c->request.src == NULL || c->request.weights == NULL || c->request.dst == NULL)
        return OB_ERR_UNSUPPORTED;
    const dnn_binding bindings[] = {{DNN_SRC, &c->input, false, false},
                                    {DNN_WEIGHTS, &c->weight, false, true},
                                    {DNN_DST, sums, true, false}};
    return dnn_plan_emit(plan, &c->request, bindings, 3, NULL, err);
}

/* How many channels a part may have for its sums to be exact. */
static ob_status find_part(const dnn_call *call, convolution *c, const dnn_view *sums,
                           int64_t channels, int64_t *part, ob_err *err)
{
    const bool grouped = c->weight.ndim == c->input.ndim + 1;
    int64_t taps = 1, products;
    for (int d = 0; d < c->request.spatial; d++)
        taps *= c->weight.sizes[c->weight.ndim - 1 - d];
    c->request.src = dnn_plan_any(call->plan, &c->input, err);
    c->request.weights = dnn_plan_any(call->plan, &c->weight, err);
    c->request.dst = dnn_plan_plain(call->plan, sums, err);
    if (c->request.src == NULL || c->request.weights == NULL || c->request.dst == NULL)
        return OB_ERR_UNSUPPORTED;
    OB_TRY(dnn_exact_products(call->plan, &c->request, channels * taps, &products, err));
    *part = products / taps;
    if (*part == 0 || (grouped && *part < channels))
        return dnn_refuse(
            call, err,
            "oneDNN turns sums of this many products of bytes into float32, which is not exact");
    return OB_OK;
}

static ob_status plan_bytes(dnn_call *call, convolution *c, ob_err *err)
{
    dnn_plan *plan = call->plan;
    dnn_view sums, before, add = c->bias;
    int64_t step;
    OB_TRY(dnn_check_products(call, err));
    c->input.dtype = OB_DTYPE_U8;
    c->weight.dtype = OB_DTYPE_I8;
    c->bias.group = DNN_NONE_ID;
    const convolution whole = *c;
    const int from = c->weight.ndim - c->request.spatial - 1; /* the weight's input channels */
    const int64_t channels = c->weight.sizes[from];
    OB_TRY(image_like(plan, &c->output, OB_DTYPE_I32, &sums, err));
    OB_TRY(find_part(call, c, &sums, channels, &step, err));
    if (step < channels)
        OB_TRY(image_like(plan, &c->output, c->output.dtype, &before, err));
    for (int64_t start = 0; start < channels; start += step) {
        const int64_t size = channels - start < step ? channels - start : step;
        if (size < channels) {
            c->input = dnn_view_part(plan, &whole.input, 1, start, size, 1);
            c->weight = dnn_view_part(plan, &whole.weight, from, start, size, 1);
        }
        OB_TRY(emit_byte_part(plan, c, &sums, err));
        const bool last = start + size == channels;
        OB_TRY(wrap_image(plan, last ? &c->output : &before, &sums, &add, start == 0, err));
        add = before;
    }
    return OB_OK;
}

/* ---- forward ---- */

static ob_status plan_convolution(dnn_call *call, ob_err *err)
{
    convolution c = {.input = dnn_arg_view(call, "input"),
                     .bias = dnn_arg_view(call, "bias"),
                     .output = dnn_output(call, 0),
                     .transposed = dnn_arg_bool(call, "transposed", false)};
    dnn_view weight = dnn_arg_view(call, "weight");
    const bool bytes = dnn_is_byte(c.output.dtype);
    if (!bytes && !dnn_is_float(c.output.dtype))
        return dnn_refuse(call, err, "the backend only convolves floating dtypes and bytes");
    OB_TRY(dnn_plan_dense(call->plan, &c.input, err));
    OB_TRY(dnn_plan_dense(call->plan, &weight, err));
    if (dnn_view_is(&c.bias))
        OB_TRY(dnn_plan_dense(call->plan, &c.bias, err));
    OB_TRY(read_windows(call, &weight, &c, err));
    c.weight = arrange_weight(&weight, dnn_arg_int(call, "groups", 1), c.transposed);
    c.request.kind = c.transposed ? DNN_DECONV : DNN_CONV;
    c.request.training = call->plan->training;
    if (bytes && !call->plan->library_integers)
        return plan_bytes(call, &c, err);
    OB_TRY(choose_layouts(call->plan, &c, err));
    const dnn_binding bindings[] = {{DNN_SRC, &c.input, false, false},
                                    {DNN_WEIGHTS, &c.weight, false, true},
                                    {DNN_DST, &c.output, true, false},
                                    {DNN_BIAS, &c.bias, false, true}};
    return dnn_plan_emit(call->plan, &c.request, bindings, dnn_view_is(&c.bias) ? 4 : 3, NULL, err);
}

/* ---- backward ---- */

static ob_status plan_data(dnn_call *call, convolution c, ob_err *err)
{
    c.input = dnn_output(call, 0);
    c.bias.group = DNN_NONE_ID;
    OB_TRY(choose_layouts(call->plan, &c, err));
    c.request.kind = c.transposed ? DNN_DECONV_BACKWARD_DATA : DNN_CONV_BACKWARD_DATA;
    const dnn_binding bindings[] = {{DNN_DIFF_DST, &c.output, false, false},
                                    {DNN_WEIGHTS, &c.weight, false, true},
                                    {DNN_DIFF_SRC, &c.input, true, false}};
    return dnn_plan_emit(call->plan, &c.request, bindings, 3, NULL, err);
}

static ob_status plan_weights(dnn_call *call, convolution c, ob_err *err)
{
    const dnn_view weight = dnn_output(call, 1);
    c.weight = arrange_weight(&weight, dnn_arg_int(call, "groups", 1), c.transposed);
    c.bias = dnn_output(call, 2);
    OB_TRY(choose_layouts(call->plan, &c, err));
    c.request.kind = c.transposed ? DNN_DECONV_BACKWARD_WEIGHTS : DNN_CONV_BACKWARD_WEIGHTS;
    const dnn_binding bindings[] = {{DNN_SRC, &c.input, false, false},
                                    {DNN_DIFF_DST, &c.output, false, false},
                                    {DNN_DIFF_WEIGHTS, &c.weight, true, false},
                                    {DNN_DIFF_BIAS, &c.bias, true, false}};
    return dnn_plan_emit(call->plan, &c.request, bindings, dnn_view_is(&c.bias) ? 4 : 3, NULL, err);
}

/* The bias alone: a sum over everything but the channels. */
static ob_status plan_bias(dnn_call *call, const convolution *c, ob_err *err)
{
    dnn_view sum = dnn_output(call, 2);
    sum = dnn_view_insert_dim(&sum, 0);
    while (sum.ndim < c->output.ndim)
        sum = dnn_view_insert_dim(&sum, sum.ndim);
    return dnn_emit_reduction(call->plan, DNN_REDUCE_SUM, 0, &c->output, &sum, err);
}

static ob_status plan_convolution_backward(dnn_call *call, ob_err *err)
{
    convolution c = {.input = dnn_arg_view(call, "input"),
                     .bias = {.group = DNN_NONE_ID},
                     .output = dnn_arg_view(call, "grad_output"),
                     .transposed = dnn_arg_bool(call, "transposed", false)};
    dnn_view weight = dnn_arg_view(call, "weight");
    if (!dnn_is_float(c.output.dtype))
        return dnn_refuse(call, err, "the backend only convolves floating dtypes");
    const dnn_view grads[] = {dnn_output(call, 0), dnn_output(call, 1), dnn_output(call, 2)};
    OB_TRY(dnn_plan_dense(call->plan, &c.input, err));
    OB_TRY(dnn_plan_dense(call->plan, &c.output, err));
    OB_TRY(dnn_plan_dense(call->plan, &weight, err));
    OB_TRY(read_windows(call, &weight, &c, err));
    c.weight = arrange_weight(&weight, dnn_arg_int(call, "groups", 1), c.transposed);
    if (dnn_view_is(&grads[0]))
        OB_TRY(plan_data(call, c, err));
    if (dnn_view_is(&grads[1]))
        return plan_weights(call, c, err);
    return dnn_view_is(&grads[2]) ? plan_bias(call, &c, err) : OB_OK;
}

const dnn_kernel dnn_kernels_conv[] = {
    {.name = "aten::convolution", .plan = plan_convolution},
    {.name = "aten::convolution_backward", .plan = plan_convolution_backward},
    {.name = NULL},
};
