/* SPDX-License-Identifier: Apache-2.0
 *
 * Robust centres and spreads. One case that a page fault spoilt, or one node that is broken, must neither hide another nor be
 * spread over all: medians and Huber's weights see to that. Few numbers say little of their own spread, so spreads are
 * moderated, as in the analysis of gene expressions (Smyth 2004): what is known before counts as a few degrees of freedom.
 */
#include "verdict/robust.h"

#include "verdict/change_int.h"

#include "opbench/measure.h"

#include <math.h>

/* The share of a standard deviation's information that the median distance has. */
static const double EFFICIENCY = 0.37;
/* Readings are weighed as in the normal distribution up to so many scales; 95 % efficient there. */
static const double BEND = 1.345;
/* What scales of the fleet are worth beside the scatter of the node's own readings. */
static const double WORTH_OF_SCALES = 4;
enum { STEPS = 30 };

/* What the scaled median distance of few numbers is too small by (Croux and Rousseeuw 1992). */
static double small_sample_factor(size_t count)
{
    static const double FACTORS[] = {0, 0, 1.196, 1.495, 1.363, 1.206, 1.200, 1.140, 1.129, 1.107};
    return count < sizeof FACTORS / sizeof *FACTORS ? FACTORS[count]
                                                    : (double)count / ((double)count - 0.8);
}

ob_variance ob__robust_variance(const double *values, size_t count, double *scratch)
{
    if (count < 2)
        return (ob_variance){0, 0};
    const double spread = small_sample_factor(count) * ob__spread_of(values, count, scratch);
    return (ob_variance){spread * spread, EFFICIENCY * (double)(count - 1)};
}

ob_variance ob__variance_moderated(ob_variance seen, double before, double worth)
{
    const double degrees = seen.degrees + worth;
    return (ob_variance){(seen.degrees * seen.value + worth * before) / degrees, degrees};
}

ob_variance ob__variance_sum(ob_variance a, ob_variance b)
{
    const double sum = a.value + b.value;
    if (!(a.value > 0) || !(b.value > 0))
        return (ob_variance){sum, a.value > 0 ? a.degrees : b.degrees};
    return (ob_variance){sum, sum * sum /
                                  (a.value * a.value / a.degrees + b.value * b.value / b.degrees)};
}

double ob__variance_half_width(ob_variance of, double miss)
{
    return of.value > 0 ? ob_student_t_quantile(1 - miss / 2, of.degrees) * sqrt(of.value) : 0;
}

/* ---- Huber's centre ---- */

static double weight_of(const ob_reading *r, double centre)
{
    const double away = fabs(r->value - centre) / r->scale;
    return (away > BEND ? BEND / away : 1) / (r->scale * r->scale);
}

static double step_from(const ob_reading *readings, size_t count, double centre)
{
    double weights = 0, sum = 0;
    for (size_t i = 0; i < count; i++) {
        const double w = weight_of(&readings[i], centre);
        weights += w;
        sum += w * (readings[i].value - centre);
    }
    return centre + sum / weights;
}

static ob_variance error_of(const ob_reading *readings, size_t count, double centre)
{
    const double n = (double)count;
    double weights = 0, scatter = 0, own = 0, exact = 0;
    for (size_t i = 0; i < count; i++) {
        const double w = weight_of(&readings[i], centre), d = readings[i].value - centre;
        weights += w;
        scatter += w * w * d * d;
        own += w * w * readings[i].variance;
        exact += 1 / (readings[i].scale * readings[i].scale);
    }
    const ob_variance seen = {count > 1 ? scatter / (weights * weights) * n / (n - 1) : 0, n - 1};
    ob_variance error = ob__variance_moderated(seen, 1 / exact, WORTH_OF_SCALES);
    error.value = fmax(error.value, own / (weights * weights));
    return error;
}

ob_robust_centre ob__robust_centre(const ob_reading *readings, size_t count, double *scratch)
{
    for (size_t i = 0; i < count; i++)
        scratch[i] = readings[i].value;
    ob_stats_sort(scratch, count);
    double centre = ob_stats_quantile(scratch, count, 0.5);
    for (int i = 0; i < STEPS; i++) {
        const double next = step_from(readings, count, centre);
        const bool is_there = fabs(next - centre) <= 1e-12 * (1 + fabs(centre));
        centre = next;
        if (is_there)
            break;
    }
    return (ob_robust_centre){.value = centre, .error = error_of(readings, count, centre)};
}
