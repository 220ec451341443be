/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows: layer, batch and group norm. ONNX Runtime's CPU provider has kernels for layer norm and for batch norm with given
 * statistics; what is computed from the batch itself, and gradients, are put together from means.
 */
#include "translate.h"

/* A normalisation over some dimensions of x. */
typedef struct norm {
    ort_call *call;
    ort_translation *t;
    ob_dtype dtype;
    int64_t axes[OB_MAX_DIMS];
    size_t count;
    int64_t length; /* elements behind one mean */
} norm;

static ort_id mean_of(const norm *n, ort_id x)
{
    return ort_reduce(n->t, "ReduceMean", x, n->axes, n->count, true);
}

static ort_id constant(const norm *n, double value)
{
    return ort_number(n->t, n->dtype, value);
}

/* 1 / sqrt(variance + eps) */
static ort_id inverse_deviation(const norm *n, ort_id variance)
{
    const double eps = ort_arg_double(n->call, "eps", 1e-5);
    const ort_id sum = ort_binary(n->t, "Add", variance, constant(n, eps));
    return ort_unary(n->t, "Reciprocal", ort_unary(n->t, "Sqrt", sum));
}

static ort_id scale_shift(const norm *n, ort_id x, ort_id weight, ort_id bias)
{
    if (weight != ORT_NONE)
        x = ort_binary(n->t, "Mul", x, weight);
    return bias != ORT_NONE ? ort_binary(n->t, "Add", x, bias) : x;
}

/* rstd * (g - mean(g) - xhat * mean(g * xhat)), for g = grad * weight */
static ort_id grad_of_input(const norm *n, ort_id g, ort_id normal, ort_id rstd)
{
    ort_translation *t = n->t;
    const ort_id product = mean_of(n, ort_binary(t, "Mul", g, normal));
    ort_id d = ort_binary(t, "Sub", g, mean_of(n, g));
    d = ort_binary(t, "Sub", d, ort_binary(t, "Mul", normal, product));
    return ort_binary(t, "Mul", rstd, d);
}

static void read_mask(const ort_call *call, int64_t mask[3])
{
    mask[0] = mask[1] = mask[2] = 1;
    ort_arg_ints(call, "output_mask", mask, 3);
}

/* ---- layer norm ---- */

static norm layer(ort_call *call, const ob_tensor *input)
{
    int64_t shape[OB_MAX_DIMS] = {0};
    norm n = {.call = call, .t = call->t, .dtype = input->dtype, .length = 1};
    n.count = ort_arg_ints(call, "normalized_shape", shape, OB_MAX_DIMS);
    for (size_t i = 0; i < n.count; i++) {
        n.axes[i] = input->ndim - (int64_t)n.count + (int64_t)i;
        n.length *= shape[i];
    }
    return n;
}

/* Put together from means, in the type of n. */
static void compose_layer_norm(const norm *n)
{
    ort_call *call = n->call;
    ort_translation *t = n->t;
    const ort_id x = ort_arg_as(call, "input", n->dtype), mean = mean_of(n, x),
                 d = ort_binary(t, "Sub", x, mean),
                 rstd = inverse_deviation(n, mean_of(n, ort_binary(t, "Mul", d, d)));
    ort_result(call, 0,
               scale_shift(n, ort_binary(t, "Mul", d, rstd), ort_arg_as(call, "weight", n->dtype),
                           ort_arg_as(call, "bias", n->dtype)));
    if (ort_result_meta(call, 1) == NULL)
        return;
    ort_result(call, 1, mean);
    ort_result(call, 2, rstd);
}

static void emit_layer_norm(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *input = ort_arg_meta(call, "input");
    norm n = layer(call, input);
    const ort_id x = ort_arg(call, "input");
    ort_id scale = ort_arg(call, "weight"), bias = ort_arg(call, "bias");
    /* ONNX Runtime 1.21 to 1.23 refuse to normalise one element. Its variance is 0, and epsilon, which then stands
     * alone, may be too small for float16. */
    if (n.length == 1 && n.dtype == OB_DTYPE_F16)
        n.dtype = OB_DTYPE_F32;
    /* ONNX has epsilon as a float32. */
    if (n.dtype == OB_DTYPE_F64 || (n.length == 1 && n.dtype == OB_DTYPE_F32)) {
        compose_layer_norm(&n);
        return;
    }
    if (scale == ORT_NONE)
        scale = ort_filled(t, n.dtype, 1, input->sizes + n.axes[0], (int)n.count);
    ort_result(call, 0,
               ort_emit(t, "LayerNormalization", n.dtype, (const ort_id[]){x, scale, bias},
                        bias == ORT_NONE ? 2 : 3,
                        ORT_ATTRS(ORT_I("axis", n.axes[0]),
                                  ORT_F("epsilon", ort_arg_double(call, "eps", 1e-5)))));
    if (ort_result_meta(call, 1) == NULL)
        return;
    /* Mean and deviation for the backward: ONNX Runtime's own have float32's precision only. */
    const ort_id mean = mean_of(&n, x), d = ort_binary(t, "Sub", x, mean);
    ort_result(call, 1, mean);
    ort_result(call, 2, inverse_deviation(&n, mean_of(&n, ort_binary(t, "Mul", d, d))));
}

static void emit_layer_norm_backward(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *input = ort_arg_meta(call, "input");
    const norm n = layer(call, input);
    const ort_id grad = ort_arg(call, "grad_out"), weight = ort_arg(call, "weight");
    const ort_id rstd = ort_arg_as(call, "rstd", n.dtype);
    int64_t mask[3], outer[OB_MAX_DIMS];
    read_mask(call, mask);
    const ort_id d =
        ort_binary(t, "Sub", ort_arg(call, "input"), ort_arg_as(call, "mean", n.dtype));
    const ort_id normal = ort_binary(t, "Mul", d, rstd);
    const size_t outer_count = (size_t)input->ndim - n.count;
    for (size_t i = 0; i < outer_count; i++)
        outer[i] = (int64_t)i;
    if (mask[0] != 0)
        ort_result(call, 0,
                   grad_of_input(&n, scale_shift(&n, grad, weight, ORT_NONE), normal, rstd));
    for (size_t k = 1; k < 3; k++) {
        if (mask[k] == 0 || ort_result_meta(call, k) == NULL)
            continue;
        const ort_id terms = k == 1 ? ort_binary(t, "Mul", grad, normal) : grad;
        ort_result(call, k,
                   outer_count == 0 ? terms
                                    : ort_reduce(t, "ReduceSum", terms, outer, outer_count, false));
    }
}

/* ---- batch norm ---- */

static norm batch(ort_call *call, const ob_tensor *input)
{
    norm n = {.call = call, .t = call->t, .dtype = input->dtype, .length = 1};
    for (int d = 0; d < input->ndim; d++) {
        if (d == 1)
            continue;
        n.axes[n.count++] = d;
        n.length *= input->sizes[d];
    }
    return n;
}

/* One value per channel, as it meets x: [1, C, 1, 1]. */
static ort_id per_channel(const norm *n, const char *name, const ob_tensor *input)
{
    int64_t sizes[OB_MAX_DIMS];
    const ort_id id = ort_arg_as(n->call, name, n->dtype);
    for (int d = 0; d < input->ndim; d++)
        sizes[d] = d == 1 ? input->sizes[1] : 1;
    return id == ORT_NONE ? id : ort_reshape(n->t, id, sizes, input->ndim);
}

static ort_id flat_channels(const norm *n, ort_id id, const ob_tensor *input)
{
    return ort_reshape(n->t, id, &input->sizes[1], 1);
}

/* What PyTorch saves is empty then. */
static void give_nothing_saved(ort_call *call)
{
    for (size_t k = 1; k < 3; k++) {
        const ob_tensor *saved = ort_result_meta(call, k);
        if (saved != NULL)
            ort_result(call, k, ort_filled(call->t, saved->dtype, 0, saved->sizes, saved->ndim));
    }
}

static void emit_given_statistics(ort_call *call, const norm *n, const ob_tensor *input)
{
    ort_translation *t = n->t;
    const int64_t channels = input->sizes[1];
    if (n->dtype == OB_DTYPE_F64) { /* ONNX has epsilon as a float32 */
        const ort_id d = ort_binary(t, "Sub", ort_arg(call, "input"),
                                    per_channel(n, "running_mean", input)),
                     rstd = inverse_deviation(n, per_channel(n, "running_var", input));
        ort_result(call, 0,
                   scale_shift(n, ort_binary(t, "Mul", d, rstd), per_channel(n, "weight", input),
                               per_channel(n, "bias", input)));
        give_nothing_saved(call);
        return;
    }
    ort_id scale = ort_arg_as(call, "weight", n->dtype), bias = ort_arg_as(call, "bias", n->dtype);
    if (scale == ORT_NONE)
        scale = ort_filled(t, n->dtype, 1, &channels, 1);
    if (bias == ORT_NONE)
        bias = ort_filled(t, n->dtype, 0, &channels, 1);
    const ort_id mean = ort_arg_as(call, "running_mean", n->dtype),
                 variance = ort_arg_as(call, "running_var", n->dtype);
    ort_result(call, 0,
               ort_emit(t, "BatchNormalization", n->dtype,
                        ORT_IN(ort_arg(call, "input"), scale, bias, mean, variance),
                        ORT_ATTRS(ORT_F("epsilon", ort_arg_double(call, "eps", 1e-5)))));
    give_nothing_saved(call);
}

/* running = (1 - momentum) * running + momentum * now */
static void update_running(const norm *n, const char *name, ort_id now, double factor)
{
    ort_translation *t = n->t;
    const double momentum = ort_arg_double(n->call, "momentum", 0.1);
    const ort_id running = ort_arg(n->call, name);
    if (running == ORT_NONE)
        return;
    const ob_dtype dtype = ort_dtype_of(t, running);
    const ort_id old = ort_binary(t, "Mul", running, ort_number(t, dtype, 1 - momentum));
    const ort_id more =
        ort_binary(t, "Mul", ort_cast(t, now, dtype), ort_number(t, dtype, momentum * factor));
    ort_write_arg(n->call, name, ort_binary(t, "Add", old, more));
}

static void emit_batch_norm(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *input = ort_arg_meta(call, "input");
    const norm n = batch(call, input);
    if (!ort_arg_bool(call, "training", false)) {
        emit_given_statistics(call, &n, input);
        return;
    }
    const ort_id x = ort_arg(call, "input"), mean = mean_of(&n, x),
                 d = ort_binary(t, "Sub", x, mean),
                 variance = mean_of(&n, ort_binary(t, "Mul", d, d)),
                 rstd = inverse_deviation(&n, variance);
    ort_result(call, 0,
               scale_shift(&n, ort_binary(t, "Mul", d, rstd), per_channel(&n, "weight", input),
                           per_channel(&n, "bias", input)));
    const ort_id flat_mean = flat_channels(&n, mean, input);
    if (ort_result_meta(call, 1) != NULL) {
        ort_result(call, 1, flat_mean);
        ort_result(call, 2, flat_channels(&n, rstd, input));
    }
    update_running(&n, "running_mean", flat_mean, 1);
    update_running(&n, "running_var", flat_channels(&n, variance, input),
                   n.length > 1 ? (double)n.length / (double)(n.length - 1) : (double)0 / 0.0);
}

static void emit_batch_norm_backward(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *input = ort_arg_meta(call, "input");
    const norm n = batch(call, input);
    const bool train = ort_arg_bool(call, "train", false);
    const ort_id grad = ort_arg(call, "grad_out"), weight = per_channel(&n, "weight", input);
    const ort_id mean = per_channel(&n, train ? "save_mean" : "running_mean", input);
    const ort_id rstd = train ? per_channel(&n, "save_invstd", input)
                              : inverse_deviation(&n, per_channel(&n, "running_var", input));
    int64_t mask[3];
    read_mask(call, mask);
    const ort_id normal =
        ort_binary(t, "Mul", ort_binary(t, "Sub", ort_arg(call, "input"), mean), rstd);
    const ort_id scaled = scale_shift(&n, grad, weight, ORT_NONE);
    if (mask[0] != 0)
        ort_result(call, 0,
                   train ? grad_of_input(&n, scaled, normal, rstd)
                         : ort_binary(t, "Mul", scaled, rstd));
    if (mask[1] != 0 && ort_result_meta(call, 1) != NULL)
        ort_result(
            call, 1,
            ort_reduce(t, "ReduceSum", ort_binary(t, "Mul", grad, normal), n.axes, n.count, false));
    if (mask[2] != 0 && ort_result_meta(call, 2) != NULL)
        ort_result(call, 2, ort_reduce(t, "ReduceSum", grad, n.axes, n.count, false));
}

/* ---- group norm ---- */

static void emit_group_norm(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *input = ort_arg_meta(call, "input");
    const int64_t groups = ort_arg_int(call, "group", 1), samples = ort_arg_int(call, "N", 1);
    const int64_t inner = samples * groups > 0 ? ob_kit_numel(input) / (samples * groups) : 0;
    const norm n = {
        .call = call, .t = t, .dtype = input->dtype, .axes = {2}, .count = 1, .length = inner};
    const ort_id x =
        ort_reshape(t, ort_arg(call, "input"), (const int64_t[]){samples, groups, inner}, 3);
    const ort_id mean = mean_of(&n, x), d = ort_binary(t, "Sub", x, mean),
                 rstd = inverse_deviation(&n, mean_of(&n, ort_binary(t, "Mul", d, d)));
    const ort_id normal = ort_reshape_like(t, ort_binary(t, "Mul", d, rstd), input);
    ort_result(
        call, 0,
        scale_shift(&n, normal, per_channel(&n, "weight", input), per_channel(&n, "bias", input)));
    ort_result(call, 1, ort_reshape_like(t, mean, ort_result_meta(call, 1)));
    ort_result(call, 2, ort_reshape_like(t, rstd, ort_result_meta(call, 2)));
}

static void emit_group_norm_backward(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *input = ort_arg_meta(call, "input");
    const int64_t groups = ort_arg_int(call, "group", 1), samples = ort_arg_int(call, "N", 1);
    const int64_t inner = samples * groups > 0 ? ob_kit_numel(input) / (samples * groups) : 0;
    const int64_t grouped[] = {samples, groups, inner}, one[] = {samples, groups, 1};
    const norm n = {
        .call = call, .t = t, .dtype = input->dtype, .axes = {2}, .count = 1, .length = inner};
    const norm over = batch(call, input);
    int64_t mask[3];
    read_mask(call, mask);
    const ort_id x = ort_reshape(t, ort_arg(call, "input"), grouped, 3),
                 mean = ort_reshape(t, ort_arg_as(call, "mean", n.dtype), one, 3),
                 rstd = ort_reshape(t, ort_arg_as(call, "rstd", n.dtype), one, 3),
                 normal = ort_binary(t, "Mul", ort_binary(t, "Sub", x, mean), rstd);
    const ort_id grad = ort_arg(call, "grad_out"), weight = per_channel(&n, "weight", input);
    if (mask[0] != 0) {
        const ort_id scaled = ort_reshape(t, scale_shift(&n, grad, weight, ORT_NONE), grouped, 3);
        ort_result(call, 0, ort_reshape_like(t, grad_of_input(&n, scaled, normal, rstd), input));
    }
    for (size_t k = 1; k < 3; k++) {
        if (mask[k] == 0 || ort_result_meta(call, k) == NULL)
            continue;
        const ort_id terms =
            k == 1 ? ort_binary(t, "Mul", grad, ort_reshape_like(t, normal, input)) : grad;
        ort_result(call, k, ort_reduce(t, "ReduceSum", terms, over.axes, over.count, false));
    }
}

#define RUNNING "running_mean running_var"

const ort_row ort_rows_norm[] = {
    {.name = "aten::layer_norm", .emit = emit_layer_norm},
    {.name = "aten::native_layer_norm", .emit = emit_layer_norm},
    {.name = "aten::native_layer_norm_backward", .emit = emit_layer_norm_backward},
    {.name = "aten::batch_norm", .emit = emit_batch_norm, .writes = RUNNING},
    {.name = "aten::native_batch_norm", .emit = emit_batch_norm, .writes = RUNNING},
    {.name = "aten::native_batch_norm_backward", .emit = emit_batch_norm_backward},
    {.name = "aten::native_group_norm", .emit = emit_group_norm},
    {.name = "aten::native_group_norm_backward", .emit = emit_group_norm_backward},
    {.name = NULL},
};
