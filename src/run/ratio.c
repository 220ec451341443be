/* SPDX-License-Identifier: Apache-2.0
 *
 * The ratio of two backends that took turns. Both are cut into as many batches of neighbours, which cover
 * the same stretches of time; of each batch the median counts, which one preempted sample does not move. The logarithms
 * of the pairs' ratios have a centre that a few disturbed pairs do not move either, and an interval; taken
 * back they are those of the ratio: what disturbs both alike (a clock that slows down) cancels, and no end can be
 * negative.
 */
#include "run/ratio.h"

#include "measure/interval.h"

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

bool ob__pass_is_of_steps(const ob_record_pass *pass)
{
    return pass->interval_over != NULL && strcmp(pass->interval_over, "passes") == 0;
}

ob_status ob__ratio_compute(const ob_ratio_args *args, ob_record_ratio *out, ob_err *err)
{
    const size_t nx = args->reference_count, ny = args->subject_count;
    double logs[OB_MOST_PAIRS];
    ob_centre centre;
    *out = (ob_record_ratio){.value = NAN, .low = NAN, .high = NAN, .confidence = NAN};
    size_t pairs = nx < ny ? nx : ny;
    pairs = pairs < OB_MOST_PAIRS ? pairs : OB_MOST_PAIRS;
    if (pairs == 0)
        return OB_OK;
    double *scratch = calloc(nx > ny ? nx : ny, sizeof *scratch);
    if (scratch == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the ratio of two backends");
    const bool usable = log_ratios(args, pairs, scratch, logs);
    free(scratch);
    if (!usable)
        return OB_OK;
    ob__centre_of_pairs(logs, pairs, args->independent, &centre);
    out->value = exp(centre.centre);
    if (!centre.enough)
        return OB_OK;
    out->low = exp(centre.low);
    out->high = exp(centre.high);
    out->confidence = centre.confidence;
    return OB_OK;
}
