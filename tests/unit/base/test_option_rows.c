/* SPDX-License-Identifier: Apache-2.0
 *
 * What is made from option rows besides parsing: joined tables, defaults, comparisons, words, JSON, help.
 */
#include "base/option_field.h"
#include "check.h"

#include "opbench/old_option.h"

#include <stdlib.h>

typedef struct inner {
    const char *name, *mode;
    int64_t count;
    double time;
    bool all;
} inner;

#define ROW(kind, name, field, ...) OB_OPTION(kind, name, inner, field, __VA_ARGS__)

static const ob_option INNER[] = {
    ROW(STRING, "name", name, .value = "NAME", .otherwise = "the first", .help = "Who.",
        .affects_measurement = true),
    ROW(CHOICE, "mode", mode, .value = "MODE", .choices = "on|off", .initial = "off",
        .group = "Measuring", .help = "How.", .affects_measurement = true),
    ROW(INT, "count", count, .letter = 'n', .value = "N", .max = 9, .initial = "-1",
        .otherwise = "all", .group = "Measuring", .help = "How many."),
    ROW(DOUBLE, "time-limit", time, .unit = "seconds", .max = 60, .initial = "2.5",
        .help = "How long.", .affects_measurement = true),
    ROW(FLAG, "all", all, .letter = 'a', .group = "Measuring", .help = "All of them.",
        .affects_measurement = true),
    {.name = "graph", .refused = "there is none; leave it out", .help = "A graph."},
    {.name = "trace-path", .letter = 't', .refused = "give the file alone"},
    {.name = NULL},
};

static const ob_option *inner_rows(void)
{
    return INNER;
}

typedef struct outer {
    bool first;
    inner in;
    bool last;
} outer;

static void tables_are_joined(void)
{
    static const ob_option OUTER[] = {
        OB_OPTION(FLAG, "first", outer, first, .help = "First."),
        OB_OPTION_ROWS_OF(inner_rows, "time-limit|name", offsetof(outer, in)),
        OB_OPTION_ROWS_OF(inner_rows, "count", offsetof(outer, in), .letter = 'c', .group = "Other",
                          .help = "Another text.", .initial = "3"),
        OB_OPTION(FLAG, "last", outer, last, .help = "Last."),
        {.name = NULL},
    };
    static const ob_option ALL[] = {OB_OPTION_ROWS_OF(inner_rows, "*", 8),
                                    OB_OPTION_ROWS_OF(inner_rows, "mode", 8, .initial = "on"),
                                    {.name = NULL}};
    static const ob_option BUT[] = {OB_OPTION_ROWS_OF(inner_rows, "!mode|all", 0), {.name = NULL}};
    static const ob_option WRONG[] = {OB_OPTION_ROWS_OF(inner_rows, "mode|tim", 0), {.name = NULL}};
    ob_option *rows;
    ob_err err;
    CHECK_INT(ob_options_join(OUTER, &rows, &err), OB_OK);
    CHECK_INT(ob_options_count(rows), 5);
    CHECK_STR(rows[1].name, "name"); /* in the order of their own table */
    CHECK_STR(rows[2].name, "time-limit");
    CHECK_INT(rows[2].offset, offsetof(outer, in.time));
    CHECK_STR(rows[2].help, "How long.");
    CHECK_STR(rows[3].help, "Another text.");
    CHECK_STR(rows[3].group, "Other");
    CHECK_STR(rows[3].initial, "3");
    CHECK_STR(rows[3].otherwise, "all");
    CHECK(rows[3].letter == 'c');
    CHECK(ob_options_find(rows, "last") == &rows[4]);
    CHECK(ob_options_find(rows, "mode") == NULL);
    CHECK(ob_options_find(NULL, "mode") == NULL);
    free(rows);
    CHECK_INT(ob_options_join(ALL, &rows, &err), OB_OK);
    CHECK_INT(ob_options_count(rows), 7);
    CHECK_INT(rows[0].offset, 8);
    CHECK_STR(rows[1].name, "mode");
    CHECK_STR(rows[1].initial, "on"); /* the later one */
    free(rows);
    CHECK_INT(ob_options_join(BUT, &rows, &err), OB_OK);
    CHECK_INT(ob_options_count(rows), 5);
    CHECK(ob_options_find(rows, "mode") == NULL && ob_options_find(rows, "all") == NULL);
    free(rows);
    CHECK_INT(ob_options_join(WRONG, &rows, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "no row has one of the names 'mode|tim'");
    CHECK(rows == NULL);
    CHECK_INT(ob_options_join(NULL, &rows, &err), OB_OK);
    CHECK_INT(ob_options_count(rows), 0);
    free(rows);
    CHECK_INT(ob_options_count(NULL), 0);
}

/* An old spelling fills the field of the new one, and is nowhere else. */
static void old_names_are_taken(void)
{
    static const ob_option ROWS[] = {
        OB_OPTION_ROWS_OF(inner_rows, "count|time-limit", offsetof(outer, in)),
        OB_OPTION_OLD_NAME("number", "count", .letter = 'n'),
        {.name = NULL},
    };
    static const ob_option WRONG[] = {OB_OPTION_OLD_NAME("number", "count"),
                                      OB_OPTION_ROWS_OF(inner_rows, "count", 0),
                                      {.name = NULL}};
    char *argv[] = {"x", "--number", "7"}, *short_argv[] = {"x", "-n8"}, *bad[] = {"x", "-n", "y"};
    char *near[] = {"x", "--numbre", "7"};
    outer o = {.first = false};
    const char *words[3];
    size_t count;
    ob_option *rows;
    ob_err err;
    CHECK_INT(ob_options_join(ROWS, &rows, &err), OB_OK);
    CHECK_STR(ob_option_new_name(ob_options_find(rows, "number")), "count");
    CHECK(ob_option_new_name(ob_options_find(rows, "count")) == NULL);
    CHECK_INT(ob_options_parse(rows, 3, argv, &o, words, &count, &err), OB_OK);
    CHECK_INT(o.in.count, 7);
    CHECK_INT(ob_options_parse(rows, 2, short_argv, &o, words, &count, &err), OB_OK);
    CHECK_INT(o.in.count, 8);
    CHECK_INT(ob_options_parse(rows, 3, bad, &o, words, &count, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "-n: 'y' is not a whole number");
    CHECK_INT(ob_options_parse(rows, 3, near, &o, words, &count, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "unknown option --numbre; see --help"); /* nobody is led to it */
    ob_json_doc *doc;
    CHECK_INT(ob_json_doc_create(&doc, &err), OB_OK);
    ob_json *object = ob_json_new_object(doc);
    CHECK_INT(ob_options_to_json(rows, &o, doc, object, &err), OB_OK);
    CHECK_INT(ob_json_count(object), 2);
    CHECK(ob_json_get(object, "number") == NULL);
    ob_json_doc_destroy(doc);
    ob_text text = {0};
    CHECK(ob_options_append_help(rows, "Options", &text) && ob_text_append(&text, "", 1));
    CHECK(strstr(text.data, "--number") == NULL);
    ob_text_fini(&text);
    free(rows);
    CHECK_INT(ob_options_join(WRONG, &rows, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "no row before has the name 'count'");
    CHECK(rows == NULL);
}

static void defaults_come_from_rows(void)
{
    static const ob_option BAD[] = {ROW(INT, "count", count, .initial = "many"), {.name = NULL}};
    static const ob_option NO_CHOICE[] = {
        ROW(CHOICE, "mode", mode, .choices = "on|off", .initial = "maybe"), {.name = NULL}};
    inner o = {.name = "x", .all = true};
    ob_err err;
    CHECK_INT(ob_options_init(INNER, &o, &err), OB_OK);
    CHECK_STR(o.name, "x"); /* has none */
    CHECK(o.all);
    CHECK_STR(o.mode, "off");
    CHECK_INT(o.count, -1); /* below what may be given */
    CHECK_REAL(o.time, 2.5);
    o.name = NULL;
    o.all = false;
    for (const ob_option *row = INNER; row->name != NULL; row++)
        CHECK(ob_option_is_default(row, &o));
    o.count = 0;
    CHECK(!ob_option_is_default(ob_options_find(INNER, "count"), &o));
    CHECK_INT(ob_options_init(BAD, &o, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "count: 'many' is not a whole number");
    CHECK_INT(ob_options_init(NO_CHOICE, &o, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "'maybe' is not a choice");
}

static void refusals_say_why(void)
{
    static const struct {
        char *word;
        const char *message;
    } CASES[] = {
        {"--graph", "--graph: there is none; leave it out"},
        {"--graph=x", "--graph: there is none; leave it out"},
        {"--trace-path", "--trace-path: give the file alone"},
        {"-t", "-t: give the file alone"},
        {"--trace-pat", "unknown option --trace-pat; see --help"}, /* it is not shown */
        {"--grap", "unknown option --grap; did you mean --graph?"},
    };
    inner o;
    ob_err err;
    const char *words[4];
    size_t count;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char *argv[] = {"", CASES[i].word, "value"};
        CHECK_INT(ob_options_parse(INNER, 3, argv, &o, words, &count, &err), OB_ERR_INVALID);
        CHECK_STR(err.message, CASES[i].message);
    }
}

static void what_matters_is_compared(void)
{
    inner a = {.name = NULL}, b;
    char value[64];
    CHECK_INT(ob_options_init(INNER, &a, NULL), OB_OK);
    b = a;
    char off[] = "off";
    b.mode = off; /* the same text elsewhere */
    b.count = 5;  /* does not affect measurements */
    CHECK(ob_options_find_difference(INNER, &a, &b) == NULL);
    b.time = 2.5000000000000004;
    const ob_option *row = ob_options_find_difference(INNER, &a, &b);
    CHECK(row != NULL);
    CHECK_STR(row->name, "time-limit");
    ob_option_format_value(row, &b, value, sizeof value);
    CHECK_STR(value, "2.5000000000000004");
    b.time = a.time;
    b.all = true;
    row = ob_options_find_difference(INNER, &a, &b);
    CHECK_STR(row->name, "all");
    ob_option_format_value(row, &b, value, sizeof value);
    CHECK_STR(value, "given");
    ob_option_format_value(row, &a, value, sizeof value);
    CHECK_STR(value, "not given");
    b.name = "x";
    row = ob_options_find_difference(INNER, &a, &b);
    CHECK_STR(row->name, "name");
    ob_option_format_value(row, &a, value, sizeof value);
    CHECK_STR(value, "not given");
    ob_option_format_value(ob_options_find(INNER, "count"), &b, value, sizeof value);
    CHECK_STR(value, "5");
    ob_option_format_value(ob_options_find(INNER, "mode"), &b, value, sizeof value);
    CHECK_STR(value, "off");
}

static void words_are_what_is_no_default(void)
{
    inner o = {.name = NULL};
    ob_text words = {0};
    CHECK_INT(ob_options_init(INNER, &o, NULL), OB_OK);
    CHECK(ob__options_append_words(INNER, &o, &words));
    CHECK_INT(words.size, 0);
    o = (inner){.name = "a b", .mode = NULL, .count = 7, .time = 0.1, .all = true};
    CHECK(ob__options_append_words(INNER, &o, &words));
    static const char WANT[] = "--name=a b\0--count=7\0--time-limit=0.1\0--all";
    CHECK_INT(words.size, sizeof WANT);
    CHECK(words.size == sizeof WANT && memcmp(words.data, WANT, sizeof WANT) == 0);
    ob_text_fini(&words);
}

static void json_there_and_back(void)
{
    ob_json_doc *doc;
    ob_err err;
    inner o = {.name = "x", .count = 4, .time = 1e-3, .all = true}, back = {.name = NULL};
    char *text;
    size_t length;
    CHECK_INT(ob_json_doc_create(&doc, &err), OB_OK);
    ob_json *object = ob_json_new_object(doc);
    CHECK_INT(ob_options_to_json(INNER, &o, doc, object, &err), OB_OK);
    CHECK_INT(ob_json_print(object, &text, &length, &err), OB_OK);
    CHECK_STR(text, "{\"name\": \"x\", \"mode\": null, \"count\": 4, \"time_limit\": 0.001, "
                    "\"all\": true, \"graph\": false, \"trace_path\": false}");
    free(text);
    CHECK_INT(ob_options_init(INNER, &back, NULL), OB_OK);
    ob_options_from_json(INNER, object, &back);
    CHECK_STR(back.name, "x");
    CHECK(back.mode == NULL);
    CHECK_INT(back.count, 4);
    CHECK_REAL(back.time, 1e-3);
    CHECK(back.all);
    CHECK_INT(ob_options_init(INNER, &back, NULL), OB_OK);
    CHECK_INT(ob_json_set(doc, object, "count", ob_json_new_string(doc, "5", 1), &err), OB_OK);
    ob_options_from_json(INNER, object, &back);
    CHECK_INT(back.count, -1); /* another kind says nothing */
    ob_options_from_json(INNER, NULL, &back);
    CHECK_STR(back.name, "x");
    ob_json_doc_destroy(doc);
}

static void check_block(const ob_option *rows, const char *group, const char *want)
{
    ob_text text = {0};
    CHECK(ob_options_append_help(rows, group, &text));
    CHECK(ob_text_append(&text, "", 1));
    CHECK_STR(text.data, want);
    ob_text_fini(&text);
}

static void help_is_in_groups(void)
{
    CHECK_STR(ob_options_next_group(INNER, NULL), "Options");
    CHECK_STR(ob_options_next_group(INNER, "Options"), "Measuring");
    CHECK(ob_options_next_group(INNER, "Measuring") == NULL);
    check_block(INNER, "Options",
                "      --name NAME           Who. Default: the first.\n"
                "      --time-limit SECONDS  How long. Default: 2.5 seconds.\n"
                "      --graph               A graph. Refused: there is none; leave it out.\n");
    check_block(INNER, "Measuring",
                "      --mode MODE           How. One of on|off. Default: off.\n"
                "  -n, --count N             How many. Default: all.\n"
                "  -a, --all                 All of them.\n");
    check_block(INNER, "Nothing", "");
}

static void long_help_is_wrapped(void)
{
    static const ob_option TABLE[] = {
        {.name = "config",
         .letter = 'c',
         .type = OB_OPTION_STRING,
         .value = "FILE",
         .help =
             "Benchmark config to read. A text that is longer than the rest of the line goes on."},
        {.name = "cache", .type = OB_OPTION_CHOICE, .choices = "hot|cold", .help = "Caf\xc3\xa9."},
        {.name = "a-very-long-option-name",
         .type = OB_OPTION_STRING,
         .value = "WITH-A-VALUE",
         .help = "Below."},
        {.name = "any", .type = OB_OPTION_INT, .help = "Any."},
        {.name = NULL},
    };
    check_block(TABLE, "Options",
                "  -c, --config FILE     Benchmark config to read. A text that is longer than the\n"
                "                        rest of the line goes on.\n"
                "      --cache hot|cold  Caf\xc3\xa9.\n"
                "      --a-very-long-option-name WITH-A-VALUE\n"
                "                        Below.\n"
                "      --any VALUE       Any.\n");
    char title[8];
    CHECK_INT(ob_option_format_title(&TABLE[0], title, sizeof title), 17);
    CHECK_STR(title, "-c, --c");
    CHECK(ob_options_next_group(&TABLE[4], NULL) == NULL);
}

int main(void)
{
    RUN(tables_are_joined);
    RUN(old_names_are_taken);
    RUN(defaults_come_from_rows);
    RUN(refusals_say_why);
    RUN(what_matters_is_compared);
    RUN(words_are_what_is_no_default);
    RUN(json_there_and_back);
    RUN(help_is_in_groups);
    RUN(long_help_is_wrapped);
    return ob_test_end();
}
