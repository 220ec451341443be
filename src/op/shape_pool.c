/* SPDX-License-Identifier: Apache-2.0
 *
 * Shapes of pooling, nearest-neighbour resizing and padding.
 */
#include "op/shape_layout.h"
#include "op/shape_rules.h"
#include "op/shape_window.h"

#include <inttypes.h>
#include <string.h>

/* Spatial dimensions of "max_pool2d_with_indices" and the like: the digit in the name. */
static int pool_dims(const ob_op_call *call)
{
    const char *digit = strpbrk(ob__op_label(call), "123");
    return digit != NULL ? *digit - '0' : 2;
}

static ob_status read_self(const ob_op_call *call, int dims, const ob_tensor **self, ob_err *err)
{
    char text[OB__SHAPE_TEXT];
    OB_TRY(ob__arg_tensor(call, "self", self, err));
    if ((*self)->ndim == dims + 1 || (*self)->ndim == dims + 2)
        return OB_OK;
    return ob__shape_fail(call, err, "self is %s; it must have %d dimensions, or %d with a batch",
                          ob__tensor_text(*self, text), dims + 1, dims + 2);
}

static ob_status pool_size(const ob_op_call *call, int64_t size, const ob__window *window,
                           int64_t *out, ob_err *err)
{
    if (window->padding > window->kernel / 2)
        return ob__shape_fail(call, err,
                              "padding is %" PRId64 " and kernel_size is %" PRId64
                              "; padding must be at most half of it",
                              window->padding, window->kernel);
    *out = size > INT32_MAX ? 0 : ob__window_places(size, window);
    if (*out < 1)
        return ob__shape_fail(call, err,
                              "a window of %" PRId64 " (padding %" PRId64 ", dilation %" PRId64
                              ") does not fit into a size of %" PRId64,
                              window->kernel, window->padding, window->dilation, size);
    return OB_OK;
}

static ob_status pool(const ob_op_call *call, ob__shape *shape, ob_err *err)
{
    static const ob__ints one = {.given = true, .count = 1, .v = {1}};
    static const ob__ints zero = {.given = true, .count = 1, .v = {0}};
    const int dims = pool_dims(call);
    const ob_tensor *self;
    ob__ints kernel, stride, padding, dilation;
    OB_TRY(read_self(call, dims, &self, err));
    OB_TRY(ob__window_arg(call, "kernel_size", dims, 1, NULL, &kernel, err));
    OB_TRY(ob__window_arg(call, "stride", dims, 1, &kernel, &stride, err));
    OB_TRY(ob__window_arg(call, "padding", dims, 0, &zero, &padding, err));
    OB_TRY(ob__window_arg(call, "dilation", dims, 1, &one, &dilation, err));
    *shape = ob__shape_dense(self);
    for (int i = 0; i < dims; i++) {
        const int d = self->ndim - dims + i;
        const ob__window window = {.kernel = kernel.v[i],
                                   .stride = stride.v[i],
                                   .padding = padding.v[i],
                                   .dilation = dilation.v[i],
                                   .ceil_mode = ob__arg_flag(call, "ceil_mode", false)};
        OB_TRY(pool_size(call, self->sizes[d], &window, &shape->sizes[d], err));
    }
    ob__follow_channels_last(shape, self);
    return OB_OK;
}

ob_status ob__shape_max_pool(const ob_op_call *call, ob_value *out, ob_err *err)
{
    ob__shape shape;
    OB_TRY(pool(call, &shape, err));
    return ob__give(call, out, &shape, err);
}

ob_status ob__shape_avg_pool(const ob_op_call *call, ob_value *out, ob_err *err)
{
    ob__shape shape;
    const ob_value *divisor = ob__arg(call, "divisor_override");
    if (divisor != NULL && divisor->kind == OB_VALUE_INT && divisor->as.integer == 0)
        return ob__shape_fail(call, err, "divisor_override must not be 0");
    OB_TRY(pool(call, &shape, err));
    return ob__give(call, out, &shape, err);
}

static ob_status give_with_indices(const ob_op_call *call, const ob__shape *shape, ob_value *out,
                                   ob_err *err)
{
    ob__shape shapes[] = {*shape, *shape};
    shapes[1].dtype = OB_DTYPE_I64;
    return ob__give_all(call, out, shapes, 2, err);
}

ob_status ob__shape_max_pool_indices(const ob_op_call *call, ob_value *out, ob_err *err)
{
    ob__shape shape;
    OB_TRY(pool(call, &shape, err));
    return give_with_indices(call, &shape, out, err);
}

/* Each result is of one element at least. */
static ob_status want_some_space(const ob_op_call *call, const ob_tensor *self, ob_err *err)
{
    for (int d = self->ndim - pool_dims(call); d < self->ndim; d++)
        if (self->sizes[d] == 0)
            return ob__shape_fail(call, err, "self has size 0 in dimension %d; it must be larger",
                                  d);
    return OB_OK;
}

static ob_status adaptive(const ob_op_call *call, ob__shape *shape, ob_err *err)
{
    const int dims = pool_dims(call);
    const ob_tensor *self;
    ob__ints size;
    OB_TRY(read_self(call, dims, &self, err));
    OB_TRY(want_some_space(call, self, err));
    OB_TRY(ob__window_arg(call, "output_size", dims, 0, NULL, &size, err));
    *shape = ob__shape_dense(self);
    for (int i = 0; i < dims; i++)
        shape->sizes[self->ndim - dims + i] = size.v[i];
    ob__follow_channels_last(shape, self);
    return OB_OK;
}

ob_status ob__shape_adaptive_pool(const ob_op_call *call, ob_value *out, ob_err *err)
{
    ob__shape shape;
    OB_TRY(adaptive(call, &shape, err));
    return ob__give(call, out, &shape, err);
}

ob_status ob__shape_adaptive_pool_indices(const ob_op_call *call, ob_value *out, ob_err *err)
{
    ob__shape shape;
    OB_TRY(adaptive(call, &shape, err));
    return give_with_indices(call, &shape, out, err);
}

ob_status ob__shape_pool_backward(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self, *grad;
    ob__shape pooled;
    OB_TRY(read_self(call, pool_dims(call), &self, err));
    OB_TRY(ob__arg_tensor(call, "grad_output", &grad, err));
    if (ob__arg(call, "kernel_size") != NULL) {
        OB_TRY(pool(call, &pooled, err));
    } else { /* adaptive: grad_output says how many windows there are */
        OB_TRY(want_some_space(call, self, err));
        pooled = ob__shape_dense(self);
        for (int d = self->ndim - pool_dims(call); d < self->ndim && d < grad->ndim; d++)
            pooled.sizes[d] = grad->sizes[d];
    }
    OB_TRY(ob__want_sizes(call, "grad_output", &pooled, err));
    OB_TRY(ob__want_sizes(call, "indices", &pooled, err));
    ob__shape shape = ob__shape_dense(self);
    ob__follow_channels_last(&shape, self);
    return ob__give(call, out, &shape, err);
}

/* One spatial size from output_size, or from the size and its scale (the .vec overload). */
static ob_status upsampled_size(const ob_op_call *call, int i, int64_t size, int64_t *out,
                                ob_err *err)
{
    ob__ints wanted;
    const ob_value *scales = ob__arg(call, "scale_factors");
    OB_TRY(ob__arg_ints(call, "output_size", &wanted, err));
    if (wanted.count == 2) {
        *out = wanted.v[i];
    } else if (scales != NULL && scales->kind == OB_VALUE_LIST && scales->as.list.count == 2 &&
               scales->as.list.items[i].kind == OB_VALUE_DOUBLE) {
        const double scaled = (double)size * scales->as.list.items[i].as.real;
        *out = scaled >= 0 && scaled < (double)INT32_MAX ? (int64_t)scaled : -1;
    } else {
        return ob__shape_fail(call, err, "give output_size as two sizes, or two scale_factors");
    }
    if (*out < 1)
        return ob__shape_fail(call, err, "the output would have size %" PRId64 " in dimension %d",
                              *out, i + 2);
    return OB_OK;
}

ob_status ob__shape_upsample_nearest2d(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const char *name = ob__arg(call, "self") != NULL ? "self" : "input";
    const ob_tensor *self;
    OB_TRY(ob__arg_tensor(call, name, &self, err));
    OB_TRY(ob__want_ndim(call, name, self, 4, err));
    ob__shape shape = ob__shape_dense(self);
    for (int i = 0; i < 2; i++)
        OB_TRY(upsampled_size(call, i, self->sizes[i + 2], &shape.sizes[i + 2], err));
    ob__follow_channels_last(&shape, self);
    return ob__give(call, out, &shape, err);
}

ob_status ob__shape_upsample_nearest2d_backward(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *grad;
    ob__ints size;
    OB_TRY(ob__arg_tensor(call, "grad_output", &grad, err));
    OB_TRY(ob__want_ndim(call, "grad_output", grad, 4, err));
    OB_TRY(ob__arg_ints(call, "input_size", &size, err));
    if (size.count != 4)
        return ob__shape_fail(call, err, "input_size has %d entries; it must have 4", size.count);
    ob__shape shape = ob__shape_make(grad->dtype, size.v, 4), resized = shape;
    for (int i = 0; i < 2; i++)
        OB_TRY(upsampled_size(call, i, size.v[i + 2], &resized.sizes[i + 2], err));
    OB_TRY(ob__want_sizes(call, "grad_output", &resized, err));
    ob__follow_channels_last(&shape, grad);
    return ob__give(call, out, &shape, err);
}

/* Negative padding crops, and no more than there is. */
static bool can_cut(int64_t size, int64_t before, int64_t after)
{
    const int64_t left = before < 0 ? (before < -size ? -1 : size + before) : size;
    return left >= 0 && (after >= 0 || after >= -left);
}

/* Pairs (before, after) from the last dimension on. */
ob_status ob__shape_pad(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self;
    ob__ints pad;
    char a[OB__SHAPE_TEXT], b[OB__SHAPE_TEXT];
    OB_TRY(ob__arg_tensor(call, "self", &self, err));
    OB_TRY(ob__arg_ints(call, "pad", &pad, err));
    if (pad.count % 2 != 0 || pad.count / 2 > self->ndim)
        return ob__shape_fail(call, err,
                              "pad is %s and self is %s; give two numbers per padded dimension",
                              ob__sizes_text(pad.v, pad.count, a), ob__tensor_text(self, b));
    ob__shape shape = ob__shape_dense(self);
    for (int i = 0; i < pad.count / 2; i++) {
        int64_t *size = &shape.sizes[self->ndim - 1 - i];
        const int64_t before = pad.v[2 * i], after = pad.v[2 * i + 1];
        if (!can_cut(*size, before, after) || __builtin_add_overflow(*size, before, size) ||
            __builtin_add_overflow(*size, after, size))
            return ob__shape_fail(call, err, "pad %s leaves no valid size of dimension %d of %s",
                                  ob__sizes_text(pad.v, pad.count, a), self->ndim - 1 - i,
                                  ob__tensor_text(self, b));
    }
    ob__follow_channels_last(&shape, self);
    return ob__give(call, out, &shape, err);
}

ob_status ob__shape_pixel_shuffle(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self;
    const int64_t r = ob__arg_int(call, "upscale_factor", 0);
    char text[OB__SHAPE_TEXT];
    OB_TRY(ob__arg_tensor(call, "self", &self, err));
    const int n = self->ndim;
    if (n < 3 || r < 1 || r > INT32_MAX || self->sizes[n - 3] % (r * r) != 0 ||
        self->sizes[n - 2] > INT32_MAX || self->sizes[n - 1] > INT32_MAX)
        return ob__shape_fail(
            call, err,
            "self is %s and upscale_factor %" PRId64
            "; the square of the factor must divide the channels (third-last size)",
            ob__tensor_text(self, text), r);
    ob__shape shape = ob__shape_dense(self);
    shape.sizes[n - 3] /= r * r;
    shape.sizes[n - 2] *= r;
    shape.sizes[n - 1] *= r;
    return ob__give(call, out, &shape, err);
}
