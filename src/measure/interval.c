/* SPDX-License-Identifier: Apache-2.0
 *
 * Confidence intervals of a median: from one order statistic of the samples to another. Of n independent samples, each lies
 * below the true median with chance 1/2 whatever their distribution, so the coverage is a sum of binomial terms.
 * The innermost pair whose coverage is not below the confidence is taken (never interpolated: the interval errs by
 * being too wide). Samples of one process are worth fewer independent ones: the pair is that of so many, at the
 * same share of the whole list, rounded outwards.
 */
#include "measure/interval.h"
#include "measure/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ob_status ob__confidence_check(double *confidence, ob_err *err)
{
    if (*confidence == 0)
        *confidence = OB_DEFAULT_CONFIDENCE;
    return *confidence > 0 && *confidence < 1
               ? OB_OK
               : ob_err_set(err, OB_ERR_INVALID,
                            "confidence is %g; it must be between 0 and 1, like 0.95", *confidence);
}

static double middle_of(double *scratch, size_t count)
{
    const double upper = ob__stats_select(scratch, count, count / 2);
    if (count % 2 == 1)
        return upper;
    /* What is left of the place is not above it. */
    const double lower = ob__stats_select(scratch, count / 2, count / 2 - 1);
    return lower + (upper - lower) / 2;
}

/* The scratch holds all samples, in any order; the median and what the samples are worth are known. */
static void take_ends(double *scratch, size_t count, double confidence, ob_interval *out)
{
    const size_t independent = (size_t)out->independent;
    const ob_rank r = ob__median_rank(independent, confidence);
    out->confidence = r.coverage;
    if (r.rank == 0)
        return;
    const double share = (double)r.rank / (double)(independent + 1);
    const double place = floor(share * (double)(count + 1) + 1e-9);
    const size_t rank = place > 1 ? (size_t)place : 1;
    out->enough = true;
    out->low = ob__stats_select(scratch, count, rank - 1);
    out->high = ob__stats_select(scratch, count, count - rank);
    out->half_width = (out->high - out->low) / 2;
    out->relative_half_width = out->half_width == 0 ? 0 : out->half_width / fabs(out->median);
}

/* What samples of one process are worth; too few of them do not tell. */
static bool judge_dependence(const double *samples, size_t count, ob_interval *out)
{
    ob_dependence dependence;
    if (count < OB_MIN_SAMPLES)
        return false;
    ob__dependence_measure(samples, count, out->median, &dependence);
    out->lag1 = dependence.lag1;
    out->independent = (uint64_t)((double)count / dependence.inflation + 1e-9);
    return true;
}

static ob_status compute(const double *samples, size_t count, double confidence, bool one_process,
                         ob_interval *out, ob_err *err)
{
    double few[64];
    *out = (ob_interval){.enough = false,
                         .median = NAN,
                         .low = NAN,
                         .high = NAN,
                         .half_width = NAN,
                         .relative_half_width = NAN,
                         .lag1 = NAN,
                         .confidence = NAN,
                         .independent = count};
    OB_TRY(ob__confidence_check(&confidence, err));
    OB_TRY(ob__samples_check(samples, count, err));
    if (count == 0)
        return OB_OK;
    double *scratch = count <= sizeof few / sizeof *few ? few : malloc(count * sizeof *scratch);
    if (scratch == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the interval of %zu samples",
                          count);
    memcpy(scratch, samples, count * sizeof *scratch);
    out->median = middle_of(scratch, count);
    if (!one_process || judge_dependence(samples, count, out))
        take_ends(scratch, count, confidence, out);
    if (scratch != few)
        free(scratch);
    if (out->enough && !isfinite(out->half_width))
        return ob_err_set(err, OB_ERR_OVERFLOW,
                          "the samples are too large for their interval; use a larger unit");
    return OB_OK;
}

ob_status ob_interval_from_samples(const double *samples, size_t count, double confidence,
                                   ob_interval *out, ob_err *err)
{
    return compute(samples, count, confidence, true, out, err);
}

ob_status ob_interval_from_processes(const double *medians, size_t count, double confidence,
                                     ob_interval *out, ob_err *err)
{
    return compute(medians, count, confidence, false, out, err);
}
