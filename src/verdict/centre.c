/* SPDX-License-Identifier: Apache-2.0
 *
 * Weighted means, as meta-analyses take them. A process that had bad luck from its first to its last sample (a neighbour on the other
 * half of its core) shows it: its own samples scatter. It counts as much as its scatter allows, never by how far it is off.
 */
#include "verdict/centre.h"

#include "opbench/measure.h"

#include <math.h>
#include <stdint.h>

/* Processes differ by where their code and buffers lie, however well each is measured. */
static const double PLACEMENT = 5e-4;
/* Weights are levelled until they are worth so many equal ones: nothing is decided by one or two lucky processes. */
static const double LEAST_WORTH = 3, LEVELLING = 1.3;

typedef struct weights {
    double sum, squares;
} weights;

static double weight_of(const double *variances, size_t i, double common)
{
    return variances != NULL ? 1 / (variances[i] + common) : 1;
}

static weights weigh(const double *variances, double common, size_t count)
{
    weights w = {0, 0};
    for (size_t i = 0; i < count; i++) {
        const double one = weight_of(variances, i, common);
        w.sum += one;
        w.squares += one * one;
    }
    return w;
}

/* How many equal weights these are worth (Kish's effective number). */
static double worth(const weights *w)
{
    return w->sum * w->sum / w->squares;
}

/* What is added to all variances. */
static double common_variance(const double *variances, size_t count)
{
    const double least = (double)count < LEAST_WORTH ? (double)count : LEAST_WORTH;
    double common = PLACEMENT * PLACEMENT;
    for (weights w = weigh(variances, common, count); worth(&w) < 0.999 * least;
         w = weigh(variances, common, count))
        common *= LEVELLING;
    return common;
}

ob_centre ob__centre_of(const double *values, const double *variances, size_t count)
{
    const double common = variances != NULL ? common_variance(variances, count) : 0;
    const weights w = weigh(variances, common, count);
    const double n = (double)count, worthy = worth(&w);
    double mean = 0, scatter = 0, sandwich = 0;
    for (size_t i = 0; i < count; i++)
        mean += weight_of(variances, i, common) / w.sum * values[i];
    for (size_t i = 0; i < count; i++) {
        const double one = weight_of(variances, i, common), d = values[i] - mean;
        scatter += one * d * d;
        sandwich += one * one * d * d;
    }
    ob_centre out = {.mean = mean, .by_weights = {NAN, 0}, .by_scatter = {NAN, 0}};
    if (count > 1) {
        out.by_weights = (ob_centre_error){sqrt(scatter / (w.sum * (n - 1))), n - 1};
        out.by_scatter =
            (ob_centre_error){sqrt(sandwich * worthy / (worthy - 1)) / w.sum, worthy - 1};
    }
    return out;
}

/* Welch's degrees of freedom, if both have as many. If not, those of the smaller one: Welch's are an estimate, and where a few
 * units stand against many its luck decides how far the tails reach that small error rates ask for (Hsu's bound). */
static double degrees_of_difference(const ob_centre_error *a, const ob_centre_error *b)
{
    const double va = a->error * a->error, vb = b->error * b->error;
    if (fabs(a->degrees - b->degrees) > 1e-6)
        return fmin(a->degrees, b->degrees);
    return va + vb > 0 ? (va + vb) * (va + vb) / (va * va / a->degrees + vb * vb / b->degrees)
                       : a->degrees + b->degrees;
}

static ob_centre_error error_of_difference(const ob_centre_error *a, const ob_centre_error *b)
{
    return (ob_centre_error){hypot(a->error, b->error), degrees_of_difference(a, b)};
}

ob_centre ob__centre_difference(const ob_centre *a, const ob_centre *b)
{
    return (ob_centre){.mean = b->mean - a->mean,
                       .by_weights = error_of_difference(&a->by_weights, &b->by_weights),
                       .by_scatter = error_of_difference(&a->by_scatter, &b->by_scatter)};
}

static double half_width(const ob_centre_error *e, double miss)
{
    if (isnan(e->error))
        return INFINITY;
    return e->error == 0 ? 0 : ob_student_t_quantile(1 - miss / 2, e->degrees) * e->error;
}

double ob__centre_half_width(const ob_centre *centre, double miss)
{
    return half_width(&centre->by_scatter, miss);
}

double ob__centre_sure_half_width(const ob_centre *centre, double miss)
{
    return fmax(half_width(&centre->by_weights, miss), half_width(&centre->by_scatter, miss));
}

/* Of the weighted means of all choices among symmetrical numbers, the true centre has any rank with the same chance (Hartigan
 * 1969). Instead of all of them, a group may be taken: choices of which any two, by exclusive or, make a third. Here the first
 * numbers are chosen freely, and each further one if an odd number of its own set of these is. */
enum { FREE = 10 };

/* The set, as bits. */
static unsigned followed(size_t number, unsigned freely)
{
    return number < freely ? 1u << number : (uint32_t)number * 2654435761u >> (32 - FREE);
}

/* Walsh's and Hadamard's: each sum becomes that of all, with a minus where the two numbers share an odd number of bits. */
static void transform(double *sums, unsigned count)
{
    for (unsigned half = 1; half < count; half *= 2)
        for (unsigned i = 0; i < count; i++)
            if ((i & half) == 0) {
                const double one = sums[i], other = sums[i + half];
                sums[i] = one + other;
                sums[i + half] = one - other;
            }
}

bool ob__centre_typical(const double *values, const double *variances, size_t count, double miss,
                        double *low, double *high)
{
    double sums[1 << FREE] = {0}, all[1 << FREE] = {0};
    const unsigned freely = count < FREE ? (unsigned)count : FREE, choices = 1u << freely;
    const unsigned outside = (unsigned)(miss / 2 * choices);
    const double common = variances != NULL ? common_variance(variances, count) : 0;
    if (outside == 0)
        return false;
    for (size_t i = 0; i < count; i++) {
        const double one = weight_of(variances, i, common);
        sums[followed(i, freely)] += one * values[i];
        all[followed(i, freely)] += one;
    }
    transform(sums, choices);
    transform(all, choices);
    for (unsigned choice = 1; choice < choices; choice++) /* those with a minus are chosen */
        sums[choice] = (sums[0] - sums[choice]) / (all[0] - all[choice]);
    ob_stats_sort(sums + 1, choices - 1);
    *low = sums[outside];
    *high = sums[choices - outside];
    return true;
}
