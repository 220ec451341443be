/* SPDX-License-Identifier: Apache-2.0
 *
 * The centre of paired differences, by hand for few and by how often its interval holds the truth for random ones.
 */
#include "check.h"
#include "measure/interval.h"
#include "opbench/rng.h"

static void six_by_hand(void)
{
    /* The averages of two go from 0 to 10; six pairs leave out none of them. Of the 21 averages the middle one, the 11th, is 3.5. */
    const double differences[] = {4, 0, 2, 1, 10, 6};
    ob_centre c;
    ob__centre_of_pairs(differences, 6, true, &c);
    CHECK(c.enough);
    CHECK_REAL(c.low, 0);
    CHECK_REAL(c.high, 10);
    CHECK_REAL(c.centre, 3.5);
    CHECK_REAL(c.confidence, 0.96875);
    CHECK(isnan(c.lag1));
}

static void seven_leave_two_out_at_each_end(void)
{
    /* Averages from below: 0, 0.5, 1: the third; from above: 64, 48, 40. */
    const double differences[] = {0, 1, 4, 8, 16, 32, 64};
    ob_centre c;
    ob__centre_of_pairs(differences, 7, true, &c);
    CHECK_REAL(c.low, 1);
    CHECK_REAL(c.high, 40);
    CHECK_REAL(c.confidence, 1 - 2 * 3.0 / 128);
}

static void few_have_a_centre_alone(void)
{
    const double differences[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    ob_centre c;
    ob__centre_of_pairs(differences, 5, true, &c);
    CHECK(!c.enough);
    CHECK_REAL(c.centre, 3);
    CHECK(isnan(c.low) && isnan(c.high));
    CHECK_REAL(c.confidence, 0.9375);
    ob__centre_of_pairs(differences, 9, false, &c); /* in order of time it takes ten */
    CHECK(!c.enough);
    CHECK_REAL(c.centre, 5);
    ob__centre_of_pairs(differences, 1, true, &c);
    CHECK(!c.enough);
    CHECK_REAL(c.centre, 1);
}

/* Four of thirty pairs are wild; neither end follows them. */
static void wild_pairs_do_not_count(void)
{
    double differences[OB_MOST_PAIRS];
    ob_centre c;
    for (int i = 0; i < OB_MOST_PAIRS; i++)
        differences[i] = i % 7 == 6 ? 1e6 * (double)i : (double)(i % 2);
    ob__centre_of_pairs(differences, OB_MOST_PAIRS, true, &c);
    CHECK(c.enough);
    CHECK(c.low >= 0 && c.high <= 1);
}

static void pairs_that_are_alike_are_worth_fewer(void)
{
    double differences[OB_MOST_PAIRS];
    ob_centre c, free_of_time;
    for (int i = 0; i < OB_MOST_PAIRS; i++)
        differences[i] = (i / 3 % 2 == 0 ? 1 : -1) + 0.001 * i;
    ob__centre_of_pairs(differences, OB_MOST_PAIRS, false, &c);
    ob__centre_of_pairs(differences, OB_MOST_PAIRS, true, &free_of_time);
    CHECK_REAL(c.centre, free_of_time.centre);
    CHECK(!c.enough || c.high - c.low > free_of_time.high - free_of_time.low);
    for (int i = 0; i < OB_MOST_PAIRS; i++)
        differences[i] = i; /* nothing but a drift */
    ob__centre_of_pairs(differences, OB_MOST_PAIRS, false, &c);
    CHECK(!c.enough);
    CHECK(c.lag1 > 0.6);
}

/* How many of 1,000 intervals hold the true 1; a share of the pairs is disturbed on either side. */
static int coverage(size_t count, double disturbed, bool independent)
{
    int hits = 0;
    for (uint64_t run = 0; run < 1000; run++) {
        double differences[OB_MOST_PAIRS];
        ob_rng rng;
        ob_centre c;
        ob_rng_init(&rng, 77, run);
        for (size_t i = 0; i < count; i++) {
            differences[i] = 1 + ob_rng_normal(&rng);
            if (ob_rng_double(&rng) < disturbed)
                differences[i] += (ob_rng_double(&rng) < 0.5 ? -100 : 100) * ob_rng_double(&rng);
        }
        ob__centre_of_pairs(differences, count, independent, &c);
        CHECK(c.enough || !independent);
        hits += !c.enough || (c.low <= 1 && 1 <= c.high);
    }
    return hits;
}

static void intervals_hold_the_centre(void)
{
    /* The standard deviation of each is about 7. */
    CHECK_NEAR(coverage(6, 0, true), 1000 * 0.96875, 20);
    CHECK_NEAR(coverage(30, 0, true), 1000 * ob__signed_rank(30, 0.95).coverage, 20);
    CHECK_NEAR(coverage(30, 0.15, true), 1000 * ob__signed_rank(30, 0.95).coverage, 20);
    CHECK(coverage(30, 0, false) >= 940);
    CHECK(coverage(12, 0.1, false) >= 940);
}

int main(void)
{
    RUN(six_by_hand);
    RUN(seven_leave_two_out_at_each_end);
    RUN(few_have_a_centre_alone);
    RUN(wild_pairs_do_not_count);
    RUN(pairs_that_are_alike_are_worth_fewer);
    RUN(intervals_hold_the_centre);
    return ob_test_end();
}
