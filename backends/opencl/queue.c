/* SPDX-License-Identifier: Apache-2.0
 *
 * The queue: enqueueing, waiting, errors that arrive late, events and the cache.
 *
 * An event is a point between commands. It keeps the command enqueued last before it and the one enqueued first
 * after it; the time between two events is from the start of the first command behind the first event to the end
 * of the last command before the second, on the device's clock. So no marker commands stand in the way, and an
 * empty interval is 0.
 */
#include "work.h"

#include <stdlib.h>
#include <string.h>

/* The command is what waiting events wait for, and the last one so far. */
void ocl_note_command(ob_kit_env *env, cl_event event)
{
    env->last_number++;
    while (env->waiting != NULL) {
        ob_event *waiter = env->waiting;
        env->waiting = waiter->next_waiting;
        waiter->waits = false;
        waiter->after = event;
        waiter->after_number = env->last_number;
        env->cl.RetainEvent(event);
    }
    if (env->last != NULL)
        env->cl.ReleaseEvent(env->last);
    env->last = event;
}

/* ---- waiting ---- */

static const char *find_site(const ob_kit_env *env, cl_int number, const char **argument)
{
    for (const ocl_work *work = env->faulty; work != NULL; work = work->next_faulty) {
        for (size_t i = 0; i < work->site_count; i++) {
            if (work->sites[i].number == number) {
                *argument = work->sites[i].argument;
                return work->op;
            }
        }
    }
    *argument = "an argument";
    return "a kernel";
}

static ob_status tell_fault(ob_kit_env *env, const ocl_fault *fault, ob_err *err)
{
    const ocl_fault none = {.site = 0};
    const char *argument;
    const char *op = find_site(env, fault->site, &argument);
    env->cl.EnqueueWriteBuffer(env->queue, env->fault, CL_TRUE, 0, sizeof none, &none, 0, NULL,
                               NULL);
    if (fault->kind == OCL_FAULT_ZERO_DIVISOR)
        return env->host->err_set(err, OB_ERR_INVALID,
                                  "%s: an integer is divided by zero; give a divisor without zeros",
                                  op);
    if (fault->kind == OCL_FAULT_OFFSETS)
        return env->host->err_set(err, OB_ERR_INVALID,
                                  "%s: an offset is %lld; offsets must rise from 0 to at most "
                                  "%lld, the number of indices",
                                  op, (long long)fault->value, (long long)fault->limit);
    return env->host->err_set(err, OB_ERR_INVALID,
                              "%s: %s has the index %lld, which is not in [0, %lld); give indices "
                              "below the size of what they index",
                              op, argument, (long long)fault->value, (long long)fault->limit);
}

/* A command that failed on the device shows it in its event. */
static cl_int last_status(const ob_kit_env *env)
{
    cl_int status = CL_COMPLETE;
    if (env->last == NULL)
        return CL_SUCCESS;
    const cl_int code = env->cl.GetEventInfo(env->last, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                             sizeof status, &status, NULL);
    return code != CL_SUCCESS ? code : status < 0 ? status : CL_SUCCESS;
}

static ob_status tell_late(ob_kit_env *env, cl_int code, ob_err *err)
{
    char notice[sizeof env->notice];
    memcpy(notice, env->notice, sizeof notice);
    notice[sizeof notice - 1] = '\0';
    env->notice[0] = '\0';
    if (env->last != NULL) /* told once; the cases after it are not to blame */
        env->cl.ReleaseEvent(env->last);
    env->last = NULL;
    return env->host->err_set(
        err, OB_ERR_BACKEND,
        "a kernel failed on the device, as reported when waiting for it: %s%s%s",
        ocl_error_name(code), notice[0] != '\0' ? "; the driver says: " : "", notice);
}

ob_status ocl_wait(ob_kit_env *env, ob_err *err)
{
    ocl_fault fault = {.site = 0};
    /* Reading what kernels left waits for them too: one call instead of two. */
    cl_int code = env->faulty != NULL
                      ? env->cl.EnqueueReadBuffer(env->queue, env->fault, CL_TRUE, 0, sizeof fault,
                                                  &fault, 0, NULL, NULL)
                      : env->cl.Finish(env->queue);
    if (code == CL_SUCCESS)
        code = last_status(env);
    if (code != CL_SUCCESS)
        return tell_late(env, code, err);
    return fault.site != 0 ? tell_fault(env, &fault, err) : OB_OK;
}

ob_status ocl_sync(ob_backend *backend, ob_err *err)
{
    return ocl_wait(&backend->env, err);
}

/* ---- events ---- */

ob_status ocl_event_create(ob_backend *backend, ob_event **out, ob_err *err)
{
    *out = calloc(1, sizeof **out);
    if (*out == NULL)
        return backend->env.host->err_set(err, OB_ERR_NOMEM, "out of memory for an event");
    (*out)->env = &backend->env;
    return OB_OK;
}

static void forget(ob_event *event)
{
    ob_kit_env *env = event->env;
    for (ob_event **at = &env->waiting; event->waits && *at != NULL; at = &(*at)->next_waiting) {
        if (*at == event) {
            *at = event->next_waiting;
            break;
        }
    }
    event->waits = false;
    if (event->before != NULL)
        env->cl.ReleaseEvent(event->before);
    if (event->after != NULL)
        env->cl.ReleaseEvent(event->after);
    event->before = event->after = NULL;
}

ob_status ocl_event_record(ob_event *event, ob_err *err)
{
    ob_kit_env *env = event->env;
    (void)err;
    forget(event);
    event->before = env->last;
    event->before_number = env->last_number;
    if (event->before != NULL)
        env->cl.RetainEvent(event->before);
    event->recorded = event->waits = true;
    event->next_waiting = env->waiting;
    env->waiting = event;
    return OB_OK;
}

static ob_status time_of(ob_kit_env *env, cl_event event, cl_profiling_info what, cl_ulong *ns,
                         ob_err *err)
{
    const cl_int code = env->cl.GetEventProfilingInfo(event, what, sizeof *ns, ns, NULL);
    if (code == CL_PROFILING_INFO_NOT_AVAILABLE)
        return env->host->err_set(err, OB_ERR_STATE,
                                  "the device has not reached an event yet; call sync first");
    return code == CL_SUCCESS ? OB_OK : ocl_fail(env->host, code, "reading a time", err);
}

ob_status ocl_event_elapsed_ns(ob_event *start, ob_event *end, double *elapsed_ns, ob_err *err)
{
    ob_kit_env *env = start->env;
    cl_ulong first = 0, last = 0;
    *elapsed_ns = 0;
    if (!start->recorded || !end->recorded)
        return env->host->err_set(err, OB_ERR_STATE,
                                  "an event was not recorded; record both first");
    if (start->after == NULL || end->before == NULL || start->after_number > end->before_number)
        return OB_OK; /* no command lies between them */
    OB_TRY(time_of(env, start->after, CL_PROFILING_COMMAND_START, &first, err));
    OB_TRY(time_of(env, end->before, CL_PROFILING_COMMAND_END, &last, err));
    *elapsed_ns = last >= first ? (double)(last - first) : -(double)(first - last);
    return OB_OK;
}

void ocl_event_destroy(ob_event *event)
{
    if (event == NULL)
        return;
    forget(event);
    free(event);
}

/* ---- cache ---- */

/* Writes a buffer several times as large as the device's cache. */
ob_status ocl_flush_cache(ob_backend *backend, ob_prepared *prepared, const char **how, ob_err *err)
{
    static const size_t least = (size_t)32 << 20, most = (size_t)512 << 20;
    ob_kit_env *env = &backend->env;
    (void)prepared;
    if (env->flush == NULL) {
        size_t size = (size_t)env->device.cache_bytes * 2;
        size = size < least ? least : size > most ? most : size;
        const uint64_t peak = env->peak_bytes;
        OB_TRY(ocl_buffer_create(env, size, &env->flush, err));
        env->used_bytes -= size; /* no memory of a case */
        env->peak_bytes = peak;
    }
    env->flush_byte++;
    const cl_int code = env->cl.EnqueueFillBuffer(env->queue, env->flush->mem, &env->flush_byte, 1,
                                                  0, env->flush->size, 0, NULL, NULL);
    if (code != CL_SUCCESS)
        return ocl_fail(env->host, code, "flushing the cache", err);
    *how = "device buffer written";
    return ocl_wait(env, err);
}
