/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a step's time goes: sums by calls, which backend is preferred when one lacks a case, and reasons that are told once.
 */
#include "check.h"
#include "opbench/report.h"

static char printed[8192];

static const char *show(const char *lines, ob_view view, ob_table_format format)
{
    ob_report *report;
    ob_record_reader *reader;
    const ob_record *record;
    ob_text text = {0};
    ob_err err = {.message = ""};
    CHECK_INT(ob_report_create(&(ob_report_params){.size = sizeof(ob_report_params), .view = view},
                               &report, &err),
              OB_OK);
    CHECK_INT(ob_record_reader_open_memory("lines", lines, strlen(lines), NULL, &reader, NULL),
              OB_OK);
    while (ob_record_reader_next(reader, &record, &err) == OB_OK)
        CHECK_INT(ob_report_add(report, record, &err), OB_OK);
    ob_record_reader_close(reader);
    CHECK_INT(ob_report_print(report, format, &text, &err), OB_OK);
    CHECK_STR(err.message, "");
    snprintf(printed, sizeof printed, "%.*s", (int)text.size, text.size > 0 ? text.data : "");
    ob_text_fini(&text);
    ob_report_destroy(report);
    return printed;
}

#define TIMES(ms) "{\"measure.time\": [" #ms "]}"
#define STATS(ms, low, high)                                                                       \
    "{\"count\": 1, \"median\": " #ms ", \"interval\": {\"low\": " #low ", \"high\": " #high "}}"
#define HEAD(op, case, side, calls)                                                                \
    "{\"op_name\": \"" op "\", \"id\": \"0|" case "\", \"backend\": \"" side                       \
                                                  "\", \"threads\": 1, \"count\": " #calls ", "
#define RESULT(op, case, side, calls, ms, low, high)                                               \
    HEAD(op, case, side, calls)                                                                    \
    "\"status\": \"ok\", \"metric\": {\"forward\": " TIMES(                                        \
        ms) "}, \"statistics\": {\"forward\": " STATS(ms, low, high) "}}\n"
#define BOTH(op, case, side, calls, ms, low, high)                                                 \
    HEAD(op, case, side, calls)                                                                    \
    "\"status\": \"ok\", \"metric\": {\"forward\": " TIMES(ms) ", \"backward\": " TIMES(           \
        ms) "}, \"statistics\": {\"forward\": " STATS(ms, low,                                     \
                                                      high) ", \"backward\": " STATS(ms, low,      \
                                                                                     high) "}}\n"
#define FAILED(op, case, side, calls)                                                              \
    HEAD(op, case, side, calls)                                                                    \
    "\"status\": \"unsupported\", \"reason\": \"B has nothing for " op "\"}\n"

/* a has everything; b is twice as fast at mm, but lacks one case of it, and lacks three of add. */
static const char LINES[] =
    RESULT("mm", "0", "a", 10, 2.0, 1.9, 2.1) RESULT("mm", "0", "b", 10, 1.0, 0.9, 1.1)
        RESULT("mm", "1", "a", 1, 4.0, 3.9, 4.1) FAILED("mm", "1", "b", 1)
            BOTH("relu", "0", "a", 2, 0.5, 0.4, 0.6) BOTH("relu", "0", "b", 2, 1.0, 0.5, 1.2)
                RESULT("add", "0", "a", 1, 1.0, 1.0, 1.0) FAILED("add", "0", "b", 1)
                    RESULT("add", "1", "a", 1, 1.0, 1.0, 1.0) FAILED("add", "1", "b", 1)
                        RESULT("add", "2", "a", 1, 1.0, 1.0, 1.0) FAILED("add", "2", "b", 1);

static void two_sides(void)
{
    CHECK_STR(show(LINES, OB_VIEW_STEP, OB_TABLE_TEXT),
              "operator  pass      calls      a                 b    share  best     lead\n"
              "mm        forward      11  24 ms  10 ms (10 of 11)   82.8 %  b       1.71x\n"
              "add       forward       3   3 ms                 -   10.3 %              -\n"
              "relu      forward       2   1 ms              2 ms    3.4 %  a     2.00x ?\n"
              "relu      backward      2   1 ms              2 ms    3.4 %  a     2.00x ?\n"
              "all       forward      16  28 ms  12 ms (12 of 16)   96.6 %              -\n"
              "all       backward      2   1 ms              2 ms    3.4 %              -\n"
              "all       both         18  29 ms  14 ms (14 of 18)  100.0 %              -\n"
              "Shares are of the step on a. A lead marked ? is within the intervals.\n"
              "a: 29 ms; with the best backend for each operator it takes 19 ms, 34.5 % less\n"
              "b: 14 ms for 14 of 18 calls; with the best backend for each operator it takes 12 ms "
              "for these, 14.3 % less\n"
              "3 cases: B has nothing for add\n"
              "1 case: B has nothing for mm\n");
    CHECK_STR(show(LINES, OB_VIEW_STEP, OB_TABLE_CSV),
              "operator,pass,calls,a_ns,b_ns,a_calls,b_calls,share,best,lead,lead_is_clear\n"
              "mm,forward,11,24000000,10000000,11,10,0.8275862068965517,b,1.7142857142857142,true\n"
              "add,forward,3,3000000,,3,0,0.10344827586206896,,,\n"
              "relu,forward,2,1000000,2000000,2,2,0.034482758620689655,a,2,false\n"
              "relu,backward,2,1000000,2000000,2,2,0.034482758620689655,a,2,false\n");
}

static void one_side(void)
{
    CHECK_STR(show("{\"op_name\": \"mm\", \"id\": \"0|0\", \"backend\": \"a\", \"threads\": 1, "
                   "\"status\": \"ok\", \"metric\": {\"forward\": " TIMES(
                       2.0) "}, \"statistics\": {\"forward\": " STATS(2.0, 1.0, 3.0) "}}\n",
                   OB_VIEW_STEP, OB_TABLE_TEXT),
              "operator  pass     calls     a    share\n"
              "mm        forward      1  2 ms  100.0 %\n"
              "all       forward      1  2 ms  100.0 %\n"
              "Each case counts once: the config does not say how often the program makes each "
              "call.\n"
              "a: 2 ms\n");
    CHECK_STR(show("", OB_VIEW_STEP, OB_TABLE_CSV), "operator,pass,calls,share\n");
}

/* The table of a run tells equal reasons once, from three on. */
static void folded(void)
{
    show(LINES, OB_VIEW_SIDES, OB_TABLE_TEXT);
    CHECK(strstr(printed, "\n3 cases: b: B has nothing for add\n") != NULL);
    CHECK(strstr(printed, "\n    b: B has nothing for mm\n") != NULL);
    CHECK(strstr(printed, "    b: B has nothing for add") == NULL);
}

int main(void)
{
    RUN(two_sides);
    RUN(one_side);
    RUN(folded);
    return ob_test_end();
}
