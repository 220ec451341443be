/* SPDX-License-Identifier: Apache-2.0
 *
 * Activations that are more than one elementwise loop: two results, or a weight per channel.
 */
#include "dense.h"
#include "native_elementwise.h"

/* ---- log_sigmoid_forward: the result, and exp(-|x|) for the backward ---- */

static ob_status setup_log_sigmoid(ob_kit_call *call, ob_err *err)
{
    static const ob_kit_loop_id loops[2] = {OB_KIT_LOOP_log_sigmoid,
                                            OB_KIT_LOOP_log_sigmoid_buffer};
    void *state;
    OB_TRY(ob_kit_state(call, 2 * sizeof(native_elementwise), &state, err));
    native_elementwise *work = state;
    for (size_t k = 0; k < 2; k++) {
        const ob_kit_elementwise_args args = {.loop = loops[k],
                                              .out = ob_kit_output(call, k),
                                              .inputs = {&call->args[0]},
                                              .name = call->op->schema->name};
        OB_TRY(native_elementwise_init(call->env, &args, &work[k], err));
    }
    return OB_OK;
}

static ob_status run_log_sigmoid(const ob_kit_call *call, ob_err *err)
{
    const native_elementwise *work = call->state;
    for (int k = 0; k < 2; k++)
        OB_TRY(native_elementwise_run(call->env, &work[k], err));
    return OB_OK;
}

/* ---- prelu: a weight for all or one for each channel (dimension 1) ---- */

static ob_tensor weight_like(const ob_tensor *weight, const ob_tensor *self)
{
    ob_tensor view = *weight;
    const int64_t stride = weight->ndim > 0 ? weight->strides[0] : 0;
    const int64_t count = ob_kit_numel(weight);
    if (count == 1 || self->ndim < 2) {
        view.ndim = 0;
        return view;
    }
    view.ndim = self->ndim;
    for (int d = 0; d < self->ndim; d++) {
        view.sizes[d] = d == 1 ? count : 1;
        view.strides[d] = d == 1 ? stride : 0;
    }
    return view;
}

typedef struct prelu {
    native_elementwise work;
    const ob_tensor *grad, *self, *grad_weight;
    native_class cls;
    int64_t count;
} prelu;

static ob_status setup_prelu(ob_kit_call *call, ob_err *err)
{
    void *state;
    OB_TRY(ob_kit_state(call, sizeof(prelu), &state, err));
    prelu *p = state;
    p->self = ob_kit_arg_tensor(call, "self");
    p->grad = ob_kit_arg_tensor(call, "grad_output");
    p->grad_weight = ob_kit_output(call, 1);
    p->cls = native_class_of(p->self->dtype);
    p->count = ob_kit_numel(p->self);
    ob_tensor weight = weight_like(ob_kit_arg_tensor(call, "weight"), p->self);
    const ob_value weight_value = {.kind = OB_VALUE_TENSOR, .as = {.tensor = &weight}};
    ob_kit_elementwise_args args = {.loop = OB_KIT_LOOP_prelu,
                                    .out = ob_kit_output(call, 0),
                                    .inputs = {ob_kit_arg(call, "self"), &weight_value},
                                    .name = call->op->schema->name};
    if (p->grad != NULL) {
        args.loop = OB_KIT_LOOP_prelu_backward;
        args.inputs[0] = ob_kit_arg(call, "grad_output");
        args.inputs[2] = ob_kit_arg(call, "self");
        call->scratch_bytes = (size_t)p->count * 2 * native_class_size(p->cls);
    }
    return native_elementwise_init(call->env, &args, &p->work, err);
}

static ob_status run_prelu(const ob_kit_call *call, ob_err *err)
{
    const prelu *p = call->state;
    return native_elementwise_run(call->env, &p->work, err);
}

static double element(const prelu *p, const char *dense, int64_t index)
{
    return p->cls == NATIVE_F64 ? ((const double *)dense)[index]
                                : (double)((const float *)dense)[index];
}

/* The sum over a channel of grad * self where self is not positive. */
static void sum_weights(const ob_kit_call *call, const prelu *p)
{
    char *grad = native_scratch_at(call, 0);
    char *self = grad + (size_t)p->count * native_class_size(p->cls);
    const int64_t channels = ob_kit_numel(p->grad_weight);
    const bool shared = channels == 1 || p->self->ndim < 2;
    int64_t inner = 1;
    for (int d = 2; d < p->self->ndim; d++)
        inner *= p->self->sizes[d];
    native_gather(call->env, p->grad, p->cls, grad);
    native_gather(call->env, p->self, p->cls, self);
    for (int64_t c = 0; c < channels; c++) {
        double total = 0;
        for (int64_t i = shared ? 0 : c * inner; i < p->count; i += shared ? 1 : channels * inner) {
            for (int64_t k = 0; k < (shared ? 1 : inner); k++) {
                const double x = element(p, self, i + k);
                total += x > 0 ? 0 : element(p, grad, i + k) * x;
            }
        }
        const int64_t stride = p->grad_weight->ndim > 0 ? p->grad_weight->strides[0] : 0;
        const size_t size = call->env->host->dtype_get_info(p->grad_weight->dtype)->size_bytes;
        native_store(call->env, p->grad_weight->dtype,
                     (char *)native_data(p->grad_weight) + c * stride * (int64_t)size, 1,
                     NATIVE_F64, &total, 1);
    }
}

static ob_status run_prelu_backward(const ob_kit_call *call, ob_err *err)
{
    const prelu *p = call->state;
    OB_TRY(native_elementwise_run(call->env, &p->work, err));
    if (p->grad_weight != NULL)
        sum_weights(call, p);
    return OB_OK;
}

const ob_kit_kernel native_kernels_activation[] = {
    {.name = "aten::log_sigmoid_forward",
     .dtypes = OB_KIT_FLOATS,
     .setup = setup_log_sigmoid,
     .run = run_log_sigmoid},
    {.name = "aten::prelu", .dtypes = OB_KIT_FLOATS, .setup = setup_prelu, .run = run_prelu},
    {.name = "aten::prelu_backward",
     .dtypes = OB_KIT_FLOATS,
     .setup = setup_prelu,
     .run = run_prelu_backward},
    {.name = NULL},
};
