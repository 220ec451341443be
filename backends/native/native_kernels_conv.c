/* SPDX-License-Identifier: Apache-2.0
 *
 * aten::convolution and aten::convolution_backward for 1 to 3 spatial dimensions, transposed ones
 * too. Everything else of the family is taken apart into these.
 *
 * Forward of small integers is computed in f64, which holds their sums exactly, and wraps around at the end.
 */
#include "conv.h"
#include "dense.h"
#include "kit/sliding_window.h"

#include <string.h>

typedef struct convolution {
    native_conv conv;
    native_class cls;
    native_blas *blas;
    bool whole; /* integers */
    bool transposed;
    native_dense input, weight, bias, grad; /* bias: forward; grad: backward */
    native_dense outputs[3];                /* forward: one; backward: input, weight, bias */
    size_t workspace;                       /* place in the scratch */
} convolution;

static ob_status check(ob_kit_call *call, ob_err *err)
{
    const ob_tensor *weight = ob_kit_arg_tensor(call, "weight");
    const int spatial = weight->ndim - 2;
    if (spatial >= 1 && spatial <= NATIVE_SPATIAL)
        return OB_OK;
    return call->env->host->err_set(
        err, OB_ERR_UNSUPPORTED,
        "%s has %d spatial dimensions here; the native backend handles 1 to %d", call->kernel->name,
        spatial, NATIVE_SPATIAL);
}

static void fill_geometry(const ob_kit_call *call, const ob_tensor *input, const ob_tensor *weight,
                          const ob_tensor *output, convolution *c)
{
    native_window *w = &c->conv.window;
    const int spatial = weight->ndim - 2;
    c->transposed = ob_kit_arg_bool(call, "transposed", false);
    ob_kit_window_sizes(c->transposed ? output : input, spatial, w->wide);
    ob_kit_window_sizes(c->transposed ? input : output, spatial, w->narrow);
    ob_kit_window_sizes(weight, spatial, w->kernel);
    ob_kit_window_list(call, "stride", spatial, 1, w->stride);
    ob_kit_window_list(call, "padding", spatial, 0, w->padding);
    ob_kit_window_list(call, "dilation", spatial, 1, w->dilation);
    c->conv.images = input->sizes[0];
    c->conv.groups = ob_kit_arg_int(call, "groups", 1);
    c->conv.narrow_channels = weight->sizes[0] / c->conv.groups;
    c->conv.wide_channels = weight->sizes[1];
}

/* Sizes that OpenBLAS can count, and room for the tile of columns. */
static ob_status plan_workspace(ob_kit_call *call, convolution *c, ob_err *err)
{
    const native_gemm largest = {
        .m = c->conv.wide_channels * native_window_product(c->conv.window.kernel),
        .n = native_window_product(c->conv.window.narrow),
        .k = c->conv.narrow_channels,
    };
    OB_TRY(native_gemm_check(call->env->host, &largest, err));
    OB_TRY(native_env_blas(call->env, &c->blas, err));
    native_conv_set_places(&c->conv, call->env->threads);
    return native_scratch_reserve(call, native_conv_workspace(&c->conv), native_class_size(c->cls),
                                  &c->workspace, err);
}

static ob_status start(ob_kit_call *call, convolution **out, ob_err *err)
{
    void *state;
    OB_TRY(ob_kit_state(call, sizeof(convolution), &state, err));
    convolution *c = *out = state;
    c->cls = native_wide_class(ob_kit_arg_tensor(call, "weight")->dtype);
    c->whole = c->cls == NATIVE_I64;
    if (c->whole)
        c->cls = NATIVE_F64;
    OB_TRY(native_dense_plan(call, ob_kit_arg_tensor(call, "input"), c->cls, &c->input, err));
    OB_TRY(native_dense_plan(call, ob_kit_arg_tensor(call, "weight"), c->cls, &c->weight, err));
    OB_TRY(native_dense_plan(call, ob_kit_arg_tensor(call, "bias"), c->cls, &c->bias, err));
    return native_dense_plan(call, ob_kit_arg_tensor(call, "grad_output"), c->cls, &c->grad, err);
}

static ob_status setup_forward(ob_kit_call *call, ob_err *err)
{
    convolution *c;
    OB_TRY(start(call, &c, err));
    OB_TRY(native_dense_plan(call, ob_kit_output(call, 0), c->whole ? NATIVE_I64 : c->cls,
                             &c->outputs[0], err));
    fill_geometry(call, &c->input.tensor, &c->weight.tensor, ob_kit_output(call, 0), c);
    return plan_workspace(call, c, err);
}

static ob_status setup_backward(ob_kit_call *call, ob_err *err)
{
    convolution *c;
    OB_TRY(start(call, &c, err));
    for (size_t i = 0; i < 3; i++)
        OB_TRY(native_dense_plan(call, ob_kit_output(call, i), c->cls, &c->outputs[i], err));
    fill_geometry(call, &c->input.tensor, &c->weight.tensor, &c->grad.tensor, c);
    return plan_workspace(call, c, err);
}

static void run_narrow(const convolution *c, const native_conv_data *data)
{
    if (c->cls == NATIVE_F32)
        native_conv_narrow_f32(&c->conv, data);
    else
        native_conv_narrow_f64(&c->conv, data);
}

static void run_wide(const convolution *c, const native_conv_data *data)
{
    if (c->cls == NATIVE_F32)
        native_conv_wide_f32(&c->conv, data);
    else
        native_conv_wide_f64(&c->conv, data);
}

static void run_weight(const convolution *c, const native_conv_data *data)
{
    if (c->cls == NATIVE_F32)
        native_conv_weight_f32(&c->conv, data);
    else
        native_conv_weight_f64(&c->conv, data);
}

/* Sums of the gradient per channel of the side that the forward writes. */
static void run_bias(const convolution *c, const void *grad, void *out)
{
    const int64_t *sizes = c->transposed ? c->conv.window.wide : c->conv.window.narrow;
    const int64_t length = native_window_product(sizes);
    const int64_t channels =
        c->conv.groups * (c->transposed ? c->conv.wide_channels : c->conv.narrow_channels);
    if (c->cls == NATIVE_F32)
        native_conv_bias_f32(grad, c->conv.images, channels, length, out);
    else
        native_conv_bias_f64(grad, c->conv.images, channels, length, out);
}

/* f64 to i64 where they lie. */
static void make_whole(void *data, int64_t count)
{
    char *at = data;
    for (int64_t i = 0; i < count; i++, at += sizeof(int64_t)) {
        double real;
        memcpy(&real, at, sizeof real);
        const int64_t whole = (int64_t)real;
        memcpy(at, &whole, sizeof whole);
    }
}

static ob_status run_forward(const ob_kit_call *call, ob_err *err)
{
    (void)err;
    const convolution *c = call->state;
    if (ob_kit_numel(&c->outputs[0].tensor) == 0) /* though its windows may be many and large */
        return OB_OK;
    void *input = native_dense_read(call, &c->input);
    void *output = native_dense_place(call, &c->outputs[0]);
    const native_conv_data data = {
        .env = call->env,
        .blas = c->blas,
        .rows = native_rows_of(call->env, c->cls),
        .wide = c->transposed ? output : input,
        .narrow = c->transposed ? input : output,
        .weight = native_dense_read(call, &c->weight),
        .bias = native_dense_read(call, &c->bias),
        .workspace = native_scratch_at(call, c->workspace),
    };
    if (c->transposed)
        run_wide(c, &data);
    else
        run_narrow(c, &data);
    if (c->whole)
        make_whole(output, call->host->tensor_numel(&c->outputs[0].tensor));
    native_dense_write(call, &c->outputs[0]);
    return OB_OK;
}

static ob_status run_backward(const ob_kit_call *call, ob_err *err)
{
    (void)err;
    const convolution *c = call->state;
    void *grad = native_dense_read(call, &c->grad);
    native_conv_data data = {.env = call->env,
                             .blas = c->blas,
                             .rows = native_rows_of(call->env, c->cls),
                             .workspace = native_scratch_at(call, c->workspace)};
    if (c->outputs[0].present) {
        void *out = native_dense_place(call, &c->outputs[0]);
        data.weight = native_dense_read(call, &c->weight);
        data.wide = c->transposed ? grad : out;
        data.narrow = c->transposed ? out : grad;
        if (c->transposed)
            run_narrow(c, &data);
        else
            run_wide(c, &data);
    }
    if (c->outputs[1].present) {
        void *input = native_dense_read(call, &c->input);
        data.weight = native_dense_place(call, &c->outputs[1]);
        data.wide = c->transposed ? grad : input;
        data.narrow = c->transposed ? input : grad;
        run_weight(c, &data);
    }
    if (c->outputs[2].present)
        run_bias(c, grad, native_dense_place(call, &c->outputs[2]));
    for (size_t i = 0; i < 3; i++)
        native_dense_write(call, &c->outputs[i]);
    return OB_OK;
}

const ob_kit_kernel native_kernels_conv[] = {
    {.name = "aten::convolution",
     .dtypes = OB_KIT_FLOATS | OB_KIT_BIT(U8) | OB_KIT_BIT(I8) | OB_KIT_BIT(I16),
     .check = check,
     .setup = setup_forward,
     .run = run_forward},
    {.name = "aten::convolution_backward",
     .dtypes = OB_KIT_FLOATS,
     .check = check,
     .setup = setup_backward,
     .run = run_backward},
    {.name = NULL},
};
