/* SPDX-License-Identifier: Apache-2.0
 *
 * Statistics of samples. Sums are compensated and the standard deviation takes a second pass, so that
 * ten million samples with a small spread around a large mean lose no digits.
 */
#include "measure/stats.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

static const struct quantile_row {
    double q;
    size_t offset;
} QUANTILES[] = {
    {0.0, offsetof(ob_stats, min)},    {0.25, offsetof(ob_stats, p25)},
    {0.5, offsetof(ob_stats, median)}, {0.75, offsetof(ob_stats, p75)},
    {0.9, offsetof(ob_stats, p90)},    {0.99, offsetof(ob_stats, p99)},
    {1.0, offsetof(ob_stats, max)},
};

ob_status ob__samples_check(const double *samples, size_t count, ob_err *err)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(samples[i]))
            return ob_err_set(err, OB_ERR_INVALID,
                              "sample %zu of %zu is %s; statistics need finite numbers", i, count,
                              isnan(samples[i]) ? "not a number" : "infinite");
    return OB_OK;
}

void ob__sum_add(ob_sum *sum, double x)
{
    const double total = sum->total + x;
    /* What the addition rounded away. */
    sum->rest += fabs(sum->total) >= fabs(x) ? (sum->total - total) + x : (x - total) + sum->total;
    sum->total = total;
}

double ob__mean(const double *samples, size_t count)
{
    ob_sum sum = {.total = 0, .rest = 0};
    for (size_t i = 0; i < count; i++)
        ob__sum_add(&sum, samples[i]);
    return (sum.total + sum.rest) / (double)count;
}

double ob__stddev(const double *samples, size_t count, double mean)
{
    ob_sum squares = {.total = 0, .rest = 0}, rest = {.total = 0, .rest = 0};
    if (count < 2)
        return NAN;
    for (size_t i = 0; i < count; i++) {
        const double distance = samples[i] - mean;
        ob__sum_add(&squares, distance * distance);
        ob__sum_add(&rest, distance);
    }
    /* The mean is rounded, so the distances do not sum to zero: take that share out again. */
    const double off = rest.total + rest.rest;
    const double sum = squares.total + squares.rest - off * off / (double)count;
    return sqrt(fmax(sum, 0) / (double)(count - 1));
}

double ob_stats_quantile(const double *sorted, size_t count, double q)
{
    const double rank = q * (double)(count - 1);
    const size_t low = (size_t)rank;
    const size_t high = low + 1 < count ? low + 1 : count - 1;
    const double weight = rank - (double)low;
    const double a = sorted[low], b = sorted[high];
    /* From the nearer side, as torch does: exact at both ends. */
    return weight < 0.5 ? a + weight * (b - a) : b - (b - a) * (1 - weight);
}

static bool is_finite(const ob_stats *stats)
{
#define CHECK_FIELD(argument, name, help) &&isfinite(stats->name)
    ob_stats checked = *stats;
    if (checked.count == 1)
        checked.stddev = 0;
    stats = &checked;
    return true OB_STATS_MAP(CHECK_FIELD, );
#undef CHECK_FIELD
}

ob_status ob_stats_compute(const double *samples, size_t count, double *scratch, ob_stats *out,
                           ob_err *err)
{
    *out = (ob_stats){.count = count};
    if (count == 0)
        return ob_err_set(err, OB_ERR_INVALID,
                          "there are no samples for statistics; measure at least one");
    OB_TRY(ob__samples_check(samples, count, err));
    out->mean = ob__mean(samples, count);
    out->stddev = ob__stddev(samples, count, out->mean);
    if (scratch != samples)
        memcpy(scratch, samples, count * sizeof *scratch);
    ob_stats_sort(scratch, count);
    for (size_t i = 0; i < sizeof QUANTILES / sizeof *QUANTILES; i++) {
        const double value = ob_stats_quantile(scratch, count, QUANTILES[i].q);
        memcpy((char *)out + QUANTILES[i].offset, &value, sizeof value);
    }
    out->iqr = out->p75 - out->p25;
    if (!is_finite(out))
        return ob_err_set(err, OB_ERR_OVERFLOW,
                          "the samples are too large for their statistics; use a larger unit");
    return OB_OK;
}
