/* SPDX-License-Identifier: Apache-2.0
 *
 * Which statistics of a record make it warn, to the letter, and on which side of each bound.
 */
#include "check.h"
#include "run/record_fit.h"
#include "run/warnings.h"

static ob_warnings warnings;

static ob_record_result *quiet_result(void)
{
    static ob_record record;
    static const double samples[] = {1};
    ob_record_init(&record, OB_RECORD_RESULT_LINE);
    record.result.mode = "discrete";
    record.result.noise_foreign = record.result.noise_steal = 0.1;
    ob_record_pass *const passes[] = {&record.result.forward, &record.result.backward};
    for (int i = 0; i < 2; i++) {
        passes[i]->measure_time_ms = (ob_reals){.items = samples, .count = 1};
        passes[i]->time_ms.median = 0.0025; /* 2500 ns */
        passes[i]->interval_ms.enough = true;
        passes[i]->interval_ms.lag1 = 0.5;
    }
    return &record.result;
}

/* The only warning; "" if there is none. */
static const char *only(const ob_warning_facts *facts, ob_record_result *r)
{
    ob__warnings_fill(&warnings, facts, r);
    CHECK((r->warnings.items == NULL) == (r->warnings.count == 0));
    return r->warnings.count == 0 ? "" : r->warnings.count == 1 ? r->warnings.items[0] : "several";
}

static const ob_warning_facts FACTS = {.clock_overhead_ns = 25};

static void quiet(void)
{
    const ob_warning_facts unknown = {.clock_overhead_ns = 0};
    CHECK_STR(only(&FACTS, quiet_result()), "");
    ob_record empty;
    ob_record_init(&empty, OB_RECORD_RESULT_LINE);
    CHECK_STR(only(&FACTS, &empty.result), "");
    CHECK_STR(only(&unknown, quiet_result()), "");
}

static void nothing_measured(void)
{
    const ob_warning_facts facts = {.nothing_measured = true};
    ob_record empty;
    ob_record_init(&empty, OB_RECORD_RESULT_LINE);
    CHECK_STR(only(&facts, &empty.result), "nothing was measured: -i asks for no iterations");
}

static void a_cache_that_is_still_hot(void)
{
    ob_record_result *r = quiet_result();
    r->cache_load_ns = 3.6;
    r->cache_memory_ns = 121;
    r->cache_reached = "memory";
    CHECK_STR(only(&FACTS, r), "");
    r->cache_reached = "cache";
    CHECK_STR(only(&FACTS, r),
              "flushing the cache did not work: a load from flushed data took 4 ns, one from "
              "memory takes 121 ns; do not trust the times, or use --cache hot");
}

static void noise(void)
{
    const ob_warning_facts own_clock = {.own_clock = true, .clock_overhead_ns = 25};
    ob_record_result *r = quiet_result();
    r->noise_foreign = 0.374;
    CHECK_STR(only(&FACTS, r),
              "other processes used 37 % of the CPU time; stop them, or --pin to an idle CPU");
    r = quiet_result();
    r->noise_steal = 0.11;
    CHECK_STR(only(&FACTS, r),
              "the hypervisor took 11 % of the CPU time; measure on a machine that is not shared");
    r->noise_foreign = 1;
    r->forward.time_ms.median = 0.0001;
    CHECK_STR(only(&own_clock, r), "");
}

static void drift(void)
{
    ob_record_result *r = quiet_result();
    r->backward.interval_ms.lag1 = 0.51;
    CHECK_STR(only(&FACTS, r),
              "backward: times drift (neighbouring batches correlate by 0.51), so the interval may "
              "be too narrow; measure longer, or with more warm-up");
    r->backward.interval_ms.enough = false;
    CHECK_STR(only(&FACTS, r), "");
}

static void short_samples(void)
{
    ob_record_result *r = quiet_result();
    r->forward.time_ms.median = 0.0024;
    CHECK_STR(only(&FACTS, r), "forward: the median of 2400 ns is below 100 times the 25 ns that "
                               "reading the clock takes; use --exec-mode continuous");
    r->cache_state = "cold";
    CHECK_STR(only(&FACTS, r), "forward: the median of 2400 ns is below 100 times the 25 ns that "
                               "reading the clock takes; use a larger case, or --cache hot");
    r->cache_state = "hot";
    r->number_per_run = 2; /* the block is long enough */
    r->mode = "continuous";
    CHECK_STR(only(&FACTS, r), "");
    r->number_per_run = 1;
    CHECK_STR(only(&FACTS, r), "forward: the median of 2400 ns is below 100 times the 25 ns that "
                               "reading the clock takes; use a larger --block, or more iterations");
    r->forward.time_ms.median = 0.0008;
    r->number_per_run = 3;
    CHECK_STR(only(&FACTS, r),
              "forward: the median block of 2400 ns is below 100 times the 25 ns that reading the "
              "clock takes; use a larger --block, or more iterations");
    r->number_per_run = 1;
    r->forward.time_ms.median = 0.0024;
    r->mode = "continuous_events";
    CHECK_STR(only(&FACTS, r), "forward: the median of 2400 ns is below 100 times the 25 ns that "
                               "reading the clock takes; use --exec-mode continuous");
    const ob_warning_facts events = {.own_events = true, .clock_overhead_ns = 25};
    CHECK_STR(only(&events, r), "");
    r->mode = "timeit";
    CHECK_STR(only(&FACTS, r), "forward: the median of 2400 ns is below 100 times the 25 ns that "
                               "reading the clock takes; use a larger --number");
}

static void limits_that_came_first(void)
{
    ob_record_result *r = quiet_result();
    r->stop_verdict = "done";
    CHECK_STR(only(&FACTS, r), "");
    r->stop_verdict = "gave up";
    r->forward.interval_ms.relative_half_width = 0.9;
    r->backward.interval_ms.relative_half_width = 0.0456;
    CHECK_STR(only(&FACTS, r),
              "--precision was not reached within its time limit: the interval is 0.046 of the "
              "median to each side; ask for less, or use a quieter machine");
    r->backward.interval_ms.enough = false;
    CHECK_STR(
        only(&FACTS, r),
        "--precision was not reached within its time limit, and there are too few samples for "
        "an interval; ask for less, or measure a smaller case");
    r->forward.measure_time_ms.count = r->backward.measure_time_ms.count = OB_MOST_SAMPLES / 2;
    CHECK_STR(only(&FACTS, r),
              "4000000 samples, the most that a record holds, came before what was asked for; "
              "--exec-mode continuous measures such short calls in blocks");
    r->mode = "adaptive";
    CHECK_STR(only(&FACTS, r), "the spread that --max-spread asks for was not reached within "
                               "--max-run-time; measure longer, or on a quieter machine");
}

/* A case that could not run was not disturbed. */
static void noise_without_samples(void)
{
    ob_record empty;
    ob_record_init(&empty, OB_RECORD_RESULT_LINE);
    empty.result.noise_foreign = empty.result.noise_steal = 0.9;
    CHECK_STR(only(&FACTS, &empty.result), "");
}

/* All at once fit, and a second fill starts anew. */
static void all(void)
{
    const ob_warning_facts facts = {.no_backward = "none requires one",
                                    .schema_difference = "there is no argument 'x'",
                                    .not_checked = "why",
                                    .clock_overhead_ns = 25};
    ob_record_result *r = quiet_result();
    r->noise_foreign = r->noise_steal = 0.9;
    r->forward.interval_ms.lag1 = r->backward.interval_ms.lag1 = 0.9;
    r->forward.time_ms.median = r->backward.time_ms.median = 0.0001;
    r->cache_reached = "cache";
    r->fp_mode = "flush-to-zero on";
    r->stop_verdict = "gave up";
    ob__warnings_fill(&warnings, &facts, r);
    CHECK_INT(r->warnings.count, OB_MOST_WARNINGS);
    CHECK_STR(r->warnings.items[0], "the backward pass was left out: none requires one");
    CHECK_STR(r->warnings.items[1], "the config's schema is from another release; only its name "
                                    "and overload were used: there is no argument 'x'");
    CHECK_STR(r->warnings.items[OB_MOST_WARNINGS - 1],
              "a library changed the floating-point mode: flush-to-zero on");
    CHECK_STR(only(&FACTS, quiet_result()), "");
}

int main(void)
{
    RUN(quiet);
    RUN(nothing_measured);
    RUN(a_cache_that_is_still_hot);
    RUN(noise);
    RUN(drift);
    RUN(short_samples);
    RUN(limits_that_came_first);
    RUN(noise_without_samples);
    RUN(all);
    return ob_test_end();
}
