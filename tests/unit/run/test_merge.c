/* SPDX-License-Identifier: Apache-2.0
 *
 * Records of several processes into one.
 */
#include "check.h"

#include "run/merge.h"

#include <math.h>

static ob_record one(const double *times_ms, size_t count, double median)
{
    ob_record record;
    ob_record_init(&record, OB_RECORD_RESULT_LINE);
    ob_record_pass *pass = &record.result.forward;
    pass->measure_time_ms = (ob_reals){.items = times_ms, .count = count};
    pass->measure_memory_mib = (ob_reals){.items = times_ms, .count = count};
    pass->warmup_time_ms = ob_reals_empty();
    pass->warmup_memory_mib = ob_reals_empty();
    pass->time_ms = (ob_stats){.count = count, .median = median, .mean = 99};
    pass->interval_over = "samples";
    pass->flops = 6e6;
    record.result.raw_times_s = (ob_reals){.items = times_ms, .count = count};
    record.result.number_per_run = 10;
    record.result.stop_verdict = "done";
    record.result.seconds = 0.5;
    return record;
}

static void check_list(ob_reals got, const double *want, size_t count)
{
    CHECK_INT(got.count, count);
    for (size_t i = 0; i < count && i < got.count; i++)
        CHECK_REAL(got.items[i], want[i]);
}

static void samples_stand_in_the_order_of_processes(void)
{
    static const double a[] = {3, 1}, b[] = {2}, c[] = {6, 6, 6};
    static const double all[] = {3, 1, 2, 6, 6, 6};
    ob_record records[] = {one(a, 2, 2), one(b, 1, 2), one(c, 3, 6)};
    ob_merge merge = {0};
    ob_err err;
    records[0].result.forward.allocator_peak_bytes = 70;
    records[1].result.process_peak_bytes = 900;
    for (int round = 0; round < 2; round++) { /* the second finds the memory of the first */
        ob__merge_reset(&merge);
        for (size_t i = 0; i < 3; i++)
            CHECK_INT(ob__merge_add(&merge, &records[i].result, &err), OB_OK);
        ob_record record = records[2];
        ob_record_result *r = &record.result;
        CHECK_INT(ob__merge_finish(&merge, r, &err), OB_OK);
        check_list(r->forward.measure_time_ms, all, 6);
        check_list(r->forward.measure_memory_mib, all, 6);
        check_list(r->raw_times_s, all, 6);
        check_list(r->forward.process_samples, (const double[]){2, 1, 3}, 3);
        CHECK(r->forward.disturbed.items == NULL && r->forward.disturbed_by == NULL);
        CHECK(r->forward.warmup_time_ms.items != NULL);
        CHECK_INT(r->forward.warmup_time_ms.count, 0);
        CHECK(r->backward.measure_time_ms.items == NULL);
        CHECK_INT(r->forward.time_ms.count, 6);
        CHECK_REAL(r->forward.time_ms.median, 2); /* of 2, 2, 6: each process counts once */
        CHECK_REAL(r->forward.time_ms.mean, 4);
        CHECK_STR(r->forward.interval_over, "processes");
        CHECK_INT(r->forward.interval_ms.independent, 3);
        CHECK(!r->forward.interval_ms.enough);
        CHECK_REAL(r->forward.interval_ms.median, 2);
        CHECK_REAL(r->forward.interval_ms.confidence, 0.75);
        CHECK_STR(r->forward.no_interval,
                  "fewer than 6 processes give no 95 % interval; use --processes 6 or more");
        CHECK_REAL(r->forward.gflops_per_s, 6e6 / (2 * 1e-3) / 1e9);
        CHECK_INT(r->forward.allocator_peak_bytes, 70);
        CHECK_INT(r->process_peak_bytes, 900);
        CHECK_INT(r->processes, 3);
        CHECK_REAL(r->seconds, 1.5);
        CHECK_STR(r->stop_verdict, "done");
    }
    ob__merge_fini(&merge);
}

/* Six have an interval: from the smallest median to the largest. Long samples move the means, not the medians. */
static void six_processes_have_an_interval(void)
{
    static const double times[6][3] = {{3, 3, 900}, {1, 1, 1}, {2, 2, 2},
                                       {4, 4, 400}, {6, 6, 6}, {5, 5, 5}};
    static const double medians[6] = {3, 1, 2, 4, 6, 5};
    ob_merge merge = {0};
    ob_err err;
    ob_record record;
    for (size_t i = 0; i < 6; i++) {
        record = one(times[i], 3, medians[i]);
        CHECK_INT(ob__merge_add(&merge, &record.result, &err), OB_OK);
    }
    CHECK_INT(ob__merge_finish(&merge, &record.result, &err), OB_OK);
    const ob_record_pass *pass = &record.result.forward;
    CHECK_REAL(pass->time_ms.median, 3.5);
    CHECK_REAL(pass->interval_ms.low, 1);
    CHECK_REAL(pass->interval_ms.high, 6);
    CHECK_REAL(pass->interval_ms.confidence, 0.96875);
    CHECK_STR(pass->interval_over, "processes");
    CHECK(pass->no_interval == NULL);
    ob__merge_fini(&merge);
}

static void blocks_of_different_length_are_scaled(void)
{
    static const double a[] = {2}, b[] = {8}, want[] = {2, 4};
    ob_record first = one(a, 1, 2), second = one(b, 1, 8);
    ob_merge merge = {0};
    ob_err err;
    second.result.number_per_run = 20;
    second.result.stop_verdict = "gave up";
    CHECK_INT(ob__merge_add(&merge, &first.result, &err), OB_OK);
    CHECK_INT(ob__merge_add(&merge, &second.result, &err), OB_OK);
    CHECK_INT(ob__merge_finish(&merge, &second.result, &err), OB_OK);
    check_list(second.result.raw_times_s, want, 2);
    CHECK_INT(second.result.number_per_run, 10);
    CHECK_STR(second.result.stop_verdict, "gave up");
    CHECK(!second.result.forward.interval_ms.enough);
    CHECK_INT(second.result.forward.interval_ms.independent, 2);
    ob__merge_fini(&merge);
}

/* The merged record is the last one's, so what an earlier one did not reach must be added. */
static void what_an_earlier_process_did_not_reach_is_warned_of(void)
{
    static const double a[] = {2}, b[] = {8};
    static const char *const old[] = {"other"};
    ob_record first = one(a, 1, 2), second = one(b, 1, 8);
    ob_merge merge = {0};
    ob_err err;
    first.result.stop_verdict = "gave up";
    second.result.stop_verdict = "done";
    second.result.warnings = (ob_strings){.items = old, .count = 1};
    CHECK_INT(ob__merge_add(&merge, &first.result, &err), OB_OK);
    CHECK_INT(ob__merge_add(&merge, &second.result, &err), OB_OK);
    CHECK_INT(ob__merge_finish(&merge, &second.result, &err), OB_OK);
    CHECK_INT(second.result.warnings.count, 2);
    CHECK_STR(second.result.warnings.items[0], "other");
    CHECK_STR(second.result.warnings.items[1],
              "--precision was not reached within its time limit in one of the processes; ask for "
              "less, or use a quieter machine");
    ob__merge_fini(&merge);
}

/* Indices go on behind the samples of the processes before; a worker may have written anything. */
static void disturbed_samples_keep_their_places(void)
{
    static const double times[] = {3, 1, 2}, a[] = {0, 2}, b[] = {-1, 0.5, 1, 3, NAN},
                        all[] = {0, 2, 4};
    ob_record first = one(times, 3, 2), second = one(times, 3, 2), none = one(times, 3, 2);
    ob_merge merge = {0};
    ob_err err;
    ob_record_pass *pass = &second.result.forward;
    first.result.forward.disturbed = (ob_reals){.items = a, .count = 2};
    first.result.forward.disturbed_by = "perf_event";
    for (int weaker = 0; weaker < 2; weaker++) {
        pass->disturbed = (ob_reals){.items = b, .count = 5};
        pass->disturbed_by = weaker ? "getrusage" : "perf_event";
        ob__merge_reset(&merge);
        CHECK_INT(ob__merge_add(&merge, &first.result, &err), OB_OK);
        CHECK_INT(ob__merge_add(&merge, &second.result, &err), OB_OK);
        ob_record record = second;
        CHECK_INT(ob__merge_finish(&merge, &record.result, &err), OB_OK);
        check_list(record.result.forward.disturbed, all, 3);
        CHECK_STR(record.result.forward.disturbed_by, weaker ? "getrusage" : "perf_event");
    }
    /* A process that does not know, or says so in a word that there is not, spoils it for all. */
    for (int odd = 0; odd < 2; odd++) {
        none.result.forward.disturbed_by = odd ? "magic" : NULL;
        ob__merge_reset(&merge);
        CHECK_INT(ob__merge_add(&merge, &first.result, &err), OB_OK);
        CHECK_INT(ob__merge_add(&merge, &none.result, &err), OB_OK);
        ob_record record = first;
        CHECK_INT(ob__merge_finish(&merge, &record.result, &err), OB_OK);
        CHECK(record.result.forward.disturbed.items == NULL);
        CHECK(record.result.forward.disturbed_by == NULL);
    }
    ob__merge_fini(&merge);
}

static void no_samples_are_no_figures(void)
{
    ob_record record = one(NULL, 0, 0);
    ob_merge merge = {0};
    ob_err err;
    record.result.forward.measure_time_ms = ob_reals_empty();
    for (int i = 0; i < 3; i++)
        CHECK_INT(ob__merge_add(&merge, &record.result, &err), OB_OK);
    CHECK_INT(ob__merge_finish(&merge, &record.result, &err), OB_OK);
    CHECK(record.result.forward.measure_time_ms.items != NULL);
    CHECK_INT(record.result.forward.measure_time_ms.count, 0);
    CHECK_INT(record.result.processes, 3);
    ob__merge_fini(&merge);
}

int main(void)
{
    RUN(samples_stand_in_the_order_of_processes);
    RUN(six_processes_have_an_interval);
    RUN(blocks_of_different_length_are_scaled);
    RUN(what_an_earlier_process_did_not_reach_is_warned_of);
    RUN(disturbed_samples_keep_their_places);
    RUN(no_samples_are_no_figures);
    return ob_test_end();
}
