/* SPDX-License-Identifier: Apache-2.0
 *
 * Shapes of copies, conversions and of tensors made from nothing.
 */
#include "op/promote.h"
#include "op/shape_layout.h"
#include "op/shape_rules.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

ob_status ob__shape_clone(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self;
    OB_TRY(ob__arg_tensor(call, "self", &self, err));
    ob__shape shape = ob__shape_dense(self);
    OB_TRY(ob__set_memory_format(call, &shape, self, err));
    return ob__give(call, out, &shape, err);
}

static bool has_strides(const ob_tensor *t, const ob__shape *shape)
{
    for (int i = 0; i < t->ndim; i++) {
        if (t->sizes[i] > 1 && t->strides[i] != shape->strides[i])
            return false;
    }
    return true;
}

/* self itself when it has that memory order already. */
ob_status ob__shape_contiguous(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self;
    OB_TRY(ob__arg_tensor(call, "self", &self, err));
    ob__shape shape = ob__shape_dense(self);
    OB_TRY(ob__set_memory_format(call, &shape, self, err));
    if (!shape.strided)
        ob_shape_contiguous_strides(shape.sizes, shape.ndim, shape.strides);
    if (ob_tensor_numel(self) == 0 || has_strides(self, &shape))
        shape = ob__shape_of(self);
    return ob__give(call, out, &shape, err);
}

static ob_status give_converted(const ob_op_call *call, const ob_tensor *self, ob_dtype dtype,
                                ob_value *out, ob_err *err)
{
    ob__shape shape = ob__shape_dense(self);
    shape.dtype = dtype;
    OB_TRY(ob__set_memory_format(call, &shape, self, err));
    return ob__give(call, out, &shape, err);
}

static bool names_device(const ob_op_call *call, const ob_tensor *self)
{
    const ob_value *v = ob__arg(call, "device");
    return v != NULL && v->kind == OB_VALUE_DEVICE &&
           strcmp(v->as.device.type, self->device.type) != 0;
}

ob_status ob__shape_to(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self, *other;
    OB_TRY(ob__arg_tensor(call, "self", &self, err));
    OB_TRY(ob__arg_maybe_tensor(call, "other", &other, err));
    const ob_dtype dtype = ob__arg_dtype(call, "dtype", other != NULL ? other->dtype : self->dtype);
    const ob_value *format = ob__arg(call, "memory_format");
    if (dtype == self->dtype && !ob__arg_flag(call, "copy", false) && !names_device(call, self) &&
        (format == NULL || format->kind == OB_VALUE_NONE)) {
        const ob__shape shape = ob__shape_of(self);
        return ob__give(call, out, &shape, err);
    }
    return give_converted(call, self, dtype, out, err);
}

ob_status ob__shape_to_copy(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self;
    OB_TRY(ob__arg_tensor(call, "self", &self, err));
    return give_converted(call, self, ob__arg_dtype(call, "dtype", self->dtype), out, err);
}

ob_status ob__shape_like(const ob_op_call *call, ob_value *out, ob_err *err)
{
    return ob__shape_to_copy(call, out, err);
}

/* An unknown number in the dtype argument comes as OB_DTYPE_INVALID. */
static ob_status sized(const ob_op_call *call, ob_dtype fallback, ob__shape *shape, ob_err *err)
{
    ob__ints size;
    char text[OB__SHAPE_TEXT];
    OB_TRY(ob__arg_ints(call, "size", &size, err));
    for (int i = 0; i < size.count; i++) {
        if (size.v[i] < 0)
            return ob__shape_fail(call, err, "size is %s; sizes must not be negative",
                                  ob__sizes_text(size.v, size.count, text));
    }
    *shape = ob__shape_make(ob__arg_dtype(call, "dtype", fallback), size.v, size.count);
    return OB_OK;
}

ob_status ob__shape_create(const ob_op_call *call, ob_value *out, ob_err *err)
{
    ob__shape shape;
    OB_TRY(sized(call, OB_DTYPE_F32, &shape, err));
    OB_TRY(ob__set_memory_format(call, &shape, NULL, err));
    return ob__give(call, out, &shape, err);
}

ob_status ob__shape_create_index(const ob_op_call *call, ob_value *out, ob_err *err)
{
    ob__shape shape;
    const int64_t low = ob__arg_int(call, "low", 0), high = ob__arg_int(call, "high", 0);
    if (low >= high)
        return ob__shape_fail(call, err,
                              "low is %" PRId64 " and high is %" PRId64 "; low must be smaller",
                              low, high);
    OB_TRY(sized(call, OB_DTYPE_I64, &shape, err));
    return ob__give(call, out, &shape, err);
}

/* The dtype of a number on its own. */
static ob_dtype number_dtype(const ob_op_call *call, const char *name)
{
    ob__promotion promotion = ob__promotion_start();
    const ob_value *v = ob__arg(call, name);
    if (v != NULL)
        ob__promotion_add_number(&promotion, v);
    const ob_dtype dtype = ob__promotion_result(&promotion);
    return dtype == OB_DTYPE_INVALID ? OB_DTYPE_F32 : dtype;
}

ob_status ob__shape_full(const ob_op_call *call, ob_value *out, ob_err *err)
{
    ob__shape shape;
    OB_TRY(sized(call, number_dtype(call, "fill_value"), &shape, err));
    return ob__give(call, out, &shape, err);
}

ob_status ob__shape_create_strided(const ob_op_call *call, ob_value *out, ob_err *err)
{
    ob__shape shape;
    ob__ints stride;
    const ob_tensor *self; /* new_empty_strided has one */
    OB_TRY(ob__arg_maybe_tensor(call, "self", &self, err));
    OB_TRY(sized(call, self != NULL ? self->dtype : OB_DTYPE_F32, &shape, err));
    OB_TRY(ob__arg_ints(call, "stride", &stride, err));
    if (stride.count != shape.ndim)
        return ob__shape_fail(call, err,
                              "size has %d entries and stride has %d; both need the same number",
                              shape.ndim, stride.count);
    memcpy(shape.strides, stride.v, sizeof shape.strides);
    shape.strided = true;
    return ob__give(call, out, &shape, err);
}

ob_status ob__shape_new(const ob_op_call *call, ob_value *out, ob_err *err)
{
    ob__shape shape;
    const ob_tensor *self;
    OB_TRY(ob__arg_tensor(call, "self", &self, err));
    OB_TRY(sized(call, self->dtype, &shape, err));
    return ob__give(call, out, &shape, err);
}

ob_status ob__shape_arange(const ob_op_call *call, ob_value *out, ob_err *err)
{
    static const char *const names[] = {"start", "end", "step"};
    const double start = ob__arg_real(call, "start", 0), end = ob__arg_real(call, "end", 0);
    const double step = ob__arg_real(call, "step", 1);
    bool integral = true;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const ob_value *v = ob__arg(call, names[i]);
        integral = integral && (v == NULL || v->kind == OB_VALUE_INT || v->kind == OB_VALUE_BOOL);
    }
    const double steps = ceil((end - start) / step);
    if (!(step != 0) || !(steps >= 0) || steps > 9e15)
        return ob__shape_fail(
            call, err,
            "from %g to %g in steps of %g never ends; give a step that leads from start to end",
            start, end, step);
    const int64_t size = (int64_t)steps;
    const ob_dtype dtype = ob__arg_dtype(call, "dtype", integral ? OB_DTYPE_I64 : OB_DTYPE_F32);
    const ob__shape shape = ob__shape_make(dtype, &size, 1);
    return ob__give(call, out, &shape, err);
}

static ob_status counted(const ob_op_call *call, const char *name, ob_dtype fallback, ob_value *out,
                         ob_err *err)
{
    const int64_t count = ob__arg_int(call, name, -1);
    if (count < 0)
        return ob__shape_fail(call, err, "%s is %" PRId64 "; it must not be negative", name, count);
    const ob__shape shape = ob__shape_make(ob__arg_dtype(call, "dtype", fallback), &count, 1);
    return ob__give(call, out, &shape, err);
}

ob_status ob__shape_linspace(const ob_op_call *call, ob_value *out, ob_err *err)
{
    return counted(call, "steps", OB_DTYPE_F32, out, err);
}

ob_status ob__shape_randperm(const ob_op_call *call, ob_value *out, ob_err *err)
{
    return counted(call, "n", OB_DTYPE_I64, out, err);
}

ob_status ob__shape_scalar_tensor(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob__shape shape = ob__shape_make(ob__arg_dtype(call, "dtype", OB_DTYPE_F32), NULL, 0);
    return ob__give(call, out, &shape, err);
}
