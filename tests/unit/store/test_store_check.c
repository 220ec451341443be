/* SPDX-License-Identifier: Apache-2.0
 *
 * Changes of a history: which series and runs, what was different, what belongs together, what was accepted, what is let
 * go. OPBENCH_TEST_DATABASE as in test_store.c.
 */
#include "base/scratch.h"
#include "check.h"
#include "opbench/rng.h"
#include "opbench/store.h"

#include <stdlib.h>

enum { RUNS = 40, STEP = 25 };

static ob_scratch scratch;
static char file[1100];
static const char *server; /* NULL = a file */

static ob_store *opened(void)
{
    const ob_store_params params = {
        .size = sizeof params, .database = server != NULL ? server : file, .mode = OB_STORE_CREATE};
    ob_store *store = NULL;
    ob_err err = {.message = ""};
    CHECK_INT(ob_store_open(&params, &store, &err), OB_OK);
    CHECK_STR(err.message, "");
    return store;
}

/* Runs on two machines. On the first the cases a and b get 10 % slower with a new library, c stays as it is; the
 * second one is half as fast. */
static void print_run(ob_text *text, ob_rng *rng, size_t run, size_t machine)
{
    static const char *const KEYS[] = {"a", "b", "c"};
    ob_text_printf(text,
                   "{\"sys_info\": {\"hostname\": \"h%zu\", \"pid\": %zu, \"kernel\": \"L\", "
                   "\"cpu_model\": \"CPU %zu\", \"cpus_online\": 4, \"backends\": {\"blas\": "
                   "\"%d\"}}, \"start_time\": \"2024-05-01T12:00:00\", \"start_unix\": %zu, "
                   "\"git\": {\"commit\": \"%zu%02zuabcdef\", \"branch\": \"main\"}}\n",
                   machine, run, machine, run >= STEP ? 2 : 1, 1000 + 10 * run, machine, run);
    for (size_t k = 0; k < 3; k++) {
        const double level =
            (machine == 2 ? 2 : 1) * (k < 2 && run >= STEP && machine == 1 ? 1.1 : 1);
        const double ns = 1e6 * level * (1 + 0.01 * ob_rng_normal(rng));
        ob_text_printf(
            text,
            "{\"op_name\": \"op\", \"id\": \"%zu\", \"metric\": {\"forward\": "
            "{\"measure.time\": [%.6f]}}, \"key\": \"%s\", \"status\": \"ok\", "
            "\"backend\": \"native\", \"statistics\": {\"forward\": {\"median\": %.6f}}, "
            "\"call\": \"op(%s)\"}\n",
            k, ns / 1e6, KEYS[k], ns / 1e6, KEYS[k]);
    }
}

static void fill(void)
{
    ob_store *store = opened();
    ob_text text = {.data = NULL};
    ob_record_reader *reader;
    ob_store_writer *writer;
    const ob_record *record;
    ob_rng rng;
    ob_err err = {.message = ""};
    ob_rng_init(&rng, 5, 0);
    for (size_t run = 0; run < RUNS; run++)
        for (size_t machine = 1; machine <= 2; machine++)
            print_run(&text, &rng, run, machine);
    CHECK_INT(ob_record_reader_open_memory("runs", text.data, text.size, NULL, &reader, &err),
              OB_OK);
    CHECK_INT(ob_store_writer_open(store, true, &writer, &err), OB_OK);
    while (ob_record_reader_next(reader, &record, &err) == OB_OK)
        CHECK_INT(ob_store_writer_add(writer, record, &err), OB_OK);
    CHECK_STR(err.message, "");
    CHECK_INT(ob_store_writer_commit(writer, &err), OB_OK);
    CHECK_INT(ob_store_writer_added(writer)->runs, 2 * RUNS);
    CHECK_INT(ob_store_writer_added(writer)->results, 6 * RUNS);
    ob_store_writer_close(writer);
    ob_record_reader_close(reader);
    ob_text_fini(&text);
    ob_store_close(store);
}

static ob_store_check *checked(ob_store *store, const ob_store_filter *filter)
{
    const ob_store_check_params params = {.size = sizeof params, .filter = filter};
    ob_store_check *check = NULL;
    ob_err err = {.message = ""};
    CHECK_INT(ob_store_check_run(store, &params, &check, &err), OB_OK);
    CHECK_STR(err.message, "");
    return check;
}

static void test_check(void)
{
    ob_store *store = opened();
    ob_store_check *check = checked(store, NULL);
    CHECK_INT(ob_store_check_series(check), 6);
    CHECK_INT(ob_store_check_short(check), 0);
    CHECK_INT(ob_store_check_count(check), 2);
    CHECK_INT(ob_store_check_groups(check), 1);
    const ob_store_change *c = ob_store_check_at(check, 0);
    CHECK_STR(c->series->key, "a");
    CHECK_STR(c->series->class_text, "CPU 1, unknown architecture, 4 CPUs");
    CHECK_INT(c->change.kind, OB_CHANGE_STEP);
    CHECK_INT(c->change.index, STEP);
    CHECK_NEAR(c->change.ratio, 1.1, 0.01);
    CHECK_STR(c->commit_before, "124abcdef");
    CHECK_STR(c->commit_after, "125abcdef");
    CHECK_INT(c->time, 1000 + 10 * STEP);
    CHECK_STR(c->marks, "libraries");
    CHECK_STR(c->reason, "");
    const ob_store_group *g = ob_store_check_group(check, 0);
    CHECK_INT(g->slower, 2);
    CHECK_INT(g->faster + g->noisier + g->quieter + g->drifting + g->accepted, 0);
    CHECK_NEAR(g->ratio, 1.1, 0.01);
    CHECK_STR(g->commit_after, "125abcdef");
    CHECK_STR(g->marks, "libraries");
    CHECK(ob_store_check_at(check, 2) == NULL);
    CHECK(ob_store_check_group(check, 1) == NULL);
    ob_store_check_destroy(check);
    ob_store_close(store);
}

static void test_choice(void)
{
    ob_store *store = opened();
    ob_store_filter f = {.size = sizeof f, .since = 1000 + 10 * STEP + 1};
    ob_store_check *check = checked(store, &f);
    CHECK_INT(ob_store_check_series(check), 6); /* the older results still say what was before */
    CHECK_INT(ob_store_check_count(check), 0);
    ob_store_check_destroy(check);
    f = (ob_store_filter){.size = sizeof f, .text = "op(b)"};
    check = checked(store, &f);
    CHECK_INT(ob_store_check_series(check), 2);
    CHECK_INT(ob_store_check_count(check), 1);
    ob_store_check_destroy(check);
    f = (ob_store_filter){.size = sizeof f, .host = "h2"};
    check = checked(store, &f);
    CHECK_INT(ob_store_check_series(check), 3);
    CHECK_INT(ob_store_check_count(check), 0);
    ob_store_check_destroy(check);
    f = (ob_store_filter){.size = sizeof f, .branch = "other"};
    check = checked(store, &f);
    CHECK_INT(ob_store_check_series(check), 0);
    ob_store_check_destroy(check);
    const ob_store_check_params bad = {.size = sizeof bad, .value = "p12"};
    ob_err err;
    CHECK_INT(ob_store_check_run(store, &bad, &check, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "'p12'");
    ob_store_close(store);
}

static void test_accept(void)
{
    ob_store *store = opened();
    ob_err err;
    CHECK_INT(ob_store_accept(store, "nobody", "125", "why", &err), OB_ERR_NOT_FOUND);
    CHECK_HAS(err.message, "the history has no case nobody");
    CHECK_INT(ob_store_accept(store, "a", "9", "why", &err), OB_ERR_NOT_FOUND);
    CHECK_HAS(err.message, "commit 9");
    CHECK_INT(ob_store_accept(store, "a", "12", "why", &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "both begin with 12");
    CHECK_INT(ob_store_accept(store, "a", "125", "", &err), OB_ERR_INVALID);
    CHECK_INT(ob_store_accept(store, "a", "125", "agreed", &err), OB_OK);
    CHECK_INT(ob_store_accept(store, "a", "125", "agreed again", &err), OB_OK);
    ob_store_check *check = checked(store, NULL);
    CHECK_STR(ob_store_check_at(check, 0)->reason, "agreed again");
    CHECK_STR(ob_store_check_at(check, 1)->reason, "");
    CHECK_INT(ob_store_check_group(check, 0)->accepted, 1);
    ob_store_check_destroy(check);
    ob_store_close(store);
}

static void test_points(void)
{
    ob_store *store = opened();
    const ob_store_filter f = {.size = sizeof f, .text = "op(a)"};
    ob_store_list *list;
    ob_store_points *points;
    ob_changes *changes;
    size_t found = 0;
    CHECK_INT(ob_store_read_list(store, &f, &list, NULL), OB_OK);
    for (size_t i = 0; i < ob_store_list_count(list); i++) {
        CHECK_INT(ob_store_read_points(store, ob_store_list_at(list, i)->id, &points, NULL), OB_OK);
        CHECK_INT(ob_store_points_count(points), RUNS);
        CHECK_INT(ob_store_check_points(points, NULL, &changes, NULL), OB_OK);
        found += ob_changes_count(changes);
        ob_changes_destroy(changes);
        ob_store_points_destroy(points);
    }
    CHECK_INT(found, 1);
    ob_store_list_destroy(list);
    ob_store_close(store);
}

static void test_prune(void)
{
    ob_store *store = opened();
    uint64_t runs, results;
    ob_store_prune_params p = {.size = sizeof p, .before = 1050, .dry = true};
    CHECK_INT(ob_store_prune(store, &p, &runs, &results, NULL), OB_OK);
    CHECK_INT(runs, 10);
    CHECK_INT(results, 30);
    p.dry = false;
    p.samples_only = true;
    CHECK_INT(ob_store_prune(store, &p, &runs, &results, NULL), OB_OK);
    CHECK_INT(results, 30);
    CHECK_INT(ob_store_prune(store, &p, &runs, &results, NULL), OB_OK);
    CHECK_INT(results, 0);
    p.samples_only = false;
    CHECK_INT(ob_store_prune(store, &p, &runs, &results, NULL), OB_OK);
    CHECK_INT(results, 30);
    p.before = INT64_MAX;
    CHECK_INT(ob_store_prune(store, &p, &runs, &results, NULL), OB_OK);
    CHECK_INT(runs, 2 * RUNS - 10);
    ob_store_check *check = checked(store, NULL);
    CHECK_INT(ob_store_check_series(check), 0);
    ob_store_check_destroy(check);
    ob_store_list *list;
    CHECK_INT(ob_store_read_list(store, NULL, &list, NULL), OB_OK);
    CHECK_INT(ob_store_list_count(list), 0);
    ob_store_list_destroy(list);
    ob_store_close(store);
}

int main(void)
{
    ob_err err;
    server = getenv("OPBENCH_TEST_DATABASE");
    if (ob__scratch_open(&scratch, NULL, "test", &err) != OB_OK)
        return 1;
    snprintf(file, sizeof file, "%s/h.db", scratch.dir);
    fill();
    RUN(test_check);
    RUN(test_choice);
    RUN(test_accept);
    RUN(test_points);
    RUN(test_prune);
    ob__scratch_close(&scratch);
    return ob_test_end();
}
