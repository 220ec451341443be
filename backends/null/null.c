/* SPDX-License-Identifier: Apache-2.0
 *
 * The null backend's face: its options, open and close, and the struct that the host sees.
 */
#include "null.h"

#include <stdlib.h>

#define FAULT_CHOICE(word, function) "|" word
#define ROW(kind, member, ...) OB_OPTION(kind, #member, null_options, member, __VA_ARGS__)
#define COUNT(member, number, ...)                                                                 \
    ROW(INT, member, .min = 0, .max = 1e15, .initial = (number), __VA_ARGS__)
#define TIME(member, number, text) COUNT(member, number, .unit = "ns", .help = (text))

static const ob_option OPTIONS[] = {
    TIME(forward_ns, "1000", "Virtual time of one forward iteration on the device."),
    TIME(backward_ns, "2000", "Virtual time of one backward iteration on the device."),
    TIME(other_ns, "0", "Virtual time of make grad, zero grad and restore."),
    TIME(launch_ns, "0", "Virtual time that the host needs to enqueue one iteration."),
    TIME(cold_ns, "0", "Extra time of the first forward after a cache flush."),
    TIME(copy_ns, "1000", "Virtual time of a copy to, from or on the device, of any size."),
    COUNT(slow_every, "0", .value = "N",
          .help = "Disturb one in this many iterations of a pass; 0: none."),
    TIME(slow_ns, "0", "Extra time of a disturbed iteration."),
    ROW(CHOICE, queue, .value = "ON", .choices = "on|off", .initial = "on",
        .help = "Whether work is only enqueued (on), or done when run returns."),
    ROW(CHOICE, fault, .value = "KIND", .choices = "none" NULL_FAULT_MAP(FAULT_CHOICE),
        .initial = "none",
        .help = "What goes wrong: an error, an error that arrives at sync, no memory, a crash, an "
                "unknown instruction, abort(), exit(3), an endless loop, a kill, bytes or very "
                "many lines on standard output, bytes on descriptor 3 or closing it, growing "
                "memory, a process left behind."),
    ROW(CHOICE, fault_phase, .value = "PHASE", .choices = "open|prepare|forward|backward",
        .initial = "forward", .help = "Where the fault strikes."),
    ROW(STRING, fault_op, .value = "OPERATORS",
        .help = "The fault strikes only cases with one of these canonical operators."),
    COUNT(fault_at, "0", .value = "N",
          .help = "In which iteration of the case the fault strikes, from 0, including warm-up."),
    ROW(STRING, unsupported, .value = "OPERATORS",
        .help = "Canonical operators that the backend says it does not support."),
    {.name = NULL},
};

static void null_close(ob_backend *backend)
{
    free(backend);
}

static ob_status null_open(const ob_backend_settings *settings, ob_backend **out, ob_err *err)
{
    *out = NULL;
    ob_backend *backend = calloc(1, sizeof *backend);
    if (backend == NULL)
        return settings->host->err_set(err, OB_ERR_NOMEM, "out of memory");
    backend->host = settings->host;
    backend->options = *(const null_options *)settings->options;
    backend->threads = settings->threads > 0 ? settings->threads : 1;
    if (null_fault_is_for(backend, "open")) {
        const ob_status status = null_fault_strike(backend, "open", err);
        if (status != OB_OK) {
            null_close(backend);
            return status;
        }
    }
    *out = backend;
    return OB_OK;
}

static const ob_backend_desc BACKEND = {
    .name = "null",
    .help = "computes nothing, in exactly the (virtual) time given; for tests",
    .device_types = "cpu null",
    .options = OPTIONS,
    .options_size = sizeof(null_options),
    .has_autograd = true,
    .asynchronous = true,
    .open = null_open,
    .close = null_close,
    .supports = null_supports,
    .prepare = null_prepare,
    .release = null_release,
    .run = null_run,
    .outputs = null_outputs,
    .sync = null_sync,
    .event_create = null_event_create,
    .event_record = null_event_record,
    .event_elapsed_ns = null_event_elapsed_ns,
    .event_destroy = null_event_destroy,
    .alloc = null_alloc,
    .copy = null_copy,
    .memory_peak = null_memory_peak,
    .flush_cache = null_flush_cache,
    .set_threads = null_set_threads,
    .properties = null_properties,
    .clock_ns = null_clock_ns,
};

OB_PLUGIN_OF_BACKEND(BACKEND, "null", "1");
