/* SPDX-License-Identifier: Apache-2.0
 *
 * Sessions: a model opened by ONNX Runtime, with its inputs and outputs bound to memory.
 */
#include "onnxruntime_backend.h"

#include "opbench/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All lines as one, without bytes that a terminal or a record could stumble over: a model file may hold any. */
static void clean_line(const char *text, char *out, size_t size)
{
    size_t used = 0;
    for (; *text != '\0' && used + 1 < size; text++) {
        const char byte = *text == '\n' ? ' ' : *text;
        if (byte == ' ' && (used == 0 || out[used - 1] == ' '))
            continue;
        out[used++] = byte >= ' ' && byte < 0x7f ? byte : '?';
    }
    while (used > 0 && (out[used - 1] == ' ' || out[used - 1] == '.'))
        used--;
    out[used] = '\0';
}

ob_status ort_check(const ob_backend *backend, OrtStatus *status, const char *what, ob_err *err)
{
    if (status == NULL)
        return OB_OK;
    const ort_api *api = backend->api;
    char text[600];
    clean_line(api->error_message(status), text, sizeof text);
    const int code = api->error_code(status);
    /* A graph that is refused has an operator that is not there, or not for these element types. */
    const bool absent = code == ORT_CODE_NOT_IMPLEMENTED || code == ORT_CODE_INVALID_GRAPH;
    api->status_release(status);
    return backend->host->err_set(err, absent ? OB_ERR_UNSUPPORTED : OB_ERR_BACKEND,
                                  "%sONNX Runtime: %s", what, text);
}

ob_status ort_tensor_make(const ob_host *host, const ob_tensor *meta, ob_tensor *out, ob_err *err)
{
    return host->tensor_init(out, meta->dtype, meta->sizes, meta->ndim, NULL, err);
}

ob_status ort_bound_add(const ob_backend *backend, ort_bounds *list, ort_id id, ort_id asked,
                        ob_tensor *tensor, ob_err *err)
{
    if (!OB_RESERVE(list->items, list->capacity, list->count + 1)) {
        backend->host->tensor_fini(tensor);
        return backend->host->err_set(err, OB_ERR_NOMEM, "out of memory for the case");
    }
    list->items[list->count++] = (ort_bound){.id = id, .asked = asked, .tensor = *tensor};
    return OB_OK;
}

const ort_bound *ort_bound_find(const ort_bounds *list, ort_id asked)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].asked == asked)
            return &list->items[i];
    return NULL;
}

ob_status ort_bound_wrap(const ob_backend *backend, ort_bound *bound, ob_err *err)
{
    static char nothing[64]; /* an address for tensors without elements */
    const ob_host *host = backend->host;
    const ob_tensor *t = &bound->tensor;
    const size_t size = (size_t)host->tensor_numel(t) * host->dtype_get_info(t->dtype)->size_bytes;
    void *data = host->tensor_data(t);
    return ort_check(backend,
                     backend->api->tensor_wrap(
                         backend->memory, data != NULL && size > 0 ? data : nothing, size, t->sizes,
                         (size_t)t->ndim, ort_dtype_number(t->dtype), &bound->value),
                     "", err);
}

static ob_status wrap_all(const ob_backend *backend, ort_session *session, ob_err *err)
{
    for (size_t i = 0; i < session->inputs.count; i++)
        OB_TRY(ort_bound_wrap(backend, &session->inputs.items[i], err));
    for (size_t i = 0; i < session->outputs.count; i++)
        OB_TRY(ort_bound_wrap(backend, &session->outputs.items[i], err));
    return OB_OK;
}

ob_status ort_session_options(ob_backend *backend, OrtSessionOptions **out, ob_err *err)
{
    const ort_api *api = backend->api;
    *out = NULL;
    OB_TRY(ort_check(backend, api->options_create(out), "", err));
    OrtStatus *status = api->options_intra_threads(*out, backend->threads);
    if (status == NULL)
        status = api->options_inter_threads(*out, 1);
    if (status == NULL)
        status = api->options_execution(*out, ORT_EXECUTION_SEQUENTIAL);
    if (status == NULL)
        status = api->options_optimization(*out, backend->optimization_level);
    return ort_check(backend, status, "", err);
}

/* Gives the data of the model's parameters to the session. */
static ob_status give_parameters(ob_backend *backend, const ort_model *model,
                                 const ort_session *session, OrtSessionOptions *options,
                                 ob_err *err)
{
    const size_t most = session->inputs.count;
    char(*texts)[ORT_NAME_SIZE] = calloc(most + 1, sizeof *texts);
    const char **names = calloc(most + 1, sizeof *names);
    const OrtValue **values = calloc(most + 1, sizeof *values);
    size_t count = 0;
    ob_status status = OB_OK;
    if (texts == NULL || names == NULL || values == NULL) {
        backend->host->err_set(err, OB_ERR_NOMEM, "out of memory for the parameters");
        status = OB_ERR_NOMEM;
    }
    for (size_t i = 0; status == OB_OK && i < most; i++) {
        const ort_id id = session->inputs.items[i].id;
        if (model->values[id].source != ORT_FROM_PARAMETER || model->values[id].readers == 0)
            continue;
        names[count] = ort_model_name(id, texts[count]);
        values[count++] = session->inputs.items[i].value;
    }
    if (status == OB_OK && count > 0)
        status =
            ort_check(backend, backend->api->options_initializers(options, names, values, count),
                      "the parameters: ", err);
    free(texts);
    free((void *)names);
    free((void *)values);
    return status;
}

static ob_status bind(ob_backend *backend, const ort_model *model, ort_session *session,
                      ob_err *err)
{
    const ort_api *api = backend->api;
    char name[ORT_NAME_SIZE];
    OB_TRY(ort_check(backend, api->binding_create(session->session, &session->binding), "", err));
    for (size_t i = 0; i < session->inputs.count; i++) {
        const ort_bound *bound = &session->inputs.items[i];
        if (model->values[bound->id].source == ORT_FROM_INPUT)
            OB_TRY(ort_check(
                backend,
                api->binding_input(session->binding, ort_model_name(bound->id, name), bound->value),
                "", err));
    }
    for (size_t i = 0; i < session->outputs.count; i++) {
        const ort_bound *bound = &session->outputs.items[i];
        OB_TRY(ort_check(
            backend,
            api->binding_output(session->binding, ort_model_name(bound->id, name), bound->value),
            "", err));
    }
    return OB_OK;
}

/* Behind ONNX Runtime's words, which name a node of the model: the element types of the case, and what helps. */
static void add_dtypes(const ob_backend *backend, const ort_session *session, ob_err *err)
{
    bool seen[OB_DTYPE_COUNT] = {false};
    char text[160] = "";
    size_t used = 0, other = 0;
    for (size_t i = 0; i < session->inputs.count; i++) {
        const ob_dtype dtype = session->inputs.items[i].tensor.dtype;
        if (seen[dtype] || used >= sizeof text)
            continue;
        seen[dtype] = true;
        other += dtype != OB_DTYPE_F32;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? ", " : "",
                                 backend->host->dtype_get_info(dtype)->name);
    }
    const size_t length = strlen(err->message);
    snprintf(err->message + length, sizeof err->message - length, "%s%s; %s",
             used > 0 ? ", for inputs of " : "", text,
             other > 0 ? "use f32, or another backend" : "use another backend");
}

ob_status ort_session_open(ob_backend *backend, ort_model *model, ort_session *session, ob_err *err)
{
    OrtSessionOptions *options = NULL;
    ort_bytes bytes = {.data = NULL};
    ob_status status = wrap_all(backend, session, err);
    if (status == OB_OK && !ort_model_finish(model, &bytes))
        status = backend->host->err_set(err, OB_ERR_NOMEM, "out of memory for the ONNX model");
    if (status == OB_OK)
        status = ort_session_options(backend, &options, err);
    if (status == OB_OK)
        status = give_parameters(backend, model, session, options, err);
    if (status == OB_OK) {
        status = ort_check(backend,
                           backend->api->session_open(backend->env, bytes.data, bytes.size, options,
                                                      &session->session),
                           "", err);
        if (status == OB_ERR_UNSUPPORTED && err != NULL)
            add_dtypes(backend, session, err);
    }
    if (status == OB_OK)
        status = bind(backend, model, session, err);
    if (options != NULL)
        backend->api->options_release(options);
    ort_bytes_fini(&bytes);
    return status;
}

static void free_bound(const ob_backend *backend, ort_bounds *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].value != NULL)
            backend->api->value_release(list->items[i].value);
        backend->host->tensor_fini(&list->items[i].tensor);
    }
    free(list->items);
}

void ort_session_close(const ob_backend *backend, ort_session *session)
{
    if (session->binding != NULL)
        backend->api->binding_release(session->binding);
    if (session->session != NULL && !session->borrowed)
        backend->api->session_release(session->session);
    free_bound(backend, &session->inputs);
    free_bound(backend, &session->outputs);
    *session = (ort_session){.session = NULL};
}
