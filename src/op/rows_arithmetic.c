/* SPDX-License-Identifier: Apache-2.0
 *
 * Operator rows: elementwise arithmetic of two or three operands, with broadcasting and type
 * promotion.
 */
#include "op/row_macros.h"

#define ARITH(text, shape, cost) OB__ROW(text, "elementwise", shape, cost, ELEMENTWISE, 2)
#define DIVISION(text, shape, cost)                                                                \
    ARITH(text, shape, cost), .constraints = OB__CONSTRAINTS(OB__NONZERO("other"))
#define EXACT(text, shape, cost) OB__ROW(text, "elementwise", shape, cost, EXACT, 0)

/* At a tie each side gets half. */
#define CHOOSE(self_loses, other_loses)                                                            \
    "half = where(eq(self, other), div(grad, 2), grad); "                                          \
    "self = masked_fill(half, " self_loses "(self, other), 0); "                                   \
    "other = masked_fill(half, " other_loses "(self, other), 0)"
#define CLAMP                                                                                      \
    "low = grad if @is_none(min) else masked_fill(grad, lt(self, min), 0); "                       \
    "self = low if @is_none(max) else masked_fill(low, gt(self, max), 0)"
#define CLAMP_TENSOR                                                                               \
    CLAMP "; "                                                                                     \
          "min = None if @is_none(min) else masked_fill(grad, ge(self, min), 0) if @is_none(max) " \
          "else masked_fill(masked_fill(grad, ge(self, min), 0), ge(min, max), 0); "               \
          "max = None if @is_none(max) else masked_fill(grad, le(self, max), 0) if @is_none(min) " \
          "else masked_fill(grad, logical_and(le(self, max), ge(max, min)), 0)"
#define CLAMP_RESULT                                                                               \
    "low = grad if @is_none(min) else masked_fill(grad, le(result, min), 0); "                     \
    "self = low if @is_none(max) else masked_fill(low, ge(result, max), 0)"
#define CLAMP_RESULT_TENSOR                                                                        \
    CLAMP_RESULT "; "                                                                              \
                 "below = masked_fill(grad, gt(result, min), 0); "                                 \
                 "min = below if @is_none(max) else masked_fill(below, ge(result, max), 0); "      \
                 "max = masked_fill(grad, lt(result, max), 0)"
#define LERP_TENSOR "self = mul(grad, rsub(weight, 1)); end = mul(grad, weight)"

const ob_op_row ob__rows_arithmetic[] = {
    OB__PAIR("add", ".Tensor", ", Tensor other, *, Scalar alpha=1",
             "self = grad; other = grad if alpha == 1 else mul(grad, alpha)", ARITH, promote,
             elementwise_1),
    OB__PAIR("add", ".Scalar", ", Scalar other, Scalar alpha=1", "self = grad", ARITH, promote,
             elementwise_1),
    OB__PAIR("sub", ".Tensor", ", Tensor other, *, Scalar alpha=1",
             "self = grad; other = neg(grad) if alpha == 1 else mul(grad, -alpha)", ARITH, promote,
             elementwise_1),
    OB__PAIR("sub", ".Scalar", ", Scalar other, Scalar alpha=1", "self = grad", ARITH, promote,
             elementwise_1),
    {ARITH("aten::rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
           promote_reversed, elementwise_1),
     .derivative = "self = neg(grad) if alpha == 1 else mul(grad, -alpha); other = grad"},
    {ARITH("aten::rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", promote,
           elementwise_1),
     .derivative = "self = neg(grad) if alpha == 1 else mul(grad, -alpha)"},
    OB__PAIR_OF("mul", ".Tensor", ", Tensor other",
                "self = mul(grad, other); other = mul(grad, self)",
                "self = mul(grad, other); other = mul(grad, div(result, other))", ARITH, promote,
                elementwise_1),
    OB__PAIR("mul", ".Scalar", ", Scalar other", "self = mul(grad, other)", ARITH, promote,
             elementwise_1),
    OB__PAIR("div", ".Tensor", ", Tensor other",
             "self = div(grad, other); other = neg(mul(grad, div(result, other)))", ARITH,
             promote_float, elementwise_1),
    OB__PAIR("div", ".Scalar", ", Scalar other", "self = div(grad, other)", ARITH, promote_float,
             elementwise_1),
    OB__PAIR("div", ".Tensor_mode", ", Tensor other, *, str? rounding_mode",
             "self = div(grad, other) if @is_none(rounding_mode) else zeros_like(grad); "
             "other = neg(mul(grad, div(result, other))) if @is_none(rounding_mode) "
             "else zeros_like(grad)",
             DIVISION, div_mode, elementwise_2),
    OB__PAIR("div", ".Scalar_mode", ", Scalar other, *, str? rounding_mode",
             "self = div(grad, other) if @is_none(rounding_mode) else zeros_like(grad)", ARITH,
             div_mode, elementwise_2),
    {ARITH("aten::true_divide.Tensor(Tensor self, Tensor other) -> Tensor", promote_float,
           elementwise_1),
     .decomposition = "result = div(self, other)"},
    {ARITH("aten::true_divide.Scalar(Tensor self, Scalar other) -> Tensor", promote_float,
           elementwise_1),
     .decomposition = "result = div(self, other)"},
    {EXACT("aten::floor_divide(Tensor self, Tensor other) -> Tensor", promote, elementwise_2),
     .constraints = OB__CONSTRAINTS(OB__NONZERO("other"))},
    {EXACT("aten::floor_divide.Scalar(Tensor self, Scalar other) -> Tensor", quotient,
           elementwise_2)},
    {ARITH("aten::remainder.Tensor(Tensor self, Tensor other) -> Tensor", promote, elementwise_3),
     .constraints = OB__CONSTRAINTS(OB__NONZERO("other")),
     .derivative = "self = grad; other = neg(mul(grad, floor(div(self, other))))"},
    {ARITH("aten::remainder.Scalar(Tensor self, Scalar other) -> Tensor", quotient, elementwise_3),
     .derivative = "self = grad"},
    {ARITH("aten::fmod.Tensor(Tensor self, Tensor other) -> Tensor", promote, elementwise_3),
     .constraints = OB__CONSTRAINTS(OB__NONZERO("other")),
     .derivative = "self = grad; other = neg(mul(grad, trunc(div(self, other))))"},
    {ARITH("aten::fmod.Scalar(Tensor self, Scalar other) -> Tensor", quotient, elementwise_3),
     .derivative = "self = grad"},
    {OB__ROW("aten::pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor", "elementwise",
             promote, elementwise_1, ELEMENTWISE, 8),
     .derivative = "self = zeros_like(grad) if exponent == 0 "
                   "else mul(grad, mul(pow(self, exponent - 1), exponent))"},
    {OB__ROW("aten::pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor", "elementwise",
             promote, elementwise_1, ELEMENTWISE, 8),
     .constraints = OB__CONSTRAINTS(OB__POSITIVE("self")),
     .derivative = "self = mul(grad, masked_fill(mul(exponent, pow(self, sub(exponent, 1))), "
                   "eq(exponent, 0), 0)); "
                   "exponent = mul(grad, masked_fill(mul(result, log(self)), "
                   "logical_and(eq(self, 0), ge(exponent, 0)), 0))"},
    {OB__ROW("aten::pow.Scalar(Scalar self, Tensor exponent) -> Tensor", "elementwise", promote,
             elementwise_1, ELEMENTWISE, 8),
     .derivative = "exponent = zeros_like(grad) if self == 0 "
                   "else mul(grad, mul(result, log(full_like(result, self))))"},
    {OB__ROW("aten::pow_.Scalar(Tensor(a!) self, Scalar exponent) -> Tensor(a!)", "elementwise",
             promote, elementwise_1, ELEMENTWISE, 8)},
    {OB__ROW("aten::pow_.Tensor(Tensor(a!) self, Tensor exponent) -> Tensor(a!)", "elementwise",
             promote, elementwise_1, ELEMENTWISE, 8),
     .constraints = OB__CONSTRAINTS(OB__POSITIVE("self"))},
    {OB__ROW("aten::xlogy.Tensor(Tensor self, Tensor other) -> Tensor", "elementwise",
             promote_float, elementwise_2, ELEMENTWISE, 4),
     .constraints = OB__CONSTRAINTS(OB__POSITIVE("other")),
     .derivative = "self = mul(grad, masked_fill(log(other), "
                   "logical_and(eq(self, 0), le(other, 0)), 0)); "
                   "other = mul(grad, div(self, other))"},
    {OB__ROW("aten::atan2(Tensor self, Tensor other) -> Tensor", "elementwise", promote_float,
             elementwise_1, ELEMENTWISE, 4),
     .derivative = "scale = div(grad, add(mul(self, self), mul(other, other))); "
                   "self = mul(scale, other); other = neg(mul(scale, self))"},
    {EXACT("aten::maximum(Tensor self, Tensor other) -> Tensor", promote, elementwise_1),
     .derivative = CHOOSE("lt", "gt")},
    {EXACT("aten::minimum(Tensor self, Tensor other) -> Tensor", promote, elementwise_1),
     .derivative = CHOOSE("gt", "lt")},
    OB__PAIR_OF("clamp", "", ", Scalar? min=None, Scalar? max=None", CLAMP, CLAMP_RESULT, EXACT,
                promote, elementwise_2),
    OB__PAIR_OF("clamp", ".Tensor", ", Tensor? min=None, Tensor? max=None", CLAMP_TENSOR,
                CLAMP_RESULT_TENSOR, EXACT, promote, elementwise_2),
    OB__PAIR_OF("clamp_min", "", ", Scalar min", "self = masked_fill(grad, lt(self, min), 0)",
                "self = masked_fill(grad, le(result, min), 0)", EXACT, promote, elementwise_1),
    {EXACT("aten::clamp_min.Tensor(Tensor self, Tensor min) -> Tensor", promote, elementwise_1),
     .derivative = "self = masked_fill(grad, lt(self, min), 0); "
                   "min = masked_fill(grad, ge(self, min), 0)"},
    OB__PAIR_OF("clamp_max", "", ", Scalar max", "self = masked_fill(grad, gt(self, max), 0)",
                "self = masked_fill(grad, ge(result, max), 0)", EXACT, promote, elementwise_1),
    {EXACT("aten::clamp_max.Tensor(Tensor self, Tensor max) -> Tensor", promote, elementwise_1),
     .derivative = "self = masked_fill(grad, gt(self, max), 0); "
                   "max = masked_fill(grad, le(self, max), 0)"},
    OB__PAIR("addcmul", "", ", Tensor tensor1, Tensor tensor2, *, Scalar value=1",
             "self = grad; tensor1 = mul(grad, mul(tensor2, value)); "
             "tensor2 = mul(grad, mul(tensor1, value))",
             ARITH, promote, elementwise_3),
    OB__PAIR("addcdiv", "", ", Tensor tensor1, Tensor tensor2, *, Scalar value=1",
             "self = grad; tensor1 = div(mul(grad, value), tensor2); "
             "tensor2 = neg(mul(grad, div(mul(tensor1, value), mul(tensor2, tensor2))))",
             ARITH, want_float, elementwise_3),
    OB__PAIR("lerp", ".Scalar", ", Tensor end, Scalar weight",
             "self = mul(grad, 1 - weight); end = mul(grad, weight)", ARITH, lerp, elementwise_3),
    OB__PAIR_OF("lerp", ".Tensor", ", Tensor end, Tensor weight",
                LERP_TENSOR "; weight = mul(grad, sub(end, self))",
                LERP_TENSOR "; weight = mul(grad, div(sub(end, result), rsub(weight, 1)))", ARITH,
                lerp, elementwise_3),
    OB__ROWS_END,
};
