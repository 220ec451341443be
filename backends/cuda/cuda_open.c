/* SPDX-License-Identifier: Apache-2.0
 *
 * Choosing a GPU, its context and stream, and what the records say of it.
 */
#include "cuda_backend.h"

#include <stdio.h>
#include <stdlib.h>

ob_status cuda_check(const ob_kit_env *env, CUresult result, const char *what, ob_err *err)
{
    const char *name = NULL, *text = NULL;
    if (result == CUDA_SUCCESS)
        return OB_OK;
    if (env->driver.error_name(result, &name) != CUDA_SUCCESS || name == NULL)
        name = "an error unknown to the driver";
    if (env->driver.error_text(result, &text) != CUDA_SUCCESS || text == NULL)
        text = "no text";
    return env->host->err_set(err,
                              result == CUDA_ERROR_OUT_OF_MEMORY ? OB_ERR_NOMEM : OB_ERR_BACKEND,
                              "%s: %s (%d): %s", what, name, (int)result, text);
}

/* Whether there is a driver; opening it, which may wake the GPU, is for open. */
ob_status cuda_probe(const ob_host *host, ob_reason *why_not)
{
    if (host->shared_object_find(CUDA_DRIVER_FILE, NULL, 0))
        return OB_OK;
    snprintf(why_not->text, sizeof why_not->text,
             "there is no driver for an NVIDIA GPU (" CUDA_DRIVER_FILE
             "); install the NVIDIA driver");
    return OB_ERR_UNSUPPORTED;
}

static ob_status choose_device(ob_kit_env *env, int index, ob_err *err)
{
    const cuda_driver *driver = &env->driver;
    int count = 0;
    OB_TRY(cuda_check(env, driver->init(0), "cuInit", err));
    OB_TRY(
        cuda_check(env, driver->driver_version(&env->driver_version), "cuDriverGetVersion", err));
    OB_TRY(cuda_check(env, driver->device_count(&count), "cuDeviceGetCount", err));
    if (count == 0)
        return env->host->err_set(
            err, OB_ERR_UNSUPPORTED,
            "the driver finds no GPU; see nvidia-smi and CUDA_VISIBLE_DEVICES");
    if (index >= count)
        return env->host->err_set(err, OB_ERR_INVALID,
                                  "there is no device cuda:%d; the driver has cuda:0 to cuda:%d",
                                  index, count - 1);
    env->index = index;
    return cuda_check(env, driver->device_get(&env->device, index), "cuDeviceGet", err);
}

static ob_status describe_device(ob_kit_env *env, ob_err *err)
{
    const struct {
        CUdevice_attribute attribute;
        int *to;
    } ASKED[] = {{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &env->major},
                 {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &env->minor},
                 {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &env->units},
                 {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, &env->cache_bytes}};
    const cuda_driver *driver = &env->driver;
    OB_TRY(cuda_check(
        env, driver->device_name(env->device_name, (int)sizeof env->device_name, env->device),
        "cuDeviceGetName", err));
    OB_TRY(cuda_check(env, driver->device_memory(&env->memory_bytes, env->device),
                      "cuDeviceTotalMem", err));
    for (size_t i = 0; i < sizeof ASKED / sizeof *ASKED; i++)
        OB_TRY(cuda_check(env,
                          driver->device_attribute(ASKED[i].to, ASKED[i].attribute, env->device),
                          "cuDeviceGetAttribute", err));
    return OB_OK;
}

static const ob_kit_kernel *const TABLES[] = {cuda_kernels_elementwise, cuda_kernels_matrix,
                                              ob_kit_kernels_view, NULL};
static const ob_kit_device DEVICE = {
    .name = "cuda",
    .device_types = "cuda",
    .dtypes = OB_KIT_REALS,
    .tables = TABLES,
    .allocate = cuda_allocate,
    .upload = cuda_upload,
    .download = cuda_download,
    .copy = cuda_tensor_copy,
    .fill = cuda_tensor_fill,
};

static ob_status open_backend(const ob_backend_settings *settings, ob_backend *backend, ob_err *err)
{
    ob_kit_env *env = &backend->env;
    env->host = settings->host;
    env->log = settings->log;
    OB_TRY(cuda_driver_open(settings->host, &env->driver, err));
    OB_TRY(choose_device(env, settings->device.index > 0 ? settings->device.index : 0, err));
    OB_TRY(describe_device(env, err));
    OB_TRY(cuda_check(env, env->driver.context_retain(&env->context, env->device),
                      "cuDevicePrimaryCtxRetain", err));
    OB_TRY(cuda_check(env, env->driver.context_use(env->context), "cuCtxSetCurrent", err));
    OB_TRY(cuda_check(env, env->driver.stream_create(&env->stream, CU_STREAM_NON_BLOCKING),
                      "cuStreamCreate", err));
    return ob_kit_engine_open(&backend->engine, settings->host, &DEVICE, env, err);
}

ob_status cuda_open(const ob_backend_settings *settings, ob_backend **out, ob_err *err)
{
    *out = NULL;
    ob_backend *backend = calloc(1, sizeof *backend);
    if (backend == NULL)
        return settings->host->err_set(err, OB_ERR_NOMEM, "out of memory");
    const ob_status status = open_backend(settings, backend, err);
    if (status != OB_OK) {
        cuda_close(backend);
        return status;
    }
    *out = backend;
    return OB_OK;
}

void cuda_close(ob_backend *backend)
{
    if (backend == NULL)
        return;
    ob_kit_env *env = &backend->env;
    ob_kit_engine_close(&backend->engine);
    cuda_programs_release(env);
    if (env->blas != NULL)
        env->cublas.destroy(env->blas);
    if (env->fault != 0)
        env->driver.mem_free(env->fault);
    if (env->sweep != 0)
        env->driver.mem_free(env->sweep);
    if (env->stream != NULL)
        env->driver.stream_destroy(env->stream);
    if (env->context != NULL)
        env->driver.context_release(env->device);
    free(backend); /* libraries stay open: cuBLAS and the driver do not like to be closed */
}

void cuda_library(ob_backend *backend, ob_reason *out)
{
    const int version = backend->env.driver_version;
    snprintf(out->text, sizeof out->text, "CUDA driver %d.%d", version / 1000, version % 1000 / 10);
}

void cuda_properties(ob_backend *backend, ob_property_fn fn, void *ctx)
{
    const ob_kit_env *env = &backend->env;
    char text[64];
    fn(ctx, "gpu", env->device_name);
    snprintf(text, sizeof text, "%d.%d", env->major, env->minor);
    fn(ctx, "compute_capability", text);
    snprintf(text, sizeof text, "%d.%d", env->driver_version / 1000,
             env->driver_version % 1000 / 10);
    fn(ctx, "cuda_driver", text);
    snprintf(text, sizeof text, "%d", env->units);
    fn(ctx, "multiprocessors", text);
    snprintf(text, sizeof text, "%zu", env->memory_bytes);
    fn(ctx, "memory_bytes", text);
    snprintf(text, sizeof text, "%d", env->cache_bytes);
    fn(ctx, "l2_bytes", text);
    snprintf(text, sizeof text, "%d", env->blas_version);
    fn(ctx, "cublas",
       env->blas != NULL ? text : "opened by the first case that needs it; see that record");
}
