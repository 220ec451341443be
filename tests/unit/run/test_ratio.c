/* SPDX-License-Identifier: Apache-2.0
 *
 * The ratio of two backends: exact where there is no noise, narrow where the noise is common to both.
 */
#include "check.h"
#include "run/ratio.h"

enum { COUNT = 60 };

static ob_record_ratio ratio_of(const double *x, size_t nx, const double *y, size_t ny, bool means)
{
    const ob_ratio_args args = {.reference = x,
                                .reference_count = nx,
                                .subject = y,
                                .subject_count = ny,
                                .of_processes = means};
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
    CHECK_REAL(r.value, 1.5);
    CHECK_REAL(r.low, 1.5);
    CHECK_REAL(r.high, 1.5);
    CHECK_REAL(r.confidence, 0.95);
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
    CHECK_REAL(r.value, 2);
    CHECK_NEAR(r.high - r.low, 0, 1e-12);
}

/* By hand: means 10 and 20, residuals alternate between -0.2 and 0.2 in ten batches. */
static void interval_of_residuals(void)
{
    double x[10], y[10];
    for (int i = 0; i < 10; i++) {
        x[i] = 10;
        y[i] = i % 2 == 0 ? 18 : 22;
    }
    const ob_record_ratio r = ratio_of(x, 10, y, 10, false);
    const double deviation = sqrt(10 * 0.04 / 9);
    const double half = ob_student_t_quantile(0.975, 9) * deviation / sqrt(10);
    CHECK_REAL(r.value, 2);
    CHECK_NEAR(r.low, 2 - half, 1e-12);
    CHECK_NEAR(r.high, 2 + half, 1e-12);
}

static void processes_are_pairs(void)
{
    const double x[] = {1, 2, 3}, y[] = {2, 4, 6};
    const ob_record_ratio r = ratio_of(x, 3, y, 3, true);
    CHECK_REAL(r.value, 2);
    CHECK_REAL(r.low, 2);
    CHECK_REAL(r.high, 2);
    const ob_record_ratio few = ratio_of(x, 2, y, 2, true);
    CHECK_REAL(few.value, 2);
    CHECK_REAL(few.low, NAN);
}

static void too_few_and_none(void)
{
    const double x[] = {1, 1, 1}, y[] = {4, 4, 4}, zero[] = {0, 0, 0};
    CHECK_REAL(ratio_of(x, 3, y, 3, false).value, 4);
    CHECK_REAL(ratio_of(x, 3, y, 3, false).low, NAN);
    CHECK_REAL(ratio_of(x, 0, y, 3, false).value, NAN);
    CHECK_REAL(ratio_of(x, 3, y, 0, false).value, NAN);
    CHECK_REAL(ratio_of(zero, 3, y, 3, false).value, NAN);
}

int main(void)
{
    RUN(exact_without_noise);
    RUN(common_noise_cancels);
    RUN(interval_of_residuals);
    RUN(processes_are_pairs);
    RUN(too_few_and_none);
    return ob_test_end();
}
