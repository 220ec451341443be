/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of tensors, as views on the stack: they share their tensor's storage without owning it. And the one
 * argument that operators of the same kind call differently.
 */
#ifndef OB_KIT_PIECES_H
#define OB_KIT_PIECES_H

#include "opbench/kit.h"

ob_tensor ob_kit_narrow(const ob_tensor *tensor, int dim, int64_t start, int64_t size);
ob_tensor ob_kit_remove_dim(const ob_tensor *tensor, int dim, int64_t index);

/* Which elements of a dimension of `size` a slice takes, from the arguments of slice and slice_backward. */
typedef struct ob_kit_slice {
    int64_t start, count, step;
} ob_kit_slice;
ob_kit_slice ob_kit_slice_of(int64_t start, int64_t end, int64_t step, int64_t size);

/* Where in the result of select_backward, slice_backward and diagonal_backward the gradient goes. */
ob_tensor ob_kit_select_target(const ob_kit_call *call);
ob_tensor ob_kit_slice_target(const ob_kit_call *call);
ob_tensor ob_kit_diagonal_target(const ob_kit_call *call);

/* Result and argument of repeat as tensors of one shape: each dimension becomes (repeats, size). False when that is more
 * dimensions than a tensor has, which the check says. */
bool ob_kit_repeat_shape(const ob_kit_call *call, ob_tensor *to, ob_tensor *from);
ob_status ob_kit_check_repeat(ob_kit_call *call, ob_err *err);

/* What full, fill_ and their kin fill with. */
const ob_value *ob_kit_given_number(const ob_kit_call *call);

#endif
