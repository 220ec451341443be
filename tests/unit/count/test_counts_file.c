/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of counts: callgrind's format beyond the recorded ones (inlining, several parts, events, bare
 * names), what is refused and how, and our own form there and back.
 */
#include "count_test.h"

static ob_count_file *parse(const char *text)
{
    ob_count_file *file = NULL;
    ob_err err = {0};
    CHECK_INT(ob_count_file_parse("x.out", text, strlen(text), &file, &err), OB_OK);
    CHECK_STR(err.message, "");
    return file;
}

static void check_row(const ob_counts *counts, size_t index, int64_t count, const char *function)
{
    CHECK_INT(ob_counts_row(counts, index).count, count);
    CHECK_STR(ob_counts_row(counts, index).function, function);
}

/* Lines of an inlined function belong to its file; a callee's file is the current one, inlined or
 * not, unless cfi= says otherwise; cob= holds for one call. */
static void inlining_and_calls(void)
{
    ob_count_file *file = parse("version: 1\npositions: line\nevents: Cycles Ir\n\n"
                                "ob=(1) /lib/a.so\nfl=(1) a.c\nfn=(1) f\n"
                                "10 90 5\n"
                                "fi=(2) b.h\n+1 0 7\n"
                                "cfn=(2) g\ncalls=2 3\n* 99 20\n"
                                "cob=(2) /lib/b.so\ncfi=(3) c.c\ncfn=(3) h\ncalls=0 3\n* 99 11\n"
                                "cfn=(2)\ncalls=1 3\n* 99 10\n"
                                "fe=(1)\n-1 1 1\n"
                                "jcnd=1/2 +3\n+1\n"
                                "fl=(2)\nfn=(2)\n3 0 30\n"
                                "totals: 1 43\n");
    const ob_count_stats_params *is = ob_count_stats_get(ob_count_file_part(file, 0));
    CHECK_INT(ob_counts_size(is->stmt_exclusive), 3);
    check_row(is->stmt_exclusive, 0, 30, "b.h:g [/lib/a.so]");
    check_row(is->stmt_exclusive, 1, 7, "b.h:f [/lib/a.so]");
    check_row(is->stmt_exclusive, 2, 6, "a.c:f [/lib/a.so]");
    CHECK_INT(ob_counts_size(is->stmt_inclusive), 4);
    check_row(is->stmt_inclusive, 0, 48, "b.h:f [/lib/a.so]");
    check_row(is->stmt_inclusive, 1, 30, "b.h:g [/lib/a.so]");
    check_row(is->stmt_inclusive, 2, 11, "c.c:h [/lib/b.so]");
    check_row(is->stmt_inclusive, 3, 6, "a.c:f [/lib/a.so]");
    ob_count_file_destroy(file);
}

/* Names keep their numbers from part to part; a sum below zero, which callgrind writes as a huge one, is
 * no total. */
static void parts(void)
{
    ob_count_file *file =
        parse("# callgrind format\nversion: 1\ncmd:  ./prog --x\npart: 1\nevents: Ir\n"
              "summary: 3\nfl=(1) a.c\nfn=(1) f\n1 3\ntotals: 3\n\n"
              "part: 2\nevents: Ir\nsummary: 18446744073709490000\n"
              "fl=(1)\nfn=(1)\n1 4\nfn=(below main)\ncfn=(1)\ncalls=1 1\n2 4\n");
    CHECK_INT(ob_count_file_size(file), 2);
    const ob_count_stats_params *first = ob_count_stats_get(ob_count_file_part(file, 0));
    const ob_count_stats_params *second = ob_count_stats_get(ob_count_file_part(file, 1));
    CHECK_INT(first->part, 1);
    CHECK_INT(second->part, 2);
    CHECK_STR(first->command, "./prog --x");
    check_row(first->stmt_exclusive, 0, 3, "a.c:f");
    check_row(second->stmt_exclusive, 0, 4, "a.c:f");
    CHECK_INT(ob_counts_size(second->stmt_inclusive), 1); /* the frame around f is left out */
    check_row(second->stmt_inclusive, 0, 4, "a.c:f");
    CHECK(ob_count_file_part(file, 2) == NULL);
    ob_count_file_destroy(file);
}

/* Sums behind the costs, or of zero; lines of blanks; names first seen in a call or a jump. */
static void unusual_order(void)
{
    ob_count_file *file = parse("version: 1\npositions: instr line\nevents: Ir Dr\n  \t\n"
                                "ob=(1) /x\nfl=(1) a.c\nfn=(1) f\n0x10 5 8 1\n"
                                "jfi=(2) j.c\njfn=(2) g\njump=2 +0x4 *\n* +1\n"
                                "cfi=(2)\ncfn=(3) h\ncalls=1 * *\n-0x4 -2 30\n"
                                "\nob=(2) /y\nfi=(2)\n+2 * 4\n"
                                "fl=(2)\nfn=(2)\n0x1 1 2\n"
                                "totals: 0\nsummary: 14 1\n");
    CHECK_INT(ob_count_file_size(file), 1);
    const ob_count_stats_params *is = ob_count_stats_get(ob_count_file_part(file, 0));
    CHECK_INT(ob_counts_size(is->stmt_exclusive), 3);
    check_row(is->stmt_exclusive, 0, 8, "a.c:f [/x]");
    check_row(is->stmt_exclusive, 1, 4, "j.c:f [/y]");
    check_row(is->stmt_exclusive, 2, 2, "j.c:g [/y]");
    check_row(is->stmt_inclusive, 0, 38, "a.c:f [/x]");
    check_row(is->stmt_inclusive, 1, 30, "j.c:h [/x]");
    ob_count_file_destroy(file);
}

static void refused(void)
{
    static const struct {
        const char *text, *message;
        ob_status status;
        uint32_t line;
    } CASES[] = {
        {"", "no counts", OB_ERR_SYNTAX, 0},
        {"hello\n", "not a line of callgrind's format: \"hello\"", OB_ERR_SYNTAX, 1},
        {"version: 2\nevents: Ir\n", "version of callgrind's format", OB_ERR_SYNTAX, 1},
        {"events: Cycles Dr\n", "no instruction counts (Ir)", OB_ERR_SYNTAX, 1},
        {"fn=f\n1 2\n", "costs before an events: line", OB_ERR_SYNTAX, 2},
        {"events: Ir\n1 2\n", "costs without a function", OB_ERR_SYNTAX, 2},
        {"events: Ir\nfn=f\n1 x\n", "not a line of costs", OB_ERR_SYNTAX, 3},
        {"events: Ir\nfn=f\n1 99999999999999999999\n", "not a line of costs", OB_ERR_SYNTAX, 3},
        {"events: Ir\nfn=f\n1 9223372036854775808\n", "63 bits", OB_ERR_OVERFLOW, 3},
        {"events: Ir\nfn=f\n1 9223372036854775807\n1 1\n", "64 bits", OB_ERR_OVERFLOW, 4},
        {"events: Ir\nfn=(4)\n", "(4) is used before it is defined", OB_ERR_SYNTAX, 2},
        {"events: Ir\nfn=f\ncalls=1 2\n", "a call without a target", OB_ERR_SYNTAX, 3},
        {"events: Ir\nfn=f\n1 1\ntotals: x\n", "not a sum of costs", OB_ERR_SYNTAX, 4},
        {"{\"stmt_exclusive_stats\": 3}", "a table of counts has", OB_ERR_CONFIG, 1},
        {"{\"a\": 3}", "there is no stmt_exclusive_stats", OB_ERR_CONFIG, 1},
        {"{\"stmt_exclusive_stats\": {\"inclusive\": true, \"data\": []}}",
         "inclusive does not match", OB_ERR_CONFIG, 1},
        {"{\"stmt_exclusive_stats\": {\"inclusive\": false, \"data\": [[1, 2]]}}",
         "[count, \"function\"]", OB_ERR_CONFIG, 1},
        {"{}\n{", "there is no stmt_exclusive_stats", OB_ERR_CONFIG, 1},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        ob_count_file *file = NULL;
        ob_err err = {0};
        CHECK_INT(ob_count_file_parse("x.out", CASES[i].text, strlen(CASES[i].text), &file, &err),
                  CASES[i].status);
        CHECK(file == NULL);
        CHECK_HAS(err.message, CASES[i].message);
        CHECK_INT(err.line, CASES[i].line);
        CHECK_STR(err.file, "x.out");
    }
    ob_count_file *file = NULL;
    ob_err err = {0};
    CHECK_INT(ob_count_file_read("/nonexistent/x", &file, &err), OB_ERR_IO);
    CHECK_HAS(err.message, "cannot be read: No such file");
}

static ob_counts *table(const char *function, int64_t count, bool inclusive)
{
    ob_counts *counts = NULL;
    const ob_count row = {.count = count, .function = function};
    CHECK_INT(ob_counts_create(&row, 1, inclusive, &counts, NULL), OB_OK);
    return counts;
}

/* As text and read again: the same text. */
static void there_and_back(void)
{
    ob_counts *exclusive = table("/x/Objects/a.c:f [/p]", 12, false);
    ob_counts *inclusive = table("\xc3\xa9.c:\"g\"", 13, true);
    const ob_count_stats_params params = {
        .size = sizeof params,
        .task = {.stmt = "x + x", .setup = "x = 1\ny", .label = "add", .num_threads = 2},
        .number_per_run = 100,
        .stmt_exclusive = exclusive,
        .stmt_inclusive = inclusive,
        .baseline_exclusive = exclusive,
        .part = 3,
        .command = "./a b"};
    ob_count_stats *stats = NULL;
    ob_json_doc *doc = NULL, *again = NULL;
    ob_json *node = NULL;
    char *text = NULL, *second = NULL;
    size_t length = 0;
    CHECK_INT(ob_count_stats_create(&params, &stats, NULL), OB_OK);
    CHECK_INT(ob_json_doc_create(&doc, NULL), OB_OK);
    CHECK_INT(ob_json_doc_create(&again, NULL), OB_OK);
    CHECK_INT(ob_count_stats_to_json(stats, doc, &node, NULL), OB_OK);
    CHECK_INT(ob_json_print(node, &text, &length, NULL), OB_OK);
    CHECK_HAS(text, "\"stmt_exclusive_stats\": {\"inclusive\": false, \"data\": [[12, "
                    "\"/x/Objects/a.c:f [/p]\"]]}");
    CHECK_HAS(text, "\"baseline_inclusive_stats\": null");
    ob_count_file *file = parse(text);
    CHECK_INT(ob_count_file_format(file), OB_COUNT_JSON);
    CHECK_INT(ob_count_stats_to_json(ob_count_file_part(file, 0), again, &node, NULL), OB_OK);
    CHECK_INT(ob_json_print(node, &second, &length, NULL), OB_OK);
    CHECK_STR(second, text);
    free(text);
    free(second);
    ob_count_file_destroy(file);
    ob_json_doc_destroy(doc);
    ob_json_doc_destroy(again);
    ob_count_stats_destroy(stats);
    ob_counts_destroy(exclusive);
    ob_counts_destroy(inclusive);
}

static void operations_on_stats(void)
{
    ob_counts *statement = table("/x/Objects/dictobject.c:lookdict_unicode [/p]", 12, false);
    ob_counts *empty = table("/x/Objects/dictobject.c:lookdict_unicode [/p]", 2, false);
    const ob_count_stats_params params = {.size = sizeof params,
                                          .stmt_exclusive = statement,
                                          .baseline_exclusive = empty,
                                          .callgrind_out = "events: Ir\n"};
    ob_count_stats *stats = NULL, *standard = NULL, *less = NULL;
    ob_counts *delta = NULL;
    ob_err err = {0};
    CHECK_INT(ob_count_stats_create(&params, &stats, NULL), OB_OK);
    CHECK_INT(ob_count_stats_counts(stats, false), 12);
    CHECK_INT(ob_count_stats_counts(stats, true), 0);
    CHECK_INT(ob_count_stats_standardise(stats, &standard, NULL), OB_OK);
    CHECK(ob_count_stats_get(standard)->callgrind_out == NULL);
    check_row(ob_count_stats_get(standard)->baseline_exclusive, 0, 2,
              "Objects/dictobject.c:lookdict_unicode");
    CHECK_INT(ob_count_stats_subtract_baseline(stats, &less, NULL), OB_OK);
    CHECK_INT(ob_count_stats_counts(less, false), 10);
    CHECK(ob_count_stats_get(less)->baseline_exclusive == NULL);
    CHECK_INT(ob_count_stats_delta(less, stats, false, &delta, NULL), OB_OK);
    check_row(delta, 0, -2, "/x/Objects/dictobject.c:lookdict_unicode [/p]");
    ob_counts_destroy(delta);
    CHECK_INT(ob_count_stats_delta(less, stats, true, &delta, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "no inclusive counts");
    ob_count_stats_destroy(stats);
    ob_count_stats_destroy(standard);
    ob_count_stats_destroy(less);
    ob_counts_destroy(statement);
    ob_counts_destroy(empty);
}

/* All four tables, and a comparison with counts that lack one. */
static void inclusive_tables(void)
{
    ob_counts *exclusive = table("a", 12, false), *inclusive = table("a", 20, true);
    ob_counts *own = table("a", 2, false), *whole = table("a", 5, true);
    ob_count_stats_params params = {.size = sizeof params,
                                    .stmt_exclusive = exclusive,
                                    .stmt_inclusive = inclusive,
                                    .baseline_exclusive = own,
                                    .baseline_inclusive = whole};
    ob_count_stats *stats = NULL, *less = NULL, *lacking = NULL;
    ob_counts *delta = NULL;
    ob_err err = {0};
    CHECK_INT(ob_count_stats_create(&params, &stats, NULL), OB_OK);
    CHECK_INT(ob_count_stats_subtract_baseline(stats, &less, NULL), OB_OK);
    check_row(ob_count_stats_get(less)->stmt_inclusive, 0, 15, "a");
    CHECK(ob_count_stats_get(less)->baseline_inclusive == NULL);
    CHECK_INT(ob_count_stats_delta(less, stats, true, &delta, NULL), OB_OK);
    check_row(delta, 0, -5, "a");
    ob_counts_destroy(delta);
    params.stmt_inclusive = NULL;
    CHECK_INT(ob_count_stats_create(&params, &lacking, NULL), OB_OK);
    CHECK_INT(ob_count_stats_delta(stats, lacking, true, &delta, &err), OB_ERR_INVALID);
    CHECK_INT(ob_count_stats_delta(lacking, stats, true, &delta, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "there are no inclusive counts to compare");
    ob_count_stats_destroy(stats);
    ob_count_stats_destroy(less);
    ob_count_stats_destroy(lacking);
    ob_counts_destroy(exclusive);
    ob_counts_destroy(inclusive);
    ob_counts_destroy(own);
    ob_counts_destroy(whole);
}

static void scaling(void)
{
    static const ob_count ROWS[] = {{7, "a"}, {-7, "b"}, {1, "c"}};
    ob_counts *counts = NULL, *half = NULL;
    ob_err err = {0};
    CHECK_INT(ob_counts_create(ROWS, 3, false, &counts, NULL), OB_OK);
    CHECK_INT(ob_counts_scale(counts, 0.5, &half, NULL), OB_OK);
    CHECK_INT(ob_counts_size(half), 2);
    check_row(half, 0, 3, "a");
    check_row(half, 1, -3, "b");
    ob_counts_destroy(half);
    CHECK_INT(ob_counts_scale(counts, 1e300, &half, &err), OB_ERR_OVERFLOW);
    CHECK_INT(ob_counts_scale(counts, NAN, &half, &err), OB_ERR_OVERFLOW);
    CHECK(half == NULL);
    ob_counts_destroy(counts);
}

/* Which counts of two files belong together. */
static void matches(void)
{
    static const char *const TASKS[] = {
        "\"label\": \"l\", \"sub_label\": \"x\", \"description\": \"d\"",
        "\"label\": \"l\", \"sub_label\": \"x\", \"description\": \"e\"",
        "\"label\": \"l\", \"sub_label\": \"y\", \"description\": \"d\"",
        "\"label\": \"m\", \"sub_label\": \"x\", \"description\": \"d\"",
        "\"label\": \"l\", \"sub_label\": \"x\", \"description\": \"d\", \"num_threads\": 2",
    };
    /* The first task with the key 1 beside another one. */
    static const struct {
        size_t task;
        const char *key;
        int match;
    } ROWS[] = {
        {0, "\"1\"", 2}, {1, "\"1\"", 1}, {2, "\"1\"", 2}, {3, "\"1\"", 2},
        {4, "\"1\"", 0}, {0, "\"2\"", 0}, {0, "null", 2},  {1, "null", 0},
        {2, "null", 0},  {3, "null", 0},  {4, "null", 0},
    };
    static const char LINE[] = "{\"task_spec\": {\"stmt\": \"s\", %s}, \"stmt_exclusive_stats\": "
                               "{\"inclusive\": false, \"data\": []}, \"key\": %s}\n";
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        char text[1024];
        const int length = snprintf(text, sizeof text, LINE, TASKS[0], "\"1\"");
        snprintf(text + length, sizeof text - (size_t)length, LINE, TASKS[ROWS[i].task],
                 ROWS[i].key);
        ob_count_file *file = parse(text);
        const ob_count_stats *a = ob_count_file_part(file, 0), *b = ob_count_file_part(file, 1);
        CHECK_INT(ob_count_stats_match(a, b), ROWS[i].match);
        CHECK_INT(ob_count_stats_match(b, a), ROWS[i].match);
        ob_count_file_destroy(file);
    }
}

/* Records hold the same objects; lines of other kinds hold none. */
static void records(void)
{
    ob_count_file *file =
        parse("{\"start_time\": null, \"format\": 1}\n"
              "{\"op_name\": null, \"status\": \"failed\"}\n"
              "{\"op_name\": \"f\", \"instructions\": {\"tables\": ["
              "{\"stmt_exclusive_stats\": {\"inclusive\": false, \"data\": [[3, \"f\"]]}, \"key\": "
              "\"k\"},"
              "{\"stmt_exclusive_stats\": {\"inclusive\": false, \"data\": [[4, \"f\"]]}}]}}\n"
              "{\"finish_time\": null}\n");
    CHECK_INT(ob_count_file_size(file), 2);
    CHECK_STR(ob_count_stats_get(ob_count_file_part(file, 0))->key, "k");
    CHECK(ob_count_stats_get(ob_count_file_part(file, 1))->key == NULL);
    CHECK_INT(ob_count_stats_counts(ob_count_file_part(file, 0), false), 3);
    CHECK_INT(ob_count_stats_counts(ob_count_file_part(file, 1), false), 4);
    ob_count_file_destroy(file);
    static const char BAD[] = "{\"finish_time\": null}\n{\"raw_times\": [], \"instructions\": "
                              "{\"tables\": [{\"key\": 1}]}}\n";
    ob_err err = {0};
    CHECK_INT(ob_count_file_parse("x.json", BAD, strlen(BAD), &file, &err), OB_ERR_CONFIG);
    CHECK_INT(err.line, 2);
    CHECK_STR(err.message,
              "there is no stmt_exclusive_stats; give what opbench count --json wrote");
}

/* Of a table that others wrote both parts must be what they are. */
static void tables_of_others(void)
{
    static const char *const WRONG[] = {"{\"inclusive\": 1, \"data\": []}",
                                        "{\"inclusive\": true, \"data\": 5}",
                                        "{\"inclusive\": true}", "[]"};
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        ob_json_doc *doc;
        ob_counts *counts;
        ob_err err;
        CHECK_INT(ob_json_parse("t", WRONG[i], strlen(WRONG[i]), NULL, &doc, &err), OB_OK);
        CHECK(ob_counts_from_json(ob_json_doc_root(doc), &counts, &err) != OB_OK);
        CHECK_HAS(err.message, "{\"inclusive\": ..., \"data\": [...]}");
        CHECK(counts == NULL);
        ob_json_doc_destroy(doc);
    }
}

int main(void)
{
    RUN(tables_of_others);
    RUN(inlining_and_calls);
    RUN(parts);
    RUN(unusual_order);
    RUN(refused);
    RUN(there_and_back);
    RUN(operations_on_stats);
    RUN(inclusive_tables);
    RUN(scaling);
    RUN(matches);
    RUN(records);
    return ob_test_end();
}
