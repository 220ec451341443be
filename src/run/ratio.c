/* SPDX-License-Identifier: Apache-2.0
 *
 * The ratio of means R = y / x, with the interval of the delta method for pairs: the residuals
 * (y_i - R x_i) / x have the spread of R, and what disturbs both backends alike (a clock that slows
 * down) cancels in them. Backends take turns block by block, but one may have more samples than the other; so
 * both are cut into as many batches of neighbours, which cover the same stretches of time, and those
 * are the pairs.
 */
#include "run/ratio.h"

#include <math.h>

static double mean_of(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

/* The mean of batch `k` of `batches`, whose sizes differ by one at most. */
static double batch_mean(const double *values, size_t count, size_t k, size_t batches)
{
    const size_t from = k * count / batches, to = (k + 1) * count / batches;
    return mean_of(values + from, to - from);
}

ob_status ob__ratio_compute(const ob_ratio_args *args, ob_record_ratio *out, ob_err *err)
{
    const size_t nx = args->reference_count, ny = args->subject_count;
    const size_t most = args->of_processes ? nx : OB_MAX_BATCHES;
    double residuals[OB_MAX_BATCHES];
    ob_interval interval;
    *out = (ob_record_ratio){.value = NAN, .low = NAN, .high = NAN, .confidence = NAN};
    if (nx == 0 || ny == 0)
        return OB_OK;
    const double x = mean_of(args->reference, nx), y = mean_of(args->subject, ny);
    if (!(x > 0) || !isfinite(x) || !isfinite(y))
        return OB_OK;
    out->value = y / x;
    size_t pairs = nx < ny ? nx : ny;
    pairs = pairs < most ? pairs : most;
    pairs = pairs < OB_MAX_BATCHES ? pairs : OB_MAX_BATCHES;
    for (size_t k = 0; k < pairs; k++)
        residuals[k] = (batch_mean(args->subject, ny, k, pairs) -
                        out->value * batch_mean(args->reference, nx, k, pairs)) /
                       x;
    OB_TRY(args->of_processes ? ob_interval_from_processes(residuals, pairs, 0, &interval, err)
                              : ob_interval_from_samples(residuals, pairs, NULL, &interval, err));
    if (!interval.enough)
        return OB_OK;
    out->low = out->value - interval.half_width;
    out->high = out->value + interval.half_width;
    out->confidence = interval.confidence;
    return OB_OK;
}
