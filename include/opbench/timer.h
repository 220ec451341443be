/* SPDX-License-Identifier: Apache-2.0
 *
 * The Timer: times a body of code as torch.utils.benchmark does. The body is a C function that runs
 * itself n times (the loop is inside it, so a call per iteration costs nothing), a case of an operator
 * on a backend (ob_session_prepare_task in run.h), or anything that answers the same calls.
 *
 *     static ob_status add(void *ctx, uint64_t n, ob_err *err)
 *     {
 *         for (uint64_t i = 0; i < n; i++)
 *             ...
 *         return OB_OK;
 *     }
 *     const ob_timer timer = {
 *         .size = sizeof timer, .task = {.run = add, .ctx = &data}, .spec = {.stmt = "a + b"}};
 *     status = ob_timer_blocked_autorange(&timer, OB_TIMER_MIN_RUN_TIME_S, measurements, &err);
 *
 * Nothing here keeps state: a timer may be used again and copied. docs/timer.md says what is timed.
 */
#ifndef OPBENCH_TIMER_H
#define OPBENCH_TIMER_H

#include "opbench/measurement.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what is timed ---- */

/* run or time_block must be there; the rest may be NULL. Every function but set_threads may be called
 * many times; a failure ends the measurement and is its result. */
typedef struct ob_timer_task {
    /* The body, n times; n may be 0. */
    ob_status (*run)(void *ctx, uint64_t n, ob_err *err);
    /* Before every block, untimed. */
    ob_status (*setup)(void *ctx, ob_err *err);
    /* Waits until nothing is under way any more; called before each reading of the clock. */
    ob_status (*sync)(void *ctx, ob_err *err);
    /* Sets how many threads the body uses and says how many it had; called again with that number
     * at the end. NULL = ob_threads_set: every library in the process that we know. */
    ob_status (*set_threads)(void *ctx, int64_t threads, int64_t *before, ob_err *err);
    /* Instead of run, setup, sync and our clock: a body with a clock of its own, such as one in
     * another process. Runs a block of n and gives the seconds it took. */
    ob_status (*time_block)(void *ctx, uint64_t n, double *seconds, ob_err *err);
    void *ctx;
} ob_timer_task;

typedef struct ob_timer {
    size_t size; /* sizeof(ob_timer) */
    ob_timer_task task;
    ob_task_spec spec;     /* num_threads 0 = 1 */
    const ob_clock *clock; /* NULL = monotonic */
    /* After each block of an autorange that counts; not OB_OK ends the measurement with that status.
     * May be NULL. */
    ob_status (*progress)(void *ctx, uint64_t number, double seconds, ob_err *err);
    void *progress_ctx;
} ob_timer;

/* ---- measuring ---- */

/* Each appends one measurement to the list, or nothing after a failure. A block never counts as less
 * than a nanosecond. OB_ERR_INVALID for a task without a body or numbers that make no sense. */

#define OB_TIMER_NUMBER 1000000
#define OB_TIMER_MIN_RUN_TIME_S 0.2

/* One block of `number` > 0 iterations, after a block of max(number / 100, 2) that does not count. */
ob_status ob_timer_timeit(const ob_timer *timer, uint64_t number, ob_measurements *to, ob_err *err);

/* Blocks until they took min_run_time_s in all, at least one. Their size is a power of ten, found
 * before: large enough for the clock's cost to be below a ten-thousandth, and for a thousandth of
 * min_run_time_s. One untimed iteration comes first, so that a slow first call does not mislead it. */
ob_status ob_timer_blocked_autorange(const ob_timer *timer, double min_run_time_s,
                                     ob_measurements *to, ob_err *err);

typedef struct ob_adaptive_params {
    size_t size;           /* sizeof(ob_adaptive_params) */
    double threshold;      /* of the interquartile range over the median; must come below it */
    double min_run_time_s; /* never less, but for max_run_time_s */
    double max_run_time_s; /* a block that ends beyond it is the last one; 0 = no limit */
} ob_adaptive_params;
#define OB_ADAPTIVE_THRESHOLD 0.1
#define OB_ADAPTIVE_MIN_RUN_TIME_S 0.01
#define OB_ADAPTIVE_MAX_RUN_TIME_S 10
#define OB_ADAPTIVE_DEFAULTS                                                                       \
    {                                                                                              \
        .size = sizeof(ob_adaptive_params), .threshold = OB_ADAPTIVE_THRESHOLD,                    \
        .min_run_time_s = OB_ADAPTIVE_MIN_RUN_TIME_S, .max_run_time_s = OB_ADAPTIVE_MAX_RUN_TIME_S \
    }

/* Blocks, at least four, until their spread is below the threshold. The block size is found as for
 * blocked_autorange with 0.05 s, whatever min_run_time_s is. params NULL = the defaults. */
ob_status ob_timer_adaptive_autorange(const ob_timer *timer, const ob_adaptive_params *params,
                                      ob_measurements *to, ob_err *err);

/* ---- threads ---- */

enum { OB_MOST_THREAD_LIBRARIES = 8 };

/* Thread counts by library, for ob_threads_restore. */
typedef struct ob_threads {
    int counts[OB_MOST_THREAD_LIBRARIES]; /* 0 = the library is not there */
} ob_threads;

/* Sets the thread count of every library in this process that we know (OpenMP, OpenBLAS, BLIS, MKL,
 * ATen) and whose symbols are visible; *before gets what they had. OB_ERR_INVALID below 1. */
ob_status ob_threads_set(int64_t threads, ob_threads *before, ob_err *err);
void ob_threads_restore(const ob_threads *before);

#ifdef __cplusplus
}
#endif
#endif
