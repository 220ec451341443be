/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory of the device as storages: the data pointer is the device's address, which the host must not read.
 */
#include "cuda_backend.h"

#include <stdint.h>
#include <string.h>

static CUdeviceptr address_of(const ob_host *host, const ob_storage *storage)
{
    return (CUdeviceptr)(uintptr_t)host->storage_data(storage);
}

CUdeviceptr cuda_address(const ob_host *host, const ob_tensor *tensor)
{
    const size_t size = host->dtype_get_info(tensor->dtype)->size_bytes;
    return address_of(host, tensor->storage) + (CUdeviceptr)tensor->offset * size;
}

/* A failure to free is the late message of an earlier error, which sync has told. */
static void free_memory(void *data, size_t size_bytes, void *ctx)
{
    const ob_kit_env *env = ctx;
    (void)size_bytes;
    env->driver.mem_free((CUdeviceptr)(uintptr_t)data);
}

ob_status cuda_allocate(ob_kit_env *env, size_t size_bytes, ob_storage **out, ob_err *err)
{
    const ob_device device = {.type = "cuda", .index = (int8_t)env->index};
    CUdeviceptr address = 0;
    *out = NULL;
    OB_TRY(cuda_check(env, env->driver.mem_alloc(&address, size_bytes > 0 ? size_bytes : 1),
                      "no memory on the device", err));
    const ob_status status =
        env->host->storage_wrap((void *)(uintptr_t)address, // NOLINT(performance-no-int-to-ptr)
                                size_bytes, &device, free_memory, env, out, err);
    if (status != OB_OK)
        env->driver.mem_free(address);
    return status;
}

/* The stream does not wait for copies of the default one, nor they for it: what was enqueued is finished
 * first. */
ob_status cuda_upload(ob_kit_env *env, ob_storage *to, const ob_storage *from, size_t size_bytes,
                      ob_err *err)
{
    if (size_bytes == 0)
        return OB_OK;
    OB_TRY(cuda_check(env, env->driver.stream_wait(env->stream), "before an upload", err));
    return cuda_check(env,
                      env->driver.mem_upload(address_of(env->host, to),
                                             env->host->storage_data(from), size_bytes),
                      "upload", err);
}

ob_status cuda_download(ob_kit_env *env, ob_storage *to, const ob_storage *from, size_t size_bytes,
                        ob_err *err)
{
    if (size_bytes == 0)
        return OB_OK;
    OB_TRY(cuda_check(env, env->driver.stream_wait(env->stream), "before a download", err));
    return cuda_check(env,
                      env->driver.mem_download(env->host->storage_data(to),
                                               address_of(env->host, from), size_bytes),
                      "download", err);
}

ob_status cuda_alloc(ob_backend *backend, size_t size_bytes, ob_storage **out, ob_err *err)
{
    return cuda_allocate(&backend->env, size_bytes, out, err);
}

static bool on_device(const ob_host *host, const ob_storage *storage)
{
    return strcmp(host->storage_device(storage)->type, "cuda") == 0;
}

ob_status cuda_copy(ob_backend *backend, ob_storage *to, const ob_storage *from, size_t size_bytes,
                    ob_err *err)
{
    ob_kit_env *env = &backend->env;
    const ob_host *host = env->host;
    const size_t room = host->storage_size(to), there = host->storage_size(from);
    if (size_bytes > room || size_bytes > there)
        return host->err_set(err, OB_ERR_INVALID,
                             "copying %zu bytes from a storage of %zu into one of %zu", size_bytes,
                             there, room);
    if (!on_device(host, to))
        return cuda_download(env, to, from, size_bytes, err);
    if (!on_device(host, from))
        return cuda_upload(env, to, from, size_bytes, err);
    OB_TRY(cuda_check(env, env->driver.stream_wait(env->stream), "before a copy", err));
    return size_bytes == 0 ? OB_OK
                           : cuda_check(env,
                                        env->driver.mem_copy(address_of(host, to),
                                                             address_of(host, from), size_bytes),
                                        "copy", err);
}
