/* SPDX-License-Identifier: Apache-2.0
 *
 * How long the rest takes: a straight line through times over sizes. Where sizes so far were about the same it cannot
 * tell the two parts of a time from each other; then a time is taken to be half its case's and half its size's.
 */
#include "job/outlook.h"

#include <math.h>

void ob__eta_add(ob_eta *eta, double size, double seconds)
{
    eta->cases++;
    eta->seconds += seconds;
    eta->size += size;
    eta->square += size * size;
    eta->both += size * seconds;
}

double ob__eta_left(const ob_eta *eta, double cases, double size)
{
    /* Sizes that spread by less than this part of their mean do not carry a line. */
    static const double LEAST_SPREAD = 0.2;
    if (eta->cases == 0)
        return NAN;
    const double mean = eta->seconds / eta->cases, mean_size = eta->size / eta->cases;
    const double variance = eta->square / eta->cases - mean_size * mean_size;
    if (!(mean_size > 0))
        return mean * cases;
    if (eta->cases < 3 || variance < LEAST_SPREAD * LEAST_SPREAD * mean_size * mean_size)
        return mean / 2 * cases + mean / 2 * (size / mean_size);
    double slope = (eta->both / eta->cases - mean * mean_size) / variance;
    double own = mean - slope * mean_size;
    if (slope < 0) {
        slope = 0;
        own = mean;
    } else if (own < 0) {
        own = 0;
        slope = mean / mean_size;
    }
    return own * cases + slope * size;
}
