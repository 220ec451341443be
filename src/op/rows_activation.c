/* SPDX-License-Identifier: Apache-2.0
 *
 * Operator rows: activations and their backwards. In-place forms take the gradient from the result,
 * which tells the same for a monotonic function.
 */
#include "op/row_macros.h"

#define ACT(text, shape, cost, factor) OB__ROW(text, "activation", shape, cost, ELEMENTWISE, factor)

#define HARDTANH(from) "self = hardtanh_backward(grad, " from ", min_val, max_val)"

const ob_op_row ob__rows_activation[] = {
    OB__PAIR("relu", "", "", "self = threshold_backward(grad, result, 0)", ACT, promote,
             elementwise_1, 0),
    {ACT("aten::relu6(Tensor self) -> Tensor", promote, elementwise_2, 0),
     .decomposition = "result = hardtanh(self, 0, 6)"},
    {ACT("aten::threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor", promote,
         elementwise_1, 0),
     .derivative = "self = threshold_backward(grad, self, threshold)"},
    {ACT("aten::threshold_backward(Tensor grad_output, Tensor self, Scalar threshold) -> Tensor",
         promote_reversed, elementwise_1, 0),
     .derivative = "grad_output = threshold_backward(grad, self, threshold)"},
    {ACT("aten::gelu(Tensor self, *, str approximate=\"none\") -> Tensor", want_float,
         elementwise_8, 8),
     .derivative = "self = gelu_backward(grad, self, approximate=approximate)"},
    {ACT("aten::gelu_backward(Tensor grad_output, Tensor self, *, str approximate=\"none\") -> "
         "Tensor",
         want_float, elementwise_12, 16)},
    OB__PAIR_OF("silu", "", "", "self = silu_backward(grad, self)", NULL, ACT, want_float,
                elementwise_4, 4),
    {ACT("aten::silu_backward(Tensor grad_output, Tensor self) -> Tensor", want_float,
         elementwise_8, 8)},
    {ACT("aten::sigmoid_backward(Tensor grad_output, Tensor output) -> Tensor", want_float,
         elementwise_3, 4),
     .derivative = "grad_output = sigmoid_backward(grad, output); "
                   "output = mul(grad, mul(grad_output, rsub(mul(output, 2), 1)))"},
    {ACT("aten::tanh_backward(Tensor grad_output, Tensor output) -> Tensor", want_float,
         elementwise_3, 4),
     .derivative = "grad_output = tanh_backward(grad, output); "
                   "output = mul(grad, mul(grad_output, mul(output, -2)))"},
    OB__PAIR_OF("leaky_relu", "", ", Scalar negative_slope=0.01",
                "self = leaky_relu_backward(grad, self, negative_slope, False)",
                "self = leaky_relu_backward(grad, result, negative_slope, True)", ACT, want_float,
                elementwise_2, 2),
    {ACT("aten::leaky_relu_backward(Tensor grad_output, Tensor self, Scalar negative_slope, bool "
         "self_is_result) -> Tensor",
         want_float, elementwise_2, 2),
     .derivative = "grad_output = leaky_relu_backward(grad, self, negative_slope, self_is_result)"},
    OB__PAIR_OF("hardtanh", "", ", Scalar min_val=-1, Scalar max_val=1", HARDTANH("self"),
                HARDTANH("result"), ACT, promote, elementwise_2, 0),
    {ACT("aten::hardtanh_backward(Tensor grad_output, Tensor self, Scalar min_val, Scalar max_val) "
         "-> Tensor",
         promote, elementwise_2, 0),
     .derivative = "grad_output = hardtanh_backward(grad, self, min_val, max_val)"},
    OB__PAIR_OF("elu", "", ", Scalar alpha=1, Scalar scale=1, Scalar input_scale=1",
                "self = elu_backward(grad, alpha, scale, input_scale, False, self)",
                "self = elu_backward(grad, alpha, scale, input_scale, True, result)", ACT,
                want_float, elementwise_4, 4),
    {ACT("aten::elu_backward(Tensor grad_output, Scalar alpha, Scalar scale, Scalar input_scale, "
         "bool is_result, Tensor self_or_result) -> Tensor",
         want_float, elementwise_5, 4)},
    {ACT("aten::selu(Tensor self) -> Tensor", want_float, elementwise_4, 4),
     .decomposition = "result = elu(self, 1.6732632423543772, 1.0507009873554805)"},
    {ACT("aten::celu(Tensor self, Scalar alpha=1.) -> Tensor", want_float, elementwise_4, 4),
     .decomposition = "result = elu(self, alpha, 1.0, 1.0 / alpha)"},
    {ACT("aten::mish(Tensor self) -> Tensor", want_float, elementwise_5, 8),
     .derivative = "self = mish_backward(grad, self)"},
    {ACT("aten::mish_backward(Tensor grad_output, Tensor self) -> Tensor", want_float,
         elementwise_12, 16)},
    {ACT("aten::softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor", want_float,
         elementwise_4, 4),
     .derivative = "self = softplus_backward(grad, self, beta, threshold)"},
    {ACT("aten::softplus_backward(Tensor grad_output, Tensor self, Scalar beta, Scalar threshold) "
         "-> Tensor",
         want_float, elementwise_5, 4)},
    OB__PAIR_OF("hardswish", "", "", "self = hardswish_backward(grad, self)", NULL, ACT, want_float,
                elementwise_4, 4),
    {ACT("aten::hardswish_backward(Tensor grad_output, Tensor self) -> Tensor", want_float,
         elementwise_4, 4)},
    {ACT("aten::hardsigmoid(Tensor self) -> Tensor", want_float, elementwise_3, 4),
     .derivative = "self = hardsigmoid_backward(grad, self)"},
    {ACT("aten::hardsigmoid_backward(Tensor grad_output, Tensor self) -> Tensor", want_float,
         elementwise_2, 2)},
    {ACT("aten::prelu(Tensor self, Tensor weight) -> Tensor", prelu, elementwise_2, 2),
     .derivative = "self, weight = prelu_backward(grad, self, weight)"},
    {OB__ROW(
        "aten::prelu_backward(Tensor grad_output, Tensor self, Tensor weight) -> (Tensor, Tensor)",
        "activation", prelu_backward, elementwise_3, REDUCTION, 2)},
    {ACT("aten::log_sigmoid(Tensor self) -> Tensor", want_float, elementwise_4, 4),
     .decomposition = "result = log_sigmoid_forward(self)[0]"},
    /* The second output is scratch for the backward: its values are the implementation's own. */
    {ACT("aten::log_sigmoid_forward(Tensor self) -> (Tensor output, Tensor buffer)", two_alike,
         elementwise_4, 4),
     .derivative = "self = log_sigmoid_backward(grad, self, result_1)"},
    {ACT("aten::log_sigmoid_backward(Tensor grad_output, Tensor self, Tensor buffer) -> Tensor",
         want_float, elementwise_4, 8)},
    {ACT("aten::glu(Tensor self, int dim=-1) -> Tensor", glu, elementwise_5, 4),
     .decomposition = "n = @size(self, dim) // 2; "
                      "result = mul(narrow(self, dim, 0, n), sigmoid(narrow(self, dim, n, n)))"},
    OB__ROWS_END,
};
