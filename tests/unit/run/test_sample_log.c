/* SPDX-License-Identifier: Apache-2.0
 *
 * Samples that outlive their worker: what is logged, what is left out, and a log that holds garbage.
 */
#include "check.h"
#include "run/pass_statistics.h"
#include "run/sample_log.h"

#include <math.h>
#include <stdlib.h>

static ob_sample_log *log_of(void)
{
    ob_sample_log *log = calloc(1, sizeof *log);
    CHECK(log != NULL);
    return log;
}

static void add(ob_series *series, double value)
{
    CHECK(ob__series_reserve(series, 1));
    series->values[series->count++] = value;
}

static void comes_back(void)
{
    ob_sample_log *log = log_of();
    ob_exec_result result = {.number_per_run = 5}, back;
    ob_err err;
    add(&result.forward.warmup_ns, 9);
    ob__sample_log_take(log, &result);
    add(&result.forward.measure_ns, 700);
    add(&result.backward.measure_ns, -3); /* a difference of two blocks */
    ob__sample_log_take(log, &result);
    add(&result.forward.measure_ns, 701);
    ob__sample_log_take(log, &result);
    CHECK_INT(ob__sample_log_read(log, &back, &err), OB_OK);
    CHECK_INT(back.number_per_run, 5);
    CHECK_INT(back.forward.warmup_ns.count, 1);
    CHECK_REAL(back.forward.warmup_ns.values[0], 9);
    CHECK_INT(back.forward.measure_ns.count, 2);
    CHECK_REAL(back.forward.measure_ns.values[1], 701);
    CHECK_INT(back.backward.measure_ns.count, 1);
    CHECK_REAL(back.backward.measure_ns.values[0], -3);
    CHECK_INT(back.backward.warmup_ns.count, 0);
    ob__exec_result_fini(&back);
    ob__sample_log_reset(log);
    CHECK_INT(ob__sample_log_read(log, &back, &err), OB_OK);
    CHECK_INT(back.forward.measure_ns.count + back.forward.warmup_ns.count, 0);
    CHECK_INT(back.number_per_run, 0);
    ob__exec_result_fini(&back);
    ob__exec_result_fini(&result);
    free(log);
}

static void has_an_end(void)
{
    ob_sample_log *log = log_of();
    ob_exec_result result = {.number_per_run = 1}, back;
    ob_err err;
    CHECK(ob__series_reserve(&result.forward.measure_ns, OB_LOGGED_SAMPLES + 2));
    for (int i = 0; i < OB_LOGGED_SAMPLES + 2; i++)
        add(&result.forward.measure_ns, i);
    ob__sample_log_take(log, &result);
    ob__sample_log_take(log, &result);
    CHECK_INT(log->backward_warmup.count, 0); /* the neighbour is untouched */
    CHECK_INT(ob__sample_log_read(log, &back, &err), OB_OK);
    CHECK_INT(back.forward.measure_ns.count, OB_LOGGED_SAMPLES);
    CHECK_REAL(back.forward.measure_ns.values[OB_LOGGED_SAMPLES - 1], OB_LOGGED_SAMPLES - 1);
    ob__exec_result_fini(&back);
    ob__exec_result_fini(&result);
    free(log);
}

/* The worker may have written anywhere before it died. */
static void garbage_is_left_out(void)
{
    ob_sample_log *log = log_of();
    ob_exec_result back;
    ob_unfinished statistics = {0};
    ob_record record;
    ob_err err;
    log->forward.count = UINT64_MAX;
    log->forward.values[0] = 1000;
    log->forward.values[1] = NAN;
    log->number_per_run = UINT64_MAX;
    log->backward.count = 1;
    log->backward.values[0] = INFINITY;
    CHECK_INT(ob__sample_log_read(log, &back, &err), OB_OK);
    CHECK_INT(back.forward.measure_ns.count, 1);
    CHECK_INT(back.backward.measure_ns.count, 0);
    CHECK_INT(back.number_per_run, 0);
    ob_record_init(&record, OB_RECORD_RESULT_LINE);
    CHECK_INT(ob__fill_unfinished(&back, &statistics, &record.result, &err), OB_OK);
    CHECK_INT(record.result.forward.measure_time_ms.count, 1);
    CHECK_REAL(record.result.forward.time_ms.median, 0.001);
    CHECK(record.result.backward.measure_time_ms.items == NULL);
    CHECK(record.result.raw_times_s.items == NULL); /* how long a block was is not known */
    ob__unfinished_fini(&statistics);
    ob__exec_result_fini(&back);
    free(log);
}

int main(void)
{
    RUN(comes_back);
    RUN(has_an_end);
    RUN(garbage_is_left_out);
    return ob_test_end();
}
