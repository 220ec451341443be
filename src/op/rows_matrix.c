/* SPDX-License-Identifier: Apache-2.0
 *
 * Operator rows: the matrix family.
 */
#include "op/row_macros.h"

/* clang-format splits long strings; each statement of a text starts on a line of its own. */
#define MATRIX(text, shape, cost) OB__ROW(text, "matrix", shape, cost, REDUCTION, 2)

/* Products that are added to self; left and right are the factors' gradients before alpha. */
#define ADDED(left, left_gradient, right, right_gradient)                                          \
    "self = grad if beta == 1 else mul(grad, beta); "                                              \
    "left = " left_gradient "; right = " right_gradient "; " left                                  \
    " = left if alpha == 1 else mul(left, alpha); " right                                          \
    " = right if alpha == 1 else mul(right, alpha)"
#define ADDMM ADDED("mat1", "mm(grad, t(mat2))", "mat2", "mm(t(mat1), grad)")
#define BADDBMM                                                                                    \
    ADDED("batch1", "bmm(grad, transpose(batch2, 1, 2))", "batch2",                                \
          "bmm(transpose(batch1, 1, 2), grad)")

const ob_op_row ob__rows_matrix[] = {
    {MATRIX("aten::mm(Tensor self, Tensor mat2) -> Tensor", mm, matrix),
     .derivative = "self = mm(grad, t(mat2)); mat2 = mm(t(self), grad)"},
    {MATRIX("aten::bmm(Tensor self, Tensor mat2) -> Tensor", bmm, matrix),
     .derivative = "self = bmm(grad, transpose(mat2, 1, 2)); "
                   "mat2 = bmm(transpose(self, 1, 2), grad)"},
    OB__PAIR("addmm", "", ", Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1", ADDMM,
             MATRIX, addmm, matrix_add),
    OB__PAIR("baddbmm", "", ", Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1",
             BADDBMM, MATRIX, baddbmm, matrix_add),
    {MATRIX("aten::addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar "
            "alpha=1) -> Tensor",
            addbmm, matrix_sum),
     .derivative = "wide = expand(unsqueeze(grad, 0), "
                   "[@size(batch1, 0), @size(batch1, 1), @size(batch2, 2)]); " ADDED(
                       "batch1", "bmm(wide, transpose(batch2, 1, 2))", "batch2",
                       "bmm(transpose(batch1, 1, 2), wide)")},
    {MATRIX("aten::mv(Tensor self, Tensor vec) -> Tensor", mv, matrix),
     .derivative = "self = outer(grad, vec); vec = mv(t(self), grad)"},
    {MATRIX("aten::addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> "
            "Tensor",
            addmv, matrix_add),
     .derivative = ADDED("mat", "outer(grad, vec)", "vec", "mv(t(mat), grad)")},
    {MATRIX("aten::dot(Tensor self, Tensor tensor) -> Tensor", dot, matrix),
     .derivative = "self = mul(grad, tensor); tensor = mul(grad, self)"},
    {MATRIX("aten::outer(Tensor self, Tensor vec2) -> Tensor", outer, elementwise_1),
     .derivative = "self = sum(mul(grad, vec2), [1]); "
                   "vec2 = sum(mul(grad, unsqueeze(self, 1)), [0])"},
    {MATRIX("aten::addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) "
            "-> Tensor",
            addr, elementwise_2),
     .derivative = ADDED("vec1", "sum(mul(grad, vec2), [1])", "vec2",
                         "sum(mul(grad, unsqueeze(vec1, 1)), [0])")},
    {MATRIX("aten::matmul(Tensor self, Tensor other) -> Tensor", matmul, matrix),
     .decomposition =
         "rows = @slice(@sizes(self), 0, -1); "
         "n = @size(self, -2) if @ndim(self) > 1 else 1; k = @size(self, -1); "
         "m = @size(other, -1) if @ndim(other) > 1 else 1; "
         "batch = @broadcast(@slice(@sizes(self), 0, -2), @slice(@sizes(other), 0, -2)); "
         "result = dot(self, other) if @ndim(self) == 1 and @ndim(other) == 1 "
         "else mv(self, other) if @ndim(self) == 2 and @ndim(other) == 1 "
         "else mm(self, other) if @ndim(self) == 2 and @ndim(other) == 2 "
         "else squeeze(mm(unsqueeze(self, 0), other), 0) "
         "if @ndim(self) == 1 and @ndim(other) == 2 "
         "else _unsafe_view(mv(reshape(self, [@prod(rows), k]), other), rows) "
         "if @ndim(other) == 1 "
         "else _unsafe_view(mm(reshape(self, [@prod(rows), k]), other), @concat(rows, [m])) "
         "if @ndim(other) == 2 "
         "else _unsafe_view(bmm("
         "reshape(expand(self, @concat(batch, [n, k])), [@prod(batch), n, k]), "
         "reshape(expand(other, @concat(batch, [k, m])), [@prod(batch), k, m])), "
         "@concat(batch, [n, m] if @ndim(self) > 1 else [m]))"},
    {MATRIX("aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor", linear,
            linear),
     .decomposition =
         "rows = @slice(@sizes(input), 0, -1); "
         "result = matmul(input, t(weight)) if @is_none(bias) "
         "else addmm(bias, input, t(weight)) if @ndim(input) == 2 and @ndim(weight) == 2 "
         "else view(addmm(bias, reshape(input, [@prod(rows), @size(input, -1)]), t(weight)), "
         "@concat(rows, [@size(weight, 0)])) if @ndim(input) > 2 and @ndim(weight) == 2 "
         "else add(matmul(input, t(weight)), bias)"},
    /* log turns a mask of ones and zeros into terms of 0 and minus infinity. */
    {MATRIX("aten::_scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? "
            "attn_mask=None, float dropout_p=0., bool need_attn_weights=False, bool "
            "is_causal=False) -> (Tensor, Tensor)",
            attention, attention),
     .decomposition =
         "scores = matmul(div(query, @sqrt(@size(query, -1))), transpose(key, -2, -1)); "
         "masked = add(scores, log(tril(ones([@size(query, -2), @size(key, -2)], "
         "dtype=@dtype(query))))) if is_causal "
         "else scores if @is_none(attn_mask) "
         "else add(scores, attn_mask) if @is_floating(attn_mask) "
         "else add(scores, log(_to_copy(attn_mask, dtype=@dtype(query)))); "
         "weights = softmax(masked, -1); "
         "result_1 = dropout(weights, dropout_p, True) if dropout_p > 0 else alias(weights); "
         "result_0 = matmul(result_1, value)"},
    OB__ROWS_END,
};
