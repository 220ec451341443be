/* SPDX-License-Identifier: Apache-2.0
 *
 * Operator rows: elementwise functions of one tensor.
 */
#include "op/row_macros.h"

#define UNARY(text, shape, factor)                                                                 \
    OB__ROW(text, "elementwise", shape, elementwise_1, ELEMENTWISE, factor)
#define POSITIVE(text, shape, factor)                                                              \
    UNARY(text, shape, factor), .constraints = OB__CONSTRAINTS(OB__POSITIVE("self"))
#define EXACT(text, shape) OB__ROW(text, "elementwise", shape, elementwise_1, EXACT, 0)

#define FLAT "self = zeros_like(grad)"
/* 2 / sqrt(pi) */
#define ERF_SLOPE "1.1283791670955126"

const ob_op_row ob__rows_unary[] = {
    OB__PAIR("neg", "", "", "self = neg(grad)", EXACT, promote),
    OB__PAIR_OF("abs", "", "", "self = mul(grad, sign(self))", NULL, EXACT, abs),
    {EXACT("aten::sign(Tensor self) -> Tensor", promote), .derivative = FLAT},
    OB__PAIR("floor", "", "", FLAT, EXACT, promote),
    OB__PAIR("ceil", "", "", FLAT, EXACT, promote),
    OB__PAIR("round", "", "", FLAT, EXACT, promote),
    {EXACT("aten::trunc(Tensor self) -> Tensor", promote), .derivative = FLAT},
    {UNARY("aten::square(Tensor self) -> Tensor", square, 2),
     .derivative = "self = mul(grad, mul(self, 2))"},
    OB__PAIR("exp", "", "", "self = mul(grad, result)", UNARY, promote_float, 4),
    {UNARY("aten::exp2(Tensor self) -> Tensor", promote_float, 4),
     .derivative = "self = mul(grad, mul(result, 0.6931471805599453))"},
    {UNARY("aten::expm1(Tensor self) -> Tensor", promote_float, 4),
     .derivative = "self = mul(grad, add(result, 1))"},
    OB__PAIR_OF("log", "", "", "self = div(grad, self)", "self = div(grad, exp(result))", POSITIVE,
                promote_float, 4),
    {POSITIVE("aten::log2(Tensor self) -> Tensor", promote_float, 4),
     .derivative = "self = div(grad, mul(self, 0.6931471805599453))"},
    {POSITIVE("aten::log10(Tensor self) -> Tensor", promote_float, 4),
     .derivative = "self = div(grad, mul(self, 2.302585092994046))"},
    {POSITIVE("aten::log1p(Tensor self) -> Tensor", promote_float, 4),
     .derivative = "self = div(grad, add(self, 1))"},
    OB__PAIR("sqrt", "", "", "self = div(grad, mul(result, 2))", POSITIVE, promote_float, 2),
    OB__PAIR("rsqrt", "", "", "self = mul(grad, mul(pow(result, 3), -0.5))", POSITIVE,
             promote_float, 4),
    OB__PAIR("reciprocal", "", "", "self = neg(mul(grad, mul(result, result)))", UNARY,
             promote_float, 2),
    {UNARY("aten::sin(Tensor self) -> Tensor", promote_float, 4),
     .derivative = "self = mul(grad, cos(self))"},
    {UNARY("aten::cos(Tensor self) -> Tensor", promote_float, 4),
     .derivative = "self = neg(mul(grad, sin(self)))"},
    {UNARY("aten::tan(Tensor self) -> Tensor", promote_float, 8),
     .derivative = "self = mul(grad, add(mul(result, result), 1))"},
    {UNARY("aten::atan(Tensor self) -> Tensor", promote_float, 4),
     .derivative = "self = div(grad, add(mul(self, self), 1))"},
    OB__PAIR("tanh", "", "", "self = tanh_backward(grad, result)", UNARY, promote_float, 4),
    OB__PAIR("sigmoid", "", "", "self = sigmoid_backward(grad, result)", UNARY, promote_float, 4),
    OB__PAIR_OF("erf", "", "", "self = mul(grad, mul(exp(neg(mul(self, self))), " ERF_SLOPE "))",
                NULL, UNARY, promote_float, 4),
    {UNARY("aten::erfc(Tensor self) -> Tensor", promote_float, 4),
     .derivative = "self = mul(grad, mul(exp(neg(mul(self, self))), -" ERF_SLOPE "))"},
    OB__ROWS_END,
};
