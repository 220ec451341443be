/* SPDX-License-Identifier: Apache-2.0
 *
 * When to look while measuring goes on. Each look may err, so the looks are few, planned before the first sample, and share the
 * error rate.
 */
#include "opbench/measure.h"
#include "opbench/run.h"
#include "verdict/diff_int.h"

#include <math.h>
#include <stdlib.h>

/* With fewer than LEAST_PROCESSES only large differences are called: so many whatever the budget. */
enum { FIRST_LOOK = 3, LEAST_PROCESSES = 5 };
/* The last block of a process passes its share of the budget. */
static const double BUDGET_SLACK = 1.2;

/* Half as many again: 3, 5, 8, 12, 18, 27, ... */
static uint64_t after(uint64_t look)
{
    return look < UINT64_MAX / 2 ? look + (look + 1) / 2 : UINT64_MAX;
}

/* The last look is at the most that there may be, however near the one before is. */
uint64_t ob_verdict_next_look(uint64_t processes, uint64_t most)
{
    uint64_t look = FIRST_LOOK;
    while (look <= processes && look < most)
        look = after(look);
    look = look < most ? look : most;
    return look > processes ? look : 0;
}

/* Early looks find what is large anyway, so a share grows with what has been measured. Between two looks measuring only ends
 * because the time is up: that look is the last one, and gets what those after it would have had. */
double ob_verdict_look_share(uint64_t processes, uint64_t most)
{
    double before = 0, all = 0, own = 0;
    for (uint64_t look = ob_verdict_next_look(0, most); look > 0;
         look = ob_verdict_next_look(look, most)) {
        all += (double)look;
        before += look < processes ? (double)look : 0;
        own += look == processes ? (double)look : 0;
    }
    if (processes == 0 || processes > most)
        return 0;
    return (own > 0 ? own : all - before) / all;
}

/* ---- while sides are measured ---- */

static void note_found(ob_verdict_looks *looks, const ob_verdict *v)
{
    const double low = log(v->sure_low), high = log(v->sure_high);
    if (isnan(low))
        return;
    looks->least_found =
        looks->has_looked ? fmin(looks->least_found, v->floor - low) : v->floor - low;
    looks->has_looked = true;
    if (v->subject_units >= LEAST_PROCESSES) /* fewer may agree by chance */
        looks->beyond = fmax(looks->beyond, fmax(low, -high));
    looks->has_called |= v->kind == OB_VERDICT_SLOWER || v->kind == OB_VERDICT_FASTER;
}

/* One pass of two sides, and the resolution of their samples. */
typedef struct two_passes {
    const ob_record_pass *baseline, *subject;
    double baseline_ms, subject_ms;
} two_passes;

/* Whether the verdict on a pass is final; without times there is nothing to wait for. *no_times: some of them are not positive. */
static bool is_settled(ob_verdict_looks *looks, const two_passes *of,
                       const ob_verdict_params *params, bool *no_times)
{
    ob_diff_pass a = {.peak_bytes = NAN}, b = {.peak_bytes = NAN};
    ob_verdict v = {.size = sizeof v};
    const ob_diff_taken of_a = {.equally = 1, .resolution_ms = of->baseline_ms},
                        of_b = {.equally = 1, .resolution_ms = of->subject_ms};
    bool settled = true;
    *no_times = false;
    if (of->baseline == NULL || of->subject == NULL)
        return true;
    const bool added = ob__diff_add_pass(of->baseline, &of_a, &a, NULL) == OB_OK &&
                       ob__diff_add_pass(of->subject, &of_b, &b, NULL) == OB_OK;
    *no_times = a.no_times || b.no_times;
    if (added && !*no_times && a.count > 1 && b.count > 1 &&
        ob_verdict_decide(a.units, a.count, b.units, b.count, params, &v, NULL) == OB_OK) {
        settled = !looks->to_the_end && ob_verdict_is_final(&v, params);
        note_found(looks, &v);
    }
    free(a.units);
    free(b.units);
    return settled;
}

static double resolution_of(const ob_verdict_looks *looks, const ob_side_progress *side)
{
    return side->last != NULL ? ob__diff_resolution_ms(looks->clock_resolution_ns, side->last) : 0;
}

/* As it will be judged: with the forward pass, if some of its times are not positive. */
static bool is_backward_settled(ob_verdict_looks *looks, const two_passes *forward,
                                const two_passes *backward, const ob_verdict_params *params)
{
    bool no_times;
    bool settled = is_settled(looks, backward, params, &no_times);
    if (!no_times || forward->baseline == NULL || forward->subject == NULL)
        return settled;
    ob_record_pass a, b;
    double *of_a = NULL, *of_b = NULL;
    two_passes together = *backward;
    together.baseline = &a;
    together.subject = &b;
    if (ob__diff_put_together(forward->baseline, backward->baseline, &a, &of_a, NULL) == OB_OK &&
        ob__diff_put_together(forward->subject, backward->subject, &b, &of_b, NULL) == OB_OK)
        settled = is_settled(looks, &together, params, &no_times);
    free(of_a);
    free(of_b);
    return settled;
}

/* Whether the verdicts on both passes are final. */
static bool are_settled(ob_verdict_looks *looks, const ob_side_progress *baseline,
                        const ob_side_progress *subject, const ob_verdict_params *params)
{
    const double of_a = resolution_of(looks, baseline), of_b = resolution_of(looks, subject);
    const two_passes forward = {baseline->forward, subject->forward, of_a, of_b};
    const two_passes backward = {baseline->backward, subject->backward, of_a, of_b};
    bool no_times;
    return is_settled(looks, &forward, params, &no_times) &&
           is_backward_settled(looks, &forward, &backward, params);
}

/* A case that takes long has fewer processes than planned: that depends on how long it takes, not on who is faster. */
static bool is_spent(const ob_verdict_looks *looks, const ob_sides_progress *progress)
{
    const double spent = progress->measured;
    return looks->budget_s > 0 && progress->processes >= LEAST_PROCESSES &&
           spent + spent / (double)progress->processes > looks->budget_s * BUDGET_SLACK;
}

int ob_verdict_is_enough(void *ctx, const ob_sides_progress *progress)
{
    ob_verdict_looks *looks = ctx;
    const uint64_t done = (uint64_t)progress->processes;
    ob_verdict_params params = looks->params;
    const ob_side_progress *sides[OB_MAX_SIDES];
    const bool spent = is_spent(looks, progress);
    const ob_clock clock = ob_clock_monotonic();
    bool settled = true;
    if (progress->processes < 1 || progress->side_count > OB_MAX_SIDES ||
        (!spent && ob_verdict_next_look(done - 1, looks->most) != done))
        return 0;
    /* As a header says it: the verdicts while measuring are those of the records, or it would stop for what is not found then. */
    if (looks->clock_resolution_ns == 0)
        looks->clock_resolution_ns = ob_clock_resolution_ns(&clock);
    params.paired = true;
    params.look_share = ob_verdict_look_share(done, looks->most);
    for (size_t i = 0; settled && i < progress->side_count; i++) {
        sides[i] = (const void *)((const char *)progress->sides + i * progress->side_size);
        if (i > 0 && !sides[0]->failed && !sides[i]->failed)
            settled = are_settled(looks, sides[0], sides[i], &params);
    }
    return settled || spent;
}
