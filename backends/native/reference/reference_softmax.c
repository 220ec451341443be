/* SPDX-License-Identifier: Apache-2.0
 *
 * Softmax, its logarithm and their backwards, slice by slice.
 */
#include "reference_formula.h"
#include "reference_slice.h"

#include <stdlib.h>

enum { SOFTMAX, LOG_SOFTMAX, SOFTMAX_BACKWARD, LOG_SOFTMAX_BACKWARD };

typedef struct soft {
    ref_call *call;
    ref_slices s;
    const ref_tensor *x; /* backward: the gradient */
    const ref_tensor *y; /* backward: the forward's result */
} soft;

static double largest_of(soft *t, int64_t slice)
{
    double most = -INFINITY;
    for (int64_t k = 0; k < t->s.length; k++) {
        ref_slices_seek(&t->s, slice, k);
        const double v = ref_get(t->x, t->s.offsets[0]).v;
        most = v > most || isnan(v) ? v : most;
    }
    return isinf(most) && most < 0 ? 0 : most;
}

static void forward_slice(soft *t, int64_t slice)
{
    const ball_rules *r = &t->call->rules;
    const ball most = ball_of(largest_of(t, slice));
    ball_sum sum = {.count = 0};
    for (int64_t k = 0; k < t->s.length; k++) {
        ref_slices_seek(&t->s, slice, k);
        ball_sum_add(&sum, F(exp, SUB(ref_get(t->x, t->s.offsets[0]), most)));
    }
    const ball total = ball_sum_end(r, &sum);
    const ball logarithm = F(log, total);
    for (int64_t k = 0; k < t->s.length; k++) {
        ref_slices_seek(&t->s, slice, k);
        const ball above = SUB(ref_get(t->x, t->s.offsets[0]), most);
        ref_put(t->call, t->call->outs, t->s.place,
                t->call->variant == SOFTMAX ? DIV(F(exp, above), total) : SUB(above, logarithm));
    }
}

static void backward_slice(soft *t, int64_t slice)
{
    const ball_rules *r = &t->call->rules;
    const bool logarithm = t->call->variant == LOG_SOFTMAX_BACKWARD;
    ball_sum sum = {.count = 0};
    for (int64_t k = 0; k < t->s.length; k++) {
        ref_slices_seek(&t->s, slice, k);
        const ball g = ref_get(t->x, t->s.offsets[0]), y = ref_get(t->y, t->s.offsets[1]);
        ball_sum_add(&sum, logarithm ? g : MUL(g, y));
    }
    const ball total = ball_sum_end(r, &sum);
    for (int64_t k = 0; k < t->s.length; k++) {
        ref_slices_seek(&t->s, slice, k);
        const ball g = ref_get(t->x, t->s.offsets[0]), y = ref_get(t->y, t->s.offsets[1]);
        /* y * g - y * total: as kernels may write it. */
        ref_put(t->call, t->call->outs, t->s.place,
                logarithm ? SUB(g, MUL(F(exp, y), total)) : SUB(MUL(y, g), MUL(y, total)));
    }
}

static ob_status run(ref_call *call, ob_err *err)
{
    const bool backward = call->variant >= SOFTMAX_BACKWARD;
    soft t = {.call = call,
              .x = ref_arg(call, backward ? "grad_output" : "self"),
              .y = backward ? ref_arg(call, "output") : NULL};
    bool reduced[OB_MAX_DIMS] = {false};
    int64_t *chosen, count;
    const int64_t dim =
        t.x->ndim > 0 ? ob_kit_dim(ob_kit_arg_int(&call->kit, "dim", 0), t.x->ndim) : -1;
    if (dim >= 0)
        reduced[dim] = true;
    /* PyTorch rounds between the steps, but not along the last dimension. */
    if (call->variant == SOFTMAX && dim == t.x->ndim - 1)
        call->rules.half = 0;
    ref_slices_start(&t.s, t.x, reduced);
    if (backward)
        ref_slices_add(&t.s, t.y);
    OB_TRY(ref_choose(call, call->outs, t.s.count, t.s.length, 60 * (double)t.s.length, &chosen,
                      &count, err));
    for (int64_t i = 0; i < count; i++) {
        const int64_t slice = chosen != NULL ? chosen[i] : i;
        if (backward)
            backward_slice(&t, slice);
        else
            forward_slice(&t, slice);
    }
    free(chosen);
    return OB_OK;
}

const ref_row ref_rows_softmax[] = {
    {.name = "aten::_softmax", .run = run, .variant = SOFTMAX},
    {.name = "aten::_log_softmax", .run = run, .variant = LOG_SOFTMAX},
    {.name = "aten::_softmax_backward_data", .run = run, .variant = SOFTMAX_BACKWARD},
    {.name = "aten::_log_softmax_backward_data", .run = run, .variant = LOG_SOFTMAX_BACKWARD},
    {.name = NULL},
};
