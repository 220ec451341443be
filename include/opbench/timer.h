/* SPDX-License-Identifier: Apache-2.0
 *
 * The Timer: times a body of code as torch.utils.benchmark does. The body is a C function that runs
 * itself n times (the loop is inside it, so a call per iteration costs nothing), a case of an
 * operator on a backend (ob_session_prepare_task in run.h), or anything that answers the same
 * calls.
 *
 *     struct numbers {
 *         volatile double a, b, sum;
 *     };
 *     static ob_status add(void *ctx, uint64_t n, ob_err *err)
 *     {
 *         struct numbers *x = ctx;
 *         for (uint64_t i = 0; i < n; i++)
 *             x->sum = x->a + x->b;
 *         return OB_OK;
 *     }
 *     const ob_timer timer = {
 *         .size = sizeof timer, .task = {.run = add, .ctx = &numbers}, .spec = {.stmt = "a + b"}};
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

/* ---- measuring ---- */

/* Like ob_timer_blocked_autorange (opbench/opbench.h), each appends one measurement to the list, or
 * nothing after a failure. A block never counts as less than a nanosecond. OB_ERR_INVALID for a
 * task without a body or numbers that make no sense. */

#define OB_TIMER_NUMBER 1000000

/* One block of `number` > 0 iterations, after a block of max(number / 100, 2) that does not
 * count. */
ob_status ob_timer_timeit(const ob_timer *timer, uint64_t number, ob_measurements *to, ob_err *err);

typedef struct ob_adaptive_params {
    size_t size;           /* sizeof(ob_adaptive_params) */
    double threshold;      /* the interquartile range over the median must fall below it */
    double min_run_time_s; /* never less, unless max_run_time_s ends it */
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

enum { OB_MAX_THREAD_LIBRARIES = 8 };

/* Thread counts by library, for ob_threads_restore. */
typedef struct ob_threads {
    int counts[OB_MAX_THREAD_LIBRARIES]; /* 0 = the library is not there */
} ob_threads;

/* Sets the thread count of every library in this process that we know (OpenMP, OpenBLAS, BLIS, MKL,
 * ATen) and whose symbols are visible; *before gets what they had. OB_ERR_INVALID below 1. */
ob_status ob_threads_set(int64_t threads, ob_threads *before, ob_err *err);
void ob_threads_restore(const ob_threads *before);

#ifdef __cplusplus
}
#endif
#endif
