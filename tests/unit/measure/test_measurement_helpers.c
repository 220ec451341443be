/* SPDX-License-Identifier: Apache-2.0
 *
 * Units, trimming, first appearances and the merge rule by the recorded cases, and what we say about
 * samples for which the original's figures mean nothing.
 */
#include "golden_measurement.h"
#include "measure/unique.h"

static void check_unit(const ob_json *args, const ob_json *value)
{
    const double seconds = ob_json_real(ob_json_item(args, 0), NAN);
    /* Changed: times below 1 ns stay in ns; the original takes seconds. */
    const bool changed = seconds < 9.99999e-10;
    const ob_time_unit *unit = ob_time_unit_select(seconds);
    CHECK_STR(unit->symbol, changed ? "ns" : ob_json_string(ob_json_item(value, 0), NULL));
    CHECK_REAL(unit->scale, changed ? 1e-9 : ob_json_real(ob_json_item(value, 1), NAN));
}

static void check_english(const ob_json *args, const ob_json *value)
{
    const ob_time_unit *unit = ob_time_unit_find(ob_json_string(ob_json_item(args, 0), NULL));
    CHECK_STR(unit != NULL ? unit->english : NULL, ob_json_string(value, NULL));
}

static void check_merge(const ob_json *inputs, const ob_json *want)
{
    ob_measurements *list = NULL, *merged = NULL;
    CHECK_INT(ob_measurements_create(&list, NULL), OB_OK);
    for (size_t i = 0; i < ob_json_count(inputs); i++) {
        const ob_json *one = ob_json_item(inputs, i);
        double *times = golden_reals(ob_json_item(one, 1));
        const ob_measurement m = {.number_per_run = ob_json_int(ob_json_item(one, 0), 0),
                                  .raw_times = times,
                                  .count = ob_json_count(ob_json_item(one, 1)),
                                  .task = golden_task(ob_json_item(one, 2)),
                                  .metadata = ob_json_item(one, 2)};
        CHECK_INT(ob_measurements_add(list, &m, NULL), OB_OK);
        free(times);
    }
    CHECK_INT(ob_measurements_merge(list, &merged, NULL), OB_OK);
    CHECK_STR(ob_json_string(ob_json_get(ob_measurements_at(list, 0)->metadata, "label"), NULL),
              "a");
    CHECK_INT(ob_measurements_count(merged), ob_json_count(want));
    for (size_t i = 0; i < ob_json_count(want); i++) {
        const ob_json *times = ob_json_item(ob_json_item(want, i), 1);
        const ob_task_spec task = golden_task(ob_json_item(ob_json_item(want, i), 2));
        const ob_measurement *m = ob_measurements_at(merged, i);
        CHECK_INT(m->number_per_run, 1);
        CHECK(m->metadata == NULL);
        CHECK(ob_task_spec_equal(&m->task, &task));
        CHECK_INT(m->count, ob_json_count(times));
        for (size_t t = 0; t < m->count; t++)
            CHECK_REAL(m->raw_times[t], ob_json_real(ob_json_item(times, t), NAN));
    }
    CHECK(ob_measurements_at(merged, ob_json_count(want)) == NULL);
    ob_measurements_destroy(merged);
    ob_measurements_destroy(list);
}

static void goldens(void)
{
    ob_json_doc *doc = open_golden("helpers");
    const ob_json *cases = golden_cases(doc);
    size_t known = 0;
    for (size_t i = 0; i < ob_json_count(cases); i++) {
        const ob_json *one = ob_json_item(cases, i), *args = ob_json_get(one, "args");
        const ob_json *value = ob_json_get(ob_json_get(one, "expect"), "value");
        const char *fn = golden_text(one, "fn");
        known++;
        if (strcmp(fn, "select_unit") == 0)
            check_unit(args, value);
        else if (strcmp(fn, "trim_sigfig") == 0)
            CHECK_REAL(ob_trim_figures(ob_json_real(ob_json_item(args, 0), NAN),
                                       (int)ob_json_int(ob_json_item(args, 1), 0)),
                       ob_json_real(value, NAN));
        else if (strcmp(fn, "unit_to_english") == 0)
            check_english(args, value);
        else if (strcmp(fn, "merge") == 0)
            check_merge(ob_json_item(args, 0), value);
        else
            known--; /* figures of no, negative or NaN samples: changed, see refused */
    }
    CHECK(known > 70);
    ob_json_doc_destroy(doc);
}

static void units_at_the_ends(void)
{
    CHECK(ob_time_unit_select(0) == NULL);
    CHECK(ob_time_unit_select(-1) == NULL);
    CHECK(ob_time_unit_select(NAN) == NULL);
    CHECK(ob_time_unit_select(INFINITY) == NULL);
    CHECK_STR(ob_time_unit_select(5e-324)->symbol, "ns");
    CHECK_STR(ob_time_unit_select(1.7e308)->symbol, "s");
    CHECK_REAL(ob_trim_figures(0, 3), 0);
    CHECK_REAL(ob_trim_figures(1.234e300, 2), 1.2e300);
    CHECK_NEAR(ob_trim_figures(1.25e-300, 2), 1.2e-300, 1e-315);
}

static int compare_texts(const void *a, const void *b)
{
    return ob__text_compare(a, b);
}

static void first_appearances(void)
{
    const char *const texts[] = {"b", NULL, "a", "b", "", NULL, "a", "c"};
    const void *items[8];
    ob_unique unique;
    memcpy(items, texts, sizeof items);
    CHECK_INT(ob__unique_init(&unique, items, 8, compare_texts, NULL), OB_OK);
    const size_t want[] = {0, 1, 2, 4, 7};
    CHECK_INT(unique.count, 5);
    for (size_t i = 0; i < 5; i++)
        CHECK_INT(unique.firsts[i], want[i]);
    ob__unique_fini(&unique);
    CHECK_INT(ob__unique_init(&unique, items, 0, compare_texts, NULL), OB_OK);
    CHECK_INT(unique.count, 0);
    ob__unique_fini(&unique);
}

static void refused(void)
{
    static const struct refused_row {
        int64_t number_per_run;
        double samples[3];
        size_t count;
        const char *message;
    } ROWS[] = {
        {1, {0}, 0, "the measurement has no samples; measure at least one block"},
        {1, {1, NAN, 1}, 3, "sample 1 of 3 is not a number"},
        {1, {1, 1, INFINITY}, 3, "sample 2 of 3 is infinite"},
        {1, {-1}, 1, "sample 0 of 1 is negative (-1 s)"},
        {1, {0, 0, 1}, 3, "the median of the samples is 0"},
        {0, {1}, 1, "number_per_run is 0"},
        {-5, {1}, 1, "number_per_run is -5"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const ob_measurement m = {.number_per_run = ROWS[i].number_per_run,
                                  .raw_times = ROWS[i].samples,
                                  .count = ROWS[i].count};
        ob_measurement_stats stats;
        ob_err err;
        ob_text text = {.data = NULL};
        CHECK_INT(ob_measurement_compute(&m, &stats, &err), OB_ERR_INVALID);
        CHECK_HAS(err.message, ROWS[i].message);
        CHECK_INT(ob_measurement_print(&m, NULL, &text, &err), OB_ERR_INVALID);
        CHECK_INT(ob_measurement_print_json(&m, NULL, &text, &err), OB_ERR_INVALID);
        CHECK_INT(text.size, 0);
        ob_text_fini(&text);
    }
}

static void odd_but_sane(void)
{
    const double samples[] = {0, 1e-3, 1e-3, 1e-3, 1e300};
    const ob_measurement m = {.number_per_run = INT64_MAX, .raw_times = samples, .count = 5};
    ob_measurement_stats stats;
    CHECK_INT(ob_measurement_compute(&m, &stats, NULL), OB_OK);
    CHECK_INT(stats.significant_figures, 1);
    CHECK_REAL(stats.iqr, 0);
    ob_text text = {.data = NULL};
    const ob_measurement one = {.number_per_run = 1,
                                .raw_times = &samples[4],
                                .count = 1,
                                .task = {.label = "bad \xFF\xC3 bytes", .num_threads = 1}};
    CHECK_INT(ob_measurement_print(&one, NULL, &text, NULL), OB_OK);
    CHECK_HAS(take_text(&text), "bad \xEF\xBF\xBD\xEF\xBF\xBD bytes\n  10000000000000000");
    CHECK_INT(ob_measurement_print_json(&one, NULL, &text, NULL), OB_OK);
    CHECK_STR(
        take_text(&text),
        "{\"times\": [1e+300], \"mean\": 1e+300, \"median\": 1e+300, \"p25\": 1e+300, \"p75\": "
        "1e+300, \"iqr\": 0.0, \"significant_figures\": 4, \"has_warnings\": false, "
        "\"warnings\": [], \"unit\": \"s\", \"title\": \"bad \xEF\xBF\xBD\xEF\xBF\xBD bytes\", "
        "\"as_row_name\": \"[Unknown]\"}\n");
    ob_text_fini(&text);
}

static void equal_tasks(void)
{
    const ob_task_spec plain = {.stmt = "x", .num_threads = 1};
    ob_task_spec other = plain;
    CHECK(ob_task_spec_equal(&plain, &other));
    other.setup = "";
    CHECK(ob_task_spec_equal(&plain, &other)); /* a statement may be left out */
    other.label = "";
    CHECK(!ob_task_spec_equal(&plain, &other)); /* a label of no letters is one */
    other = plain;
    other.num_threads = 2;
    CHECK(!ob_task_spec_equal(&plain, &other));
}

int main(void)
{
    RUN(goldens);
    RUN(units_at_the_ends);
    RUN(first_appearances);
    RUN(refused);
    RUN(odd_but_sane);
    RUN(equal_tasks);
    return ob_test_end();
}
