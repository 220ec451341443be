/* SPDX-License-Identifier: Apache-2.0
 *
 * bench/store: how fast a history takes results and gives a series back.
 *
 *     bench_store [DATABASE [RESULTS]]   a file of SQLite's in the folder for temporary files, or an empty PostgreSQL
 *                                        database; 1,000,000 results. Fails where a promise is not kept.
 */
#include "opbench/measure.h"
#include "opbench/rng.h"
#include "opbench/store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SERIES = 1000, SERVER_TIMES = 5 };

static double now_s(void)
{
    const ob_clock clock = ob_clock_monotonic();
    return (double)ob_clock_now_ns(&clock) / 1e9;
}

static void must(ob_status status, const ob_err *err)
{
    if (status == OB_OK)
        return;
    fprintf(stderr, "bench_store: %s\n", err->message);
    exit(1);
}

/* A run with a result of each series. */
static void add_run(ob_store_writer *writer, size_t run, ob_rng *rng)
{
    ob_record record;
    ob_err err;
    char key[40], call[40];
    ob_record_init(&record, OB_RECORD_HEADER_LINE);
    snprintf(record.header.system.cpu_model, sizeof record.header.system.cpu_model, "CPU");
    snprintf(record.header.system.hostname, sizeof record.header.system.hostname, "host");
    record.header.start_unix = 1700000000 + 3600 * (int64_t)run;
    record.header.pid = (int64_t)run;
    record.header.commit = "0123456789abcdef0123456789abcdef01234567";
    must(ob_store_writer_add(writer, &record, &err), &err);
    ob_record_init(&record, OB_RECORD_RESULT_LINE);
    ob_record_result *r = &record.result;
    r->op_name = "torch.add";
    r->id = "0|0|0";
    r->key = key;
    r->call = call;
    r->backend = "native";
    r->device = "cpu";
    r->mode = "discrete";
    r->status = OB_RECORD_OK;
    for (size_t i = 0; i < SERIES; i++) {
        const double ms = 0.001 * (1 + 0.01 * ob_rng_normal(rng));
        snprintf(key, sizeof key, "%032zx", i * 2654435761U);
        snprintf(call, sizeof call, "torch.add(f32[%zu])", i);
        r->index = (int64_t)i;
        r->forward.measure_time_ms = (ob_reals){.items = &ms, .count = 1};
        r->forward.time_ms = (ob_stats){.count = 1,
                                        .min = ms,
                                        .p25 = ms,
                                        .median = ms,
                                        .p75 = ms,
                                        .p90 = ms,
                                        .p99 = ms,
                                        .max = ms,
                                        .mean = ms,
                                        .stddev = NAN};
        must(ob_store_writer_add(writer, &record, &err), &err);
    }
}

static double add_all(ob_store *store, size_t results)
{
    const double start = now_s();
    ob_store_writer *writer;
    ob_rng rng;
    ob_err err;
    ob_rng_init(&rng, 1, 1);
    must(ob_store_writer_open(store, false, &writer, &err), &err);
    for (size_t run = 0; run < results / SERIES; run++)
        add_run(writer, run, &rng);
    must(ob_store_writer_commit(writer, &err), &err);
    if (ob_store_writer_added(writer)->results != results / SERIES * SERIES) {
        fprintf(stderr, "bench_store: results are missing\n");
        exit(1);
    }
    ob_store_writer_close(writer);
    return now_s() - start;
}

/* The best and the median of some series. */
static double read_series(ob_store *store, double *median)
{
    enum { TRIALS = 21 };
    double times[TRIALS], scratch[TRIALS];
    ob_store_list *list;
    ob_err err;
    must(ob_store_read_list(store, NULL, &list, &err), &err);
    for (size_t i = 0; i < TRIALS; i++) {
        ob_store_points *points;
        const double start = now_s();
        must(
            ob_store_read_points(store, ob_store_list_at(list, i * 37 % SERIES)->id, &points, &err),
            &err);
        times[i] = now_s() - start;
        ob_store_points_destroy(points);
    }
    ob_store_list_destroy(list);
    memcpy(scratch, times, sizeof times);
    ob_stats_sort(scratch, TRIALS);
    *median = scratch[TRIALS / 2];
    return scratch[0];
}

int main(int argc, char **argv)
{
    const bool server = argc > 1 && strstr(argv[1], "://") != NULL;
    const size_t results = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000000;
    const double factor = server ? SERVER_TIMES : 1;
    char path[256];
    snprintf(path, sizeof path, "/tmp/bench_store_%ld.db", (long)getpid());
    const ob_store_params params = {
        .size = sizeof params, .database = argc > 1 ? argv[1] : path, .mode = OB_STORE_CREATE};
    ob_store *store;
    ob_err err;
    double median;
    must(ob_store_open(&params, &store, &err), &err);
    const double added = add_all(store, results);
    ob_store_close(store);
    must(ob_store_open(&params, &store, &err), &err); /* what was kept in memory is gone */
    const double best = read_series(store, &median);
    ob_store_close(store);
    unlink(path);
    const bool ok = added < 20 * factor && median < 0.01 * factor;
    printf("%zu results added in %.1f s; a series of %zu read in %.2f ms (median; best %.2f)  %s\n",
           results, added, results / SERIES, 1e3 * median, 1e3 * best, ok ? "ok" : "TOO SLOW");
    return !ok;
}
