/* SPDX-License-Identifier: Apache-2.0
 *
 * The null backend's face: its options, open and close, and the struct that the host sees.
 */
#include "null.h"

#include <stdlib.h>

static const null_options DEFAULTS = {
    .forward_ns = 1000,
    .backward_ns = 2000,
    .queue = "on",
    .fault = "none",
    .fault_phase = "forward",
};

#define FAULT_CHOICE(word, function) "|" word
#define AT(member) .offset = offsetof(null_options, member)
#define TIME(member, what)                                                                         \
    {                                                                                              \
        .name = #member, .type = OB_OPTION_INT, AT(member), .value = "NS", .min = 0, .max = 1e15,  \
        .help = what                                                                               \
    }

static const ob_option OPTIONS[] = {
    TIME(forward_ns, "Virtual time of one forward iteration on the device (1000)."),
    TIME(backward_ns, "Virtual time of one backward iteration on the device (2000)."),
    TIME(other_ns, "Virtual time of make grad, zero grad and restore (0)."),
    TIME(launch_ns, "Virtual time the host needs to enqueue one iteration (0)."),
    TIME(cold_ns, "What the first forward after a cache flush takes longer (0)."),
    {.name = "queue",
     .type = OB_OPTION_CHOICE,
     AT(queue),
     .value = "ON",
     .choices = "on|off",
     .help = "Whether work is only enqueued (on), or done when run returns."},
    {.name = "fault",
     .type = OB_OPTION_CHOICE,
     AT(fault),
     .value = "KIND",
     .choices = "none" NULL_FAULT_MAP(FAULT_CHOICE),
     .help = "What goes wrong: an error, an error that arrives at sync, no memory, a crash, an "
             "unknown instruction, abort(), exit(3), no end, a kill, bytes or very many lines on "
             "standard output, bytes "
             "on descriptor 3 or its end, growing memory, a process that is left behind."},
    {.name = "fault_phase",
     .type = OB_OPTION_CHOICE,
     AT(fault_phase),
     .value = "PHASE",
     .choices = "open|prepare|forward|backward",
     .help = "Where the fault strikes (forward)."},
    {.name = "fault_op",
     .type = OB_OPTION_STRING,
     AT(fault_op),
     .value = "OPERATORS",
     .help = "The fault strikes only cases with one of these canonical operators."},
    {.name = "fault_at",
     .type = OB_OPTION_INT,
     AT(fault_at),
     .value = "N",
     .min = 0,
     .max = 1e15,
     .help = "In which iteration of the case the fault strikes, from 0, warm-up included (0)."},
    {.name = "unsupported",
     .type = OB_OPTION_STRING,
     AT(unsupported),
     .value = "OPERATORS",
     .help = "Canonical operators that the backend says it does not support."},
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
    backend->options =
        settings->options != NULL ? *(const null_options *)settings->options : DEFAULTS;
    null_options *options = &backend->options;
    options->queue = options->queue != NULL ? options->queue : DEFAULTS.queue;
    options->fault = options->fault != NULL ? options->fault : DEFAULTS.fault;
    options->fault_phase =
        options->fault_phase != NULL ? options->fault_phase : DEFAULTS.fault_phase;
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
    .help = "computes nothing in exactly the (virtual) time it is told; for tests",
    .device_types = "cpu null",
    .options = OPTIONS,
    .options_size = sizeof(null_options),
    .options_default = &DEFAULTS,
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
