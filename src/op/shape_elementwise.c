/* SPDX-License-Identifier: Apache-2.0
 *
 * Shape and dtype of elementwise operators: every tensor argument broadcasts with the others, the
 * dtype is promoted over tensors and numbers, and the memory order follows the operands.
 * Operators whose schema writes self give it back; the rest must fit into it.
 */
#include "op/promote.h"
#include "op/shape_layout.h"
#include "op/shape_rules.h"

#include <string.h>

enum {
    TO_FLOAT = 1,   /* integers give f32 */
    TO_BOOL = 2,    /* the result is bool */
    TO_REAL = 4,    /* complex gives its real dtype */
    WANT_FLOAT = 8, /* integers are an error */
    WANT_INT = 16,  /* only integers and bool */
    ANY_CAST = 32,  /* in place without a check of dtypes, as copy_ does */
    REVERSED = 64,  /* the second operand leads in the question of memory order */
    BY_INT = 128,   /* an int is a further operand: bool gives i64 */
    QUOTIENT = 256, /* integers stay integers: they cannot be divided by the number 0 */
};

enum { MAX_OPERANDS = 4 };

typedef struct operands {
    const ob_tensor *tensors[MAX_OPERANDS];
    const char *first; /* name of the first tensor */
    size_t count;
    ob__promotion promotion;
    ob__shape shape;
} operands;

/* Numbers with these names are operands; others (alpha, value, ...) only scale. */
static bool is_operand_number(const ob_schema_arg *arg)
{
    static const char *const names[] = {"self", "other", "exponent", "min", "max"};
    const ob_type *type = arg->type;
    if (type->kind == OB_TYPE_OPTIONAL)
        type = type->element;
    if (type->kind != OB_TYPE_SCALAR)
        return false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(arg->name, names[i]) == 0)
            return true;
    }
    return false;
}

static bool is_mask(const char *name)
{
    return strcmp(name, "condition") == 0 || strcmp(name, "mask") == 0;
}

static ob_status collect(const ob_op_call *call, operands *ops, ob_err *err)
{
    const char *widest = NULL;
    *ops = (operands){.promotion = ob__promotion_start()};
    for (size_t i = 0; i < call->schema->arg_count; i++) {
        const ob_schema_arg *arg = &call->schema->args[i];
        const ob_value *v = &call->args[i];
        if (v->kind != OB_VALUE_TENSOR) {
            if (is_operand_number(arg))
                ob__promotion_add_number(&ops->promotion, v);
            continue;
        }
        const ob_tensor *t;
        OB_TRY(ob__arg_tensor(call, arg->name, &t, err));
        if (ops->count == MAX_OPERANDS)
            return ob__shape_fail(call, err, "more than %d tensor operands", MAX_OPERANDS);
        if (ops->count == 0)
            ops->first = arg->name;
        ops->tensors[ops->count++] = t;
        if (!is_mask(arg->name))
            ob__promotion_add_tensor(&ops->promotion, t);
        if (widest == NULL)
            ops->shape = ob__shape_dense(t);
        else
            OB_TRY(ob__shape_widen(call, &ops->shape, widest, t, arg->name, err));
        if (widest == NULL || t->ndim == ops->shape.ndim)
            widest = arg->name;
    }
    if (ops->count == 0)
        return ob__shape_fail(call, err, "none of the arguments is a tensor; give at least one");
    ops->shape.dtype = ob__promotion_result(&ops->promotion);
    return OB_OK;
}

static ob_status check_dtype(const ob_op_call *call, const operands *ops, int flags, ob_err *err)
{
    const ob_dtype dtype = ops->shape.dtype;
    const char *wanted = NULL;
    if ((flags & WANT_FLOAT) != 0 && !ob_dtype_is_floating(dtype))
        wanted = "floating";
    if ((flags & WANT_INT) != 0 && !ob_dtype_is_integral(dtype))
        wanted = "bool or integer";
    if (wanted == NULL)
        return OB_OK;
    return ob__shape_fail(call, err, "%s is %s; it must be a %s dtype",
                          ops->count == 1 ? ops->first : "the common dtype of the arguments",
                          ob__dtype_text(dtype), wanted);
}

static ob_status check_divisor(const ob_op_call *call, ob_dtype dtype, int flags, ob_err *err)
{
    const ob_value *other = ob__arg(call, "other");
    if ((flags & QUOTIENT) == 0 || !ob_dtype_is_integral(dtype) || other == NULL ||
        other->kind == OB_VALUE_TENSOR || ob__arg_real(call, "other", 1) != 0)
        return OB_OK;
    return ob__shape_fail(call, err, "other is 0; integers cannot be divided by it");
}

static ob_status finish_in_place(const ob_op_call *call, const operands *ops, ob_dtype dtype,
                                 int flags, ob_value *out, ob_err *err)
{
    const ob_tensor *self;
    OB_TRY(ob__arg_tensor(call, "self", &self, err));
    const ob__shape shape = ob__shape_of(self);
    char a[OB__SHAPE_TEXT], b[OB__SHAPE_TEXT];
    if (ops->shape.ndim != shape.ndim ||
        memcmp(ops->shape.sizes, shape.sizes, (size_t)shape.ndim * sizeof shape.sizes[0]) != 0)
        return ob__shape_fail(call, err,
                              "self is %s and the result is %s; an in-place operator cannot grow "
                              "self, use the form without the underscore",
                              ob__tensor_text(self, a),
                              ob__sizes_text(ops->shape.sizes, ops->shape.ndim, b));
    if ((flags & ANY_CAST) == 0 && !ob__dtype_can_cast(dtype, self->dtype))
        return ob__shape_fail(call, err,
                              "the result is %s and self is %s, which cannot hold it; use the "
                              "form without the underscore",
                              ob__dtype_text(dtype), ob__dtype_text(self->dtype));
    return ob__give(call, out, &shape, err);
}

static ob_status elementwise(const ob_op_call *call, int flags, ob_value *out, ob_err *err)
{
    operands ops;
    OB_TRY(collect(call, &ops, err));
    if ((flags & BY_INT) != 0) {
        const ob_value two = ob_value_int(2);
        ob__promotion_add_number(&ops.promotion, &two);
        ops.shape.dtype = ob__promotion_result(&ops.promotion);
    }
    if ((flags & REVERSED) != 0 && ops.count > 1) {
        const ob_tensor *first = ops.tensors[0];
        ops.tensors[0] = ops.tensors[1];
        ops.tensors[1] = first;
    }
    ob_dtype dtype = ops.shape.dtype;
    OB_TRY(check_dtype(call, &ops, flags, err));
    OB_TRY(check_divisor(call, dtype, flags, err));
    if ((flags & TO_FLOAT) != 0)
        dtype = ob__dtype_to_float(dtype);
    if ((flags & TO_REAL) != 0)
        dtype = ob__dtype_to_real(dtype);
    if ((flags & TO_BOOL) != 0)
        dtype = OB_DTYPE_BOOL;
    if (call->schema->args[0].writes)
        return finish_in_place(call, &ops, dtype, flags, out, err);
    ops.shape.dtype = dtype;
    ob__set_elementwise_strides(&ops.shape, ops.tensors, ops.count);
    return ob__give(call, out, &ops.shape, err);
}

#define ELEMENTWISE_RULE(name, flags)                                                              \
    ob_status ob__shape_##name(const ob_op_call *call, ob_value *out, ob_err *err)                 \
    {                                                                                              \
        return elementwise(call, flags, out, err);                                                 \
    }
ELEMENTWISE_RULE(promote, 0)
ELEMENTWISE_RULE(promote_reversed, REVERSED)
ELEMENTWISE_RULE(quotient, QUOTIENT)
ELEMENTWISE_RULE(square, BY_INT)
ELEMENTWISE_RULE(promote_float, TO_FLOAT)
ELEMENTWISE_RULE(want_float, WANT_FLOAT)
ELEMENTWISE_RULE(compare, TO_BOOL)
ELEMENTWISE_RULE(bitwise, WANT_INT)
ELEMENTWISE_RULE(abs, TO_REAL)
ELEMENTWISE_RULE(assign, ANY_CAST)
#undef ELEMENTWISE_RULE

/* Rounding keeps integers integral; without it division is true division. */
static ob_status check_rounding(const ob_op_call *call, int *flags, ob_err *err)
{
    const char *mode = ob__arg_str(call, "rounding_mode", NULL);
    if (mode != NULL && strcmp(mode, "trunc") != 0 && strcmp(mode, "floor") != 0)
        return ob__shape_fail(
            call, err, "rounding_mode is \"%s\"; it must be None, \"trunc\" or \"floor\"", mode);
    *flags = mode == NULL ? TO_FLOAT : QUOTIENT;
    return OB_OK;
}

ob_status ob__shape_div_mode(const ob_op_call *call, ob_value *out, ob_err *err)
{
    int flags = 0;
    OB_TRY(check_rounding(call, &flags, err));
    return elementwise(call, flags, out, err);
}

static ob_status want_mask(const ob_op_call *call, const char *name, const ob_tensor **mask,
                           ob_err *err)
{
    OB_TRY(ob__arg_tensor(call, name, mask, err));
    if ((*mask)->dtype == OB_DTYPE_BOOL || (*mask)->dtype == OB_DTYPE_U8)
        return OB_OK;
    return ob__shape_fail(call, err, "%s is %s; it must be bool", name,
                          ob__dtype_text((*mask)->dtype));
}

ob_status ob__shape_where(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *condition;
    OB_TRY(want_mask(call, "condition", &condition, err));
    return ob__shape_promote(call, out, err);
}

ob_status ob__shape_masked_fill(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self, *mask, *value = NULL;
    OB_TRY(ob__arg_tensor(call, "self", &self, err));
    OB_TRY(want_mask(call, "mask", &mask, err));
    const ob_value *v = ob__arg(call, "value");
    if (v != NULL && v->kind == OB_VALUE_TENSOR)
        OB_TRY(ob__arg_tensor(call, "value", &value, err));
    if (value != NULL)
        OB_TRY(ob__want_ndim(call, "value", value, 0, err));
    if (call->schema->args[0].writes)
        return ob__shape_assign(call, out, err);
    ob__shape shape = ob__shape_dense(self);
    OB_TRY(ob__shape_widen(call, &shape, "self", mask, "mask", err));
    return ob__give(call, out, &shape, err);
}

/* weight has one entry, or one per channel (dimension 1). */
static ob_status check_prelu(const ob_op_call *call, const ob_tensor *self, const ob_tensor *weight,
                             ob_err *err)
{
    char a[OB__SHAPE_TEXT], b[OB__SHAPE_TEXT];
    const int64_t channels = self->ndim > 1 ? self->sizes[1] : 1;
    const int64_t given = ob_tensor_numel(weight);
    OB_TRY(ob__want_same_dtype(call, "self", self, "weight", weight, err));
    if (weight->ndim <= 1 && (given == 1 || given == channels))
        return OB_OK;
    return ob__shape_fail(
        call, err,
        "self is %s and weight is %s; weight must have at most one dimension, and "
        "one entry or one per channel",
        ob__tensor_text(self, a), ob__tensor_text(weight, b));
}

ob_status ob__shape_prelu(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self, *weight;
    OB_TRY(ob__arg_tensor(call, "self", &self, err));
    OB_TRY(ob__arg_tensor(call, "weight", &weight, err));
    OB_TRY(check_prelu(call, self, weight, err));
    const ob__shape shape = ob__shape_dense(self);
    return ob__give(call, out, &shape, err);
}

ob_status ob__shape_prelu_backward(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self, *weight;
    OB_TRY(ob__arg_tensor(call, "self", &self, err));
    OB_TRY(ob__arg_tensor(call, "weight", &weight, err));
    OB_TRY(check_prelu(call, self, weight, err));
    const ob__shape shapes[] = {ob__shape_dense(self), ob__shape_dense(weight)};
    OB_TRY(ob__want_sizes(call, "grad_output", &shapes[0], err));
    return ob__give_all(call, out, shapes, 2, err);
}

ob_status ob__shape_glu(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self;
    int dim;
    OB_TRY(ob__arg_tensor(call, "self", &self, err));
    OB_TRY(ob__arg_dim(call, "dim", -1, self->ndim, &dim, err));
    char text[OB__SHAPE_TEXT];
    if (self->ndim == 0 || self->sizes[dim] % 2 != 0)
        return ob__shape_fail(call, err, "self is %s; dimension %d must have an even size",
                              ob__tensor_text(self, text), dim);
    ob__shape shape = ob__shape_dense(self);
    shape.sizes[dim] /= 2;
    return ob__give(call, out, &shape, err);
}

ob_status ob__shape_two_alike(const ob_op_call *call, ob_value *out, ob_err *err)
{
    operands ops;
    OB_TRY(collect(call, &ops, err));
    OB_TRY(check_dtype(call, &ops, WANT_FLOAT, err));
    const ob__shape shapes[] = {ops.shape, ops.shape};
    return ob__give_all(call, out, shapes, 2, err);
}

ob_status ob__shape_lerp(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self, *end, *weight = NULL;
    OB_TRY(ob__arg_tensor(call, "self", &self, err));
    OB_TRY(ob__arg_tensor(call, "end", &end, err));
    OB_TRY(ob__want_same_dtype(call, "self", self, "end", end, err));
    const ob_value *v = ob__arg(call, "weight");
    if (v != NULL && v->kind == OB_VALUE_TENSOR) {
        OB_TRY(ob__arg_tensor(call, "weight", &weight, err));
        OB_TRY(ob__want_same_dtype(call, "self", self, "weight", weight, err));
    }
    return elementwise(call, WANT_FLOAT, out, err);
}
