/* SPDX-License-Identifier: Apache-2.0
 *
 * Order statistics that hold a median: coverages against sums that are made in another way.
 */
#include "check.h"
#include "measure/interval.h"

/* P(B <= k) of n fair coins, with Pascal's triangle. */
static double binomial_below(size_t n, size_t k)
{
    double row[128] = {1};
    for (size_t i = 1; i <= n; i++)
        for (size_t j = i; j > 0; j--)
            row[j] += row[j - 1];
    double sum = 0;
    for (size_t j = 0; j <= k; j++)
        sum += row[j];
    return sum / ldexp(1, (int)n);
}

static void median_ranks_of_few(void)
{
    /* The table that textbooks have for the sign test. */
    static const struct {
        size_t count, rank;
        double coverage;
    } ROWS[] = {{1, 0, 0},         {2, 0, 0.5},       {5, 0, 0.9375},
                {6, 1, 0.96875},   {8, 1, 0.9921875}, {9, 2, 0.9609375},
                {10, 2, 0.978516}, {20, 6, 0.958611}, {30, 10, 0.957226}};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const ob_rank r = ob__median_rank(ROWS[i].count, 0.95);
        CHECK_INT(r.rank, ROWS[i].rank);
        CHECK_NEAR(r.coverage, ROWS[i].coverage, 1e-6);
    }
    CHECK_INT(ob__median_rank(0, 0.95).rank, 0);
}

/* The innermost pair that holds it often enough, and its coverage, for every count. */
static void median_ranks_are_exact(void)
{
    for (size_t n = 6; n <= 100; n++) {
        const ob_rank r = ob__median_rank(n, 0.95);
        CHECK(r.rank > 0);
        CHECK_NEAR(r.coverage, 1 - 2 * binomial_below(n, r.rank - 1), 1e-12);
        CHECK(r.coverage >= 0.95);
        CHECK(1 - 2 * binomial_below(n, r.rank) < 0.95);
    }
    CHECK_INT(ob__median_rank(7, 0.99).rank, 0);
    CHECK_INT(ob__median_rank(8, 0.99).rank, 1);
    CHECK_INT(ob__median_rank(100, 0.5).rank, 47);
}

/* From many on it is the normal distribution: n / 2 - 1.96 sqrt(n) / 2. */
static void median_ranks_of_many(void)
{
    const ob_rank r = ob__median_rank(10000000, 0.95);
    CHECK_NEAR((double)r.rank, 5e6 - 1.959964 * sqrt(1e7) / 2, 1.5);
    CHECK_NEAR(r.coverage, 0.95, 1e-4);
}

/* How many of the 2^n choices of signs have a sum of positive ranks up to `most`. */
static double subsets_up_to(size_t n, size_t most)
{
    double count = 0;
    for (uint32_t signs = 0; signs < (UINT32_C(1) << n); signs++) {
        size_t sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += (signs >> i & 1) != 0 ? i + 1 : 0;
        count += sum <= most;
    }
    return count;
}

static void signed_ranks_are_exact(void)
{
    for (size_t n = 1; n <= 5; n++) {
        CHECK_INT(ob__signed_rank(n, 0.95).rank, 0);
        CHECK_REAL(ob__signed_rank(n, 0.95).coverage, 1 - 2 / ldexp(1, (int)n));
    }
    for (size_t n = 6; n <= 16; n++) {
        const ob_rank r = ob__signed_rank(n, 0.95);
        CHECK(r.rank > 0);
        CHECK_REAL(r.coverage, 1 - 2 * subsets_up_to(n, r.rank - 1) / ldexp(1, (int)n));
        CHECK(r.coverage >= 0.95);
        CHECK(1 - 2 * subsets_up_to(n, r.rank) / ldexp(1, (int)n) < 0.95);
    }
    /* Tables of the test give the largest sum to reject at, one less: 8 for ten, 137 for thirty. */
    CHECK_INT(ob__signed_rank(10, 0.95).rank, 9);
    CHECK_INT(ob__signed_rank(30, 0.95).rank, 138);
}

int main(void)
{
    RUN(median_ranks_of_few);
    RUN(median_ranks_are_exact);
    RUN(median_ranks_of_many);
    RUN(signed_ranks_are_exact);
    return ob_test_end();
}
