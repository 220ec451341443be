/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows: convolutions, and the gradients of those that are not transposed and have one group.
 */
#include "translate.h"

enum { MAX_SPACE = 3 };

/* The arguments of convolution and convolution_backward, spread over the dimensions of space. */
typedef struct geometry {
    int64_t stride[MAX_SPACE], dilation[MAX_SPACE], padding[MAX_SPACE], output_padding[MAX_SPACE];
    int64_t kernel[MAX_SPACE];
    int64_t groups;
    bool transposed;
    int space;
} geometry;

static void spread(const ort_call *call, const char *name, int64_t otherwise, int space,
                   int64_t *out)
{
    int64_t given[MAX_SPACE] = {0};
    const size_t count = ort_arg_ints(call, name, given, MAX_SPACE);
    for (int d = 0; d < space; d++)
        out[d] = count == 0 ? otherwise : given[count == 1 ? 0 : d];
}

static bool read_geometry(ort_call *call, geometry *g)
{
    const ob_tensor *weight = ort_arg_meta(call, "weight");
    *g = (geometry){.space = weight->ndim - 2,
                    .groups = ort_arg_int(call, "groups", 1),
                    .transposed = ort_arg_bool(call, "transposed", false)};
    if (g->space < 1 || g->space > MAX_SPACE) {
        ort_refuse(call, "one to three spatial dimensions");
        return false;
    }
    if (ob_kit_numel(weight) == 0) { /* the library never comes back */
        ort_refuse(call, "a weight without elements");
        return false;
    }
    spread(call, "stride", 1, g->space, g->stride);
    spread(call, "dilation", 1, g->space, g->dilation);
    spread(call, "padding", 0, g->space, g->padding);
    spread(call, "output_padding", 0, g->space, g->output_padding);
    for (int d = 0; d < g->space; d++)
        g->kernel[d] = weight->sizes[2 + d];
    return true;
}

/* Starts, then ends. */
static void both_sides(const geometry *g, int64_t *pads)
{
    for (int d = 0; d < g->space; d++)
        pads[d] = pads[g->space + d] = g->padding[d];
}

static ort_id transposed(ort_translation *t, const geometry *g, ort_id x, ort_id w, ort_id b,
                         const int64_t *output_padding)
{
    const size_t n = (size_t)g->space;
    int64_t pads[2 * MAX_SPACE];
    both_sides(g, pads);
    return ort_emit(
        t, "ConvTranspose", ort_dtype_of(t, x), (const ort_id[]){x, w, b}, b == ORT_NONE ? 2 : 3,
        ORT_ATTRS(ORT_IS("strides", g->stride, n), ORT_IS("dilations", g->dilation, n),
                  ORT_IS("pads", pads, 2 * n), ORT_IS("kernel_shape", g->kernel, n),
                  ORT_IS("output_padding", output_padding, n), ORT_I("group", g->groups)));
}

static void emit_convolution(ort_call *call)
{
    ort_translation *t = call->t;
    geometry g;
    int64_t pads[2 * MAX_SPACE];
    if (!read_geometry(call, &g))
        return;
    const size_t n = (size_t)g.space;
    const ort_id x = ort_arg(call, "input"), w = ort_arg(call, "weight"), b = ort_arg(call, "bias");
    if (g.transposed) {
        ort_result(call, 0, transposed(t, &g, x, w, b, g.output_padding));
        return;
    }
    both_sides(&g, pads);
    ort_result(call, 0,
               ort_emit(t, "Conv", ort_dtype_of(t, x), (const ort_id[]){x, w, b},
                        b == ORT_NONE ? 2 : 3,
                        ORT_ATTRS(ORT_IS("strides", g.stride, n),
                                  ORT_IS("dilations", g.dilation, n), ORT_IS("pads", pads, 2 * n),
                                  ORT_IS("kernel_shape", g.kernel, n), ORT_I("group", g.groups))));
}

/* ---- gradients ---- */

/* The transposed convolution of the gradient, padded to the input's size where the stride left a rest. */
static ort_id grad_input(ort_call *call, const geometry *g)
{
    const ob_tensor *input = ort_arg_meta(call, "input"), *grad = ort_arg_meta(call, "grad_output");
    int64_t rest[MAX_SPACE];
    for (int d = 0; d < g->space; d++)
        rest[d] =
            input->sizes[2 + d] - ((grad->sizes[2 + d] - 1) * g->stride[d] - 2 * g->padding[d] +
                                   g->dilation[d] * (g->kernel[d] - 1) + 1);
    return transposed(call->t, g, ort_arg(call, "grad_output"), ort_arg(call, "weight"), ORT_NONE,
                      rest);
}

/* The convolution of the input with the gradient, samples in the place of channels and strides in that of
 * dilations. */
static ort_id grad_weight(ort_call *call, const geometry *g)
{
    ort_translation *t = call->t;
    const ob_tensor *grad = ort_arg_meta(call, "grad_output");
    const size_t n = (size_t)g->space;
    int64_t order[2 + MAX_SPACE], pads[2 * MAX_SPACE], kernel[MAX_SPACE];
    for (int d = 0; d < 2 + g->space; d++)
        order[d] = d < 2 ? 1 - d : d;
    for (int d = 0; d < g->space; d++)
        kernel[d] = grad->sizes[2 + d];
    both_sides(g, pads);
    const ort_id x = ort_transpose(t, ort_arg(call, "input"), order, 2 + g->space);
    const ort_id y = ort_transpose(t, ort_arg(call, "grad_output"), order, 2 + g->space);
    ort_id w =
        ort_emit(t, "Conv", ort_dtype_of(t, x), ORT_IN(x, y),
                 ORT_ATTRS(ORT_IS("strides", g->dilation, n), ORT_IS("dilations", g->stride, n),
                           ORT_IS("pads", pads, 2 * n), ORT_IS("kernel_shape", kernel, n)));
    for (int d = 0; d < g->space; d++)
        w = ort_slice(t, w, 2 + d, 0, g->kernel[d], 1);
    return ort_transpose(t, w, order, 2 + g->space);
}

static ort_id grad_bias(ort_call *call, const geometry *g)
{
    const int64_t dims[] = {0, 2, 3, 4};
    return ort_reduce(call->t, "ReduceSum", ort_arg(call, "grad_output"), dims,
                      1 + (size_t)g->space, false);
}

static void emit_convolution_backward(ort_call *call)
{
    geometry g;
    int64_t mask[3] = {1, 1, 1};
    if (!read_geometry(call, &g))
        return;
    if (g.transposed || g.groups != 1) {
        ort_refuse(call, "the gradient of a transposed or grouped convolution is not translated");
        return;
    }
    ort_arg_ints(call, "output_mask", mask, 3);
    if (mask[0] != 0)
        ort_result(call, 0, grad_input(call, &g));
    if (mask[1] != 0)
        ort_result(call, 1, grad_weight(call, &g));
    if (mask[2] != 0)
        ort_result(call, 2, grad_bias(call, &g));
}

const ort_row ort_rows_conv[] = {
    {.name = "aten::convolution", .emit = emit_convolution},
    {.name = "aten::_convolution", .emit = emit_convolution},
    {.name = "aten::convolution_backward", .emit = emit_convolution_backward},
    {.name = NULL},
};
