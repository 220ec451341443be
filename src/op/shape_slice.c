/* SPDX-License-Identifier: Apache-2.0
 *
 * Shapes and strides of views that add, drop, repeat or cut dimensions, and of the copies with the
 * same sizes (repeat, roll, flip, triangles).
 */
#include "op/shape_layout.h"
#include "op/shape_rules.h"

#include <inttypes.h>
#include <string.h>

/* In elements, such that bytes can still be counted. */
static const int64_t MOST_OFFSET = INT64_MAX / 64;

static ob_status give_expanded(const ob_op_call *call, const ob_tensor *self, const ob__ints *size,
                               ob_value *out, ob_err *err)
{
    char a[OB__SHAPE_TEXT], b[OB__SHAPE_TEXT];
    ob__shape shape = ob__shape_make(self->dtype, size->v, size->count);
    bool fits = size->count >= self->ndim;
    shape.strided = true;
    shape.offset = self->offset;
    for (int i = size->count - 1; fits && i >= 0; i--) {
        const int own = i - (size->count - self->ndim);
        const int64_t old = own >= 0 ? self->sizes[own] : 1;
        if (shape.sizes[i] == -1 && own >= 0)
            shape.sizes[i] = old;
        fits = shape.sizes[i] >= 0 && (old == shape.sizes[i] || old == 1);
        if (old != shape.sizes[i])
            shape.strides[i] = 0;
        else if (own >= 0)
            shape.strides[i] = self->strides[own];
        else
            shape.strides[i] = i + 1 < size->count ? shape.sizes[i + 1] * shape.strides[i + 1] : 1;
    }
    if (!fits)
        return ob__shape_fail(call, err,
                              "self is %s; it does not expand to %s (only sizes of 1 grow, new "
                              "dimensions come first)",
                              ob__tensor_text(self, a), ob__sizes_text(size->v, size->count, b));
    return ob__give(call, out, &shape, err);
}

ob_status ob__shape_expand(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self, *other;
    ob__ints size;
    OB_TRY(ob__arg_tensor(call, "self", &self, err));
    OB_TRY(ob__arg_maybe_tensor(call, "other", &other, err));
    OB_TRY(ob__arg_ints(call, "size", &size, err));
    if (other != NULL) {
        size = (ob__ints){.given = true, .count = other->ndim};
        memcpy(size.v, other->sizes, sizeof size.v);
    }
    return give_expanded(call, self, &size, out, err);
}

static void drop_dim(ob__shape *shape, int dim)
{
    shape->ndim--;
    for (int i = dim; i < shape->ndim; i++) {
        shape->sizes[i] = shape->sizes[i + 1];
        shape->strides[i] = shape->strides[i + 1];
    }
}

ob_status ob__shape_squeeze(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self;
    OB_TRY(ob__arg_tensor(call, "self", &self, err));
    ob__shape shape = ob__shape_of(self);
    for (int i = shape.ndim - 1; i >= 0; i--) {
        if (shape.sizes[i] == 1)
            drop_dim(&shape, i);
    }
    return ob__give(call, out, &shape, err);
}

ob_status ob__shape_squeeze_dim(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self;
    int dim = 0;
    OB_TRY(ob__arg_tensor(call, "self", &self, err));
    OB_TRY(ob__arg_dim(call, "dim", 0, self->ndim, &dim, err));
    ob__shape shape = ob__shape_of(self);
    if (self->ndim > 0 && shape.sizes[dim] == 1)
        drop_dim(&shape, dim);
    return ob__give(call, out, &shape, err);
}

ob_status ob__shape_unsqueeze(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self;
    int dim = 0;
    OB_TRY(ob__arg_tensor(call, "self", &self, err));
    if (self->ndim == OB_MAX_DIMS)
        return ob__shape_fail(call, err, "self has %d dimensions, one too many", OB_MAX_DIMS);
    OB_TRY(ob__arg_dim(call, "dim", 0, self->ndim + 1, &dim, err));
    ob__shape shape = ob__shape_of(self);
    for (int i = shape.ndim; i > dim; i--) {
        shape.sizes[i] = shape.sizes[i - 1];
        shape.strides[i] = shape.strides[i - 1];
    }
    shape.strides[dim] = dim < self->ndim ? self->sizes[dim] * self->strides[dim] : 1;
    shape.sizes[dim] = 1;
    shape.ndim++;
    return ob__give(call, out, &shape, err);
}

/* What is looked at, and one of its dimensions: self or, for the backward of a view, a tensor of input_sizes. */
static ob_status read_dim(const ob_op_call *call, const char *name, ob_tensor *viewed, int *dim,
                          ob_err *err)
{
    const bool backward = ob__arg(call, "input_sizes") != NULL;
    const ob_tensor *given;
    ob__ints sizes;
    OB_TRY(ob__arg_tensor(call, backward ? "grad_output" : "self", &given, err));
    OB_TRY(ob__arg_ints(call, "input_sizes", &sizes, err));
    if (backward)
        OB_TRY(ob_tensor_init_meta(viewed, given->dtype, sizes.v, sizes.count, NULL, err));
    else
        *viewed = *given;
    if (viewed->ndim == 0)
        return ob__shape_fail(call, err, "%s has no dimensions", backward ? "input_sizes" : "self");
    return ob__arg_dim(call, name, 0, viewed->ndim, dim, err);
}

/* The view; or zeros like what is looked at, with the gradient where the view is, which must fit there. */
static ob_status give_view(const ob_op_call *call, const ob_tensor *viewed, const ob__shape *view,
                           ob_value *out, ob_err *err)
{
    const ob_tensor *grad;
    OB_TRY(ob__arg_maybe_tensor(call, "grad_output", &grad, err));
    if (grad == NULL)
        return ob__give(call, out, view, err);
    OB_TRY(ob__want_expandable(call, "grad_output", grad, view, err));
    const ob__shape whole = ob__shape_dense(viewed);
    return ob__give(call, out, &whole, err);
}

ob_status ob__shape_select(const ob_op_call *call, ob_value *out, ob_err *err)
{
    ob_tensor self;
    int dim = 0;
    int64_t index = ob__arg_int(call, "index", 0);
    char text[OB__SHAPE_TEXT];
    OB_TRY(read_dim(call, "dim", &self, &dim, err));
    const int64_t size = self.sizes[dim];
    if (size == 0)
        return ob__shape_fail(call, err, "dimension %d of %s is empty, so no index is valid", dim,
                              ob__tensor_text(&self, text));
    if (index < -size || index >= size)
        return ob__shape_fail(call, err,
                              "index %" PRId64 " is not in dimension %d of %s; give one from "
                              "%" PRId64 " to %" PRId64,
                              index, dim, ob__tensor_text(&self, text), -size, size - 1);
    ob__shape shape = ob__shape_of(&self);
    shape.offset += (index < 0 ? index + size : index) * shape.strides[dim];
    drop_dim(&shape, dim);
    return give_view(call, &self, &shape, out, err);
}

static int64_t clamp_index(int64_t index, int64_t size)
{
    if (index < 0)
        index = index < -size ? 0 : index + size;
    return index > size ? size : index;
}

ob_status ob__shape_slice(const ob_op_call *call, ob_value *out, ob_err *err)
{
    ob_tensor self;
    int dim = 0;
    const int64_t step = ob__arg_int(call, "step", 1);
    OB_TRY(read_dim(call, "dim", &self, &dim, err));
    if (step < 1)
        return ob__shape_fail(call, err, "step is %" PRId64 "; it must be positive", step);
    const int64_t size = self.sizes[dim];
    const int64_t start = clamp_index(ob__arg_int(call, "start", 0), size);
    const int64_t end = clamp_index(ob__arg_int(call, "end", INT64_MAX), size);
    ob__shape shape = ob__shape_of(&self);
    shape.sizes[dim] = end > start ? (end - start - 1) / step + 1 : 0;
    shape.offset += start * shape.strides[dim];
    if (__builtin_mul_overflow(shape.strides[dim], step, &shape.strides[dim]))
        return ob_err_set(err, OB_ERR_OVERFLOW, "slice: the stride does not fit into 64 bits");
    return give_view(call, &self, &shape, out, err);
}

ob_status ob__shape_narrow(const ob_op_call *call, ob_value *out, ob_err *err)
{
    ob_tensor self;
    int dim = 0;
    int64_t start = ob__arg_int(call, "start", 0);
    const int64_t length = ob__arg_int(call, "length", 0);
    char text[OB__SHAPE_TEXT];
    OB_TRY(read_dim(call, "dim", &self, &dim, err));
    const int64_t size = self.sizes[dim];
    if (start < 0 && start >= -size)
        start += size;
    if (start < 0 || start > size || length < 0 || length > size - start)
        return ob__shape_fail(call, err,
                              "%" PRId64 " entries from %" PRId64 " on are not in dimension %d of "
                              "%s",
                              length, start, dim, ob__tensor_text(&self, text));
    ob__shape shape = ob__shape_of(&self);
    shape.sizes[dim] = length;
    shape.offset += start * shape.strides[dim];
    return give_view(call, &self, &shape, out, err);
}

ob_status ob__shape_as_strided(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self;
    ob__ints size, stride;
    char a[OB__SHAPE_TEXT], b[OB__SHAPE_TEXT];
    OB_TRY(ob__arg_tensor(call, "self", &self, err));
    OB_TRY(ob__arg_ints(call, "size", &size, err));
    OB_TRY(ob__arg_ints(call, "stride", &stride, err));
    bool fits = size.count == stride.count;
    for (int i = 0; fits && i < size.count; i++)
        fits = size.v[i] >= 0 && stride.v[i] >= 0;
    if (!fits)
        return ob__shape_fail(call, err,
                              "size is %s and stride is %s; both need the same length and no "
                              "negative entry",
                              ob__sizes_text(size.v, size.count, a),
                              ob__sizes_text(stride.v, stride.count, b));
    ob__shape shape = ob__shape_make(self->dtype, size.v, size.count);
    memcpy(shape.strides, stride.v, sizeof shape.strides);
    shape.strided = true;
    shape.offset = ob__arg_int(call, "storage_offset", self->offset);
    if (shape.offset < 0 || shape.offset > MOST_OFFSET)
        return ob__shape_fail(call, err,
                              "storage_offset is %" PRId64 "; it must be from 0 to %" PRId64,
                              shape.offset, MOST_OFFSET);
    return ob__give(call, out, &shape, err);
}

ob_status ob__shape_diagonal(const ob_op_call *call, ob_value *out, ob_err *err)
{
    ob_tensor self;
    int a = 0, b = 0;
    const int64_t offset = ob__arg_int(call, "offset", 0);
    OB_TRY(read_dim(call, "dim1", &self, &a, err));
    OB_TRY(ob__arg_dim(call, "dim2", 1, self.ndim, &b, err));
    if (a == b)
        return ob__shape_fail(call, err, "dim1 and dim2 are both %d; they must differ", a);
    ob__shape shape = ob__shape_of(&self);
    const int64_t rows = self.sizes[a], columns = self.sizes[b];
    int64_t length = 0;
    if (offset >= 0 && offset < columns)
        length = rows < columns - offset ? rows : columns - offset;
    else if (offset < 0 && offset > -rows)
        length = rows + offset < columns ? rows + offset : columns;
    if (length > 0)
        shape.offset += offset >= 0 ? offset * self.strides[b] : -offset * self.strides[a];
    const int64_t stride = self.strides[a] + self.strides[b];
    drop_dim(&shape, a > b ? a : b);
    drop_dim(&shape, a > b ? b : a);
    shape.sizes[shape.ndim] = length;
    shape.strides[shape.ndim++] = stride;
    return give_view(call, &self, &shape, out, err);
}

ob_status ob__shape_repeat(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self;
    ob__ints repeats;
    char a[OB__SHAPE_TEXT], b[OB__SHAPE_TEXT];
    OB_TRY(ob__arg_tensor(call, "self", &self, err));
    OB_TRY(ob__arg_ints(call, "repeats", &repeats, err));
    ob__shape shape = ob__shape_make(self->dtype, repeats.v, repeats.count);
    bool fits = repeats.count >= self->ndim;
    for (int i = 0; fits && i < repeats.count; i++) {
        const int own = i - (repeats.count - self->ndim);
        fits =
            repeats.v[i] >= 0 &&
            !__builtin_mul_overflow(repeats.v[i], own >= 0 ? self->sizes[own] : 1, &shape.sizes[i]);
    }
    if (!fits)
        return ob__shape_fail(call, err,
                              "self is %s and repeats is %s; give one count, not negative, per "
                              "dimension",
                              ob__tensor_text(self, a),
                              ob__sizes_text(repeats.v, repeats.count, b));
    return ob__give(call, out, &shape, err);
}

ob_status ob__shape_roll(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self;
    ob__ints shifts, dims;
    OB_TRY(ob__arg_tensor(call, "self", &self, err));
    OB_TRY(ob__arg_ints(call, "shifts", &shifts, err));
    OB_TRY(ob__arg_ints(call, "dims", &dims, err));
    if (shifts.count == 0 ||
        (dims.count != shifts.count && !(dims.count == 0 && shifts.count == 1)))
        return ob__shape_fail(call, err, "%d shifts for %d dims; give one shift per dimension",
                              shifts.count, dims.count);
    for (int i = 0; i < dims.count; i++) {
        int dim = 0;
        OB_TRY(ob__norm_dim(call, "dims", dims.v[i], self->ndim, &dim, err));
    }
    ob__shape shape = ob__shape_dense(self);
    ob__follow_channels_last(&shape, self);
    return ob__give(call, out, &shape, err);
}

ob_status ob__shape_flip(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self;
    ob__ints dims;
    bool used[OB_MAX_DIMS] = {false};
    OB_TRY(ob__arg_tensor(call, "self", &self, err));
    OB_TRY(ob__arg_ints(call, "dims", &dims, err));
    for (int i = 0; i < dims.count; i++) {
        int dim = 0;
        OB_TRY(ob__norm_dim(call, "dims", dims.v[i], self->ndim, &dim, err));
        if (used[dim])
            return ob__shape_fail(call, err, "dimension %d is in dims twice; name it once", dim);
        used[dim] = true;
    }
    ob__shape shape = ob__shape_dense(self);
    ob__set_preserved_strides(&shape, self);
    return ob__give(call, out, &shape, err);
}

ob_status ob__shape_triangle(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self;
    char text[OB__SHAPE_TEXT];
    OB_TRY(ob__arg_tensor(call, "self", &self, err));
    if (self->ndim < 2)
        return ob__shape_fail(call, err, "self is %s; it must have at least 2 dimensions",
                              ob__tensor_text(self, text));
    const ob__shape shape = ob__shape_dense(self);
    return ob__give(call, out, &shape, err);
}
