/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench diff: is it slower than before? Verdicts on the cases of stored results.
 */
#include "diff_line.h"
#include "help/help.h"
#include "interrupts.h"
#include "screen.h"
#include "show/measurement_files.h"
#include "side_keys.h"

#include "opbench/measure.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* To `git bisect run` 1 to 127 say that a revision is bad, but 125 that it cannot be told; more ends the bisection. */
enum {
    EXIT_WORSE = OB_EXIT_FAILED,
    EXIT_UNDECIDED = 3,
    EXIT_CANNOT_TELL = 125,
    EXIT_END_BISECTION = 255
};

#define ROW(kind, name, field, ...) OB_OPTION(kind, name, ob_diff_line, field, __VA_ARGS__)
#define RUN offsetof(ob_diff_line, run)
#define JOB offsetof(ob_diff_line, job)
#define MEASURING .group = "Measuring sides"
#define JUDGING .group = "Verdicts"

static const ob_option OPTIONS[] = {
    ROW(DOUBLE, "threshold", threshold, JUDGING, .value = "FRACTION", .open = true, .max = 1,
        .initial = OB_OPTION_NUMBER(OB_VERDICT_THRESHOLD),
        .help = "A difference of at most this fraction counts as `same`; anything slower by more "
                "fails."),
    ROW(DOUBLE, "floor", floor, .rare = true, JUDGING, .value = "FRACTION", .open = true, .max = 1,
        .otherwise = OB_OPTION_NUMBER(
            OB_VERDICT_FLOOR) ", or what opbench doctor --aa found if that is more",
        .help = "The difference that the placement of code and data can make by chance; nothing "
                "smaller is called faster or slower."),
    ROW(STRING, "fail-on", fail_on, JUDGING, .value = "LIST",
        .otherwise = "slower,memory,failed, but not memory between two backends",
        .help = "What makes the exit code 1: slower, memory, failed (includes missing and wrong "
                "results), separated by commas, or nothing."),
    ROW(FLAG, "strict", strict, JUDGING, .help = "Exit with 3 if a case is undecided."),
    ROW(FLAG, "bisect", bisect, .rare = true, JUDGING,
        .help = "Exit codes for `git bisect run`: 0 nothing is worse, 1 something is, 125 "
                "undecided, not comparable, or files or measuring failed, 255 wrong usage."),
    ROW(STRING, "allow", allow, JUDGING, .value = "FILE",
        .help = "Accept that the cases in this JSON file are slower or need more memory. It has "
                "[{\"key\": KEY, \"reason\": TEXT, \"until\": \"2026-12-31\", \"at_most\": 0.05}, "
                "...]; at_most, how much slower, is optional."),
    OB_OPTION_ROWS_OF(ob__text_rows, "config", offsetof(ob_diff_line, config), MEASURING),
    OB_OPTION_ROWS_OF(ob__text_rows, "op", offsetof(ob_diff_line, op), MEASURING, .rare = true,
                      .help = "The operator, instead of the first word; with -c only its cases."),
    OB_OPTION_ROWS_OF(ob__text_rows, "case", offsetof(ob_diff_line, only_case), MEASURING,
                      .rare = true),
    ROW(STRING, "a", a, MEASURING, .value = "SIDE",
        .help = "The baseline: NAME:key=value,... with the keys " OB_CLI_SIDE_KEYS
                "; or the name of a backend. Escape a comma in a value with a backslash."),
    ROW(STRING, "b", b, MEASURING, .value = "SIDE", .help = "The side to compare with it."),
    ROW(LIST, "axis", axes, MEASURING, .value = "KEY=A,B,...",
        .help = "One side per value, such as cflags=-O1,-O2,-O3 or env.NAME=1,2; several axes give "
                "every combination. The first is the baseline."),
    ROW(LIST, "side", sides, MEASURING, .value = "SIDE",
        .help = "A side; give it once per side, the baseline first."),
    ROW(STRING, "sides", sides_file, .rare = true, MEASURING, .value = "FILE",
        .help = "A JSON file with a list of sides: [{\"name\": \"old\", \"backend\": \"native\", "
                "\"env\": {\"A\": \"b\"}}, ...]. The file decides what is run: use only your own."),
    ROW(DOUBLE, "budget", budget_s, MEASURING, .unit = "seconds", .min = 0.001, .max = 1e6,
        .initial = "1",
        .help = "Longest time to measure a case, all sides and processes together; a clear result "
                "ends sooner. The time to start processes is not included."),
    OB_OPTION_ROWS_OF(ob_run_option_rows, "processes", RUN, MEASURING, .initial = "20",
                      .help = "Maximum number of fresh processes for each case and side."),
    OB_OPTION_ROWS_OF(
        ob_run_option_rows, "count", RUN, MEASURING, .rare = true,
        .help = "Also count instructions, under valgrind, once per case and side: shows their "
                "exact ratio next to that of the times, and which functions changed."),
    OB_OPTION_ROWS_OF(ob_run_option_rows, "count-number|count-timeout", RUN, MEASURING),
    OB_SNIPPET_ROWS(offsetof(ob_diff_line, snippet)),
    OB_SUITE_CHOICE_ROWS(offsetof(ob_diff_line, suite)),
    ROW(STRING, "b-stmt", b_stmt, .value = "CODE", .group = "Statements and suites",
        .help =
            "With --lang: the statement of the second side, if it differs; @FILE reads a file."),
    OB_OPTION_ROWS_OF(ob_run_option_rows,
                      "backend|backend-options|device|backward|num-threads|membind|seed|max-memory|"
                      "inference-mode|check|library-caps",
                      RUN),
    OB_OPTION_ROWS_OF(ob_run_option_rows, "warmup|pin|cache|case-timeout", RUN, .rare = true),
    ROW(STRING, "records", job.output, .rare = true, .value = "FILE", .group = "Output",
        .help = "Keep the records of the measurement in this file; `opbench diff FILE` repeats the "
                "verdicts on it."),
    OB_OPTION_ROWS_OF(ob__job_rows, "tag|" OB_JOB_SHARD_ROWS, JOB),
    OB_OPTION_ROWS_OF(ob__job_rows, "sort|top", JOB, .rare = true),
    OB_OPTION_ROWS_OF(ob__job_rows, "quiet", JOB),
    ROW(CHOICE, "format", format, .value = "FORMAT", .choices = "table|markdown|json|csv|junit",
        .initial = "table", .group = "Output",
        .help = "markdown is for a pull request, junit for CI systems."),
    ROW(STRING, "output", output, .letter = 'o', .value = "FILE", .otherwise = "standard output",
        .group = "Output", .help = "Write the output to this file."),
    ROW(FLAG, "force", force, .group = "Output", .help = "Replace the file if it exists."),
    {.name = NULL},
};

static void init(void *line)
{
    ob_diff_line *o = line;
    ob_run_options_init(&o->run);
}

/* ---- options ---- */

/* Of options that may not have been read. */
static int usage_exit(const ob_cli *cli)
{
    for (int i = 1; i < cli->line_count; i++)
        if (strcmp(cli->line[i], "--bisect") == 0)
            return EXIT_END_BISECTION;
    return OB_EXIT_USAGE;
}

/* Of what went wrong: a revision that cannot be measured is not a bad one. */
static int error_exit(const ob_diff_line *o, int code)
{
    const bool ends = code == EXIT_END_BISECTION || code == OB_EXIT_INTERRUPTED;
    return o->bisect && !ends ? EXIT_CANNOT_TELL : code;
}

static const struct {
    const char *word;
    uint32_t bit;
} FAILS_ON[] = {{"slower", OB_DIFF_TOLERATE_SLOWER},
                {"memory", OB_DIFF_TOLERATE_MEMORY},
                {"failed", OB_DIFF_TOLERATE_FAILURES}};

static bool is_word(const char *at, size_t length, const char *word)
{
    return strlen(word) == length && strncmp(at, word, length) == 0;
}

/* What is not in the list is tolerated. */
static int read_fail_on(ob_cli *cli, const char *list, uint32_t *tolerate)
{
    /* Who compares two implementations wants to know of their memory, not to fail for it. */
    *tolerate = OB_DIFF_TOLERATE_OTHER_MEMORY;
    if (list == NULL)
        return OB_EXIT_OK;
    *tolerate = OB_DIFF_TOLERATE_SLOWER | OB_DIFF_TOLERATE_MEMORY | OB_DIFF_TOLERATE_FAILURES;
    if (strcmp(list, "nothing") == 0)
        return OB_EXIT_OK;
    for (const char *at = list;; at++) {
        const size_t length = strcspn(at, ",");
        bool known = false;
        for (size_t i = 0; i < sizeof FAILS_ON / sizeof *FAILS_ON; i++)
            if (is_word(at, length, FAILS_ON[i].word)) {
                *tolerate &= ~FAILS_ON[i].bit;
                known = true;
            }
        if (!known)
            return ob__cli_usage_error(cli,
                                       "--fail-on knows slower, memory, failed and nothing, not "
                                       "\"%.*s\"",
                                       (int)length, at);
        at += length;
        if (*at == '\0')
            return OB_EXIT_OK;
    }
}

/* ---- files ---- */

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

/* The file's name, with its folders where another has the same, and a number for a file that was given before. */
static void name_side(const ob_cli_call *call, size_t index, char *out, size_t size)
{
    const char *name = last_part(call->words[index]);
    size_t before = 0;
    for (size_t i = 0; i < call->word_count; i++) {
        if (i != index && strcmp(name, last_part(call->words[i])) == 0)
            name = call->words[index];
        before += i < index && strcmp(call->words[i], call->words[index]) == 0;
    }
    if (before > 0)
        snprintf(out, size, "%s (%zu)", name, before + 1);
    else
        snprintf(out, size, "%s", name);
}

/* Options that say how to measure say nothing of what was measured. */
static int check_files(ob_cli *cli, const ob_diff_line *o)
{
    const ob_option *rows = ob__cli_own_options(cli->command);
    for (const ob_option *row = rows; row->name != NULL; row++) {
        const bool fits =
            strcmp(row->name, "records") != 0 && row->group != NULL &&
            (strcmp(row->group, "Verdicts") == 0 || strcmp(row->group, "Output") == 0);
        if (!fits && !ob_option_is_default(row, o))
            return ob__cli_usage_error(
                cli, "--%s is for sides measured now, but these are files of results; leave it out",
                row->name);
    }
    return OB_EXIT_OK;
}

typedef struct reading {
    ob_diff *diff;
    size_t results;
    int64_t left; /* results that the last header promised, and that did not come */
    bool is_cut;  /* some of an earlier header did not */
} reading;

/* A line of a case's part, or of its kernels, is none that the header counts; an interrupted case is measured again. */
static bool is_counted(const ob_record *record)
{
    return record->kind == OB_RECORD_RESULT_LINE && record->result.part_of == NULL &&
           record->result.status != OB_RECORD_INTERRUPTED;
}

static ob_status add_record(void *ctx, const ob_record *record, ob_err *err)
{
    reading *r = ctx;
    r->results += record->kind == OB_RECORD_RESULT_LINE;
    if (record->kind == OB_RECORD_HEADER_LINE) {
        r->is_cut |= r->left > 0;
        r->left = record->header.cases;
    } else if (record->kind == OB_RECORD_FINISH_LINE) {
        r->left = 0;
    } else if (r->left > 0) {
        r->left -= is_counted(record);
    }
    return ob_diff_add(r->diff, record, err);
}

static ob_status read_file(ob_cli *cli, const ob_cli_call *call, size_t index, ob_diff *diff,
                           bool *is_cut, ob_err *err)
{
    ob_cli_input input;
    char name[PATH_MAX + 32];
    name_side(call, index, name, sizeof name);
    /* The backends of one file are its sides. */
    if (call->word_count > 1)
        OB_TRY(ob_diff_add_side(diff, name, err));
    OB_TRY(ob__cli_input_open(call->words[index], &input, err));
    reading r = {.diff = diff};
    const ob_status status = ob__cli_input_each(cli, &input, add_record, &r, err);
    ob__cli_input_close(&input);
    ob_json_doc *whole = NULL;
    if (status == OB_ERR_SYNTAX && strcmp(call->words[index], "-") != 0 &&
        ob_json_parse_file(call->words[index], NULL, &whole, NULL) == OB_OK) {
        ob_json_doc_destroy(whole);
        return ob_err_set(
            err, OB_ERR_INVALID,
            "%s: it is one JSON document and not lines of results; if it is a config, "
            "measure it now: -c %s --a SIDE --b SIDE",
            call->words[index], call->words[index]);
    }
    if (status == OB_OK && r.results == 0)
        return ob_err_set(err, OB_ERR_INVALID, "%s: it has no results", call->words[index]);
    if (status == OB_OK && (r.left > 0 || r.is_cut)) {
        ob__cli_warn(cli, "%s: the run was cut off, so cases may be missing", call->words[index]);
        *is_cut = true;
    }
    return status;
}

static void name_today(char *out, size_t size)
{
    const time_t now = time(NULL);
    struct tm local;
    if (localtime_r(&now, &local) == NULL || strftime(out, size, "%Y-%m-%d", &local) == 0)
        out[0] = '\0';
}

static ob_status read_files(ob_cli *cli, const ob_cli_call *call, ob_diff *diff, bool *is_cut,
                            ob_err *err)
{
    for (size_t i = 0; i < call->word_count; i++)
        OB_TRY(read_file(cli, call, i, diff, is_cut, err));
    return OB_OK;
}

static ob_status judge(const ob_diff_line *o, ob_diff *diff, ob_err *err)
{
    char today[16];
    name_today(today, sizeof today);
    if (o->allow != NULL)
        OB_TRY(ob_diff_allow_file(diff, o->allow, today, err));
    OB_TRY(ob_diff_judge(diff, err));
    return ob_diff_count(diff) > 0
               ? OB_OK
               : ob_err_set(err, OB_ERR_INVALID, "there are no results to compare");
}

/* ---- what comes of it ---- */

static int exit_code(ob_cli *cli, const ob_diff_line *o, const ob_diff *diff, bool is_cut)
{
    ob_diff_summary sum = {.size = sizeof sum};
    if (ob_diff_summarise(diff, &sum, NULL) != OB_OK)
        return error_exit(o, OB_EXIT_USAGE);
    if (sum.worse > 0)
        return EXIT_WORSE;
    const size_t failed =
        sum.states[OB_DIFF_FAILS] + sum.states[OB_DIFF_DIFFERS] + sum.states[OB_DIFF_MISSING];
    if (sum.states[OB_DIFF_BOTH_FAIL] + failed == sum.rows) {
        ob__cli_warn(cli, failed == 0 ? "nothing was compared: every case failed on both sides"
                                      : "nothing was compared: every case failed or is missing");
        return error_exit(o, OB_EXIT_USAGE);
    }
    if (sum.verdicts[OB_VERDICT_UNDECIDED] > 0 || sum.states[OB_DIFF_BOTH_FAIL] > 0 || is_cut)
        return o->bisect ? EXIT_CANNOT_TELL : o->strict ? EXIT_UNDECIDED : OB_EXIT_OK;
    return OB_EXIT_OK;
}

static int print(ob_cli *cli, const ob_diff_line *o, const ob_diff *diff)
{
    ob_text text = {.data = NULL};
    ob_diff_form form;
    ob_err err;
    ob_diff_form_from_word(o->format, &form); /* the option's choices are the library's words */
    const bool on_screen =
        form == OB_DIFF_FORM_TABLE && (o->output == NULL || strcmp(o->output, "-") == 0);
    const ob_table_style style = {.size = sizeof style,
                                  .width = on_screen ? ob__cli_width(cli) : 0,
                                  .coloured = on_screen && cli->colour_out};
    const ob_table_choice choice = {.size = sizeof choice, .sort = o->job.sort, .top = o->job.top};
    const ob_status status = ob_diff_print(diff, form, &style, &choice, &text, &err);
    int code = OB_EXIT_OK;
    if (status != OB_OK)
        code = ob__cli_fail(cli, &err);
    else if (on_screen)
        ob__cli_write_styled(cli, text.data, text.size);
    else
        code = ob__cli_write_file(cli, o->output, text.data, text.size);
    ob_text_fini(&text);
    if (status == OB_ERR_NOT_FOUND) /* a column that is not there */
        return usage_exit(cli);
    /* Output that cannot be written is not "something is worse". */
    return code == OB_EXIT_OK && ob__cli_finish(cli) == OB_EXIT_OK ? OB_EXIT_OK : OB_EXIT_USAGE;
}

/* The cases that came to their end; nothing where none did. */
static void print_interrupted(ob_cli *cli, const ob_diff_line *o, ob_diff *diff)
{
    if (judge(o, diff, NULL) == OB_OK)
        print(cli, o, diff);
}

/* Measures or reads. */
static int gather(ob_cli *cli, const ob_cli_call *call, ob_diff *diff, bool *is_cut)
{
    ob_err err;
    if (ob__diff_measures(call->options))
        return ob__diff_measure(cli, call, diff);
    return read_files(cli, call, diff, is_cut, &err) == OB_OK ? OB_EXIT_OK
                                                              : ob__cli_fail(cli, &err);
}

static int run_with(ob_cli *cli, const ob_cli_call *call, uint32_t tolerate)
{
    const ob_diff_line *o = call->options;
    const bool measures = ob__diff_measures(o);
    const ob_clock clock = ob_clock_monotonic();
    /* Of what is measured now there is no header that says the clock's resolution. */
    const ob_diff_params params = {.size = sizeof params,
                                   .floor = ob__diff_floor(o),
                                   .threshold = o->threshold,
                                   .tolerate = tolerate,
                                   .most_processes = measures ? (uint64_t)o->run.processes : 0,
                                   .clock_resolution_ns =
                                       measures ? ob_clock_resolution_ns(&clock) : 0};
    ob_diff *diff = NULL;
    ob_err err;
    bool is_cut = false;
    int code = ob_diff_create(&params, &diff, &err) == OB_OK ? gather(cli, call, diff, &is_cut)
                                                             : ob__cli_fail(cli, &err);
    if (code == OB_EXIT_INTERRUPTED)
        print_interrupted(cli, o, diff);
    else if (code == OB_EXIT_OK && judge(o, diff, &err) != OB_OK)
        code = ob__cli_fail(cli, &err);
    if (code == OB_EXIT_OK)
        code = print(cli, o, diff);
    if (code == OB_EXIT_OK)
        code = exit_code(cli, o, diff, is_cut);
    else
        code = error_exit(o, code);
    ob_diff_destroy(diff);
    return code;
}

static bool has_records(const char *path)
{
    ob_record_reader *reader = NULL;
    const ob_record *record;
    if (strcmp(path, "-") == 0 || ob_record_reader_open(path, NULL, &reader, NULL) != OB_OK)
        return false;
    const bool has = ob_record_reader_next(reader, &record, NULL) == OB_OK &&
                     record->kind != OB_RECORD_OTHER_LINE;
    ob_record_reader_close(reader);
    return has;
}

/* Words are files of results; beside sides that are measured now they are a config, or an operator and its arguments, and so
 * is a first word that is no file. */
static int take_words(ob_cli *cli, ob_diff_line *o, ob_cli_call *call)
{
    const char *first = call->word_count > 0 ? call->words[0] : NULL;
    if (first == NULL || o->config != NULL || o->op != NULL || ob__diff_takes_code(o))
        return OB_EXIT_OK;
    const bool is_file = ob__cli_looks_like_config(first) || access(first, F_OK) == 0;
    if (!is_file && !ob__diff_measures(o))
        return ob__cli_usage_error(cli,
                                   "%s is not a file of results; to measure an operator, name two "
                                   "sides, such as --backend native,onednn, or use --a and --b",
                                   first);
    if (!is_file)
        return ob__cli_take_operator(cli, call, &o->op);
    if (call->word_count == 1 && ob__diff_measures(o) && !has_records(first)) {
        o->config = first;
        call->word_count = 0;
    }
    return OB_EXIT_OK;
}

static int run_line(ob_cli *cli, const ob_cli_call *call)
{
    const ob_diff_line *o = call->options;
    uint32_t tolerate;
    int code = read_fail_on(cli, o->fail_on, &tolerate);
    if (code == OB_EXIT_OK && !ob__diff_measures(o) && call->word_count == 0)
        code = ob__cli_usage_error(cli, "nothing to compare; name two files of results, or what to "
                                        "measure: CONFIG --a SIDE --b SIDE");
    if (code == OB_EXIT_OK && ob__diff_measures(o) && o->op == NULL && o->snippet.lang == NULL &&
        call->word_count > 0)
        code = ob__cli_usage_error(
            cli, "%s: compare files of results or measure sides, not both; name a config with -c",
            call->words[0]);
    if (code == OB_EXIT_OK && !ob__diff_measures(o))
        code = check_files(cli, o);
    if (code == OB_EXIT_OK && o->output != NULL && o->job.output != NULL &&
        ob__cli_is_same_file(o->output, o->job.output))
        code = ob__cli_usage_error(cli, "--records and --output name the same file, %s", o->output);
    if (code != OB_EXIT_OK)
        return error_exit(o, code);
    code = ob__cli_check_new(cli, o->output, o->force);
    if (code != OB_EXIT_OK) /* a file that is there is no wrong usage */
        return o->bisect ? EXIT_CANNOT_TELL : code;
    return run_with(cli, call, tolerate);
}

static int run(ob_cli *cli, const ob_cli_call *call)
{
    ob_diff_line line = *(const ob_diff_line *)call->options;
    ob_cli_call own = *call;
    own.options = &line;
    const int code = take_words(cli, &line, &own);
    return code == OB_EXIT_OK ? run_line(cli, &own) : error_exit(&line, code);
}

static const ob_cli_word WORDS[] = {
    {.name = "ARGUMENT",
     .many = true,
     .help =
         "Results of `opbench run` and others, the baseline first; - is standard input. Or what to "
         "measure: a config, as -c FILE, or an operator and its arguments, as in `opbench time`; "
         "with --lang the statement."},
    {.name = NULL},
};

static const char *const LOADS_ANYTHING[] = {"lang", "suite", "a",    "b",
                                             "side", "sides", "axis", NULL};

static const ob_cli_exit_row EXITS[] = {
    {OB_EXIT_OK, "nothing is worse"},
    {EXIT_WORSE, "something is worse"},
    {OB_EXIT_USAGE, "wrong command line or files, or nothing to compare"},
    {EXIT_UNDECIDED, "undecided or cut off, with diff --strict"},
    {EXIT_CANNOT_TELL, "undecided, not comparable or not measured, with diff --bisect"},
    {EXIT_END_BISECTION, "wrong command line, with diff --bisect"},
    {.meaning = NULL},
};

const ob_cli_command ob__command_diff = {
    .name = "diff",
    .libraries = OB_CLI_HEADERS, /* for statements in C++ */
    .loads_anything = LOADS_ANYTHING,
    .help = "show which cases are faster or slower than before",
    .text = "Measures the same cases on two or more sides now, or compares the cases of stored "
            "results by their keys. Each case gets both times, the change with its 95 % interval, "
            "and a verdict: faster, slower, same (within --threshold) or undecided. Failures, "
            "wrong results and missing cases come first.\n\n"
            "A side is a name and what differs: a backend and its options, a plug-in file, "
            "environment variables, threads, a device, another build of opbench; for a statement "
            "or a suite, the code, the compiler and its flags. Sides take turns, block by block, "
            "in fresh processes, until the verdict is certain or --budget is spent.\n\n"
            "With stored results, the first file is the baseline; with one file of several sides "
            "or backends, the first of them is. The undisturbed times are compared, and processes "
            "are the unit: measure with --processes 10 or more. docs/verdict.md explains it.",
    .usage = "FILE FILE... | CONFIG --a SIDE --b SIDE | OPERATOR ARGUMENT... --a SIDE --b SIDE | "
             "--lang LANG STMT --b-stmt STMT | -s SUITE --a SIDE --b SIDE",
    .words = WORDS,
    .exits = EXITS,
    .options = OPTIONS,
    .options_size = sizeof(ob_diff_line),
    .options_init = init,
    .usage_exit = usage_exit,
    .example = "opbench diff base.json new.json\n"
               "opbench diff base.json new.json --threshold 0.02 --format markdown\n"
               "opbench diff -c ops.json --a old:plugin=old/mine.so,backend=mine --b "
               "new:plugin=new/mine.so,backend=mine\n"
               "opbench diff torch.mm 'f32[256,256]' 'f32[256,256]' --backend native,onednn\n"
               "opbench diff --lang c --setup 'volatile int x = 1;' 'x *= 3;' --b-stmt 'x /= 3;'\n"
               "opbench diff -s suite.yaml --a gcc:cc=gcc --b 'clang:cc=clang,cflags=-O3'",
    .run = run,
};
