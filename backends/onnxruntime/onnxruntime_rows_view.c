/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows: what PyTorch calls views, copies, and moving elements about. Shapes are known, so most are a Reshape.
 */
#include "kit/tensor_pieces.h"
#include "translate.h"

#include <stdint.h>
#include <string.h>

static const char *first_name(const ort_call *call)
{
    return call->schema->args[0].name;
}

/* The elements in the same order, in the result's shape. */
static void emit_reshape(ort_call *call)
{
    const ob_tensor *self = ort_arg_meta(call, first_name(call)),
                    *result = ort_result_meta(call, 0);
    const ort_id id = ort_arg(call, first_name(call));
    bool same = self->ndim == result->ndim;
    for (int d = 0; same && d < self->ndim; d++)
        same = self->sizes[d] == result->sizes[d];
    ort_result(call, 0, same ? id : ort_reshape_like(call->t, id, result));
}

/* The first argument itself, cast where the result has another type. */
static void emit_same(ort_call *call)
{
    ort_result(call, 0, ort_arg(call, first_name(call)));
}

static void emit_transpose(ort_call *call)
{
    const ob_tensor *self = ort_arg_meta(call, "self");
    int64_t order[OB_MAX_DIMS];
    for (int d = 0; d < self->ndim; d++)
        order[d] = d;
    if (self->ndim > 1) {
        const int a = ob_kit_dim(ort_arg_int(call, "dim0", 0), self->ndim),
                  b = ob_kit_dim(ort_arg_int(call, "dim1", 1), self->ndim);
        order[a] = b;
        order[b] = a;
    }
    ort_result(call, 0, ort_transpose(call->t, ort_arg(call, "self"), order, self->ndim));
}

static void emit_permute(ort_call *call)
{
    const ob_tensor *self = ort_arg_meta(call, "self");
    int64_t order[OB_MAX_DIMS] = {0};
    ort_arg_ints(call, "dims", order, OB_MAX_DIMS);
    for (int d = 0; d < self->ndim; d++)
        order[d] = ob_kit_dim(order[d], self->ndim);
    ort_result(call, 0, ort_transpose(call->t, ort_arg(call, "self"), order, self->ndim));
}

static ort_id expand_to(ort_translation *t, ort_id id, const ob_tensor *like)
{
    return ort_expand(t, id, like->sizes, like->ndim);
}

static void emit_expand(ort_call *call)
{
    ort_result(call, 0, expand_to(call->t, ort_arg(call, "self"), ort_result_meta(call, 0)));
}

static void emit_select(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *self = ort_arg_meta(call, "self");
    const int64_t dim = ob_kit_dim(ort_arg_int(call, "dim", 0), self->ndim);
    const ort_id index = ort_number(t, OB_DTYPE_I64, (double)ort_arg_int(call, "index", 0));
    ort_result(call, 0,
               ort_emit(t, "Gather", self->dtype, ORT_IN(ort_arg(call, "self"), index),
                        ORT_ATTRS(ORT_I("axis", dim))));
}

static void emit_slice(ort_call *call)
{
    const ob_tensor *self = ort_arg_meta(call, "self");
    ort_result(call, 0,
               ort_slice(call->t, ort_arg(call, "self"),
                         ob_kit_dim(ort_arg_int(call, "dim", 0), self->ndim),
                         ort_arg_int(call, "start", 0), ort_arg_int(call, "end", INT64_MAX),
                         ort_arg_int(call, "step", 1)));
}

static void emit_narrow(ort_call *call)
{
    const ob_tensor *self = ort_arg_meta(call, "self");
    const int dim = ob_kit_dim(ort_arg_int(call, "dim", 0), self->ndim);
    int64_t start = ort_arg_int(call, "start", 0);
    start += start < 0 ? self->sizes[dim] : 0;
    ort_result(call, 0,
               ort_slice(call->t, ort_arg(call, "self"), dim, start,
                         start + ort_arg_int(call, "length", 0), 1));
}

/* Zeros around: `before` and the rest of one dimension of the result. */
static ort_id pad_dim(ort_translation *t, ort_id id, const ob_tensor *result, int dim,
                      int64_t before, int64_t size)
{
    int64_t pads[2 * OB_MAX_DIMS] = {0};
    pads[dim] = before;
    pads[result->ndim + dim] = result->sizes[dim] - before - size;
    return ort_emit(t, "Pad", ort_dtype_of(t, id),
                    ORT_IN(id, ort_ints(t, pads, 2 * (size_t)result->ndim)),
                    ORT_ATTRS(ORT_S("mode", "constant")));
}

/* The gradient, repeated where it is smaller than the view. */
static ort_id fitting_grad(ort_call *call, const int64_t *sizes, int ndim)
{
    const ob_tensor *grad = ort_arg_meta(call, "grad_output");
    const ort_id id = ort_arg(call, "grad_output");
    bool fits = grad->ndim == ndim;
    for (int d = 0; fits && d < ndim; d++)
        fits = grad->sizes[d] == sizes[d];
    return fits ? id : ort_expand(call->t, id, sizes, ndim);
}

static void emit_select_backward(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *result = ort_result_meta(call, 0);
    const int dim = ob_kit_dim(ort_arg_int(call, "dim", 0), result->ndim);
    int64_t sizes[OB_MAX_DIMS], index = ort_arg_int(call, "index", 0);
    memcpy(sizes, result->sizes, sizeof sizes);
    memmove(sizes + dim, sizes + dim + 1, (size_t)(result->ndim - dim - 1) * sizeof *sizes);
    ort_id grad = fitting_grad(call, sizes, result->ndim - 1);
    memcpy(sizes, result->sizes, sizeof sizes);
    sizes[dim] = 1;
    index += index < 0 ? result->sizes[dim] : 0;
    grad = ort_reshape(t, grad, sizes, result->ndim);
    ort_result(call, 0, pad_dim(t, grad, result, dim, index, 1));
}

static void emit_slice_backward(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *result = ort_result_meta(call, 0);
    const int dim = ob_kit_dim(ort_arg_int(call, "dim", 0), result->ndim);
    const ob_kit_slice slice =
        ob_kit_slice_of(ort_arg_int(call, "start", 0), ort_arg_int(call, "end", INT64_MAX),
                        ort_arg_int(call, "step", 1), result->sizes[dim]);
    int64_t view[OB_MAX_DIMS], sizes[OB_MAX_DIMS];
    memcpy(view, result->sizes, sizeof view);
    view[dim] = slice.count;
    const ort_id grad = fitting_grad(call, view, result->ndim);
    if (slice.step == 1) {
        ort_result(call, 0, pad_dim(t, grad, result, dim, slice.start, slice.count));
        return;
    }
    for (int d = 0; d < result->ndim; d++)
        sizes[d] = d == dim ? slice.count : 1;
    ort_id index = ort_binary(t, "Mul", ort_range(t, slice.count),
                              ort_number(t, OB_DTYPE_I64, (double)slice.step));
    index = ort_binary(t, "Add", index, ort_number(t, OB_DTYPE_I64, (double)slice.start));
    index = ort_expand(t, ort_reshape(t, index, sizes, result->ndim), view, result->ndim);
    const ort_id zeros = ort_filled(t, result->dtype, 0, result->sizes, result->ndim);
    ort_result(call, 0, ort_scatter(t, zeros, index, grad, dim, false));
}

static void emit_repeat(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *self = ort_arg_meta(call, "self"), *result = ort_result_meta(call, 0);
    int64_t repeats[OB_MAX_DIMS] = {0}, sizes[OB_MAX_DIMS];
    ort_arg_ints(call, "repeats", repeats, OB_MAX_DIMS);
    const int more = result->ndim - self->ndim;
    for (int d = 0; d < result->ndim; d++)
        sizes[d] = d < more ? 1 : self->sizes[d - more];
    ort_id id = ort_arg(call, "self");
    if (more > 0)
        id = ort_reshape(t, id, sizes, result->ndim);
    ort_result(call, 0,
               ort_emit(t, "Tile", self->dtype,
                        ORT_IN(id, ort_ints(t, repeats, (size_t)result->ndim)), NULL));
}

static ort_id roll_dim(ort_translation *t, ort_id id, int64_t dim, int64_t size, int64_t shift)
{
    if (size == 0 || shift % size == 0)
        return id;
    const int64_t cut = size - ((shift % size) + size) % size;
    const ort_id back = ort_slice(t, id, dim, cut, INT64_MAX, 1);
    return ort_emit(t, "Concat", ort_dtype_of(t, id),
                    ORT_IN(back, ort_slice(t, id, dim, 0, cut, 1)), ORT_ATTRS(ORT_I("axis", dim)));
}

static void emit_roll(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *self = ort_arg_meta(call, "self");
    int64_t shifts[OB_MAX_DIMS] = {0}, dims[OB_MAX_DIMS] = {0};
    const size_t count = ort_arg_ints(call, "shifts", shifts, OB_MAX_DIMS);
    ort_id id = ort_arg(call, "self");
    if (ort_arg_ints(call, "dims", dims, OB_MAX_DIMS) == 0) {
        const int64_t all = ob_kit_numel(self);
        id = roll_dim(t, ort_reshape(t, id, &all, 1), 0, all, shifts[0]);
        id = ort_reshape_like(t, id, self);
    } else {
        for (size_t i = 0; i < count && i < OB_MAX_DIMS; i++) {
            const int dim = ob_kit_dim(dims[i], self->ndim);
            id = roll_dim(t, id, dim, self->sizes[dim], shifts[i]);
        }
    }
    ort_result(call, 0, id);
}

static void emit_flip(ort_call *call)
{
    const ob_tensor *self = ort_arg_meta(call, "self");
    int64_t dims[OB_MAX_DIMS] = {0};
    const size_t count = ort_arg_ints(call, "dims", dims, OB_MAX_DIMS);
    ort_id id = ort_arg(call, "self");
    for (size_t i = 0; i < count && i < OB_MAX_DIMS; i++)
        id = ort_slice(call->t, id, ob_kit_dim(dims[i], self->ndim), -1, INT64_MIN, -1);
    ort_result(call, 0, id);
}

static void emit_triangle(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *self = ort_arg_meta(call, "self");
    const ort_id diagonal = ort_number(t, OB_DTYPE_I64, (double)ort_arg_int(call, "diagonal", 0));
    const bool upper = strcmp(call->row->onnx, "upper") == 0;
    ort_result(call, 0,
               ort_emit(t, "Trilu", self->dtype, ORT_IN(ort_arg(call, "self"), diagonal),
                        ORT_ATTRS(ORT_I("upper", upper))));
}

/* PyTorch has pairs from the last dimension on; ONNX all starts, then all ends. */
static void emit_pad(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *self = ort_arg_meta(call, "self");
    const char *mode = ort_arg_str(call, "mode");
    int64_t given[2 * OB_MAX_DIMS] = {0}, pads[2 * OB_MAX_DIMS] = {0};
    const size_t count = ort_arg_ints(call, "pad", given, 2 * OB_MAX_DIMS);
    for (size_t i = 0; i < count / 2; i++) {
        const size_t dim = (size_t)self->ndim - 1 - i;
        pads[dim] = given[2 * i];
        pads[(size_t)self->ndim + dim] = given[2 * i + 1];
    }
    if (strcmp(mode, "circular") == 0) {
        ort_refuse(call, "this opset only pads with a constant, the edge or a reflection");
        return;
    }
    const char *how = strcmp(mode, "reflect") == 0     ? "reflect"
                      : strcmp(mode, "replicate") == 0 ? "edge"
                                                       : "constant";
    const ort_id value = ort_number(t, self->dtype, ort_arg_double(call, "value", 0));
    ort_result(
        call, 0,
        ort_emit(t, "Pad", self->dtype,
                 ORT_IN(ort_arg(call, "self"), ort_ints(t, pads, 2 * (size_t)self->ndim), value),
                 ORT_ATTRS(ORT_S("mode", how))));
}

static void emit_pixel_shuffle(ort_call *call)
{
    const ob_tensor *self = ort_arg_meta(call, "self");
    if (self->ndim != 4) {
        ort_refuse(call, "ONNX only has it for four dimensions");
        return;
    }
    ort_result(call, 0,
               ort_emit(call->t, "DepthToSpace", self->dtype, ORT_IN(ort_arg(call, "self")),
                        ORT_ATTRS(ORT_I("blocksize", ort_arg_int(call, "upscale_factor", 1)),
                                  ORT_S("mode", "CRD"))));
}

/* Whether a scale takes every element from where the sizes do, which is all that ONNX can be told. */
static bool scale_fits(double scale, int64_t from, int64_t to)
{
    for (int64_t i = 0; scale > 0 && i < to; i++) {
        const int64_t at = (int64_t)((double)i / scale);
        if ((at < from ? at : from - 1) != i * from / to)
            return false;
    }
    return true;
}

static void emit_upsample(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *self = ort_arg_meta(call, "self"), *result = ort_result_meta(call, 0);
    if (!scale_fits(ort_arg_double(call, "scales_h", 0), self->sizes[2], result->sizes[2]) ||
        !scale_fits(ort_arg_double(call, "scales_w", 0), self->sizes[3], result->sizes[3])) {
        ort_refuse(call, "the scales do not give the size, and scales are all that ONNX takes");
        return;
    }
    const ort_id sizes = ort_ints(t, result->sizes, (size_t)result->ndim);
    ort_result(call, 0,
               ort_emit(t, "Resize", self->dtype,
                        ORT_IN(ort_arg(call, "self"), ORT_NONE, ORT_NONE, sizes),
                        ORT_ATTRS(ORT_S("mode", "nearest"), ORT_S("nearest_mode", "floor"),
                                  ORT_S("coordinate_transformation_mode", "asymmetric"))));
}

static void emit_copy(ort_call *call)
{
    const ob_tensor *self = ort_arg_meta(call, "self"), *src = ort_arg_meta(call, "src");
    ort_id id = ort_arg_as(call, "src", self->dtype);
    bool same = self->ndim == src->ndim;
    for (int d = 0; same && d < self->ndim; d++)
        same = self->sizes[d] == src->sizes[d];
    ort_result(call, 0, same ? id : expand_to(call->t, id, self));
}

const ort_row ort_rows_view[] = {
    {.name = "aten::view", .emit = emit_reshape},
    {.name = "aten::_unsafe_view", .emit = emit_reshape},
    {.name = "aten::reshape", .emit = emit_reshape},
    {.name = "aten::flatten.using_ints", .emit = emit_reshape},
    {.name = "aten::unflatten.int", .emit = emit_reshape},
    {.name = "aten::view_as", .emit = emit_reshape},
    {.name = "aten::reshape_as", .emit = emit_reshape},
    {.name = "aten::squeeze", .emit = emit_reshape},
    {.name = "aten::squeeze.dim", .emit = emit_reshape},
    {.name = "aten::unsqueeze", .emit = emit_reshape},
    {.name = "aten::alias", .emit = emit_same},
    {.name = "aten::detach", .emit = emit_same},
    {.name = "aten::contiguous", .emit = emit_same},
    {.name = "aten::clone", .emit = emit_same},
    {.name = "aten::to.dtype", .emit = emit_same},
    {.name = "aten::to.device", .emit = emit_same},
    {.name = "aten::to.other", .emit = emit_same},
    {.name = "aten::to.dtype_layout", .emit = emit_same},
    {.name = "aten::_to_copy", .emit = emit_same},
    {.name = "aten::copy_", .emit = emit_copy},
    {.name = "aten::transpose.int", .emit = emit_transpose},
    {.name = "aten::t", .emit = emit_transpose},
    {.name = "aten::permute", .emit = emit_permute},
    {.name = "aten::expand", .emit = emit_expand},
    {.name = "aten::expand_as", .emit = emit_expand},
    {.name = "aten::select.int", .emit = emit_select},
    {.name = "aten::select_backward", .emit = emit_select_backward},
    {.name = "aten::slice.Tensor", .emit = emit_slice},
    {.name = "aten::slice_backward", .emit = emit_slice_backward},
    {.name = "aten::narrow", .emit = emit_narrow},
    {.name = "aten::repeat", .emit = emit_repeat},
    {.name = "aten::roll", .emit = emit_roll},
    {.name = "aten::flip", .emit = emit_flip},
    {.name = "aten::tril", .emit = emit_triangle, .onnx = "lower"},
    {.name = "aten::triu", .emit = emit_triangle, .onnx = "upper"},
    {.name = "aten::constant_pad_nd", .emit = emit_pad},
    {.name = "aten::pad", .emit = emit_pad},
    {.name = "aten::pixel_shuffle", .emit = emit_pixel_shuffle},
    {.name = "aten::upsample_nearest2d", .emit = emit_upsample},
    {.name = NULL},
};
