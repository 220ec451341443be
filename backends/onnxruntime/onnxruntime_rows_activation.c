/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows: activations and their gradients.
 */
#include "translate.h"

#include <string.h>

static bool is_tanh(const ort_call *call)
{
    return strcmp(ort_arg_str(call, "approximate"), "tanh") == 0;
}

/* As exporters write it, which ONNX Runtime's optimiser knows and makes one kernel of. */
static void emit_gelu(ort_call *call)
{
    static const ort_row exact = {
        .recipe = "d = Div(self, 1.4142135623730951); e = Erf(d); a = Add(e, 1); p = Mul(self, a); "
                  "result = Mul(p, 0.5)"};
    static const ort_row by_tanh = {
        .recipe = "q = Mul(self, self); c = Mul(q, self); k = Mul(c, 0.044715); s = Add(self, k); "
                  "u = Mul(s, 0.7978845608028654); h = Tanh(u); a = Add(h, 1); p = Mul(self, a); "
                  "result = Mul(p, 0.5)"};
    ort_follow_recipe(call, is_tanh(call) ? &by_tanh : &exact);
}

static void emit_gelu_backward(ort_call *call)
{
    static const ort_row exact = {
        .recipe =
            "d = Div(self, 1.4142135623730951); e = Erf(d); a = Add(e, 1); c = Mul(a, 0.5); "
            "q = Mul(self, self); m = Mul(q, -0.5); x = Exp(m); n = Mul(x, 0.3989422804014327); "
            "s = Mul(self, n); g = Add(c, s); result = Mul(grad_output, g)"};
    static const ort_row by_tanh = {
        .recipe = "q = Mul(self, self); c = Mul(q, self); k = Mul(c, 0.044715); s = Add(self, k); "
                  "u = Mul(s, 0.7978845608028654); h = Tanh(u); a = Add(h, 1); l = Mul(a, 0.5); "
                  "hh = Mul(h, h); w = Sub(1, hh); i = Mul(q, 0.134145); j = Add(i, 1); "
                  "du = Mul(j, 0.7978845608028654); wd = Mul(w, du); xw = Mul(self, wd); "
                  "r = Mul(xw, 0.5); g = Add(l, r); result = Mul(grad_output, g)"};
    ort_follow_recipe(call, is_tanh(call) ? &by_tanh : &exact);
}

static void emit_elu(ort_call *call)
{
    static const ort_row plain = {.recipe = "result = Elu(self, alpha=f:alpha)"};
    static const ort_row scaled = {
        .recipe = "i = Mul(self, input_scale); e = Exp(i); m = Sub(e, 1); n = Mul(m, alpha); "
                  "g = Greater(self, 0); w = Where(g, self, n); result = Mul(w, scale)"};
    const bool simple =
        ort_arg_double(call, "scale", 1) == 1 && ort_arg_double(call, "input_scale", 1) == 1;
    ort_follow_recipe(call, simple ? &plain : &scaled);
}

/* From beta * x = threshold on PyTorch gives x itself; float32 and float16 have no digits for the difference at 20. */
static void emit_softplus(ort_call *call)
{
    static const ort_row plain = {.recipe = "result = Softplus(self)"};
    static const ort_row scaled = {.recipe =
                                       "b = Mul(self, beta); s = Softplus(b); d = Div(s, beta); "
                                       "g = Greater(b, threshold); result = Where(g, self, d)"};
    const bool simple =
        ort_arg_double(call, "beta", 1) == 1 && ort_arg_double(call, "threshold", 20) >= 20;
    ort_follow_recipe(call, simple ? &plain : &scaled);
}

/* weight has one element, or one per channel. */
static void emit_prelu(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *self = ort_arg_meta(call, "self"), *weight = ort_arg_meta(call, "weight");
    ort_id slope = ort_arg(call, "weight");
    if (self->ndim > 2) {
        int64_t sizes[OB_MAX_DIMS];
        for (int d = 0; d < self->ndim - 1; d++)
            sizes[d] = 1;
        sizes[0] = ob_kit_numel(weight);
        slope = ort_reshape(t, slope, sizes, self->ndim - 1);
    } else if (weight->ndim == 1 && self->ndim == 0) {
        slope = ort_reshape(t, slope, NULL, 0);
    }
    ort_result(call, 0,
               ort_emit(t, "PRelu", self->dtype, ORT_IN(ort_arg(call, "self"), slope), NULL));
}

static void emit_glu(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *self = ort_arg_meta(call, "self");
    const int64_t dim = ob_kit_dim(ort_arg_int(call, "dim", -1), self->ndim);
    const int64_t half[] = {self->sizes[dim] / 2, self->sizes[dim] / 2};
    const ort_id sizes = ort_ints(t, half, 2);
    const ort_id both = ort_model_node(&t->model, "Split", ORT_IN(ort_arg(call, "self"), sizes), 2,
                                       self->dtype, ORT_ATTRS(ORT_I("axis", dim)));
    const ort_id gate = ort_emit(t, "Sigmoid", self->dtype, ORT_IN(both + 1), NULL);
    ort_result(call, 0, ort_emit(t, "Mul", self->dtype, ORT_IN(both, gate), NULL));
}

static void emit_leaky_backward(ort_call *call)
{
    static const ort_row row = {.recipe =
                                    "m = Mul(grad_output, negative_slope); "
                                    "g = Greater(self, 0); result = Where(g, grad_output, m)"};
    ort_follow_recipe(call, &row);
}

/* The slope left of 0 is scale * alpha * input_scale * exp(input_scale * x), which the result tells too. */
static void emit_elu_backward(ort_call *call)
{
    static const ort_row of_input = {
        .recipe = "i = Mul(self_or_result, input_scale); e = Exp(i); a = Mul(e, alpha); "
                  "b = Mul(a, scale); c = Mul(b, input_scale); n = Mul(grad_output, c); "
                  "p = Mul(grad_output, scale); g = Greater(self_or_result, 0); "
                  "result = Where(g, p, n)"};
    static const ort_row of_result = {
        .recipe = "a = AsType(alpha); k = Mul(a, scale); s = Add(self_or_result, k); "
                  "c = Mul(s, input_scale); n = Mul(grad_output, c); p = Mul(grad_output, scale); "
                  "g = Greater(self_or_result, 0); result = Where(g, p, n)"};
    ort_follow_recipe(call, ort_arg_bool(call, "is_result", false) ? &of_result : &of_input);
}

#define LOG_SIGMOID "n = Neg(self); s = Softplus(n); result = Neg(s)"

const ort_row ort_rows_activation[] = {
    {.name = "aten::relu", .recipe = "result = Relu(self)", .for_whole = "result = Max(self, 0)"},
    {.name = "aten::relu6", .recipe = "result = Clip(self, 0, 6)"},
    {.name = "aten::threshold",
     .recipe = "g = Greater(self, threshold); result = Where(g, self, value)"},
    {.name = "aten::threshold_backward",
     .recipe = "g = LessOrEqual(self, threshold); result = Where(g, 0, grad_output)"},
    {.name = "aten::gelu", .emit = emit_gelu},
    {.name = "aten::gelu_backward", .emit = emit_gelu_backward},
    {.name = "aten::silu", .recipe = "s = Sigmoid(self); result = Mul(self, s)"},
    {.name = "aten::silu_backward",
     .recipe = "s = Sigmoid(self); r = Sub(1, s); x = Mul(self, r); a = Add(x, 1); b = Mul(s, a); "
               "result = Mul(grad_output, b)"},
    {.name = "aten::sigmoid_backward",
     .recipe = "r = Sub(1, output); p = Mul(output, r); result = Mul(grad_output, p)"},
    {.name = "aten::tanh_backward",
     .recipe = "q = Mul(output, output); r = Sub(1, q); result = Mul(grad_output, r)"},
    {.name = "aten::leaky_relu", .recipe = "result = LeakyRelu(self, alpha=f:negative_slope)"},
    {.name = "aten::leaky_relu_backward", .emit = emit_leaky_backward},
    {.name = "aten::hardtanh", .recipe = "result = Clip(self, min_val, max_val)"},
    {.name = "aten::hardtanh_backward",
     .recipe = "a = Greater(self, min_val); b = Less(self, max_val); c = And(a, b); "
               "result = Where(c, grad_output, 0)"},
    {.name = "aten::elu", .emit = emit_elu},
    {.name = "aten::elu_backward", .emit = emit_elu_backward},
    {.name = "aten::selu", .recipe = "result = Selu(self)"},
    {.name = "aten::celu", .recipe = "result = Celu(self, alpha=f:alpha)"},
    {.name = "aten::mish", .recipe = "s = Softplus(self); t = Tanh(s); result = Mul(self, t)"},
    {.name = "aten::mish_backward",
     .recipe = "p = Softplus(self); t = Tanh(p); s = Sigmoid(self); q = Mul(t, t); r = Sub(1, q); "
               "x = Mul(self, s); y = Mul(x, r); z = Add(t, y); result = Mul(grad_output, z)"},
    {.name = "aten::softplus", .emit = emit_softplus},
    {.name = "aten::softplus_backward",
     .recipe = "b = Mul(self, beta); s = Sigmoid(b); p = Mul(grad_output, s); "
               "g = Greater(b, threshold); result = Where(g, grad_output, p)"},
    {.name = "aten::hardswish",
     .recipe = "h = HardSigmoid(self, alpha=0.16666666666666666, beta=0.5); result = Mul(self, h)"},
    {.name = "aten::hardswish_backward",
     .recipe = "t = Div(self, 3.); u = Add(t, 0.5); m = Mul(grad_output, u); a = Less(self, -3); "
               "b = Greater(self, 3); w = Where(b, grad_output, m); result = Where(a, 0, w)"},
    {.name = "aten::hardsigmoid",
     .recipe = "result = HardSigmoid(self, alpha=0.16666666666666666, beta=0.5)"},
    {.name = "aten::hardsigmoid_backward",
     .recipe = "a = Greater(self, -3); b = Less(self, 3); c = And(a, b); g = Div(grad_output, 6); "
               "result = Where(c, g, 0)"},
    {.name = "aten::prelu", .emit = emit_prelu},
    {.name = "aten::log_sigmoid", .recipe = LOG_SIGMOID},
    {.name = "aten::glu", .emit = emit_glu},
    {.name = NULL},
};
