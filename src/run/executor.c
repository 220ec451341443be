/* SPDX-License-Identifier: Apache-2.0
 *
 * Taking samples. Inside a timed interval there is, in
 *   discrete            one call of the backend's run(phase, 1), and sync if it is asynchronous;
 *   continuous          run(phase, n) and sync; the sample is the interval divided by n;
 *   continuous_events   nothing of ours: the interval lies between two events on the device.
 * Outside stand: restoring inputs that the case changed, making and dropping gradients, flushing the
 * cache, resetting and reading the memory peak, storing the sample (its room is reserved before),
 * logging it for the supervisor, asking the kernel whether it disturbed the sample, and, side by side with other backends, waiting for the next turn and one
 * iteration that brings the caches back to what they were.
 * Besides the call there is the cost of two clock readings; the header record states it.
 *
 * Backward in continuous mode cannot run without a forward before it, so a block times n pairs and
 * subtracts the forward block that ran just before it: what disturbs one mostly disturbs the other. Gradients are dropped within the block, because a
 * backward that adds to those of the iteration before would take longer than one that does not.
 */
#include "opbench/vec.h"
#include "run/disturbed_samples.h"
#include "run/sample_log.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

bool ob__series_reserve(ob_series *series, size_t more)
{
    size_t wanted;
    return !__builtin_add_overflow(series->count, more, &wanted) &&
           OB_RESERVE(series->values, series->capacity, wanted > 0 ? wanted : 1);
}

void ob__series_fini(ob_series *series)
{
    free(series->values);
    *series = (ob_series){0};
}

static void pass_samples_fini(ob_pass_samples *samples)
{
    ob__series_fini(&samples->warmup_ns);
    ob__series_fini(&samples->measure_ns);
    ob__series_fini(&samples->warmup_peak_bytes);
    ob__series_fini(&samples->measure_peak_bytes);
    ob__series_fini(&samples->disturbed);
    ob__series_fini(&samples->faulted);
    ob__series_fini(&samples->faults);
}

void ob__exec_result_fini(ob_exec_result *result)
{
    pass_samples_fini(&result->forward);
    pass_samples_fini(&result->backward);
    *result = (ob_exec_result){0};
}

static uint64_t monotonic_ns(ob_backend *unused)
{
    (void)unused;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Everything that stays the same over a case. */
typedef struct run {
    const ob_exec_target *target;
    const ob_exec_settings *settings;
    ob_exec_result *result;
    uint64_t (*now)(ob_backend *);
    ob_err *err;
} run;

static ob_status phase(const run *r, ob_phase what)
{
    return r->target->desc->run(r->target->prepared, what, 1, r->err);
}

static ob_status sync(const run *r)
{
    const ob_backend_desc *desc = r->target->desc;
    return desc->asynchronous ? desc->sync(r->target->backend, r->err) : OB_OK;
}

static void begin(const run *r, int mark)
{
    ob__mark_begin(r->settings->marks, mark);
}

static void end(const run *r, int mark)
{
    ob__mark_end(r->settings->marks, mark);
}

static int mark_of(ob_phase what)
{
    return what == OB_PHASE_BACKWARD ? OB_MARK_BACKWARD : OB_MARK_FORWARD;
}

/* After an iteration or block; those of the other pass are there too. */
static void log_samples(const run *r)
{
    if (r->settings->log != NULL)
        ob__sample_log_take(r->settings->log, r->result);
}

static ob_status no_room(const run *r)
{
    ob_err_set(r->err, OB_ERR_NOMEM, "out of memory for the samples");
    return OB_ERR_NOMEM;
}

/* ---- memory ---- */

static ob_status reset_peak(const run *r)
{
    uint64_t ignored;
    const ob_backend_desc *desc = r->target->desc;
    return desc->memory_peak == NULL
               ? OB_OK
               : desc->memory_peak(r->target->backend, true, &ignored, r->err);
}

static ob_status store_peak(const run *r, ob_series *series)
{
    uint64_t peak = 0;
    const ob_backend_desc *desc = r->target->desc;
    if (desc->memory_peak != NULL)
        OB_TRY(desc->memory_peak(r->target->backend, false, &peak, r->err));
    if (!ob__series_reserve(series, 1))
        return no_room(r);
    series->values[series->count++] = (double)peak;
    return OB_OK;
}

/* ---- what disturbed a sample ---- */

static void begin_disturbance(const run *r)
{
    if (r->settings->disturbance != NULL)
        ob__disturbance_begin(r->settings->disturbance);
}

/* Behind the sample, which took so long in all; `also`: something that it is made of was disturbed. */
static ob_status end_disturbance(const run *r, const ob_series *times, double took_ns, bool also)
{
    ob_pass_samples *f = &r->result->forward, *b = &r->result->backward;
    if (r->settings->disturbance == NULL)
        return OB_OK;
    ob_disturbed seen = ob__disturbance_end(r->settings->disturbance, took_ns);
    seen.switched = seen.switched || also;
    ob_pass_samples *of = times == &f->measure_ns   ? f
                          : times == &b->measure_ns ? b
                                                    : NULL; /* warm-up is not looked at */
    if (of == NULL || (!seen.switched && seen.faults == 0))
        return OB_OK;
    return ob__disturbed_note(of, seen) ? OB_OK : no_room(r);
}

static ob_status settle_disturbances(const run *r)
{
    if (r->result->disturbed_by == NULL)
        return OB_OK;
    return ob__disturbed_settle(&r->result->forward) && ob__disturbed_settle(&r->result->backward)
               ? OB_OK
               : no_room(r);
}

/* ---- one timed interval ---- */

static ob_status time_run(const run *r, ob_phase what, uint64_t n, ob_series *times)
{
    const ob_backend_desc *desc = r->target->desc;
    ob_prepared *prepared = r->target->prepared;
    ob_backend *backend = r->target->backend;
    ob_status status;
    if (!ob__series_reserve(times, 1))
        return no_room(r);
    OB_TRY(sync(r));
    begin(r, mark_of(what));
    begin_disturbance(r);
    const uint64_t start_ns = r->now(backend);
    status = desc->run(prepared, what, n, r->err);
    if (status == OB_OK && desc->asynchronous)
        status = desc->sync(backend, r->err);
    const uint64_t end_ns = r->now(backend);
    end(r, mark_of(what));
    OB_TRY(status);
    times->values[times->count++] = (double)(end_ns - start_ns) / (double)n;
    return end_disturbance(r, times, (double)(end_ns - start_ns), false);
}

/* ---- turns ---- */

/* A turn in discrete mode: the switch to another process and back costs some microseconds. */
static const uint64_t TURN_NS = 1000000;
/* Above it, what the others left in the caches is a small part of an iteration. */
static const double LONG_ITERATION_NS = 1e7;

/* The others ran meanwhile: one iteration that is not timed. */
static ob_status bring_back(const run *r)
{
    const ob_series *last = &r->result->forward.measure_ns;
    if (last->count == 0)
        last = &r->result->forward.warmup_ns;
    if (r->settings->cold || (last->count > 0 && last->values[last->count - 1] > LONG_ITERATION_NS))
        return OB_OK;
    if (r->target->restores)
        OB_TRY(phase(r, OB_PHASE_RESTORE));
    OB_TRY(phase(r, OB_PHASE_FORWARD));
    if (r->settings->pass == OB_PASS_BACKWARD) {
        OB_TRY(phase(r, OB_PHASE_MAKE_GRAD));
        OB_TRY(phase(r, OB_PHASE_BACKWARD));
        OB_TRY(phase(r, OB_PHASE_ZERO_GRAD));
    }
    return sync(r);
}

/* Lets the other backends run, if there are any. */
static ob_status take_turns(const run *r)
{
    if (r->settings->turns == NULL)
        return OB_OK;
    ob__turns_next(r->settings->turns);
    OB_TRY(bring_back(r));
    if (r->settings->disturbance != NULL)
        ob__disturbance_forget(r->settings->disturbance);
    return OB_OK;
}

/* Whether iteration i of discrete mode begins a new turn. A fixed number of them is cut into twice as
 * many turns as an interval needs, even if they are short. */
static bool turn_is_over(const run *r, uint64_t i)
{
    const ob_exec_settings *s = r->settings;
    const uint64_t turns = 2 * OB_MIN_SAMPLES;
    if (s->turns == NULL || i == 0)
        return false;
    if (s->turn_ns > 0)
        return (double)ob__turns_held_ns(s->turns) >= s->turn_ns;
    const uint64_t group = s->iterations / turns + (s->iterations % turns != 0);
    return (s->enough == NULL && i % group == 0) || ob__turns_held_ns(s->turns) >= TURN_NS;
}

/* Whether the block behind `done` iterations begins a new turn; the first does, so that all are ready. */
static bool block_begins_turn(const run *r, uint64_t done)
{
    const ob_exec_settings *s = r->settings;
    return done == 0 || s->turn_ns <= 0 || s->turns == NULL ||
           (double)ob__turns_held_ns(s->turns) >= s->turn_ns;
}

/* ---- warm-up ---- */

/* Since when it warms up, by the clock of the samples and by the machine's: one of a backend's own may stand still, which
 * is waited for so long. */
static const double STANDING_CLOCK_NS = 1e9;
typedef struct warmup {
    uint64_t own_ns, real_ns;
} warmup;

static warmup begin_warmup(const run *r)
{
    begin(r, OB_CASE_PHASE_WARMUP);
    if (r->settings->warmup_ns <= 0)
        return (warmup){.own_ns = 0};
    return (warmup){.own_ns = r->now(r->target->backend), .real_ns = monotonic_ns(NULL)};
}

static bool is_warm(const run *r, const warmup *w)
{
    const double wanted_ns = r->settings->warmup_ns;
    return wanted_ns <= 0 || (double)(r->now(r->target->backend) - w->own_ns) >= wanted_ns ||
           (double)(monotonic_ns(NULL) - w->real_ns) >= wanted_ns + STANDING_CLOCK_NS;
}

/* ---- discrete ---- */

static ob_status before_sample(const run *r)
{
    const ob_backend_desc *desc = r->target->desc;
    if (r->target->restores)
        OB_TRY(phase(r, OB_PHASE_RESTORE));
    if (r->settings->cold && r->settings->flush != NULL)
        OB_TRY(r->settings->flush(r->settings->flush_ctx, &r->result->cache, r->err));
    else if (r->settings->cold)
        OB_TRY(
            desc->flush_cache(r->target->backend, r->target->prepared, &r->result->cache, r->err));
    return reset_peak(r);
}

static ob_status discrete_iteration(const run *r, bool measure)
{
    ob_pass_samples *f = &r->result->forward, *b = &r->result->backward;
    OB_TRY(before_sample(r));
    OB_TRY(time_run(r, OB_PHASE_FORWARD, 1, measure ? &f->measure_ns : &f->warmup_ns));
    OB_TRY(store_peak(r, measure ? &f->measure_peak_bytes : &f->warmup_peak_bytes));
    if (r->settings->pass != OB_PASS_BACKWARD)
        return OB_OK;
    OB_TRY(phase(r, OB_PHASE_MAKE_GRAD));
    OB_TRY(before_sample(r));
    OB_TRY(time_run(r, OB_PHASE_BACKWARD, 1, measure ? &b->measure_ns : &b->warmup_ns));
    OB_TRY(store_peak(r, measure ? &b->measure_peak_bytes : &b->warmup_peak_bytes));
    return phase(r, OB_PHASE_ZERO_GRAD);
}

static bool enough(const run *r, uint64_t done)
{
    const ob_exec_settings *s = r->settings;
    const ob_series *times = s->pass == OB_PASS_BACKWARD ? &r->result->backward.measure_ns
                                                         : &r->result->forward.measure_ns;
    return s->enough != NULL ? s->enough(s->enough_ctx, times->values, times->count)
                             : done >= s->iterations;
}

static ob_status discrete(const run *r)
{
    r->result->number_per_run = 1;
    const warmup since = begin_warmup(r);
    for (uint64_t i = 0; i < r->settings->warmup || !is_warm(r, &since); i++) {
        OB_TRY(discrete_iteration(r, false));
        log_samples(r);
    }
    end(r, OB_CASE_PHASE_WARMUP);
    OB_TRY(take_turns(r)); /* so that all are ready before the first measures */
    begin(r, OB_CASE_PHASE_MEASURE);
    for (uint64_t i = 0; !enough(r, i); i++) {
        if (turn_is_over(r, i))
            OB_TRY(take_turns(r));
        OB_TRY(discrete_iteration(r, true));
        log_samples(r);
    }
    end(r, OB_CASE_PHASE_MEASURE);
    return OB_OK;
}

/* ---- continuous ---- */

/* n pairs of forward and backward in one interval, less the forward part. */
static ob_status pair_block(const run *r, uint64_t n, double forward_ns, ob_series *times)
{
    const ob_backend_desc *desc = r->target->desc;
    if (!ob__series_reserve(times, 1))
        return no_room(r);
    OB_TRY(phase(r, OB_PHASE_MAKE_GRAD));
    OB_TRY(sync(r));
    ob_status status = OB_OK;
    begin(r, OB_MARK_BACKWARD);
    begin_disturbance(r);
    const uint64_t start_ns = r->now(r->target->backend);
    for (uint64_t i = 0; status == OB_OK && i < n; i++) {
        status = desc->run(r->target->prepared, OB_PHASE_FORWARD, 1, r->err);
        if (status == OB_OK)
            status = desc->run(r->target->prepared, OB_PHASE_BACKWARD, 1, r->err);
        if (status == OB_OK)
            status = desc->run(r->target->prepared, OB_PHASE_ZERO_GRAD, 1, r->err);
    }
    if (status == OB_OK && desc->asynchronous)
        status = desc->sync(r->target->backend, r->err);
    const uint64_t end_ns = r->now(r->target->backend);
    end(r, OB_MARK_BACKWARD);
    OB_TRY(status);
    times->values[times->count++] = (double)(end_ns - start_ns) / (double)n - forward_ns;
    return end_disturbance(r, times, (double)(end_ns - start_ns),
                           ob__disturbed_last(&r->result->forward));
}

static ob_status forward_block(const run *r, uint64_t n, ob_series *times, ob_series *peaks)
{
    OB_TRY(before_sample(r));
    OB_TRY(time_run(r, OB_PHASE_FORWARD, n, times));
    return store_peak(r, peaks);
}

static ob_status backward_block(const run *r, uint64_t n, const ob_series *forward,
                                ob_series *times, ob_series *peaks)
{
    OB_TRY(before_sample(r));
    OB_TRY(pair_block(r, n, forward->values[forward->count - 1], times));
    return store_peak(r, peaks);
}

/* One block; *ns becomes its time per iteration if that is shorter, or was 0. */
static ob_status time_trial(const run *r, uint64_t n, ob_series *times, double *ns)
{
    times->count = 0;
    if (r->target->restores)
        OB_TRY(phase(r, OB_PHASE_RESTORE));
    OB_TRY(time_run(r, OB_PHASE_FORWARD, n, times));
    *ns = *ns <= 0 || times->values[0] < *ns ? times->values[0] : *ns;
    return OB_OK;
}

/* Block size for a stopping rule: tens until a block takes as long as asked, then as many as that
 * takes. These calls are warm-up; their times are dropped. */
static ob_status estimate_block(const run *r, uint64_t *block)
{
    const double wanted_ns = r->settings->block_ns > 0 ? r->settings->block_ns : OB_LONG_BLOCK_NS;
    ob_series times = {0};
    ob_status status = OB_OK;
    for (*block = 1; status == OB_OK && *block < 1000000000u; *block *= 10) {
        double ns = 0;
        status = time_trial(r, *block, &times, &ns);
        /* One that the kernel disturbed looks long. */
        for (int i = 0; status == OB_OK && r->settings->warmup_ns > 0 && i < 2 &&
                        ns * (double)*block >= wanted_ns;
             i++)
            status = time_trial(r, *block, &times, &ns);
        if (status == OB_OK && ns * (double)*block >= wanted_ns) {
            const double fits = ceil(wanted_ns / ns);
            *block = fits > 1 ? (uint64_t)fits : 1;
            break;
        }
    }
    ob__series_fini(&times);
    return status;
}

/* One by one, or in blocks that double; their times are dropped, as those of the estimate. */
static ob_status warm_iterations(const run *r, const warmup *since)
{
    ob_series times = {0}, backward = {0}, peaks = {0};
    ob_status status = OB_OK;
    uint64_t n = 1;
    for (; status == OB_OK && !is_warm(r, since); n *= r->target->is_far ? 2 : 1) {
        times.count = backward.count = peaks.count = 0;
        status = forward_block(r, n, &times, &peaks);
        if (status == OB_OK && r->settings->pass == OB_PASS_BACKWARD)
            status = backward_block(r, 1, &times, &backward, &peaks);
    }
    ob__series_fini(&times);
    ob__series_fini(&backward);
    ob__series_fini(&peaks);
    return status;
}

static ob_status continuous(const run *r)
{
    const ob_exec_settings *s = r->settings;
    ob_pass_samples *f = &r->result->forward, *b = &r->result->backward;
    const bool backward = s->pass == OB_PASS_BACKWARD;
    uint64_t block = s->block != 0 ? s->block : s->iterations;
    const warmup since = begin_warmup(r);
    if (s->warmup > 0) {
        OB_TRY(forward_block(r, s->warmup, &f->warmup_ns, &f->warmup_peak_bytes));
        if (backward)
            OB_TRY(
                backward_block(r, s->warmup, &f->warmup_ns, &b->warmup_ns, &b->warmup_peak_bytes));
        log_samples(r);
    }
    OB_TRY(warm_iterations(r, &since));
    if (s->enough != NULL && s->block == 0)
        OB_TRY(estimate_block(r, &block));
    end(r, OB_CASE_PHASE_WARMUP);
    r->result->number_per_run = block;
    begin(r, OB_CASE_PHASE_MEASURE);
    for (uint64_t done = 0; !enough(r, done);) {
        uint64_t n = block;
        if (s->enough == NULL && n > s->iterations - done)
            n = s->iterations - done;
        if (block_begins_turn(r, done))
            OB_TRY(take_turns(r));
        OB_TRY(forward_block(r, n, &f->measure_ns, &f->measure_peak_bytes));
        if (backward)
            OB_TRY(backward_block(r, n, &f->measure_ns, &b->measure_ns, &b->measure_peak_bytes));
        log_samples(r);
        done += n;
    }
    end(r, OB_CASE_PHASE_MEASURE);
    return OB_OK;
}

/* ---- continuous with events ---- */

static void destroy_events(const run *r, ob_event **events, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        r->target->desc->event_destroy(events[i]);
    free(events);
}

static ob_status create_events(const run *r, uint64_t count, ob_event ***out)
{
    ob_event **events = count <= SIZE_MAX / sizeof *events ? calloc(count, sizeof *events) : NULL;
    if (events == NULL)
        return no_room(r);
    for (uint64_t i = 0; i < count; i++) {
        const ob_status status =
            r->target->desc->event_create(r->target->backend, &events[i], r->err);
        if (status != OB_OK) {
            destroy_events(r, events, i);
            return status;
        }
    }
    *out = events;
    return OB_OK;
}

/* `count` iterations with an event before and behind the phase; what else an iteration needs lies
 * outside the pairs, on the same queue. */
static ob_status enqueue(const run *r, ob_phase what, uint64_t count, ob_event **events)
{
    const ob_backend_desc *desc = r->target->desc;
    for (uint64_t i = 0; i < count; i++) {
        if (what == OB_PHASE_BACKWARD) {
            OB_TRY(phase(r, OB_PHASE_ZERO_GRAD));
            OB_TRY(phase(r, OB_PHASE_FORWARD));
        }
        begin(r, mark_of(what));
        OB_TRY(desc->event_record(events[2 * i], r->err));
        OB_TRY(desc->run(r->target->prepared, what, 1, r->err));
        OB_TRY(desc->event_record(events[2 * i + 1], r->err));
        end(r, mark_of(what));
    }
    return sync(r);
}

static ob_status event_samples(const run *r, ob_phase what, uint64_t count, ob_series *times,
                               ob_series *peaks)
{
    ob_event **events = NULL;
    if (count == 0)
        return OB_OK;
    if (count > UINT64_MAX / 2 || !ob__series_reserve(times, count))
        return no_room(r);
    OB_TRY(before_sample(r));
    OB_TRY(create_events(r, 2 * count, &events));
    ob_status status = what == OB_PHASE_BACKWARD ? phase(r, OB_PHASE_MAKE_GRAD) : OB_OK;
    if (status == OB_OK)
        status = enqueue(r, what, count, events);
    for (uint64_t i = 0; status == OB_OK && i < count; i++) {
        double ns;
        status = r->target->desc->event_elapsed_ns(events[2 * i], events[2 * i + 1], &ns, r->err);
        if (status == OB_OK)
            times->values[times->count++] = ns;
    }
    destroy_events(r, events, 2 * count);
    OB_TRY(status);
    OB_TRY(store_peak(r, peaks));
    return what == OB_PHASE_BACKWARD ? phase(r, OB_PHASE_ZERO_GRAD) : OB_OK;
}

/* A backend that works at once and has no events: a reading of the host's clock is one. */
static ob_status clock_samples(const run *r, ob_phase what, uint64_t count, ob_series *times,
                               ob_series *peaks)
{
    if (count == 0)
        return OB_OK;
    OB_TRY(before_sample(r));
    if (what == OB_PHASE_BACKWARD)
        OB_TRY(phase(r, OB_PHASE_MAKE_GRAD));
    for (uint64_t i = 0; i < count; i++) {
        if (what == OB_PHASE_BACKWARD) {
            OB_TRY(phase(r, OB_PHASE_ZERO_GRAD));
            OB_TRY(phase(r, OB_PHASE_FORWARD));
        }
        OB_TRY(time_run(r, what, 1, times));
    }
    OB_TRY(store_peak(r, peaks));
    return what == OB_PHASE_BACKWARD ? phase(r, OB_PHASE_ZERO_GRAD) : OB_OK;
}

static ob_status continuous_events(const run *r)
{
    ob_status (*const take)(const run *, ob_phase, uint64_t, ob_series *, ob_series *) =
        r->target->desc->event_create != NULL ? event_samples : clock_samples;
    const ob_exec_settings *s = r->settings;
    ob_pass_samples *f = &r->result->forward, *b = &r->result->backward;
    const bool backward = s->pass == OB_PASS_BACKWARD;
    const uint64_t batch = s->block != 0 ? s->block : s->iterations != 0 ? s->iterations : 100;
    r->result->number_per_run = 1;
    begin(r, OB_CASE_PHASE_WARMUP);
    OB_TRY(take(r, OB_PHASE_FORWARD, s->warmup, &f->warmup_ns, &f->warmup_peak_bytes));
    if (backward)
        OB_TRY(take(r, OB_PHASE_BACKWARD, s->warmup, &b->warmup_ns, &b->warmup_peak_bytes));
    log_samples(r);
    end(r, OB_CASE_PHASE_WARMUP);
    begin(r, OB_CASE_PHASE_MEASURE);
    for (uint64_t done = 0; !enough(r, done);) {
        const uint64_t n =
            s->enough == NULL && batch > s->iterations - done ? s->iterations - done : batch;
        OB_TRY(take_turns(r));
        OB_TRY(take(r, OB_PHASE_FORWARD, n, &f->measure_ns, &f->measure_peak_bytes));
        if (backward)
            OB_TRY(take(r, OB_PHASE_BACKWARD, n, &b->measure_ns, &b->measure_peak_bytes));
        log_samples(r);
        done += n;
    }
    end(r, OB_CASE_PHASE_MEASURE);
    return OB_OK;
}

/* ---- */

static ob_status check_settings(const ob_exec_target *target, const ob_exec_settings *s,
                                ob_err *err)
{
    const ob_backend_desc *desc = target->desc;
    if (s->cold && s->mode != OB_EXEC_DISCRETE)
        return ob_err_set(err, OB_ERR_INVALID,
                          "a cold cache only works in discrete mode: in a block, every iteration "
                          "but the first finds the cache as the previous one left it");
    if (s->cold && s->flush == NULL && desc->flush_cache == NULL)
        return ob_err_set(err, OB_ERR_UNSUPPORTED,
                          "backend %s cannot flush caches; use --cache hot", desc->name);
    if (s->mode == OB_EXEC_CONTINUOUS_EVENTS && desc->event_create == NULL && desc->asynchronous)
        return ob_err_set(err, OB_ERR_UNSUPPORTED,
                          "backend %s has no events; use discrete or "
                          "continuous",
                          desc->name);
    return OB_OK;
}

static ob_status execute_in_mode(const run *r)
{
    switch (r->settings->mode) {
    case OB_EXEC_DISCRETE:
        return discrete(r);
    case OB_EXEC_CONTINUOUS:
        return continuous(r);
    case OB_EXEC_CONTINUOUS_EVENTS:
        return continuous_events(r);
    }
    return ob_err_set(r->err, OB_ERR_INVALID, "unknown execution mode");
}

ob_status ob__execute(const ob_exec_target *target, const ob_exec_settings *settings,
                      ob_exec_result *result, ob_err *err)
{
    const run r = {.target = target,
                   .settings = settings,
                   .result = result,
                   .now = target->desc->clock_ns ? target->desc->clock_ns : monotonic_ns,
                   .err = err};
    *result = (ob_exec_result){.cache = ""};
    OB_TRY(check_settings(target, settings, err));
    /* Events lie on the device, where the kernel does not reach. */
    if (settings->disturbance != NULL &&
        (settings->mode != OB_EXEC_CONTINUOUS_EVENTS || target->desc->event_create == NULL))
        result->disturbed_by = ob__disturbance_source(settings->disturbance);
    const ob_status status = execute_in_mode(&r);
    const ob_status settled = settle_disturbances(&r);
    return status != OB_OK ? status : settled;
}
