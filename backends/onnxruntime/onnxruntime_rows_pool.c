/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows: pooling. ONNX has samples and channels always; what lacks samples gets a dimension of size 1.
 */
#include "translate.h"

#include <string.h>

enum { MAX_SPACE = 3 };

typedef struct window {
    int64_t kernel[MAX_SPACE], stride[MAX_SPACE], padding[MAX_SPACE], dilation[MAX_SPACE];
    int64_t pads[2 * MAX_SPACE];
    int space;
    bool ceil;
} window;

static void spread(const ort_call *call, const char *name, const int64_t *otherwise, int space,
                   int64_t *out)
{
    int64_t given[MAX_SPACE] = {0};
    const size_t count = ort_arg_ints(call, name, given, MAX_SPACE);
    for (int d = 0; d < space && d < MAX_SPACE; d++)
        out[d] = count == 0 ? otherwise[d] : given[count == 1 ? 0 : d];
}

/* The row's text has the number of dimensions of space. */
static window read_window(const ort_call *call)
{
    static const int64_t ones[] = {1, 1, 1}, zeros[] = {0, 0, 0};
    window w = {.space = call->row->onnx[0] - '0', .ceil = ort_arg_bool(call, "ceil_mode", false)};
    spread(call, "kernel_size", ones, w.space, w.kernel);
    spread(call, "stride", w.kernel, w.space, w.stride);
    spread(call, "padding", zeros, w.space, w.padding);
    spread(call, "dilation", ones, w.space, w.dilation);
    for (int d = 0; d < w.space; d++)
        w.pads[d] = w.pads[w.space + d] = w.padding[d];
    return w;
}

/* With samples. */
static ort_id batched(ort_call *call, const char *name, int space)
{
    const ob_tensor *meta = ort_arg_meta(call, name);
    int64_t sizes[OB_MAX_DIMS] = {1};
    if (meta->ndim != space + 1)
        return ort_arg(call, name);
    for (int d = 0; d < meta->ndim; d++)
        sizes[1 + d] = meta->sizes[d];
    return ort_reshape(call->t, ort_arg(call, name), sizes, meta->ndim + 1);
}

static void give(ort_call *call, size_t k, ort_id id, int space)
{
    const ob_tensor *result = ort_result_meta(call, k);
    ort_result(call, k, result->ndim == space + 1 ? ort_reshape_like(call->t, id, result) : id);
}

static void emit_max_pool(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *self = ort_arg_meta(call, "self");
    const window w = read_window(call);
    const size_t n = (size_t)w.space;
    const bool indices = ort_result_meta(call, 1) != NULL;
    int64_t plane = 1;
    if (indices && (self->dtype == OB_DTYPE_U8 || self->dtype == OB_DTYPE_I8)) {
        ort_refuse(call, "it gives index -1 if a window holds nothing above the dtype's smallest "
                         "number; use real numbers");
        return;
    }
    const ort_id x = batched(call, "self", w.space);
    const ort_id first =
        ort_model_node(&t->model, "MaxPool", &x, 1, indices ? 2 : 1, self->dtype,
                       ORT_ATTRS(ORT_IS("kernel_shape", w.kernel, n),
                                 ORT_IS("strides", w.stride, n), ORT_IS("pads", w.pads, 2 * n),
                                 ORT_IS("dilations", w.dilation, n), ORT_I("ceil_mode", w.ceil)));
    give(call, 0, first, w.space);
    if (!indices)
        return;
    /* ONNX counts over all planes, PyTorch within each. */
    for (int d = self->ndim - w.space; d < self->ndim; d++)
        plane *= self->sizes[d];
    ort_model_retype(&t->model, first + 1, OB_DTYPE_I64);
    give(call, 1, ort_binary(t, "Mod", first + 1, ort_number(t, OB_DTYPE_I64, (double)plane)),
         w.space);
}

static void emit_avg_pool(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *self = ort_arg_meta(call, "self");
    const window w = read_window(call);
    const size_t n = (size_t)w.space;
    if (!ort_arg_is_none(call, "divisor_override") || w.ceil) {
        ort_refuse(call,
                   "ONNX divides by the window's size, and counts partial windows differently");
        return;
    }
    const ort_id x = batched(call, "self", w.space);
    give(call, 0,
         ort_emit(
             t, "AveragePool", self->dtype, &x, 1,
             ORT_ATTRS(ORT_IS("kernel_shape", w.kernel, n), ORT_IS("strides", w.stride, n),
                       ORT_IS("pads", w.pads, 2 * n),
                       ORT_I("count_include_pad", ort_arg_bool(call, "count_include_pad", true)))),
         w.space);
}

/* Windows of one size only: ONNX has no others. false with the refusal kept when they are not. */
static bool even_windows(ort_call *call, const ob_tensor *large, const ob_tensor *small, int space,
                         int64_t *kernel)
{
    for (int d = 0; d < space; d++) {
        const int64_t in = large->sizes[large->ndim - space + d],
                      out = small->sizes[small->ndim - space + d];
        if (out == 0 || in % out != 0) {
            ort_refuse(call, "the windows differ in size");
            return false;
        }
        kernel[d] = in / out;
    }
    return true;
}

static void emit_adaptive_avg_pool(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *self = ort_arg_meta(call, "self");
    const int space = call->row->onnx[0] - '0';
    const size_t n = (size_t)space;
    int64_t kernel[MAX_SPACE];
    if (!even_windows(call, self, ort_result_meta(call, 0), space, kernel))
        return;
    const ort_id x = batched(call, "self", space);
    give(call, 0,
         ort_emit(t, "AveragePool", self->dtype, &x, 1,
                  ORT_ATTRS(ORT_IS("kernel_shape", kernel, n), ORT_IS("strides", kernel, n))),
         space);
}

/* ---- gradients ---- */

/* Each gradient goes to the place that its index says; several may go to one. */
static void emit_max_pool_backward(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *self = ort_arg_meta(call, "self"), *grad = ort_arg_meta(call, "grad_output");
    const int space = call->row->onnx[0] - '0';
    int64_t planes = 1, plane = 1, small = 1;
    for (int d = 0; d < self->ndim; d++)
        *(d < self->ndim - space ? &planes : &plane) *= self->sizes[d];
    for (int d = self->ndim - space; d < self->ndim; d++)
        small *= grad->sizes[d];
    const int64_t flat[] = {planes, small}, wide[] = {planes, plane};
    const ort_id zeros = ort_filled(t, self->dtype, 0, wide, 2);
    const ort_id index = ort_reshape(t, ort_arg(call, "indices"), flat, 2);
    const ort_id from = ort_reshape(t, ort_arg(call, "grad_output"), flat, 2);
    const ort_id sum = ort_scatter(t, zeros, index, from, 1, true);
    ort_result(call, 0, ort_reshape_like(t, sum, self));
}

static void emit_adaptive_avg_pool_backward(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *self = ort_arg_meta(call, "self"), *grad = ort_arg_meta(call, "grad_output");
    const int space = call->row->onnx[0] - '0', outer = grad->ndim - space;
    int64_t kernel[MAX_SPACE] = {0}, narrow[OB_MAX_DIMS], wide[OB_MAX_DIMS], area = 1;
    int ndim = 0;
    if (!even_windows(call, self, grad, space, kernel))
        return;
    for (int d = 0; d < grad->ndim; d++) {
        narrow[ndim] = wide[ndim] = grad->sizes[d];
        ndim++;
        if (d < outer)
            continue;
        narrow[ndim] = 1;
        wide[ndim++] = kernel[d - outer];
        area *= kernel[d - outer];
    }
    ort_id x = ort_binary(t, "Div", ort_arg(call, "grad_output"),
                          ort_number(t, grad->dtype, (double)area));
    x = ort_expand(t, ort_reshape(t, x, narrow, ndim), wide, ndim);
    ort_result(call, 0, ort_reshape_like(t, x, self));
}

/* Each gradient, divided by the window's size, to all of its window: a transposed convolution with ones. */
static void emit_avg_pool_backward(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *self = ort_arg_meta(call, "self"), *grad = ort_arg_meta(call, "grad_output");
    const window w = read_window(call);
    const size_t n = (size_t)w.space;
    const int outer = self->ndim - w.space;
    int64_t small[2 + MAX_SPACE] = {1, 1}, kernel[2 + MAX_SPACE] = {1, 1}, rest[MAX_SPACE],
                      area = 1;
    bool padded = false;
    for (int d = 0; d < outer; d++)
        small[0] *= self->sizes[d];
    for (int d = 0; d < w.space; d++) {
        small[2 + d] = grad->sizes[outer + d];
        kernel[2 + d] = w.kernel[d];
        area *= w.kernel[d];
        padded = padded || w.padding[d] > 0;
        rest[d] = self->sizes[outer + d] -
                  ((small[2 + d] - 1) * w.stride[d] - 2 * w.padding[d] + w.kernel[d]);
    }
    if (w.ceil || !ort_arg_is_none(call, "divisor_override") ||
        (padded && !ort_arg_bool(call, "count_include_pad", true))) {
        ort_refuse(call, "windows that are divided by different numbers");
        return;
    }
    const ort_id ones = ort_filled(t, self->dtype, 1 / (double)area, kernel, w.space + 2);
    const ort_id x = ort_reshape(t, ort_arg(call, "grad_output"), small, w.space + 2);
    const ort_id wide =
        ort_emit(t, "ConvTranspose", self->dtype, ORT_IN(x, ones),
                 ORT_ATTRS(ORT_IS("strides", w.stride, n), ORT_IS("pads", w.pads, 2 * n),
                           ORT_IS("output_padding", rest, n)));
    ort_result(call, 0, ort_reshape_like(t, wide, self));
}

const ort_row ort_rows_pool[] = {
    {.name = "aten::max_pool1d", .emit = emit_max_pool, .onnx = "1"},
    {.name = "aten::max_pool1d_with_indices", .emit = emit_max_pool, .onnx = "1"},
    {.name = "aten::max_pool2d", .emit = emit_max_pool, .onnx = "2"},
    {.name = "aten::max_pool2d_with_indices", .emit = emit_max_pool, .onnx = "2"},
    {.name = "aten::max_pool3d", .emit = emit_max_pool, .onnx = "3"},
    {.name = "aten::max_pool3d_with_indices", .emit = emit_max_pool, .onnx = "3"},
    {.name = "aten::max_pool2d_with_indices_backward", .emit = emit_max_pool_backward, .onnx = "2"},
    {.name = "aten::max_pool3d_with_indices_backward", .emit = emit_max_pool_backward, .onnx = "3"},
    {.name = "aten::avg_pool1d", .emit = emit_avg_pool, .onnx = "1"},
    {.name = "aten::avg_pool2d", .emit = emit_avg_pool, .onnx = "2"},
    {.name = "aten::avg_pool3d", .emit = emit_avg_pool, .onnx = "3"},
    {.name = "aten::avg_pool2d_backward", .emit = emit_avg_pool_backward, .onnx = "2"},
    {.name = "aten::avg_pool3d_backward", .emit = emit_avg_pool_backward, .onnx = "3"},
    {.name = "aten::adaptive_avg_pool1d", .emit = emit_adaptive_avg_pool, .onnx = "1"},
    {.name = "aten::adaptive_avg_pool2d", .emit = emit_adaptive_avg_pool, .onnx = "2"},
    {.name = "aten::_adaptive_avg_pool2d", .emit = emit_adaptive_avg_pool, .onnx = "2"},
    {.name = "aten::adaptive_avg_pool3d", .emit = emit_adaptive_avg_pool, .onnx = "3"},
    {.name = "aten::_adaptive_avg_pool3d", .emit = emit_adaptive_avg_pool, .onnx = "3"},
    {.name = "aten::_adaptive_avg_pool2d_backward",
     .emit = emit_adaptive_avg_pool_backward,
     .onnx = "2"},
    {.name = "aten::_adaptive_avg_pool3d_backward",
     .emit = emit_adaptive_avg_pool_backward,
     .onnx = "3"},
    {.name = NULL},
};
