/* SPDX-License-Identifier: Apache-2.0
 *
 * What builds of one version of ONNX Runtime differ in, found out when the backend is opened: distributions build it
 * with their own Eigen and ONNX, so the version says little.
 */
#include "onnxruntime_backend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- Max and Min ---- */

enum { LENGTH = 9 }; /* a vector and what is left behind it */

static ob_status add_tensor(const ob_backend *backend, ort_bounds *list, ort_id id, ob_err *err)
{
    ob_tensor tensor;
    OB_TRY(
        backend->host->tensor_init(&tensor, OB_DTYPE_F32, (const int64_t[]){LENGTH}, 1, NULL, err));
    return ort_bound_add(backend, list, id, id, &tensor, err);
}

/* Element i of operand k: each is NaN where the other is not. */
static void fill(const ob_backend *backend, const ort_session *session)
{
    for (size_t k = 0; k < session->inputs.count; k++) {
        float *data = backend->host->tensor_data(&session->inputs.items[k].tensor);
        for (size_t i = 0; i < LENGTH; i++)
            data[i] = i % 2 == k ? NAN : 1.0F;
    }
}

static bool any_number(const ob_backend *backend, const ort_session *session)
{
    for (size_t k = 0; k < session->outputs.count; k++) {
        const float *data = backend->host->tensor_data(&session->outputs.items[k].tensor);
        for (size_t i = 0; i < LENGTH; i++)
            if (!isnan(data[i]))
                return true;
    }
    return false;
}

static ob_status try_extremes(ob_backend *backend, ort_model *model, ort_session *session,
                              ob_err *err)
{
    static const char *const OPS[] = {"Max", "Min"};
    const int64_t sizes[] = {LENGTH};
    ort_id operands[2];
    for (size_t i = 0; i < 2; i++) {
        operands[i] = ort_model_input(model, OB_DTYPE_F32, sizes, 1);
        OB_TRY(add_tensor(backend, &session->inputs, operands[i], err));
    }
    for (size_t i = 0; i < 2; i++) {
        const ort_id result = ort_model_node(model, OPS[i], operands, 2, 1, OB_DTYPE_F32, NULL);
        OB_TRY(
            add_tensor(backend, &session->outputs, ort_model_output(model, result, sizes, 1), err));
    }
    fill(backend, session);
    OB_TRY(ort_session_open(backend, model, session, err));
    OB_TRY(ort_check(backend, backend->api->binding_run(session->session, NULL, session->binding),
                     "", err));
    backend->loses_nan = any_number(backend, session);
    return OB_OK;
}

ob_status ort_find_quirks(ob_backend *backend, ob_err *err)
{
    ort_model model = {.failed = false};
    ort_session session = {.session = NULL};
    const ob_status status = try_extremes(backend, &model, &session, err);
    ort_session_close(backend, &session);
    ort_model_fini(&model);
    return status;
}

/* ---- what it says while it starts ---- */

/* Writes what is in the file to standard error, without the lines about schemas and the empty ones behind them. */
static void pass_on(int file)
{
    static const char noise[] = "Schema error: Trying to register schema with name ";
    FILE *text = lseek(file, 0, SEEK_SET) == 0 ? fdopen(file, "r") : NULL;
    char *line = NULL;
    size_t size = 0;
    bool dropped = false;
    if (text == NULL) {
        close(file);
        return;
    }
    while (getline(&line, &size, text) >= 0) {
        dropped = strncmp(line, noise, strlen(noise)) == 0 || (dropped && line[0] == '\n');
        if (!dropped)
            fputs(line, stderr);
    }
    free(line);
    fclose(text);
}

ob_status ort_start_quietly(ob_backend *backend, ob_status (*start)(ob_backend *, ob_err *),
                            ob_err *err)
{
    fflush(stderr);
    const int own = dup(STDERR_FILENO), file = memfd_create("onnxruntime", MFD_CLOEXEC);
    const bool aside = own >= 0 && file >= 0 && dup2(file, STDERR_FILENO) >= 0;
    const ob_status status = start(backend, err);
    fflush(stderr);
    if (aside)
        dup2(own, STDERR_FILENO);
    if (own >= 0)
        close(own);
    if (aside)
        pass_on(file);
    else if (file >= 0)
        close(file);
    return status;
}
