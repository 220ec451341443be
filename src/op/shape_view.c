/* SPDX-License-Identifier: Apache-2.0
 *
 * Shapes and strides of views that regroup or reorder dimensions.
 */
#include "op/shape_view.h"

#include "op/shape_layout.h"
#include "op/shape_rules.h"

#include <inttypes.h>
#include <string.h>

bool ob__view_infer(int64_t numel, int64_t *sizes, int ndim)
{
    int unknown = -1;
    int64_t known = 1;
    bool empty = false;
    for (int i = 0; i < ndim; i++) {
        empty |= sizes[i] == 0;
        if (sizes[i] == -1 && unknown < 0)
            unknown = i;
        else if (sizes[i] < 0 || /* strides are products, of empty tensors too */
                 (sizes[i] > 0 && __builtin_mul_overflow(known, sizes[i], &known)))
            return false;
    }
    known = empty ? 0 : known;
    if (unknown < 0)
        return known == numel;
    if (known == 0 || numel % known != 0)
        return false;
    sizes[unknown] = numel / known;
    return true;
}

bool ob__view_strides(const ob_tensor *tensor, const int64_t *sizes, int ndim, int64_t *strides)
{
    if (ob_tensor_numel(tensor) == 0) {
        const bool same =
            tensor->ndim == ndim &&
            (ndim == 0 || memcmp(tensor->sizes, sizes, (size_t)ndim * sizeof *sizes) == 0);
        if (same)
            memcpy(strides, tensor->strides, (size_t)ndim * sizeof *strides);
        else
            ob_shape_contiguous_strides(sizes, ndim, strides);
        return true;
    }
    /* From the right: blocks of old dimensions that lie as one run in memory must be covered by
     * whole new dimensions. */
    int next = ndim - 1;
    int64_t run = 1, base = tensor->ndim > 0 ? tensor->strides[tensor->ndim - 1] : 1;
    if (tensor->ndim == 0) {
        for (int i = 0; i < ndim; i++)
            strides[i] = 1;
        return true;
    }
    for (int d = tensor->ndim - 1; d >= 0; d--) {
        run *= tensor->sizes[d];
        const bool goes_on =
            d > 0 && (tensor->sizes[d - 1] == 1 || tensor->strides[d - 1] == run * base);
        if (goes_on)
            continue;
        int64_t covered = 1;
        while (next >= 0 && (covered < run || sizes[next] == 1)) {
            strides[next] = covered * base;
            covered *= sizes[next--];
        }
        if (covered != run)
            return false;
        if (d > 0) {
            base = tensor->strides[d - 1];
            run = 1;
        }
    }
    return next < 0;
}

/* The argument `name` with its -1 replaced; the sizes of that argument if it is a tensor. */
static ob_status read_sizes(const ob_op_call *call, const char *name, const ob_tensor *self,
                            ob__ints *size, ob_err *err)
{
    char a[OB__SHAPE_TEXT], b[OB__SHAPE_TEXT];
    const ob_value *v = ob__arg(call, name);
    if (v != NULL && v->kind == OB_VALUE_TENSOR) {
        size->given = true;
        size->count = v->as.tensor->ndim;
        memcpy(size->v, v->as.tensor->sizes, sizeof size->v);
    } else {
        OB_TRY(ob__arg_ints(call, name, size, err));
    }
    ob__sizes_text(size->v, size->count, b);
    if (ob__view_infer(ob_tensor_numel(self), size->v, size->count))
        return OB_OK;
    return ob__shape_fail(call, err,
                          "self is %s, which has %" PRId64 " elements; they do not fit into %s",
                          ob__tensor_text(self, a), ob_tensor_numel(self), b);
}

static ob__shape with_sizes(const ob_tensor *self, const ob__ints *size)
{
    ob__shape shape = ob__shape_make(self->dtype, size->v, size->count);
    shape.strided = ob__view_strides(self, size->v, size->count, shape.strides);
    if (shape.strided)
        shape.offset = self->offset;
    return shape;
}

static ob_status give_view(const ob_op_call *call, const char *name, ob_value *out, ob_err *err)
{
    const ob_tensor *self;
    ob__ints size = {0};
    char a[OB__SHAPE_TEXT], b[OB__SHAPE_TEXT], c[OB__SHAPE_TEXT];
    OB_TRY(ob__arg_tensor(call, "self", &self, err));
    OB_TRY(read_sizes(call, name, self, &size, err));
    const ob__shape shape = with_sizes(self, &size);
    if (!shape.strided)
        return ob__shape_fail(call, err,
                              "self is %s with strides %s, which cannot be viewed as %s without a "
                              "copy; use reshape",
                              ob__tensor_text(self, a),
                              ob__sizes_text(self->strides, self->ndim, b),
                              ob__sizes_text(size.v, size.count, c));
    return ob__give(call, out, &shape, err);
}

ob_status ob__shape_view(const ob_op_call *call, ob_value *out, ob_err *err)
{
    return give_view(call, "size", out, err);
}

ob_status ob__shape_view_as(const ob_op_call *call, ob_value *out, ob_err *err)
{
    return give_view(call, "other", out, err);
}

static ob_status give_reshaped(const ob_op_call *call, const char *name, ob_value *out, ob_err *err)
{
    const ob_tensor *self;
    ob__ints size = {0};
    OB_TRY(ob__arg_tensor(call, "self", &self, err));
    OB_TRY(read_sizes(call, name, self, &size, err));
    const ob__shape shape = with_sizes(self, &size);
    return ob__give(call, out, &shape, err);
}

ob_status ob__shape_reshape(const ob_op_call *call, ob_value *out, ob_err *err)
{
    return give_reshaped(call, "shape", out, err);
}

ob_status ob__shape_reshape_as(const ob_op_call *call, ob_value *out, ob_err *err)
{
    return give_reshaped(call, "other", out, err);
}

ob_status ob__shape_flatten(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self;
    int start = 0, end = 0;
    ob__ints size = {.given = true};
    int count = 0;
    OB_TRY(ob__arg_tensor(call, "self", &self, err));
    OB_TRY(ob__arg_dim(call, "start_dim", 0, self->ndim, &start, err));
    OB_TRY(ob__arg_dim(call, "end_dim", -1, self->ndim, &end, err));
    if (start > end)
        return ob__shape_fail(call, err,
                              "start_dim is %d and end_dim is %d; start must not be "
                              "after end",
                              start, end);
    if (self->ndim == 0)
        size.v[count++] = 1;
    for (int d = 0; d < self->ndim; d++) {
        if (d > start && d <= end)
            size.v[count - 1] *= self->sizes[d];
        else
            size.v[count++] = self->sizes[d];
    }
    size.count = count;
    const ob__shape shape =
        start == end && self->ndim > 0 ? ob__shape_of(self) : with_sizes(self, &size);
    return ob__give(call, out, &shape, err);
}

ob_status ob__shape_unflatten(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self;
    int dim;
    ob__ints parts, size = {.given = true};
    char a[OB__SHAPE_TEXT], b[OB__SHAPE_TEXT];
    OB_TRY(ob__arg_tensor(call, "self", &self, err));
    OB_TRY(ob__arg_dim(call, "dim", 0, self->ndim, &dim, err));
    OB_TRY(ob__arg_ints(call, "sizes", &parts, err));
    if (self->ndim == 0 || parts.count == 0 || self->ndim - 1 + parts.count > OB_MAX_DIMS ||
        !ob__view_infer(self->sizes[dim], parts.v, parts.count))
        return ob__shape_fail(call, err, "self is %s; dimension %d does not unfold into %s",
                              ob__tensor_text(self, a), dim,
                              ob__sizes_text(parts.v, parts.count, b));
    for (int d = 0; d < self->ndim; d++) {
        if (d != dim)
            size.v[size.count++] = self->sizes[d];
        for (int i = 0; d == dim && i < parts.count; i++)
            size.v[size.count++] = parts.v[i];
    }
    const ob__shape shape = with_sizes(self, &size);
    return ob__give(call, out, &shape, err);
}

ob_status ob__shape_alias(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self;
    OB_TRY(ob__arg_tensor(call, "self", &self, err));
    const ob__shape shape = ob__shape_of(self);
    return ob__give(call, out, &shape, err);
}

static ob_status give_permuted(const ob_op_call *call, const ob_tensor *self, const int *order,
                               ob_value *out, ob_err *err)
{
    ob__shape shape = ob__shape_of(self);
    for (int i = 0; i < self->ndim; i++) {
        shape.sizes[i] = self->sizes[order[i]];
        shape.strides[i] = self->strides[order[i]];
    }
    return ob__give(call, out, &shape, err);
}

static ob_status give_swapped(const ob_op_call *call, const ob_tensor *self, int a, int b,
                              ob_value *out, ob_err *err)
{
    int order[OB_MAX_DIMS];
    for (int i = 0; i < OB_MAX_DIMS; i++)
        order[i] = i == a ? b : i == b ? a : i;
    return give_permuted(call, self, order, out, err);
}

ob_status ob__shape_transpose(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self;
    int a, b;
    OB_TRY(ob__arg_tensor(call, "self", &self, err));
    OB_TRY(ob__arg_dim(call, "dim0", 0, self->ndim, &a, err));
    OB_TRY(ob__arg_dim(call, "dim1", 0, self->ndim, &b, err));
    return give_swapped(call, self, a, b, out, err);
}

ob_status ob__shape_t(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self;
    char text[OB__SHAPE_TEXT];
    OB_TRY(ob__arg_tensor(call, "self", &self, err));
    if (self->ndim > 2)
        return ob__shape_fail(call, err,
                              "self is %s; t takes at most 2 dimensions, so use transpose",
                              ob__tensor_text(self, text));
    return give_swapped(call, self, 0, self->ndim == 2 ? 1 : 0, out, err);
}

ob_status ob__shape_permute(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self;
    ob__ints dims = {0};
    int order[OB_MAX_DIMS];
    bool used[OB_MAX_DIMS] = {false};
    char a[OB__SHAPE_TEXT], b[OB__SHAPE_TEXT];
    OB_TRY(ob__arg_tensor(call, "self", &self, err));
    OB_TRY(ob__arg_ints(call, "dims", &dims, err));
    bool fits = dims.count == self->ndim;
    for (int i = 0; fits && i < dims.count; i++) {
        OB_TRY(ob__norm_dim(call, "dims", dims.v[i], self->ndim, &order[i], err));
        fits = !used[order[i]];
        used[order[i]] = true;
    }
    if (!fits)
        return ob__shape_fail(call, err,
                              "self is %s and dims is %s; dims must name each dimension once",
                              ob__tensor_text(self, a), ob__sizes_text(dims.v, dims.count, b));
    return give_permuted(call, self, order, out, err);
}
