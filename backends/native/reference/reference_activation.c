/* SPDX-License-Identifier: Apache-2.0
 *
 * Activations and their backwards, element by element.
 */
#include "reference_formula.h"
#include "reference_slice.h"

#include <stdlib.h>

#define ZERO ball_of(0)
#define IF(truth, x, y) ball_if(truth, x, y)
#define LESS(x, y) ball_less(x, y)
#define AT_MOST(x, y) ball_at_most(x, y)

/* Where a kink is met exactly, either side's slope is right. */
static ball_truth on_kink(ball x, double kink, ball_truth t)
{
    return x.v == kink ? (ball_truth){t.is, false} : t;
}

REAL(relu, ball_max(a[0], ZERO))
WHOLE(relu, a[0] > 0 ? a[0] : 0)
REAL(threshold, IF(AT_MOST(a[0], a[1]), a[2], a[0]))
WHOLE(threshold, a[0] <= a[1] ? a[2] : a[0])
REAL(threshold_backward, IF(AT_MOST(a[1], a[2]), ZERO, a[0]))
WHOLE(threshold_backward, a[1] <= a[2] ? 0 : a[0])

/* ---- gelu ---- */

#define ROOT_HALF 0.70710678118654752440
#define TWO_BY_ROOT_PI 1.12837916709551257390
#define CUBED 0.044715

static ball gelu_inner(const ball_rules *r, ball x)
{
    const ball cube = MUL(MUL(x, x), x);
    return MUL(C(ROOT_HALF * TWO_BY_ROOT_PI), ADD(x, MUL(C(CUBED), cube)));
}

static ball real_gelu(const ball_rules *r, const ball *a, const point_options *o)
{
    const ball x = a[0];
    const ball bent = o->mode == 't' ? F(tanh, gelu_inner(r, x)) : ERF(MUL(x, C(ROOT_HALF)));
    return MUL(MUL(ball_of(0.5), x), ADD(ONE, bent));
}

static ball real_gelu_backward(const ball_rules *r, const ball *a, const point_options *o)
{
    const ball g = a[0], x = a[1];
    if (o->mode != 't') {
        const ball share = MUL(ball_of(0.5), ADD(ONE, ERF(MUL(x, C(ROOT_HALF)))));
        const ball density =
            MUL(C(TWO_BY_ROOT_PI * ROOT_HALF * 0.5), F(exp, MUL(ball_of(-0.5), MUL(x, x))));
        return MUL(g, ADD(share, MUL(x, density)));
    }
    const ball t = F(tanh, gelu_inner(r, x));
    const ball inner = MUL(C(ROOT_HALF * TWO_BY_ROOT_PI), ADD(ONE, MUL(C(3 * CUBED), MUL(x, x))));
    const ball slope = MUL(MUL(MUL(ball_of(0.5), x), SUB(ONE, MUL(t, t))), inner);
    return MUL(g, ADD(MUL(ball_of(0.5), ADD(ONE, t)), slope));
}

/* ---- with a sigmoid or a tanh ---- */

REAL(silu, MUL(a[0], SIGMOID(a[0])))
REAL(silu_backward, MUL(MUL(a[0], SIGMOID(a[1])), ADD(ONE, MUL(a[1], SUB(ONE, SIGMOID(a[1]))))))
REAL(sigmoid_backward, MUL(MUL(a[0], SUB(ONE, a[1])), a[1]))
REAL(tanh_backward, MUL(a[0], SUB(ONE, MUL(a[1], a[1]))))

static ball softplus_of(const ball_rules *r, ball x)
{
    return LOOSE(ADD(ball_max(x, ZERO), F(log1p, F(exp, ball_neg(ball_abs(x))))), 8);
}

static ball real_softplus(const ball_rules *r, const ball *a, const point_options *o)
{
    (void)o;
    const ball scaled = MUL(a[0], a[1]);
    return IF(LESS(a[2], scaled), a[0], DIV(softplus_of(r, scaled), a[1]));
}

static ball real_softplus_backward(const ball_rules *r, const ball *a, const point_options *o)
{
    (void)o;
    const ball scaled = MUL(a[1], a[2]);
    return IF(LESS(a[3], scaled), a[0], MUL(a[0], SIGMOID(scaled)));
}

REAL(mish, LOOSE(MUL(a[0], F(tanh, softplus_of(r, a[0]))), 2 * fabs(a[0].v)))

static ball real_mish_backward(const ball_rules *r, const ball *a, const point_options *o)
{
    (void)o;
    const ball t = F(tanh, softplus_of(r, a[1]));
    const ball bend = MUL(MUL(a[1], SIGMOID(a[1])), SUB(ONE, MUL(t, t)));
    return LOOSE(MUL(a[0], ADD(t, bend)), 4 * fabs(a[0].v) * (1 + fabs(a[1].v)));
}

REAL(log_sigmoid, ball_neg(softplus_of(r, ball_neg(a[0]))))

/* By exp(-|x|), which the forward left rounded. */
static ball real_log_sigmoid_backward(const ball_rules *r, const ball *a, const point_options *o)
{
    (void)o;
    ball z = F(exp, ball_neg(ball_abs(a[1])));
    z.e += r->given * z.v;
    const ball share = DIV(z, ADD(ONE, z));
    return MUL(a[0], IF(LESS(a[1], ZERO), SUB(ONE, share), share));
}

/* ---- of pieces ---- */

REAL(leaky_relu, IF(LESS(ZERO, a[0]), a[0], MUL(a[0], a[1])))
REAL(leaky_relu_backward, IF(LESS(ZERO, a[1]), a[0], MUL(a[0], a[2])))

/* With the bounds crossed, libraries differ. */
static ball real_hardtanh(const ball_rules *r, const ball *a, const point_options *o)
{
    (void)r, (void)o;
    if (a[1].v > a[2].v)
        return isnan(a[0].v) ? a[0] : (ball){a[2].v, a[1].v - a[2].v + a[1].e + a[2].e};
    return ball_min(ball_max(a[0], a[1]), a[2]);
}
#define RAISED (a[0] < a[1] ? a[1] : a[0])
WHOLE(hardtanh, RAISED > a[2] ? a[2] : RAISED)

static ball real_hardtanh_backward(const ball_rules *r, const ball *a, const point_options *o)
{
    (void)r, (void)o;
    const ball g = a[0], x = a[1];
    if (a[2].v > a[3].v)
        return (ball){0, fabs(g.v) + g.e};
    const ball below = IF(on_kink(x, a[2].v, AT_MOST(x, a[2])), ZERO, g);
    return IF(on_kink(x, a[3].v, AT_MOST(a[3], x)), ZERO, below);
}

static ball real_elu(const ball_rules *r, const ball *a, const point_options *o)
{
    (void)o;
    const ball low =
        LOOSE(MUL(MUL(F(expm1, MUL(a[0], a[3])), a[1]), a[2]), 2 * fabs(a[1].v * a[2].v));
    return IF(AT_MOST(a[0], ZERO), low, MUL(a[0], a[2]));
}

/* a: gradient, alpha, scale, input_scale, whether the last is the result, self or result. */
static ball real_elu_backward(const ball_rules *r, const ball *a, const point_options *o)
{
    (void)o;
    const ball height = MUL(a[1], a[2]);
    const ball inner = a[4].v != 0 ? ADD(a[5], height) : MUL(height, F(exp, MUL(a[5], a[3])));
    const ball low = MUL(MUL(a[0], a[3]), inner);
    return IF(AT_MOST(a[5], ZERO), low, MUL(a[0], a[2]));
}

#define RAMP(x) ball_min(ball_max(ADD(x, ball_of(3)), ZERO), ball_of(6))
REAL(hardswish, LOOSE(DIV(MUL(a[0], RAMP(a[0])), ball_of(6)), fabs(a[0].v)))
REAL(hardsigmoid, LOOSE(DIV(RAMP(a[0]), ball_of(6)), 1))

static ball real_hardswish_backward(const ball_rules *r, const ball *a, const point_options *o)
{
    (void)o;
    const ball g = a[0], x = a[1];
    const ball middle = MUL(g, ADD(DIV(x, ball_of(3)), ball_of(0.5)));
    const ball right = IF(on_kink(x, 3, LESS(ball_of(3), x)), g, middle);
    return IF(on_kink(x, -3, LESS(x, ball_of(-3))), ZERO, right);
}

static ball real_hardsigmoid_backward(const ball_rules *r, const ball *a, const point_options *o)
{
    (void)o;
    const ball g = a[0], x = a[1];
    const ball below = IF(on_kink(x, -3, AT_MOST(x, ball_of(-3))), ZERO, DIV(g, ball_of(6)));
    return IF(on_kink(x, 3, AT_MOST(ball_of(3), x)), ZERO, below);
}

REAL(native_dropout_backward, MUL(MUL(a[0], a[1]), a[2]))

REAL(prelu, IF(LESS(ZERO, a[0]), a[0], MUL(a[1], a[0])))
REAL(prelu_backward, IF(LESS(ZERO, a[1]), a[0], MUL(a[2], a[0])))

static ob_status of_real_numbers(ref_call *call, ob_err *err)
{
    return ref_is_whole(call->outs[0].t.dtype) ? ref_unsupported(call, "of whole numbers", err)
                                               : ref_pointwise(call, err);
}

/* ---- those with a second result ---- */

/* The buffer is the implementation's own. */
static ob_status log_sigmoid_forward(ref_call *call, ob_err *err)
{
    OB_TRY(ref_pointwise(call, err));
    OB_TRY(ref_out_make(call, &call->outs[1], 0, false, err));
    call->outs[1].t.store->own = "it is the implementation's own scratch space";
    return OB_OK;
}

/* Kernels may compute with the buffer, or without: known only where it is what the forward leaves there. */
static ob_status log_sigmoid_backward(ref_call *call, ob_err *err)
{
    const ref_tensor *self = ref_arg(call, "self"), *buffer = ref_arg(call, "buffer");
    OB_TRY(ref_pointwise(call, err));
    if (buffer->store->raw == NULL || ref_numel(buffer) != ref_numel(self))
        return OB_OK;
    const double unit = 4 * ref_unit(buffer->dtype);
    for (int64_t i = 0; i < ref_numel(self); i++) {
        const double z = exp(-fabs(ref_get(self, ref_offset(self, i)).v));
        const double given = ref_get(buffer, ref_offset(buffer, i)).v;
        if (isfinite(z) && !(fabs(given - z) <= unit * z + ref_least(buffer->dtype)))
            ref_out_unknown(&call->outs[0], "the buffer is not what the forward pass leaves in it");
    }
    return OB_OK;
}

/* The gradient of a channel's weight: the sum of grad * self where self is negative. */
static ob_status prelu_backward(ref_call *call, ob_err *err)
{
    OB_TRY(ref_pointwise(call, err));
    const ref_tensor *grad = ref_arg(call, "grad_output"), *self = ref_arg(call, "self");
    ref_out *out = &call->outs[1];
    const ball_rules *r = &call->rules;
    bool reduced[OB_MAX_DIMS];
    for (int d = 0; d < self->ndim; d++)
        reduced[d] = d != 1 || ref_numel(&out->t) == 1;
    ref_slices s;
    int64_t *chosen, chosen_count;
    ref_slices_start(&s, self, reduced);
    ref_slices_add(&s, grad);
    OB_TRY(ref_choose(call, out, s.count, 1, 8 * (double)s.length, &chosen, &chosen_count, err));
    for (int64_t i = 0; i < chosen_count; i++) {
        const int64_t slice = chosen != NULL ? chosen[i] : i;
        ball_sum sum = {.count = 0};
        for (int64_t k = 0; k < s.length; k++) {
            ref_slices_seek(&s, slice, k);
            const ball x = ref_get(self, s.offsets[0]), g = ref_get(grad, s.offsets[1]);
            ball_sum_add(&sum, IF(LESS(ZERO, x), ZERO, MUL(x, g)));
        }
        ref_put(call, out, slice, ball_sum_end(r, &sum));
    }
    free(chosen);
    return OB_OK;
}

#define SPECIAL(op, words, real_fn, special)                                                       \
    {                                                                                              \
        .name = "aten::" #op, .run = (special), .data = &(const point_row)                         \
        {                                                                                          \
            .operands = (words), .real = (real_fn)                                                 \
        }                                                                                          \
    }
#define BACK "grad_output self"

const ref_row ref_rows_activation[] = {
    POINT(relu, "self", real_relu, whole_relu, NULL),
    POINT(threshold, "self threshold value", real_threshold, whole_threshold, NULL),
    POINT(threshold_backward, BACK " threshold", real_threshold_backward, whole_threshold_backward,
          NULL),
    POINT_REAL(gelu),
    POINT(gelu_backward, BACK, real_gelu_backward, NULL, NULL),
    POINT_REAL(silu),
    POINT(silu_backward, BACK, real_silu_backward, NULL, NULL),
    POINT(sigmoid_backward, "grad_output output", real_sigmoid_backward, NULL, NULL),
    POINT(tanh_backward, "grad_output output", real_tanh_backward, NULL, NULL),
    POINT(leaky_relu, "self negative_slope", real_leaky_relu, NULL, NULL),
    POINT(leaky_relu_backward, BACK " negative_slope", real_leaky_relu_backward, NULL, NULL),
    POINT(hardtanh, "self min_val max_val", real_hardtanh, whole_hardtanh, NULL),
    POINT(hardtanh_backward, BACK " min_val max_val", real_hardtanh_backward, NULL, NULL),
    POINT(elu, "self alpha scale input_scale", real_elu, NULL, NULL),
    POINT(elu_backward, "grad_output alpha scale input_scale is_result self_or_result",
          real_elu_backward, NULL, NULL),
    POINT_REAL(mish),
    POINT(mish_backward, BACK, real_mish_backward, NULL, NULL),
    POINT(softplus, "self beta threshold", real_softplus, NULL, NULL),
    POINT(softplus_backward, BACK " beta threshold", real_softplus_backward, NULL, NULL),
    POINT_REAL(hardswish),
    POINT(hardswish_backward, BACK, real_hardswish_backward, NULL, NULL),
    POINT_REAL(hardsigmoid),
    POINT(hardsigmoid_backward, BACK, real_hardsigmoid_backward, NULL, NULL),
    SPECIAL(native_dropout_backward, "grad_output mask scale", real_native_dropout_backward,
            of_real_numbers),
    POINT(prelu, "self @weight", real_prelu, NULL, NULL),
    SPECIAL(prelu_backward, BACK " @weight", real_prelu_backward, prelu_backward),
    SPECIAL(log_sigmoid_forward, "self", real_log_sigmoid, log_sigmoid_forward),
    SPECIAL(log_sigmoid_backward, BACK, real_log_sigmoid_backward, log_sigmoid_backward),
    {.name = NULL},
};
