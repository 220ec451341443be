/* SPDX-License-Identifier: Apache-2.0
 *
 * Statistics against values worked out by hand and against what PyTorch 1.13 computed.
 */
#include "check.h"
#include "measure/stats.h"
#include "opbench/measure.h"
#include "opbench/rng.h"

#include <stdlib.h>

static void a_small_list(void)
{
    const double samples[] = {5, 1, 4, 2, 3};
    double scratch[5];
    ob_stats s;
    CHECK_INT(ob_stats_compute(samples, 5, scratch, &s, NULL), OB_OK);
    CHECK_INT(s.count, 5);
    CHECK_REAL(s.mean, 3);
    CHECK_REAL(s.median, 3);
    CHECK_REAL(s.min, 1);
    CHECK_REAL(s.max, 5);
    CHECK_REAL(s.p25, 2);
    CHECK_REAL(s.p75, 4);
    CHECK_REAL(s.iqr, 2);
    CHECK_REAL(s.p90, 4.6);
    CHECK_NEAR(s.p99, 4.96, 1e-15);
    CHECK_REAL(s.stddev, 1.5811388300841898); /* sqrt(10 / 4) */
    CHECK_REAL(samples[0], 5);                /* the samples stay as they are */
}

static void one_sample(void)
{
    const double samples[] = {7.5};
    double scratch[1];
    ob_stats s;
    CHECK_INT(ob_stats_compute(samples, 1, scratch, &s, NULL), OB_OK);
    CHECK_INT(s.count, 1);
    CHECK_REAL(s.mean, 7.5);
    CHECK_REAL(s.median, 7.5);
    CHECK_REAL(s.p99, 7.5);
    CHECK_REAL(s.iqr, 0);
    CHECK(isnan(s.stddev));
}

static void what_pytorch_computed(void)
{
    static const struct {
        double times[8];
        size_t count;
        double mean, median, p25, p75, iqr;
    } CASES[] = {
        {{1e-06, 2e-06, 3e-06, 4e-06},
         4,
         2.4999999999999998e-06,
         2.4999999999999998e-06,
         1.75e-06,
         3.2500000000000002e-06,
         1.5000000000000002e-06},
        {{1.0, 2.0, 2.1, 2.2, 2.3, 9.0}, 6, 3.1, 2.1500000000000004, 2.025, 2.275, 0.25},
        {{1.0, 19.001, 20.0, 21.0, 40.0},
         5,
         20.200200000000002,
         20.0,
         19.001,
         21.0,
         1.9989999999999988},
        {{0.0005831160895010053 / 100, 0.0005515287889160032 / 100, 0.0005896917196148856 / 100,
          0.0005740595938965887 / 100, 0.0005615613515429981 / 100, 0.000559017958183463 / 100,
          0.0005610751362389362 / 100, 0.0005433563966302845 / 100},
         8,
         5.654258793155206e-06,
         5.613182438909672e-06,
         5.57145665866598e-06,
         5.763237177976929e-06,
         1.9178051931094894e-07},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        double scratch[8];
        ob_stats s;
        CHECK_INT(ob_stats_compute(CASES[i].times, CASES[i].count, scratch, &s, NULL), OB_OK);
        CHECK_NEAR(s.mean, CASES[i].mean, 1e-12 * CASES[i].mean);
        CHECK_REAL(s.median, CASES[i].median);
        CHECK_REAL(s.p25, CASES[i].p25);
        CHECK_REAL(s.p75, CASES[i].p75);
        CHECK_REAL(s.iqr, CASES[i].iqr);
    }
}

static void digits_are_kept(void)
{
    /* Spread 1 around 1e9: naive sums of squares lose all of it. */
    enum { N = 100000 };
    double *samples = malloc(N * sizeof *samples);
    double *scratch = malloc(N * sizeof *scratch);
    ob_stats s;
    for (size_t i = 0; i < N; i++)
        samples[i] = 1e9 + (i % 2 ? 1 : -1);
    CHECK_INT(ob_stats_compute(samples, N, scratch, &s, NULL), OB_OK);
    CHECK_REAL(s.mean, 1e9);
    CHECK_NEAR(s.stddev, 1.0000050000375, 1e-13); /* sqrt(N / (N - 1)) */
    /* A tenth is no binary fraction; plain summation is off by 1.9e-12 here. */
    for (size_t i = 0; i < N; i++)
        samples[i] = 0.1;
    CHECK_INT(ob_stats_compute(samples, N, samples, &s, NULL), OB_OK);
    CHECK_REAL(s.mean, 0.1);
    CHECK_REAL(s.stddev, 0);
    free(samples);
    free(scratch);
}

static void bad_samples(void)
{
    const double with_nan[] = {1, 2, NAN}, with_inf[] = {-INFINITY, 1}, huge[] = {1e308, 1.7e308};
    double scratch[3];
    ob_stats s;
    ob_err err;
    CHECK_INT(ob_stats_compute(with_nan, 0, scratch, &s, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "there are no samples");
    CHECK_INT(ob_stats_compute(with_nan, 3, scratch, &s, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "sample 2 of 3 is not a number; statistics need finite numbers");
    CHECK_INT(ob_stats_compute(with_inf, 2, scratch, &s, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "sample 0 of 2 is infinite; statistics need finite numbers");
    CHECK_INT(ob_stats_compute(huge, 2, scratch, &s, &err), OB_ERR_OVERFLOW);
    CHECK_HAS(err.message, "use a larger unit");
}

static bool is_sorted(const double *x, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (x[i - 1] > x[i])
            return false;
    return true;
}

/* The order that makes median-of-three quicksort quadratic. */
static void fill_killer(double *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        x[i] = (double)i;
    for (size_t i = count; i-- > 2;) {
        const double kept = x[i];
        x[i] = x[i / 2];
        x[i / 2] = kept;
    }
}

/* As that one as far as it takes to fall back on the heap sort, which then has the others in no order. */
static void falls_back(void)
{
    enum { COUNT = 400, FIRST = 32 };
    double x[COUNT];
    uint32_t random = 1;
    int next = FIRST;
    for (int i = 0; i < COUNT; i++)
        x[i] = -1;
    for (int i = 0; i < FIRST; i++)
        x[i % 2 == 0 ? i : COUNT / 2 + i / 2] = i;
    while (next < COUNT) {
        random = random * 1664525 + 1013904223;
        for (uint32_t at = random >> 8;; at++)
            if (x[at % COUNT] < 0) {
                x[at % COUNT] = next++;
                break;
            }
    }
    ob_stats_sort(x, COUNT);
    for (int i = 0; i < COUNT; i++)
        CHECK_REAL(x[i], i);
}

static void sorting(void)
{
    enum { N = 20000, ORDERS = 6 };
    double *x = malloc(N * sizeof *x);
    ob_rng rng;
    ob_rng_init(&rng, 1, 0);
    for (int order = 0; order < ORDERS; order++) {
        for (size_t count = 0; count < N; count = count < 100 ? count + 1 : count * 3) {
            double sum = 0, sorted_sum = 0;
            for (size_t i = 0; i < count; i++)
                x[i] = order == 0   ? ob_rng_double(&rng)
                       : order == 1 ? (double)i
                       : order == 2 ? -(double)i
                       : order == 3 ? 4
                                    : (double)ob_rng_int(&rng, 0, 3);
            if (order == 5)
                fill_killer(x, count);
            for (size_t i = 0; i < count; i++)
                sum += order == 0 ? floor(x[i] * 1e6) : x[i];
            ob_stats_sort(x, count);
            for (size_t i = 0; i < count; i++)
                sorted_sum += order == 0 ? floor(x[i] * 1e6) : x[i];
            CHECK(is_sorted(x, count));
            CHECK_REAL(sorted_sum, sum); /* whole numbers: nothing lost, nothing doubled */
        }
    }
    free(x);
}

/* Against sorting, for orders that are hard too. */
static void selecting(void)
{
    enum { N = 3000, ORDERS = 5 };
    double *x = malloc(N * sizeof *x), *sorted = malloc(N * sizeof *sorted);
    ob_rng rng;
    ob_rng_init(&rng, 2, 0);
    for (int order = 0; order < ORDERS; order++)
        for (size_t count = 1; count < N; count = count < 60 ? count + 1 : count * 3)
            for (int part = 0; part <= 4; part++) {
                const size_t place = (count - 1) * (size_t)part / 4;
                for (size_t i = 0; i < count; i++)
                    x[i] = order == 0   ? ob_rng_double(&rng)
                           : order == 1 ? -(double)i
                           : order == 2 ? 4
                                        : (double)ob_rng_int(&rng, 0, 3);
                if (order == 4)
                    fill_killer(x, count);
                memcpy(sorted, x, count * sizeof *x);
                ob_stats_sort(sorted, count);
                CHECK_REAL(ob__stats_select(x, count, place), sorted[place]);
                CHECK_REAL(x[place], sorted[place]);
                for (size_t i = 0; i < count; i++)
                    CHECK(i < place ? x[i] <= x[place] : x[i] >= x[place]);
                ob_stats_sort(x, count);
                CHECK_INT(memcmp(x, sorted, count * sizeof *x), 0); /* nothing lost */
            }
    free(x);
    free(sorted);
}

static void student_t(void)
{
    /* One, two and four degrees of freedom have closed forms. */
    static const double QS[] = {0.5001, 0.6, 0.75, 0.9, 0.95, 0.975, 0.995, 0.9995, 0.9999995};
    for (size_t i = 0; i < sizeof QS / sizeof *QS; i++) {
        const double q = QS[i], alpha = 4 * q * (1 - q);
        const double one = tan(M_PI * (q - 0.5)), two = 2 * (q - 0.5) * sqrt(2 / alpha);
        const double four = 2 * sqrt(cos(acos(sqrt(alpha)) / 3) / sqrt(alpha) - 1);
        CHECK_NEAR(ob_student_t_quantile(q, 1), one, 2e-9 * one);
        CHECK_NEAR(ob_student_t_quantile(q, 2), two, 2e-10 * two);
        CHECK_NEAR(ob_student_t_quantile(q, 4), four, 2e-8 * four);
        CHECK_REAL(ob_student_t_quantile(1 - q, 3), -ob_student_t_quantile(1 - (1 - q), 3));
    }
    /* Tables. */
    CHECK_NEAR(ob_student_t_quantile(0.975, 9), 2.2621571628, 1e-9);
    CHECK_NEAR(ob_student_t_quantile(0.975, 19), 2.0930240544, 1e-9);
    CHECK_NEAR(ob_student_t_quantile(0.975, 29), 2.0452296421, 1e-9);
    CHECK_NEAR(ob_student_t_quantile(0.995, 10), 3.1692726726, 1e-9);
    CHECK_NEAR(ob_student_t_quantile(0.95, 120), 1.6576508994, 1e-9);
    /* Towards the normal distribution, z + (z^3 + z) / 4v; on both sides of the change of formula. */
    CHECK_NEAR(ob_student_t_quantile(0.975, 99999), 1.9599877077693, 1e-11);
    CHECK_NEAR(ob_student_t_quantile(0.975, 100001), 1.9599877072948, 1e-11);
    CHECK_NEAR(ob_student_t_quantile(0.975, 2e7), 1.959963984540054 + 2.3722712 / 2e7, 1e-12);
    CHECK_NEAR(ob_student_t_quantile(0.975, 199), 1.9719565442517546, 1e-11);
    CHECK_NEAR(ob_student_t_quantile(0.975, 203), 1.97171884846344, 1e-11);
    CHECK_NEAR(ob_student_t_quantile(0.975, 1e12), 1.959963985, 1e-8);
    CHECK_REAL(ob_student_t_quantile(0.5, 7), 0);
    CHECK(isnan(ob_student_t_quantile(0, 7)));
    CHECK(isnan(ob_student_t_quantile(1, 7)));
    CHECK(isnan(ob_student_t_quantile(0.9, 0)));
    CHECK(isnan(ob_student_t_quantile(NAN, 3)));
    CHECK(isnan(ob_student_t_quantile(0.9, INFINITY)));
}

int main(void)
{
    RUN(a_small_list);
    RUN(one_sample);
    RUN(what_pytorch_computed);
    RUN(digits_are_kept);
    RUN(bad_samples);
    RUN(sorting);
    RUN(selecting);
    RUN(falls_back);
    RUN(student_t);
    return ob_test_end();
}
