/* SPDX-License-Identifier: Apache-2.0
 *
 * The onnxruntime backend as a plug-in: its options, opening, its description and its entry.
 */
#include "onnxruntime_backend.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

#define ROW(kind, member, ...) OB_OPTION(kind, #member, ort_options, member, __VA_ARGS__)

static const ob_option OPTIONS[] = {
    ROW(CHOICE, optimization, .value = "LEVEL", .choices = "none|basic|extended|all",
        .initial = "all", .help = "How far ONNX Runtime optimises graphs."),
    ROW(CHOICE, weights, .value = "HOW", .choices = "constant|input", .initial = "constant",
        .help = "Make the parameters of modules constants of the model, or inputs."),
    ROW(STRING, model, .value = "FILE",
        .help = "An ONNX model, which becomes the operator onnx::model."),
    {.name = NULL},
};

static const struct {
    const char *name;
    int number; /* of the API's enum */
} LEVELS[] = {{"none", 0}, {"basic", 1}, {"extended", 2}, {"all", 99}};

static void on_log(void *param, int severity, const char *category, const char *logid,
                   const char *place, const char *message)
{
    const ob_backend *backend = param;
    (void)category, (void)logid, (void)place;
    /* Errors come back as a status too. */
    backend->host->log_message(backend->log, severity >= ORT_LOG_ERROR ? OB_LOG_DEBUG : OB_LOG_INFO,
                               "ONNX Runtime: %s", message);
}

static ob_status probe(const ob_host *host, ob_reason *why_not)
{
    return ort_library_probe(host, why_not);
}

static void close_backend(ob_backend *backend)
{
    if (backend == NULL)
        return;
    ort_file_close(backend);
    free(backend->model_path);
    if (backend->memory != NULL)
        backend->api->memory_release(backend->memory);
    if (backend->env != NULL)
        backend->api->env_release(backend->env);
    free(backend);
}

/* What the library's cpuinfo learns when it is first used it keeps for good, on some processors without a pointer to
 * it: a leak that is not ours. */
static OrtStatus *create_env(ob_backend *backend)
{
#ifdef __SANITIZE_ADDRESS__
    __lsan_disable();
#endif
    OrtStatus *status =
        backend->api->env_create(on_log, backend, ORT_LOG_WARNING, "opbench", &backend->env);
#ifdef __SANITIZE_ADDRESS__
    __lsan_enable();
#endif
    return status;
}

static ob_status start_library(ob_backend *backend, ob_err *err)
{
    const ort_api *api = backend->api;
    OB_TRY(ort_check(backend, create_env(backend), "", err));
    OB_TRY(ort_check(backend, api->telemetry_off(backend->env), "", err));
    OB_TRY(ort_check(backend,
                     api->memory_create_cpu(ORT_ALLOCATOR_ARENA, ORT_MEM_DEFAULT, &backend->memory),
                     "", err));
    return ort_find_quirks(backend, err);
}

static ob_status start(ob_backend *backend, const ob_backend_settings *settings, ob_err *err)
{
    const ort_options *options = settings->options;
    backend->host = settings->host;
    backend->log = settings->log;
    backend->threads = settings->threads > 0 ? settings->threads : 1;
    backend->weights_as_inputs = strcmp(options->weights, "input") == 0;
    for (size_t i = 0; i < sizeof LEVELS / sizeof *LEVELS; i++)
        if (strcmp(LEVELS[i].name, options->optimization) == 0) {
            backend->optimization = LEVELS[i].name;
            backend->optimization_level = LEVELS[i].number;
        }
    OB_TRY(ort_library_open(backend->host, &backend->library, err));
    backend->api = &backend->library->api;
    OB_TRY(ort_start_quietly(backend, start_library, err));
    if (options->model == NULL)
        return OB_OK;
    backend->model_path = strdup(options->model);
    return backend->model_path != NULL ? ort_file_open(backend, err)
                                       : backend->host->err_set(err, OB_ERR_NOMEM, "out of memory");
}

static ob_status open_backend(const ob_backend_settings *settings, ob_backend **out, ob_err *err)
{
    *out = NULL;
    ob_backend *backend = calloc(1, sizeof *backend);
    if (backend == NULL)
        return settings->host->err_set(err, OB_ERR_NOMEM, "out of memory");
    const ob_status status = start(backend, settings, err);
    if (status == OB_OK)
        *out = backend;
    else
        close_backend(backend);
    return status;
}

/* Sessions have the number of threads that was set when they were made. */
static ob_status set_threads(ob_backend *backend, int threads, ob_err *err)
{
    enum { MOST = 4096 };
    if (threads < 1 || threads > MOST)
        return backend->host->err_set(err, OB_ERR_INVALID,
                                      "%d threads; the onnxruntime backend takes 1 to %d", threads,
                                      (int)MOST);
    if (threads != backend->threads)
        ort_file_close(backend); /* it is opened again, with these */
    backend->threads = threads;
    return OB_OK;
}

static void properties(ob_backend *backend, ob_property_fn fn, void *ctx)
{
    char number[16];
    fn(ctx, "library", backend->library->path);
    fn(ctx, "version", backend->library->version);
    fn(ctx, "provider", "CPUExecutionProvider");
    snprintf(number, sizeof number, "%d", backend->threads);
    fn(ctx, "intra_op_threads", number);
    fn(ctx, "inter_op_threads", "1");
    fn(ctx, "optimization", backend->optimization);
    fn(ctx, "weights", backend->weights_as_inputs ? "input" : "constant");
    snprintf(number, sizeof number, "%d", (int)ORT_OPSET);
    fn(ctx, "opset", number);
    if (backend->loses_nan) /* these take longer here than the library's own operators would */
        fn(ctx, "nan_put_back", "Max, Min");
    if (backend->model_path != NULL)
        fn(ctx, "model", backend->model_path);
}

static void library(ob_backend *backend, ob_reason *out)
{
    snprintf(out->text, sizeof out->text, "ONNX Runtime %s", backend->library->version);
}

static const ob_backend_desc BACKEND = {
    .name = "onnxruntime",
    .help = "ONNX Runtime on the CPU: operators and graphs as ONNX models made in memory",
    .device_types = "cpu",
    .options = OPTIONS,
    .options_size = sizeof(ort_options),
    .probe = probe,
    .open = open_backend,
    .close = close_backend,
    .supports = ort_supports,
    .prepare = ort_prepare,
    .release = ort_release,
    .run = ort_run,
    .outputs = ort_outputs,
    .refill = ort_refill,
    .set_threads = set_threads,
    .properties = properties,
    .library = library,
    .schemas = ort_schemas,
};

OB_PLUGIN_OF_BACKEND(BACKEND, "onnxruntime", "1");
