/* SPDX-License-Identifier: Apache-2.0 */
#include "base/nearest.h"
#include "check.h"
#include "opbench/option.h"
#include "opbench/text.h"

#include <locale.h>

typedef struct options {
    const char *config;
    const char *mode;
    int64_t count;
    int64_t any;
    double time, share;
    bool all, backward;
} options;

static const ob_option ROWS[] = {
    {.name = "config",
     .letter = 'c',
     .type = OB_OPTION_STRING,
     .value = "FILE",
     .offset = offsetof(options, config),
     .help = "Benchmark config; - reads standard input."},
    {.name = "mode",
     .type = OB_OPTION_CHOICE,
     .choices = "on|off|auto",
     .offset = offsetof(options, mode),
     .help = "How."},
    {.name = "count",
     .letter = 'n',
     .type = OB_OPTION_INT,
     .value = "N",
     .min = -5,
     .max = 100,
     .offset = offsetof(options, count),
     .help = "How many."},
    {.name = "any",
     .type = OB_OPTION_INT,
     .value = "N",
     .offset = offsetof(options, any),
     .help = "Any number."},
    {.name = "share",
     .type = OB_OPTION_DOUBLE,
     .value = "FRACTION",
     .open = true,
     .max = 1,
     .offset = offsetof(options, share),
     .help = "A part."},
    {.name = "time",
     .letter = 't',
     .type = OB_OPTION_DOUBLE,
     .unit = "seconds",
     .min = 0.5,
     .max = 60,
     .offset = offsetof(options, time),
     .help = "How long."},
    {.name = "all",
     .letter = 'a',
     .type = OB_OPTION_FLAG,
     .offset = offsetof(options, all),
     .help = "All of them."},
    {.name = "backward",
     .letter = 'b',
     .type = OB_OPTION_FLAG,
     .offset = offsetof(options, backward),
     .help = "Backward too."},
    {.name = NULL},
};

enum { MAX_WORDS = 16 };

static options got;
static const char *words[MAX_WORDS];
static size_t word_count;
static ob_err err;

static ob_status parse(const char *const *argv)
{
    char *copy[MAX_WORDS];
    int argc = 0;
    for (; argv[argc]; argc++)
        copy[argc] = (char *)(uintptr_t)argv[argc];
    got = (options){0};
    ob_err_clear(&err);
    return ob_options_parse(ROWS, argc, copy, &got, words, &word_count, &err);
}
#define PARSE(...) parse((const char *const[]){"prog", __VA_ARGS__, NULL})

static void spellings(void)
{
    CHECK_INT(PARSE("--config", "a.json"), OB_OK);
    CHECK_STR(got.config, "a.json");
    CHECK_INT(PARSE("--config=b=c"), OB_OK);
    CHECK_STR(got.config, "b=c");
    CHECK_INT(PARSE("--config="), OB_OK);
    CHECK_STR(got.config, "");
    CHECK_INT(PARSE("-c", "x"), OB_OK);
    CHECK_STR(got.config, "x");
    CHECK_INT(PARSE("-cx"), OB_OK);
    CHECK_STR(got.config, "x");
    CHECK_INT(PARSE("-c", "-"), OB_OK);
    CHECK_STR(got.config, "-");
    CHECK_INT(PARSE("-c", "--all"), OB_OK); /* a value is a value */
    CHECK_STR(got.config, "--all");
    CHECK(!got.all);
    CHECK_INT(PARSE("-ab"), OB_OK);
    CHECK(got.all && got.backward);
    CHECK_INT(PARSE("-abcfile"), OB_OK);
    CHECK(got.all && got.backward);
    CHECK_STR(got.config, "file");
    CHECK_INT(PARSE("-ac", "file"), OB_OK);
    CHECK_STR(got.config, "file");
    CHECK_INT(PARSE("-cfirst", "--config=last"), OB_OK);
    CHECK_STR(got.config, "last");
}

static void positionals(void)
{
    CHECK_INT(PARSE("one", "-a", "-", "--", "-b", "--config"), OB_OK);
    CHECK_INT(word_count, 4);
    CHECK_STR(words[0], "one");
    CHECK_STR(words[1], "-");
    CHECK_STR(words[2], "-b");
    CHECK_STR(words[3], "--config");
    CHECK(got.all && !got.backward);
    CHECK_INT(PARSE("--", "--"), OB_OK);
    CHECK_INT(word_count, 1);
    CHECK_STR(words[0], "--");
    CHECK_INT(PARSE("-2", "-a", "-.5", "-9223372036854775808"), OB_OK); /* numbers are no options */
    CHECK_INT(word_count, 3);
    CHECK_STR(words[1], "-.5");
    CHECK(got.all);
    CHECK_INT(PARSE(""), OB_OK); /* an empty word is one */
    CHECK_INT(word_count, 1);
    CHECK_INT(ob_options_parse(ROWS, 0, NULL, &got, words, &word_count, &err), OB_OK);
    CHECK_INT(word_count, 0);
}

static void numbers(void)
{
    CHECK_INT(PARSE("--count", "-5"), OB_OK);
    CHECK_INT(got.count, -5);
    CHECK_INT(PARSE("-n100"), OB_OK);
    CHECK_INT(got.count, 100);
    CHECK_INT(PARSE("--count=+7"), OB_OK);
    CHECK_INT(got.count, 7);
    CHECK_INT(PARSE("--any=-9223372036854775808"), OB_OK);
    CHECK_INT(got.any, INT64_MIN);
    CHECK_INT(PARSE("--any=9223372036854775807"), OB_OK);
    CHECK_INT(got.any, INT64_MAX);
    static const struct {
        const char *text;
        double value;
    } REALS[] = {{"0.5", 0.5}, {"60", 60},       {".75", 0.75}, {"5.", 5},
                 {"1e1", 10},  {"+2.5E+0", 2.5}, {"0.1e1", 1},  {"5000e-3", 5}};
    for (size_t i = 0; i < sizeof REALS / sizeof REALS[0]; i++) {
        CHECK_INT(PARSE("--time", REALS[i].text), OB_OK);
        CHECK_REAL(got.time, REALS[i].value);
    }
}

/* People say shares in per cent, and of nothing else. */
static void shares(void)
{
    CHECK_INT(PARSE("--share", "5%"), OB_OK);
    CHECK_REAL(got.share, 0.05);
    CHECK_INT(PARSE("--share=+12.5%"), OB_OK);
    CHECK_REAL(got.share, 0.125);
    CHECK_INT(PARSE("--share", "0.05"), OB_OK);
    CHECK_REAL(got.share, 0.05);
}

static void bad_numbers(void)
{
    static const struct {
        const char *option, *value, *message;
    } CASES[] = {
        {"--count", "101", "--count: 101 is out of range; give a number from -5 to 100"},
        {"--count", "-6", "--count: -6 is out of range"},
        {"-n", "x", "-n: 'x' is not a whole number; give one from -5 to 100"},
        {"--count", "", "--count: '' is not a whole number"},
        {"--count", "1.0", "'1.0' is not a whole number"},
        {"--count", " 1", "' 1' is not a whole number"},
        {"--count", "1 ", "'1 ' is not a whole number"},
        {"--count", "0x10", "'0x10' is not a whole number"},
        {"--count", "-", "'-' is not a whole number"},
        {"--count", "+-1", "'+-1' is not a whole number"},
        {"--any", "9223372036854775808", "--any: 9223372036854775808 does not fit 64 bits"},
        {"--any", "99999999999999999999999999", "does not fit 64 bits"},
        {"--any", "a", "--any: 'a' is not a whole number"},
        {"--time", "0.49", "--time: 0.49 is out of range; give a number from 0.5 to 60"},
        {"--time", "5%", "--time: '5%' is not a number"},
        {"--share", "5",
         "--share: 5 is out of range; give a number above 0 and below 1, or a percentage such as "
         "5%"},
        {"--share", "%", "--share: '%' is not a number"},
        {"--share", "100%", "--share: 100% is out of range"},
        {"--time", "1e999", "--time: 1e999 is too large for a double"},
        {"-t", "nan", "-t: 'nan' is not a number"},
        {"--time", "5m", "--time: '5m' is not a number; give one from 0.5 to 60 (in seconds)"},
        {"--time", "inf", "'inf' is not a number"},
        {"--time", "0x1p3", "'0x1p3' is not a number"},
        {"--time", "1,5", "'1,5' is not a number"},
        {"--time", ".", "'.' is not a number"},
        {"--time", "1e", "'1e' is not a number"},
        {"--time", "1e+", "'1e+' is not a number"},
        {"--time", "e5", "'e5' is not a number"},
        {"--time", "--5", "'--5' is not a number"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        CHECK_INT(PARSE(CASES[i].option, CASES[i].value), OB_ERR_INVALID);
        CHECK_HAS(err.message, CASES[i].message);
        CHECK_INT(got.count, 0);
        CHECK_INT(got.any, 0);
        CHECK_REAL(got.time, 0);
    }
}

/* A process whose decimal point is a comma reads the same numbers. */
static void locales(void)
{
    static const char *const COMMA[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "ru_RU.UTF-8"};
    for (size_t i = 0; i < sizeof COMMA / sizeof COMMA[0]; i++) {
        if (setlocale(LC_ALL, COMMA[i]))
            break;
    }
    CHECK_INT(PARSE("--time", "1.500000000000000000000000000000000000000001"), OB_OK);
    CHECK_REAL(got.time, 1.5);
    setlocale(LC_ALL, "C");
}

static void choices(void)
{
    CHECK_INT(PARSE("--mode", "off"), OB_OK);
    CHECK_STR(got.mode, "off");
    CHECK_INT(PARSE("--mode=auto"), OB_OK);
    CHECK_STR(got.mode, "auto");
    static const char *const BAD[] = {"o", "of", "offf", "", "on|off", "|"};
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        CHECK_INT(PARSE("--mode", BAD[i]), OB_ERR_INVALID);
        CHECK_HAS(err.message, "is not a choice; give one of on|off|auto");
        CHECK(got.mode == NULL);
    }
}

static void refused(void)
{
    static const struct {
        const char *word, *message;
    } CASES[] = {
        {"--confg", "unknown option --confg; did you mean --config?"},
        {"--ocnfig=x", "unknown option --ocnfig; did you mean --config?"},
        {"--conf", "unknown option --conf; did you mean --config?"},
        {"--tiem", "unknown option --tiem; did you mean --time?"},
        {"--verbose", "unknown option --verbose; see --help"},
        {"--=x", "unknown option --; see --help"},
        {"-x", "unknown option -x in '-x'; see --help"},
        {"-ax", "unknown option -x in '-ax'; see --help"},
        {"-a-", "unknown option -- in '-a-'"},
        {"-\xc3\xa9", "'-\xc3\xa9' is not an option"},
        {"--config", "--config needs a value: --config FILE"},
        {"-n", "-n needs a value: -n N"},
        {"--mode", "--mode needs a value: --mode on|off|auto"},
        {"-bt", "-t needs a value: -t SECONDS"},
        {"--all=yes", "--all takes no value; write it without '=yes'"},
        {"--all=", "--all takes no value"},
        {"--Config", "did you mean --config?"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        CHECK_INT(PARSE(CASES[i].word), OB_ERR_INVALID);
        CHECK_HAS(err.message, CASES[i].message);
    }
    char longest[100000];
    memset(longest, 'y', sizeof longest);
    memcpy(longest, "--", 2);
    longest[sizeof longest - 1] = '\0';
    CHECK_INT(PARSE(longest), OB_ERR_INVALID);
    CHECK_HAS(err.message, "unknown option --yyyy");
}

/* Whoever writes the end of a name means the only option that ends so. */
static void ends_of_names(void)
{
    static const ob_option LONGER[] = {
        {.name = "num-threads", .type = OB_OPTION_FLAG, .help = "a"},
        {.name = "hidden-pages", .type = OB_OPTION_FLAG}, /* without help: never named */
        {.name = "min-time", .type = OB_OPTION_FLAG, .help = "b"},
        {.name = "max-time", .type = OB_OPTION_FLAG, .help = "c"},
        {.name = NULL},
    };
    static const char *const CASES[][2] = {
        {"--threads", "unknown option --threads; did you mean --num-threads?"},
        {"--threads=4", "unknown option --threads; did you mean --num-threads?"},
        {"--hreads", "unknown option --hreads; see --help"},
        {"--pages", "unknown option --pages; see --help"},
        {"--time", "unknown option --time; see --help"}, /* two end so */
        {"--=4", "unknown option --; see --help"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char *argv[] = {(char *)(uintptr_t) "prog", (char *)(uintptr_t)CASES[i][0], NULL};
        CHECK_INT(ob_options_parse(LONGER, 2, argv, &got, words, &word_count, &err),
                  OB_ERR_INVALID);
        CHECK_STR(err.message, CASES[i][1]);
    }
}

static void nearest(void)
{
    static const char *const NAMES[] = {"run", "expand", "list", "help",
                                        "torch.nn.functional.relu"};
    enum { COUNT = sizeof NAMES / sizeof NAMES[0] };
    CHECK_STR(ob_nearest_name("expnad", NAMES, COUNT), "expand");
    CHECK_STR(ob_nearest_name("rnu", NAMES, COUNT), "run");
    CHECK_STR(ob_nearest_name("lst", NAMES, COUNT), "list");
    CHECK_STR(ob_nearest_name("help", NAMES, COUNT), "help");
    CHECK_STR(ob_nearest_name("torch.nn.functionnal.Relu", NAMES, COUNT),
              "torch.nn.functional.relu");
    CHECK_STR(ob_nearest_name("", NAMES, COUNT), NULL);
    CHECK_STR(ob_nearest_name("x", NAMES, COUNT), NULL);
    CHECK_STR(ob_nearest_name("measure", NAMES, COUNT), NULL);
    CHECK_STR(ob_nearest_name("rust", NAMES, 0), NULL);
    static const char *const TIES[] = {"bat", "cat", "hat", "cats", "catt"};
    CHECK_STR(ob_nearest_name("mat", TIES, 5), "bat"); /* the first of equals */
    CHECK_STR(ob_nearest_name("cat", TIES, 5), "cat"); /* an exact one wins */
    CHECK_STR(ob_nearest_name("catz", TIES, 5), "cat");
    char word[121], name[131];
    memset(word, 'w', sizeof word);
    memset(name, 'w', sizeof name);
    word[120] = name[130] = '\0';
    const char *const longest[] = {name};
    CHECK_STR(ob_nearest_name(word, longest, 1), NULL); /* beyond what is searched for */
    CHECK_STR(ob_nearest_name(name, longest, 1), NULL);
    name[128] = '\0';
    CHECK_STR(ob_nearest_name(word, longest, 1), name);
    static const char *const SHORT[] = {"a", "ab"};
    CHECK_STR(ob_nearest_name("b", SHORT, 2), NULL); /* all letters wrong is no misspelling */
}

static void near_names_in_messages(void)
{
    CHECK_STR(ob__near_text("add", "; did you mean \"", "\"?", ";").text,
              "; did you mean \"add\"?");
    CHECK_STR(ob__near_text(NULL, "; did you mean \"", "\"?", ";").text, ";");
}

typedef struct listed {
    ob_option_list sides;
} listed;

static void lists(void)
{
    static const ob_option LISTED[] = {
        OB_OPTION(LIST, "side", listed, sides, .affects_measurement = true), {.name = NULL}};
    char *argv[] = {"p", "--side", "a:x=1", "--side=b", "word", NULL};
    char *many[OB_OPTION_MAX_VALUES + 2] = {"p"};
    const char *found[OB_OPTION_MAX_VALUES + 2];
    listed l = {{{NULL}}}, back = {{{NULL}}};
    ob_json_doc *doc;
    ob_err wrong;
    size_t count;
    char value[64];
    CHECK_INT(ob_options_parse(LISTED, 5, argv, &l, found, &count, &wrong), OB_OK);
    CHECK_STR(l.sides.items[0], "a:x=1");
    CHECK_STR(l.sides.items[1], "b");
    CHECK(l.sides.items[2] == NULL);
    CHECK_INT(count, 1);
    ob_option_format_value(LISTED, &l, value, sizeof value);
    CHECK_STR(value, "a:x=1 and others");
    CHECK(!ob_option_is_default(LISTED, &l) && ob_option_is_default(LISTED, &back));
    CHECK(ob_options_find_difference(LISTED, &l, &back) == LISTED);
    CHECK_INT(ob_json_doc_create(&doc, NULL), OB_OK);
    ob_json *object = ob_json_new_object(doc);
    CHECK_INT(ob_options_to_json(LISTED, &l, doc, object, NULL), OB_OK);
    ob_options_from_json(LISTED, object, &back);
    CHECK(ob_options_find_difference(LISTED, &l, &back) == NULL);
    ob_json_doc_destroy(doc);
    for (int i = 1; i < OB_OPTION_MAX_VALUES + 2; i++)
        many[i] = "--side=x";
    l = (listed){{{NULL}}};
    CHECK_INT(ob_options_parse(LISTED, OB_OPTION_MAX_VALUES + 2, many, &l, found, &count, &wrong),
              OB_ERR_INVALID);
    CHECK_HAS(wrong.message, "8 times at most");
}

/* ---- what was given ---- */

static ob_text seen;

static void note_seen(void *ctx, const ob_option *row, const char *value)
{
    CHECK(ctx == &seen);
    ob_text_printf(&seen, "%s%s=%s", seen.size > 0 ? " " : "", row != NULL ? row->name : "",
                   value != NULL ? value : "(flag)");
}

/* Defaults that are given are there, letters are told one by one, nothing is checked but names. */
static void walk(void)
{
    char *line[] = {"x", "-abn", "0", "w", "--mode=nonsense", "-2", "-cf", "--", "--all", NULL};
    CHECK_INT(ob_options_walk(ROWS, 9, line, note_seen, &seen, &err), OB_OK);
    CHECK(ob_text_append(&seen, "", 1));
    CHECK_STR(seen.data, "all=(flag) backward=(flag) count=0 =w mode=nonsense =-2 config=f =--all");
    ob_text_fini(&seen);
    char *wrong[] = {"x", "--nonsense", NULL};
    CHECK_INT(ob_options_walk(ROWS, 2, wrong, note_seen, &seen, &err), OB_ERR_INVALID);
    CHECK(seen.size == 0);
}

int main(void)
{
    RUN(lists);
    RUN(spellings);
    RUN(positionals);
    RUN(numbers);
    RUN(shares);
    RUN(bad_numbers);
    RUN(locales);
    RUN(choices);
    RUN(refused);
    RUN(ends_of_names);
    RUN(nearest);
    RUN(near_names_in_messages);
    RUN(walk);
    return ob_test_end();
}
