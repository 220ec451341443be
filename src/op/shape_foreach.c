/* SPDX-License-Identifier: Apache-2.0
 *
 * Shapes of the _foreach_ operators: one elementwise operator over lists of tensors of one length.
 */
#include "op/promote.h"
#include "op/shape_layout.h"
#include "op/shape_rules.h"

#include <stdlib.h>
#include <string.h>

/* Every list among the arguments has the length of self. */
static ob_status want_equal_lengths(const ob_op_call *call, size_t *count, ob_err *err)
{
    const ob_value *items;
    OB_TRY(ob__arg_tensors(call, "self", &items, count, err));
    if (*count == 0)
        return ob__shape_fail(call, err, "self is empty; give at least one tensor");
    for (size_t i = 0; i < call->schema->arg_count; i++) {
        const ob_value *v = &call->args[i];
        if (v->kind == OB_VALUE_LIST && v->as.list.count != *count)
            return ob__shape_fail(call, err,
                                  "self has %zu entries and %s has %zu; both need the "
                                  "same number",
                                  *count, call->schema->args[i].name, v->as.list.count);
    }
    return OB_OK;
}

/* Numbers that only scale (those of addcmul) do not count for the dtype. */
static bool is_operand(const ob_op_call *call, const char *name)
{
    return (strcmp(name, "scalar") == 0 || strcmp(name, "scalars") == 0) &&
           ob_schema_find_arg(call->schema, "tensor1") < 0;
}

static ob_status one_shape(const ob_op_call *call, size_t index, bool to_float, ob__shape *shape,
                           ob_err *err)
{
    ob__promotion promotion = ob__promotion_start();
    const ob_tensor *operands[4];
    size_t count = 0;
    for (size_t i = 0; i < call->schema->arg_count; i++) {
        const char *name = call->schema->args[i].name;
        const ob_value *v = &call->args[i];
        if (v->kind == OB_VALUE_LIST)
            v = &v->as.list.items[index];
        if (v->kind != OB_VALUE_TENSOR) {
            if (is_operand(call, name))
                ob__promotion_add_number(&promotion, v);
            continue;
        }
        if (v->as.tensor->layout != OB_LAYOUT_STRIDED || count == 4)
            return ob__shape_fail(call, err, "%s must hold strided tensors", name);
        ob__promotion_add_tensor(&promotion, v->as.tensor);
        operands[count++] = v->as.tensor;
        if (count == 1)
            *shape = ob__shape_dense(v->as.tensor);
        else
            OB_TRY(ob__shape_widen(call, shape, "an entry of self", v->as.tensor, name, err));
    }
    shape->dtype = ob__promotion_result(&promotion);
    if (to_float)
        shape->dtype = ob__dtype_to_float(shape->dtype);
    ob__set_elementwise_strides(shape, operands, count);
    return OB_OK;
}

/* In-place operators return nothing; what they would write must fit into self. */
static ob_status want_room(const ob_op_call *call, size_t count, ob_err *err)
{
    for (size_t i = 0; i < count; i++) {
        ob__shape shape = {0};
        const ob_tensor *self = ob__arg(call, "self")->as.list.items[i].as.tensor;
        OB_TRY(one_shape(call, i, false, &shape, err));
        if (shape.ndim != self->ndim ||
            memcmp(shape.sizes, self->sizes, (size_t)shape.ndim * sizeof shape.sizes[0]) != 0 ||
            !ob__dtype_can_cast(shape.dtype, self->dtype))
            return ob__shape_fail(call, err,
                                  "entry %zu of self cannot hold its result; sizes and "
                                  "dtype must fit",
                                  i);
    }
    return OB_OK;
}

static ob_status each(const ob_op_call *call, bool to_float, ob_value *out, ob_err *err)
{
    size_t count;
    OB_TRY(want_equal_lengths(call, &count, err));
    if (call->schema->args[0].writes)
        return want_room(call, count, err);
    ob__shape *shapes = calloc(count, sizeof *shapes);
    if (shapes == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    ob_status status = OB_OK;
    for (size_t i = 0; status == OB_OK && i < count; i++)
        status = one_shape(call, i, to_float, &shapes[i], err);
    if (status == OB_OK)
        status = ob__give_list(call, out, shapes, count, err);
    free(shapes);
    return status;
}

ob_status ob__shape_foreach(const ob_op_call *call, ob_value *out, ob_err *err)
{
    return each(call, false, out, err);
}

ob_status ob__shape_foreach_float(const ob_op_call *call, ob_value *out, ob_err *err)
{
    return each(call, true, out, err);
}

ob_status ob__shape_foreach_norm(const ob_op_call *call, ob_value *out, ob_err *err)
{
    size_t count;
    OB_TRY(want_equal_lengths(call, &count, err));
    ob__shape *shapes = calloc(count, sizeof *shapes);
    if (shapes == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    const ob_value *items = ob__arg(call, "self")->as.list.items;
    for (size_t i = 0; i < count; i++)
        shapes[i] = ob__shape_make(ob__dtype_to_real(items[i].as.tensor->dtype), NULL, 0);
    const ob_status status = ob__give_list(call, out, shapes, count, err);
    free(shapes);
    return status;
}
