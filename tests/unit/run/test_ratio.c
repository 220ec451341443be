/* SPDX-License-Identifier: Apache-2.0
 *
 * The ratio of two backends: exact where there is no noise, narrow where the noise is common to both.
 */
#include "check.h"
#include "run/ratio.h"

enum { COUNT = 60 };

static ob_record_ratio ratio_of(const double *x, size_t nx, const double *y, size_t ny,
                                bool independent)
{
    const ob_ratio_args args = {.reference = x,
                                .reference_count = nx,
                                .subject = y,
                                .subject_count = ny,
                                .independent = independent};
    ob_record_ratio out = {.value = -1};
    ob_err err;
    CHECK_INT(ob__ratio_compute(&args, &out, &err), OB_OK);
    return out;
}

static void exact_without_noise(void)
{
    double x[COUNT], y[COUNT];
    for (int i = 0; i < COUNT; i++) {
        x[i] = 2;
        y[i] = 3;
    }
    const ob_record_ratio r = ratio_of(x, COUNT, y, COUNT, false);
    CHECK_NEAR(r.value, 1.5, 1e-14);
    CHECK_NEAR(r.low, 1.5, 1e-14);
    CHECK_NEAR(r.high, 1.5, 1e-14);
    CHECK_NEAR(r.confidence, 0.9502, 1e-4); /* of thirty pairs */
}

/* A machine that slows down by half meets both: their ratio is known all the same. */
static void common_noise_cancels(void)
{
    double x[COUNT], y[2 * COUNT];
    for (int i = 0; i < COUNT; i++)
        x[i] = i < COUNT / 2 ? 10 : 15;
    for (int i = 0; i < 2 * COUNT; i++)
        y[i] = (i < COUNT ? 20 : 30);
    const ob_record_ratio r = ratio_of(x, COUNT, y, 2 * COUNT, false);
    CHECK_NEAR(r.value, 2, 1e-14);
    CHECK_NEAR(r.high - r.low, 0, 1e-12);
}

/* By hand: the logarithms of ten pairs, of which the ninth average from each end is taken. */
static void interval_of_logarithms(void)
{
    double x[10], y[10];
    for (int i = 0; i < 10; i++) {
        x[i] = 10;
        y[i] = i % 2 == 0 ? 18 : 22;
    }
    /* 15 averages are log 1.8, 25 are between, 15 are log 2.2. */
    const ob_record_ratio r = ratio_of(x, 10, y, 10, false);
    CHECK_NEAR(r.value, sqrt(1.8 * 2.2), 1e-12);
    CHECK_NEAR(r.low, 1.8, 1e-12);
    CHECK_NEAR(r.high, 2.2, 1e-12);
    CHECK_NEAR(r.confidence, 0.951172, 1e-6);
}

/* Preempted samples move neither the ratio nor an end; nor do batches that are disturbed as a whole. */
static void outliers_do_not_count(void)
{
    double x[COUNT], y[COUNT];
    for (int i = 0; i < COUNT; i++) {
        x[i] = 10 + i % 3;
        y[i] = 2 * (10 + i % 3);
    }
    x[17] = 80000;
    const ob_record_ratio r = ratio_of(x, COUNT, y, COUNT, false);
    CHECK_NEAR(r.value, 2, 1e-12);
    CHECK_NEAR(r.low, 2, 1e-12);
    CHECK_NEAR(r.high, 2, 1e-12);
    for (int i = 0; i < COUNT; i++)
        y[i] = i % 20 < 2 ? 1000 : 20 + 0.001 * (i % 7);
    for (int i = 0; i < COUNT; i++)
        x[i] = 10;
    const ob_record_ratio some = ratio_of(x, COUNT, y, COUNT, true);
    CHECK_NEAR(some.value, 2, 1e-3);
    CHECK(some.low >= 2 && some.high < 2.01);
}

static void processes_are_pairs(void)
{
    const double x[] = {1, 2, 3, 4, 5, 6}, y[] = {2, 4, 6, 8, 10, 13};
    const ob_record_ratio r = ratio_of(x, 6, y, 6, true);
    CHECK_NEAR(r.value, 2, 1e-14);
    CHECK_NEAR(r.low, 2, 1e-14);
    CHECK_NEAR(r.high, 13.0 / 6, 1e-14);
    CHECK_REAL(r.confidence, 0.96875);
    const ob_record_ratio few = ratio_of(x, 5, y, 5, true);
    CHECK_NEAR(few.value, 2, 1e-14);
    CHECK_REAL(few.low, NAN);
    CHECK_REAL(few.confidence, NAN);
}

static void too_few_and_none(void)
{
    const double x[] = {1, 1, 1}, y[] = {4, 4, 4}, zero[] = {0, 0, 0};
    CHECK_NEAR(ratio_of(x, 3, y, 3, false).value, 4, 1e-14);
    CHECK_REAL(ratio_of(x, 3, y, 3, false).low, NAN);
    CHECK_REAL(ratio_of(x, 0, y, 3, false).value, NAN);
    CHECK_REAL(ratio_of(x, 3, y, 0, false).value, NAN);
    CHECK_REAL(ratio_of(zero, 3, y, 3, false).value, NAN);
}

int main(void)
{
    RUN(exact_without_noise);
    RUN(common_noise_cancels);
    RUN(interval_of_logarithms);
    RUN(outliers_do_not_count);
    RUN(processes_are_pairs);
    RUN(too_few_and_none);
    return ob_test_end();
}
