/* SPDX-License-Identifier: Apache-2.0
 *
 * Confidence intervals of a mean. For one process by batch means: samples in order of time are cut
 * into batches, and Student's t is applied to the batches' means. The longer the batches, the less their
 * means depend on each other, but the fewer there are; so the batches grow only while neighbours are
 * correlated more than chance explains.
 */
#include "measure/interval.h"
#include "measure/stats.h"

#include <math.h>
#include <stdlib.h>

ob_status ob__interval_params_check(const ob_interval_params *given, ob_interval_params *out,
                                    ob_err *err)
{
    *out = given != NULL ? *given : (ob_interval_params){.confidence = 0};
    if (out->confidence == 0)
        out->confidence = OB_DEFAULT_CONFIDENCE;
    if (out->min_batches == 0)
        out->min_batches = OB_MIN_BATCHES;
    if (out->max_batches == 0)
        out->max_batches = out->min_batches > OB_MAX_BATCHES ? out->min_batches : OB_MAX_BATCHES;
    if (!(out->confidence > 0 && out->confidence < 1))
        return ob_err_set(err, OB_ERR_INVALID,
                          "confidence is %g; it must lie between 0 and 1, like 0.95",
                          out->confidence);
    if (out->min_batches < 2 || out->max_batches < out->min_batches)
        return ob_err_set(err, OB_ERR_INVALID,
                          "an interval needs 2 batches or more and max_batches >= min_batches; "
                          "min_batches is %zu, max_batches is %zu",
                          out->min_batches, out->max_batches);
    return OB_OK;
}

static void not_enough(size_t count, double confidence, ob_interval *out)
{
    *out = (ob_interval){.enough = false,
                         .mean = NAN,
                         .low = NAN,
                         .high = NAN,
                         .half_width = NAN,
                         .relative_half_width = NAN,
                         .lag1 = NAN,
                         .confidence = confidence,
                         .batches = count};
}

/* Correlation of each mean with the one before it; 0 when all are the same. */
static double lag1_correlation(const double *means, size_t count, double mean)
{
    double products = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        const double distance = means[i] - mean;
        squares += distance * distance;
        if (i > 0)
            products += distance * (means[i - 1] - mean);
    }
    return squares > 0 ? products / squares : 0;
}

static ob_status interval_of_means(const double *means, size_t count, double confidence,
                                   ob_interval *out, ob_err *err)
{
    const double mean = ob__mean(means, count);
    const double error = ob__stddev(means, count, mean) / sqrt((double)count);
    const double t = ob_student_t_quantile(0.5 + 0.5 * confidence, (double)(count - 1));
    *out = (ob_interval){.enough = true,
                         .mean = mean,
                         .low = mean - t * error,
                         .high = mean + t * error,
                         .half_width = t * error,
                         .lag1 = lag1_correlation(means, count, mean),
                         .confidence = confidence,
                         .batches = count};
    out->relative_half_width = error == 0 ? 0 : out->half_width / fabs(mean);
    if (!isfinite(out->low) || !isfinite(out->high))
        return ob_err_set(err, OB_ERR_OVERFLOW,
                          "the samples are too large for their interval; use a larger unit");
    return OB_OK;
}

/* The first count % batches batches are longer by one. */
static void batch_means(const double *samples, size_t count, double *means, size_t batches)
{
    for (size_t i = 0; i < batches; i++) {
        const size_t size = count / batches + (i < count % batches);
        means[i] = ob__mean(samples, size);
        samples += size;
    }
}

/* The correlation that `count` independent means exceed in one of 20 cases: its standard deviation is
 * about 1 / sqrt(count), its mean about -1 / count. */
static double chance_bound(size_t count)
{
    return 1.645 / sqrt((double)count) - 1 / (double)count;
}

ob_status ob_interval_from_samples(const double *samples, size_t count,
                                   const ob_interval_params *params, ob_interval *out, ob_err *err)
{
    ob_interval_params p;
    double few[OB_MAX_BATCHES];
    not_enough(count, NAN, out);
    OB_TRY(ob__interval_params_check(params, &p, err));
    OB_TRY(ob__samples_check(samples, count, err));
    out->confidence = p.confidence;
    if (count < p.min_batches)
        return OB_OK;
    size_t batches = count < p.max_batches ? count : p.max_batches;
    double *means = batches <= OB_MAX_BATCHES ? few : calloc(batches, sizeof *means);
    if (means == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for %zu batch means", batches);
    ob_status status = OB_OK;
    for (;;) {
        batch_means(samples, count, means, batches);
        status = interval_of_means(means, batches, p.confidence, out, err);
        if (status != OB_OK || batches == p.min_batches || out->lag1 <= chance_bound(batches))
            break;
        batches = batches * 2 / 3 > p.min_batches ? batches * 2 / 3 : p.min_batches;
    }
    if (means != few)
        free(means);
    return status;
}

ob_status ob_interval_from_processes(const double *means, size_t count, double confidence,
                                     ob_interval *out, ob_err *err)
{
    const ob_interval_params given = {.confidence = confidence};
    ob_interval_params p;
    not_enough(count, NAN, out);
    OB_TRY(ob__interval_params_check(&given, &p, err));
    OB_TRY(ob__samples_check(means, count, err));
    out->confidence = p.confidence;
    return count < OB_MIN_PROCESSES ? OB_OK
                                    : interval_of_means(means, count, p.confidence, out, err);
}
