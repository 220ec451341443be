/* SPDX-License-Identifier: Apache-2.0
 *
 * Trimmed means after Tukey and McLaughlin, their differences after Yuen and Welch. A process that had bad luck
 * from its first to its last sample (a neighbour that swept the cache all the time) would move a mean and blow up its
 * error; trimmed, it does neither, and the error follows from the winsorised numbers.
 */
#include "verdict/centre.h"

#include "opbench/measure.h"

#include <math.h>

/* One in so many counts as wild at each end. */
enum { TRIMMED_ONE_IN = 10 };

ob_trimmed ob__trimmed_mean(double *values, size_t count)
{
    const size_t cut = count / TRIMMED_ONE_IN;
    const size_t kept = count - 2 * cut;
    double sum = 0, winsorised = 0, squares = 0;
    ob_stats_sort(values, count);
    for (size_t i = cut; i < count - cut; i++)
        sum += values[i];
    for (size_t i = 0; i < count; i++)
        winsorised += values[i < cut ? cut : i < count - cut ? i : count - cut - 1];
    winsorised /= (double)count;
    for (size_t i = 0; i < count; i++) {
        const double d = values[i < cut ? cut : i < count - cut ? i : count - cut - 1] - winsorised;
        squares += d * d;
    }
    ob_trimmed out = {.mean = sum / (double)kept, .error = NAN, .degrees = (double)kept - 1};
    if (kept > 1)
        out.error = sqrt(squares / ((double)kept * ((double)kept - 1)));
    return out;
}

ob_trimmed ob__trimmed_difference(const ob_trimmed *a, const ob_trimmed *b)
{
    const double va = a->error * a->error, vb = b->error * b->error;
    ob_trimmed out = {.mean = b->mean - a->mean, .error = sqrt(va + vb), .degrees = NAN};
    out.degrees = va + vb > 0
                      ? (va + vb) * (va + vb) / (va * va / a->degrees + vb * vb / b->degrees)
                      : a->degrees + b->degrees;
    return out;
}
