/* SPDX-License-Identifier: Apache-2.0
 *
 * Running a prepared case. Forward and backward walk a list of calls: no memory is allocated and nothing is
 * looked up.
 */
#include "kit/prepared_case.h"

#include <stdlib.h>

static ob_status run_steps(const ob_kit_pass *pass, ob_err *err)
{
    const ob_kit_step *const end = pass->steps + pass->step_count;
    for (const ob_kit_step *step = pass->steps; step < end; step++) {
        const ob_status status = step->run(&step->call, err);
        if (status != OB_OK)
            return status;
    }
    return OB_OK;
}

/* ---- phases ---- */

static ob_status run_once(ob_prepared *prepared, ob_phase phase, ob_err *err)
{
    const ob_kit_device *device = prepared->engine->device;
    ob_kit_env *env = prepared->engine->env;
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
        prepared->progress.has_grads = true;
        return run_steps(&prepared->passes[OB_PASS_BACKWARD], err);
    case OB_PHASE_ZERO_GRAD:
        prepared->progress.has_grads = false;
        return OB_OK;
    case OB_PHASE_RESTORE:
        for (size_t i = 0; i < prepared->saved_count; i++)
            OB_TRY(device->copy(env, &prepared->saved[i].live, &prepared->saved[i].copy, err));
        return OB_OK;
    }
    return prepared->engine->host->err_set(err, OB_ERR_INVALID, "there is no phase %d", (int)phase);
}

ob_status ob_kit_run(ob_prepared *prepared, ob_phase phase, uint64_t iterations, ob_err *err)
{
    OB_TRY(ob_kit_check_order(prepared->engine->host, &prepared->progress,
                              prepared->passes[OB_PASS_BACKWARD].graph != NULL, phase, err));
    for (uint64_t i = 0; i < iterations; i++) {
        const ob_status status = run_once(prepared, phase, err);
        if (status != OB_OK)
            return status;
    }
    return OB_OK;
}

ob_status ob_kit_refill(ob_prepared *prepared, ob_err *err)
{
    const ob_kit_device *device = prepared->engine->device;
    for (size_t i = 0; i < prepared->upload_count; i++)
        OB_TRY(device->upload(prepared->engine->env, prepared->uploads[i].to,
                              prepared->uploads[i].from, prepared->uploads[i].size, err));
    for (size_t i = 0; i < prepared->saved_count; i++)
        OB_TRY(device->copy(prepared->engine->env, &prepared->saved[i].copy,
                            &prepared->saved[i].live, err));
    return OB_OK;
}

/* ---- operators of plug-ins ---- */

static ob_status take_result(const ob_kit_call *call, const ob_value *result, const ob_value *to,
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
                                   "the function of %s returned something other than its shape "
                                   "rule says; correct one of them in the plug-in",
                                   call->op->schema->name);
    return call->device->copy(call->env, to->as.tensor, got, err);
}

ob_status ob_kit_run_function(const ob_kit_call *call, ob_err *err)
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
