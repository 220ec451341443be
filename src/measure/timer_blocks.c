/* SPDX-License-Identifier: Apache-2.0
 *
 * The Timer's three ways to measure, as torch.utils.benchmark has them. Inside a timed interval there
 * is one call of the task's run(n) and, if it has one, sync; outside are setup, the sync before, and
 * everything of ours. The cost of two clock readings is in the interval; the block size keeps it below
 * a ten-thousandth.
 *
 * What is ours: one untimed iteration before the block size is estimated. Without it a slow first call
 * (memory, lazy loading) passes for the usual one, and the size stays at 1.
 */
#include "measure/timer_blocks.h"

#include "base/sized.h"
#include "opbench/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- a block ---- */

static ob_status sync(const ob_timer *timer, ob_err *err)
{
    return timer->task.sync != NULL ? timer->task.sync(timer->task.ctx, err) : OB_OK;
}

static ob_status read_clock(const ob_timer *timer, uint64_t n, double *seconds, ob_err *err)
{
    const ob_timer_task *task = &timer->task;
    const ob_clock clock = timer->clock != NULL ? *timer->clock : ob_clock_monotonic();
    if (task->setup != NULL)
        OB_TRY(task->setup(task->ctx, err));
    OB_TRY(sync(timer, err));
    const uint64_t start_ns = ob_clock_now_ns(&clock);
    OB_TRY(task->run(task->ctx, n, err));
    OB_TRY(sync(timer, err));
    const uint64_t end_ns = ob_clock_now_ns(&clock);
    if (end_ns < start_ns)
        return ob_err_set(
            err, OB_ERR_UNSUPPORTED,
            "the clock went backwards during a block; timing needs a monotonic clock");
    *seconds = (double)(end_ns - start_ns) / 1e9;
    return OB_OK;
}

static ob_status time_block(const ob_timer *timer, uint64_t n, double *seconds, ob_err *err)
{
    const ob_timer_task *task = &timer->task;
    *seconds = 0;
    OB_TRY(task->time_block != NULL ? task->time_block(task->ctx, n, seconds, err)
                                    : read_clock(timer, n, seconds, err));
    if (!isfinite(*seconds))
        return ob_err_set(err, OB_ERR_INVALID, "a block took %g seconds; times must be finite",
                          *seconds);
    /* Nothing below the clock's resolution: later quotients need a time above 0. */
    *seconds = fmax(*seconds, 1e-9);
    return OB_OK;
}

/* A block that counts. */
static ob_status add_block(const ob_timer *timer, ob_timing *timing, ob_err *err)
{
    double seconds;
    if (!OB_RESERVE(timing->raw_times_s, timing->capacity, timing->count + 1))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for %zu samples", timing->count);
    OB_TRY(time_block(timer, timing->number_per_run, &seconds, err));
    timing->raw_times_s[timing->count++] = seconds;
    timing->total_s += seconds;
    return OB_OK;
}

/* A block of an autorange: its progress is told. */
static ob_status add_told_block(const ob_timer *timer, ob_timing *timing, ob_err *err)
{
    OB_TRY(add_block(timer, timing, err));
    return timer->progress != NULL ? timer->progress(timer->progress_ctx, timing->number_per_run,
                                                     timing->raw_times_s[timing->count - 1], err)
                                   : OB_OK;
}

/* ---- the block size ---- */

enum { OVERHEAD_CALLS = 5, MOST_NUMBER = 2147483647 };

/* The median of what an empty block takes. In single precision, as the original has it: cases on the
 * edge come out the same. */
static ob_status measure_overhead(const ob_timer *timer, double *overhead_s, ob_err *err)
{
    double calls[OVERHEAD_CALLS];
    for (size_t i = 0; i < OVERHEAD_CALLS; i++) {
        OB_TRY(time_block(timer, 0, &calls[i], err));
        calls[i] = (double)(float)calls[i];
    }
    ob_stats_sort(calls, OVERHEAD_CALLS);
    *overhead_s = calls[OVERHEAD_CALLS / 2];
    return OB_OK;
}

/* One iteration; no clock is read unless it is the task's own. */
static ob_status run_untimed(const ob_timer *timer, ob_err *err)
{
    const ob_timer_task *task = &timer->task;
    double unused_s;
    if (task->time_block != NULL)
        return task->time_block(task->ctx, 1, &unused_s, err);
    if (task->setup != NULL)
        OB_TRY(task->setup(task->ctx, err));
    OB_TRY(task->run(task->ctx, 1, err));
    return sync(timer, err);
}

static ob_status estimate_number(const ob_timer *timer, double min_run_time_s, uint64_t *number,
                                 ob_err *err)
{
    static const double MOST_OVERHEAD = 1e-4;
    double overhead_s, seconds;
    OB_TRY(run_untimed(timer, err));
    OB_TRY(measure_overhead(timer, &overhead_s, err));
    for (*number = 1;; *number *= 10) {
        OB_TRY(time_block(timer, *number, &seconds, err));
        if (overhead_s / seconds <= MOST_OVERHEAD && seconds >= min_run_time_s / 1000)
            return OB_OK;
        if (seconds > min_run_time_s || *number * 10 > MOST_NUMBER)
            return OB_OK;
    }
}

/* ---- spread ---- */

/* All times of the measurement, ascending: each new one is put in its place, which is cheaper than
 * sorting them all after every block. */
static ob_status put_sorted(ob_timing *timing, ob_err *err)
{
    if (!OB_RESERVE(timing->sorted, timing->sorted_capacity, timing->count))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for %zu samples", timing->count);
    const double time = timing->raw_times_s[timing->count - 1] / (double)timing->number_per_run;
    size_t low = 0, high = timing->count - 1;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (timing->sorted[middle] <= time)
            low = middle + 1;
        else
            high = middle;
    }
    memmove(timing->sorted + low + 1, timing->sorted + low,
            (timing->count - 1 - low) * sizeof *timing->sorted);
    timing->sorted[low] = time;
    return OB_OK;
}

static bool is_confident(const ob_timing *timing, double threshold)
{
    enum { LEAST_BLOCKS = 4 };
    if (timing->count < LEAST_BLOCKS)
        return false;
    const double iqr = ob_stats_quantile(timing->sorted, timing->count, 0.75) -
                       ob_stats_quantile(timing->sorted, timing->count, 0.25);
    return iqr / ob_stats_quantile(timing->sorted, timing->count, 0.5) < threshold;
}

/* ---- the ways ---- */

static ob_status timeit(const ob_timer *timer, const ob_timer_way *way, ob_timing *timing,
                        ob_err *err)
{
    double unused_s;
    const uint64_t warmup = way->number / 100 > 2 ? way->number / 100 : 2;
    timing->number_per_run = way->number;
    OB_TRY(time_block(timer, warmup, &unused_s, err));
    return add_block(timer, timing, err);
}

static ob_status blocked(const ob_timer *timer, const ob_timer_way *way, ob_timing *timing,
                         ob_err *err)
{
    OB_TRY(estimate_number(timer, way->min_run_time_s, &timing->number_per_run, err));
    do
        OB_TRY(add_told_block(timer, timing, err));
    while (timing->total_s < way->min_run_time_s);
    return OB_OK;
}

static ob_status adaptive(const ob_timer *timer, const ob_timer_way *way, ob_timing *timing,
                          ob_err *err)
{
    static const double ESTIMATE_S = 0.05;
    bool confident = false;
    OB_TRY(estimate_number(timer, ESTIMATE_S, &timing->number_per_run, err));
    while (timing->total_s < way->min_run_time_s || !confident) {
        OB_TRY(add_told_block(timer, timing, err));
        OB_TRY(put_sorted(timing, err));
        confident = is_confident(timing, way->threshold);
        if (way->max_run_time_s > 0 && timing->total_s > way->max_run_time_s)
            break;
    }
    return OB_OK;
}

/* ---- around them ---- */

static ob_status check(const ob_timer *timer, const ob_timer_way *way, ob_err *err)
{
    if (timer->task.run == NULL && timer->task.time_block == NULL)
        return ob_err_set(err, OB_ERR_INVALID, "a timer's task needs run or time_block");
    if (timer->spec.num_threads < 0)
        return ob_err_set(err, OB_ERR_INVALID, "%lld threads are not possible; give 1 or more",
                          (long long)timer->spec.num_threads);
    if (way->kind == OB_TIMER_TIMEIT && (way->number < 1 || way->number > INT64_MAX))
        return ob_err_set(err, OB_ERR_INVALID, "timeit needs a number of 1 or more");
    if (isnan(way->min_run_time_s) || isnan(way->max_run_time_s) || isnan(way->threshold))
        return ob_err_set(err, OB_ERR_INVALID,
                          "a limit of the measurement is not a number; give seconds and a share");
    return OB_OK;
}

/* Our own thread setting, or the task's. */
typedef struct threads {
    ob_threads libraries;
    int64_t task;
} threads;

static ob_status set_threads(const ob_timer *timer, threads *before, ob_err *err)
{
    const ob_timer_task *task = &timer->task;
    const int64_t count = timer->spec.num_threads > 0 ? timer->spec.num_threads : 1;
    before->task = count;
    return task->set_threads != NULL ? task->set_threads(task->ctx, count, &before->task, err)
                                     : ob_threads_set(count, &before->libraries, err);
}

static ob_status restore_threads(const ob_timer *timer, const threads *before, ob_err *err)
{
    const ob_timer_task *task = &timer->task;
    int64_t unused;
    if (task->set_threads != NULL)
        return task->set_threads(task->ctx, before->task, &unused, err);
    ob_threads_restore(&before->libraries);
    return OB_OK;
}

ob_status ob__timer_measure(const ob_timer *timer, const ob_timer_way *way, ob_timing *out,
                            ob_err *err)
{
    static ob_status (*const WAYS[])(const ob_timer *, const ob_timer_way *, ob_timing *,
                                     ob_err *) = {
        [OB_TIMER_TIMEIT] = timeit, [OB_TIMER_BLOCKED] = blocked, [OB_TIMER_ADAPTIVE] = adaptive};
    threads before;
    *out = (ob_timing){.number_per_run = 1};
    OB_TRY(check(timer, way, err));
    OB_TRY(set_threads(timer, &before, err));
    ob_status status = WAYS[way->kind](timer, way, out, err);
    const ob_status restored = restore_threads(timer, &before, status == OB_OK ? err : NULL);
    return status == OB_OK ? restored : status;
}

void ob__timing_fini(ob_timing *timing)
{
    free(timing->raw_times_s);
    free(timing->sorted);
    *timing = (ob_timing){.number_per_run = 0};
}

/* ---- as measurements ---- */

static ob_status measure_to(const ob_timer *timer, const ob_timer_way *way, ob_measurements *to,
                            ob_err *err)
{
    ob_timing timing;
    ob_timer own;
    OB_TRY(OB__TAKE(ob_timer, &own, timer, err));
    ob_status status = ob__timer_measure(&own, way, &timing, err);
    if (status == OB_OK) {
        ob_measurement made = {.number_per_run = (int64_t)timing.number_per_run,
                               .raw_times = timing.raw_times_s,
                               .count = timing.count,
                               .task = own.spec};
        if (made.task.num_threads == 0)
            made.task.num_threads = 1;
        status = ob_measurements_add(to, &made, err);
    }
    ob__timing_fini(&timing);
    return status;
}

ob_status ob_timer_timeit(const ob_timer *timer, uint64_t number, ob_measurements *to, ob_err *err)
{
    const ob_timer_way way = {.kind = OB_TIMER_TIMEIT, .number = number};
    return measure_to(timer, &way, to, err);
}

ob_status ob_timer_blocked_autorange(const ob_timer *timer, double min_run_time_s,
                                     ob_measurements *to, ob_err *err)
{
    const ob_timer_way way = {.kind = OB_TIMER_BLOCKED, .min_run_time_s = min_run_time_s};
    return measure_to(timer, &way, to, err);
}

ob_status ob_timer_adaptive_autorange(const ob_timer *timer, const ob_adaptive_params *params,
                                      ob_measurements *to, ob_err *err)
{
    ob_adaptive_params own = OB_ADAPTIVE_DEFAULTS;
    if (params != NULL)
        OB_TRY(OB__TAKE(ob_adaptive_params, &own, params, err));
    const ob_timer_way way = {.kind = OB_TIMER_ADAPTIVE,
                              .threshold = own.threshold,
                              .min_run_time_s = own.min_run_time_s,
                              .max_run_time_s = own.max_run_time_s};
    return measure_to(timer, &way, to, err);
}
