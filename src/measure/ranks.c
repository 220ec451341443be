/* SPDX-License-Identifier: Apache-2.0
 *
 * Which order statistics hold a median, and how often. Both distributions are summed from their small end, term by
 * term, so the coverages are exact but for rounding.
 */
#include "measure/interval.h"

#include <math.h>
#include <string.h>

/* ln of the chance of k heads of n fair coins, without the global variable that lgamma() writes. */
static double log_binomial(double n, double k)
{
    int sign = 0;
    return lgamma_r(n + 1, &sign) - lgamma_r(k + 1, &sign) - lgamma_r(n - k + 1, &sign) -
           n * log(2);
}

ob_rank ob__median_rank(size_t count, double confidence)
{
    const double n = (double)count;
    const double most = (1 - confidence) / 2;
    /* Thirty standard deviations below the middle: little enough to begin with, and more than a double's smallest. */
    const double start = floor(n / 2 - 15 * sqrt(n));
    size_t k = start > 0 ? (size_t)start : 0;
    double term = exp(log_binomial(n, (double)k)), below = 0;
    if (count == 0)
        return (ob_rank){.rank = 0, .coverage = 0};
    const double ends = 1 - 2 * exp(-n * log(2));
    for (; below + term <= most && 2 * k < count; k++) {
        below += term;
        term *= (n - (double)k) / (double)(k + 1);
    }
    /* With rank r, P(B <= r - 1) is outside on each side. */
    return (ob_rank){.rank = k, .coverage = k > 0 ? 1 - 2 * below : ends};
}

ob_rank ob__signed_rank(size_t count, double confidence)
{
    enum { MOST_SUM = OB_MOST_PAIRS * (OB_MOST_PAIRS + 1) / 2 };
    double ways[MOST_SUM + 1] = {1}; /* subsets of 1..count with this sum; below 2^31, so exact */
    const double all = ldexp(1, (int)count);
    double below = 0;
    size_t top = 0, rank = 0;
    for (size_t i = 1; i <= count; i++) {
        top += i;
        for (size_t sum = top; sum >= i; sum--)
            ways[sum] += ways[sum - i];
    }
    while (rank < top && 2 * (below + ways[rank]) <= (1 - confidence) * all)
        below += ways[rank++];
    return (ob_rank){.rank = rank, .coverage = 1 - 2 * (rank > 0 ? below : 1) / all};
}
