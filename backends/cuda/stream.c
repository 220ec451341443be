/* SPDX-License-Identifier: Apache-2.0
 *
 * Waiting, events and the cache of the device.
 */
#include "cuda_backend.h"

#include <stdlib.h>

/* The fault is told once; the cases after it are not to blame. */
static ob_status check_fault(ob_kit_env *env, ob_err *err)
{
    int fault = 0;
    const int none = 0;
    if (env->fault == 0)
        return OB_OK;
    OB_TRY(cuda_check(env, env->driver.mem_download(&fault, env->fault, sizeof fault),
                      "reading the fault word", err));
    if (fault == 0)
        return OB_OK;
    OB_TRY(cuda_check(env, env->driver.mem_upload(env->fault, &none, sizeof none),
                      "clearing the fault word", err));
    return env->host->err_set(err, OB_ERR_INVALID,
                              "an integer is divided by zero; give a divisor without zeros");
}

ob_status cuda_sync(ob_backend *backend, ob_err *err)
{
    ob_kit_env *env = &backend->env;
    OB_TRY(cuda_check(env, env->driver.stream_wait(env->stream),
                      "a kernel or copy failed on the device", err));
    return check_fault(env, err);
}

ob_status cuda_event_create(ob_backend *backend, ob_event **out, ob_err *err)
{
    ob_kit_env *env = &backend->env;
    *out = calloc(1, sizeof **out);
    if (*out == NULL)
        return env->host->err_set(err, OB_ERR_NOMEM, "out of memory");
    (*out)->env = env;
    const ob_status status = cuda_check(
        env, env->driver.event_create(&(*out)->event, CU_EVENT_DEFAULT), "cuEventCreate", err);
    if (status != OB_OK) {
        free(*out);
        *out = NULL;
    }
    return status;
}

ob_status cuda_event_record(ob_event *event, ob_err *err)
{
    return cuda_check(event->env, event->env->driver.event_record(event->event, event->env->stream),
                      "cuEventRecord", err);
}

/* The driver counts in milliseconds, in steps of about half a microsecond. */
ob_status cuda_event_elapsed_ns(ob_event *start, ob_event *end, double *elapsed_ns, ob_err *err)
{
    float milliseconds = 0;
    OB_TRY(cuda_check(start->env,
                      start->env->driver.event_elapsed(&milliseconds, start->event, end->event),
                      "cuEventElapsedTime", err));
    *elapsed_ns = (double)milliseconds * 1e6;
    return OB_OK;
}

void cuda_event_destroy(ob_event *event)
{
    if (event == NULL)
        return;
    event->env->driver.event_destroy(event->event);
    free(event);
}

/* Writing over twice the cache leaves nothing of the operands in it. */
ob_status cuda_flush_cache(ob_backend *backend, ob_prepared *prepared, const char **how,
                           ob_err *err)
{
    ob_kit_env *env = &backend->env;
    (void)prepared;
    *how = "L2 overwritten twice";
    if (env->sweep == 0) {
        const size_t size = env->cache_bytes > 0 ? (size_t)env->cache_bytes * 2 : (size_t)64 << 20;
        OB_TRY(cuda_check(env, env->driver.mem_alloc(&env->sweep, size),
                          "no memory on the device for sweeping the cache", err));
        env->sweep_bytes = size;
    }
    return cuda_check(env, env->driver.mem_set(env->sweep, 0, env->sweep_bytes, env->stream),
                      "the sweep of the cache", err);
}
