/* SPDX-License-Identifier: Apache-2.0
 *
 * Operator rows: reductions. A gradient is first viewed with the reduced dimensions as ones (which
 * fits with and without keepdim) and then spread over self.
 */
#include "op/row_macros.h"

#define SUM(text, shape, cost) OB__ROW(text, "reduction", shape, cost, REDUCTION, 2)
#define PICK(text, shape) OB__ROW(text, "reduction", shape, reduce_1, EXACT, 0)

#define KEPT(dims) "k = @keepdim_sizes(@sizes(self), " dims "); "
#define SPREAD(value) "self = expand(" value ", @sizes(self))"
/* Elements per result; 1 for empty ones, which have no gradient to scale. */
#define TERMS "@numel(self) // @max(@numel(result), 1)"
/* Where self is the chosen value: equal shares. */
#define SHARE(dims)                                                                                \
    KEPT(dims)                                                                                     \
    "mask = eq(self, view(result, k)); "                                                           \
    "self = mul(mask, div(view(grad, k), sum(mask, " dims ", True)))"
#define SHARE_ALL "mask = eq(self, result); self = mul(mask, div(grad, sum(mask)))"
#define VALUE_AT                                                                                   \
    "self = scatter(zeros_like(self), dim, "                                                       \
    "result_1 if keepdim or @ndim(self) == 0 else unsqueeze(result_1, dim), "                      \
    "grad if keepdim or @ndim(self) == 0 else unsqueeze(grad, dim))"

/* n: divisor (elements less the correction); r, g: result and gradient with kept dimensions. */
#define DIVISOR(correction) "n = " TERMS " - (" correction "); "
#define VAR(mean) "self = mul(sub(self, " mean "), div(mul(view(grad, k), 2), n))"
#define STD(mean)                                                                                  \
    "r = view(result, k); "                                                                        \
    "self = mul(sub(self, " mean "), "                                                             \
    "masked_fill(div(view(grad, k), mul(r, n)), eq(r, 0), 0))"
#define MEAN_OF(dims) "mean(self, " dims ", True)"
#define UNBIASED "1 if unbiased else 0"
#define CORRECTION "1 if @is_none(correction) else correction"
#define VAR_MEAN                                                                                   \
    "self = add(mul(sub(self, view(result_1, k)), div(mul(view(grad_0, k), 2), n)), "              \
    "expand(div(view(grad_1, k), " TERMS "), @sizes(self)))"

/* p-norm with the order in q; beyond 1e300 it is the maximum norm. */
#define NORM(order, dims)                                                                          \
    KEPT(dims)                                                                                     \
    "q = " order "; "                                                                              \
    "g = view(grad, k); r = view(result, k); "                                                     \
    "self = zeros_like(self) if q == 0 "                                                           \
    "else mul(sign(self), g) if q == 1 "                                                           \
    "else mul(self, masked_fill(div(g, r), eq(r, 0), 0)) if q == 2 "                               \
    "else mul(mul(sign(self), eq(abs(self), r)), "                                                 \
    "div(g, sum(eq(abs(self), r), " dims ", True))) if q > 1e300 or q < -1e300 "                   \
    "else mul(mul(sign(self), pow(abs(self), q - 1)), "                                            \
    "masked_fill(div(g, pow(r, q - 1)), eq(r, 0), 0))"
#define P_OR_2 "2 if @is_none(p) else p"

const ob_op_row ob__rows_reduction[] = {
    {SUM("aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor", sum, reduce_1),
     .derivative = SPREAD("grad")},
    {SUM("aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? "
         "dtype=None) -> Tensor",
         sum, reduce_1),
     .derivative = KEPT("dim") SPREAD("view(grad, k)")},
    {SUM("aten::mean(Tensor self, *, ScalarType? dtype=None) -> Tensor", mean, reduce_1),
     .derivative = SPREAD("div(grad, @max(@numel(self), 1))")},
    {SUM("aten::mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) "
         "-> Tensor",
         mean, reduce_1),
     .derivative = KEPT("dim") SPREAD("div(view(grad, k), @max(" TERMS ", 1))")},
    /* Right where self has no zero. */
    {SUM("aten::prod(Tensor self, *, ScalarType? dtype=None) -> Tensor", sum, reduce_1),
     .derivative = "self = div(mul(grad, result), self)"},
    {SUM("aten::prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) "
         "-> Tensor",
         sum, reduce_1),
     .derivative = KEPT("dim") "self = div(mul(view(grad, k), view(result, k)), self)"},
    {PICK("aten::max(Tensor self) -> Tensor", extremum), .derivative = SHARE_ALL},
    {PICK("aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor "
          "indices)",
          extremum_dim),
     .derivative = VALUE_AT},
    {OB__ROW("aten::max.other(Tensor self, Tensor other) -> Tensor", "elementwise", promote,
             elementwise_1, EXACT, 0),
     .decomposition = "result = maximum(self, other)"},
    {PICK("aten::min(Tensor self) -> Tensor", extremum), .derivative = SHARE_ALL},
    {PICK("aten::min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor "
          "indices)",
          extremum_dim),
     .derivative = VALUE_AT},
    {OB__ROW("aten::min.other(Tensor self, Tensor other) -> Tensor", "elementwise", promote,
             elementwise_1, EXACT, 0),
     .decomposition = "result = minimum(self, other)"},
    {PICK("aten::amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor", extremum),
     .derivative = SHARE("dim")},
    {PICK("aten::amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor", extremum),
     .derivative = SHARE("dim")},
    {PICK("aten::argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor", arg_extremum)},
    {PICK("aten::argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor", arg_extremum)},
    {PICK("aten::any(Tensor self) -> Tensor", any_all)},
    {PICK("aten::any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor", any_all)},
    {PICK("aten::all(Tensor self) -> Tensor", any_all)},
    {PICK("aten::all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor", any_all)},
    {SUM("aten::var(Tensor self, bool unbiased=True) -> Tensor", reduce_float, reduce_4),
     .derivative = KEPT("None") DIVISOR(UNBIASED) VAR("mean(self)")},
    {SUM("aten::var.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> "
         "Tensor",
         reduce_float, reduce_4),
     .derivative = KEPT("dim") DIVISOR(UNBIASED) VAR(MEAN_OF("dim"))},
    {SUM("aten::var.correction(Tensor self, int[1]? dim, *, int? correction, bool keepdim=False) "
         "-> Tensor",
         reduce_float, reduce_4),
     .derivative = KEPT("dim") DIVISOR(CORRECTION) VAR(MEAN_OF("dim"))},
    {SUM("aten::std(Tensor self, bool unbiased=True) -> Tensor", reduce_float, reduce_4),
     .derivative = KEPT("None") DIVISOR(UNBIASED) STD("mean(self)")},
    {SUM("aten::std.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> "
         "Tensor",
         reduce_float, reduce_4),
     .derivative = KEPT("dim") DIVISOR(UNBIASED) STD(MEAN_OF("dim"))},
    {SUM("aten::std.correction(Tensor self, int[1]? dim, *, int? correction, bool keepdim=False) "
         "-> Tensor",
         reduce_float, reduce_4),
     .derivative = KEPT("dim") DIVISOR(CORRECTION) STD(MEAN_OF("dim"))},
    {SUM("aten::var_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)", reduce_two,
         reduce_4),
     .derivative = KEPT("None") DIVISOR(UNBIASED) VAR_MEAN},
    {SUM("aten::var_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> "
         "(Tensor, Tensor)",
         reduce_two, reduce_4),
     .derivative = KEPT("dim") DIVISOR(UNBIASED) VAR_MEAN},
    {SUM("aten::var_mean.correction(Tensor self, int[1]? dim, *, int? correction, bool "
         "keepdim=False) -> (Tensor, Tensor)",
         reduce_two, reduce_4),
     .derivative = KEPT("dim") DIVISOR(CORRECTION) VAR_MEAN},
    {SUM("aten::norm.Scalar(Tensor self, Scalar p=2) -> Tensor", norm, reduce_2),
     .derivative = NORM("p", "None")},
    {SUM("aten::norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool keepdim=False) -> "
         "Tensor",
         norm, reduce_2),
     .derivative = NORM(P_OR_2, "dim")},
    {SUM("aten::norm.ScalarOpt_dtype(Tensor self, Scalar? p, *, ScalarType dtype) -> Tensor", norm,
         reduce_2),
     .derivative = NORM(P_OR_2, "None")},
    {SUM("aten::norm.ScalarOpt_dim_dtype(Tensor self, Scalar? p, int[1] dim, bool keepdim, *, "
         "ScalarType dtype) -> Tensor",
         norm, reduce_2),
     .derivative = NORM(P_OR_2, "dim")},
    {SUM("aten::linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool "
         "keepdim=False, *, ScalarType? dtype=None) -> Tensor",
         norm, reduce_2),
     .derivative = NORM("ord", "dim")},
    {SUM("aten::logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor", logsumexp,
         reduce_3),
     .derivative = KEPT("dim") "self = mul(view(grad, k), exp(sub(self, view(result, k))))"},
    {OB__ROW("aten::cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor",
             "reduction", cosine_similarity, reduce_5, REDUCTION, 4),
     .decomposition = "s = @broadcast(@sizes(x1), @sizes(x2)); "
                      "a = expand(x1, s); b = expand(x2, s); "
                      "result = div(sum(mul(a, b), [dim]), "
                      "sqrt(clamp_min(mul(sum(mul(a, a), [dim]), sum(mul(b, b), [dim])), "
                      "eps * eps)))"},
    OB__ROWS_END,
};
