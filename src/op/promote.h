/* SPDX-License-Identifier: Apache-2.0
 *
 * Type promotion over the operands of one call: tensors with dimensions decide first, then
 * tensors without dimensions, then plain numbers; a lower one counts only when its category
 * (bool < int < real < complex) is higher.
 */
#ifndef OB_OP_PROMOTE_H
#define OB_OP_PROMOTE_H

#include "opbench/op.h"

/* OB_DTYPE_INVALID = no operand of that rank yet. */
typedef struct ob__promotion {
    ob_dtype dim, zero_dim, number;
} ob__promotion;

ob__promotion ob__promotion_start(void);
void ob__promotion_add_tensor(ob__promotion *state, const ob_tensor *tensor);
/* bool, int, double, complex; other kinds are ignored. */
void ob__promotion_add_number(ob__promotion *state, const ob_value *number);
/* OB_DTYPE_INVALID without operands. */
ob_dtype ob__promotion_result(const ob__promotion *state);

/* PyTorch's rule for writing a result into a tensor of another dtype: never to a lower category. */
bool ob__dtype_can_cast(ob_dtype from, ob_dtype to);
/* Integers and bool become f32, PyTorch's default dtype. */
ob_dtype ob__dtype_to_float(ob_dtype dtype);
/* c64 to f32, c128 to f64; others unchanged. */
ob_dtype ob__dtype_to_real(ob_dtype dtype);

#endif
