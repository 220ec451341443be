/* SPDX-License-Identifier: Apache-2.0
 *
 * A case of an operator as a task of the Timer. Inside a timed interval there is one call of the
 * backend's run(forward, n), and sync if it is asynchronous; restoring inputs that the case changes is
 * its setup, once per block. With a backward, an iteration is a forward, its backward, and dropping the gradients, as in
 * `f(x).backward()`; the gradient that goes in is made before the block. Time is the backend's own where it has one.
 */
#include "run/timed_case.h"

#include "measure/stop.h"
#include "measure/timer_blocks.h"
#include "run/sample_log.h"

#include <math.h>
#include <string.h>

/* ---- the task ---- */

static ob_status task_run(void *ctx, uint64_t n, ob_err *err)
{
    const ob_session *s = ctx;
    return n > 0 ? s->desc->run(s->setup.prepared, OB_PHASE_FORWARD, n, err) : OB_OK;
}

static ob_status task_restore(void *ctx, ob_err *err)
{
    const ob_session *s = ctx;
    return s->desc->run(s->setup.prepared, OB_PHASE_RESTORE, 1, err);
}

static ob_status task_run_pairs(void *ctx, uint64_t n, ob_err *err)
{
    const ob_session *s = ctx;
    for (uint64_t i = 0; i < n; i++) {
        OB_TRY(s->desc->run(s->setup.prepared, OB_PHASE_FORWARD, 1, err));
        OB_TRY(s->desc->run(s->setup.prepared, OB_PHASE_BACKWARD, 1, err));
        OB_TRY(s->desc->run(s->setup.prepared, OB_PHASE_ZERO_GRAD, 1, err));
    }
    return OB_OK;
}

/* The gradient that goes in has the shape of an output, so there must be one. */
static ob_status task_make_grad(void *ctx, ob_err *err)
{
    const ob_session *s = ctx;
    if (s->setup.writes_inputs)
        OB_TRY(task_restore(ctx, err));
    OB_TRY(s->desc->run(s->setup.prepared, OB_PHASE_FORWARD, 1, err));
    OB_TRY(s->desc->run(s->setup.prepared, OB_PHASE_MAKE_GRAD, 1, err));
    return s->setup.writes_inputs ? task_restore(ctx, err) : OB_OK;
}

static ob_status task_sync(void *ctx, ob_err *err)
{
    const ob_session *s = ctx;
    return s->desc->sync(s->backend, err);
}

static ob_status task_set_threads(void *ctx, int64_t threads, int64_t *before, ob_err *err)
{
    ob_session *s = ctx;
    *before = s->options.threads;
    if (threads == s->options.threads)
        return OB_OK;
    if (s->desc->set_threads == NULL)
        return ob_err_set(err, OB_ERR_UNSUPPORTED, "backend %s cannot set its threads",
                          s->desc->name);
    OB_TRY(s->desc->set_threads(s->backend, (int)threads, err));
    s->options.threads = threads;
    return OB_OK;
}

ob_timer_task ob__session_task(ob_session *s)
{
    const bool pairs = s->setup.has_backward;
    return (ob_timer_task){.run = pairs ? task_run_pairs : task_run,
                           .setup = pairs                    ? task_make_grad
                                    : s->setup.writes_inputs ? task_restore
                                                             : NULL,
                           .sync = s->desc->asynchronous ? task_sync : NULL,
                           .set_threads = task_set_threads,
                           .ctx = s};
}

static uint64_t backend_now_ns(void *ctx)
{
    const ob_session *s = ctx;
    return s->desc->clock_ns(s->backend);
}

ob_clock ob_session_clock(ob_session *s)
{
    return s->desc->clock_ns != NULL ? (ob_clock){.now_ns = backend_now_ns, .ctx = s}
                                     : ob_clock_monotonic();
}

/* ---- the measurement ---- */

static ob_status add_sample(ob_session *s, uint64_t number, double seconds, ob_err *err)
{
    ob_series *times = &s->samples.forward.measure_ns;
    if (!ob__series_reserve(times, 1))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the samples");
    s->samples.number_per_run = number;
    /* The clock counts whole nanoseconds. */
    times->values[times->count++] = rint(seconds * 1e9) / (double)number;
    if (s->log != NULL && !s->setup.has_backward) /* a lost case would have them as a forward's */
        ob__sample_log_take(s->log, &s->samples);
    return OB_OK;
}

static ob_status take_block(void *ctx, uint64_t number, double seconds, ob_err *err)
{
    return add_sample(ctx, number, seconds, err);
}

/* Method, what it is in the Timer, what the record calls its rule, least run time. */
static const struct {
    const char *word;
    ob_timer_kind kind;
    ob_stop_rule_kind rule;
    double min_run_time_s;
} METHODS[] = {
    {"blocked", OB_TIMER_BLOCKED, OB_STOP_MIN_TIME, OB_TIMER_MIN_RUN_TIME_S},
    {"adaptive", OB_TIMER_ADAPTIVE, OB_STOP_PRECISION, 0.01},
    {"timeit", OB_TIMER_TIMEIT, OB_STOP_COUNT, 0},
};

static ob_status find_way(const ob_timer_options *o, ob_timer_way *way, ob_record_result *r,
                          ob_err *err)
{
    for (size_t i = 0; i < sizeof METHODS / sizeof *METHODS; i++)
        if (strcmp(o->method, METHODS[i].word) == 0) {
            *way =
                (ob_timer_way){.kind = METHODS[i].kind,
                               .number = o->number > 0 ? (uint64_t)o->number : 0,
                               .min_run_time_s = o->min_run_time_s >= 0 ? o->min_run_time_s
                                                                        : METHODS[i].min_run_time_s,
                               .max_run_time_s = o->max_run_time_s,
                               .threshold = o->threshold};
            r->stop_rule = ob__stop_rule_name(METHODS[i].rule);
            return OB_OK;
        }
    return ob_err_set(err, OB_ERR_INVALID,
                      "there is no method \"%s\"; give blocked, adaptive or timeit", o->method);
}

/* ---- a cold cache ---- */

/* One iteration that finds the caches empty. */
static ob_status take_cold(ob_session *s, const ob_timer_task *task, const ob_clock *clock,
                           double *seconds, ob_err *err)
{
    const ob_session_flush_fn flush = ob__session_flush(s);
    if (task->setup != NULL)
        OB_TRY(task->setup(task->ctx, err));
    OB_TRY(flush != NULL
               ? flush(s, &s->samples.cache, err)
               : s->desc->flush_cache(s->backend, s->setup.prepared, &s->samples.cache, err));
    const uint64_t began_ns = clock->now_ns(clock->ctx);
    OB_TRY(task->run(task->ctx, 1, err));
    if (task->sync != NULL)
        OB_TRY(task->sync(task->ctx, err));
    *seconds = (double)(clock->now_ns(clock->ctx) - began_ns) * 1e-9;
    return OB_OK;
}

/* In a block every iteration but the first would find the cache as the one before left it: each is a sample, or, with timeit,
 * their sum is one. Time runs on while caches are emptied, which takes longer than most operators. */
static ob_status time_cold(ob_session *s, const ob_timer_way *way, ob_err *err)
{
    enum { LEAST = 3, MOST = 10000 };
    const ob_clock clock = ob_session_clock(s), real = ob_clock_monotonic();
    const ob_timer_task task = ob__session_task(s);
    const bool is_sum = way->kind == OB_TIMER_TIMEIT;
    double seconds, sum = 0;
    if (ob__session_flush(s) == NULL && s->desc->flush_cache == NULL)
        return ob_err_set(err, OB_ERR_UNSUPPORTED,
                          "backend %s cannot flush caches; use --cache hot", s->desc->name);
    OB_TRY(take_cold(s, &task, &clock, &seconds, err));
    const uint64_t began_ns = real.now_ns(real.ctx);
    for (uint64_t i = 0; i < (is_sum ? way->number : MOST); i++) {
        const double passed_s = (double)(real.now_ns(real.ctx) - began_ns) * 1e-9;
        if (!is_sum && i >= LEAST && passed_s >= way->min_run_time_s)
            break;
        OB_TRY(take_cold(s, &task, &clock, &seconds, err));
        sum += seconds;
        if (!is_sum)
            OB_TRY(add_sample(s, 1, seconds, err));
    }
    return is_sum ? add_sample(s, way->number, sum, err) : OB_OK;
}

/* ---- */

ob_status ob__time_case(ob_session *s, ob_record *record, ob_err *err)
{
    ob_record_result *r = &record->result;
    ob_timer_way way = {.kind = OB_TIMER_BLOCKED};
    ob_timing timing;
    const ob_clock clock = ob_session_clock(s);
    const ob_timer timer = {.size = sizeof timer,
                            .task = ob__session_task(s),
                            .spec = r->task,
                            .clock = &clock,
                            .progress = take_block,
                            .progress_ctx = s};
    s->samples = (ob_exec_result){.cache = ""};
    if (s->options.backward && !s->setup.has_backward)
        return ob_err_set(err, OB_ERR_UNSUPPORTED, "there is no backward pass to measure: %s",
                          s->setup.no_backward != NULL ? s->setup.no_backward
                                                       : "nothing requires a gradient");
    OB_TRY(find_way(&s->options.timer, &way, r, err));
    if (ob__options_cold(&s->options)) {
        r->stop_verdict = "done";
        return time_cold(s, &way, err);
    }
    ob_status status = ob__timer_measure(&timer, &way, &timing, err);
    if (status == OB_OK && way.kind == OB_TIMER_TIMEIT)
        status = add_sample(s, timing.number_per_run, timing.raw_times_s[0], err);
    const bool gave_up = way.kind == OB_TIMER_ADAPTIVE && way.max_run_time_s > 0 &&
                         timing.total_s > way.max_run_time_s;
    r->stop_verdict = gave_up ? "gave up" : "done";
    ob__timing_fini(&timing);
    return status;
}
