/* SPDX-License-Identifier: Apache-2.0
 *
 * Operator rows: comparisons, logic, bits, and choosing by a mask. Their results are exact; those
 * of the first three kinds have no derivative because they are not real numbers.
 */
#include "op/row_macros.h"

#define LOGIC(text, shape)                                                                         \
    {                                                                                              \
        OB__ROW(text, "elementwise", shape, elementwise_1, EXACT, 0)                               \
    }
#define MASK(text, shape, cost) OB__ROW(text, "elementwise", shape, cost, EXACT, 0)

#define KEEP_UNMASKED "self = masked_fill(grad, mask, 0)"
#define TAKE_SELF "self = masked_fill(grad, logical_not(condition), 0)"
#define TAKE_OTHER "other = masked_fill(grad, condition, 0)"

const ob_op_row ob__rows_compare[] = {
    LOGIC("aten::eq.Tensor(Tensor self, Tensor other) -> Tensor", compare),
    LOGIC("aten::eq.Scalar(Tensor self, Scalar other) -> Tensor", compare),
    LOGIC("aten::ne.Tensor(Tensor self, Tensor other) -> Tensor", compare),
    LOGIC("aten::ne.Scalar(Tensor self, Scalar other) -> Tensor", compare),
    LOGIC("aten::lt.Tensor(Tensor self, Tensor other) -> Tensor", compare),
    LOGIC("aten::lt.Scalar(Tensor self, Scalar other) -> Tensor", compare),
    LOGIC("aten::le.Tensor(Tensor self, Tensor other) -> Tensor", compare),
    LOGIC("aten::le.Scalar(Tensor self, Scalar other) -> Tensor", compare),
    LOGIC("aten::gt.Tensor(Tensor self, Tensor other) -> Tensor", compare),
    LOGIC("aten::gt.Scalar(Tensor self, Scalar other) -> Tensor", compare),
    LOGIC("aten::ge.Tensor(Tensor self, Tensor other) -> Tensor", compare),
    LOGIC("aten::ge.Scalar(Tensor self, Scalar other) -> Tensor", compare),
    LOGIC("aten::logical_and(Tensor self, Tensor other) -> Tensor", compare),
    LOGIC("aten::logical_or(Tensor self, Tensor other) -> Tensor", compare),
    LOGIC("aten::logical_xor(Tensor self, Tensor other) -> Tensor", compare),
    LOGIC("aten::logical_not(Tensor self) -> Tensor", compare),
    LOGIC("aten::isnan(Tensor self) -> Tensor", compare),
    LOGIC("aten::isinf(Tensor self) -> Tensor", compare),
    LOGIC("aten::isfinite(Tensor self) -> Tensor", compare),
    LOGIC("aten::bitwise_and.Tensor(Tensor self, Tensor other) -> Tensor", bitwise),
    LOGIC("aten::bitwise_and.Scalar(Tensor self, Scalar other) -> Tensor", bitwise),
    LOGIC("aten::bitwise_or.Tensor(Tensor self, Tensor other) -> Tensor", bitwise),
    LOGIC("aten::bitwise_or.Scalar(Tensor self, Scalar other) -> Tensor", bitwise),
    LOGIC("aten::bitwise_xor.Tensor(Tensor self, Tensor other) -> Tensor", bitwise),
    LOGIC("aten::bitwise_xor.Scalar(Tensor self, Scalar other) -> Tensor", bitwise),
    LOGIC("aten::bitwise_not(Tensor self) -> Tensor", bitwise),
    {MASK("aten::where.self(Tensor condition, Tensor self, Tensor other) -> Tensor", where, copy),
     .derivative = TAKE_SELF "; " TAKE_OTHER},
    {MASK("aten::where.ScalarSelf(Tensor condition, Scalar self, Tensor other) -> Tensor", where,
          copy),
     .derivative = TAKE_OTHER},
    {MASK("aten::where.ScalarOther(Tensor condition, Tensor self, Scalar other) -> Tensor", where,
          copy),
     .derivative = TAKE_SELF},
    {MASK("aten::where.Scalar(Tensor condition, Scalar self, Scalar other) -> Tensor", where,
          copy)},
    OB__PAIR("masked_fill", ".Scalar", ", Tensor mask, Scalar value", KEEP_UNMASKED, MASK,
             masked_fill, copy),
    OB__PAIR("masked_fill", ".Tensor", ", Tensor mask, Tensor value",
             KEEP_UNMASKED "; "
                           "value = sum(masked_fill(grad, logical_not(mask), 0))",
             MASK, masked_fill, copy),
    {MASK("aten::fill_.Scalar(Tensor(a!) self, Scalar value) -> Tensor(a!)", assign, write),
     .derivative = "self = zeros_like(grad)"},
    {MASK("aten::fill_.Tensor(Tensor(a!) self, Tensor value) -> Tensor(a!)", assign, write),
     .derivative = "self = zeros_like(grad); value = sum(grad)"},
    {MASK("aten::zero_(Tensor(a!) self) -> Tensor(a!)", assign, write),
     .derivative = "self = zeros_like(grad)"},
    OB__ROWS_END,
};
