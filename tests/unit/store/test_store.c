/* SPDX-License-Identifier: Apache-2.0
 *
 * The store: what is added comes back, once, whatever is added twice; schemas follow each other; what is wrong with a file
 * is said. OPBENCH_TEST_DATABASE names an empty PostgreSQL database to do the same with; else it is a file.
 */
#include "base/scratch.h"
#include "check.h"
#include "opbench/store.h"
#include "store/store_tables.h"

#include <stdlib.h>
#include <unistd.h>

static ob_scratch scratch;
static char file[1100];
static const char *server; /* NULL = a file */

#define HEADER(pid, unix_time, commit)                                                             \
    "{\"run_options\": {}, \"sys_info\": {\"hostname\": \"h1\", \"pid\": " #pid                    \
    ", \"kernel\": \"Linux 6.1\", \"machine\": \"x86_64\", \"cpu_model\": \"CPU\", "               \
    "\"cpus_online\": 2, \"opbench_version\": \"0.1\", \"microcode\": \"0x1\", \"backends\": "     \
    "{\"blas\": \"0.3\"}}, \"start_time\": \"2024-05-01T12:00:00\", \"start_unix\": " #unix_time   \
    ", \"tags\": {\"who\": \"me\", \"x\": \"1\"}, \"git\": {\"commit\": \"" commit                 \
    "\", \"branch\": \"main\", \"dirty\": false}, \"config_file\": \"c.json\"}\n"
#define RESULT(key, index, times, median)                                                          \
    "{\"op_name\": \"add\", \"id\": \"0|0|" #index "\", \"metric\": {\"forward\": "                \
    "{\"measure.time\": " times "}}, \"key\": \"" key "\", \"status\": \"ok\", \"index\": " #index \
    ", \"backend\": \"native\", \"device\": \"cpu\", \"mode\": \"discrete\", \"threads\": 1, "     \
    "\"statistics\": {\"forward\": {\"count\": 2, \"median\": " #median ", \"min\": 0.001, "       \
    "\"interval\": {\"low\": 0.0009}}}, \"call\": \"add(f32[2])\"}\n"
#define FAILED(key, index)                                                                         \
    "{\"op_name\": \"add\", \"id\": \"0|0|" #index "\", \"metric\": {}, \"key\": \"" key           \
    "\", \"status\": \"crashed\", \"reason\": \"SIGSEGV\", \"index\": " #index                     \
    ", \"backend\": \"native\", \"device\": \"cpu\", \"threads\": 1}\n"

static ob_store *opened(ob_store_mode mode)
{
    const ob_store_params params = {
        .size = sizeof params, .database = server != NULL ? server : file, .mode = mode};
    ob_store *store = NULL;
    ob_err err = {.message = ""};
    CHECK_INT(ob_store_open(&params, &store, &err), OB_OK);
    CHECK_STR(err.message, "");
    return store;
}

static ob_store_added added(ob_store *store, const char *lines, bool samples, bool commit)
{
    ob_record_reader *reader;
    ob_store_writer *writer = NULL;
    const ob_record *record;
    ob_err err = {.message = ""};
    CHECK_INT(ob_record_reader_open_memory("lines", lines, strlen(lines), NULL, &reader, NULL),
              OB_OK);
    CHECK_INT(ob_store_writer_open(store, samples, &writer, &err), OB_OK);
    while (ob_record_reader_next(reader, &record, &err) == OB_OK)
        CHECK_INT(ob_store_writer_add(writer, record, &err), OB_OK);
    if (commit)
        CHECK_INT(ob_store_writer_commit(writer, &err), OB_OK);
    CHECK_STR(err.message, "");
    const ob_store_added result = *ob_store_writer_added(writer);
    ob_store_writer_close(writer);
    ob_record_reader_close(reader);
    return result;
}

/* ---- */

static void test_nothing_yet(void)
{
    const ob_store_params params = {
        .size = sizeof params, .database = server != NULL ? server : file, .mode = OB_STORE_READ};
    ob_store *store = NULL;
    ob_err err;
    CHECK_INT(ob_store_open(&params, &store, &err), OB_ERR_NOT_FOUND);
    CHECK_HAS(err.message, "history add FILE");
}

static void test_add_and_read(void)
{
    static const char LINES[] = HEADER(7, 1000, "c0ffee") RESULT("k1", 0, "[0.001, 0.003]", 0.002)
        FAILED("k1", 0) RESULT("k2", 1, "[0.0015]", 0.0015);
    ob_store *store = opened(OB_STORE_CREATE);
    ob_store_added a = added(store, LINES, true, true);
    CHECK_INT(a.runs, 1);
    CHECK_INT(a.results, 3);
    CHECK_INT(a.known_runs + a.known_results + a.left_out, 0);
    a = added(store, LINES, true, true);
    CHECK_INT(a.runs + a.results, 0);
    CHECK_INT(a.known_runs, 1);
    CHECK_INT(a.known_results, 3);
    ob_store_close(store);

    store = opened(OB_STORE_READ);
    ob_store_runs *runs = NULL;
    ob_err err = {.message = ""};
    CHECK_INT(ob_store_read_runs(store, NULL, &runs, &err), OB_OK);
    CHECK_STR(err.message, "");
    CHECK_INT(ob_store_runs_count(runs), 1);
    const ob_store_run *run = ob_store_runs_at(runs, 0);
    CHECK_INT(run->time, 1000);
    CHECK_STR(run->host, "h1");
    CHECK_STR(run->class_text, "CPU, x86_64, 2 CPUs");
    CHECK_STR(run->commit, "c0ffee");
    CHECK_STR(run->branch, "main");
    CHECK_INT(run->dirty, 0);
    CHECK_STR(run->tags, "{\"who\": \"me\", \"x\": \"1\"}");
    CHECK_STR(run->kernel, "Linux 6.1");
    CHECK_STR(run->microcode, "0x1");
    CHECK_STR(run->libraries, "{\"blas\": \"0.3\"}");
    CHECK_STR(run->source, "c.json");
    CHECK_STR(run->version, "0.1");
    CHECK_INT(run->results, 3);
    CHECK_INT(run->failed, 1);
    CHECK(ob_store_runs_find(runs, run->id) == run);
    CHECK(ob_store_runs_find(runs, run->id + 1) == NULL);
    CHECK(ob_store_runs_at(runs, 1) == NULL);
    ob_store_runs_destroy(runs);
    ob_store_close(store);
}

static void test_series(void)
{
    ob_store *store = opened(OB_STORE_READ);
    ob_store_list *list = NULL;
    ob_store_points *points = NULL;
    double *times;
    size_t count;
    ob_err err = {.message = ""};
    const ob_store_filter filter = {.size = sizeof filter, .text = "k1"};
    CHECK_INT(ob_store_read_list(store, NULL, &list, &err), OB_OK);
    CHECK_INT(ob_store_list_count(list), 3); /* the failed one has no mode */
    ob_store_list_destroy(list);
    CHECK_INT(ob_store_read_list(store, &filter, &list, &err), OB_OK);
    CHECK_INT(ob_store_list_count(list), 2);
    const ob_store_series *s = ob_store_list_at(list, 1);
    CHECK_STR(s->key, "k1");
    CHECK_STR(s->op, "add");
    CHECK_STR(s->id_text, "0|0|0");
    CHECK_STR(s->call, "add(f32[2])");
    CHECK_STR(s->backend, "native");
    CHECK_STR(s->side, "");
    CHECK_STR(s->pass, "forward");
    CHECK_STR(s->settings, "device=cpu threads=1 mode=discrete");
    CHECK_STR(s->class_text, "CPU, x86_64, 2 CPUs");
    CHECK_INT(s->points, 1);
    CHECK_INT(ob_store_read_points(store, s->id, &points, &err), OB_OK);
    CHECK_INT(ob_store_points_count(points), 1);
    const ob_store_point *p = ob_store_points_at(points, 0);
    CHECK_INT(p->time, 1000);
    CHECK_INT(p->status, OB_RECORD_OK);
    CHECK_INT(p->samples, 2);
    CHECK_REAL(p->median, 2000);
    CHECK_REAL(p->min, 1000);
    CHECK(isnan(p->p99));
    CHECK(ob_store_points_at(points, 1) == NULL);
    CHECK_INT(ob_store_read_samples(store, s->id, p, &times, &count, &err), OB_OK);
    CHECK_INT(count, 2);
    if (count == 2) {
        CHECK_REAL(times[0], 1000);
        CHECK_REAL(times[1], 3000);
    }
    free(times);
    ob_store_points_destroy(points);
    ob_store_list_destroy(list);
    ob_store_close(store);
}

/* A result that says when and where it was measured: a merged file brings it under a run of its own. */
#define TIMED(key, index, pid, second)                                                             \
    "{\"op_name\": \"add\", \"id\": \"0|0|" #index "\", \"metric\": {\"forward\": "                \
    "{\"measure.time\": [0.001]}}, \"key\": \"" key "\", \"status\": \"ok\", \"index\": " #index   \
    ", \"backend\": \"native\", \"pid\": " #pid                                                    \
    ", \"case_start_time\": \"2024-05-01T12:00:" second                                            \
    "\", \"statistics\": {\"forward\": {\"count\": 1, \"median\": 0.001}}}\n"

static void test_shards_and_their_merge(void)
{
    static const char ONE[] = HEADER(20, 2100, "ab") TIMED("m1", 0, 21, "01"),
                      TWO[] = HEADER(30, 2100, "ab") TIMED("m2", 1, 31, "01"),
                      MERGED[] =
                          HEADER(40, 2100, "ab") TIMED("m1", 0, 21, "01") TIMED("m2", 1, 31, "01"),
                      GROWN[] = HEADER(40, 2100, "ab") TIMED("m1", 0, 21, "01")
                          TIMED("m2", 1, 31, "01") TIMED("m2", 1, 31, "02");
    ob_store *store = opened(OB_STORE_CREATE);
    ob_store_added a = added(store, ONE, true, true);
    CHECK_INT(a.results, 1);
    a = added(store, TWO, true, true);
    CHECK_INT(a.results, 1);
    a = added(store, MERGED, true, true);
    CHECK_INT(a.runs + a.results, 0);
    CHECK_INT(a.known_runs, 1);
    CHECK_INT(a.known_results, 2);
    a = added(store, GROWN, true, true);
    CHECK_INT(a.runs, 1);
    CHECK_INT(a.results, 1);
    CHECK_INT(a.known_results, 2);
    ob_store_close(store);
}

static void test_grows(void)
{
    ob_store *store = opened(OB_STORE_CREATE);
    ob_store_added a =
        added(store, HEADER(8, 2000, "beef") RESULT("k1", 0, "[0.001]", 0.001), false, true);
    CHECK_INT(a.runs, 1);
    CHECK_INT(a.results, 1);
    /* The same file when it has got longer; and without a commit nothing stays. */
    a = added(store,
              HEADER(8, 2000, "beef") RESULT("k1", 0, "[0.001]", 0.001)
                  RESULT("k2", 1, "[0.004]", 0.004),
              false, false);
    CHECK_INT(a.known_runs, 1);
    a = added(store,
              HEADER(8, 2000, "beef") RESULT("k1", 0, "[0.001]", 0.001)
                  RESULT("k2", 1, "[0.004]", 0.004),
              false, true);
    CHECK_INT(a.results, 1);
    CHECK_INT(a.known_results, 1);
    ob_store_runs *runs;
    CHECK_INT(ob_store_read_runs(store, NULL, &runs, NULL), OB_OK);
    CHECK_INT(ob_store_runs_count(runs), 2);
    CHECK_STR(ob_store_runs_at(runs, 1)->commit, "beef");
    CHECK_INT(ob_store_runs_at(runs, 1)->results, 2);
    ob_store_runs_destroy(runs);
    ob_store_close(store);
}

static size_t runs_with(ob_store *store, const ob_store_filter *filter)
{
    ob_store_runs *runs;
    CHECK_INT(ob_store_read_runs(store, filter, &runs, NULL), OB_OK);
    const size_t count = ob_store_runs_count(runs);
    ob_store_runs_destroy(runs);
    return count;
}

static void test_filters(void)
{
    ob_store *store = opened(OB_STORE_READ);
    ob_store_filter f = {.size = sizeof f, .since = 1500};
    CHECK_INT(runs_with(store, &f), 1);
    f = (ob_store_filter){.size = sizeof f, .branch = "main"};
    CHECK_INT(runs_with(store, &f), 2);
    f.branch = "other";
    CHECK_INT(runs_with(store, &f), 0);
    f = (ob_store_filter){.size = sizeof f, .host = "h1' OR '1'='1"};
    CHECK_INT(runs_with(store, &f), 0);
    f = (ob_store_filter){.size = sizeof f, .tag = "who=me"};
    CHECK_INT(runs_with(store, &f), 2);
    f.tag = "who=you";
    CHECK_INT(runs_with(store, &f), 0);
    f.tag = "x";
    CHECK_INT(runs_with(store, &f), 2);
    f.tag = "y";
    CHECK_INT(runs_with(store, &f), 0);
    f = (ob_store_filter){.size = sizeof f, .machine = 12};
    CHECK_INT(runs_with(store, &f), 0);
    ob_store_close(store);
}

static void test_left_out(void)
{
    ob_store *store = opened(OB_STORE_CREATE);
    ob_store_writer *writer;
    ob_record record;
    ob_err err;
    const ob_store_added a =
        added(store, HEADER(9, 3000, "") RESULT("k1", 0, "[]", 0.0), false, false);
    CHECK_INT(a.left_out, 1);
    ob_record_init(&record, OB_RECORD_RESULT_LINE);
    CHECK_INT(ob_store_writer_open(store, false, &writer, &err), OB_OK);
    CHECK_INT(ob_store_writer_add(writer, &record, &err), OB_ERR_STATE);
    CHECK_HAS(err.message, "before any header");
    ob_store_writer_close(writer);
    ob_store_close(store);
}

int main(void)
{
    ob_err err;
    server = getenv("OPBENCH_TEST_DATABASE");
    if (ob__scratch_open(&scratch, NULL, "test", &err) != OB_OK)
        return 1;
    snprintf(file, sizeof file, "%s/h.db", scratch.dir);
    RUN(test_nothing_yet);
    RUN(test_add_and_read);
    RUN(test_series);
    RUN(test_grows);
    RUN(test_filters);
    RUN(test_left_out);
    RUN(test_shards_and_their_merge);
    ob__scratch_close(&scratch);
    return ob_test_end();
}
