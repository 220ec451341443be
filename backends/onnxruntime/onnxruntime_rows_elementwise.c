/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows: arithmetic, unary functions, comparisons. A pure table but for what recipes cannot say.
 */
#include "translate.h"

/* Bounds that are tensors, each of which may be missing. */
static void emit_clamp_tensor(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_dtype dtype = ort_result_meta(call, 0)->dtype;
    ort_id x = ort_arg_as(call, "self", dtype);
    const ort_id low = ort_arg_as(call, "min", dtype), high = ort_arg_as(call, "max", dtype);
    if (low != ORT_NONE)
        x = ort_emit(t, "Max", dtype, ORT_IN(x, low), NULL);
    if (high != ORT_NONE)
        x = ort_emit(t, "Min", dtype, ORT_IN(x, high), NULL);
    ort_result(call, 0, x);
}

/* Div rounds whole numbers towards zero: one less where the remainder of that, r, is not the one of floor division, m.
 * No step leaves the range of the type; self - m would. */
#define FLOOR_DIVIDE                                                                               \
    .recipe = "q = Div(self, other); result = Floor(q)",                                           \
    .for_whole = "q = Div(self, other); m = Mod(self, other); p = Mul(q, other); "                 \
                 "r = Sub(self, p); d = Sub(m, r); c = Div(d, other); result = Sub(q, c)"

/* Towards minus infinity ("floor"), towards zero ("trunc"), or not rounded. */
static void emit_div_mode(ort_call *call)
{
    static const ort_row floored = {FLOOR_DIVIDE};
    static const ort_row truncated = {
        .recipe = "q = Div(self, other); s = Sign(q); a = Abs(q); f = Floor(a); result = Mul(s, f)",
        .for_whole = "result = Div(self, other)"};
    static const ort_row plain = {.recipe = "result = Div(self, other)"};
    const char *mode = ort_arg_str(call, "rounding_mode");
    ort_follow_recipe(call, mode[0] == 'f' ? &floored : mode[0] == 't' ? &truncated : &plain);
}

/* Of exponents that are a tensor. */
static void emit_pow(ort_call *call)
{
    static const ort_row row = {.recipe = "result = Pow(self, exponent)"};
    const ob_tensor *result = ort_result_meta(call, 0);
    if (!ort_is_float(result->dtype))
        ort_refuse(call,
                   "Pow turns negative powers of zero into infinities, which integers cannot hold");
    else if (ob_kit_numel(result) == 0)
        ort_refuse(call, "the library's optimiser fails on a Pow without elements");
    else
        ort_follow_recipe(call, &row);
}

/* This opset has them for bool only. */
static void emit_bitwise(ort_call *call)
{
    ort_translation *t = call->t;
    const ort_id self = ort_arg(call, "self");
    ort_id other = ort_arg(call, "other");
    if (ort_result_meta(call, 0)->dtype != OB_DTYPE_BOOL) {
        ort_refuse(call, "opset 17 only has it for bool");
        return;
    }
    if (other == ORT_NONE)
        other = ort_number_from(t, OB_DTYPE_BOOL, ort_arg_value(call, "other"));
    ort_result(call, 0, ort_emit(t, call->row->onnx, OB_DTYPE_BOOL, ORT_IN(self, other), NULL));
}

static void emit_bitwise_not(ort_call *call)
{
    static const ort_row truth = {.recipe = "result = Not(self)"};
    static const ort_row whole = {.recipe = "result = Sub(-1, self)"};
    ort_follow_recipe(call, ort_result_meta(call, 0)->dtype == OB_DTYPE_BOOL ? &truth : &whole);
}

#define BITWISE(text, op)                                                                          \
    {.name = "aten::bitwise_" text ".Tensor", .emit = emit_bitwise, .onnx = op},                   \
    {                                                                                              \
        .name = "aten::bitwise_" text ".Scalar", .emit = emit_bitwise, .onnx = op                  \
    }
#define WHOLE_AS_IS "result = Identity(self)"
#define REMAINDER                                                                                  \
    .recipe = "q = Div(self, other); f = Floor(q); p = Mul(f, other); result = Sub(self, p)",      \
    .for_whole = "result = Mod(self, other)"
#define FMOD .recipe = "result = Mod(self, other, fmod=1)"
#define COMPARE_ROW(text, op)                                                                      \
    {                                                                                              \
        .name = text, .recipe = "result = " op "(self, other)", .compute = ORT_AS_OPERANDS         \
    }
#define COMPARE(text, op)                                                                          \
    COMPARE_ROW("aten::" text ".Tensor", op), COMPARE_ROW("aten::" text ".Scalar", op)
#define ADD "y = Mul(other, alpha); result = Add(self, y)"
#define SUB "y = Mul(other, alpha); result = Sub(self, y)"
#define RSUB "y = Mul(self, alpha); result = Sub(other, y)"

const ort_row ort_rows_elementwise[] = {
    {.name = "aten::add.Tensor", .recipe = ADD},
    {.name = "aten::add.Scalar", .recipe = ADD},
    {.name = "aten::sub.Tensor", .recipe = SUB},
    {.name = "aten::sub.Scalar", .recipe = SUB},
    {.name = "aten::rsub.Tensor", .recipe = RSUB},
    {.name = "aten::rsub.Scalar", .recipe = RSUB},
    {.name = "aten::mul.Tensor", .recipe = "result = Mul(self, other)"},
    {.name = "aten::mul.Scalar", .recipe = "result = Mul(self, other)"},
    {.name = "aten::div.Tensor", .recipe = "result = Div(self, other)"},
    {.name = "aten::div.Scalar", .recipe = "result = Div(self, other)"},
    {.name = "aten::div.Tensor_mode", .emit = emit_div_mode},
    {.name = "aten::div.Scalar_mode", .emit = emit_div_mode},
    {.name = "aten::true_divide.Tensor", .recipe = "result = Div(self, other)"},
    {.name = "aten::true_divide.Scalar", .recipe = "result = Div(self, other)"},
    {.name = "aten::floor_divide", FLOOR_DIVIDE},
    {.name = "aten::floor_divide.Scalar", FLOOR_DIVIDE},
    {.name = "aten::remainder.Tensor", REMAINDER},
    {.name = "aten::remainder.Scalar", REMAINDER},
    {.name = "aten::fmod.Tensor", FMOD},
    {.name = "aten::fmod.Scalar", FMOD},
    {.name = "aten::pow.Tensor_Scalar", .recipe = "result = Pow(self, exponent)"},
    {.name = "aten::pow.Tensor_Tensor", .emit = emit_pow},
    {.name = "aten::pow.Scalar", .emit = emit_pow},
    {.name = "aten::pow.Tensor", .emit = emit_pow}, /* pow_ */
    {.name = "aten::xlogy.Tensor",
     .recipe = "l = Log(other); p = Mul(self, l); z = Equal(self, 0); result = Where(z, 0, p)"},
    {.name = "aten::maximum", .recipe = "result = Max(self, other)"},
    {.name = "aten::max.other", .recipe = "result = Max(self, other)"},
    {.name = "aten::minimum", .recipe = "result = Min(self, other)"},
    {.name = "aten::min.other", .recipe = "result = Min(self, other)"},
    {.name = "aten::clamp", .recipe = "result = Clip(self, min, max)"},
    {.name = "aten::clamp.Tensor", .emit = emit_clamp_tensor},
    {.name = "aten::clamp_min", .recipe = "result = Max(self, min)"},
    {.name = "aten::clamp_min.Tensor", .recipe = "result = Max(self, min)"},
    {.name = "aten::clamp_max", .recipe = "result = Min(self, max)"},
    {.name = "aten::clamp_max.Tensor", .recipe = "result = Min(self, max)"},
    {.name = "aten::addcmul",
     .recipe = "p = Mul(tensor1, tensor2); q = Mul(p, value); result = Add(self, q)"},
    {.name = "aten::addcdiv",
     .recipe = "p = Div(tensor1, tensor2); q = Mul(p, value); result = Add(self, q)"},
    {.name = "aten::lerp.Scalar",
     .recipe = "d = Sub(end, self); p = Mul(d, weight); result = Add(self, p)"},
    {.name = "aten::lerp.Tensor",
     .recipe = "d = Sub(end, self); p = Mul(d, weight); result = Add(self, p)"},

    {.name = "aten::neg", .recipe = "result = Neg(self)"},
    {.name = "aten::abs", .recipe = "result = Abs(self)"},
    {.name = "aten::sign", .recipe = "result = Sign(self)"},
    {.name = "aten::floor", .recipe = "result = Floor(self)", .for_whole = WHOLE_AS_IS},
    {.name = "aten::ceil", .recipe = "result = Ceil(self)", .for_whole = WHOLE_AS_IS},
    {.name = "aten::round", .recipe = "result = Round(self)", .for_whole = WHOLE_AS_IS},
    {.name = "aten::trunc",
     .recipe = "s = Sign(self); a = Abs(self); f = Floor(a); result = Mul(s, f)",
     .for_whole = WHOLE_AS_IS},
    {.name = "aten::square", .recipe = "result = Mul(self, self)"},
    {.name = "aten::exp", .recipe = "result = Exp(self)"},
    {.name = "aten::exp2", .recipe = "result = Pow(2, self)"},
    /* exp(x) - 1 loses digits near 0, where tanh does not. */
    {.name = "aten::expm1",
     .recipe = "h = Mul(self, 0.5); t = Tanh(h); n = Mul(t, 2); d = Sub(1, t); near = Div(n, d); "
               "e = Exp(self); far = Sub(e, 1); a = Abs(self); g = Less(a, 1); "
               "result = Where(g, near, far)"},
    {.name = "aten::log", .recipe = "result = Log(self)"},
    {.name = "aten::log2", .recipe = "l = Log(self); result = Mul(l, 1.4426950408889634)"},
    {.name = "aten::log10", .recipe = "l = Log(self); result = Mul(l, 0.4342944819032518)"},
    /* log(1 + x), corrected by what the addition lost. */
    {.name = "aten::log1p",
     .recipe = "u = Add(self, 1); l = Log(u); d = Sub(u, 1); q = Div(self, d); p = Mul(l, q); "
               "z = Equal(u, 1); result = Where(z, self, p)"},
    {.name = "aten::sqrt", .recipe = "result = Sqrt(self)"},
    {.name = "aten::rsqrt", .recipe = "s = Sqrt(self); result = Reciprocal(s)"},
    {.name = "aten::reciprocal", .recipe = "result = Reciprocal(self)"},
    {.name = "aten::sin", .recipe = "result = Sin(self)"},
    {.name = "aten::cos", .recipe = "result = Cos(self)"},
    {.name = "aten::tan", .recipe = "result = Tan(self)"},
    {.name = "aten::atan", .recipe = "result = Atan(self)"},
    {.name = "aten::atan2",
     .recipe = "q = Div(self, other); a = Atan(q); p = Add(a, 3.141592653589793); "
               "m = Sub(a, 3.141592653589793); up = GreaterOrEqual(self, 0); s = Where(up, p, m); "
               "left = Less(other, 0); r = Where(left, s, a); zs = Equal(self, 0); "
               "zo = Equal(other, 0); z = And(zs, zo); result = Where(z, 0, r)"},
    {.name = "aten::tanh", .recipe = "result = Tanh(self)"},
    {.name = "aten::sigmoid", .recipe = "result = Sigmoid(self)"},
    {.name = "aten::erf", .recipe = "result = Erf(self)"},
    {.name = "aten::erfc", .recipe = "e = Erf(self); result = Sub(1, e)"},

    COMPARE("eq", "Equal"),
    COMPARE("lt", "Less"),
    COMPARE("le", "LessOrEqual"),
    COMPARE("gt", "Greater"),
    COMPARE("ge", "GreaterOrEqual"),
    {.name = "aten::ne.Tensor",
     .recipe = "e = Equal(self, other); result = Not(e)",
     .compute = ORT_AS_OPERANDS},
    {.name = "aten::ne.Scalar",
     .recipe = "e = Equal(self, other); result = Not(e)",
     .compute = ORT_AS_OPERANDS},
    {.name = "aten::logical_and", .recipe = "result = And(self:bool, other:bool)"},
    {.name = "aten::logical_or", .recipe = "result = Or(self:bool, other:bool)"},
    {.name = "aten::logical_xor", .recipe = "result = Xor(self:bool, other:bool)"},
    {.name = "aten::logical_not", .recipe = "result = Not(self:bool)"},
    BITWISE("and", "And"),
    BITWISE("or", "Or"),
    BITWISE("xor", "Xor"),
    {.name = "aten::bitwise_not", .emit = emit_bitwise_not},
    {.name = "aten::isnan", .recipe = "result = IsNaN(self)", .compute = ORT_AS_OPERANDS},
    {.name = "aten::isinf", .recipe = "result = IsInf(self)", .compute = ORT_AS_OPERANDS},
    {.name = "aten::isfinite",
     .recipe = "n = IsNaN(self); i = IsInf(self); e = Or(n, i); result = Not(e)",
     .compute = ORT_AS_OPERANDS},
    {.name = "aten::where.self", .recipe = "result = Where(condition:bool, self, other)"},
    {.name = "aten::where.ScalarSelf", .recipe = "result = Where(condition:bool, self, other)"},
    {.name = "aten::where.ScalarOther", .recipe = "result = Where(condition:bool, self, other)"},
    {.name = "aten::where.Scalar", .recipe = "result = Where(condition:bool, self, other)"},
    {.name = "aten::masked_fill.Scalar", .recipe = "result = Where(mask:bool, value, self)"},
    {.name = "aten::masked_fill.Tensor", .recipe = "result = Where(mask:bool, value, self)"},
    {.name = NULL},
};
