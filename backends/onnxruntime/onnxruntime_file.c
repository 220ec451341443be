/* SPDX-License-Identifier: Apache-2.0
 *
 * A model file from the command line: the operator onnx::model, whose inputs and outputs are the file's. The file is
 * data and is read by ONNX Runtime alone. Shapes come from the values that a case has; outputs are as large as they turn
 * out to be.
 */
#include "onnxruntime_backend.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names of one side, as the library gives them. */
typedef struct ort_names {
    char **texts;
    size_t count;
} ort_names;

struct ort_file {
    OrtSession *session;
    ort_names inputs, outputs;
};

typedef OrtStatus *(*count_fn)(const OrtSession *, size_t *);
typedef OrtStatus *(*name_fn)(const OrtSession *, size_t, OrtAllocator *, char **);

static ob_status check(const ob_backend *backend, OrtStatus *status, ob_err *err)
{
    char what[600];
    if (status == NULL)
        return OB_OK;
    snprintf(what, sizeof what, "--onnx %.500s: ", backend->model_path);
    return ort_check(backend, status, what, err);
}

static ob_status read_names(const ob_backend *backend, const OrtSession *session, count_fn count,
                            name_fn name, ort_names *out, ob_err *err)
{
    OrtAllocator *allocator = NULL;
    size_t total = 0;
    OB_TRY(check(backend, backend->api->allocator_default(&allocator), err));
    OB_TRY(check(backend, count(session, &total), err));
    out->texts = calloc(total + 1, sizeof *out->texts);
    if (out->texts == NULL)
        return backend->host->err_set(err, OB_ERR_NOMEM, "out of memory for the model's names");
    for (size_t i = 0; i < total; i++) {
        char *text = NULL;
        OB_TRY(check(backend, name(session, i, allocator, &text), err));
        out->texts[i] = strdup(text);
        OB_TRY(check(backend, backend->api->allocator_free(allocator, text), err));
        if (out->texts[i] == NULL)
            return backend->host->err_set(err, OB_ERR_NOMEM, "out of memory for the model's names");
        out->count++;
    }
    return OB_OK;
}

static void free_names(ort_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->texts[i]);
    free(names->texts);
}

void ort_file_close(ob_backend *backend)
{
    ort_file *file = backend->file;
    if (file == NULL)
        return;
    if (file->session != NULL)
        backend->api->session_release(file->session);
    free_names(&file->inputs);
    free_names(&file->outputs);
    free(file);
    backend->file = NULL;
}

static ob_status open_session(ob_backend *backend, ort_file *file, ob_err *err)
{
    const ort_api *api = backend->api;
    OrtSessionOptions *options = NULL;
    ob_status status = ort_session_options(backend, &options, err);
    if (status == OB_OK)
        status = check(
            backend,
            api->session_open_file(backend->env, backend->model_path, options, &file->session),
            err);
    if (options != NULL)
        api->options_release(options);
    if (status == OB_OK)
        status = read_names(backend, file->session, api->session_input_count,
                            api->session_input_name, &file->inputs, err);
    if (status == OB_OK)
        status = read_names(backend, file->session, api->session_output_count,
                            api->session_output_name, &file->outputs, err);
    return status;
}

ob_status ort_file_open(ob_backend *backend, ob_err *err)
{
    ob_err why = {.message = ""};
    if (backend->file != NULL)
        return OB_OK;
    backend->file = calloc(1, sizeof *backend->file);
    if (backend->file == NULL)
        return backend->host->err_set(err, OB_ERR_NOMEM, "out of memory");
    const ob_status status = open_session(backend, backend->file, &why);
    if (status == OB_OK)
        return OB_OK;
    ort_file_close(backend);
    /* Whatever it is, it is the file that somebody named. */
    return backend->host->err_set(err, OB_ERR_INVALID, "%s", why.message);
}

/* ---- the operator ---- */

/* A name as an argument of a schema may have it; numbered where two become the same. */
static void append_argument(char *text, size_t size, const char *name, size_t index)
{
    const size_t used = strlen(text);
    size_t at = used;
    const int n = snprintf(text + used, size - used, "%sTensor ", index > 0 ? ", " : "");
    at += n > 0 ? (size_t)n : 0;
    const size_t start = at;
    for (; *name != '\0' && at + 16 < size; name++)
        text[at++] = isalnum((unsigned char)*name) ? *name : '_';
    if (at == start || isdigit((unsigned char)text[start]))
        snprintf(text + start, size - start, "input_%zu", index);
    else
        text[at] = '\0';
}

ob_status ort_schemas(ob_backend *backend, ob_schema_fn fn, void *ctx, ob_err *err)
{
    if (backend->model_path == NULL)
        return OB_OK;
    OB_TRY(ort_file_open(backend, err));
    const ort_file *file = backend->file;
    size_t size = 64;
    for (size_t i = 0; i < file->inputs.count; i++)
        size += strlen(file->inputs.texts[i]) + 48;
    size += file->outputs.count * 8;
    char *text = malloc(size);
    if (text == NULL)
        return backend->host->err_set(err, OB_ERR_NOMEM, "out of memory for the model's schema");
    snprintf(text, size, ORT_FILE_OPERATOR "(");
    for (size_t i = 0; i < file->inputs.count; i++)
        append_argument(text, size, file->inputs.texts[i], i);
    strcat(text, ") -> (");
    for (size_t i = 0; i < file->outputs.count; i++)
        strcat(text, i > 0 ? ", Tensor" : "Tensor");
    strcat(text, ")");
    const ob_status status = fn(ctx, text);
    free(text);
    return status;
}

bool ort_is_file_case(const ob_graph *graph)
{
    return graph->node_count == 1 &&
           strcmp(graph->nodes[0].op->schema->name, ORT_FILE_OPERATOR) == 0;
}

/* ---- cases ---- */

static ob_status bind_input(ob_prepared *p, const ob_operand *operand, const ob_prepare_args *args,
                            const char *name, ob_err *err)
{
    const ob_backend *backend = p->backend;
    const ob_host *host = backend->host;
    ort_session *s = &p->passes[OB_PASS_FORWARD];
    const ob_tensor *given = NULL;
    size_t input = 0;
    ob_tensor tensor;
    for (size_t i = 0; operand->kind == OB_OPERAND_EDGE && i < args->graph->edge_count; i++) {
        if (args->graph->edges[i].role != OB_EDGE_INPUT)
            continue;
        if (i == operand->edge && input < args->input_count &&
            args->inputs[input].kind == OB_VALUE_TENSOR)
            given = args->inputs[input].as.tensor;
        input++;
    }
    if (given == NULL || ort_dtype_number(given->dtype) == 0)
        return host->err_set(err, OB_ERR_INVALID,
                             "--onnx %.300s: the input '%.100s' needs a tensor of an element type "
                             "that ONNX has",
                             backend->model_path, name);
    if (host->tensor_is_contiguous(given)) {
        OB_TRY(host->tensor_copy(&tensor, given, err));
    } else {
        OB_TRY(ort_tensor_make(host, given, &tensor, err));
        ort_copy_elements(host, &tensor, given);
    }
    OB_TRY(ort_bound_add(backend, &s->inputs, 0, 0, &tensor, err));
    ort_bound *bound = &s->inputs.items[s->inputs.count - 1];
    OB_TRY(ort_bound_wrap(backend, bound, err));
    return check(backend, backend->api->binding_input(s->binding, name, bound->value), err);
}

/* The shape of an output is known when it is there: the first run lets the library allocate it, then it is bound to
 * memory of ours. */
static ob_status take_output(ob_prepared *p, OrtValue *value, ob_err *err)
{
    const ob_backend *backend = p->backend;
    const ort_api *api = backend->api;
    ort_session *s = &p->passes[OB_PASS_FORWARD];
    OrtTensorTypeAndShapeInfo *info = NULL;
    int64_t sizes[OB_MAX_DIMS];
    size_t ndim = 0;
    int number = 0, is_tensor = 0;
    OB_TRY(check(backend, api->value_is_tensor(value, &is_tensor), err));
    if (is_tensor == 0)
        return backend->host->err_set(err, OB_ERR_UNSUPPORTED,
                                      "--onnx %.300s: an output is not a tensor",
                                      backend->model_path);
    OB_TRY(check(backend, api->tensor_shape(value, &info), err));
    ob_status status = check(backend, api->shape_element_type(info, &number), err);
    if (status == OB_OK)
        status = check(backend, api->shape_dim_count(info, &ndim), err);
    const ob_dtype dtype = ort_dtype_from_number(number);
    if (status == OB_OK && (ndim > OB_MAX_DIMS || dtype == OB_DTYPE_INVALID))
        status = backend->host->err_set(err, OB_ERR_UNSUPPORTED,
                                        "--onnx %.300s: an output has %zu dimensions of the "
                                        "element type %d, which opbench does not have",
                                        backend->model_path, ndim, number);
    if (status == OB_OK)
        status = check(backend, api->shape_dims(info, sizes, ndim), err);
    api->shape_release(info);
    OB_TRY(status);
    ob_tensor tensor;
    OB_TRY(backend->host->tensor_init(&tensor, dtype, sizes, (int)ndim, NULL, err));
    OB_TRY(ort_bound_add(backend, &s->outputs, 0, 0, &tensor, err));
    return ort_bound_wrap(backend, &s->outputs.items[s->outputs.count - 1], err);
}

static ob_status first_run(ob_prepared *p, ob_err *err)
{
    const ob_backend *backend = p->backend;
    const ort_api *api = backend->api;
    const ort_names *names = &backend->file->outputs;
    ort_session *s = &p->passes[OB_PASS_FORWARD];
    OrtAllocator *allocator = NULL;
    OrtValue **values = NULL;
    size_t count = 0;
    for (size_t i = 0; i < names->count; i++)
        OB_TRY(check(backend,
                     api->binding_output_free(s->binding, names->texts[i], backend->memory), err));
    OB_TRY(check(backend, api->binding_run(backend->file->session, NULL, s->binding), err));
    OB_TRY(check(backend, api->allocator_default(&allocator), err));
    OB_TRY(check(backend, api->binding_values(s->binding, allocator, &values, &count), err));
    ob_status status = OB_OK;
    for (size_t i = 0; i < count; i++) {
        if (status == OB_OK)
            status = take_output(p, values[i], err);
        api->value_release(values[i]);
    }
    OrtStatus *freed = api->allocator_free(allocator, (void *)values);
    OB_TRY(status);
    return check(backend, freed, err);
}

static ob_status fill_case(ob_prepared *p, const ob_prepare_args *args, ob_err *err)
{
    const ob_backend *backend = p->backend;
    const ob_host *host = backend->host;
    const ob_graph_node *node = &args->graph->nodes[0];
    const ort_file *file = backend->file;
    ort_session *s = &p->passes[OB_PASS_FORWARD];
    OB_TRY(check(backend, backend->api->binding_create(file->session, &s->binding), err));
    for (size_t i = 0; i < file->inputs.count && i < node->op->schema->arg_count; i++)
        OB_TRY(bind_input(p, &node->args[i], args, file->inputs.texts[i], err));
    OB_TRY(first_run(p, err));
    p->outputs = calloc(s->outputs.count + 1, sizeof *p->outputs);
    if (p->outputs == NULL)
        return host->err_set(err, OB_ERR_NOMEM, "out of memory for the outputs");
    for (size_t i = 0; i < s->outputs.count; i++) {
        OB_TRY(check(backend,
                     backend->api->binding_output(s->binding, file->outputs.texts[i],
                                                  s->outputs.items[i].value),
                     err));
        OB_TRY(host->value_init_tensor(&p->outputs[i], &s->outputs.items[i].tensor, err));
        p->output_count++;
    }
    return OB_OK;
}

ob_status ort_file_prepare(ob_backend *backend, const ob_prepare_args *args, ob_prepared **out,
                           ob_err *err)
{
    *out = NULL;
    OB_TRY(ort_file_open(backend, err));
    ob_prepared *p = calloc(1, sizeof *p);
    if (p == NULL)
        return backend->host->err_set(err, OB_ERR_NOMEM, "out of memory");
    p->backend = backend;
    p->has_constants = true; /* the file's */
    p->passes[OB_PASS_FORWARD].session = backend->file->session;
    p->passes[OB_PASS_FORWARD].borrowed = true;
    const ob_status status = fill_case(p, args, err);
    if (status == OB_OK)
        *out = p;
    else
        ort_release(p);
    return status;
}
