/* SPDX-License-Identifier: Apache-2.0
 *
 * Shapes of convolutions of one to three spatial dimensions, transposed ones included.
 */
#include "op/shape_layout.h"
#include "op/shape_rules.h"
#include "op/shape_window.h"

#include <inttypes.h>
#include <string.h>

/* All about one convolution, lists brought to one entry per spatial dimension. */
typedef struct conv {
    const ob_tensor *input, *weight, *bias;
    int dims;                       /* spatial dimensions */
    bool batched, transposed, same; /* same: padding="same" */
    int64_t groups;
    ob__ints stride, padding, dilation, output_padding;
} conv;

static const ob__ints ONE = {.given = true, .count = 1, .v = {1}};
static const ob__ints ZERO = {.given = true, .count = 1, .v = {0}};

static ob_status read_padding(const ob_op_call *call, conv *c, ob_err *err)
{
    const char *mode = ob__arg_str(call, "padding", NULL);
    if (mode == NULL)
        return ob__window_arg(call, "padding", c->dims, 0, &ZERO, &c->padding, err);
    c->same = strcmp(mode, "same") == 0;
    if (!c->same && strcmp(mode, "valid") != 0)
        return ob__shape_fail(call, err, "padding is \"%s\"; it must be \"same\" or \"valid\"",
                              mode);
    for (int i = 0; i < c->dims; i++) {
        if (c->same && c->stride.v[i] != 1)
            return ob__shape_fail(call, err, "padding \"same\" needs stride 1");
    }
    c->padding = (ob__ints){.given = true, .count = c->dims};
    return OB_OK;
}

static ob_status read_conv(const ob_op_call *call, conv *c, ob_err *err)
{
    char a[OB__SHAPE_TEXT], b[OB__SHAPE_TEXT];
    OB_TRY(ob__arg_tensor(call, "input", &c->input, err));
    OB_TRY(ob__arg_tensor(call, "weight", &c->weight, err));
    OB_TRY(ob__arg_maybe_tensor(call, "bias", &c->bias, err));
    OB_TRY(ob__want_same_dtype(call, "input", c->input, "weight", c->weight, err));
    c->dims = c->weight->ndim - 2;
    c->batched = c->input->ndim == c->weight->ndim;
    if (c->dims < 1 || c->dims > 3 || (!c->batched && c->input->ndim != c->weight->ndim - 1))
        return ob__shape_fail(call, err,
                              "input is %s and weight is %s; both need the same number of "
                              "dimensions (3, 4 or 5)",
                              ob__tensor_text(c->input, a), ob__tensor_text(c->weight, b));
    OB_TRY(ob__window_arg(call, "stride", c->dims, 1, &ONE, &c->stride, err));
    OB_TRY(ob__window_arg(call, "dilation", c->dims, 1, &ONE, &c->dilation, err));
    OB_TRY(ob__window_arg(call, "output_padding", c->dims, 0, &ZERO, &c->output_padding, err));
    OB_TRY(read_padding(call, c, err));
    c->groups = ob__arg_int(call, "groups", 1);
    return OB_OK;
}

static ob_status check_channels(const ob_op_call *call, const conv *c, ob_err *err)
{
    char a[OB__SHAPE_TEXT], b[OB__SHAPE_TEXT];
    const int64_t channels = c->input->sizes[c->batched ? 1 : 0];
    const int64_t *weight = c->weight->sizes;
    if (c->groups < 1 || weight[0] % c->groups != 0)
        return ob__shape_fail(call, err,
                              "groups is %" PRId64 " and weight is %s; groups must be positive and "
                              "divide the %" PRId64,
                              c->groups, ob__tensor_text(c->weight, b), weight[0]);
    /* groups <= weight[0] unless that is 0, so the product stays in range for real tensors. */
    int64_t expected;
    if (c->transposed)
        expected = weight[0];
    else if (__builtin_mul_overflow(weight[1], c->groups, &expected))
        expected = -1;
    if (channels != expected)
        return ob__shape_fail(call, err,
                              "input is %s and weight is %s with groups %" PRId64
                              "; input has %" PRId64 " channels where weight expects %" PRId64,
                              ob__tensor_text(c->input, a), ob__tensor_text(c->weight, b),
                              c->groups, channels, expected);
    return OB_OK;
}

static int64_t out_channels(const conv *c)
{
    return c->transposed ? c->weight->sizes[1] * c->groups : c->weight->sizes[0];
}

static ob_status check_bias(const ob_op_call *call, const conv *c, ob_err *err)
{
    char text[OB__SHAPE_TEXT];
    if (c->bias == NULL)
        return OB_OK;
    OB_TRY(ob__want_same_dtype(call, "input", c->input, "bias", c->bias, err));
    if (c->bias->ndim == 1 && c->bias->sizes[0] == out_channels(c))
        return OB_OK;
    return ob__shape_fail(call, err, "bias is %s; it must be [%" PRId64 "], one per output channel",
                          ob__tensor_text(c->bias, text), out_channels(c));
}

static ob_status spatial_size(const ob_op_call *call, const conv *c, int i, int64_t *out,
                              ob_err *err)
{
    const int64_t size = c->input->sizes[i + (c->batched ? 2 : 1)];
    const int64_t kernel = c->weight->sizes[i + 2];
    if (c->same) {
        *out = size;
        return OB_OK;
    }
    if (kernel < 1 || kernel > INT32_MAX || size > INT32_MAX)
        return ob__shape_fail(call, err,
                              "size %" PRId64 " with a kernel of %" PRId64 " in dimension %d; the "
                              "kernel must be positive and both at most %d",
                              size, kernel, i, INT32_MAX);
    if (c->transposed)
        *out = (size - 1) * c->stride.v[i] - 2 * c->padding.v[i] + c->dilation.v[i] * (kernel - 1) +
               c->output_padding.v[i] + 1;
    else
        *out = ob__window_places(size, &(ob__window){.kernel = kernel,
                                                     .stride = c->stride.v[i],
                                                     .padding = c->padding.v[i],
                                                     .dilation = c->dilation.v[i]});
    if (*out < 1)
        return ob__shape_fail(call, err,
                              "the output would have size %" PRId64 " in spatial dimension %d: "
                              "input %" PRId64 ", kernel %" PRId64 ", padding %" PRId64
                              ", dilation %" PRId64 "; enlarge the input or the padding",
                              *out, i, size, kernel, c->padding.v[i], c->dilation.v[i]);
    return OB_OK;
}

static ob_status conv_shape(const ob_op_call *call, const conv *c, ob__shape *shape, ob_err *err)
{
    OB_TRY(check_channels(call, c, err));
    OB_TRY(check_bias(call, c, err));
    *shape = (ob__shape){.dtype = c->input->dtype};
    if (c->batched)
        shape->sizes[shape->ndim++] = c->input->sizes[0];
    shape->sizes[shape->ndim++] = out_channels(c);
    for (int i = 0; i < c->dims; i++)
        OB_TRY(spatial_size(call, c, i, &shape->sizes[shape->ndim++], err));
    if (c->batched && c->dims == 2 && !c->transposed &&
        (ob__is_channels_last(c->input) || ob__is_channels_last(c->weight)))
        ob__set_channels_last(shape);
    return OB_OK;
}

static ob_status want_batched(const ob_op_call *call, const conv *c, ob_err *err)
{
    char text[OB__SHAPE_TEXT];
    if (c->batched)
        return OB_OK;
    return ob__shape_fail(call, err, "input is %s; it must have %d dimensions, the batch first",
                          ob__tensor_text(c->input, text), c->weight->ndim);
}

ob_status ob__shape_convolution(const ob_op_call *call, ob_value *out, ob_err *err)
{
    conv c = {.transposed = ob__arg_flag(call, "transposed", false)};
    ob__shape shape;
    OB_TRY(read_conv(call, &c, err));
    OB_TRY(want_batched(call, &c, err));
    OB_TRY(conv_shape(call, &c, &shape, err));
    return ob__give(call, out, &shape, err);
}

/* conv2d takes weights of 4 dimensions only, and so on; the number is in the operator's name. */
static ob_status conv_of_name(const ob_op_call *call, bool transposed, ob_value *out, ob_err *err)
{
    conv c = {.transposed = transposed};
    ob__shape shape;
    const char *digit = strpbrk(ob__op_label(call), "123");
    OB_TRY(ob__arg_tensor(call, "weight", &c.weight, err));
    if (digit != NULL)
        OB_TRY(ob__want_ndim(call, "weight", c.weight, *digit - '0' + 2, err));
    OB_TRY(read_conv(call, &c, err));
    OB_TRY(conv_shape(call, &c, &shape, err));
    return ob__give(call, out, &shape, err);
}

ob_status ob__shape_conv_nd(const ob_op_call *call, ob_value *out, ob_err *err)
{
    return conv_of_name(call, false, out, err);
}

ob_status ob__shape_conv_transpose(const ob_op_call *call, ob_value *out, ob_err *err)
{
    return conv_of_name(call, true, out, err);
}

ob_status ob__shape_convolution_backward(const ob_op_call *call, ob_value *out, ob_err *err)
{
    conv c = {.transposed = ob__arg_flag(call, "transposed", false)};
    ob__shape forward;
    OB_TRY(read_conv(call, &c, err));
    OB_TRY(want_batched(call, &c, err));
    OB_TRY(conv_shape(call, &c, &forward, err));
    OB_TRY(ob__want_sizes(call, "grad_output", &forward, err));
    const int64_t channels = out_channels(&c);
    ob__shape shapes[] = {ob__shape_dense(c.input), ob__shape_dense(c.weight),
                          ob__shape_make(c.input->dtype, &channels, 1)};
    if (c.dims == 2 && !c.transposed &&
        (ob__is_channels_last(c.input) || ob__is_channels_last(c.weight))) {
        ob__set_channels_last(&shapes[0]);
        ob__set_channels_last(&shapes[1]);
    }
    return ob__give_masked(call, shapes, out, err);
}
