/* SPDX-License-Identifier: Apache-2.0
 *
 * Operator rows: joining tensors and splitting them into views. One undoes the other, which gives
 * the derivatives; for an operator that returns a list, grad is a list.
 */
#include "op/row_macros.h"

#define JOIN(text, shape) OB__ROW(text, "join", shape, copy, EXACT, 0)
#define SPLIT(text, shape) OB__ROW(text, "view", shape, free, EXACT, 0)

#define CAT_PARTS "tensors = split_with_sizes(grad, @sizes_along(tensors, dim), dim)"
#define JOIN_PARTS "self = cat(grad, dim)"

const ob_op_row ob__rows_join[] = {
    {JOIN("aten::cat(Tensor[] tensors, int dim=0) -> Tensor", cat), .derivative = CAT_PARTS},
    {JOIN("aten::concat(Tensor[] tensors, int dim=0) -> Tensor", cat),
     .decomposition = "result = cat(tensors, dim)"},
    {JOIN("aten::stack(Tensor[] tensors, int dim=0) -> Tensor", stack),
     .derivative = "tensors = unbind(grad, dim)"},
    {SPLIT("aten::split.Tensor(Tensor(a -> *) self, int split_size, int dim=0) -> Tensor(a)[]",
           split),
     .derivative = JOIN_PARTS},
    {SPLIT("aten::split.sizes(Tensor(a -> *) self, int[] split_size, int dim=0) -> Tensor(a)[]",
           split_sizes),
     .decomposition = "result = split_with_sizes(self, split_size, dim)"},
    {SPLIT(
         "aten::split_with_sizes(Tensor(a -> *) self, int[] split_sizes, int dim=0) -> Tensor(a)[]",
         split_sizes),
     .derivative = JOIN_PARTS},
    {SPLIT("aten::chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]", chunk),
     .derivative = JOIN_PARTS},
    {SPLIT("aten::unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]", unbind),
     .derivative = "self = stack(grad, dim)"},
    OB__ROWS_END,
};
