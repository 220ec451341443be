/* SPDX-License-Identifier: Apache-2.0
 *
 * Negative log likelihood over classes: self is [N, C] or [N, C, H, W] (or [C]), target names a
 * class for each of the other positions. total_weight is the sum of the weights of the targets
 * that count.
 */
#include "dense.h"
#include "indices.h"

#include <string.h>

enum { REDUCE_NONE = 0, REDUCE_MEAN = 1 };

typedef struct nll {
    native_class cls;
    int64_t images, classes, length; /* length: positions per image */
    int64_t reduction, ignored;
    native_dense self, target, weight, grad, total, out;
} nll;

static ob_status start(ob_kit_call *call, nll **out, ob_err *err)
{
    void *state;
    OB_TRY(ob_kit_state(call, sizeof(nll), &state, err));
    nll *n = *out = state;
    const ob_tensor *self = ob_kit_arg_tensor(call, "self");
    n->cls = native_wide_class(self->dtype);
    n->images = self->ndim > 1 ? self->sizes[0] : 1;
    n->classes = self->sizes[self->ndim > 1 ? 1 : 0];
    n->length = 1;
    for (int d = 2; d < self->ndim; d++)
        n->length *= self->sizes[d];
    n->reduction = ob_kit_arg_int(call, "reduction", REDUCE_MEAN);
    n->ignored = ob_kit_arg_int(call, "ignore_index", -100);
    OB_TRY(native_dense_plan(call, ob_kit_arg_tensor(call, "target"), NATIVE_I64, &n->target, err));
    OB_TRY(native_dense_plan(call, ob_kit_arg_tensor(call, "weight"), n->cls, &n->weight, err));
    return native_dense_plan(call, ob_kit_output(call, 0), n->cls, &n->out, err);
}

static ob_status setup_forward(ob_kit_call *call, ob_err *err)
{
    nll *n;
    OB_TRY(start(call, &n, err));
    OB_TRY(native_dense_plan(call, ob_kit_arg_tensor(call, "self"), n->cls, &n->self, err));
    return native_dense_plan(call, ob_kit_output(call, 1), n->cls, &n->total, err);
}

static ob_status setup_backward(ob_kit_call *call, ob_err *err)
{
    nll *n;
    OB_TRY(start(call, &n, err));
    OB_TRY(native_dense_plan(call, ob_kit_arg_tensor(call, "grad_output"), n->cls, &n->grad, err));
    return native_dense_plan(call, ob_kit_arg_tensor(call, "total_weight"), n->cls, &n->total, err);
}

typedef struct job {
    const nll *n;
    const int64_t *target;
    const void *self, *weight, *grad;
    void *out;
    double sum, total; /* of the losses and of the weights */
    native_bad_index bad;
} job;

#define DEFINE(suffix, type)                                                                       \
    static void forward_##suffix(job *j)                                                           \
    {                                                                                              \
        const nll *n = j->n;                                                                       \
        for (int64_t i = 0; i < n->images * n->length; i++) {                                      \
            const int64_t target = j->target[i];                                                   \
            const bool counts = target != n->ignored;                                              \
            if (counts && !native_index_ok(&j->bad, target, n->classes))                           \
                return;                                                                            \
            const int64_t at = i / n->length * n->classes + (counts ? target : 0);                 \
            const type w = !counts             ? 0                                                 \
                           : j->weight == NULL ? 1                                                 \
                                               : ((const type *)j->weight)[target];                \
            const type loss =                                                                      \
                counts ? -w * ((const type *)j->self)[at * n->length + i % n->length] : 0;         \
            if (n->reduction == REDUCE_NONE)                                                       \
                ((type *)j->out)[i] = loss;                                                        \
            j->sum += (double)loss;                                                                \
            j->total += (double)w;                                                                 \
        }                                                                                          \
    }                                                                                              \
    static void backward_##suffix(job *j)                                                          \
    {                                                                                              \
        const nll *n = j->n;                                                                       \
        type *out = j->out;                                                                        \
        memset(out, 0, (size_t)(n->images * n->classes * n->length) * sizeof *out);                \
        for (int64_t i = 0; i < n->images * n->length; i++) {                                      \
            const int64_t target = j->target[i];                                                   \
            if (target == n->ignored)                                                              \
                continue;                                                                          \
            if (!native_index_ok(&j->bad, target, n->classes))                                     \
                return;                                                                            \
            const type w = j->weight == NULL ? 1 : ((const type *)j->weight)[target];              \
            const type g = ((const type *)j->grad)[n->reduction == REDUCE_NONE ? i : 0];           \
            const type share = n->reduction == REDUCE_MEAN ? (type)j->total : 1;                   \
            out[(i / n->length * n->classes + target) * n->length + i % n->length] =               \
                -w * g / share;                                                                    \
        }                                                                                          \
    }
DEFINE(f32, float)
DEFINE(f64, double)

static void set(const nll *n, void *array, double value)
{
    if (n->cls == NATIVE_F64)
        *(double *)array = value;
    else
        *(float *)array = (float)value;
}

static ob_status run_forward(const ob_kit_call *call, ob_err *err)
{
    const nll *n = call->state;
    job j = {
        .n = n,
        .target = native_dense_read(call, &n->target),
        .self = native_dense_read(call, &n->self),
        .weight = native_dense_read(call, &n->weight),
        .out = native_dense_place(call, &n->out),
    };
    void *total = native_dense_place(call, &n->total);
    if (n->cls == NATIVE_F32)
        forward_f32(&j);
    else
        forward_f64(&j);
    OB_TRY(native_index_status(call, &j.bad, "target", err));
    if (n->reduction != REDUCE_NONE)
        set(n, j.out, n->reduction == REDUCE_MEAN ? j.sum / j.total : j.sum);
    set(n, total, n->reduction == REDUCE_NONE ? 0 : j.total);
    native_dense_write(call, &n->out);
    native_dense_write(call, &n->total);
    return OB_OK;
}

static ob_status run_backward(const ob_kit_call *call, ob_err *err)
{
    const nll *n = call->state;
    const void *total = native_dense_read(call, &n->total);
    job j = {
        .n = n,
        .target = native_dense_read(call, &n->target),
        .weight = native_dense_read(call, &n->weight),
        .grad = native_dense_read(call, &n->grad),
        .out = native_dense_place(call, &n->out),
        .total = n->cls == NATIVE_F64 ? *(const double *)total : (double)*(const float *)total,
    };
    if (ob_kit_numel(&n->out.tensor) == 0)
        return OB_OK;
    if (n->cls == NATIVE_F32)
        backward_f32(&j);
    else
        backward_f64(&j);
    OB_TRY(native_index_status(call, &j.bad, "target", err));
    native_dense_write(call, &n->out);
    return OB_OK;
}

#define ROW(op_name, which)                                                                        \
    {                                                                                              \
        .name = "aten::" op_name, .dtypes = OB_KIT_FLOATS, .setup = setup_##which,                 \
        .run = run_##which                                                                         \
    }

const ob_kit_kernel native_kernels_nll[] = {
    ROW("nll_loss_forward", forward),
    ROW("nll_loss_backward", backward),
    ROW("nll_loss2d_forward", forward),
    ROW("nll_loss2d_backward", backward),
    {.name = NULL},
};
