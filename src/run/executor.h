/* SPDX-License-Identifier: Apache-2.0
 *
 * Executor: runs one prepared case and takes samples. It knows modes, phases and clocks, and nothing of
 * operators, configs or records.
 */
#ifndef OB_RUN_EXECUTOR_H
#define OB_RUN_EXECUTOR_H

#include "opbench/plugin.h"
#include "run/marks.h"
#include "run/ring.h"

typedef enum ob_exec_mode {
    OB_EXEC_DISCRETE,          /* one sample per iteration, device idle before and after */
    OB_EXEC_CONTINUOUS,        /* one sample per block of iterations */
    OB_EXEC_CONTINUOUS_EVENTS, /* one sample per iteration, from the device's own events */
} ob_exec_mode;

/* A growing row of numbers. */
typedef struct ob_series {
    double *values;
    size_t count, capacity;
} ob_series;
bool ob__series_reserve(ob_series *series, size_t more);
void ob__series_fini(ob_series *series);

/* What one pass gave, in ns per iteration and in bytes. */
typedef struct ob_pass_samples {
    ob_series warmup_ns, measure_ns;
    ob_series warmup_peak_bytes, measure_peak_bytes;
    ob_series disturbed;       /* indices of measured samples, rising */
    ob_series faulted, faults; /* indices of those with page faults; how many each had */
} ob_pass_samples;

typedef struct ob_exec_result {
    ob_pass_samples forward, backward; /* backward only if asked for */
    uint64_t number_per_run;           /* iterations behind one sample of the measure phase */
    const char *cache;                 /* how the cache was flushed; "" when hot */
    const char
        *disturbed_by; /* ob__disturbance_source; NULL = what disturbed samples is not known */
} ob_exec_result;
void ob__exec_result_fini(ob_exec_result *result);

/* A block that takes a millisecond has the clock's cost below a thousandth. */
#define OB_LONG_BLOCK_NS 1e6

/* Whether the measure phase may end: asked after each sample. NULL in the settings = a fixed count. */
typedef bool (*ob_enough_fn)(void *ctx, const double *samples_ns, size_t count);

typedef struct ob_exec_settings {
    ob_exec_mode mode;
    ob_pass pass;
    bool cold; /* discrete mode only */
    /* How caches are emptied where the backend does not do it; NULL = they cannot be. */
    ob_status (*flush)(void *ctx, const char **how, ob_err *err);
    void *flush_ctx;
    uint64_t warmup, iterations; /* 0 = none */
    /* Continuous: iterations per block; 0 = all in one block, as PARAM does. With `enough` the block is
     * estimated when it is 0. */
    uint64_t block;
    double block_ns;  /* how long an estimated block should take; 0 = OB_LONG_BLOCK_NS */
    double warmup_ns; /* how long the warm-up should take at least */
    double turn_ns;   /* how long a turn should take; 0 = a block, or a millisecond of iterations */
    ob_enough_fn enough;
    void *enough_ctx;
    const ob_marks *marks; /* told of phases and intervals; NULL = nobody */
    struct ob_sample_log
        *log;        /* gets every finished sample, outside of what is timed; NULL = none */
    ob_turns *turns; /* other backends run between blocks; NULL = nobody does */
    struct ob_disturbance *disturbance; /* of the calling thread; NULL = nobody looks */
} ob_exec_settings;

typedef struct ob_exec_target {
    const ob_backend_desc *desc;
    ob_backend *backend;
    ob_prepared *prepared;
    bool restores; /* the case writes into its inputs: OB_PHASE_RESTORE before each sample */
    bool is_far;   /* in another process: a call may take far longer than an iteration */
} ob_exec_target;

/* result is the caller's, to be freed also after a failure: it holds the samples so far. */
ob_status ob__execute(const ob_exec_target *target, const ob_exec_settings *settings,
                      ob_exec_result *result, ob_err *err);

#endif
