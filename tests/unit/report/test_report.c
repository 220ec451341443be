/* SPDX-License-Identifier: Apache-2.0
 *
 * Views of records: which one a file has, the tables that no transcript shows to the byte, and what a resumed file
 * becomes.
 */
#include "check.h"
#include "opbench/report.h"

#include <stdlib.h>

static char printed[8192];

typedef struct shown {
    ob_view view;
    ob_table_format format;
    ob_table_choice choice;
    bool notes;
} shown;

static ob_status feed(ob_report *report, const char *lines, ob_err *err)
{
    ob_record_reader *reader;
    const ob_record *record;
    ob_status status;
    CHECK_INT(ob_record_reader_open_memory("lines", lines, strlen(lines), NULL, &reader, NULL),
              OB_OK);
    while ((status = ob_record_reader_next(reader, &record, err)) == OB_OK &&
           (status = ob_report_add(report, record, err)) == OB_OK)
        continue;
    ob_record_reader_close(reader);
    return status == OB_END ? OB_OK : status;
}

static const char *show(const char *lines, shown how)
{
    ob_report *report;
    ob_text text = {0};
    ob_err err = {.message = ""};
    how.choice.size = sizeof how.choice;
    CHECK_INT(ob_report_create(&(ob_report_params){.size = sizeof(ob_report_params),
                                                   .view = how.view,
                                                   .choice = &how.choice},
                               &report, &err),
              OB_OK);
    CHECK_INT(feed(report, lines, &err), OB_OK);
    CHECK_INT(ob_report_print(report, how.format, &text, &err), OB_OK);
    if (how.notes)
        CHECK_INT(ob_report_print_notes(report, how.format, &text, &err), OB_OK);
    CHECK_STR(err.message, "");
    snprintf(printed, sizeof printed, "%.*s", (int)text.size, text.size > 0 ? text.data : "");
    ob_text_fini(&text);
    ob_report_destroy(report);
    return printed;
}

#define PASS(ms) "{\"measure.time\": [" #ms ", " #ms "]}"
#define STATS(ms) "{\"count\": 2, \"median\": " #ms ", \"mean\": " #ms ", \"p90\": " #ms "}"
#define RESULT(id, backend, ms, more)                                                              \
    "{\"op_name\": \"add\", \"id\": \"" id "\", \"metric\": {\"forward\": " PASS(                  \
        ms) "}, \"status\": \"ok\", \"backend\": \"" backend                                       \
            "\", \"statistics\": {\"forward\": " STATS(ms) "}" more "}\n"

static const char HEADER[] =
    "{\"run_options\": {\"op_exec_mode\": \"OpExecutionMode.DISCRETE\"}, \"start_time\": \"t\", "
    "\"config_hash\": \"1\"}\n";

static ob_view view_of(const char *line)
{
    ob_record_reader *reader;
    const ob_record *record;
    ob_view view = OB_VIEW_COUNT;
    CHECK_INT(ob_record_reader_open_memory("line", line, strlen(line), NULL, &reader, NULL), OB_OK);
    if (ob_record_reader_next(reader, &record, NULL) == OB_OK)
        view = ob_record_view(record);
    ob_record_reader_close(reader);
    return view;
}

static void which_view(void)
{
    static const struct {
        const char *line;
        ob_view view;
    } ROWS[] = {
        {HEADER, OB_VIEW_RUN},
        {"{\"run_options\": {\"op_exec_mode\": \"D\", \"cmd_args\": {\"backend\": \"a\"}}, "
         "\"start_time\": \"t\"}",
         OB_VIEW_RUN},
        {"{\"run_options\": {\"op_exec_mode\": \"D\", \"cmd_args\": {\"backend\": \"a,b\"}}, "
         "\"start_time\": \"t\"}",
         OB_VIEW_SIDES},
        {"{\"run_options\": {\"op_exec_mode\": \"D\"}, \"start_time\": \"t\", \"sweep\": {}}",
         OB_VIEW_SWEEP},
        {"{\"start_time\": \"t\"}", OB_VIEW_NONE},
        {"{\"op_name\": \"f\", \"mode\": \"discrete\"}", OB_VIEW_RUN},
        {"{\"op_name\": \"f\", \"mode\": \"continuous_events\", \"raw_times\": [1]}", OB_VIEW_RUN},
        {"{\"op_name\": \"f\", \"mode\": \"adaptive\"}", OB_VIEW_MEASUREMENTS},
        {"{\"op_name\": \"f\", \"raw_times\": [1]}", OB_VIEW_NONE},
        {"{\"op_name\": \"f\", \"metric\": {\"forward\": {\"measure.time\": [1]}}}", OB_VIEW_RUN},
        {"{\"op_name\": \"f\", \"status\": \"failed\"}", OB_VIEW_NONE},
        {"{\"op_name\": \"f\", \"mode\": \"blocked\", \"metadata\": {\"autolabels\": {}}}",
         OB_VIEW_SUITE},
        {"{\"op_name\": \"f\", \"mode\": \"count\", \"status\": \"failed\"}", OB_VIEW_INSTRUCTIONS},
        {"{\"op_name\": null, \"mode\": \"count\", \"metadata\": {\"autolabels\": {}}}",
         OB_VIEW_SUITE},
        {"{\"some\": \"thing\"}", OB_VIEW_NONE},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        if (view_of(ROWS[i].line) != ROWS[i].view)
            OB_TEST_FAIL("%s is %d", ROWS[i].line, (int)view_of(ROWS[i].line));
}

/* Fields that are no columns are found by their path, or as a statistic. */
static void fields_as_columns(void)
{
    static const char LINES[] =
        RESULT("0", "a", 0.002, ", \"threads\": 2, \"noise\": {\"foreign\": 0.5}")
            RESULT("1", "a", 0.001, ", \"threads\": 1, \"config\": {\"input\": {\"x\": 1}}");
    CHECK_STR(show(LINES, (shown){.view = OB_VIEW_RUN,
                                  .choice = {.columns = "id,p90,threads,noise/foreign,config/input",
                                             .sort = "threads"}}),
              "id   p90  threads  noise/foreign  config/input\n"
              "1   1 us        1              -  {\"x\": 1}\n"
              "0   2 us        2         50.0 %  \n");
    CHECK_STR(
        show(LINES, (shown){.view = OB_VIEW_RUN,
                            .format = OB_TABLE_CSV,
                            .choice = {.columns = "id,p90",
                                       .filter = "threads == 2 and statistics/*/mean > 1us"}}),
        "id,p90_ns\n0,2000\n");
}

/* Rows of a case follow each other, beside the fewest threads. */
static void threads(void)
{
    static const char LINES[] = RESULT("0", "a", 0.004, ", \"threads\": 2")
        RESULT("1", "a", 0.003, ", \"threads\": 2") RESULT("0", "a", 0.008, ", \"threads\": 1")
            RESULT("1", "a", 0.003, ", \"threads\": 1") RESULT("0", "a", 0.004, ", \"threads\": 4");
    CHECK_STR(show(LINES, (shown){.view = OB_VIEW_RUN,
                                  .choice = {.columns = "id,threads,median,speed-up,efficiency"}}),
              "id  threads  median  speed-up  efficiency\n"
              "0         2    4 us         2     100.0 %\n"
              "0         1    8 us         1     100.0 %\n"
              "0         4    4 us         2      50.0 %\n"
              "1         2    3 us         1      50.0 %\n"
              "1         1    3 us         1     100.0 %\n");
    static const char SIDES[] =
        RESULT("0", "a", 0.002, ", \"threads\": 1") RESULT("0", "b", 0.001, ", \"threads\": 1")
            RESULT("0", "a", 0.001, ", \"threads\": 2") RESULT("0", "b", 0.003, ", \"threads\": 2");
    CHECK_STR(show(SIDES, (shown){.view = OB_VIEW_SIDES}),
              "call   pass     threads     a     b  b/a  +- CI95  best\n"
              "add|0  forward        1  2 us  1 us    -        -  \n"
              "add|0  forward        2  1 us  3 us    -        -  \n");
}

/* Of three backends the one that the intervals tell from both others is the best, and its rates are shown. */
static void best_of_sides(void)
{
#define SIDE_RESULT(id, backend, ms, ratio)                                                        \
    "{\"op_name\": \"torch.mm\", \"call\": \"mm(f32[2,2], f32[2,2])\", \"id\": \"" id              \
    "\", \"metric\": {\"forward\": {\"measure.time\": [" #ms "]}}, \"status\": \"ok\", "           \
    "\"backend\": \"" backend "\", \"statistics\": {\"forward\": {\"count\": 1, \"median\": " #ms  \
    ", \"mean\": " #ms ", \"gflops_per_s\": " #ms "5" ratio "}}, \"check\": {\"verdict\": "        \
    "\"same\", \"worst\": " #ms "}}\n"
#define RATIO(value, low, high)                                                                    \
    ", \"ratio\": {\"value\": " #value ", \"low\": " #low ", \"high\": " #high "}"
    static const char LINES[] =
        SIDE_RESULT("0", "a", 0.002, "") SIDE_RESULT("0", "b", 0.001, RATIO(0.5, 0.4, 0.6))
            SIDE_RESULT("0", "c", 0.003, RATIO(1.5, 1.4, 1.6)) SIDE_RESULT("1", "a", 0.002, "")
                SIDE_RESULT("1", "b", 0.001, RATIO(0.5, 0.4, 1.1)); /* not told apart */
    CHECK_STR(
        show(LINES, (shown){.view = OB_VIEW_SIDES, .choice = {.columns = "call,best,GFLOP/s"}}),
        "call                    best  GFLOP/s\n"
        "mm(f32[2,2], f32[2,2])  b      0.0015\n"
        "mm(f32[2,2], f32[2,2])         0.0015\n");
    CHECK_STR(show(LINES, (shown){.view = OB_VIEW_SIDES,
                                  .choice = {.columns = "id,best,call,b_gflop_per_second"},
                                  .format = OB_TABLE_CSV}),
              "id,best,call,b_gflop_per_second\n"
              "0,b,\"mm(f32[2,2], f32[2,2])\",0.0015\n"
              "1,,\"mm(f32[2,2], f32[2,2])\",0.0015\n");
}

static void sides(void)
{
    static const char LINES[] = RESULT("0", "a", 0.002, "") RESULT("0", "b", 0.001, "")
        RESULT("1", "b", 0.004, "") "{\"op_name\": \"add\", \"id\": \"1\", \"backend\": \"a\", "
                                    "\"status\": \"failed\", \"reason\": \"no\"}\n";
    CHECK_STR(show(LINES, (shown){.view = OB_VIEW_SIDES}),
              "call   pass          a     b  b/a  +- CI95  best\n"
              "add|0  forward    2 us  1 us    -        -  \n"
              "add|1  forward  failed  4 us    -        -  \n"
              "    a: no\n");
    CHECK_STR(show(LINES, (shown){.view = OB_VIEW_SIDES,
                                  .format = OB_TABLE_CSV,
                                  .choice = {.filter = "a_status == failed",
                                             .columns = "id,a_reason,b_median_ns"}}),
              "id,a_reason,b_median_ns\n1,no,4000\n");
}

/* What was interrupted is shown, unless its run was resumed. */
static void interrupted(void)
{
    static const char CUT[] = "{\"op_name\": \"add\", \"id\": \"9\", \"status\": \"interrupted\", "
                              "\"mode\": \"discrete\"}\n";
    char lines[4096];
    const shown how = {
        .view = OB_VIEW_RUN, .format = OB_TABLE_CSV, .choice = {.columns = "id,status"}};
    snprintf(lines, sizeof lines, "%s%s", HEADER, CUT);
    CHECK_STR(show(lines, how), "id,status\n9,interrupted\n");
    snprintf(lines, sizeof lines, "%s%s%s%s", HEADER, CUT, HEADER, RESULT("9", "a", 1, ""));
    CHECK_STR(show(lines, how), "id,status\n9,ok\n");
    /* Another config behind it: both runs are shown. */
    snprintf(lines, sizeof lines, "%s%s%s%s", HEADER, CUT,
             "{\"start_time\": \"t\", \"config_hash\": \"2\"}\n", RESULT("8", "a", 1, ""));
    CHECK_STR(show(lines, how), "id,status\n9,interrupted\n8,ok\n");
}

static void notes(void)
{
    static const char LINES[] = RESULT("0", "a", 1, ", \"warnings\": [\"took 5 s\"]")
        RESULT("1", "a", 1, ", \"warnings\": [\"took 6 s\", \"\\u001b[2J\"]");
    const char *out = show(LINES, (shown){.view = OB_VIEW_RUN, .notes = true});
    CHECK_HAS(out, "add|0  ok*     forward    1 ms");
    CHECK_HAS(out, "\n* 2 results, the first is add|0: took 5 s\n* add|1: ?[2J\n");
    out = show(LINES, (shown){.view = OB_VIEW_RUN, .format = OB_TABLE_MARKDOWN, .notes = true});
    CHECK_HAS(out, "|\n\n* 2 results");
    out = show(LINES, (shown){.view = OB_VIEW_RUN, .notes = true, .choice = {.filter = "id == 0"}});
    CHECK(strstr(out, "* 2") == NULL);
    out = show(LINES, (shown){.view = OB_VIEW_RUN, .notes = true, .choice = {.top = 1}});
    CHECK(strstr(out, "* 2") != NULL); /* all were measured */
}

#define SNIPPET(index, mode, status, label, runtime, language, threads, value)                     \
    "{\"id\": \"x\", \"op_name\": null, \"status\": \"" status "\", \"index\": " #index mode       \
    ", \"metadata\": {\"label\": " label ", \"autolabels\": {\"runtime\": \"" runtime              \
    "\", \"autograd\": \"Forward\", \"language\": \"" language "\"}, \"num_threads\": " #threads   \
    "}" value "}\n"
#define COUNT(n) ", \"instructions\": {\"forward\": " #n ", \"source\": \"callgrind\"}"
#define TIMES(s) ", \"number_per_run\": 2, \"raw_times\": [" #s ", " #s "]"

static void suites(void)
{
    static const char COUNTS[] =
        SNIPPET(2, "", "ok", "[\"math\", \"mul\"]", "Eager", "C++", 1, COUNT(20.5))
            SNIPPET(0, "", "ok", "[\"math\", \"add\"]", "Eager", "C++", 1, COUNT(1500.7))
                SNIPPET(1, "", "ok", "[\"math\", \"add\"]", "Eager", "Python", 1, COUNT(7))
                    SNIPPET(3, "", "failed", "[\"math\", \"mul\"]", "Eager", "C++", 2, "")
                        SNIPPET(1, "", "ok", "[\"math\", \"add\"]", "Eager", "Python", 1, COUNT(8))
                            SNIPPET(0, ", \"mode\": \"blocked\"", "ok", "[\"math\", \"add\"]",
                                    "Eager", "C++", 1, TIMES(1));
    CHECK_STR(show(COUNTS, (shown){.view = OB_VIEW_SUITE}), "Instructions per run\n"
                                                            "                 | Eager, Forward\n"
                                                            "                 | Python     C++\n"
                                                            "math\n"
                                                            "  add            |      8    1501\n"
                                                            "  mul            |           20.5\n"
                                                            "  mul, 2 threads |         failed\n");
    CHECK_STR(show(COUNTS, (shown){.view = OB_VIEW_SUITE, .format = OB_TABLE_CSV}),
              "label,threads,\"Eager, Forward, Python\",\"Eager, Forward, C++\"\n"
              "math/add,1,8,1500.7\n"
              "math/mul,1,,20.5\n"
              "math/mul,2,,failed\n");
    static const char TIMED[] =
        SNIPPET(0, ", \"mode\": \"timeit\"", "failed", "[\"a\"]", "", "C", 1, "")
            SNIPPET(1, ", \"mode\": \"timeit\"", "ok", "[\"b\"]", "", "C", 1, TIMES(3e-6));
    CHECK_STR(show(TIMED, (shown){.view = OB_VIEW_SUITE}), "Median time of a run in us\n"
                                                           "  | Forward\n"
                                                           "  |       C\n"
                                                           "a |  failed\n"
                                                           "b |    1.50\n");
}

static void a_sweep_without_header(void)
{
    ob_report *report;
    ob_err err;
    CHECK_INT(ob_report_create(
                  &(ob_report_params){.size = sizeof(ob_report_params), .view = OB_VIEW_SWEEP},
                  &report, NULL),
              OB_OK);
    CHECK_INT(feed(report, RESULT("0", "a", 1, ""), &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "the header is missing");
    ob_report_destroy(report);
}

#define TABLES(count, description)                                                                 \
    "{\"task_spec\": {\"stmt\": \"f(4)\", \"label\": \"f\", \"sub_label\": \"f(4)\", "             \
    "\"description\": \"" description                                                              \
    "\", \"num_threads\": 2}, \"number_per_run\": 10, \"stmt_exclusive_stats\": "                  \
    "{\"inclusive\": false, \"data\": [[" #count                                                   \
    ", \"x.c:f\"]]}, \"baseline_exclusive_stats\": {\"inclusive\": false, "                        \
    "\"data\": [[7, \"x.c:g\"]]}}"

static const char COUNTS[] =
    "{\"op_name\": \"f\", \"id\": \"0\", \"status\": \"ok\", \"mode\": \"count\", "
    "\"instructions\": {\"forward\": 4, \"backward\": 1.5, \"number\": 10, \"source\": "
    "\"callgrind\", \"tables\": [" TABLES(40, "native") ", " TABLES(
        15, "native, backward") "]}}\n"
                                "{\"op_name\": \"f\", \"id\": \"1\", \"status\": \"failed\", "
                                "\"mode\": \"count\", \"reason\": \"no\", "
                                "\"config\": {\"input\": {\"count\": 3}}, \"count\": 3}\n";

/* Counts as the original prints them; what failed is told elsewhere. */
static void counts_as_texts(void)
{
    CHECK_STR(show(COUNTS, (shown){.view = OB_VIEW_INSTRUCTIONS}),
              "<opbench CallgrindStats>\n"
              "f: f(4)\n"
              "native\n"
              "                           All          Noisy symbols removed\n"
              "    Instructions:           40                         40\n"
              "    Baseline:                7                          7\n"
              "10 runs per measurement, 2 threads\n"
              "<opbench CallgrindStats>\n"
              "f: f(4)\n"
              "native, backward\n"
              "                           All          Noisy symbols removed\n"
              "    Instructions:           15                         15\n"
              "    Baseline:                7                          7\n"
              "10 runs per measurement, 2 threads\n");
}

/* As a table they have no columns for times, unless there are results with some. */
static void counts_as_table(void)
{
    CHECK_STR(show(COUNTS, (shown){.view = OB_VIEW_RUN}), "call  status  pass      instr.\n"
                                                          "f|0   ok      forward        4\n"
                                                          "f|0   ok      backward     1.5\n"
                                                          "f|1   failed  forward        -\n"
                                                          "    no\n");
    CHECK_STR(show(COUNTS, (shown){.view = OB_VIEW_RUN, .format = OB_TABLE_CSV}),
              "operator,id,status,pass,instructions,reason,warnings,call,backend,shapes,dtypes\n"
              "f,0,ok,forward,4,,,f|0,,,\n"
              "f,0,ok,backward,1.5,,,f|0,,,\n"
              "f,1,failed,forward,,no,,f|1,,,\n");
    static const char BOTH[] =
        RESULT("0", "a", 0.001, "") "{\"op_name\": \"f\", \"id\": \"1\", "
                                    "\"status\": \"ok\", \"mode\": \"count\"}\n";
    CHECK_STR(show(BOTH, (shown){.view = OB_VIEW_RUN, .choice = {.columns = "id,median"}}),
              "id  median\n"
              "0     1 us\n"
              "1        -\n");
}

/* A file of suites whose counts say that they are some, or, as it was once, say nothing. */
static void counts_of_a_suite(void)
{
#define COUNTED(mode)                                                                              \
    "{\"op_name\": null, \"status\": \"ok\", \"index\": 0" mode                                    \
    ", \"metadata\": {\"label\": [\"a\", \"b\"], \"autolabels\": {\"runtime\": \"\", "             \
    "\"autograd\": "                                                                               \
    "\"\", \"language\": \"C\"}, \"num_threads\": 1}, \"instructions\": {\"forward\": 12}}\n"
    static const char TABLE[] = "Instructions per run\n    |\n    |  C\na\n  b | 12\n";
    CHECK_STR(show(COUNTED(", \"mode\": \"count\""), (shown){.view = OB_VIEW_SUITE}), TABLE);
    CHECK_STR(show(COUNTED(""), (shown){.view = OB_VIEW_SUITE}), TABLE);
}

/* ---- rows as they come ---- */

#define FAILS(id)                                                                                  \
    "{\"op_name\": \"add\", \"id\": \"" id                                                         \
    "\", \"status\": \"invalid\", \"reason\": \"it is wrong\", \"backend\": \"a\"}\n"

/* What is printed after these lines, and after those. */
static void print_new(ob_report *report, const char *lines, const char *wanted)
{
    ob_text text = {0};
    ob_err err;
    CHECK_INT(feed(report, lines, &err), OB_OK);
    CHECK_INT(ob_report_print_new(report, &text, &err), OB_OK);
    snprintf(printed, sizeof printed, "%.*s", (int)text.size, text.size > 0 ? text.data : "");
    CHECK_STR(printed, wanted);
    ob_text_fini(&text);
}

static void print_end(ob_report *report, const char *wanted)
{
    ob_text text = {0};
    ob_err err;
    CHECK_INT(ob_report_print(report, OB_TABLE_TEXT, &text, &err), OB_OK);
    snprintf(printed, sizeof printed, "%.*s", (int)text.size, text.size > 0 ? text.data : "");
    CHECK_STR(printed, wanted);
    ob_text_fini(&text);
}

/* Columns stay as they are whatever comes, and an equal reason is not said again. */
static void rows_as_they_come(void)
{
    ob_report *report;
    const ob_report_params params = {.size = sizeof params, .view = OB_VIEW_RUN};
    CHECK_INT(ob_report_create(&params, &report, NULL), OB_OK);
    ob_report_expect(report, 6, false);
    print_new(report, RESULT("0", "a", 0.5, ""),
              "call    status       pass        median   +- CI95       p99  samples  GFLOP/s     "
              "GB/s\n"
              "add|0   ok           forward     500 us         -         -        2        -     "
              "   -\n");
    print_new(report, "", "");
    print_new(report, FAILS("1") FAILS("2"),
              "add|1   invalid      forward          -         -         -        0        -     "
              "   -\n    it is wrong\n"
              "add|2   invalid      forward          -         -         -        0        -     "
              "   -\n");
    print_end(report, "2 cases: it is wrong\n");
    ob_report_destroy(report);
}

/* A row waits for its last side, or for the next row. */
static void sides_as_they_come(void)
{
    ob_report *report;
    const ob_report_params params = {.size = sizeof params, .view = OB_VIEW_SIDES, .side_count = 2};
    CHECK_INT(ob_report_create(&params, &report, NULL), OB_OK);
    ob_report_expect(report, 6, true);
    print_new(report, RESULT("0", "a", 0.5, ""), "");
    print_new(report, RESULT("0", "b", 0.5, ""),
              "call    id        pass                a            b      b/a  +- CI95  best\n"
              "add|0   0         forward        500 us       500 us        -        -  \n");
    print_new(report, RESULT("1", "a", 0.5, ""), "");
    print_end(report, "add|1   1         forward        500 us            -        -        -  \n");
    ob_report_destroy(report);
}

/* What is ordered is known at the end. */
static void sorted_rows_wait(void)
{
    ob_report *report;
    const ob_table_choice choice = {.size = sizeof choice, .sort = "-median", .top = 1};
    const ob_report_params params = {.size = sizeof params, .view = OB_VIEW_RUN, .choice = &choice};
    CHECK_INT(ob_report_create(&params, &report, NULL), OB_OK);
    print_new(report, RESULT("0", "a", 0.5, "") RESULT("1", "a", 0.7, ""), "");
    print_end(report, "call   status  pass     median  +- CI95  p99  samples  GFLOP/s  GB/s\n"
                      "add|1  ok      forward  700 us        -    -        2        -     -\n");
    ob_report_destroy(report);
}

int main(void)
{
    RUN(which_view);
    RUN(fields_as_columns);
    RUN(sides);
    RUN(best_of_sides);
    RUN(threads);
    RUN(interrupted);
    RUN(notes);
    RUN(suites);
    RUN(a_sweep_without_header);
    RUN(counts_as_texts);
    RUN(counts_as_table);
    RUN(counts_of_a_suite);
    RUN(rows_as_they_come);
    RUN(sides_as_they_come);
    RUN(sorted_rows_wait);
    return ob_test_end();
}
