/* SPDX-License-Identifier: Apache-2.0
 *
 * Normalisations and their backwards. Layers, batches and groups differ in which elements share a mean, and in which
 * dimensions the weight has: with the tensors viewed so that all of them broadcast, the rest is the same.
 */
#include "reference_formula.h"
#include "reference_slice.h"

#include <stdlib.h>

enum { LAYER, BATCH, GROUP };

typedef struct norm {
    ref_call *call;
    ref_tensor x, grad;             /* with the dimensions that the others broadcast to */
    ref_tensor weight, bias;        /* store NULL = none */
    ref_tensor mean, rstd;          /* given ones; store NULL = they are computed */
    ref_tensor variance;            /* given in place of rstd */
    bool reduced[OB_MAX_DIMS];      /* what shares a mean */
    bool over_weights[OB_MAX_DIMS]; /* what shares a weight */
    double eps;
} norm;

/* ---- views ---- */

/* Elements that are evenly spaced, in other dimensions. */
static ref_tensor seen_as(const ref_tensor *t, int ndim, const int64_t *sizes)
{
    ref_tensor v = *t;
    int64_t step = t->ndim == 1 ? t->strides[0] : 1;
    v.ndim = ndim;
    for (int d = ndim - 1; d >= 0; d--) {
        v.sizes[d] = sizes[d];
        v.strides[d] = sizes[d] == 1 ? 0 : step;
        step *= sizes[d];
    }
    return v;
}

/* [C] as [1, C, 1, ...]. */
static ref_tensor along_channels(const ref_tensor *t, int ndim)
{
    ref_tensor v = *t;
    v.ndim = ndim;
    for (int d = 0; d < ndim; d++) {
        v.sizes[d] = d == 1 ? t->sizes[0] : 1;
        v.strides[d] = d == 1 ? t->strides[0] : 0;
    }
    return v;
}

static ref_tensor maybe(const ref_tensor *t)
{
    return t != NULL && t->store != NULL ? *t : (ref_tensor){.store = NULL};
}

static void view_layer(norm *n)
{
    int64_t shape[OB_MAX_DIMS];
    const int inner = (int)ob_kit_arg_ints(&n->call->kit, "normalized_shape", shape, OB_MAX_DIMS);
    for (int d = 0; d < n->x.ndim; d++) {
        n->reduced[d] = d >= n->x.ndim - inner;
        n->over_weights[d] = !n->reduced[d];
    }
}

static void view_batch(norm *n)
{
    ref_tensor *const lines[] = {&n->weight, &n->bias, &n->mean, &n->rstd, &n->variance};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (lines[i]->store != NULL)
            *lines[i] = along_channels(lines[i], n->x.ndim);
    for (int d = 0; d < n->x.ndim; d++)
        n->reduced[d] = n->over_weights[d] = d != 1;
}

static void view_group(norm *n)
{
    const ob_kit_call *kit = &n->call->kit;
    const int64_t groups = ob_kit_arg_int(kit, "group", 1);
    const int64_t each = ob_kit_arg_int(kit, "C", 1) / groups;
    const int64_t all[] = {ob_kit_arg_int(kit, "N", 1), groups, each,
                           ob_kit_arg_int(kit, "HxW", 1)};
    const int64_t channels[] = {1, groups, each, 1}, means[] = {all[0], groups, 1, 1};
    n->x = seen_as(&n->x, 4, all);
    if (n->grad.store != NULL)
        n->grad = seen_as(&n->grad, 4, all);
    if (n->weight.store != NULL)
        n->weight = seen_as(&n->weight, 4, channels);
    if (n->bias.store != NULL)
        n->bias = seen_as(&n->bias, 4, channels);
    if (n->mean.store != NULL)
        n->mean = seen_as(&n->mean, 4, means);
    if (n->rstd.store != NULL)
        n->rstd = seen_as(&n->rstd, 4, means);
    for (int d = 0; d < 4; d++) {
        n->reduced[d] = d >= 2;
        n->over_weights[d] = d == 0 || d == 3;
    }
}

static ob_status view(norm *n, ob_err *err)
{
    const bool plain = ob_shape_is_contiguous(n->x.sizes, n->x.strides, n->x.ndim) &&
                       (n->grad.store == NULL ||
                        ob_shape_is_contiguous(n->grad.sizes, n->grad.strides, n->grad.ndim));
    if (n->call->variant == GROUP && !plain)
        return ref_unsupported(n->call, "with strides", err);
    if (n->call->variant == LAYER)
        view_layer(n);
    else if (n->call->variant == BATCH)
        view_batch(n);
    else
        view_group(n);
    return OB_OK;
}

/* ---- statistics ---- */

typedef struct moments {
    ball mean, rstd;
} moments;

static moments compute_moments(const norm *n, ref_slices *s, int64_t slice)
{
    const ball_rules *r = &n->call->rules;
    const ball length = ball_of((double)s->length);
    ball_sum sum = {.count = 0}, squares = {.count = 0};
    for (int64_t k = 0; k < s->length; k++) {
        ref_slices_seek(s, slice, k);
        ball_sum_add(&sum, ref_get(&n->x, s->offsets[0]));
    }
    const ball mean = DIV(ball_sum_end(r, &sum), length);
    for (int64_t k = 0; k < s->length; k++) {
        ref_slices_seek(s, slice, k);
        const ball d = SUB(ref_get(&n->x, s->offsets[0]), ball_of(mean.v));
        ball_sum_add(&squares, MUL(d, d));
    }
    ball variance = DIV(ball_sum_end(r, &squares), length);
    variance.e += mean.e * mean.e;
    return (moments){mean, F(rsqrt_of, ADD(variance, ref_number(n->call, n->eps)))};
}

/* The operands of the slices, in this order. */
enum { X, MEAN, RSTD, VARIANCE, WEIGHT, BIAS, GRAD };

static void start_slices(const norm *n, ref_slices *s, const bool *reduced)
{
    const ref_tensor *const operands[] = {&n->mean,   &n->rstd, &n->variance,
                                          &n->weight, &n->bias, &n->grad};
    ref_slices_start(s, &n->x, reduced);
    for (size_t i = 0; i < sizeof operands / sizeof *operands; i++)
        ref_slices_add(s, operands[i]->store != NULL ? operands[i] : NULL);
}

/* Those that were given, at the present element. */
static moments given_moments(const norm *n, const ref_slices *s)
{
    const ball_rules *r = &n->call->rules;
    const ball mean = ref_get(&n->mean, s->offsets[MEAN]);
    if (n->rstd.store != NULL)
        return (moments){mean, ref_get(&n->rstd, s->offsets[RSTD])};
    const ball variance = ref_get(&n->variance, s->offsets[VARIANCE]);
    return (moments){mean, F(rsqrt_of, ADD(variance, ref_number(n->call, n->eps)))};
}

/* x * rstd - mean * rstd, as kernels may write it. */
static ball normalised(const norm *n, const ref_slices *s, moments m)
{
    const ball_rules *r = &n->call->rules;
    return SUB(MUL(ref_get(&n->x, s->offsets[X]), m.rstd), MUL(m.mean, m.rstd));
}

/* ---- forward ---- */

static void forward_slice(const norm *n, ref_slices *s, int64_t slice)
{
    ref_call *call = n->call;
    const ball_rules *r = &call->rules;
    const bool computed = n->mean.store == NULL;
    moments m = {ball_of(0), ball_of(0)};
    if (computed) {
        m = compute_moments(n, s, slice);
        ref_put(call, &call->outs[1], slice, m.mean);
        ref_put(call, &call->outs[2], slice, m.rstd);
    }
    for (int64_t k = 0; k < s->length; k++) {
        ref_slices_seek(s, slice, k);
        ball y = normalised(n, s, computed ? m : given_moments(n, s));
        if (n->weight.store != NULL)
            y = MUL(y, ref_get(&n->weight, s->offsets[WEIGHT]));
        if (n->bias.store != NULL)
            y = ADD(y, ref_get(&n->bias, s->offsets[BIAS]));
        ref_put(call, call->outs, s->place, y);
    }
}

static ob_status run_forward(ref_call *call, ob_err *err)
{
    norm n = {.call = call,
              .x = *ref_arg(call, "input"),
              .weight = maybe(ref_arg(call, "weight")),
              .bias = maybe(ref_arg(call, "bias")),
              .eps = ob_kit_arg_double(&call->kit, "eps", 0)};
    ref_slices s;
    int64_t *chosen, count;
    if (call->variant == BATCH && !ob_kit_arg_bool(&call->kit, "training", false)) {
        n.mean = maybe(ref_arg(call, "running_mean"));
        n.variance = maybe(ref_arg(call, "running_var"));
    }
    OB_TRY(view(&n, err));
    start_slices(&n, &s, n.reduced);
    OB_TRY(ref_choose(call, call->outs, s.count, s.length, 80 * (double)s.length, &chosen, &count,
                      err));
    const bool computed = n.mean.store == NULL;
    ob_status status = OB_OK;
    for (int k = 1; k < 3 && status == OB_OK; k++)
        status = ref_out_make(call, &call->outs[k], computed ? count : 0,
                              !computed || chosen != NULL, err);
    for (int64_t i = 0; status == OB_OK && i < count; i++)
        forward_slice(&n, &s, chosen != NULL ? chosen[i] : i);
    free(chosen);
    return status;
}

/* ---- backward ---- */

static ball weighted(const norm *n, const ref_slices *s)
{
    const ball_rules *r = &n->call->rules;
    const ball g = ref_get(&n->grad, s->offsets[GRAD]);
    return n->weight.store != NULL ? MUL(g, ref_get(&n->weight, s->offsets[WEIGHT])) : g;
}

/* rstd * (g - mean(g) - y * mean(g * y)) for the weighted gradient g and the normalised y. */
static void backward_slice(const norm *n, ref_slices *s, int64_t slice, bool constant)
{
    const ball_rules *r = &n->call->rules;
    const ball length = ball_of((double)s->length);
    ball_sum plain = {.count = 0}, turned = {.count = 0};
    for (int64_t k = 0; !constant && k < s->length; k++) {
        ref_slices_seek(s, slice, k);
        const ball g = weighted(n, s);
        ball_sum_add(&plain, g);
        ball_sum_add(&turned, MUL(g, normalised(n, s, given_moments(n, s))));
    }
    const ball mean = DIV(ball_sum_end(r, &plain), length);
    const ball along = DIV(ball_sum_end(r, &turned), length);
    for (int64_t k = 0; k < s->length; k++) {
        ref_slices_seek(s, slice, k);
        const moments m = given_moments(n, s);
        ball g = weighted(n, s);
        if (!constant)
            g = SUB(SUB(g, mean), MUL(normalised(n, s, m), along));
        ref_put(n->call, &n->call->outs[0], s->place, MUL(m.rstd, g));
    }
}

static ob_status input_gradient(const norm *n, bool constant, ob_err *err)
{
    ref_slices s;
    int64_t *chosen, count;
    start_slices(n, &s, n->reduced);
    OB_TRY(ref_choose(n->call, &n->call->outs[0], s.count, s.length, 120 * (double)s.length,
                      &chosen, &count, err));
    for (int64_t i = 0; i < count; i++)
        backward_slice(n, &s, chosen != NULL ? chosen[i] : i, constant);
    free(chosen);
    return OB_OK;
}

/* Of the weight (output 1) or the bias (output 2). */
static ob_status weight_gradient(const norm *n, int which, ob_err *err)
{
    const ball_rules *r = &n->call->rules;
    ref_slices s;
    int64_t *chosen, count;
    start_slices(n, &s, n->over_weights);
    OB_TRY(ref_choose(n->call, &n->call->outs[which], s.count, 1, 60 * (double)s.length, &chosen,
                      &count, err));
    for (int64_t i = 0; i < count; i++) {
        const int64_t slice = chosen != NULL ? chosen[i] : i;
        ball_sum sum = {.count = 0};
        for (int64_t k = 0; k < s.length; k++) {
            ref_slices_seek(&s, slice, k);
            const ball g = ref_get(&n->grad, s.offsets[GRAD]);
            ball_sum_add(&sum, which == 1 ? MUL(g, normalised(n, &s, given_moments(n, &s))) : g);
        }
        ref_put(n->call, &n->call->outs[which], slice, ball_sum_end(r, &sum));
    }
    free(chosen);
    return OB_OK;
}

static ob_status run_backward(ref_call *call, ob_err *err)
{
    const bool batch = call->variant == BATCH;
    const bool constant = batch && !ob_kit_arg_bool(&call->kit, "train", false);
    norm n = {.call = call,
              .x = *ref_arg(call, "input"),
              .grad = *ref_arg(call, "grad_out"),
              .weight = maybe(ref_arg(call, "weight")),
              .eps = ob_kit_arg_double(&call->kit, "eps", 0)};
    if (constant) {
        n.mean = maybe(ref_arg(call, "running_mean"));
        n.variance = maybe(ref_arg(call, "running_var"));
    } else {
        n.mean = maybe(ref_arg(call, batch ? "save_mean" : "mean"));
        n.rstd = maybe(ref_arg(call, batch ? "save_invstd" : "rstd"));
    }
    if (n.mean.store == NULL)
        return ref_unsupported(call, "without a mean", err);
    OB_TRY(view(&n, err));
    if (call->outs[0].t.dtype != OB_DTYPE_INVALID)
        OB_TRY(input_gradient(&n, constant, err));
    for (int which = 1; which < 3; which++)
        if (call->outs[which].t.dtype != OB_DTYPE_INVALID)
            OB_TRY(weight_gradient(&n, which, err));
    return OB_OK;
}

#define NORM(op, which)                                                                            \
    {.name = "aten::" op, .run = run_forward, .variant = (which)},                                 \
    {                                                                                              \
        .name = "aten::" op "_backward", .run = run_backward, .variant = (which)                   \
    }

const ref_row ref_rows_norm[] = {
    NORM("native_layer_norm", LAYER),
    NORM("native_batch_norm", BATCH),
    NORM("native_group_norm", GROUP),
    {.name = NULL},
};
