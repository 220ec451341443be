/* SPDX-License-Identifier: Apache-2.0
 *
 * Running a prepared case. Forward and backward walk a list of calls: no memory is allocated and nothing is
 * looked up. (A backward that adds to the gradients of one before it allocates the sums, once.)
 */
#include "plan/plan.h"

#include <stdlib.h>

static ob_status run_steps(const plan_pass *pass, ob_err *err)
{
    const plan_step *const end = pass->steps + pass->step_count;
    for (const plan_step *step = pass->steps; step < end; step++) {
        const ob_status status = step->run(&step->call, err);
        if (status != OB_OK)
            return status;
    }
    return OB_OK;
}

/* ---- gradients ---- */

/* Memory for sums, with the gradients so far in it. */
static ob_status make_sum(ob_prepared *prepared, const ob_value *grad, ob_value *sum, ob_err *err)
{
    const ob_host *host = prepared->engine->host;
    if (grad->kind != OB_VALUE_TENSOR)
        return OB_OK;
    const ob_tensor *like = grad->as.tensor;
    const int64_t count = host->tensor_numel(like);
    const size_t size = host->dtype_get_info(like->dtype)->size_bytes;
    ob_storage *storage = NULL;
    OB_TRY(plan_allocate(prepared, (size_t)count * size, &storage, err));
    ob_tensor tensor;
    int64_t strides[OB_MAX_DIMS], step = 1;
    for (int d = like->ndim - 1; d >= 0; d--) {
        strides[d] = step;
        step *= like->sizes[d] > 0 ? like->sizes[d] : 1;
    }
    ob_status status = host->tensor_init_view(&tensor, storage, like->dtype, like->sizes,
                                              like->ndim, strides, 0, err);
    host->storage_release(storage);
    OB_TRY(status);
    status = host->value_init_tensor(sum, &tensor, err);
    host->tensor_fini(&tensor);
    return status;
}

static ob_status make_sums(ob_prepared *prepared, ob_err *err)
{
    if (prepared->sums != NULL)
        return OB_OK;
    prepared->sums = calloc(prepared->grad_count + 1, sizeof *prepared->sums);
    if (prepared->sums == NULL)
        return prepared->engine->host->err_set(
            err, OB_ERR_NOMEM, "out of memory for %zu sums of gradients", prepared->grad_count);
    for (size_t i = 0; i < prepared->grad_count; i++)
        OB_TRY(make_sum(prepared, &prepared->grads[i], &prepared->sums[i], err));
    return OB_OK;
}

/* What stands in the gradients now becomes the sum, or is added to it. */
static ob_status update_sums(ob_prepared *prepared, bool start, ob_err *err)
{
    const plan_engine *engine = prepared->engine;
    const plan_device *device = engine->device;
    for (size_t i = 0; i < prepared->grad_count; i++) {
        const ob_value *grad = &prepared->grads[i], *sum = &prepared->sums[i];
        if (grad->kind != OB_VALUE_TENSOR)
            continue;
        OB_TRY((start ? device->copy : device->add)(engine->env, sum->as.tensor, grad->as.tensor,
                                                    err));
    }
    return OB_OK;
}

static ob_status run_backward(ob_prepared *prepared, ob_err *err)
{
    if (prepared->progress.accumulated == 1) {
        OB_TRY(make_sums(prepared, err));
        OB_TRY(update_sums(prepared, true, err));
    }
    OB_TRY(run_steps(&prepared->passes[OB_PASS_BACKWARD], err));
    if (prepared->progress.accumulated > 0)
        OB_TRY(update_sums(prepared, false, err));
    prepared->progress.accumulated++;
    return OB_OK;
}

/* ---- phases ---- */

static ob_status run_once(ob_prepared *prepared, ob_phase phase, ob_err *err)
{
    const plan_device *device = prepared->engine->device;
    plan_env *env = prepared->engine->env;
    switch (phase) {
    case OB_PHASE_FORWARD:
        prepared->progress.ran = true;
        return run_steps(&prepared->passes[OB_PASS_FORWARD], err);
    case OB_PHASE_MAKE_GRAD:
        for (size_t i = 0; i < prepared->grad_output_count; i++)
            OB_TRY(device->fill(env, &prepared->grad_outputs[i], 1, err));
        prepared->progress.has_seed = true;
        return OB_OK;
    case OB_PHASE_BACKWARD:
        return run_backward(prepared, err);
    case OB_PHASE_ZERO_GRAD:
        prepared->progress.accumulated = 0;
        return OB_OK;
    case OB_PHASE_RESTORE:
        for (size_t i = 0; i < prepared->saved_count; i++)
            OB_TRY(device->copy(env, &prepared->saved[i].live, &prepared->saved[i].copy, err));
        return OB_OK;
    }
    return prepared->engine->host->err_set(err, OB_ERR_INVALID, "there is no phase %d", (int)phase);
}

ob_status plan_run(ob_prepared *prepared, ob_phase phase, uint64_t iterations, ob_err *err)
{
    OB_TRY(plan_check_order(prepared->engine->host, &prepared->progress,
                            prepared->passes[OB_PASS_BACKWARD].graph != NULL, phase, err));
    for (uint64_t i = 0; i < iterations; i++) {
        const ob_status status = run_once(prepared, phase, err);
        if (status != OB_OK)
            return status;
    }
    return OB_OK;
}

/* ---- operators of plug-ins ---- */

static ob_status take_result(const plan_call *call, const ob_value *result, const ob_value *to,
                             ob_err *err)
{
    if (to->kind != OB_VALUE_TENSOR)
        return OB_OK;
    const ob_tensor *got = result->kind == OB_VALUE_TENSOR ? result->as.tensor : NULL;
    bool same = got != NULL && got->storage != NULL && got->ndim == to->as.tensor->ndim;
    for (int d = 0; same && d < got->ndim; d++)
        same = got->sizes[d] == to->as.tensor->sizes[d];
    if (!same)
        return call->host->err_set(err, OB_ERR_BACKEND,
                                   "the function of %s gave something else than its shape rule "
                                   "says; correct one of them in the plug-in",
                                   call->op->schema->name);
    return call->device->copy(call->env, to->as.tensor, got, err);
}

ob_status plan_run_function(const plan_call *call, ob_err *err)
{
    const ob_host *host = call->host;
    const ob_op *op = call->op;
    const size_t count = op->schema->return_count;
    ob_value *results = calloc(count + 1, sizeof *results);
    if (results == NULL)
        return host->err_set(err, OB_ERR_NOMEM, "out of memory");
    const ob_op_call made = {.op = op, .schema = op->schema, .args = call->args};
    ob_status status = op->row->function(op->row->function_ctx, &made, results, err);
    for (size_t k = 0; status == OB_OK && k < count; k++)
        status = take_result(call, &results[k], &call->outputs[k], err);
    for (size_t k = 0; k < count; k++)
        host->value_fini(&results[k]);
    free(results);
    return status;
}
