/* SPDX-License-Identifier: Apache-2.0
 *
 * --check of a step: a pass in which each call, on the arguments that it has then, is compared with what its results must
 * be. Calls that have no reference are counted: a step is the same only if all of its calls are.
 */
#include "trace/replay_int.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What all calls of a step may take together, and a single one, about. */
static const double STEP_SECONDS = 60, MOST_SECONDS = 2, LEAST_SECONDS = 0.02;
/* Of the seed, for the second time. */
static const uint64_t OTHER_VALUES = 0x9e3779b97f4a7c15u;

static bool is(const char *verdict, const char *word)
{
    return verdict != NULL && strcmp(verdict, word) == 0;
}

void ob__replay_note_check(ob_made_case *m, size_t at)
{
    const ob_check_result *one = &m->caller.checked;
    ob_replay_check *c = &m->checks[at];
    const char *verdict = one->verdict != NULL ? one->verdict : "not checked";
    const bool worse = c->verdict == NULL || is(verdict, "differs") || is(c->verdict, "same");
    c->checked += one->checked;
    c->elements += one->elements;
    if (one->verdict != NULL && !(one->worst <= c->worst) && !isnan(one->worst))
        c->worst = one->worst;
    if (is(c->verdict, "differs") || !worse)
        return;
    c->verdict = verdict;
    c->reason = one->reason[0] != '\0'
                    ? ob__arena_strdup(&m->arena, one->reason, strlen(one->reason))
                    : NULL;
}

/* The worst verdict, and of which call. */
static void sum_up(const ob_made_case *m, ob_check_result *out)
{
    size_t calls = 0, not_checked = 0, differ = 0, first = SIZE_MAX, unknown = SIZE_MAX;
    *out = (ob_check_result){.verdict = "same", .worst = NAN};
    for (size_t i = 0; i < m->plan.step_count; i++) {
        const ob_replay_check *c = &m->checks[i];
        calls += c->verdict != NULL;
        out->checked += c->checked;
        out->elements += c->elements;
        if (c->verdict != NULL && !(c->worst <= out->worst) && !isnan(c->worst))
            out->worst = c->worst;
        if (is(c->verdict, "differs") && differ++ == 0)
            first = i;
        if (is(c->verdict, "not checked") && not_checked++ == 0)
            unknown = i;
    }
    const size_t at = differ > 0 ? first : unknown;
    if (at == SIZE_MAX)
        return;
    const ob_replay_step *step = &m->plan.steps[at];
    const char *why = m->checks[at].reason != NULL ? m->checks[at].reason : "";
    out->verdict = differ > 0 ? "differs" : "not checked";
    snprintf(out->reason, sizeof out->reason,
             "%zu of %zu calls %s, the first is node %lld, %.80s: %.300s",
             differ > 0 ? differ : not_checked, calls,
             differ > 0 ? "differ" : "could not be checked", (long long)step->node->id,
             m->plan.name_of[step->op], why);
}

static double seconds_per_call(const ob_made_case *m)
{
    const double share = STEP_SECONDS / (double)(m->plan.step_count + 1);
    return share > MOST_SECONDS ? MOST_SECONDS : share < LEAST_SECONDS ? LEAST_SECONDS : share;
}

ob_status ob__replay_check(ob_made_case *m, const ob_reference_desc *reference, bool again,
                           ob_check_result *out, ob_err *err)
{
    *out = (ob_check_result){.worst = NAN};
    if (!again)
        OB_TRY(ob__replay_pass(m, err)); /* which calls there are is known behind it */
    if (m->checks == NULL)
        m->checks = calloc(m->plan.step_count + 1, sizeof *m->checks);
    if (m->checks == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for checking a replay");
    for (size_t i = 0; i < m->plan.step_count; i++)
        m->checks[i].checked = m->checks[i].elements = 0; /* the verdicts of both passes count */
    const double clock_ns = m->clock_ns;
    double *times = m->call_ns; /* those of a pass that was timed stay */
    m->call_ns = calloc(m->plan.step_count + 1, sizeof *m->call_ns);
    if (m->call_ns == NULL) {
        m->call_ns = times;
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for checking a replay");
    }
    m->seed = (uint64_t)m->session->options.seed ^ (again ? OTHER_VALUES : 0);
    m->caller.checks = true;
    m->caller.reference = reference;
    m->caller.check_seconds = seconds_per_call(m);
    const ob_status status = ob__replay_pass(m, err);
    m->caller.checks = false;
    m->seed = (uint64_t)m->session->options.seed;
    m->clock_ns = clock_ns;
    m->has_row = false;
    free(m->call_ns);
    m->call_ns = times;
    OB_TRY(status);
    sum_up(m, out);
    return OB_OK;
}
