/* SPDX-License-Identifier: Apache-2.0
 *
 * Clocks: the fake one is exact, so what is measured of a clock can be compared exactly.
 */
#include "check.h"
#include "opbench/measure.h"

#include <time.h>

/* Moves by `step` at every `reads`-th reading only, or goes back once. */
typedef struct odd_clock {
    uint64_t now, step, count, reads, back_at;
} odd_clock;

static uint64_t odd_now(void *ctx)
{
    odd_clock *c = ctx;
    c->count++;
    if (c->back_at != 0 && c->count == c->back_at)
        c->now -= 500;
    else if (c->reads != 0 && c->count % c->reads == 0)
        c->now += c->step;
    return c->now;
}

static void fake_clock_steps(void)
{
    ob_fake_clock fake = {.now_ns = 100, .step_ns = 7};
    const ob_clock clock = ob_clock_fake(&fake);
    CHECK_INT(ob_clock_now_ns(&clock), 100);
    CHECK_INT(ob_clock_now_ns(&clock), 107);
    fake.now_ns = 5000;
    CHECK_INT(ob_clock_now_ns(&clock), 5000);
}

static void overhead_and_resolution_of_a_fake_clock(void)
{
    ob_fake_clock fake = {.now_ns = 100, .step_ns = 23};
    const ob_clock clock = ob_clock_fake(&fake);
    ob_clock_quality quality;
    ob_err err;
    CHECK_INT(ob_clock_measure(&clock, &quality, &err), OB_OK);
    CHECK_REAL(quality.overhead_ns, 23);
    CHECK_REAL(quality.resolution_ns, 23);
}

static void a_coarse_clock_shows_its_step(void)
{
    odd_clock odd = {.now = 1000, .step = 4000000, .reads = 50};
    const ob_clock clock = {.now_ns = odd_now, .ctx = &odd};
    ob_clock_quality quality;
    ob_err err;
    CHECK_INT(ob_clock_measure(&clock, &quality, &err), OB_OK);
    CHECK_REAL(quality.resolution_ns, 4000000);
    CHECK_REAL(quality.overhead_ns, 80000); /* two steps in 100 readings */
}

static void bad_clocks_are_refused(void)
{
    ob_fake_clock still = {.now_ns = 5, .step_ns = 0};
    const ob_clock clock = ob_clock_fake(&still);
    ob_clock_quality quality;
    ob_err err;
    CHECK_INT(ob_clock_measure(&clock, &quality, &err), OB_ERR_UNSUPPORTED);
    CHECK_HAS(err.message, "the clock stands still: 10000000 readings were the same");

    odd_clock back = {.now = 10000, .step = 1, .reads = 1, .back_at = 20};
    const ob_clock broken = {.now_ns = odd_now, .ctx = &back};
    CHECK_INT(ob_clock_measure(&broken, &quality, &err), OB_ERR_UNSUPPORTED);
    CHECK_HAS(err.message, "the clock went backwards from 10019 ns to 9519 ns");
}

static void the_monotonic_clock_works(void)
{
    const ob_clock clock = ob_clock_monotonic();
    ob_clock_quality quality;
    ob_err err;
    const uint64_t before = ob_clock_now_ns(&clock);
    CHECK_INT(ob_clock_measure(&clock, &quality, &err), OB_OK);
    CHECK(quality.overhead_ns > 0);
    CHECK(quality.resolution_ns >= 1);
    CHECK(ob_clock_now_ns(&clock) > before);
    struct timespec first, last;
    clock_gettime(CLOCK_MONOTONIC, &first);
    const double now = (double)ob_clock_now_ns(&clock);
    clock_gettime(CLOCK_MONOTONIC, &last);
    CHECK(now >= (double)first.tv_sec * 1e9 + (double)first.tv_nsec - 1);
    CHECK(now <= (double)last.tv_sec * 1e9 + (double)last.tv_nsec + 1);
}

int main(void)
{
    RUN(fake_clock_steps);
    RUN(overhead_and_resolution_of_a_fake_clock);
    RUN(a_coarse_clock_shows_its_step);
    RUN(bad_clocks_are_refused);
    RUN(the_monotonic_clock_works);
    return ob_test_end();
}
