/* SPDX-License-Identifier: Apache-2.0
 *
 * Comparisons as values: which rows, columns and cells there are, how cells are written, and how each stands against the
 * best. The tables as text are tested where they are printed, in report.
 */
#include "check.h"
#include "compare/compare_cells.h"
#include "compare/compare_names.h"

#include <stdlib.h>

static ob_measurements *list;

static void begin(void)
{
    ob_measurements_destroy(list);
    list = NULL;
    CHECK_INT(ob_measurements_create(&list, NULL), OB_OK);
}

static void add(double seconds, double relative_spread, ob_task_spec task)
{
    const double samples[] = {seconds * (1 - relative_spread), seconds,
                              seconds * (1 + relative_spread)};
    const ob_measurement m = {.number_per_run = 1, .raw_times = samples, .count = 3, .task = task};
    CHECK_INT(ob_measurements_add(list, &m, NULL), OB_OK);
}

static ob_compare *compared(void)
{
    ob_compare *compare = NULL;
    ob_err err;
    if (ob_compare_create(list, &compare, &err) != OB_OK) {
        fprintf(stderr, "%s\n", err.message);
        exit(1);
    }
    return compare;
}

static ob_task_spec task(const char *label, const char *stmt, const char *column, const char *env,
                         int64_t threads)
{
    return (ob_task_spec){
        .label = label, .stmt = stmt, .description = column, .env = env, .num_threads = threads};
}

/* "threads env name group[+ starts][! env is shown]" of every row, "/" between them. */
static const char *rows_text(const ob_compare_table *table)
{
    static char out[512];
    size_t at = 0;
    out[0] = '\0';
    for (size_t i = 0; i < table->row_count; i++) {
        const ob_compare_row *row = &table->rows[i];
        at += (size_t)snprintf(out + at, sizeof out - at, "%s%d %s %s %d%s%s", i > 0 ? " / " : "",
                               (int)row->num_threads, ob__env_name(row->env), row->name,
                               (int)row->group, row->starts_group ? "+" : "",
                               row->shows_env ? "!" : "");
    }
    return out;
}

/* By label in order of appearance; rows by threads, environment and appearance; columns by appearance. */
static void sorts(void)
{
    begin();
    add(2e-6, 0, task("two", "z", "right", NULL, 4));
    add(1e-6, 0, task("one", "a", "left", NULL, 1));
    add(3e-6, 0, task("two", "b", "left", "e", 1));
    add(4e-6, 0, task("two", "a", "left", "e", 1));
    add(5e-6, 0, task("two", "a", "right", NULL, 1));
    add(6e-6, 0, task("two", "z", "left", NULL, 4));
    ob_compare *compare = compared();
    CHECK_INT(ob_compare_table_count(compare), 2);
    const ob_compare_table *two = ob_compare_table_at(compare, 0),
                           *one = ob_compare_table_at(compare, 1);
    CHECK_STR(two->label, "two");
    CHECK_STR(one->label, "one");
    CHECK_STR(rows_text(two),
              "1 Unspecified env a 0+! / 1 e b 0! / 1 e a 0 / 4 Unspecified env z 1+!");
    CHECK_STR(rows_text(one), "1 Unspecified env a 0+");
    CHECK_INT(two->column_count, 2);
    CHECK_STR(two->columns[0], "right");
    CHECK_STR(two->columns[1], "left");
    CHECK(two->has_envs && !one->has_envs);
    /* Each cell where its row and column meet; the others are empty. */
    static const double MEDIANS[] = {5e-6, 0, 0, 3e-6, 0, 4e-6, 2e-6, 6e-6};
    for (size_t i = 0; i < 8; i++) {
        const ob_compare_cell *cell = &two->cells[i];
        CHECK_INT(cell->stats != NULL, MEDIANS[i] > 0);
        CHECK_INT(cell->measurement != NULL, MEDIANS[i] > 0);
        if (cell->stats != NULL)
            CHECK_REAL(cell->stats->median, MEDIANS[i]);
    }
    CHECK(ob_compare_table_at(compare, 2) == NULL);
    ob_compare_destroy(compare);
    ob_compare_destroy(NULL);
}

/* The unit is that of the smallest median of the table. */
static void units_and_warnings(void)
{
    begin();
    add(5e-3, 0, task("l", "a", "d", NULL, 1));
    add(2e-6, 0, task("l", "b", "d", NULL, 1));
    add(7e-4, 0, task("l", "c", "d", NULL, 1));
    add(1.5, 0.5, task("m", "a", "d", NULL, 1));
    ob_compare *compare = compared();
    CHECK_STR(ob_compare_table_at(compare, 0)->unit->symbol, "us");
    CHECK_STR(ob_compare_table_at(compare, 1)->unit->symbol, "s");
    CHECK(!ob_compare_table_at(compare, 0)->has_warnings);
    CHECK(ob_compare_table_at(compare, 1)->has_warnings);
    ob_compare_destroy(compare);
    begin();
    compare = compared();
    CHECK_INT(ob_compare_table_count(compare), 0);
    ob_compare_destroy(compare);
}

static void refuses_two_tasks_in_a_cell(void)
{
    static const struct {
        ob_task_spec a, b;
        const char *differs;
    } ROWS[] = {
        {{.sub_label = "s", .stmt = "a"}, {.sub_label = "s", .stmt = "b"}, "stmt"},
        {{.stmt = "a", .setup = "x"}, {.stmt = "a", .setup = "y"}, "setup"},
        {{.stmt = "a", .global_setup = "x"}, {.stmt = "a", .global_setup = "y"}, "global_setup"},
        {{.stmt = "a"}, {.stmt = "a", .sub_label = "a"}, "sub_label"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        ob_task_spec a = ROWS[i].a, b = ROWS[i].b;
        ob_compare *compare = NULL;
        ob_err err;
        char want[64];
        a.label = b.label = "l";
        a.description = b.description = "d";
        a.num_threads = b.num_threads = 3;
        begin();
        add(1e-6, 0, a);
        add(1e-6, 0, b);
        CHECK_INT(ob_compare_create(list, &compare, &err), OB_ERR_DUPLICATE);
        CHECK(compare == NULL);
        snprintf(want, sizeof want, "3 threads; they differ in %s; give them", ROWS[i].differs);
        CHECK_HAS(err.message, want);
        CHECK_HAS(err.message, "two different tasks share one cell: table \"l\", row \"");
    }
}

/* Cells of one column of `count` medians in microseconds, "|" between them. */
static const char *cells_text(const double *medians_us, const double *spreads, size_t count,
                              ob_compare_style style)
{
    static char out[256];
    static const char *const NAMES[] = {"a", "b", "c", "d"};
    ob_text text = {0};
    begin();
    for (size_t i = 0; i < count; i++)
        add(medians_us[i] * 1e-6, spreads[i], task("l", NAMES[i], "d", NULL, 1));
    add(1e-6, 0, task("l", "unit", "e", NULL, 1)); /* an empty cell, and the unit */
    ob_compare *compare = compared();
    const ob_compare_table *table = ob_compare_table_at(compare, 0);
    ob_column_format *formats = ob__column_formats(table, &style);
    for (size_t i = 0; i <= count; i++) {
        if (i > 0)
            CHECK(ob_text_append_str(&text, "|"));
        CHECK(ob__cell_append(&text, &formats[0], table, &table->cells[2 * i], &style));
    }
    snprintf(out, sizeof out, "%.*s", (int)text.size, text.data);
    ob_text_fini(&text);
    free(formats);
    ob_compare_destroy(compare);
    return out;
}

static void cells(void)
{
    const double medians[] = {12.345, 1.5, 234.5}, narrow[] = {0, 0, 0}, wide[] = {0, 0.4, 0};
    const ob_compare_style plain = {.size = sizeof plain, .format = OB_TABLE_TEXT},
                           warns = {.highlight_warnings = true},
                           trimmed = {.trim_significant_figures = true};
    CHECK_STR(cells_text(medians, narrow, 3, plain), " 12.3|  1.5|234.5|     ");
    CHECK_STR(cells_text(medians, wide, 3, plain), " 12.3|  1.5|234.5|     ");
    CHECK_STR(cells_text(medians, narrow, 3, warns), " 12.3|  1.5|234.5|     ");
    CHECK_STR(cells_text(medians, wide, 3, warns),
              " 12.3       |  1.5 (! 40%)|234.5       |            ");
    CHECK_STR(cells_text(medians, narrow, 1, trimmed), "12|  ");
    ob_text text = {0};
    begin();
    add(1e-6, 0.5, task("l", "a", "d", NULL, 1));
    ob_compare *compare = compared();
    const ob_compare_table *table = ob_compare_table_at(compare, 0);
    CHECK(ob__note_append(&text, table, &plain) && ob__note_append(&text, table, &warns));
    CHECK(ob_text_append(&text, "", 1));
    CHECK_STR(
        text.data,
        "Times are in microseconds (us).\nTimes are in microseconds (us).\n(! XX%) Measurement has "
        "high variance, where XX is the IQR / median * 100.\n");
    ob_text_fini(&text);
    ob_compare_destroy(compare);
}

/* At both sides of every limit. In seconds: 100 ns more than the best is nothing then. */
static void marks(void)
{
    static const double SECONDS[] = {1, 1.0099, 1.011, 1.0999, 1.11, 1.99, 2.001, 4.99, 5.01};
    static const ob_mark WANT[] = {OB_MARK_BEST, OB_MARK_BEST, OB_MARK_GOOD,
                                   OB_MARK_GOOD, OB_MARK_NONE, OB_MARK_NONE,
                                   OB_MARK_BAD,  OB_MARK_BAD,  OB_MARK_VERY_BAD};
    enum { COUNT = sizeof SECONDS / sizeof *SECONDS };
    char names[COUNT][4];
    begin();
    for (int i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof names[i], "%d", i);
        add(SECONDS[i], 0, task("l", "a", names[i], NULL, 1));
    }
    ob_compare *compare = compared();
    ob_mark *row = ob__marks_make(ob_compare_table_at(compare, 0), OB_COLORIZE_ROWWISE);
    ob_mark *column = ob__marks_make(ob_compare_table_at(compare, 0), OB_COLORIZE_COLUMNWISE);
    ob_mark *none = ob__marks_make(ob_compare_table_at(compare, 0), OB_COLORIZE_NONE);
    for (int i = 0; i < COUNT; i++) {
        CHECK_INT(row[i], WANT[i]);
        CHECK_INT(column[i], OB_MARK_BEST); /* it is alone there */
        CHECK_INT(none[i], OB_MARK_NONE);
    }
    free(row);
    free(column);
    free(none);
    ob_compare_destroy(compare);
    /* 100 ns are not believed; each group of threads has its own best; empty cells have none. */
    begin();
    add(1e-7, 0, task("l", "a", "x", NULL, 1));
    add(1.99e-7, 0, task("l", "b", "x", NULL, 1));
    add(2.01e-7, 0, task("l", "c", "x", NULL, 1));
    add(9e-7, 0, task("l", "a", "x", NULL, 2));
    add(9e-7, 0, task("l", "b", "y", NULL, 2));
    compare = compared();
    column = ob__marks_make(ob_compare_table_at(compare, 0), OB_COLORIZE_COLUMNWISE);
    static const ob_mark IN_GROUPS[] = {OB_MARK_BEST, OB_MARK_NONE, OB_MARK_BEST, OB_MARK_NONE,
                                        OB_MARK_BAD,  OB_MARK_NONE, OB_MARK_BEST, OB_MARK_NONE,
                                        OB_MARK_NONE, OB_MARK_BEST};
    for (int i = 0; i < 10; i++)
        CHECK_INT(column[i], IN_GROUPS[i]);
    free(column);
    ob_compare_destroy(compare);
}

static void words(void)
{
    ob_colorize colorize = OB_COLORIZE_NONE;
    ob_table_format format = OB_TABLE_TEXT;
    CHECK(ob_colorize_from_word("rowwise", &colorize) && colorize == OB_COLORIZE_ROWWISE);
    CHECK(!ob_colorize_from_word("rows", &colorize) && colorize == OB_COLORIZE_ROWWISE);
    CHECK(ob_table_format_from_word("json", &format) && format == OB_TABLE_JSON);
    CHECK(!ob_table_format_from_word("xml", &format) && format == OB_TABLE_JSON);
    CHECK_STR(ob__env_name("e"), "e");
    CHECK_STR(ob__env_name(NULL), "Unspecified env");
    CHECK_STR(ob__or_empty("t"), "t");
    CHECK_STR(ob__or_empty(NULL), "");
}

static const char *json_of(ob_compare_style style)
{
    static char out[2048];
    ob_text text = {0};
    ob_compare *compare = compared();
    CHECK_INT(ob__json_tables_print(compare, &style, &text, NULL), OB_OK);
    snprintf(out, sizeof out, "%.*s", (int)text.size, text.data);
    ob_text_fini(&text);
    ob_compare_destroy(compare);
    return out;
}

static void json(void)
{
    begin();
    CHECK_STR(
        json_of((ob_compare_style){.size = sizeof(ob_compare_style), .format = OB_TABLE_JSON}),
        "[]\n");
    add(1e-6, 0, task("l", "a", "x", "e", 1));
    add(3e-6, 0, task(NULL, "b", NULL, NULL, 2));
    CHECK_STR(
        json_of((ob_compare_style){.size = sizeof(ob_compare_style), .format = OB_TABLE_JSON}),
        "[{\"label\": \"l\", \"unit\": \"us\", \"columns\": [\"x\"], \"rows\": [{\"num_threads\": "
        "1, "
        "\"env\": \"e\", \"name\": \"a\", \"cells\": [{\"text\": \"1.0\", \"median\": 1e-06, "
        "\"mean\": "
        "1e-06, \"p25\": 1e-06, \"p75\": 1e-06, \"iqr\": 0.0, \"samples\": 3, "
        "\"significant_figures\": 1, \"has_warnings\": false}]}]}, {\"label\": null, \"unit\": "
        "\"us\", "
        "\"columns\": [null], \"rows\": [{\"num_threads\": 2, \"env\": null, \"name\": \"b\", "
        "\"cells\": [{\"text\": \"3.0\", \"median\": 3e-06, \"mean\": 3e-06, \"p25\": 3e-06, "
        "\"p75\": "
        "3e-06, \"iqr\": 0.0, \"samples\": 3, \"significant_figures\": 2, \"has_warnings\": "
        "false}]}]}]\n");
}

int main(void)
{
    RUN(sorts);
    RUN(units_and_warnings);
    RUN(refuses_two_tasks_in_a_cell);
    RUN(cells);
    RUN(marks);
    RUN(words);
    RUN(json);
    ob_measurements_destroy(list);
    return ob_test_end();
}
