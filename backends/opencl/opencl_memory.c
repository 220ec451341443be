/* SPDX-License-Identifier: Apache-2.0
 *
 * Device memory. A storage's data pointer is an ocl_buffer.
 */
#include "opencl.h"

#include <stdlib.h>
#include <string.h>

static const ob_device DEVICE = {.type = "opencl", .index = 0};

ob_status ocl_buffer_create(ob_kit_env *env, size_t size, ocl_buffer **out, ob_err *err)
{
    cl_int code = CL_SUCCESS;
    ocl_buffer *buffer = calloc(1, sizeof *buffer);
    *out = NULL;
    if (buffer == NULL)
        return env->host->err_set(err, OB_ERR_NOMEM, "out of memory");
    buffer->env = env;
    buffer->size = size > 0 ? size : 1; /* there are no empty buffers */
    buffer->mem = env->cl.CreateBuffer(env->context, CL_MEM_READ_WRITE, buffer->size, NULL, &code);
    if (buffer->mem == NULL || code != CL_SUCCESS) {
        free(buffer);
        return env->host->err_set(err, OB_ERR_NOMEM,
                                  "no room for %zu bytes on the device (%s), which has %llu in all "
                                  "and allocates at most %llu at once; use smaller sizes",
                                  size, ocl_error_name(code),
                                  (unsigned long long)env->device.memory_bytes,
                                  (unsigned long long)env->device.max_alloc_bytes);
    }
    env->used_bytes += buffer->size;
    if (env->peak_bytes < env->used_bytes)
        env->peak_bytes = env->used_bytes;
    *out = buffer;
    return OB_OK;
}

void ocl_buffer_destroy(ocl_buffer *buffer)
{
    if (buffer == NULL)
        return;
    buffer->env->used_bytes -= buffer->size;
    buffer->env->cl.ReleaseMemObject(buffer->mem);
    free(buffer);
}

static void free_storage(void *data, size_t size_bytes, void *ctx)
{
    (void)size_bytes, (void)ctx;
    ocl_buffer_destroy(data);
}

ob_status ocl_storage_create(ob_kit_env *env, size_t size_bytes, ob_storage **out, ob_err *err)
{
    ocl_buffer *buffer;
    *out = NULL;
    OB_TRY(ocl_buffer_create(env, size_bytes, &buffer, err));
    const ob_status status =
        env->host->storage_wrap(buffer, size_bytes, &DEVICE, free_storage, NULL, out, err);
    if (status != OB_OK)
        ocl_buffer_destroy(buffer);
    return status;
}

/* NULL for storages of the host. */
static cl_mem device_memory(const ob_host *host, const ob_storage *storage)
{
    if (strcmp(host->storage_device(storage)->type, DEVICE.type) != 0)
        return NULL;
    return ((const ocl_buffer *)host->storage_data(storage))->mem;
}

ob_status ocl_storage_copy(ob_kit_env *env, ob_storage *to, const ob_storage *from,
                           size_t size_bytes, ob_err *err)
{
    const ob_host *host = env->host;
    if (size_bytes == 0)
        return OB_OK;
    cl_mem target = device_memory(host, to), source = device_memory(host, from);
    cl_int code = CL_SUCCESS;
    if (target != NULL && source != NULL) {
        code =
            env->cl.EnqueueCopyBuffer(env->queue, source, target, 0, 0, size_bytes, 0, NULL, NULL);
        if (code == CL_SUCCESS)
            code = env->cl.Finish(env->queue);
    } else if (target != NULL) {
        code = env->cl.EnqueueWriteBuffer(env->queue, target, CL_TRUE, 0, size_bytes,
                                          host->storage_data(from), 0, NULL, NULL);
    } else if (source != NULL) {
        code = env->cl.EnqueueReadBuffer(env->queue, source, CL_TRUE, 0, size_bytes,
                                         host->storage_data(to), 0, NULL, NULL);
    } else {
        memmove(host->storage_data(to), host->storage_data(from), size_bytes);
    }
    return code == CL_SUCCESS ? OB_OK : ocl_fail(host, code, "copying to or from the device", err);
}

ob_status ocl_alloc(ob_backend *backend, size_t size_bytes, ob_storage **out, ob_err *err)
{
    return ocl_storage_create(&backend->env, size_bytes, out, err);
}

ob_status ocl_copy(ob_backend *backend, ob_storage *to, const ob_storage *from, size_t size_bytes,
                   ob_err *err)
{
    const ob_host *host = backend->env.host;
    const size_t room = host->storage_size(to), there = host->storage_size(from);
    if (size_bytes > room || size_bytes > there)
        return host->err_set(err, OB_ERR_INVALID,
                             "copying %zu bytes from a storage of %zu into one of %zu", size_bytes,
                             there, room);
    return ocl_storage_copy(&backend->env, to, from, size_bytes, err);
}

ob_status ocl_memory_peak(ob_backend *backend, bool reset, uint64_t *peak_bytes, ob_err *err)
{
    (void)err;
    *peak_bytes = backend->env.peak_bytes;
    if (reset)
        backend->env.peak_bytes = backend->env.used_bytes;
    return OB_OK;
}
