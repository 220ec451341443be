/* SPDX-License-Identifier: Apache-2.0
 *
 * Records of snippets: names, statuses and figures; and which snippets a suite leaves out.
 */
#include "check.h"

#include "snippet/snippet_record.h"

#include <math.h>
#include <stdlib.h>

static const char *const LABEL[] = {"Pointwise", "add"};
static const ob_snippet OF_SUITE = {
    .label = LABEL,
    .label_parts = 2,
    .runtime = "Eager",
    .autograd = "Forward",
    .args = {.stmt = "x + x", .setup = "x = 1", .num_threads = 2, .language = OB_LANGUAGE_PYTHON}};
static const ob_snippet STATEMENT = {
    .runtime = "",
    .autograd = "",
    .args = {.stmt = "x++;", .setup = "int x;", .num_threads = 1, .language = OB_LANGUAGE_C}};
static const ob_task_spec TASK = {.stmt = "x++;", .label = "l", .num_threads = 1};

static const char *printed(const ob_snippet_record *made)
{
    static char line[8192];
    ob_text text = {0};
    CHECK_INT(ob_record_print(&made->record, &text, NULL), OB_OK);
    snprintf(line, sizeof line, "%.*s", (int)text.size, text.data);
    ob_text_fini(&text);
    return line;
}

static void statuses(void)
{
    static const struct {
        ob_status status;
        bool died;
        ob_record_status want;
    } ROWS[] = {
        {OB_OK, false, OB_RECORD_OK},
        {OB_ERR_LIMIT, false, OB_RECORD_TIMED_OUT},
        {OB_ERR_NOMEM, false, OB_RECORD_OUT_OF_MEMORY},
        {OB_ERR_UNSUPPORTED, false, OB_RECORD_UNSUPPORTED},
        {OB_ERR_STATE, false, OB_RECORD_INTERRUPTED},
        {OB_ERR_CONFIG, false, OB_RECORD_INVALID},
        {OB_ERR_INVALID, false, OB_RECORD_INVALID},
        {OB_ERR_BACKEND, false, OB_RECORD_FAILED},
        {OB_ERR_BACKEND, true, OB_RECORD_CRASHED},
        {OB_ERR_IO, false, OB_RECORD_FAILED},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const ob_suite_result result = {.snippet = &STATEMENT,
                                        .status = ROWS[i].status,
                                        .died = ROWS[i].died,
                                        .reason = "why",
                                        .task = &TASK};
        ob_snippet_record made;
        CHECK_INT(ob__snippet_record_make(&made, &result, "count", NULL), OB_OK);
        CHECK_INT(made.record.result.status, ROWS[i].want);
        if (ROWS[i].status == OB_OK)
            CHECK(made.record.result.reason == NULL);
        else
            CHECK_STR(made.record.result.reason, "why");
        CHECK_STR(made.record.result.mode, "count");
        ob__snippet_record_fini(&made);
    }
}

static ob_count_stats *stats_of(int64_t count)
{
    const ob_count rows[] = {{count, "x.c:f"}, {5, "Objects/dictobject.c:lookdict_unicode"}};
    ob_counts *table = NULL;
    ob_count_stats *stats = NULL;
    CHECK_INT(ob_counts_create(rows, 2, false, &table, NULL), OB_OK);
    const ob_count_stats_params params = {
        .size = sizeof params, .task = TASK, .number_per_run = 10, .stmt_exclusive = table};
    CHECK_INT(ob_count_stats_create(&params, &stats, NULL), OB_OK);
    ob_counts_destroy(table);
    return stats;
}

/* Without noise, the last of several; a suite keeps the tables of the last alone. */
static void counts(void)
{
    ob_count_stats *stats[] = {stats_of(41), stats_of(40)};
    ob_suite_result result = {.snippet = &OF_SUITE,
                              .index = 7,
                              .round = 3,
                              .stats = stats,
                              .stats_count = 2,
                              .task = &TASK};
    ob_snippet_record made;
    CHECK_INT(ob__snippet_record_make(&made, &result, "count", NULL), OB_OK);
    const ob_record_result *r = &made.record.result;
    CHECK_STR(r->id, "Pointwise / add  Eager, Forward  Python, 2 threads");
    CHECK_INT(r->index, 7);
    CHECK_INT(r->process, 3);
    CHECK_INT(r->threads, 2);
    CHECK_REAL(r->instructions.forward, 4.0);
    CHECK(isnan(r->instructions.backward));
    CHECK_INT(r->instructions.number, 10);
    CHECK_INT(r->instructions.counts.count, 2);
    CHECK_REAL(r->instructions.counts.items[0], 41.0);
    CHECK_REAL(r->instructions.counts.items[1], 40.0);
    CHECK_INT(ob_json_count(r->instructions.tables), 1);
    CHECK_HAS(printed(&made), "\"metadata\": {\"label\": [\"Pointwise\", \"add\"], \"autolabels\": "
                              "{\"runtime\": \"Eager\", \"autograd\": \"Forward\", \"language\": "
                              "\"Python\"}, \"num_threads\": 2}");
    ob__snippet_record_fini(&made);
    result.snippet = &STATEMENT;
    CHECK_INT(ob__snippet_record_make(&made, &result, "count", NULL), OB_OK);
    CHECK_STR(r->id, "C, 1 thread");
    CHECK_INT(ob_json_count(r->instructions.tables), 2);
    CHECK_INT(ob_json_int(ob_json_get(ob_json_item(r->instructions.tables, 0), "counts"), 0), 46);
    CHECK_HAS(printed(&made), "\"metadata\": {\"language\": \"C\"}");
    ob__snippet_record_fini(&made);
    ob_count_stats_destroy(stats[0]);
    ob_count_stats_destroy(stats[1]);
}

static void measured(void)
{
    static const double TIMES[] = {2e-6, 4e-6};
    const ob_measurement m = {.number_per_run = 2,
                              .raw_times = TIMES,
                              .count = 2,
                              .task = {.stmt = "normalised", .num_threads = 1}};
    ob_suite_result result = {.snippet = &STATEMENT, .measurement = &m, .task = &TASK};
    ob_snippet_record made;
    CHECK_INT(ob__snippet_record_make(&made, &result, "blocked", NULL), OB_OK);
    CHECK_STR(made.record.result.task.stmt, "normalised");
    CHECK_REAL(made.record.result.forward.time_ms.median, 1.5e-3);
    CHECK_INT(made.record.result.number_per_run, 2);
    CHECK(made.record.result.instructions.tables == NULL);
    ob__snippet_record_fini(&made);
    result.snippet = &OF_SUITE;
    CHECK_INT(ob__snippet_record_make(&made, &result, "blocked", NULL), OB_OK);
    CHECK_STR(made.record.result.task.label, "l"); /* how comparisons name it */
    ob__snippet_record_fini(&made);
}

/* The same code has the same key; every text and the language are in it, each at its place. */
static void keys(void)
{
    static const ob_timer_args OTHERS[] = {
        {.stmt = "a", .setup = "b", .global_setup = "", .language = OB_LANGUAGE_C},
        {.stmt = "b", .setup = "a", .global_setup = "", .language = OB_LANGUAGE_C},
        {.stmt = "a", .setup = "b", .global_setup = "", .language = OB_LANGUAGE_CPP},
        {.stmt = "a", .setup = "", .global_setup = "b", .language = OB_LANGUAGE_C},
        {.stmt = "ab", .setup = "", .global_setup = "", .language = OB_LANGUAGE_C},
    };
    enum { COUNT = sizeof OTHERS / sizeof *OTHERS };
    char all[COUNT][OB_SNIPPET_KEY_SIZE], key[OB_SNIPPET_KEY_SIZE];
    for (size_t i = 0; i < COUNT; i++) {
        ob__snippet_hash(&OTHERS[i], all[i]);
        CHECK_INT(strlen(all[i]), 32);
        for (size_t k = 0; k < i; k++)
            CHECK(strcmp(all[i], all[k]) != 0);
    }
    ob_timer_args same = OTHERS[0];
    same.global_setup = NULL;
    same.num_threads = 4;
    ob__snippet_hash(&same, key);
    CHECK_STR(key, all[0]);
}

/* ---- what is left out ---- */

static int results, asked;

static bool wants_none(void *ctx, const ob_snippet *snippet, int64_t round)
{
    (void)ctx;
    CHECK(snippet != NULL);
    CHECK_INT(round, asked / 2);
    asked++;
    return false;
}

static ob_status take(void *ctx, const ob_timer *timer, ob_measurements *to, ob_err *err)
{
    (void)ctx;
    (void)timer;
    (void)to;
    return ob_err_set(err, OB_ERR_BACKEND, "nothing is to be measured");
}

static ob_status on_result(void *ctx, const ob_suite_result *result, ob_err *err)
{
    (void)ctx;
    (void)result;
    (void)err;
    results++;
    return OB_OK;
}

static void left_out(void)
{
    static const char YAML[] = "definitions: {a: {stmts: {c: f();}}, b: {stmts: {c: g();}}}";
    ob_suite *suite = NULL;
    ob_snippets *snippets = NULL;
    CHECK_INT(ob_suite_parse("s.yaml", YAML, strlen(YAML), &suite, NULL), OB_OK);
    CHECK_INT(ob_suite_expand(suite, NULL, &snippets, NULL), OB_OK);
    const ob_suite_run_params params = {.size = sizeof params,
                                        .take = take,
                                        .rounds = 3,
                                        .wants = wants_none,
                                        .on_result = on_result};
    CHECK_INT(ob_suite_run(snippets, &params, NULL), OB_OK);
    CHECK_INT(asked, 6);
    CHECK_INT(results, 0);
    ob_snippets_destroy(snippets);
    ob_suite_destroy(suite);
}

int main(void)
{
    RUN(statuses);
    RUN(counts);
    RUN(measured);
    RUN(keys);
    RUN(left_out);
    return ob_test_end();
}
