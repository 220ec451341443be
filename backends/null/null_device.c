/* SPDX-License-Identifier: Apache-2.0
 *
 * The null device around the cases: waiting, events, memory, cache, threads, properties.
 */
#include "null.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ob_status null_sync(ob_backend *backend, ob_err *err)
{
    null_clock_sync(&backend->clock);
    if (!backend->has_late)
        return OB_OK;
    backend->has_late = false; /* told once; the cases after it are not to blame */
    if (err != NULL)
        *err = backend->late;
    return backend->late.code;
}

ob_status null_event_create(ob_backend *backend, ob_event **out, ob_err *err)
{
    *out = calloc(1, sizeof(**out));
    if (*out == NULL)
        return backend->host->err_set(err, OB_ERR_NOMEM, "out of memory");
    (*out)->backend = backend;
    return OB_OK;
}

ob_status null_event_record(ob_event *event, ob_err *err)
{
    (void)err;
    event->time_ns = null_clock_device_now(&event->backend->clock);
    event->recorded = true;
    return OB_OK;
}

/* As on a real device an event is not known before the device has passed it: an executor that
 * forgets to wait is told so. */
ob_status null_event_elapsed_ns(ob_event *start, ob_event *end, double *elapsed_ns, ob_err *err)
{
    const ob_host *host = start->backend->host;
    if (!start->recorded || !end->recorded)
        return host->err_set(err, OB_ERR_STATE, "an event was not recorded; record both first");
    const uint64_t now = start->backend->clock.host_ns;
    if (start->time_ns > now || end->time_ns > now)
        return host->err_set(err, OB_ERR_STATE,
                             "the device has not reached an event yet; call sync first");
    *elapsed_ns = end->time_ns >= start->time_ns ? (double)(end->time_ns - start->time_ns)
                                                 : -(double)(start->time_ns - end->time_ns);
    return OB_OK;
}

void null_event_destroy(ob_event *event)
{
    free(event);
}

static void free_device_memory(void *data, size_t size_bytes, void *ctx)
{
    (void)size_bytes, (void)ctx;
    free(data);
}

/* Not part of memory_peak, which is exactly the operands of the prepared cases. */
ob_status null_alloc(ob_backend *backend, size_t size_bytes, ob_storage **out, ob_err *err)
{
    static const ob_device device = {.type = "null", .index = 0};
    *out = NULL;
    void *data = malloc(size_bytes > 0 ? size_bytes : 1);
    if (data == NULL)
        return backend->host->err_set(err, OB_ERR_NOMEM, "no room for %zu bytes", size_bytes);
    const ob_status status =
        backend->host->storage_wrap(data, size_bytes, &device, free_device_memory, NULL, out, err);
    if (status != OB_OK)
        free(data);
    return status;
}

ob_status null_copy(ob_backend *backend, ob_storage *to, const ob_storage *from, size_t size_bytes,
                    ob_err *err)
{
    const ob_host *host = backend->host;
    const size_t room = host->storage_size(to), there = host->storage_size(from);
    if (size_bytes > room || size_bytes > there)
        return host->err_set(err, OB_ERR_INVALID,
                             "copying %zu bytes from a storage of %zu into one of %zu", size_bytes,
                             there, room);
    null_clock_sync(&backend->clock);
    backend->clock.host_ns += (uint64_t)backend->options.copy_ns;
    if (size_bytes > 0)
        memmove(host->storage_data(to), host->storage_data(from), size_bytes);
    return OB_OK;
}

ob_status null_memory_peak(ob_backend *backend, bool reset, uint64_t *peak_bytes, ob_err *err)
{
    (void)err;
    *peak_bytes = backend->peak_bytes;
    if (reset)
        backend->peak_bytes = backend->used_bytes;
    return OB_OK;
}

ob_status null_flush_cache(ob_backend *backend, ob_prepared *prepared, const char **how,
                           ob_err *err)
{
    (void)prepared, (void)err;
    backend->cold = true;
    backend->flush_count++;
    *how = "virtual";
    return OB_OK;
}

ob_status null_set_threads(ob_backend *backend, int threads, ob_err *err)
{
    if (threads < 1)
        return backend->host->err_set(err, OB_ERR_INVALID, "%d threads; at least 1 is needed",
                                      threads);
    backend->threads = threads;
    return OB_OK;
}

static void tell_number(ob_property_fn fn, void *ctx, const char *name, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    fn(ctx, name, text);
}

void null_properties(ob_backend *backend, ob_property_fn fn, void *ctx)
{
    fn(ctx, "library", "none (virtual time)");
    fn(ctx, "queue", backend->options.queue);
    tell_number(fn, ctx, "threads", (uint64_t)backend->threads);
    tell_number(fn, ctx, "virtual_clock_ns", backend->clock.host_ns);
    tell_number(fn, ctx, "virtual_device_ns", backend->clock.device_ns);
    tell_number(fn, ctx, "cache_flushes", backend->flush_count);
}

uint64_t null_clock_ns(ob_backend *backend)
{
    return backend->clock.host_ns;
}
