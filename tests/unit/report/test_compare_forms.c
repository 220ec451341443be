/* SPDX-License-Identifier: Apache-2.0
 *
 * The other forms of a table (Markdown, CSV, JSON), and tables of input that the original has no answer to:
 * no measurements, missing names, bytes that are not UTF-8, a thousand columns, units far apart.
 */
#include "check.h"
#include "opbench/compare.h"

#include <stdlib.h>

static ob_measurements *list;
static ob_text text;

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

/* NUL-terminated until the next call. */
static const char *print(ob_compare_style style)
{
    ob_compare *compare = NULL;
    ob_err err = {.message = ""};
    text.size = 0;
    if (ob_compare_create(list, &compare, &err) != OB_OK ||
        ob_compare_print(compare, &style, &text, &err) != OB_OK)
        OB_TEST_FAIL("%s", err.message);
    ob_compare_destroy(compare);
    char *ended = realloc(text.data, text.size + 1);
    if (ended == NULL)
        abort();
    ended[text.size] = '\0';
    text.data = ended;
    text.capacity = text.size + 1;
    return text.data;
}

static void two_tables(void)
{
    begin();
    add(1e-6, 0,
        (ob_task_spec){.label = "add",
                       .sub_label = "a|b",
                       .description = "x, y",
                       .env = "e",
                       .num_threads = 1});
    add(3e-6, 0.3,
        (ob_task_spec){
            .label = "add", .sub_label = "c", .description = "z", .env = "f", .num_threads = 2});
    add(2.5, 0,
        (ob_task_spec){.sub_label = "say \"1\"\nor 2", .description = "z", .num_threads = 1});
}

static void markdown(void)
{
    two_tables();
    CHECK_STR(print((ob_compare_style){.size = sizeof(ob_compare_style),
                                       .format = OB_TABLE_MARKDOWN,
                                       .colorize = OB_COLORIZE_COLUMNWISE,
                                       .highlight_warnings = true}),
              "### add\n"
              "\n"
              "| threads | env |  | x, y | z |\n"
              "|---:|---|---|---:|---:|\n"
              "| 1 | e | a\\|b | **1.0** |  |\n"
              "| 2 | f | c |  | **3.0 (! 30%)** |\n"
              "\n"
              "Times are in microseconds (us).\n"
              "(! XX%) Measurement has high variance, where XX is the IQR / median * 100.\n"
              "\n"
              "|  | z |\n"
              "|---|---:|\n"
              "| say \"1\"<br>or 2 | **2.5** |\n"
              "\n"
              "Times are in seconds (s).\n");
}

static void csv(void)
{
    two_tables();
    CHECK_STR(print((ob_compare_style){.size = sizeof(ob_compare_style), .format = OB_TABLE_CSV}),
              "label,num_threads,env,name,unit,\"x, y\",z\n"
              "add,1,e,a|b,us,1.0,\n"
              "add,2,f,c,us,,3.0\n"
              ",1,,\"say \"\"1\"\"\nor 2\",s,,2.5\n");
    begin();
    add(1.23456e-6, 0, (ob_task_spec){.stmt = "s", .description = "d", .num_threads = 1});
    CHECK_STR(print((ob_compare_style){.size = sizeof(ob_compare_style),
                                       .format = OB_TABLE_CSV,
                                       .trim_significant_figures = true}),
              "label,num_threads,env,name,unit,d\n,1,,s,us,1\n");
}

static void json(void)
{
    two_tables();
    CHECK_STR(
        print((ob_compare_style){
            .size = sizeof(ob_compare_style), .format = OB_TABLE_JSON, .highlight_warnings = true}),
        "[{\"label\": \"add\", \"unit\": \"us\", \"columns\": [\"x, y\", \"z\"], \"rows\": "
        "[{\"num_threads\": 1, \"env\": \"e\", \"name\": \"a|b\", \"cells\": [{\"text\": \"1.0\", "
        "\"median\": 1e-06, \"mean\": 1e-06, \"p25\": 1e-06, \"p75\": 1e-06, \"iqr\": 0.0, "
        "\"samples\": 3, \"significant_figures\": 1, \"has_warnings\": false}, null]}, "
        "{\"num_threads\": 2, \"env\": \"f\", \"name\": \"c\", \"cells\": [null, {\"text\": \"3.0 "
        "(! 30%)\", \"median\": 3e-06, \"mean\": 3e-06, \"p25\": 2.55e-06, \"p75\": "
        "3.45e-06, \"iqr\": 8.999999999999999e-07, \"samples\": 3, "
        "\"significant_figures\": 1, \"has_warnings\": true}]}]}, {\"label\": null, \"unit\": "
        "\"s\", \"columns\": [\"z\"], \"rows\": [{\"num_threads\": 1, \"env\": null, \"name\": "
        "\"say \\\"1\\\"\\nor 2\", \"cells\": [{\"text\": \"2.5\", \"median\": 2.5, \"mean\": 2.5, "
        "\"p25\": 2.5, \"p75\": 2.5, \"iqr\": 0.0, \"samples\": 3, \"significant_figures\": 4, "
        "\"has_warnings\": false}]}]}]\n");
}

static void nothing(void)
{
    begin();
    CHECK_STR(print((ob_compare_style){.size = sizeof(ob_compare_style), .format = OB_TABLE_TEXT}),
              "");
    CHECK_STR(
        print((ob_compare_style){.size = sizeof(ob_compare_style), .format = OB_TABLE_MARKDOWN}),
        "");
    CHECK_STR(print((ob_compare_style){.size = sizeof(ob_compare_style), .format = OB_TABLE_CSV}),
              "label,num_threads,env,name,unit\n");
    CHECK_STR(print((ob_compare_style){.size = sizeof(ob_compare_style), .format = OB_TABLE_JSON}),
              "[]\n");
}

/* The original fails on a missing description, and on a missing env beside another. */
static void missing_names(void)
{
    begin();
    add(1e-6, 0, (ob_task_spec){.num_threads = 1, .env = "b"});
    add(2e-6, 0, (ob_task_spec){.num_threads = 1});
    add(3e-6, 0, (ob_task_spec){.num_threads = 1, .env = "A", .description = ""});
    CHECK_STR(print((ob_compare_style){.size = sizeof(ob_compare_style), .format = OB_TABLE_TEXT}),
              "[---------------------  ---------------------]\n"
              "                                |       |     \n"
              "1 threads: -----------------------------------\n"
              "  (A)                [Unknown]  |       |  3.0\n"
              "  (Unspecified env)  [Unknown]  |  2.0  |     \n"
              "  (b)                [Unknown]  |  1.0  |     \n"
              "\n"
              "Times are in microseconds (us).\n");
}

static void not_utf8(void)
{
    begin();
    add(1e-6, 0,
        (ob_task_spec){
            .label = "l\xFF", .stmt = "\xC3(", .description = "\x80\x80", .num_threads = 1});
    CHECK_STR(print((ob_compare_style){.size = sizeof(ob_compare_style), .format = OB_TABLE_TEXT}),
              "[----- l\xEF\xBF\xBD -----]\n"
              "          |   \xEF\xBF\xBD\xEF\xBF\xBD\n"
              "1 threads: -----\n"
              "      \xEF\xBF\xBD(  |  1.0\n"
              "\n"
              "Times are in microseconds (us).\n");
}

/* Below 1 ns the unit is still ns; beside it a second has ten digits. */
static void units_far_apart(void)
{
    begin();
    add(2e-10, 0, (ob_task_spec){.stmt = "fast", .description = "d", .num_threads = 1});
    add(1.5, 0, (ob_task_spec){.stmt = "slow", .description = "d", .num_threads = 1});
    CHECK_STR(print((ob_compare_style){.size = sizeof(ob_compare_style), .format = OB_TABLE_TEXT}),
              "[------------  -----------]\n"
              "            |       d      \n"
              "1 threads: ----------------\n"
              "      fast  |           0.2\n"
              "      slow  |  1500000000.0\n"
              "\n"
              "Times are in nanoseconds (ns).\n");
}

static void thousand_columns(void)
{
    enum { COLUMNS = 1000, ROWS = 3 };
    char names[COLUMNS][16];
    begin();
    for (int column = 0; column < COLUMNS; column++)
        snprintf(names[column], sizeof names[column], "c%d", column);
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++)
            add(1e-6 * (row + 1), 0,
                (ob_task_spec){.label = "l",
                               .stmt = row == 0   ? "a"
                                       : row == 1 ? "b"
                                                  : "c",
                               .description = names[column],
                               .num_threads = 1});
    const char *out = print(
        (ob_compare_style){.size = sizeof(ob_compare_style), .colorize = OB_COLORIZE_ROWWISE});
    size_t lines = 0;
    for (const char *at = out; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    CHECK_INT(lines, 2 + 1 + ROWS + 2);
    CHECK(strstr(out, "         |   c0  |   c1  |") != NULL);
    CHECK(strstr(out, "  |  c998  |  c999\n1 threads: ---") != NULL);
}

static void too_many_cells(void)
{
    enum { COUNT = 3200 };
    char name[16];
    ob_compare *compare = NULL;
    ob_err err;
    begin();
    for (int i = 0; i < COUNT; i++) {
        snprintf(name, sizeof name, "%d", i);
        add(1, 0, (ob_task_spec){.stmt = name, .description = name, .num_threads = 1});
    }
    CHECK_INT(ob_compare_create(list, &compare, &err), OB_ERR_LIMIT);
    CHECK(compare == NULL);
    CHECK_HAS(err.message, "3200 rows and 3200 columns, more than ten million cells");
}

static void one_bad_measurement(void)
{
    ob_compare *compare = NULL;
    ob_err err;
    begin();
    add(1, 0, (ob_task_spec){.label = "l", .stmt = "s", .description = "d", .num_threads = 1});
    add(0, 0, (ob_task_spec){.label = "l", .stmt = "t", .description = "d", .num_threads = 1});
    CHECK_INT(ob_compare_create(list, &compare, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "\"l\", \"t\", \"d\": the median of the samples is 0");
}

static void tables_as_values(void)
{
    ob_compare *compare = NULL;
    two_tables();
    CHECK_INT(ob_compare_create(list, &compare, NULL), OB_OK);
    CHECK_INT(ob_compare_table_count(compare), 2);
    const ob_compare_table *table = ob_compare_table_at(compare, 0);
    CHECK_STR(table->unit->symbol, "us");
    CHECK(table->has_envs && table->has_warnings);
    CHECK_INT(table->row_count, 2);
    CHECK_INT(table->rows[1].group, 1);
    CHECK(table->rows[1].starts_group && table->rows[1].shows_env);
    CHECK(table->cells[1].stats == NULL && table->cells[1].measurement == NULL);
    CHECK_REAL(table->cells[3].stats->median, 3e-6);
    CHECK(ob_compare_table_at(compare, 2) == NULL);
    ob_compare_destroy(compare);
}

int main(void)
{
    RUN(markdown);
    RUN(csv);
    RUN(json);
    RUN(nothing);
    RUN(missing_names);
    RUN(not_utf8);
    RUN(units_far_apart);
    RUN(thousand_columns);
    RUN(too_many_cells);
    RUN(one_bad_measurement);
    RUN(tables_as_values);
    ob_measurements_destroy(list);
    ob_text_fini(&text);
    return ob_test_end();
}
