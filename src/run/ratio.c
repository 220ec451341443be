/* SPDX-License-Identifier: Apache-2.0
 *
 * The ratio of two backends that took turns. Both are cut into as many batches of neighbours, which cover
 * the same stretches of time; of each batch the median counts, which one preempted sample does not move; the
 * pairs' logarithms of the ratio are averaged and have an interval, and its ends taken back are those of the
 * ratio: what disturbs both alike (a clock that slows down) cancels, and no end can be negative.
 */
#include "run/ratio.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The median of batch `k` of `batches`, whose sizes differ by one at most. */
static double batch_median(const double *values, size_t count, size_t k, size_t batches,
                           double *scratch)
{
    const size_t from = k * count / batches, to = (k + 1) * count / batches;
    memcpy(scratch, values + from, (to - from) * sizeof *scratch);
    ob_stats_sort(scratch, to - from);
    return ob_stats_quantile(scratch, to - from, 0.5);
}

static double mean_of(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

/* False when a median is not a positive number. */
static bool log_ratios(const ob_ratio_args *args, size_t pairs, double *scratch, double *out)
{
    for (size_t k = 0; k < pairs; k++) {
        const double x = batch_median(args->reference, args->reference_count, k, pairs, scratch);
        const double y = batch_median(args->subject, args->subject_count, k, pairs, scratch);
        if (!(x > 0) || !(y > 0) || !isfinite(x) || !isfinite(y))
            return false;
        out[k] = log(y / x);
    }
    return true;
}

bool ob__pass_is_of_batches(const ob_record_pass *pass)
{
    return pass->interval_over != NULL && strcmp(pass->interval_over, "passes") == 0;
}

ob_status ob__ratio_compute(const ob_ratio_args *args, ob_record_ratio *out, ob_err *err)
{
    const size_t nx = args->reference_count, ny = args->subject_count;
    double logs[OB_MAX_BATCHES];
    ob_interval interval;
    *out = (ob_record_ratio){.value = NAN, .low = NAN, .high = NAN, .confidence = NAN};
    size_t pairs = nx < ny ? nx : ny;
    pairs = pairs < OB_MAX_BATCHES ? pairs : OB_MAX_BATCHES;
    if (pairs == 0)
        return OB_OK;
    double *scratch = calloc(nx > ny ? nx : ny, sizeof *scratch);
    if (scratch == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the ratio of two backends");
    const bool usable = log_ratios(args, pairs, scratch, logs);
    free(scratch);
    if (!usable)
        return OB_OK;
    const double middle = mean_of(logs, pairs);
    out->value = exp(middle);
    OB_TRY(args->of_processes ? ob_interval_from_processes(logs, pairs, 0, &interval, err)
                              : ob_interval_from_samples(logs, pairs, NULL, &interval, err));
    if (!interval.enough)
        return OB_OK;
    out->low = exp(middle - interval.half_width);
    out->high = exp(middle + interval.half_width);
    out->confidence = interval.confidence;
    return OB_OK;
}
