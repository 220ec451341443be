/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"
#include "opbench/rng.h"

enum { CELLS = 50 };

static double sum_of_bars(uint64_t from, uint64_t to, double exponent)
{
    double sum = 0;
    for (uint64_t k = to; k >= from; k--) /* small terms first */
        sum += pow((double)k, -exponent);
    return sum;
}

/* Counts against exact probabilities. Cells 1..CELLS-1 are single numbers, the last one is the
 * tail. The statistic has about `cells` as its mean and sqrt(2 cells) as its deviation; the seed is
 * fixed. */
static void distribution(uint64_t count, double exponent)
{
    enum { DRAWS = 100000 };
    int counts[CELLS + 1] = {0};
    int outside = 0;
    ob_zipf zipf;
    ob_rng rng;
    CHECK_INT(ob_zipf_init(&zipf, count, exponent, NULL), OB_OK);
    ob_rng_init(&rng, 77, count);
    for (int i = 0; i < DRAWS; i++) {
        const uint64_t k = ob_zipf_draw(&zipf, &rng);
        outside += k < 1 || k > count;
        counts[k < CELLS ? k : CELLS]++;
    }
    CHECK_INT(outside, 0);

    const double total = sum_of_bars(1, count, exponent);
    double chi = 0;
    int cells = 0;
    for (uint64_t k = 1; k <= CELLS && k <= count; k++) {
        const double p = k < CELLS ? pow((double)k, -exponent) / total
                                   : sum_of_bars(CELLS, count, exponent) / total;
        const double expected = p * DRAWS;
        if (expected < 5) { /* too few for the statistic: but never far too many */
            CHECK(counts[k] < 30);
            continue;
        }
        chi += (counts[k] - expected) * (counts[k] - expected) / expected;
        cells++;
    }
    if (chi > cells + 5 * sqrt(2.0 * cells))
        OB_TEST_FAIL("count %" PRIu64 ", exponent %g: chi square %g for %d cells", count, exponent,
                     chi, cells);
    CHECK(chi <= cells + 5 * sqrt(2.0 * cells));
}

static void distributions(void)
{
    static const uint64_t COUNTS[] = {1, 2, 3, 10, 49, 50, 1000, 100000};
    static const double EXPONENTS[] = {0.01, 0.5, 0.999999999, 1, 1.000000001, 1.05,
                                       1.5,  2,   3,           8, 40};
    for (size_t i = 0; i < sizeof COUNTS / sizeof COUNTS[0]; i++) {
        for (size_t j = 0; j < sizeof EXPONENTS / sizeof EXPONENTS[0]; j++)
            distribution(COUNTS[i], EXPONENTS[j]);
    }
}

static void extremes(void)
{
    static const uint64_t COUNTS[] = {1, 2, UINT32_MAX, (uint64_t)1 << 53, UINT64_MAX};
    static const double EXPONENTS[] = {1e-300, 0x1p-53, 0.3, 1,     2,
                                       50,     200,     1e6, 1e308, 0x1.fffffffffffffp+1023};
    for (size_t i = 0; i < sizeof COUNTS / sizeof COUNTS[0]; i++) {
        for (size_t j = 0; j < sizeof EXPONENTS / sizeof EXPONENTS[0]; j++) {
            ob_zipf zipf;
            ob_rng rng;
            int outside = 0, ones = 0, high = 0;
            CHECK_INT(ob_zipf_init(&zipf, COUNTS[i], EXPONENTS[j], NULL), OB_OK);
            ob_rng_init(&rng, 5, i * 100 + j);
            for (int n = 0; n < 1000; n++) {
                const uint64_t k = ob_zipf_draw(&zipf, &rng);
                outside += k < 1 || k > COUNTS[i];
                ones += k == 1;
                high += k > COUNTS[i] / 2;
            }
            CHECK_INT(outside, 0);
            if (EXPONENTS[j] >= 50) /* 2^-50: all but never */
                CHECK_INT(ones, 1000);
            if (EXPONENTS[j] < 1e-10 && COUNTS[i] > 2) /* as good as uniform */
                CHECK_NEAR(high, 500, 80);
        }
    }
}

static void refused(void)
{
    ob_zipf zipf;
    ob_err err;
    ob_rng rng;
    CHECK_INT(ob_zipf_init(&zipf, 0, 1, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "count of 1 or more");
    static const double BAD[] = {0, -1, NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        CHECK_INT(ob_zipf_init(&zipf, 10, BAD[i], &err), OB_ERR_INVALID);
        CHECK_HAS(err.message, "is not a positive finite number");
    }
    ob_rng_init(&rng, 0, 0);
    CHECK_INT(ob_zipf_draw(&zipf, &rng), 1); /* a refused one still ends */
}

/* The same numbers on every platform. */
static void golden(void)
{
    static const uint64_t FIRST[] = {6811,   184454, 517, 346,    362807, 227276, 268, 9136,
                                     473,    3,      225, 606617, 818,    91,     4,   3,
                                     109971, 195355, 61,  6316,   1,      64,     13,  4};
    ob_zipf zipf;
    ob_rng rng;
    CHECK_INT(ob_zipf_init(&zipf, 1000000, 1.05, NULL), OB_OK);
    ob_rng_init(&rng, 2024, 0);
    for (size_t i = 0; i < sizeof FIRST / sizeof FIRST[0]; i++)
        CHECK_INT(ob_zipf_draw(&zipf, &rng), FIRST[i]);
    static const double EXPONENTS[] = {0.2, 1, 1.05, 2.5};
    static const uint64_t HASHES[] = {0x2fe2b500716f3bb8, 0x9099dbb5af32d835, 0xba7f37b5569475c7,
                                      0xf4f9467cec16ea4c};
    for (size_t j = 0; j < sizeof EXPONENTS / sizeof EXPONENTS[0]; j++) {
        uint64_t hash = 0xcbf29ce484222325;
        CHECK_INT(ob_zipf_init(&zipf, (uint64_t)1 << 60, EXPONENTS[j], NULL), OB_OK);
        ob_rng_init(&rng, 2024, j);
        for (int i = 0; i < 100000; i++)
            hash = (hash ^ ob_zipf_draw(&zipf, &rng)) * 0x100000001b3;
        CHECK_INT(hash, HASHES[j]);
    }
}

int main(void)
{
    RUN(distributions);
    RUN(extremes);
    RUN(refused);
    RUN(golden);
    return ob_test_end();
}
