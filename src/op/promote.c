/* SPDX-License-Identifier: Apache-2.0
 *
 * Type promotion; see promote.h.
 */
#include "op/promote.h"

ob__promotion ob__promotion_start(void)
{
    return (ob__promotion){
        .dim = OB_DTYPE_INVALID, .zero_dim = OB_DTYPE_INVALID, .number = OB_DTYPE_INVALID};
}

static ob_dtype promote_known(ob_dtype a, ob_dtype b)
{
    if (a == OB_DTYPE_INVALID)
        return b;
    return b == OB_DTYPE_INVALID ? a : ob_dtype_promote(a, b);
}

static bool is_complex(ob_dtype dtype)
{
    const ob_dtype_info *info = ob_dtype_get_info(dtype);
    return info != NULL && info->cls == OB_DTYPE_CLASS_COMPLEX;
}

static bool is_real_float(ob_dtype dtype)
{
    const ob_dtype_info *info = ob_dtype_get_info(dtype);
    return info != NULL && info->cls == OB_DTYPE_CLASS_FLOAT;
}

void ob__promotion_add_tensor(ob__promotion *state, const ob_tensor *tensor)
{
    ob_dtype *slot = tensor->ndim > 0 ? &state->dim : &state->zero_dim;
    *slot = promote_known(*slot, tensor->dtype);
}

void ob__promotion_add_number(ob__promotion *state, const ob_value *number)
{
    ob_dtype dtype;
    switch (number->kind) {
    case OB_VALUE_BOOL:
        dtype = OB_DTYPE_BOOL;
        break;
    case OB_VALUE_INT:
        dtype = OB_DTYPE_I64;
        break;
    case OB_VALUE_DOUBLE:
        dtype = OB_DTYPE_F32;
        break;
    case OB_VALUE_COMPLEX:
        dtype = OB_DTYPE_C64;
        break;
    default:
        return;
    }
    state->number = promote_known(state->number, dtype);
}

static ob_dtype combine(ob_dtype higher, ob_dtype lower)
{
    if (is_complex(higher))
        return higher;
    if (is_real_float(higher)) {
        if (!is_complex(lower))
            return higher;
        return higher == OB_DTYPE_F64 ? OB_DTYPE_C128 : OB_DTYPE_C64;
    }
    if (higher == OB_DTYPE_INVALID)
        return lower;
    if (higher == OB_DTYPE_BOOL || is_real_float(lower) || is_complex(lower))
        return promote_known(higher, lower);
    return higher;
}

ob_dtype ob__promotion_result(const ob__promotion *state)
{
    return combine(state->dim, combine(state->zero_dim, state->number));
}

bool ob__dtype_can_cast(ob_dtype from, ob_dtype to)
{
    if (is_complex(from) && !is_complex(to))
        return false;
    if (is_real_float(from) && ob_dtype_is_integral(to))
        return false;
    return from == OB_DTYPE_BOOL || to != OB_DTYPE_BOOL;
}

ob_dtype ob__dtype_to_float(ob_dtype dtype)
{
    return ob_dtype_is_integral(dtype) ? OB_DTYPE_F32 : dtype;
}

ob_dtype ob__dtype_to_real(ob_dtype dtype)
{
    if (dtype == OB_DTYPE_C64)
        return OB_DTYPE_F32;
    return dtype == OB_DTYPE_C128 ? OB_DTYPE_F64 : dtype;
}
