/* SPDX-License-Identifier: Apache-2.0
 *
 * When a comparison that is under way has measured enough: by its verdicts, its budget, or all its processes.
 */
#include "check.h"
#include "opbench/diff.h"
#include "opbench/run.h"

#include <math.h>

/* Times of `processes` processes, two samples each, that differ by the spread. */
static ob_record_pass pass_of(double *times, double *each, size_t processes, double time,
                              double spread)
{
    for (size_t i = 0; i < processes; i++) {
        times[2 * i] = times[2 * i + 1] = time * (1 + (i % 2 ? spread : -spread));
        each[i] = 2;
    }
    return (ob_record_pass){.measure_time_ms = {times, 2 * processes},
                            .process_samples = {each, processes}};
}

static const ob_record_result *last_result; /* of both sides */

static int look_with(ob_verdict_looks *looks, size_t processes, double ratio, double spread,
                     double seconds, bool failed)
{
    double times[2][128], each[2][64];
    const ob_record_pass base = pass_of(times[0], each[0], processes, 1, 0);
    const ob_record_pass next = pass_of(times[1], each[1], processes, ratio, spread);
    const ob_side_progress sides[] = {
        {.name = "a", .forward = &base, .last = last_result},
        {.name = "b", .forward = &next, .last = last_result, .failed = failed}};
    const ob_sides_progress progress = {.processes = (int64_t)processes,
                                        .measured = seconds,
                                        .sides = sides,
                                        .side_size = sizeof sides[0],
                                        .side_count = 2};
    return ob_verdict_is_enough(looks, &progress);
}

static ob_verdict_looks twenty(void)
{
    return (ob_verdict_looks){.size = sizeof(ob_verdict_looks),
                              .params = {.size = sizeof(ob_verdict_params)},
                              .most = 20};
}

static int looks_at(size_t processes, double ratio, double spread, bool failed)
{
    ob_verdict_looks looks = twenty();
    return look_with(&looks, processes, ratio, spread, 0, failed);
}

static void the_budget_ends_it(void)
{
    ob_verdict_looks looks = twenty();
    looks.budget_s = 1;
    CHECK_INT(look_with(&looks, 4, 1, 0.1, 5, false), 0); /* five pairs whatever it takes */
    CHECK_INT(look_with(&looks, 6, 1, 0.1, 0.5, false), 0);
    CHECK_INT(look_with(&looks, 6, 1, 0.1, 1.1, false), 1); /* a seventh would pass it */
}

/* The verdict on the records allows for the clock. If a look did not, measuring would end with a verdict that it does not get. */
static void the_clock_counts(void)
{
    ob_record record;
    ob_verdict_looks looks = twenty();
    looks.clock_resolution_ns = 1e5; /* the samples have 1 ms */
    CHECK_INT(look_with(&looks, 5, 1.01, 0, 0, false), 1);
    ob_record_init(&record, OB_RECORD_RESULT_LINE);
    last_result = &record.result;
    CHECK_INT(look_with(&looks, 5, 1.01, 0, 0, false), 0);
    CHECK_INT(look_with(&looks, 5, 1.15, 0, 0, false), 1);
    record.result.number_per_run = 100;
    CHECK_INT(look_with(&looks, 5, 1.01, 0, 0, false), 1);
    last_result = NULL;
}

/* What it would have taken is known at every look, and the least of it counts. */
static void to_the_end(void)
{
    ob_verdict_looks looks = twenty();
    looks.to_the_end = true;
    CHECK_INT(look_with(&looks, 3, 1, 0, 0, false), 0);
    CHECK(looks.has_looked && !looks.has_called);
    CHECK_NEAR(looks.least_found, log1p(0.1), 1e-12); /* of three, what no placement does */
    CHECK_INT(look_with(&looks, 5, 1.01, 0, 0, false), 0);
    CHECK(looks.has_called);
    CHECK_NEAR(looks.beyond, log(1.01), 1e-12);
    CHECK_NEAR(looks.least_found, log1p(OB_VERDICT_FLOOR) - log(1.01), 1e-12);
    looks.budget_s = 1;
    CHECK_INT(look_with(&looks, 5, 1.01, 0, 2, false), 1);
}

static void when_it_is_enough(void)
{
    CHECK_INT(looks_at(2, 2, 0, false), 0); /* no look is planned there */
    CHECK_INT(looks_at(3, 2, 0.001, false), 1);
    CHECK_INT(looks_at(4, 2, 0.001, false), 0);
    CHECK_INT(looks_at(8, 1, 0.00001, false), 0); /* the same is believed later */
    CHECK_INT(looks_at(12, 1, 0.00001, false), 1);
    CHECK_INT(looks_at(5, 1.004, 0.002, false), 0);
    CHECK_INT(looks_at(5, 1.004, 0.002, true), 1);
    CHECK_INT(looks_at(12, 1.004, 0.00001, false), 1);
}

int main(void)
{
    RUN(when_it_is_enough);
    RUN(the_budget_ends_it);
    RUN(the_clock_counts);
    RUN(to_the_end);
    return ob_test_end();
}
