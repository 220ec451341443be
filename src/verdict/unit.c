/* SPDX-License-Identifier: Apache-2.0
 *
 * What the samples of a process come to. On a machine that others use too a sample is either clean or disturbed, and the
 * clean ones agree: their low quantile repeats to a tenth of a per cent where the median moves with the load. Samples
 * are set aside by the kernel's word alone, never for their value.
 */
#include "verdict/unit.h"
#include "base/sized.h"
#include "opbench/measure.h"
#include "opbench/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LOW = 0.03, TAIL = 0.9;
/* The lowest of the samples, whose scatter says how sure the low quantile is: up to this quantile, and two at least. */
static const double LOWEST = 0.08;
/* With fewer clean samples than this the kernel disturbed nearly all: then all are taken. */
enum { LEAST_CLEAN = 3 };

/* The quantile lies at rank 1 + LOW (n - 1), and rank r of n samples has r / (n + 1) of the time below it on average. */
double ob__unit_level(double samples)
{
    return (1 + LOW * (samples - 1)) / (samples + 1);
}

typedef struct span {
    size_t from, to;
} span;

static ob_status check(const ob_verdict_samples *s, ob_err *err)
{
    if (s->count == 0 || s->values == NULL)
        return ob_err_set(err, OB_ERR_INVALID, "there are no samples to compare");
    for (size_t i = 0; i < s->count; i++)
        if (!(s->values[i] > 0) || !isfinite(s->values[i]))
            return ob_err_set(err, OB_ERR_INVALID,
                              "sample %zu is %g; times must be positive to be compared", i,
                              s->values[i]);
    return OB_OK;
}

/* The samples of the span that nothing disturbed, into out; returns how many. */
static size_t copy_clean(const ob_verdict_samples *s, span where, double *out)
{
    size_t count = 0, d = 0;
    for (size_t i = where.from; i < where.to; i++) {
        const double number = (double)s->first + (double)i;
        while (d < s->disturbed_count && s->disturbed[d] < number)
            d++;
        if (d == s->disturbed_count || s->disturbed[d] > number)
            out[count++] = s->values[i];
    }
    return count;
}

/* Rounding is no step. */
static const double LEAST_STEP = 1e-9;
/* If fewer of the neighbours are equal, noise is what keeps samples apart, and it averages the clock's rounding out. So many neighbours
 * can tell. */
static const double LEAST_EQUAL = 0.1;
enum { ENOUGH_NEIGHBOURS = 10 };

/* Of sorted samples the usual step between the lower half: a clock that counts ticks of 10 ns and says nanoseconds has odd ones
 * of 1 too. A step wider than the known resolution (0 = not known) is none of the clock's. 0: rounding does not matter. steps has
 * room for all. */
static double usual_step(const double *sorted, size_t count, double low, double resolution,
                         double *steps)
{
    const size_t lower = count / 2;
    size_t found = 0;
    for (size_t i = 1; i <= lower; i++) {
        const double step = (sorted[i] - sorted[i - 1]) / low;
        if (step > LEAST_STEP)
            steps[found++] = step;
    }
    const bool repeat = (double)(lower - found) >= LEAST_EQUAL * (double)lower;
    if (!repeat && lower >= ENOUGH_NEIGHBOURS)
        return 0;
    if (!repeat || found == 0)
        return resolution;
    ob_stats_sort(steps, found);
    const double usual = ob_stats_quantile(steps, found, 0.5);
    return resolution > 0 ? fmin(usual, resolution) : usual;
}

/* Of sorted samples. */
static void find_low(const double *sorted, size_t count, double resolution, double *steps,
                     ob_verdict_unit *out)
{
    const double second = count > 1 ? 1 / (double)(count - 1) : NAN;
    out->low = ob_stats_quantile(sorted, count, LOW);
    out->tick = usual_step(sorted, count, out->low, resolution / out->low, steps);
    out->scatter = count > 1
                       ? log(ob_stats_quantile(sorted, count, fmax(LOWEST, second)) / sorted[0]) / 2
                       : NAN;
}

/* scratch has room for the span twice. */
static void summarise(const ob_verdict_samples *s, span where, double *scratch,
                      ob_verdict_unit *out)
{
    const size_t count = where.to - where.from;
    const size_t clean = s->disturbed != NULL ? copy_clean(s, where, scratch) : 0;
    *out = (ob_verdict_unit){.samples = count, .low = NAN};
    if (clean >= LEAST_CLEAN) {
        ob_stats_sort(scratch, clean);
        find_low(scratch, clean, s->resolution, scratch + count, out);
        out->set_aside = count - clean;
    }
    memcpy(scratch, s->values + where.from, count * sizeof *scratch);
    ob_stats_sort(scratch, count);
    if (isnan(out->low))
        find_low(scratch, count, s->resolution, scratch + count, out);
    out->median = ob_stats_quantile(scratch, count, 0.5);
    out->tail = ob_stats_quantile(scratch, count, TAIL);
}

ob_status ob_verdict_batches_of(const ob_verdict_samples *samples, ob_verdict_unit *out,
                                size_t room, size_t *count, ob_err *err)
{
    ob_verdict_samples s;
    *count = 0;
    OB_TRY(OB__TAKE(ob_verdict_samples, &s, samples, err));
    OB_TRY(check(&s, err));
    double *scratch = malloc(2 * s.count * sizeof *scratch);
    if (scratch == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a verdict");
    const size_t batches = s.count < room ? s.count : room;
    for (size_t k = 0; k < batches; k++)
        summarise(&s, (span){k * s.count / batches, (k + 1) * s.count / batches}, scratch, &out[k]);
    *count = batches;
    free(scratch);
    return OB_OK;
}

ob_status ob_verdict_unit_of(const ob_verdict_samples *samples, ob_verdict_unit *out, ob_err *err)
{
    size_t count;
    return ob_verdict_batches_of(samples, out, 1, &count, err);
}
