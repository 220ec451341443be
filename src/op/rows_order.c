/* SPDX-License-Identifier: Apache-2.0
 *
 * Operator rows: scans, sorting and searching.
 */
#include "op/row_macros.h"

#define ORDER(text, shape, cost) OB__ROW(text, "order", shape, cost, EXACT, 0)
#define SCAN(text) OB__ROW(text, "order", cumulate, reduce_1, REDUCTION, 2)

/* The gradient goes back to where the values came from. */
#define BACK_TO_INDEX "self = scatter(zeros_like(self), dim, result_1, grad)"
#define SUM_FROM_END(value) "flip(cumsum(flip(" value ", [dim]), dim), [dim])"

const ob_op_row ob__rows_order[] = {
    {SCAN("aten::cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor"),
     .derivative = "self = " SUM_FROM_END("grad")},
    /* Right where self has no zero. */
    {SCAN("aten::cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor"),
     .derivative = "self = div(" SUM_FROM_END("mul(grad, result)") ", self)"},
    {ORDER("aten::topk(Tensor self, int k, int dim=-1, bool largest=True, bool sorted=True) -> "
           "(Tensor values, Tensor indices)",
           topk, reduce_1),
     .derivative = BACK_TO_INDEX},
    {ORDER("aten::sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor "
           "indices)",
           sort, sort),
     .derivative = BACK_TO_INDEX},
    {ORDER("aten::sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> "
           "(Tensor values, Tensor indices)",
           sort, sort),
     .derivative = BACK_TO_INDEX},
    {ORDER("aten::argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor", argsort,
           sort)},
    {ORDER("aten::bucketize.Tensor(Tensor self, Tensor boundaries, *, bool out_int32=False, bool "
           "right=False) -> Tensor",
           bucketize, copy)},
    {ORDER("aten::bucketize.Scalar(Scalar self, Tensor boundaries, *, bool out_int32=False, bool "
           "right=False) -> Tensor",
           bucketize, copy)},
    {ORDER("aten::searchsorted.Tensor(Tensor sorted_sequence, Tensor self, *, bool "
           "out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) -> Tensor",
           searchsorted, copy)},
    {ORDER("aten::searchsorted.Scalar(Tensor sorted_sequence, Scalar self, *, bool "
           "out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) -> Tensor",
           searchsorted, copy)},
    OB__ROWS_END,
};
