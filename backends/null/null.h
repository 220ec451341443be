/* SPDX-License-Identifier: Apache-2.0
 *
 * The null backend: computes nothing, takes exactly the time it is told to take, and fails in
 * exactly the way it is told to fail. It tests everything that runs backends: timing, queues, late
 * errors, dying workers.
 *
 * Time is virtual. There are two clocks: the host's, which run, sync and nothing else move, and the
 * device's, which says when the queued work will be done. clock_ns gives the host's.
 */
#ifndef OB_BACKEND_NULL_H
#define OB_BACKEND_NULL_H

#include "opbench/plugin.h"

typedef struct null_options {
    int64_t forward_ns, backward_ns; /* device time of one iteration */
    int64_t other_ns;                /* of make grad, zero grad and restore */
    int64_t launch_ns;               /* host time to enqueue one iteration */
    int64_t cold_ns;                 /* more for the first forward after a cache flush */
    int64_t copy_ns;                 /* of a copy to, from or on the device, whatever its size */
    int64_t slow_every, slow_ns;     /* every so many iterations one takes so much more; 0 = none */
    const char *queue;               /* "on": run only enqueues; "off": run waits */
    const char *fault;               /* a word of NULL_FAULT_MAP, or "none" */
    const char *fault_phase;         /* "open", "prepare", "forward", "backward" */
    const char *fault_op;            /* strikes only cases with this operator; NULL = all */
    int64_t fault_at;                /* which iteration of the case's phase, from 0 */
    const char *unsupported;         /* operators that supports() denies; NULL = none */
} null_options;

typedef struct null_clock {
    uint64_t host_ns;   /* now */
    uint64_t device_ns; /* when the last queued work is done */
} null_clock;

struct ob_backend {
    const ob_host *host;
    null_options options;
    null_clock clock;
    uint64_t used_bytes, peak_bytes;
    uint64_t flush_count;
    int threads;
    bool cold;     /* the cache was flushed since the last forward */
    bool has_late; /* an error waits for the next sync */
    ob_err late;
};

struct ob_prepared {
    ob_backend *backend;
    ob_pass pass;
    bool fault_here;  /* the case has the operator that the fault is for */
    uint64_t done[2]; /* iterations so far, by ob_pass */
    bool has_grad;    /* make grad ran */
    ob_value *inputs; /* references to all inputs and parameters */
    size_t input_count;
    ob_value *metas[2]; /* what outputs() makes, by ob_pass */
    size_t meta_count[2];
    uint64_t bytes;
};

struct ob_event {
    ob_backend *backend;
    bool recorded;
    uint64_t time_ns;
};

/* null_clock.c. iterations of `work_ns` device time each; OB_ERR_OVERFLOW past the end of time. */
ob_status null_clock_run(ob_backend *backend, uint64_t work_ns, uint64_t iterations, ob_err *err);
void null_clock_sync(null_clock *clock);
/* When the device reaches what would be enqueued now. */
uint64_t null_clock_device_now(const null_clock *clock);

/* What can go wrong: the word of the option `fault`, and the function in fault.c. */
#define NULL_FAULT_MAP(X)                                                                          \
    X("error", fail_now)                                                                           \
    X("late", fail_late)                                                                           \
    X("nomem", fail_memory)                                                                        \
    X("segfault", do_segfault)                                                                     \
    X("illegal", do_illegal)                                                                       \
    X("abort", do_abort)                                                                           \
    X("exit", do_exit)                                                                             \
    X("hang", do_hang)                                                                             \
    X("oom-kill", do_kill)                                                                         \
    X("garbage", do_garbage)                                                                       \
    X("flood", do_flood)                                                                           \
    X("scribble", do_scribble)                                                                     \
    X("hangup", do_hangup)                                                                         \
    X("grow", do_grow)                                                                             \
    X("grow-apart", do_grow_apart)                                                                 \
    X("grow-file", do_grow_file)                                                                   \
    X("stop", do_stop)                                                                             \
    X("orphan", do_orphan)                                                                         \
    X("runaway", do_runaway)

/* fault.c. Whether the options' fault belongs to this phase ("forward", ...). */
bool null_fault_is_for(const ob_backend *backend, const char *phase);
/* Does it. Returns for faults that are errors, and OB_OK for those after which work goes on. */
ob_status null_fault_strike(ob_backend *backend, const char *phase, ob_err *err);

/* null_values.c */
ob_status null_value_zeros(const ob_host *host, const ob_value *meta, ob_value *out, ob_err *err);
ob_status null_value_bytes(const ob_host *host, const ob_value *value, uint64_t *bytes,
                           ob_err *err);

/* null_case.c */
ob_status null_supports(ob_backend *backend, const ob_graph *graph, ob_pass pass,
                        ob_reason *why_not);
ob_status null_prepare(ob_backend *backend, const ob_prepare_args *args, ob_prepared **out,
                       ob_err *err);
void null_release(ob_prepared *prepared);
ob_status null_run(ob_prepared *prepared, ob_phase phase, uint64_t iterations, ob_err *err);
ob_status null_outputs(ob_prepared *prepared, ob_pass pass, ob_value *values, size_t capacity,
                       size_t *count, ob_err *err);

/* null_device.c */
ob_status null_sync(ob_backend *backend, ob_err *err);
ob_status null_event_create(ob_backend *backend, ob_event **out, ob_err *err);
ob_status null_event_record(ob_event *event, ob_err *err);
ob_status null_event_elapsed_ns(ob_event *start, ob_event *end, double *elapsed_ns, ob_err *err);
void null_event_destroy(ob_event *event);
ob_status null_alloc(ob_backend *backend, size_t size_bytes, ob_storage **out, ob_err *err);
ob_status null_copy(ob_backend *backend, ob_storage *to, const ob_storage *from, size_t size_bytes,
                    ob_err *err);
ob_status null_memory_peak(ob_backend *backend, bool reset, uint64_t *peak_bytes, ob_err *err);
ob_status null_flush_cache(ob_backend *backend, ob_prepared *prepared, const char **how,
                           ob_err *err);
ob_status null_set_threads(ob_backend *backend, int threads, ob_err *err);
void null_properties(ob_backend *backend, ob_property_fn fn, void *ctx);
uint64_t null_clock_ns(ob_backend *backend);

#endif
