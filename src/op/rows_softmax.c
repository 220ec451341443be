/* SPDX-License-Identifier: Apache-2.0
 *
 * Operator rows: softmax and its logarithm.
 */
#include "op/row_macros.h"

#define SOFT(text, shape, cost) OB__ROW(text, "softmax", shape, cost, REDUCTION, 4)

#define BACKWARD(name) "self = " name "_backward_data(grad, result, dim, @dtype(self))"
#define NATIVE(name)                                                                               \
    "result = " name "(self if @is_none(dtype) else to.dtype(self, dtype), dim, False)"

const ob_op_row ob__rows_softmax[] = {
    {SOFT("aten::softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", softmax_int,
          reduce_5),
     .decomposition = NATIVE("_softmax")},
    {SOFT("aten::_softmax(Tensor self, int dim, bool half_to_float) -> Tensor", softmax, reduce_5),
     .derivative = BACKWARD("_softmax")},
    {SOFT("aten::_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType "
          "input_dtype) -> Tensor",
          softmax_backward, reduce_4)},
    {SOFT("aten::log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
          softmax_int, reduce_5),
     .decomposition = NATIVE("_log_softmax")},
    {SOFT("aten::_log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor", softmax,
          reduce_5),
     .derivative = BACKWARD("_log_softmax")},
    {SOFT("aten::_log_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType "
          "input_dtype) -> Tensor",
          softmax_backward, reduce_4)},
    OB__ROWS_END,
};
