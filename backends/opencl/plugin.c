/* SPDX-License-Identifier: Apache-2.0
 *
 * The OpenCL backend as a plug-in: opening and closing, its options, its description and its entry.
 */
#include "opencl.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- opening ---- */

/* Called by a thread of the driver. */
static void CL_CALLBACK take_notice(const char *text, const void *data, size_t size, void *ctx)
{
    ob_kit_env *env = ctx;
    (void)data, (void)size;
    if (env->notice[0] == '\0')
        snprintf(env->notice, sizeof env->notice, "%s", text);
}

static ob_status open_queue(ob_kit_env *env, ob_err *err)
{
    const ocl_fault none = {.site = 0};
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                (cl_context_properties)env->device.platform, 0};
    cl_int code;
    env->context = env->cl.CreateContext(properties, 1, &env->device.id, take_notice, env, &code);
    if (env->context == NULL || code != CL_SUCCESS)
        return ocl_fail(env->host, code, "opening the device", err);
    env->queue =
        env->cl.CreateCommandQueue(env->context, env->device.id, CL_QUEUE_PROFILING_ENABLE, &code);
    if (env->queue == NULL || code != CL_SUCCESS)
        return ocl_fail(env->host, code, "making the device's queue", err);
    env->fault = env->cl.CreateBuffer(env->context, CL_MEM_READ_WRITE, sizeof none, NULL, &code);
    if (env->fault != NULL && code == CL_SUCCESS)
        code = env->cl.EnqueueWriteBuffer(env->queue, env->fault, CL_TRUE, 0, sizeof none, &none, 0,
                                          NULL, NULL);
    return code == CL_SUCCESS ? OB_OK : ocl_fail(env->host, code, "writing to the device", err);
}

static ob_status open_backend(const ob_backend_settings *settings, ob_backend *backend, ob_err *err)
{
    const ocl_options *options = settings->options;
    ob_kit_env *env = &backend->env;
    env->host = settings->host;
    env->log = settings->log;
    env->threads_asked = settings->threads > 0 ? settings->threads : 1;
    env->tiles =
        options != NULL && options->matmul != NULL && strcmp(options->matmul, "tiles") == 0;
    ocl_environment_set(env->threads_asked);
    OB_TRY(ocl_api_load(env->host, options != NULL ? options->library : NULL, &env->cl, err));
    OB_TRY(ocl_device_choose(env, &settings->device, err));
    OB_TRY(open_queue(env, err));
    return ob_kit_engine_open(&backend->engine, env->host, &ocl_plan_device, env, err);
}

static void close_backend(ob_backend *backend)
{
    if (backend == NULL)
        return;
    ob_kit_env *env = &backend->env;
    if (env->queue != NULL)
        env->cl.Finish(env->queue);
    if (env->last != NULL)
        env->cl.ReleaseEvent(env->last);
    if (env->flush != NULL) {
        env->used_bytes += env->flush->size; /* it was taken out of the count */
        ocl_buffer_destroy(env->flush);
    }
    if (env->programs != NULL)
        ocl_programs_release(env);
    if (env->fault != NULL)
        env->cl.ReleaseMemObject(env->fault);
    if (env->queue != NULL)
        env->cl.ReleaseCommandQueue(env->queue);
    if (env->context != NULL)
        env->cl.ReleaseContext(env->context);
    ob_kit_engine_close(&backend->engine);
    free(backend);
}

static ob_status open_device(const ob_backend_settings *settings, ob_backend **out, ob_err *err)
{
    *out = NULL;
    ob_backend *backend = calloc(1, sizeof *backend);
    if (backend == NULL)
        return settings->host->err_set(err, OB_ERR_NOMEM, "out of memory");
    const ob_status status = open_backend(settings, backend, err);
    if (status != OB_OK) {
        close_backend(backend);
        return status;
    }
    *out = backend;
    return OB_OK;
}

/* ---- cases ---- */

static bool has_double(const ob_value *value)
{
    if (value->kind == OB_VALUE_TENSOR)
        return value->as.tensor->dtype == OB_DTYPE_F64;
    bool found = false;
    if (ob_value_is_list(value)) {
        for (size_t i = 0; !found && i < value->as.list.count; i++)
            found = has_double(&value->as.list.items[i]);
    }
    return found;
}

static ob_status supports(ob_backend *backend, const ob_graph *graph, ob_pass pass,
                          ob_reason *why_not)
{
    const ocl_device *device = &backend->env.device;
    for (size_t i = 0; i < graph->edge_count; i++) {
        if (device->has_fp64 || !has_double(&graph->edges[i].meta))
            continue;
        snprintf(why_not->text, sizeof why_not->text,
                 "the device %s has no doubles (cl_khr_fp64); use f32", device->name);
        return OB_ERR_UNSUPPORTED;
    }
    return ob_kit_supports(&backend->engine, graph, pass, why_not);
}

static ob_status prepare(ob_backend *backend, const ob_prepare_args *args, ob_prepared **out,
                         ob_err *err)
{
    return ob_kit_prepare(&backend->engine, args, out, err);
}

/* What kernels left is told before results that may be wrong. */
static ob_status outputs(ob_prepared *prepared, ob_pass pass, ob_value *values, size_t capacity,
                         size_t *count, ob_err *err)
{
    *count = 0;
    OB_TRY(ocl_wait(ob_kit_env_of(prepared), err));
    return ob_kit_outputs(prepared, pass, values, capacity, count, err);
}

/* A driver makes its threads when it is loaded: the number cannot change afterwards. */
static ob_status set_threads(ob_backend *backend, int threads, ob_err *err)
{
    ob_kit_env *env = &backend->env;
    if (!env->device.is_cpu || threads == env->threads_asked || threads == (int)env->device.units)
        return OB_OK;
    return env->host->err_set(
        err, OB_ERR_UNSUPPORTED,
        "the OpenCL device was opened with %u compute units and cannot change to "
        "%d threads; start opbench again with --num-threads %d",
        env->device.units, threads, threads);
}

static int threads(ob_backend *backend)
{
    return (int)backend->env.device.units;
}

static ob_status probe(const ob_host *host, ob_reason *why_not)
{
    return ocl_api_probe(host, why_not);
}

/* ---- the plug-in ---- */

static const ob_option OPTIONS[] = {
    OB_OPTION(STRING, "library", ocl_options, library, .value = "FILE", .otherwise = OCL_LIBRARY,
              .help = "The OpenCL library."),
    OB_OPTION(CHOICE, "matmul", ocl_options, matmul, .value = "HOW", .choices = "auto|tiles",
              .initial = "auto",
              .help = "Matrix products: chosen by the kind of device, or with tiles in local "
                      "memory as on GPUs."),
    {.name = NULL},
};

static const ob_backend_desc BACKEND = {
    .name = "opencl",
    .help = "kernels in OpenCL C on any device with a driver; PoCL turns the CPU into one",
    .device_types = "opencl cpu",
    .options = OPTIONS,
    .options_size = sizeof(ocl_options),
    .asynchronous = true,
    .probe = probe,
    .open = open_device,
    .close = close_backend,
    .supports = supports,
    .prepare = prepare,
    .release = ob_kit_release,
    .run = ob_kit_run,
    .outputs = outputs,
    .sync = ocl_sync,
    .event_create = ocl_event_create,
    .event_record = ocl_event_record,
    .event_elapsed_ns = ocl_event_elapsed_ns,
    .event_destroy = ocl_event_destroy,
    .refill = ob_kit_refill,
    .alloc = ocl_alloc,
    .copy = ocl_copy,
    .memory_peak = ocl_memory_peak,
    .flush_cache = ocl_flush_cache,
    .set_threads = set_threads,
    .properties = ocl_properties,
    .library = ocl_library,
    .threads = threads,
    .owns_gradients = true,
};

OB_PLUGIN_OF_BACKEND(BACKEND, "opencl", "1");
