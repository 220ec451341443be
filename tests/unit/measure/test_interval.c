/* SPDX-License-Identifier: Apache-2.0
 *
 * Intervals: exact for small inputs, and how often they hold the true mean for random ones. The random
 * numbers are the same everywhere, so the counts are too.
 */
#include "check.h"
#include "opbench/measure.h"
#include "opbench/rng.h"

#include <stdlib.h>

static void ten_samples_by_hand(void)
{
    /* Neighbours differ as much as any: no batch grows. */
    const double samples[] = {10, 12, 9, 11, 10, 12, 9, 11, 10, 6};
    ob_interval interval;
    CHECK_INT(ob_interval_from_samples(samples, 10, NULL, &interval, NULL), OB_OK);
    CHECK(interval.enough);
    CHECK_INT(interval.batches, 10);
    CHECK_REAL(interval.mean, 10);
    CHECK_REAL(interval.confidence, 0.95);
    /* stddev = sqrt(28 / 9), t(0.975, 9) = 2.26215716 */
    CHECK_NEAR(interval.half_width, 2.2621571628 * sqrt(28.0 / 9) / sqrt(10), 1e-9);
    CHECK_NEAR(interval.low, 10 - interval.half_width, 1e-14);
    CHECK_NEAR(interval.high, 10 + interval.half_width, 1e-14);
    CHECK_NEAR(interval.relative_half_width, interval.half_width / 10, 1e-15);
    CHECK_NEAR(interval.lag1, -6.0 / 28, 1e-14);
}

static void batches_in_order(void)
{
    /* 22 samples in 2 batches of 11, or 20 with sizes 2, 2, 1, 1, ... */
    double samples[22];
    for (size_t i = 0; i < 22; i++)
        samples[i] = i < 11 ? 1 : 3;
    ob_interval_params params = {.confidence = 0.5, .min_batches = 2, .max_batches = 2};
    ob_interval interval;
    CHECK_INT(ob_interval_from_samples(samples, 22, &params, &interval, NULL), OB_OK);
    CHECK_INT(interval.batches, 2);
    CHECK_REAL(interval.mean, 2);
    CHECK_NEAR(interval.half_width, 1, 1e-12); /* t(0.75, 1) = 1, stddev = sqrt 2, over sqrt 2 */
    params = (ob_interval_params){.min_batches = 20, .max_batches = 20};
    CHECK_INT(ob_interval_from_samples(samples, 22, &params, &interval, NULL), OB_OK);
    CHECK_INT(interval.batches, 20);
    /* 22 = 2 * 2 + 18 * 1: the first 9 batches hold ones, the other 11 threes. */
    CHECK_NEAR(interval.mean, 2.1, 1e-14);
}

static void correlated_samples_get_fewer_batches(void)
{
    double samples[60];
    for (size_t i = 0; i < 60; i++)
        samples[i] = 100 + (i / 6 % 2 ? 5.0 : -5.0); /* steps of six */
    ob_interval interval;
    CHECK_INT(ob_interval_from_samples(samples, 60, NULL, &interval, NULL), OB_OK);
    CHECK_INT(interval.batches, 20); /* of three samples: neighbours are alike as often as not */
    CHECK_NEAR(interval.lag1, 0.05, 1e-12);
    const ob_interval_params one_each = {.min_batches = 60};
    CHECK_INT(ob_interval_from_samples(samples, 60, &one_each, &interval, NULL), OB_OK);
    CHECK_INT(interval.batches, 60);
    CHECK(interval.lag1 > 0.6);
}

static void not_enough(void)
{
    const double samples[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    ob_interval interval;
    CHECK_INT(ob_interval_from_samples(samples, 9, NULL, &interval, NULL), OB_OK);
    CHECK(!interval.enough);
    CHECK_INT(interval.batches, 9);
    CHECK_REAL(interval.confidence, 0.95);
    CHECK(isnan(interval.low) && isnan(interval.high) && isnan(interval.mean));
    CHECK_INT(ob_interval_from_samples(NULL, 0, NULL, &interval, NULL), OB_OK);
    CHECK(!interval.enough);
    CHECK_INT(ob_interval_from_processes(samples, 2, 0, &interval, NULL), OB_OK);
    CHECK(!interval.enough);
}

static void over_processes(void)
{
    const double means[] = {1, 2, 3};
    ob_interval interval;
    CHECK_INT(ob_interval_from_processes(means, 3, 0.9, &interval, NULL), OB_OK);
    CHECK(interval.enough);
    CHECK_REAL(interval.mean, 2);
    CHECK_REAL(interval.confidence, 0.9);
    CHECK_NEAR(interval.half_width, 2.91998558035373 / sqrt(3), 1e-10); /* t(0.95, 2) */
}

static void equal_and_zero_samples(void)
{
    double samples[40];
    ob_interval interval;
    for (size_t i = 0; i < 40; i++)
        samples[i] = 0;
    CHECK_INT(ob_interval_from_samples(samples, 40, NULL, &interval, NULL), OB_OK);
    CHECK_REAL(interval.half_width, 0);
    CHECK_REAL(interval.relative_half_width, 0);
    CHECK_REAL(interval.lag1, 0);
    for (size_t i = 0; i < 40; i++)
        samples[i] = i % 2 ? 1 : -1;
    const ob_interval_params one_each = {.min_batches = 40};
    CHECK_INT(ob_interval_from_samples(samples, 40, &one_each, &interval, NULL), OB_OK);
    CHECK_REAL(interval.relative_half_width, INFINITY); /* of a mean of 0 */
}

static void bad_input(void)
{
    double samples[10] = {1, 2, 3, NAN};
    ob_interval interval;
    ob_err err;
    CHECK_INT(ob_interval_from_samples(samples, 10, NULL, &interval, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "sample 3 of 10 is not a number");
    samples[3] = 4;
    ob_interval_params params = {.confidence = 1};
    CHECK_INT(ob_interval_from_samples(samples, 10, &params, &interval, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "confidence is 1; it must lie between 0 and 1");
    params = (ob_interval_params){.min_batches = 1};
    CHECK_INT(ob_interval_from_samples(samples, 10, &params, &interval, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "min_batches is 1");
    params = (ob_interval_params){.min_batches = 12, .max_batches = 11};
    CHECK_INT(ob_interval_from_samples(samples, 10, &params, &interval, &err), OB_ERR_INVALID);
    CHECK_INT(ob_interval_from_processes(samples, 10, -1, &interval, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "confidence is -1");
    for (size_t i = 0; i < 10; i++)
        samples[i] = 1.5e308;
    CHECK_INT(ob_interval_from_samples(samples, 10, NULL, &interval, &err), OB_ERR_OVERFLOW);
}

/* How many of 2,000 intervals hold the true mean 50; neighbours correlate by phi. */
static int coverage(double phi, size_t count)
{
    double *samples = malloc(count * sizeof *samples);
    int hits = 0;
    for (uint64_t run = 0; run < 2000; run++) {
        ob_rng rng;
        ob_interval interval;
        ob_rng_init(&rng, 42, run);
        double x = ob_rng_normal(&rng) / sqrt(1 - phi * phi);
        for (size_t i = 0; i < count; i++) {
            x = phi * x + ob_rng_normal(&rng);
            samples[i] = 50 + x;
        }
        CHECK_INT(ob_interval_from_samples(samples, count, NULL, &interval, NULL), OB_OK);
        hits += interval.low <= 50 && 50 <= interval.high;
    }
    free(samples);
    return hits;
}

static void intervals_hold_the_mean(void)
{
    /* 95 % of 2,000 is 1,900, with a standard deviation of 10. */
    CHECK_NEAR(coverage(0, 10), 1900, 30);
    CHECK_NEAR(coverage(0, 300), 1900, 30);
    CHECK_NEAR(coverage(0.5, 300), 1900, 50);
    CHECK_NEAR(coverage(0.9, 3000), 1900, 50);
}

int main(void)
{
    RUN(ten_samples_by_hand);
    RUN(batches_in_order);
    RUN(correlated_samples_get_fewer_batches);
    RUN(not_enough);
    RUN(over_processes);
    RUN(equal_and_zero_samples);
    RUN(bad_input);
    RUN(intervals_hold_the_mean);
    return ob_test_end();
}
