/* SPDX-License-Identifier: Apache-2.0
 *
 * The centre of paired differences, with an interval that a few wild pairs do not move: Wilcoxon's signed ranks, turned
 * around. If two sides take turns, and nothing but a constant tells them apart, the difference of a pair is
 * spread symmetrically around that constant; then so is each average of two differences, and the ordered averages
 * hold the constant as the subsets of 1..n say. Neighbouring pairs that are alike are worth fewer.
 */
#include "measure/interval.h"
#include "measure/stats.h"

#include <math.h>

/* The averages of all twos, with themselves too; ascending. */
static size_t averages_of(const double *differences, size_t count, double *out)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = i; k < count; k++)
            out[n++] = differences[i] + (differences[k] - differences[i]) / 2;
    ob_stats_sort(out, n);
    return n;
}

void ob__centre_of_pairs(const double *differences, size_t count, bool independent, ob_centre *out)
{
    double averages[OB_MOST_PAIRS * (OB_MOST_PAIRS + 1) / 2];
    const size_t n = averages_of(differences, count, averages);
    *out = (ob_centre){
        .centre = ob_stats_quantile(averages, n, 0.5), .low = NAN, .high = NAN, .lag1 = NAN};
    size_t worth = count;
    if (!independent && count >= OB_MIN_SAMPLES) {
        ob_dependence dependence;
        ob__dependence_measure(differences, count, out->centre, &dependence);
        out->lag1 = dependence.lag1;
        worth = (size_t)((double)count / dependence.inflation + 1e-9);
    }
    const ob_rank r = ob__signed_rank(worth, OB_DEFAULT_CONFIDENCE);
    out->confidence = r.coverage;
    out->enough = r.rank > 0 && (independent || count >= OB_MIN_SAMPLES);
    if (!out->enough)
        return;
    const double share = (double)r.rank / ((double)(worth * (worth + 1)) / 2 + 1);
    const double place = floor(share * (double)(n + 1) + 1e-9);
    const size_t rank = place > 1 ? (size_t)place : 1;
    out->low = averages[rank - 1];
    out->high = averages[n - rank];
}
