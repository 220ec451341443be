/* SPDX-License-Identifier: Apache-2.0
 *
 * Running a prepared case. Everything is bound, so a forward is one call of ONNX Runtime; memory that an operator
 * changes in place is copied back after it where the model could not write to it.
 */
#include "backend.h"

#include <stdlib.h>

static ob_status run_session(const ob_backend *backend, const ort_session *session, ob_err *err)
{
    OrtStatus *status = backend->api->binding_run(session->session, NULL, session->binding);
    return status == NULL ? OB_OK : ort_check(backend, status, "", err);
}

/* ---- gradients of several backwards ---- */

static ob_status add_sum(ob_prepared *prepared, ort_model *model, const ob_tensor *grad,
                         ob_value *sum, ob_err *err)
{
    ob_backend *backend = prepared->backend;
    const ob_host *host = backend->host;
    ort_session *s = &prepared->sum;
    ob_tensor total, shared;
    OB_TRY(ort_tensor_make(host, grad, &total, err));
    ort_copy_elements(host, &total, grad);
    ob_status status = host->value_init_tensor(sum, &total, err);
    if (status != OB_OK) {
        host->tensor_fini(&total);
        return status;
    }
    const ort_id old = ort_model_input(model, grad->dtype, grad->sizes, grad->ndim);
    const ort_id more = ort_model_input(model, grad->dtype, grad->sizes, grad->ndim);
    const ort_id added = ort_model_node(model, "Add", ORT_IN(old, more), 1, grad->dtype, NULL);
    const ort_id out = ort_model_output(model, added, grad->sizes, grad->ndim);
    OB_TRY(ort_bound_add(backend, &s->inputs, &s->input_count, old, old, &total, err));
    OB_TRY(host->tensor_copy(&shared, grad, err));
    OB_TRY(ort_bound_add(backend, &s->inputs, &s->input_count, more, more, &shared, err));
    OB_TRY(host->tensor_copy(&shared, sum->as.tensor, err));
    return ort_bound_add(backend, &s->outputs, &s->output_count, out, out, &shared, err);
}

/* The gradients so far, and a session that adds the next ones to them. */
static ob_status make_sums(ob_prepared *prepared, ob_err *err)
{
    ob_backend *backend = prepared->backend;
    ort_model model = {.values = NULL};
    ob_status status = OB_OK;
    prepared->sums = calloc(prepared->grad_count + 1, sizeof *prepared->sums);
    if (prepared->sums == NULL)
        return backend->host->err_set(err, OB_ERR_NOMEM, "out of memory for sums of gradients");
    for (size_t i = 0; status == OB_OK && i < prepared->grad_count; i++)
        if (prepared->grads[i].kind == OB_VALUE_TENSOR)
            status =
                add_sum(prepared, &model, prepared->grads[i].as.tensor, &prepared->sums[i], err);
    if (status == OB_OK && prepared->sum.output_count > 0)
        status = ort_session_open(backend, &model, &prepared->sum, err);
    ort_model_fini(&model);
    return status;
}

static ob_status run_backward(ob_prepared *prepared, ob_err *err)
{
    const ob_backend *backend = prepared->backend;
    if (prepared->progress.accumulated == 1 && prepared->sums == NULL)
        OB_TRY(make_sums(prepared, err));
    else if (prepared->progress.accumulated == 1)
        for (size_t i = 0; i < prepared->grad_count; i++)
            if (prepared->grads[i].kind == OB_VALUE_TENSOR)
                ort_copy_elements(backend->host, prepared->sums[i].as.tensor,
                                  prepared->grads[i].as.tensor);
    OB_TRY(run_session(backend, &prepared->passes[OB_PASS_BACKWARD], err));
    if (prepared->progress.accumulated > 0 && prepared->sum.session != NULL)
        OB_TRY(run_session(backend, &prepared->sum, err));
    prepared->progress.accumulated++;
    return OB_OK;
}

/* ---- phases ---- */

static ob_status run_forward(ob_prepared *prepared, ob_err *err)
{
    const ob_backend *backend = prepared->backend;
    OB_TRY(run_session(backend, &prepared->passes[OB_PASS_FORWARD], err));
    for (size_t i = 0; i < prepared->after_count; i++)
        ort_copy_elements(backend->host, &prepared->after[i].to, &prepared->after[i].from);
    return OB_OK;
}

static void make_grad(ob_prepared *prepared)
{
    const ort_session *backward = &prepared->passes[OB_PASS_BACKWARD];
    for (size_t i = 0; i < backward->input_count; i++)
        if (backward->inputs[i].is_seed)
            ort_fill_ones(prepared->backend->host, &backward->inputs[i].tensor);
    prepared->progress.has_seed = true;
}

ob_status ort_run(ob_prepared *prepared, ob_phase phase, uint64_t iterations, ob_err *err)
{
    OB_TRY(plan_check_order(prepared->backend->host, &prepared->progress, prepared->backward, phase,
                            err));
    switch (phase) {
    case OB_PHASE_FORWARD:
        prepared->progress.ran = true;
        for (uint64_t i = 0; i < iterations; i++)
            OB_TRY(run_forward(prepared, err));
        return OB_OK;
    case OB_PHASE_BACKWARD:
        for (uint64_t i = 0; i < iterations; i++)
            OB_TRY(run_backward(prepared, err));
        return OB_OK;
    case OB_PHASE_MAKE_GRAD:
        make_grad(prepared);
        return OB_OK;
    case OB_PHASE_ZERO_GRAD:
        prepared->progress.accumulated = 0;
        return OB_OK;
    case OB_PHASE_RESTORE:
        for (size_t i = 0; i < prepared->restore_count; i++)
            ort_copy_elements(prepared->backend->host, &prepared->restore[i].to,
                              &prepared->restore[i].from);
        return OB_OK;
    }
    return prepared->backend->host->err_set(err, OB_ERR_INVALID, "there is no phase %d",
                                            (int)phase);
}

ob_status ort_outputs(ob_prepared *prepared, ob_pass pass, ob_value *values, size_t capacity,
                      size_t *count, ob_err *err)
{
    const ob_host *host = prepared->backend->host;
    const bool forward = pass == OB_PASS_FORWARD;
    const ob_value *from = forward                              ? prepared->outputs
                           : prepared->progress.accumulated > 1 ? prepared->sums
                                                                : prepared->grads;
    const size_t total = forward ? prepared->output_count : prepared->grad_count;
    *count = 0;
    OB_TRY(plan_check_outputs(host, &prepared->progress, pass, total, capacity, err));
    for (size_t i = 0; i < total; i++) {
        const ob_status status = host->value_copy(&values[i], &from[i], err);
        if (status != OB_OK) {
            while (i-- > 0)
                host->value_fini(&values[i]);
            return status;
        }
    }
    *count = total;
    return OB_OK;
}
