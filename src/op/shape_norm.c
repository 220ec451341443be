/* SPDX-License-Identifier: Apache-2.0
 *
 * Shapes of softmax and of the normalisations. The native forms also give the statistics that their
 * backward needs; a backward gives None for what its output_mask leaves out.
 */
#include "op/promote.h"
#include "op/shape_layout.h"
#include "op/shape_rules.h"

#include <inttypes.h>
#include <string.h>

static ob_status softmax(const ob_op_call *call, ob_dtype dtype, ob_value *out, ob_err *err)
{
    const ob_tensor *self;
    int dim;
    OB_TRY(ob__arg_tensor(call, "self", &self, err));
    OB_TRY(ob__arg_dim(call, "dim", 0, self->ndim, &dim, err));
    ob__shape shape = ob__shape_dense(self);
    shape.dtype = dtype == OB_DTYPE_INVALID ? self->dtype : dtype;
    if (!ob_dtype_is_floating(shape.dtype))
        return ob__shape_fail(
            call, err, "self is %s; give a floating tensor or dtype=", ob__dtype_text(shape.dtype));
    return ob__give(call, out, &shape, err);
}

ob_status ob__shape_softmax(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const bool widen = ob__arg_flag(call, "half_to_float", false);
    return softmax(call, widen ? OB_DTYPE_F32 : OB_DTYPE_INVALID, out, err);
}

ob_status ob__shape_softmax_int(const ob_op_call *call, ob_value *out, ob_err *err)
{
    return softmax(call, ob__arg_dtype(call, "dtype", OB_DTYPE_INVALID), out, err);
}

ob_status ob__shape_softmax_backward(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *grad, *output;
    int dim;
    OB_TRY(ob__arg_tensor(call, "grad_output", &grad, err));
    OB_TRY(ob__arg_tensor(call, "output", &output, err));
    OB_TRY(ob__arg_dim(call, "dim", 0, grad->ndim, &dim, err));
    ob__shape shape = ob__shape_dense(output);
    OB_TRY(ob__want_sizes(call, "grad_output", &shape, err));
    shape.dtype = ob__arg_dtype(call, "input_dtype", output->dtype);
    return ob__give(call, out, &shape, err);
}

/* weight or bias of one size per normalised element. */
static ob_status want_affine(const ob_op_call *call, const char *name, const ob__ints *sizes,
                             ob_err *err)
{
    const ob_tensor *t;
    char a[OB__SHAPE_TEXT], b[OB__SHAPE_TEXT];
    OB_TRY(ob__arg_maybe_tensor(call, name, &t, err));
    if (t == NULL)
        return OB_OK;
    if (t->ndim == sizes->count &&
        (t->ndim == 0 || memcmp(t->sizes, sizes->v, (size_t)t->ndim * sizeof t->sizes[0]) == 0))
        return OB_OK;
    return ob__shape_fail(call, err, "%s is %s; it must be %s", name, ob__tensor_text(t, a),
                          ob__sizes_text(sizes->v, sizes->count, b));
}

static ob_status layer_norm(const ob_op_call *call, const ob_tensor **input, ob__ints *normalized,
                            ob_err *err)
{
    char a[OB__SHAPE_TEXT], b[OB__SHAPE_TEXT];
    OB_TRY(ob__arg_tensor(call, "input", input, err));
    OB_TRY(ob__arg_ints(call, "normalized_shape", normalized, err));
    const int first = (*input)->ndim - normalized->count;
    bool fits = normalized->count > 0 && first >= 0;
    for (int i = 0; fits && i < normalized->count; i++)
        fits = (*input)->sizes[first + i] == normalized->v[i];
    if (!fits)
        return ob__shape_fail(call, err,
                              "input is %s and normalized_shape is %s; input must end with "
                              "normalized_shape",
                              ob__tensor_text(*input, a),
                              ob__sizes_text(normalized->v, normalized->count, b));
    OB_TRY(want_affine(call, "weight", normalized, err));
    return want_affine(call, "bias", normalized, err);
}

ob_status ob__shape_layer_norm(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *input;
    ob__ints normalized;
    OB_TRY(layer_norm(call, &input, &normalized, err));
    const ob__shape shape = ob__shape_dense(input);
    return ob__give(call, out, &shape, err);
}

ob_status ob__shape_native_layer_norm(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *input;
    ob__ints normalized;
    OB_TRY(layer_norm(call, &input, &normalized, err));
    ob__shape stats = ob__shape_dense(input);
    for (int i = stats.ndim - normalized.count; i < stats.ndim; i++)
        stats.sizes[i] = 1;
    const ob__shape shapes[] = {ob__shape_dense(input), stats, stats};
    return ob__give_all(call, out, shapes, 3, err);
}

ob_status ob__shape_native_layer_norm_backward(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *input;
    ob__ints normalized;
    OB_TRY(layer_norm(call, &input, &normalized, err));
    const ob__shape affine = ob__shape_make(input->dtype, normalized.v, normalized.count);
    const ob__shape shapes[] = {ob__shape_dense(input), affine, affine};
    int64_t rows;
    OB_TRY(ob_shape_numel(input->sizes, input->ndim - normalized.count, &rows, err));
    OB_TRY(ob__want_sizes(call, "grad_out", &shapes[0], err));
    OB_TRY(ob__want_numel(call, "mean", rows, err));
    OB_TRY(ob__want_numel(call, "rstd", rows, err));
    return ob__give_masked(call, shapes, out, err);
}

/* Channels are dimension 1; per-channel tensors have one entry each. */
static ob_status channel_norm(const ob_op_call *call, const ob_tensor **input, ob__ints *channels,
                              ob_err *err)
{
    static const char *const names[] = {"weight", "bias", "running_mean", "running_var"};
    char text[OB__SHAPE_TEXT];
    OB_TRY(ob__arg_tensor(call, "input", input, err));
    if ((*input)->ndim < 2)
        return ob__shape_fail(call, err, "input is %s; it must have at least 2 dimensions",
                              ob__tensor_text(*input, text));
    *channels = (ob__ints){.given = true, .count = 1, .v = {(*input)->sizes[1]}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        OB_TRY(want_affine(call, names[i], channels, err));
    return OB_OK;
}

static ob_status want_running(const ob_op_call *call, bool training, ob_err *err)
{
    const ob_tensor *mean, *var;
    OB_TRY(ob__arg_maybe_tensor(call, "running_mean", &mean, err));
    OB_TRY(ob__arg_maybe_tensor(call, "running_var", &var, err));
    if (!training && (mean == NULL || var == NULL))
        return ob__shape_fail(call, err,
                              "running_mean and running_var are needed when training is False");
    return OB_OK;
}

ob_status ob__shape_batch_norm(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *input;
    ob__ints channels = {0};
    OB_TRY(channel_norm(call, &input, &channels, err));
    OB_TRY(want_running(call, ob__arg_flag(call, "training", false), err));
    ob__shape shape = ob__shape_dense(input);
    ob__follow_channels_last(&shape, input);
    return ob__give(call, out, &shape, err);
}

/* The saved statistics have the dtype of the affine terms when those are wider (bf16 input). */
static ob_dtype stats_dtype(const ob_op_call *call, const ob_tensor *input)
{
    const ob_value *weight = ob__arg(call, "weight");
    return weight != NULL && weight->kind == OB_VALUE_TENSOR ? weight->as.tensor->dtype
                                                             : input->dtype;
}

ob_status ob__shape_native_batch_norm(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *input;
    ob__ints channels = {0};
    const bool training = ob__arg_flag(call, "training", false);
    OB_TRY(channel_norm(call, &input, &channels, err));
    OB_TRY(want_running(call, training, err));
    if (!training)
        channels.v[0] = 0; /* nothing is saved */
    const ob__shape stats = ob__shape_make(stats_dtype(call, input), channels.v, 1);
    ob__shape shapes[] = {ob__shape_dense(input), stats, stats};
    ob__follow_channels_last(&shapes[0], input);
    return ob__give_all(call, out, shapes, 3, err);
}

ob_status ob__shape_native_batch_norm_backward(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *input;
    ob__ints channels = {0};
    const bool train = ob__arg_flag(call, "train", false);
    OB_TRY(channel_norm(call, &input, &channels, err));
    OB_TRY(want_running(call, train, err));
    const ob__shape affine = ob__shape_make(stats_dtype(call, input), channels.v, 1);
    ob__shape shapes[] = {ob__shape_dense(input), affine, affine};
    OB_TRY(ob__want_sizes(call, "grad_out", &shapes[0], err));
    for (size_t i = 0; train && i < 2; i++)
        OB_TRY(want_affine(call, i == 0 ? "save_mean" : "save_invstd", &channels, err));
    ob__follow_channels_last(&shapes[0], input);
    return ob__give_masked(call, shapes, out, err);
}

ob_status ob__shape_instance_norm(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *input;
    ob__ints channels = {0};
    OB_TRY(channel_norm(call, &input, &channels, err));
    OB_TRY(want_running(call, ob__arg_flag(call, "use_input_stats", true), err));
    const ob__shape shape = ob__shape_dense(input);
    return ob__give(call, out, &shape, err);
}

static ob_status want_groups(const ob_op_call *call, int64_t groups, int64_t channels, ob_err *err)
{
    if (groups > 0 && channels % groups == 0)
        return OB_OK;
    return ob__shape_fail(call, err, "%" PRId64 " channels do not divide into %" PRId64 " groups",
                          channels, groups);
}

ob_status ob__shape_group_norm(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *input;
    ob__ints channels = {0};
    OB_TRY(channel_norm(call, &input, &channels, err));
    OB_TRY(want_groups(call, ob__arg_int(call, "num_groups", 0), channels.v[0], err));
    const ob__shape shape = ob__shape_dense(input);
    return ob__give(call, out, &shape, err);
}

/* N, C and HxW are given again; they must agree with input. */
static ob_status native_group(const ob_op_call *call, const ob_tensor **input, ob__ints *channels,
                              ob_err *err)
{
    const int64_t n = ob__arg_int(call, "N", 0), c = ob__arg_int(call, "C", 0);
    const int64_t hxw = ob__arg_int(call, "HxW", 0);
    char text[OB__SHAPE_TEXT];
    int64_t numel;
    OB_TRY(ob__arg_tensor(call, "input", input, err));
    *channels = (ob__ints){.given = true, .count = 1, .v = {c}};
    const int64_t sizes[] = {n, c, hxw};
    if (ob_shape_numel(sizes, 3, &numel, err) != OB_OK || numel != ob_tensor_numel(*input))
        return ob__shape_fail(call, err,
                              "input is %s and N, C, HxW are %" PRId64 ", %" PRId64 ", %" PRId64
                              "; their product must be the number of elements",
                              ob__tensor_text(*input, text), n, c, hxw);
    OB_TRY(want_affine(call, "weight", channels, err));
    OB_TRY(want_affine(call, "bias", channels, err));
    return want_groups(call, ob__arg_int(call, "group", 0), c, err);
}

ob_status ob__shape_native_group_norm(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *input;
    ob__ints channels = {0};
    OB_TRY(native_group(call, &input, &channels, err));
    const int64_t sizes[] = {ob__arg_int(call, "N", 0), ob__arg_int(call, "group", 0)};
    const ob__shape stats = ob__shape_make(stats_dtype(call, input), sizes, 2);
    ob__shape shapes[] = {ob__shape_dense(input), stats, stats};
    ob__follow_channels_last(&shapes[0], input);
    return ob__give_all(call, out, shapes, 3, err);
}

ob_status ob__shape_native_group_norm_backward(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *input;
    ob__ints channels = {0};
    OB_TRY(native_group(call, &input, &channels, err));
    const ob__shape affine = ob__shape_make(stats_dtype(call, input), channels.v, 1);
    ob__shape shapes[] = {ob__shape_dense(input), affine, affine};
    const int64_t sizes[] = {ob__arg_int(call, "N", 0), ob__arg_int(call, "group", 0)};
    int64_t groups;
    OB_TRY(ob_shape_numel(sizes, 2, &groups, err));
    OB_TRY(ob__want_sizes(call, "grad_out", &shapes[0], err));
    OB_TRY(ob__want_numel(call, "mean", groups, err));
    OB_TRY(ob__want_numel(call, "rstd", groups, err));
    ob__follow_channels_last(&shapes[0], input);
    return ob__give_masked(call, shapes, out, err);
}
