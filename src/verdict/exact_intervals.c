/* SPDX-License-Identifier: Apache-2.0
 *
 * Intervals that hold for any number of trials, however few: of a share after Clopper and Pearson, of a quantile by
 * the ranks of what was seen.
 */
#include "opbench/measure.h"
#include "opbench/verdict.h"

#include <math.h>

enum { HALVINGS = 60 };

/* P(B <= k) for a binomial B of n with chance p. */
static double binomial_below(double k, double n, double p)
{
    double sum = 0;
    if (k < 0 || p >= 1)
        return k >= n;
    if (p <= 0)
        return 1;
    for (double i = 0; i <= k && i <= n; i++)
        sum += exp(lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1) + i * log(p) +
                   (n - i) * log1p(-p));
    return sum < 1 ? sum : 1;
}

/* The chance with which as few as k come out only so seldom. */
static double chance_of(double k, double n, double seldom)
{
    double low = 0, high = 1;
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = (low + high) / 2;
        if (binomial_below(k, n, middle) > seldom)
            low = middle;
        else
            high = middle;
    }
    return low;
}

ob_verdict_range ob_verdict_share_interval(uint64_t found, uint64_t trials)
{
    const double k = (double)found, n = (double)trials, tail = (1 - OB_VERDICT_CONFIDENCE) / 2;
    return (ob_verdict_range){.low = found > 0 ? chance_of(k - 1, n, 1 - tail) : 0,
                              .high = found < trials ? chance_of(k, n, tail) : 1};
}

ob_verdict_range ob_verdict_quantile_interval(double *values, size_t count, double quantile)
{
    const double n = (double)count, tail = (1 - OB_VERDICT_CONFIDENCE) / 2;
    size_t low = 0, high = 0; /* ranks from 1; 0 = none */
    ob_stats_sort(values, count);
    for (size_t rank = 1; rank <= count; rank++) {
        if (binomial_below((double)rank - 1, n, quantile) <= tail)
            low = rank;
        if (high == 0 && 1 - binomial_below((double)rank - 1, n, quantile) <= tail)
            high = rank;
    }
    return (ob_verdict_range){.low = low > 0 ? values[low - 1] : -INFINITY,
                              .high = high > 0 ? values[high - 1] : INFINITY};
}
