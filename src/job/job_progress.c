/* SPDX-License-Identifier: Apache-2.0
 *
 * How far a job is, and how long the rest takes.
 */
#include "job/job_int.h"

#include <math.h>
#include <string.h>

static double seconds_of(const ob_job *job)
{
    const ob_clock clock = ob_clock_monotonic();
    return job->started_ns > 0 ? (double)(ob_clock_now_ns(&clock) - job->started_ns) / 1e9 : 0;
}

static uint64_t results_per_case(const ob_job *job)
{
    const ob_job_source *s = &job->source;
    return s->cases > 0 && s->results > s->cases ? s->results / s->cases : 1;
}

/* Results that a resumed file had. It may hold cases that are not selected now. */
static uint64_t count_done(const ob_job *job)
{
    const uint64_t all = ob_job_result_count(job);
    const uint64_t done = job->done != NULL ? ob_done_count(job->done) : 0;
    return done < all ? done : all;
}

/* Cases are measured in their order, and those that were done are the first of them. */
static uint64_t case_under_way(const ob_job *job)
{
    return (count_done(job) + job->finished) / results_per_case(job);
}

static void open_outlook(ob_job *job)
{
    if (job->outlook == NULL && job->parts != NULL)
        job->outlook = ob__outlook_open(job->parts, job->part_cases, job->part_count);
}

static double size_of(const ob_job *job, uint64_t first, uint64_t end)
{
    return job->outlook != NULL ? ob__outlook_size(job->outlook, first, end) : 0;
}

void ob__job_note_result(ob_job *job)
{
    const double now = seconds_of(job);
    const uint64_t before = case_under_way(job);
    job->finished++;
    if (case_under_way(job) == before || job->params.on_progress == NULL)
        return;
    open_outlook(job);
    ob__eta_add(&job->eta, size_of(job, before, before + 1), now - job->case_began_s);
    job->case_began_s = now;
}

/* What the case under way still needs: of a step of a trace it is known how many calls it has made. */
static double left_of_step(const ob_run_progress *step, double seconds)
{
    const double all = (double)step->passes * (double)step->size;
    const double done = (double)step->pass * (double)step->size + (double)step->done;
    return done > 0 && all > done ? seconds * (all - done) / done : NAN;
}

static double estimate(const ob_job *job, const ob_run_progress *step, uint64_t left,
                       double seconds)
{
    const uint64_t at = case_under_way(job), per_case = results_per_case(job);
    const double cases = (double)left / (double)per_case;
    const double in_case = seconds - job->case_began_s;
    if (step != NULL) {
        const double rest = left_of_step(step, in_case);
        const double others = cases > 1 ? ob__eta_left(&job->eta, cases - 1, 0) : 0;
        return rest + (isnan(others) ? (rest + in_case) * (cases - 1) : others);
    }
    if (left == 0)
        return 0;
    /* What the case under way has had of its time; one that takes longer than was thought will take some more. */
    static const double LEAST_MORE = 0.1;
    const double present = ob__eta_left(&job->eta, 1, size_of(job, at, at + 1));
    const double others =
        cases > 1 ? ob__eta_left(&job->eta, cases - 1, size_of(job, at + 1, job->source.cases)) : 0;
    return others + fmax(present - in_case, LEAST_MORE * in_case);
}

static void fill(ob_job *job, const ob_record *record, const ob_run_progress *step,
                 ob_job_progress *out)
{
    const uint64_t wanted = ob_job_result_count(job) - count_done(job);
    *out = (ob_job_progress){.done = job->finished,
                             .total = wanted > job->finished ? wanted : job->finished,
                             .seconds = seconds_of(job),
                             .record = record,
                             .step = step};
    open_outlook(job);
    out->seconds_left = estimate(job, step, out->total - out->done, out->seconds);
    const double both = out->seconds + out->seconds_left;
    out->share = out->done == out->total ? 1
                 : both > 0              ? out->seconds / both
                 : out->total > 0        ? (double)out->done / (double)out->total
                                         : 0;
    if (job->outlook != NULL && out->done < out->total)
        out->call = ob__outlook_call(job->outlook, case_under_way(job));
}

void ob__job_tell_progress(ob_job *job, const ob_record *record, const ob_run_progress *step)
{
    ob_job_progress progress;
    if (job->params.on_progress == NULL)
        return;
    fill(job, record, step, &progress);
    job->params.on_progress(job->params.ctx, &progress);
}

void ob_job_tell_progress(ob_job *job)
{
    ob__job_tell_progress(job, NULL, NULL);
}

ob_status ob_job_look_ahead(ob_job *job, ob_job_outlook *out, ob_err *err)
{
    ob_job_outlook own = {.size = sizeof own};
    open_outlook(job);
    if (job->outlook != NULL) {
        own.call_width = ob__outlook_call_width(job->outlook);
        own.repeats_calls = ob__outlook_repeats_calls(job->outlook);
        own.one_pass = !ob__outlook_has_backward(job->outlook);
        own.calls = ob__outlook_calls(job->outlook, &own.call_count);
    }
    return OB__GIVE(ob_job_outlook, out, &own, err);
}
