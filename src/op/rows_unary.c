/* SPDX-License-Identifier: Apache-2.0
 *
 * Operator rows: elementwise functions of one tensor.
 */
#include "op/row_macros.h"

#define UNARY(text, shape, factor)                                                                 \
    OB__ROW(text, "elementwise", shape, elementwise_1, ELEMENTWISE, factor)
#define EXACT(text, shape) OB__ROW(text, "elementwise", shape, elementwise_1, EXACT, 0)

#define NEG "self = neg(grad)"
#define FLAT "self = zeros_like(grad)"
#define EXP "self = mul(grad, result)"
#define SQRT "self = div(grad, mul(result, 2))"
#define RSQRT "self = mul(grad, mul(pow(result, 3), -0.5))"
#define RECIPROCAL "self = neg(mul(grad, mul(result, result)))"
#define TANH "self = tanh_backward(grad, result)"
#define SIGMOID "self = sigmoid_backward(grad, result)"
/* 2 / sqrt(pi) */
#define ERF_SLOPE "1.1283791670955126"

const ob_op_row ob__rows_unary[] = {
    {EXACT("aten::neg(Tensor self) -> Tensor", promote), .derivative = NEG},
    {EXACT("aten::neg_(Tensor(a!) self) -> Tensor(a!)", inplace), .derivative = NEG},
    {EXACT("aten::abs(Tensor self) -> Tensor", abs), .derivative = "self = mul(grad, sign(self))"},
    {EXACT("aten::abs_(Tensor(a!) self) -> Tensor(a!)", inplace)},
    {EXACT("aten::sign(Tensor self) -> Tensor", promote), .derivative = FLAT},
    {EXACT("aten::floor(Tensor self) -> Tensor", promote), .derivative = FLAT},
    {EXACT("aten::floor_(Tensor(a!) self) -> Tensor(a!)", inplace), .derivative = FLAT},
    {EXACT("aten::ceil(Tensor self) -> Tensor", promote), .derivative = FLAT},
    {EXACT("aten::ceil_(Tensor(a!) self) -> Tensor(a!)", inplace), .derivative = FLAT},
    {EXACT("aten::round(Tensor self) -> Tensor", promote), .derivative = FLAT},
    {EXACT("aten::round_(Tensor(a!) self) -> Tensor(a!)", inplace), .derivative = FLAT},
    {EXACT("aten::trunc(Tensor self) -> Tensor", promote), .derivative = FLAT},
    {UNARY("aten::square(Tensor self) -> Tensor", square, 2),
     .derivative = "self = mul(grad, mul(self, 2))"},
    {UNARY("aten::exp(Tensor self) -> Tensor", promote_float, 4), .derivative = EXP},
    {UNARY("aten::exp_(Tensor(a!) self) -> Tensor(a!)", inplace_float, 4), .derivative = EXP},
    {UNARY("aten::exp2(Tensor self) -> Tensor", promote_float, 4),
     .derivative = "self = mul(grad, mul(result, 0.6931471805599453))"},
    {UNARY("aten::expm1(Tensor self) -> Tensor", promote_float, 4),
     .derivative = "self = mul(grad, add(result, 1))"},
    {UNARY("aten::log(Tensor self) -> Tensor", promote_float, 4),
     .constraints = OB__CONSTRAINTS(OB__POSITIVE("self")), .derivative = "self = div(grad, self)"},
    {UNARY("aten::log_(Tensor(a!) self) -> Tensor(a!)", inplace_float, 4),
     .constraints = OB__CONSTRAINTS(OB__POSITIVE("self")),
     .derivative = "self = div(grad, exp(result))"},
    {UNARY("aten::log2(Tensor self) -> Tensor", promote_float, 4),
     .constraints = OB__CONSTRAINTS(OB__POSITIVE("self")),
     .derivative = "self = div(grad, mul(self, 0.6931471805599453))"},
    {UNARY("aten::log10(Tensor self) -> Tensor", promote_float, 4),
     .constraints = OB__CONSTRAINTS(OB__POSITIVE("self")),
     .derivative = "self = div(grad, mul(self, 2.302585092994046))"},
    {UNARY("aten::log1p(Tensor self) -> Tensor", promote_float, 4),
     .constraints = OB__CONSTRAINTS(OB__POSITIVE("self")),
     .derivative = "self = div(grad, add(self, 1))"},
    {UNARY("aten::sqrt(Tensor self) -> Tensor", promote_float, 2),
     .constraints = OB__CONSTRAINTS(OB__POSITIVE("self")), .derivative = SQRT},
    {UNARY("aten::sqrt_(Tensor(a!) self) -> Tensor(a!)", inplace_float, 2),
     .constraints = OB__CONSTRAINTS(OB__POSITIVE("self")), .derivative = SQRT},
    {UNARY("aten::rsqrt(Tensor self) -> Tensor", promote_float, 4),
     .constraints = OB__CONSTRAINTS(OB__POSITIVE("self")), .derivative = RSQRT},
    {UNARY("aten::rsqrt_(Tensor(a!) self) -> Tensor(a!)", inplace_float, 4),
     .constraints = OB__CONSTRAINTS(OB__POSITIVE("self")), .derivative = RSQRT},
    {UNARY("aten::reciprocal(Tensor self) -> Tensor", promote_float, 2), .derivative = RECIPROCAL},
    {UNARY("aten::reciprocal_(Tensor(a!) self) -> Tensor(a!)", inplace_float, 2),
     .derivative = RECIPROCAL},
    {UNARY("aten::sin(Tensor self) -> Tensor", promote_float, 4),
     .derivative = "self = mul(grad, cos(self))"},
    {UNARY("aten::cos(Tensor self) -> Tensor", promote_float, 4),
     .derivative = "self = neg(mul(grad, sin(self)))"},
    {UNARY("aten::tan(Tensor self) -> Tensor", promote_float, 8),
     .derivative = "self = mul(grad, add(mul(result, result), 1))"},
    {UNARY("aten::atan(Tensor self) -> Tensor", promote_float, 4),
     .derivative = "self = div(grad, add(mul(self, self), 1))"},
    {UNARY("aten::tanh(Tensor self) -> Tensor", promote_float, 4), .derivative = TANH},
    {UNARY("aten::tanh_(Tensor(a!) self) -> Tensor(a!)", inplace_float, 4), .derivative = TANH},
    {UNARY("aten::sigmoid(Tensor self) -> Tensor", promote_float, 4), .derivative = SIGMOID},
    {UNARY("aten::sigmoid_(Tensor(a!) self) -> Tensor(a!)", inplace_float, 4),
     .derivative = SIGMOID},
    {UNARY("aten::erf(Tensor self) -> Tensor", promote_float, 4),
     .derivative = "self = mul(grad, mul(exp(neg(mul(self, self))), " ERF_SLOPE "))"},
    {UNARY("aten::erf_(Tensor(a!) self) -> Tensor(a!)", inplace_float, 4)},
    {UNARY("aten::erfc(Tensor self) -> Tensor", promote_float, 4),
     .derivative = "self = mul(grad, mul(exp(neg(mul(self, self))), -" ERF_SLOPE "))"},
    OB__ROWS_END,
};
