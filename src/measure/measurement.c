/* SPDX-License-Identifier: Apache-2.0
 *
 * Figures of a measurement. Median, quartiles and mean are ob_stats's; here is what the original
 * adds: how many figures of the median are to be trusted, and when the spread deserves a warning.
 */
#include "measure/measurement_int.h"

#include "measure/stats.h"
#include "measure/units.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_FIGURES = 4 };
/* Below this a difference is not believed, however steady the samples are. */
static const double MIN_CONFIDENCE_S = 25e-9;
/* Standard deviations on each side of 90 % of a normal distribution. */
static const double CONFIDENCE_SIGMAS = 1.645;

static const double SPREAD_BOUNDS[] = {
#define BOUND(id, bound, meaning) [OB_SPREAD_##id] = bound,
    OB_SPREAD_MAP(BOUND)
#undef BOUND
};

/* Of values rounded to single precision, divided by their number. */
static double single_deviation(const double *values, size_t count)
{
    ob_sum sum = {.total = 0}, squares = {.total = 0};
    for (size_t i = 0; i < count; i++)
        ob__sum_add(&sum, (double)(float)values[i]);
    const double mean = (sum.total + sum.rest) / (double)count;
    for (size_t i = 0; i < count; i++) {
        const double distance = (double)(float)values[i] - mean;
        ob__sum_add(&squares, distance * distance);
    }
    return (double)(float)sqrt((squares.total + squares.rest) / (double)count);
}

static int significant_figures(const double *sorted, size_t count, double median)
{
    const size_t low = count / 4;
    const size_t high = count - count / 4; /* 3 * count / 4, rounded up */
    const size_t kept = high - low;
    const double deviation = single_deviation(sorted + low, kept);
    const double confidence =
        fmax(CONFIDENCE_SIGMAS * deviation / (double)sqrtf((float)kept), MIN_CONFIDENCE_S);
    const double figures = floor(ob__log10_single(median / confidence));
    return !(figures >= 1) ? 1 : figures > (double)MAX_FIGURES ? MAX_FIGURES : (int)figures;
}

static ob_status check(const ob_measurement *m, ob_err *err)
{
    if (m->count == 0)
        return ob_err_set(err, OB_ERR_INVALID,
                          "the measurement has no samples; measure at least one block");
    if (m->number_per_run < 1)
        return ob_err_set(
            err, OB_ERR_INVALID,
            "number_per_run is %lld; it says how many runs a block has and must be at "
            "least 1",
            (long long)m->number_per_run);
    OB_TRY(ob__samples_check(m->raw_times, m->count, err));
    for (size_t i = 0; i < m->count; i++)
        if (m->raw_times[i] < 0)
            return ob_err_set(err, OB_ERR_INVALID,
                              "sample %zu of %zu is negative (%g s); times cannot be", i, m->count,
                              m->raw_times[i]);
    return OB_OK;
}

void ob__measurement_times(const ob_measurement *m, double *out)
{
    const double runs = (double)m->number_per_run;
    for (size_t i = 0; i < m->count; i++)
        out[i] = m->raw_times[i] / runs;
}

static ob_status compute(const ob_measurement *m, double *times, ob_measurement_stats *out,
                         ob_err *err)
{
    ob_stats stats;
    ob__measurement_times(m, times);
    OB_TRY(ob_stats_compute(times, m->count, times, &stats, err));
    if (!(stats.median > 0))
        return ob_err_set(
            err, OB_ERR_INVALID,
            "the median of the samples is 0; the clock is too coarse: measure more runs "
            "per block");
    *out = (ob_measurement_stats){.count = m->count,
                                  .mean = stats.mean,
                                  .median = stats.median,
                                  .p25 = stats.p25,
                                  .p75 = stats.p75,
                                  .iqr = stats.iqr,
                                  .significant_figures =
                                      significant_figures(times, m->count, stats.median)};
    for (int spread = OB_SPREAD_NARROW; spread < OB_SPREAD_COUNT; spread++)
        if (!ob_measurement_meets_confidence(out, SPREAD_BOUNDS[spread]))
            out->spread = (ob_spread)spread;
    return OB_OK;
}

ob_status ob_measurement_compute(const ob_measurement *m, ob_measurement_stats *out, ob_err *err)
{
    *out = (ob_measurement_stats){.count = 0};
    OB_TRY(check(m, err));
    double *times = m->count <= SIZE_MAX / sizeof *times ? malloc(m->count * sizeof *times) : NULL;
    if (times == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for %zu samples", m->count);
    const ob_status status = compute(m, times, out, err);
    free(times);
    return status;
}

bool ob_measurement_meets_confidence(const ob_measurement_stats *stats, double threshold)
{
    return stats->iqr / stats->median < threshold;
}
