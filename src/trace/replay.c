/* SPDX-License-Identifier: Apache-2.0
 *
 * The whole list of calls, again and again. A pass begins with nothing alive, so that all do the same. A call that fails
 * is not tried again: from then on it is left out, and the pass in which that happened is made once more. Where the
 * trace has the calls that a failing one made, the list is made again with those in its place; and where half has no
 * kernels, with bfloat16.
 */
#include "trace/replay_int.h"
#include "trace/replay_steps.h"

#include <stdlib.h>
#include <string.h>

/* ---- the list ---- */

/* How often calls may be replaced by what they made: each time takes a pass, and calls are nested so deep at
 * most. */
enum { MAX_PLANS = 8 };

void ob__replay_plan_fini(ob_made_case *m)
{
    if (!m->is_planned)
        return;
    ob__replay_values_fini(&m->values);
    ob__replay_schedule_fini(&m->plan);
    free((void *)m->reasons);
    free(m->call_ns);
    free(m->checks);
    free(m->row_ns);
    m->reasons = NULL;
    m->checks = NULL;
    m->call_ns = m->row_ns = NULL;
    m->is_planned = m->has_row = false;
}

ob_status ob__replay_plan(ob_made_case *m, ob_err *err)
{
    const ob_session *s = m->session;
    ob__replay_plan_fini(m);
    m->is_planned = true;
    m->values = (ob_replay_values){.half_to_bfloat16 = m->bfloat16_for_half,
                                   .max_bytes =
                                       s->max_memory_bytes != 0 ? s->max_memory_bytes : UINT64_MAX};
    const ob_replay_choice choice = {.options = &m->settings.options,
                                     .lost = m->lost_nodes,
                                     .lost_count = s->lost_count,
                                     .replaced = m->plans > 0 ? m->replaced : NULL};
    m->plans++;
    OB_TRY(ob__replay_schedule_make(m->trace, &choice, &m->plan, err));
    m->reasons = calloc(m->plan.step_count + 1, sizeof *m->reasons);
    m->call_ns = calloc(m->plan.step_count + 1, sizeof *m->call_ns);
    m->row_ns = calloc(2 * (size_t)m->plan.names.count + 1, sizeof *m->row_ns);
    if (m->reasons == NULL || m->call_ns == NULL || m->row_ns == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a replay");
    m->caller =
        (ob_replay_caller){.session = m->session, .values = &m->values, .widens = m->can_narrow};
    return ob__replay_values_init(&m->values, &m->plan, m->seed, err);
}

/* ---- a pass ---- */

/* From now on the call is left out; or, in a next list, the calls that it made stand in its place. */
static void give_up(ob_made_case *m, ob_replay_step *step, ob_replay_fate why, const ob_err *err)
{
    const char *text = ob__arena_strdup(&m->arena, err->message, strlen(err->message));
    step->fate = why;
    m->reasons[step - m->plan.steps] = why != OB_REPLAY_NO_LIBRARY ? text : NULL;
    if (text != NULL && m->timed_passes == 0 && m->plans < MAX_PLANS &&
        ob__replay_can_replace(m->trace, step->node)) {
        m->replaced[step->node - ob_trace_node_at(m->trace, 0)] = text;
        m->replaces = true;
    }
}

/* False when it failed, or turned out to need float32. */
static bool make_call(ob_made_case *m, size_t at)
{
    ob_replay_step *step = &m->plan.steps[at];
    ob_part_state *progress = m->session->progress;
    const bool narrow = !step->in_float32;
    ob_replay_fate why;
    ob_err err;
    m->call_ns[at] = 0;
    if (step->fate != OB_REPLAY_RAN)
        return true;
    atomic_store(&progress->done, at);
    atomic_store(&progress->part, step->node->id);
    m->caller.checked = (ob_check_result){.verdict = NULL};
    const ob_status status = ob__replay_call(&m->caller, step, &m->call_ns[at], &why, &err);
    atomic_store(&progress->part, OB_NO_PART);
    if (status != OB_OK) {
        give_up(m, step, why, &err);
        m->call_ns[at] = 0;
        return false;
    }
    if (m->caller.checks)
        ob__replay_note_check(m, at);
    m->clock_ns += m->call_ns[at];
    m->peak_bytes = m->caller.peak_bytes > m->peak_bytes ? m->caller.peak_bytes : m->peak_bytes;
    if (narrow && step->in_float32)
        m->reasons[at] = ob__arena_strdup(&m->arena, err.message, strlen(err.message));
    return narrow == !step->in_float32;
}

static bool is_asked_to_stop(const ob_session *s)
{
    return s->stop != NULL && s->stop(s->stop_ctx) != 0;
}

/* *clean: all went as it did before. OB_END: stopped. */
static ob_status make_calls(ob_made_case *m, bool *clean)
{
    const ob_clock clock = ob_clock_monotonic();
    ob_part_state *progress = m->session->progress;
    atomic_store(&progress->pass, m->passes++);
    atomic_store(&progress->size, m->plan.step_count);
    ob__replay_values_clear(&m->values, m->seed);
    m->started_ns = ob_clock_now_ns(&clock);
    *clean = true;
    for (size_t i = 0; i < m->plan.step_count; i++) {
        if (is_asked_to_stop(m->session)) {
            m->is_stopped = true;
            m->stopped_at = i;
            return OB_END;
        }
        *clean &= make_call(m, i);
        ob__replay_values_free(&m->values, &m->plan.steps[i]);
    }
    return OB_OK;
}

/* A backend that lacks a kernel here and there has half; one that lacks more than a twentieth does not. */
static bool lacks_half(const ob_made_case *m)
{
    uint64_t used = 0, failed = 0;
    for (size_t i = 0; i < m->plan.step_count; i++) {
        const ob_replay_step *step = &m->plan.steps[i];
        const bool fails = step->in_float32 || step->fate == OB_REPLAY_FAILED;
        if ((fails || step->fate == OB_REPLAY_RAN) &&
            ob__replay_uses_dtype(step->node, OB_DTYPE_F16)) {
            used++;
            failed += fails;
        }
    }
    return 20 * failed > used;
}

/* All of the list again, in bfloat16. */
static void drop_half(ob_made_case *m)
{
    memset((void *)m->replaced, 0, ob_trace_node_count(m->trace) * sizeof *m->replaced);
    m->bfloat16_for_half = true;
    m->plans = 0;
}

static void sum_operators(ob_made_case *m)
{
    memset(m->row_ns, 0, 2 * (size_t)m->plan.names.count * sizeof *m->row_ns);
    for (size_t i = 0; i < m->plan.step_count; i++) {
        const ob_replay_step *step = &m->plan.steps[i];
        m->row_ns[2 * (size_t)step->op + step->in_float32] += m->call_ns[i];
    }
    m->has_row = true;
}

ob_status ob__replay_pass(ob_made_case *m, ob_err *err)
{
    const double began_ns = m->clock_ns;
    const char *half = m->settings.options.half;
    const bool decides = half == NULL || strcmp(half, "auto") == 0;
    for (bool clean = false; !clean;) {
        m->clock_ns = began_ns;
        m->replaces = false;
        if (make_calls(m, &clean) == OB_END)
            return ob_err_set(err, OB_END, "it was interrupted");
        if (decides && !m->bfloat16_for_half && m->timed_passes == 0 && lacks_half(m)) {
            drop_half(m);
            m->replaces = true;
        }
        if (m->replaces) {
            OB_TRY(ob__replay_plan(m, err));
            clean = false;
        }
    }
    sum_operators(m);
    m->timed_passes++;
    return OB_OK;
}
