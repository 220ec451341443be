/* SPDX-License-Identifier: Apache-2.0
 *
 * Shapes of operators that draw random numbers over a tensor.
 */
#include "op/shape_layout.h"
#include "op/shape_rules.h"

/* What the distribution is given: a probability, two ends of a range, a deviation. */
static ob_status check_distribution(const ob_op_call *call, ob_err *err)
{
    const double from = ob__arg_real(call, "from", 0), to = ob__arg_real(call, "to", 1);
    const double deviation = ob__arg_real(call, "std", 1);
    if (!(from <= to))
        return ob__shape_fail(call, err, "from is %g and to is %g; from must not be larger", from,
                              to);
    if (!(deviation >= 0))
        return ob__shape_fail(call, err, "std is %g; it must not be negative", deviation);
    const double p = ob__arg_real(call, "p", 0.5);
    if (p >= 0 && p <= 1)
        return OB_OK;
    return ob__shape_fail(call, err, "p is %g; a probability is from 0 to 1", p);
}

/* The first argument, in its own memory order. */
static ob_status first_preserved(const ob_op_call *call, ob__shape *shape, ob_err *err)
{
    const ob_tensor *first;
    OB_TRY(ob__arg_tensor(call, call->schema->args[0].name, &first, err));
    *shape = ob__shape_dense(first);
    ob__set_preserved_strides(shape, first);
    return OB_OK;
}

ob_status ob__shape_native_dropout(const ob_op_call *call, ob_value *out, ob_err *err)
{
    ob__shape shapes[2];
    const ob_tensor *input;
    OB_TRY(check_distribution(call, err));
    OB_TRY(ob__arg_tensor(call, "input", &input, err));
    shapes[0] = shapes[1] = ob__shape_dense(input);
    ob__set_elementwise_strides(&shapes[0], &input, 1);
    ob__set_preserved_strides(&shapes[1], input);
    shapes[1].dtype = OB_DTYPE_BOOL;
    return ob__give_all(call, out, shapes, 2, err);
}

ob_status ob__shape_same(const ob_op_call *call, ob_value *out, ob_err *err)
{
    ob__shape shape;
    OB_TRY(check_distribution(call, err));
    if (call->schema->args[0].writes)
        return ob__shape_assign(call, out, err);
    OB_TRY(first_preserved(call, &shape, err));
    OB_TRY(ob__want_sizes(call, "mask", &shape, err));
    return ob__give(call, out, &shape, err);
}
