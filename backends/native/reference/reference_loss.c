/* SPDX-License-Identifier: Apache-2.0
 *
 * Losses and their backwards: a formula for each element, then a sum or a mean of them.
 */
#include "reference_formula.h"

#include <stdlib.h>

enum { NONE = 0, MEAN = 1, SUM = 2 }; /* reduction */

#define ZERO ball_of(0)
#define IF(truth, x, y) ball_if(truth, x, y)

/* ---- formulas: a[0] the input, a[1] the target, a[2] a weight or a width ---- */

#define APART SUB(a[0], a[1])
REAL(mse, MUL(APART, APART))

/* |d| - width / 2, or width * that, beyond the width; a parabola below. */
static ball real_smooth_l1(const ball_rules *r, const ball *a, const point_options *o)
{
    (void)o;
    const ball d = ball_abs(APART);
    if (a[2].v == 0)
        return d;
    const ball near = DIV(MUL(ball_of(0.5), MUL(d, d)), a[2]);
    return IF(ball_less(d, a[2]), near, SUB(d, MUL(ball_of(0.5), a[2])));
}

static ball real_huber(const ball_rules *r, const ball *a, const point_options *o)
{
    (void)o;
    const ball d = ball_abs(APART);
    return IF(ball_at_most(d, a[2]), MUL(ball_of(0.5), MUL(d, d)),
              MUL(a[2], SUB(d, MUL(ball_of(0.5), a[2]))));
}

/* Logarithms are kept above -100, as PyTorch keeps them. */
static ball log_of(const ball_rules *r, ball x)
{
    return ball_max(F(log, x), ball_of(-100));
}

static ball real_cross_entropy(const ball_rules *r, const ball *a, const point_options *o)
{
    const ball x = a[0], t = a[1];
    const ball loss = SUB(MUL(SUB(t, ONE), log_of(r, SUB(ONE, x))), MUL(t, log_of(r, x)));
    return o->given & 4 ? MUL(loss, a[2]) : loss;
}

/* Backwards: a[0] the gradient, a[1] the input, a[2] the target, a[3] as above. */
#define OFF SUB(a[1], a[2])

static ball shared(const ball_rules *r, ball x, const point_options *o)
{
    return o->count != 1 ? DIV(x, ball_of(o->count)) : x;
}

REAL(mse_backward, shared(r, MUL(MUL(ball_of(2), OFF), a[0]), o))

static ball real_smooth_l1_backward(const ball_rules *r, const ball *a, const point_options *o)
{
    const ball d = OFF;
    const ball side = MUL(ball_step(d, sign_of), a[0]);
    const ball slope =
        a[3].v == 0 ? side : IF(ball_less(ball_abs(d), a[3]), DIV(MUL(d, a[0]), a[3]), side);
    return shared(r, slope, o);
}

static ball real_huber_backward(const ball_rules *r, const ball *a, const point_options *o)
{
    const ball d = OFF;
    const ball side = MUL(MUL(ball_step(d, sign_of), a[3]), a[0]);
    return shared(r, IF(ball_less(ball_abs(d), a[3]), MUL(d, a[0]), side), o);
}

static ball real_cross_entropy_backward(const ball_rules *r, const ball *a, const point_options *o)
{
    const ball x = a[1];
    const ball below = ball_max(MUL(SUB(ONE, x), x), ball_of(1e-12));
    const ball slope = DIV(MUL(a[0], OFF), below);
    return shared(r, o->given & 8 ? MUL(slope, a[3]) : slope, o);
}

/* ---- running them ---- */

/* The sizes that input and target broadcast to. */
static void pair_sizes(const ref_tensor *a, const ref_tensor *b, ref_tensor *out)
{
    int64_t step = 1;
    out->ndim = a->ndim > b->ndim ? a->ndim : b->ndim;
    for (int d = out->ndim - 1; d >= 0; d--) {
        const int da = d - (out->ndim - a->ndim), db = d - (out->ndim - b->ndim);
        const int64_t sa = da >= 0 ? a->sizes[da] : 1, sb = db >= 0 ? b->sizes[db] : 1;
        out->sizes[d] = sa == 1 ? sb : sa;
        out->strides[d] = step;
        step *= out->sizes[d];
    }
    out->offset = 0;
}

static ob_status run_loss(ref_call *call, ob_err *err)
{
    const int64_t reduction = ob_kit_arg_int(&call->kit, "reduction", MEAN);
    const ball_rules *r = &call->rules;
    if (reduction == NONE)
        return ref_pointwise(call, err);
    ref_out each = {.t = {.dtype = call->outs[0].t.dtype}};
    pair_sizes(ref_arg(call, "self"), ref_arg(call, "target"), &each.t);
    const bool may_sample = call->may_sample;
    call->may_sample = false;
    ob_status status = ref_pointwise_into(call, &each, 1, err);
    call->may_sample = may_sample;
    if (status == OB_OK)
        status = ref_out_make(call, call->outs, 0, false, err);
    if (status == OB_OK) {
        ball_sum sum = {.count = 0};
        const int64_t count = ref_numel(&each.t);
        for (int64_t i = 0; i < count; i++)
            ball_sum_add(&sum, ref_get(&each.t, i));
        const ball total = ball_sum_end(r, &sum);
        ref_put(call, call->outs, 0,
                reduction == MEAN ? DIV(total, ball_of((double)count)) : total);
    }
    ref_tensor_release(&each.t);
    return status;
}

static ob_status run_backward(ref_call *call, ob_err *err)
{
    const bool mean = ob_kit_arg_int(&call->kit, "reduction", MEAN) == MEAN;
    const ref_tensor *self = ref_arg(call, "self");
    return ref_pointwise_into(call, call->outs, mean ? (double)ref_numel(self) : 1, err);
}

/* ---- negative log likelihood ---- */

typedef struct nll {
    const ref_tensor *self, *target, *weight, *total;
    int64_t classes, inner; /* inner: positions behind the class's dimension */
    int64_t reduction, ignored;
} nll;

static nll take_nll(const ref_call *call)
{
    nll n = {.self = ref_arg(call, "self"),
             .target = ref_arg(call, "target"),
             .weight = ref_arg(call, "weight"),
             .total = ref_arg(call, "total_weight"),
             .inner = 1,
             .reduction = ob_kit_arg_int(&call->kit, "reduction", MEAN),
             .ignored = ob_kit_arg_int(&call->kit, "ignore_index", -100)};
    const int dim = n.self->ndim > 1 ? 1 : 0;
    n.classes = n.self->sizes[dim];
    for (int d = dim + 1; d < n.self->ndim; d++)
        n.inner *= n.self->sizes[d];
    return n;
}

/* The class at a place of the target; -1: it is ignored. */
static int64_t class_of(const nll *n, int64_t place)
{
    const int64_t c = ref_get_whole(n->target, ref_offset(n->target, place));
    return c == n->ignored || c < 0 || c >= n->classes ? -1 : c;
}

static ball weight_of(const nll *n, int64_t c)
{
    return n->weight != NULL ? ref_get(n->weight, ref_offset(n->weight, c)) : ONE;
}

/* Where the class's number of a target's place stands in the input. */
static int64_t input_place(const nll *n, int64_t place, int64_t c)
{
    return (place / n->inner * n->classes + c) * n->inner + place % n->inner;
}

static ball loss_at(const ref_call *call, const nll *n, int64_t place, ball_sum *weights)
{
    const ball_rules *r = &call->rules;
    const int64_t c = class_of(n, place);
    if (c < 0)
        return ZERO;
    const ball w = weight_of(n, c);
    const ball x = ref_get(n->self, ref_offset(n->self, input_place(n, place, c)));
    ball_sum_add(weights, w);
    return ball_neg(n->weight != NULL ? MUL(w, x) : x);
}

static ob_status run_nll(ref_call *call, ob_err *err)
{
    const nll n = take_nll(call);
    const ball_rules *r = &call->rules;
    const int64_t count = ref_numel(n.target);
    ball_sum losses = {.count = 0}, weights = {.count = 0};
    *call->cost += 40 * (double)count;
    if (call->dry)
        return OB_END;
    for (int k = 0; k < 2; k++)
        OB_TRY(ref_out_make(call, &call->outs[k], 0, false, err));
    for (int64_t i = 0; i < count; i++) {
        const ball loss = loss_at(call, &n, i, &weights);
        ball_sum_add(&losses, loss);
        if (n.reduction == NONE)
            ref_put(call, &call->outs[0], i, loss);
    }
    const ball weight = ball_sum_end(r, &weights), loss = ball_sum_end(r, &losses);
    if (n.reduction != NONE)
        ref_put(call, &call->outs[0], 0, n.reduction == MEAN ? DIV(loss, weight) : loss);
    if (n.reduction == NONE)
        call->outs[1].t.store->own = "it means nothing without a reduction";
    ref_put(call, &call->outs[1], 0, weight);
    return OB_OK;
}

static ob_status run_nll_backward(ref_call *call, ob_err *err)
{
    const nll n = take_nll(call);
    const ball_rules *r = &call->rules;
    const ref_tensor *grad = ref_arg(call, "grad_output");
    int64_t *chosen, count;
    OB_TRY(ref_choose_elements(call, call->outs, 40, &chosen, &count, err));
    for (int64_t i = 0; i < count; i++) {
        const int64_t place = chosen != NULL ? chosen[i] : i;
        const int64_t at = place / n.inner / n.classes * n.inner + place % n.inner;
        const int64_t c = class_of(&n, at);
        ball g = ZERO;
        if (c >= 0 && c == place / n.inner % n.classes) {
            g = ball_neg(ref_get(grad, ref_offset(grad, n.reduction == NONE ? at : 0)));
            if (n.weight != NULL)
                g = MUL(g, weight_of(&n, c));
            if (n.reduction == MEAN)
                g = DIV(g, ref_get(n.total, n.total->offset));
        }
        ref_put(call, call->outs, place, g);
    }
    free(chosen);
    return OB_OK;
}

#define LOSS(op, formula, last)                                                                    \
    {.name = "aten::" #op,                                                                         \
     .run = run_loss,                                                                              \
     .data = &(const point_row){.operands = "self target " last, .real = real_##formula}},         \
    {                                                                                              \
        .name = "aten::" #op "_backward", .run = run_backward, .data = &(const point_row)          \
        {                                                                                          \
            .operands = "grad_output self target " last, .real = real_##formula##_backward         \
        }                                                                                          \
    }

const ref_row ref_rows_loss[] = {
    LOSS(mse_loss, mse, ""),
    LOSS(smooth_l1_loss, smooth_l1, "beta"),
    LOSS(huber_loss, huber, "delta"),
    LOSS(binary_cross_entropy, cross_entropy, "weight"),
    {.name = "aten::nll_loss_forward", .run = run_nll},
    {.name = "aten::nll_loss2d_forward", .run = run_nll},
    {.name = "aten::nll_loss_backward", .run = run_nll_backward},
    {.name = "aten::nll_loss2d_backward", .run = run_nll_backward},
    {.name = NULL},
};
