/* SPDX-License-Identifier: Apache-2.0
 *
 * Running a prepared case. Everything is bound, so a forward is one call of ONNX Runtime; memory that an operator
 * changes in place is copied back after it where the model could not write to it.
 */
#include "onnxruntime_backend.h"

#include <stdlib.h>

static ob_status run_session(const ob_backend *backend, const ort_session *session, ob_err *err)
{
    OrtStatus *status = backend->api->binding_run(session->session, NULL, session->binding);
    return status == NULL ? OB_OK : ort_check(backend, status, "", err);
}

/* ---- phases ---- */

static ob_status run_forward(ob_prepared *prepared, ob_err *err)
{
    const ob_backend *backend = prepared->backend;
    OB_TRY(run_session(backend, &prepared->passes[OB_PASS_FORWARD], err));
    for (size_t i = 0; i < prepared->after.count; i++)
        ort_copy_elements(backend->host, &prepared->after.items[i].to,
                          &prepared->after.items[i].from);
    return OB_OK;
}

static void make_grad(ob_prepared *prepared)
{
    const ort_session *backward = &prepared->passes[OB_PASS_BACKWARD];
    for (size_t i = 0; i < backward->inputs.count; i++)
        if (backward->inputs.items[i].is_seed)
            ort_fill_ones(prepared->backend->host, &backward->inputs.items[i].tensor);
    prepared->progress.has_seed = true;
}

ob_status ort_run(ob_prepared *prepared, ob_phase phase, uint64_t iterations, ob_err *err)
{
    OB_TRY(ob_kit_check_order(prepared->backend->host, &prepared->progress, prepared->backward,
                              phase, err));
    switch (phase) {
    case OB_PHASE_FORWARD:
        prepared->progress.ran = true;
        for (uint64_t i = 0; i < iterations; i++)
            OB_TRY(run_forward(prepared, err));
        return OB_OK;
    case OB_PHASE_BACKWARD:
        prepared->progress.has_grads = true;
        for (uint64_t i = 0; i < iterations; i++)
            OB_TRY(run_session(prepared->backend, &prepared->passes[OB_PASS_BACKWARD], err));
        return OB_OK;
    case OB_PHASE_MAKE_GRAD:
        make_grad(prepared);
        return OB_OK;
    case OB_PHASE_ZERO_GRAD:
        prepared->progress.has_grads = false;
        return OB_OK;
    case OB_PHASE_RESTORE:
        for (size_t i = 0; i < prepared->restore.count; i++)
            ort_copy_elements(prepared->backend->host, &prepared->restore.items[i].to,
                              &prepared->restore.items[i].from);
        return OB_OK;
    }
    return prepared->backend->host->err_set(err, OB_ERR_INVALID, "there is no phase %d",
                                            (int)phase);
}

/* Constants of the model are in it once and for all, and a file has its own. */
ob_status ort_refill(ob_prepared *prepared, ob_err *err)
{
    const ob_host *host = prepared->backend->host;
    if (prepared->has_constants)
        return host->err_set(err, OB_ERR_UNSUPPORTED, "the parameters are constants of the model");
    for (size_t i = 0; i < prepared->gathered.count; i++)
        ort_copy_elements(host, &prepared->gathered.items[i].to, &prepared->gathered.items[i].from);
    for (size_t i = 0; i < prepared->restore.count; i++)
        ort_copy_elements(host, &prepared->restore.items[i].from, &prepared->restore.items[i].to);
    return OB_OK;
}

ob_status ort_outputs(ob_prepared *prepared, ob_pass pass, ob_value *values, size_t capacity,
                      size_t *count, ob_err *err)
{
    const ob_host *host = prepared->backend->host;
    const bool forward = pass == OB_PASS_FORWARD;
    const ob_value *from = forward ? prepared->outputs : prepared->grads;
    const size_t total = forward ? prepared->output_count : prepared->grad_count;
    *count = 0;
    OB_TRY(ob_kit_check_outputs(host, &prepared->progress, pass, total, capacity, err));
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
