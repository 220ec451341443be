/* SPDX-License-Identifier: Apache-2.0
 *
 * Clocks, and what reading one costs. The overhead is the fastest of several rounds: a round that was
 * interrupted says nothing about the clock. The resolution is the smallest step that was seen; for a
 * clock that is finer than its own cost that is the cost, which is also the shortest time that the
 * clock can tell apart.
 */
#include "opbench/measure.h"

#include <inttypes.h>
#include <time.h>

enum { ROUNDS = 20, READS_PER_ROUND = 100, STEPS = 50, MAX_READS_PER_STEP = 10000000 };

static uint64_t monotonic_now_ns(void *ctx)
{
    struct timespec now;
    (void)ctx;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

ob_clock ob_clock_monotonic(void)
{
    return (ob_clock){.now_ns = monotonic_now_ns, .ctx = NULL};
}

static uint64_t fake_now_ns(void *ctx)
{
    ob_fake_clock *fake = ctx;
    const uint64_t now_ns = fake->now_ns;
    fake->now_ns += fake->step_ns;
    return now_ns;
}

ob_clock ob_clock_fake(ob_fake_clock *fake)
{
    return (ob_clock){.now_ns = fake_now_ns, .ctx = fake};
}

static ob_status goes_back(uint64_t from_ns, uint64_t to_ns, ob_err *err)
{
    return ob_err_set(err, OB_ERR_UNSUPPORTED,
                      "the clock went backwards from %" PRIu64 " ns to %" PRIu64
                      " ns; timing needs a monotonic clock",
                      from_ns, to_ns);
}

static ob_status measure_overhead(const ob_clock *clock, double *overhead_ns, ob_err *err)
{
    uint64_t best_ns = UINT64_MAX;
    for (int round = 0; round < ROUNDS; round++) {
        const uint64_t start_ns = ob_clock_now_ns(clock);
        uint64_t end_ns = start_ns;
        for (int i = 0; i < READS_PER_ROUND; i++)
            end_ns = ob_clock_now_ns(clock);
        if (end_ns < start_ns)
            return goes_back(start_ns, end_ns, err);
        if (end_ns - start_ns < best_ns)
            best_ns = end_ns - start_ns;
    }
    *overhead_ns = (double)best_ns / (double)READS_PER_ROUND;
    return OB_OK;
}

static ob_status measure_resolution(const ob_clock *clock, double *resolution_ns, ob_err *err)
{
    uint64_t smallest_ns = UINT64_MAX;
    uint64_t last_ns = ob_clock_now_ns(clock);
    /* A coarse clock shows its step at once; more of them would only take long. */
    for (int step = 0, reads = 0; step < STEPS && reads < MAX_READS_PER_STEP; step++) {
        uint64_t now_ns = last_ns;
        while (now_ns == last_ns && reads++ < MAX_READS_PER_STEP)
            now_ns = ob_clock_now_ns(clock);
        if (now_ns < last_ns)
            return goes_back(last_ns, now_ns, err);
        if (now_ns != last_ns && now_ns - last_ns < smallest_ns)
            smallest_ns = now_ns - last_ns;
        last_ns = now_ns;
    }
    if (smallest_ns == UINT64_MAX)
        return ob_err_set(err, OB_ERR_UNSUPPORTED,
                          "the clock stands still: %d readings were the same; use another clock",
                          MAX_READS_PER_STEP);
    *resolution_ns = (double)smallest_ns;
    return OB_OK;
}

ob_status ob_clock_measure(const ob_clock *clock, ob_clock_quality *out, ob_err *err)
{
    *out = (ob_clock_quality){.overhead_ns = 0, .resolution_ns = 0};
    /* The resolution first: its readings warm the clock's code for the overhead. */
    OB_TRY(measure_resolution(clock, &out->resolution_ns, err));
    return measure_overhead(clock, &out->overhead_ns, err);
}

double ob_clock_resolution_ns(const ob_clock *clock)
{
    double resolution_ns = 0;
    return measure_resolution(clock, &resolution_ns, NULL) == OB_OK ? resolution_ns : 0;
}
