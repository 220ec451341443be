/* SPDX-License-Identifier: Apache-2.0
 *
 * The whole list of calls, again and again. An iteration begins with nothing alive, so that all do the
 * same. A call that fails is not tried again: from then on it is skipped, and the iteration in which that
 * happened does not count unless it was the last chance. Where the trace has the calls that a failing one made,
 * the list is made again with those in its place.
 */
#include "opbench/replay.h"

#include "base/vec.h"
#include "trace/replay_call.h"
#include "trace/replay_int.h"
#include "trace/replay_steps.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

const char *ob_replay_skip_word(ob_replay_skip skip)
{
    static const char *const WORDS[] = {
#define WORD(id, word, compute, help) word,
        OB_REPLAY_SKIP_MAP(WORD)
#undef WORD
    };
    return skip >= 0 && skip < OB_REPLAY_SKIP_COUNT ? WORDS[skip] : "ran";
}

bool ob_replay_skip_is_compute(ob_replay_skip skip)
{
    static const bool COMPUTE[] = {
#define COMPUTES(id, word, compute, help) compute,
        OB_REPLAY_SKIP_MAP(COMPUTES)
#undef COMPUTES
    };
    return skip < 0 || skip >= OB_REPLAY_SKIP_COUNT || COMPUTE[skip];
}

/* From now on the call is left out; or, in a next plan, the calls that it made stand in its place. */
static void give_up(ob_replay *r, const ob_replay_options *options, ob_replay_step *step,
                    ob_replay_skip why, const ob_err *err)
{
    const size_t at = (size_t)(step - r->plan.steps);
    const char *text = ob__arena_strdup(&r->arena, err->message, strlen(err->message));
    step->skip = why;
    r->reasons[at] = why != OB_REPLAY_NO_LIBRARY ? text : NULL;
    if (text != NULL && !options->keep_whole && r->time_count == 0 &&
        ob__replay_can_replace(r->trace, step->node)) {
        r->replaced[step->node - ob_trace_node_at(r->trace, 0)] = text;
        r->replaces = true;
    }
}

typedef struct pass {
    uint64_t number;
    uint64_t total_ns;
    bool clean; /* no call failed that had not failed before */
    bool stopped;
} pass;

static void run_pass(ob_replay *r, ob_replay_caller *caller, const ob_replay_options *options,
                     pass *p)
{
    ob_err err;
    p->total_ns = 0;
    p->clean = true;
    ob__replay_values_clear(caller->values, options->seed);
    for (size_t i = 0; i < r->plan.step_count && !p->stopped; i++) {
        ob_replay_step *step = &r->plan.steps[i];
        uint64_t elapsed = 0;
        ob_replay_skip why;
        if (step->skip == OB_REPLAY_RAN) {
            if (options->on_call != NULL)
                options->on_call(options->ctx, p->number, i, r->plan.step_count, step->node);
            const bool narrow = !step->in_float32;
            if (ob__replay_call(caller, step, &elapsed, &why, &err) != OB_OK) {
                give_up(r, options, step, why, &err);
                p->clean = false;
                elapsed = 0;
            } else if (narrow && step->in_float32) {
                r->reasons[i] = ob__arena_strdup(&r->arena, err.message, strlen(err.message));
            }
            p->total_ns += elapsed;
        }
        r->step_ns[i] = elapsed;
        ob__replay_values_free(caller->values, step);
        p->stopped = options->stop != NULL && options->stop(options->ctx) != 0;
    }
}

/* A backend that lacks a kernel here and there has half; one that lacks more than a twentieth does not. */
static bool lacks_half(const ob_replay *r)
{
    uint64_t used = 0, failed = 0;
    for (size_t i = 0; i < r->plan.step_count; i++) {
        const ob_replay_step *step = &r->plan.steps[i];
        const bool fails = step->in_float32 || step->skip == OB_REPLAY_FAILED;
        if ((fails || step->skip == OB_REPLAY_RAN) &&
            ob__replay_uses_dtype(step->node, OB_DTYPE_F16)) {
            used++;
            failed += fails;
        }
    }
    return 20 * failed > used;
}

static ob_status count_pass(ob_replay *r, const pass *p, ob_err *err)
{
    const size_t ops = r->plan.names.count;
    if (!OB_RESERVE(r->times_ns, r->time_capacity, r->time_count + 1) ||
        !OB_RESERVE(r->op_ns, r->op_capacity, (r->time_count + 1) * (ops + 1)))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the times of a replay");
    double *row = r->op_ns + r->time_count * ops;
    for (size_t i = 0; i < ops; i++)
        row[i] = 0;
    for (size_t i = 0; i < r->plan.step_count; i++)
        row[r->plan.steps[i].op] += (double)r->step_ns[i];
    r->times_ns[r->time_count++] = (double)p->total_ns;
    return OB_OK;
}

static ob_status run_passes(ob_replay *r, ob_session *session, const ob_replay_options *options,
                            ob_err *err)
{
    ob_replay_values values = {
        .half_to_bfloat16 = options->half_to_bfloat16,
        .max_bytes = session->max_memory_bytes != 0 ? session->max_memory_bytes : UINT64_MAX};
    ob_replay_caller caller = {.session = session,
                               .values = &values,
                               .clock = ob_clock_monotonic(),
                               .widens = !options->keep_narrow};
    ob_status status = ob__replay_values_init(&values, &r->plan, options->seed, err);
    const uint64_t wanted = options->iterations > 0 ? options->iterations : 1;
    pass p = {0};
    bool again = false;
    /* A first pass that finds out which calls fail is a warm-up that nobody asked for. */
    uint64_t spare = options->warmup > 0 ? 0 : 1;
    while (status == OB_OK && !p.stopped && !again && r->time_count < wanted) {
        run_pass(r, &caller, options, &p);
        r->lacks_half |= lacks_half(r);
        r->untouched_bytes = values.untouched_bytes;
        const bool warm = p.number < options->warmup;
        again = r->replaces || (options->stop_at_half && ob_replay_wants_bfloat16(r));
        if (!warm && !p.clean && spare > 0 && !p.stopped)
            spare--;
        else if (!warm && !p.stopped && !again)
            status = count_pass(r, &p, err);
        p.number++;
    }
    r->interrupted = p.stopped;
    ob__replay_values_fini(&values);
    return status;
}

/* ---- plans ---- */

/* How often calls may be replaced by what they made: each time takes a pass, and calls are nested so deep at
 * most. */
enum { MAX_PLANS = 8 };

static void drop_plan(ob_replay *r)
{
    ob__replay_schedule_fini(&r->plan);
    free((void *)r->reasons);
    free(r->step_ns);
    r->reasons = NULL;
    r->step_ns = NULL;
}

static ob_status make_plan(ob_replay *r, const ob_replay_options *options, bool first, ob_err *err)
{
    const char *const *replaced = first ? NULL : (const char *const *)r->replaced;
    OB_TRY(ob__replay_schedule_make(r->trace, options, replaced, &r->plan, err));
    r->reasons = calloc(r->plan.step_count + 1, sizeof *r->reasons);
    r->step_ns = calloc(r->plan.step_count + 1, sizeof *r->step_ns);
    if (r->reasons == NULL || r->step_ns == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a replay");
    return OB_OK;
}

static ob_status run_plans(ob_replay *r, ob_session *session, const ob_replay_options *options,
                           ob_err *err)
{
    ob_replay_options now = *options;
    for (int plans = 1;; plans++) {
        r->replaces = false;
        now.keep_whole = options->keep_whole || plans == MAX_PLANS;
        OB_TRY(make_plan(r, &now, plans == 1, err));
        OB_TRY(run_passes(r, session, &now, err));
        if (!r->replaces || r->interrupted || (now.stop_at_half && ob_replay_wants_bfloat16(r)))
            return OB_OK;
        drop_plan(r);
    }
}

ob_status ob_replay_run(ob_session *session, const ob_trace *trace,
                        const ob_replay_options *options, ob_replay **out, ob_err *err)
{
    *out = NULL;
    ob_replay *r = calloc(1, sizeof *r);
    if (r == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a replay");
    r->trace = trace;
    r->backend = session->desc->name;
    r->iteration = options->selection.iteration;
    r->half_to_bfloat16 = options->half_to_bfloat16;
    r->warmup = options->warmup;
    ob__arena_init(&r->arena, 0);
    r->replaced = calloc(ob_trace_node_count(trace) + 1, sizeof *r->replaced);
    ob_status status =
        r->replaced != NULL ? OB_OK : ob_err_set(err, OB_ERR_NOMEM, "out of memory for a replay");
    uint64_t peak;
    if (status == OB_OK && session->desc->memory_peak != NULL)
        session->desc->memory_peak(session->backend, true, &peak, NULL);
    if (status == OB_OK)
        status = run_plans(r, session, options, err);
    if (status == OB_OK && session->desc->memory_peak != NULL &&
        session->desc->memory_peak(session->backend, false, &peak, NULL) == OB_OK)
        r->allocator_peak_bytes = peak;
    struct rusage usage;
    if (status == OB_OK && getrusage(RUSAGE_SELF, &usage) == 0)
        r->peak_bytes = (uint64_t)usage.ru_maxrss * 1024;
    if (status != OB_OK) {
        ob_replay_destroy(r);
        return status;
    }
    *out = r;
    return OB_OK;
}

void ob_replay_destroy(ob_replay *r)
{
    if (r == NULL)
        return;
    drop_plan(r);
    ob__arena_fini(&r->arena);
    free((void *)r->replaced);
    free(r->op_ns);
    free(r->times_ns);
    free(r);
}

bool ob_replay_wants_bfloat16(const ob_replay *r)
{
    return r->lacks_half && !r->half_to_bfloat16;
}
