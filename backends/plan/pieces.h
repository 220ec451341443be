/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of tensors, as views on the stack: they share their tensor's storage without owning it. And the one
 * argument that operators of the same kind call differently.
 */
#ifndef OB_PLAN_PIECES_H
#define OB_PLAN_PIECES_H

#include "plan/call.h"

ob_tensor plan_narrow(const ob_tensor *tensor, int dim, int64_t start, int64_t size);
ob_tensor plan_remove_dim(const ob_tensor *tensor, int dim, int64_t index);

/* Where in the result of select_backward, slice_backward and diagonal_backward the gradient goes. */
ob_tensor plan_select_place(const plan_call *call);
ob_tensor plan_slice_place(const plan_call *call);
ob_tensor plan_diagonal_place(const plan_call *call);

/* What full, fill_ and their kin fill with. */
const ob_value *plan_given_number(const plan_call *call);

#endif
