/* SPDX-License-Identifier: Apache-2.0
 *
 * Operator rows: loss functions. reduction is 0 (none), 1 (mean) or 2 (sum).
 */
#include "op/row_macros.h"

#define LOSS(text, shape, cost) OB__ROW(text, "loss", shape, cost, REDUCTION, 4)
#define GRAD(text, cost) OB__ROW(text, "loss", loss_backward, cost, ELEMENTWISE, 4)
/* Targets are class numbers; the classes are dimension 1, or the only one. */
#define CLASSES OB__CONSTRAINTS(OB__INDEX("target", "self", 1))
#define CLASSES_LAST OB__CONSTRAINTS(OB__INDEX("target", "self", -1))

#define REDUCED(value)                                                                             \
    "result = " value " if reduction == 0 else mean(" value ") if reduction == 1 "                 \
    "else sum(" value ")"
#define SYMMETRIC(call) "g = " call "; self = g; target = neg(g)"
#define NLL_ARGS "target, weight, reduction, ignore_index"
#define NLL_BACKWARD(name) "self = " name "(grad, self, " NLL_ARGS ", result_1)"
/* With logits: x = self, t = target, and a weight w = 1 + (pos_weight - 1) t on the log term. */
#define LOG_WEIGHT "add(mul(sub(pos_weight, 1), target), 1)"

const ob_op_row ob__rows_loss[] = {
    {LOSS("aten::nll_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, int "
          "ignore_index=-100) -> Tensor",
          nll_loss, lookup),
     .constraints = CLASSES_LAST,
     .decomposition = "result = nll_loss_forward(self, " NLL_ARGS ")[0]"},
    {LOSS("aten::nll_loss_forward(Tensor self, Tensor target, Tensor? weight, int reduction, int "
          "ignore_index) -> (Tensor output, Tensor total_weight)",
          nll_loss_forward, lookup),
     .constraints = CLASSES_LAST, .derivative = NLL_BACKWARD("nll_loss_backward")},
    {GRAD("aten::nll_loss_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? weight, "
          "int reduction, int ignore_index, Tensor total_weight) -> Tensor",
          write),
     .constraints = CLASSES_LAST},
    {LOSS("aten::nll_loss2d(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, int "
          "ignore_index=-100) -> Tensor",
          nll_loss, lookup),
     .constraints = CLASSES, .decomposition = "result = nll_loss2d_forward(self, " NLL_ARGS ")[0]"},
    {LOSS("aten::nll_loss2d_forward(Tensor self, Tensor target, Tensor? weight, int reduction, int "
          "ignore_index) -> (Tensor output, Tensor total_weight)",
          nll_loss_forward, lookup),
     .constraints = CLASSES, .derivative = NLL_BACKWARD("nll_loss2d_backward")},
    {GRAD("aten::nll_loss2d_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? "
          "weight, int reduction, int ignore_index, Tensor total_weight) -> Tensor",
          write),
     .constraints = CLASSES},
    {LOSS("aten::nll_loss_nd(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, int "
          "ignore_index=-100) -> Tensor",
          nll_loss_nd, lookup),
     .constraints = CLASSES,
     .decomposition =
         "n = @size(self, 0); c = @size(self, 1) if @ndim(self) > 1 else 1; "
         "rest = @prod(@slice(@sizes(self), 2, @ndim(self))); "
         "result = nll_loss(self, " NLL_ARGS ") if @ndim(self) < 3 "
         "else nll_loss2d(self, " NLL_ARGS ") if @ndim(self) == 4 "
         "else nll_loss2d(reshape(self, [n, c, 1, rest]), reshape(target, [n, 1, rest]), "
         "weight, reduction, ignore_index) if reduction != 0 "
         "else view(nll_loss2d(reshape(self, [n, c, 1, rest]), reshape(target, [n, 1, rest]), "
         "weight, reduction, ignore_index), @sizes(target))"},
    /* u: what uniform labels add, summed over the classes; w: the weight of each target, 0 where it
     * is ignored; its sum is what a mean divides by. */
    {LOSS("aten::cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int "
          "reduction=1, int ignore_index=-100, float label_smoothing=0.) -> Tensor",
          cross_entropy, reduce_5),
     .constraints = CLASSES,
     .decomposition =
         "d = 1 if @ndim(self) > 1 else 0; c = @size(self, d); e = label_smoothing; "
         "soft = @is_floating(target); "
         "y = log_softmax(self, d); "
         "shape = @concat([c] if @ndim(self) == 1 else [1, c], "
         "@repeat(1, @max(@ndim(self) - 2, 0))); "
         "v = y if @is_none(weight) else mul(y, view(weight, shape)); "
         "p = None if not soft else target if e == 0 else add(mul(target, 1 - e), e / c); "
         "s = None if not soft else neg(sum(mul(v, p))) if reduction != 0 "
         "else neg(sum(mul(v, p), [d])); "
         "keep = None if soft or e == 0 else ne(target, ignore_index); "
         "u = None if soft or e == 0 "
         "else masked_fill(neg(sum(v, [d])), logical_not(keep), 0); "
         "w = None if soft or e == 0 or reduction != 1 else sum(keep) if @is_none(weight) "
         "else sum(mul(view(index_select(weight, 0, reshape(masked_fill(target, "
         "logical_not(keep), 0), [@numel(target)])), @sizes(target)), keep)); "
         "h = None if soft else nll_loss_nd(y, " NLL_ARGS "); "
         "m = None if soft or e == 0 else u if reduction == 0 else sum(u) if reduction == 2 "
         "else div(sum(u), w); "
         "result = (div(s, @max(@numel(self) // @max(c, 1), 1)) if reduction == 1 else alias(s)) "
         "if soft else alias(h) if e == 0 else add(mul(h, 1 - e), mul(m, e / c))"},
    {LOSS("aten::mse_loss(Tensor self, Tensor target, int reduction=1) -> Tensor", loss, reduce_3),
     .derivative = SYMMETRIC("mse_loss_backward(grad, self, target, reduction)")},
    {GRAD("aten::mse_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction) "
          "-> Tensor",
          elementwise_3)},
    {LOSS("aten::l1_loss(Tensor self, Tensor target, int reduction=1) -> Tensor", loss, reduce_3),
     .decomposition = "e = abs(sub(self, target)); " REDUCED("e")},
    {LOSS("aten::smooth_l1_loss(Tensor self, Tensor target, int reduction=1, float beta=1.) -> "
          "Tensor",
          loss, reduce_5),
     .derivative = SYMMETRIC("smooth_l1_loss_backward(grad, self, target, reduction, beta)")},
    {GRAD("aten::smooth_l1_loss_backward(Tensor grad_output, Tensor self, Tensor target, int "
          "reduction, float beta) -> Tensor",
          elementwise_4)},
    {LOSS("aten::huber_loss(Tensor self, Tensor target, int reduction=1, float delta=1.) -> Tensor",
          loss, reduce_5),
     .derivative = SYMMETRIC("huber_loss_backward(grad, self, target, reduction, delta)")},
    {GRAD("aten::huber_loss_backward(Tensor grad_output, Tensor self, Tensor target, int "
          "reduction, float delta) -> Tensor",
          elementwise_4)},
    {LOSS("aten::binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, int "
          "reduction=1) -> Tensor",
          loss_alike, reduce_8),
     .constraints = OB__CONSTRAINTS(OB__PROBABILITY("self"), OB__PROBABILITY("target")),
     .derivative = "self = binary_cross_entropy_backward(grad, self, target, weight, reduction); "
                   "slope = sub(log(rsub(self, 1)), log(self)); "
                   "scaled = slope if @is_none(weight) else mul(slope, weight); "
                   "target = mul(grad, div(scaled, @max(@numel(self), 1)) if reduction == 1 "
                   "else scaled)"},
    {GRAD("aten::binary_cross_entropy_backward(Tensor grad_output, Tensor self, Tensor target, "
          "Tensor? weight=None, int reduction=1) -> Tensor",
          elementwise_8),
     .constraints = OB__CONSTRAINTS(OB__PROBABILITY("self"), OB__PROBABILITY("target"))},
    {LOSS("aten::binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, "
          "Tensor? pos_weight=None, int reduction=1) -> Tensor",
          loss_alike, reduce_8),
     .constraints = OB__CONSTRAINTS(OB__PROBABILITY("target")),
     .decomposition = "tail = softplus(neg(self)) if @is_none(pos_weight) "
                      "else mul(softplus(neg(self)), " LOG_WEIGHT "); "
                      "plain = add(mul(rsub(target, 1), self), tail); "
                      "e = plain if @is_none(weight) else mul(plain, weight); " REDUCED("e")},
    {.schema = "aten::kl_div(Tensor self, Tensor target, int reduction=1, *, bool "
               "log_target=False) -> Tensor",
     .category = "loss",
     .shape = ob__shape_loss,
     .cost = ob__cost_elementwise_4,
     .tolerance = {.kind = OB_TOL_REDUCTION, .factor = 4},
     .constraints = OB__CONSTRAINTS(OB__PROBABILITY("target")),
     .decomposition = "e = mul(exp(target), sub(target, self)) if log_target "
                      "else sub(xlogy(target, target), mul(target, self)); " REDUCED("e")},
    OB__ROWS_END,
};
