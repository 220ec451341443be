/* SPDX-License-Identifier: Apache-2.0
 *
 * How many independent samples those of one process are worth. A median asks of each sample only on which side it
 * lies, so the correlation that counts is that of the sides. They are cut into batches in order of time; the variance
 * of the batches' means, against what independent samples would have, is the inflation. Batches grow while neighbours
 * are more alike than chance explains; what is left then is taken for the beginning of a geometric decay.
 */
#include "measure/interval.h"
#include "measure/stats.h"

#include <math.h>

enum { LEAST_BATCHES = 10, MOST_BATCHES = 30 };
/* Beyond, there are no batches worth the name. */
static const double MOST_LAG1 = 0.95;

static double side_of(double sample, double middle)
{
    return (double)(sample > middle) - (double)(sample < middle);
}

/* The first count % batches batches are longer by one. */
static void batch_means(const double *samples, size_t count, double middle, double *means,
                        size_t batches)
{
    for (size_t i = 0; i < batches; i++) {
        const size_t size = count / batches + (i < count % batches);
        double sum = 0;
        for (size_t k = 0; k < size; k++)
            sum += side_of(samples[k], middle);
        means[i] = sum / (double)size;
        samples += size;
    }
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

/* The correlation that independent means exceed in one of six cases, or, where there are so few samples that hardly an
 * interval is left without them, in one of 20: its standard deviation is about 1 / sqrt(batches), its mean about
 * -1 / batches. */
static double chance_bound(size_t batches, size_t samples)
{
    const double deviations = samples < 2 * OB_MIN_SAMPLES ? 1.645 : 1;
    return deviations / sqrt((double)batches) - 1 / (double)batches;
}

/* Of the single sides. */
static double variance_of_sides(const double *samples, size_t count, double middle)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        const double side = side_of(samples[i], middle);
        sum += side;
        squares += side * side;
    }
    return count > 1 ? (squares - sum * sum / (double)count) / (double)(count - 1) : 0;
}

void ob__dependence_measure(const double *samples, size_t count, double middle, ob_dependence *out)
{
    double means[MOST_BATCHES];
    const double single = variance_of_sides(samples, count, middle);
    size_t batches = count < MOST_BATCHES ? count : MOST_BATCHES;
    *out = (ob_dependence){.inflation = 1};
    if (!(single > 0))
        return;
    double mean;
    for (;;) {
        batch_means(samples, count, middle, means, batches);
        mean = ob__mean(means, batches);
        out->lag1 = lag1_correlation(means, batches, mean);
        if (batches <= LEAST_BATCHES || out->lag1 <= chance_bound(batches, count))
            break;
        batches = batches * 2 / 3 > LEAST_BATCHES ? batches * 2 / 3 : LEAST_BATCHES;
    }
    const double spread = ob__stddev(means, batches, mean);
    double inflation = spread * spread * (double)count / (double)batches / single;
    /* Of few batches the variance is not known well: as much as Student's t is wider than the normal distribution. */
    const double wider =
        ob_student_t_quantile(0.975, (double)(batches - 1)) / ob_student_t_quantile(0.975, 1e9);
    if (batches < count)
        inflation *= wider * wider;
    if (out->lag1 > chance_bound(batches, count)) {
        const double rest = out->lag1 < MOST_LAG1 ? out->lag1 : MOST_LAG1;
        inflation *= (1 + rest) / (1 - rest);
    }
    out->inflation = inflation > 1 ? inflation : 1;
}
