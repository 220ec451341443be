/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench count: instruction counts. This file has its options and says which part does what.
 */
#include "count_command.h"
#include "help/help.h"

#include <string.h>

static const ob_option OPTIONS[] = {
    OB_SUITE_ROWS(offsetof(ob_count_options, suite)),
    {.name = "list",
     .type = OB_OPTION_FLAG,
     .offset = offsetof(ob_count_options, list),
     .help = "With --suite: show what it expands to, without running or compiling anything."},
    {.name = "baseline",
     .type = OB_OPTION_STRING,
     .offset = offsetof(ob_count_options, baseline),
     .value = "FILE",
     .help =
         "For a suite, a config or an operator: compare with the counts that an earlier run wrote "
         "with -o or --json."},
    {.name = "max-regression",
     .rare = true,
     .type = OB_OPTION_DOUBLE,
     .offset = offsetof(ob_count_options, max_regression),
     .unit = "percent",
     .max = 1e9,
     .initial = "-1",
     .otherwise = "0",
     .help = "With --baseline: exit with 1 if a count grew by more than this."},
    {.name = "ci",
     .rare = true,
     .type = OB_OPTION_STRING,
     .offset = offsetof(ob_count_options, ci),
     .value = "FILE",
     .help = "With --suite: also take times, one snippet at a time, and write the same file as "
             "PyTorch's own runs; --force replaces an existing one."},
    {.name = "jobs",
     .rare = true,
     .letter = 'j',
     .type = OB_OPTION_INT,
     .offset = offsetof(ob_count_options, jobs),
     .value = "N",
     .min = 1,
     .max = 4096,
     .otherwise = "all",
     .help = "With --suite: cores to use."},
    {.name = "rounds",
     .rare = true,
     .type = OB_OPTION_INT,
     .offset = offsetof(ob_count_options, rounds),
     .value = "N",
     .min = 1,
     .max = 1000,
     .otherwise = "1; with --ci 5",
     .help = "With --suite: repeat the whole suite this many times, each time in new processes."},
    {.name = "no-times",
     .rare = true,
     .type = OB_OPTION_FLAG,
     .offset = offsetof(ob_count_options, no_times),
     .help = "With --ci: counts only."},
    {.name = "min-run-time",
     .rare = true,
     .type = OB_OPTION_DOUBLE,
     .offset = offsetof(ob_count_options, min_run_time_s),
     .unit = "seconds",
     .max = 1e6,
     .initial = "5",
     .help = "With --ci: time each snippet for at least this long."},
    OB_JOB_ADDED_FILE_ROWS(offsetof(ob_count_options, job)),
    OB_JOB_TEXT_ROWS(offsetof(ob_count_options, job), "counts"),
    {.name = "md5",
     .rare = true,
     .type = OB_OPTION_FLAG,
     .offset = offsetof(ob_count_options, md5),
     .help = "With --suite: print a hash of the names of its Python and C++ snippets, which shows "
             "whether two runs have the same ones."},
    OB_SNIPPET_ROWS(offsetof(ob_count_options, snippet)),
    {.name = "op",
     .type = OB_OPTION_STRING,
     .offset = offsetof(ob_count_options, op),
     .value = "NAME",
     .help = "Count this operator on the arguments that follow; with -c only its cases."},
    {.name = "config",
     .letter = 'c',
     .type = OB_OPTION_STRING,
     .offset = offsetof(ob_count_options, config),
     .value = "FILE",
     .help = "Count the cases of this benchmark config; - reads standard input."},
    {.name = "case",
     .rare = true,
     .type = OB_OPTION_STRING,
     .offset = offsetof(ob_count_options, only_case),
     .value = "ID",
     .help = "Only this case of the config: OPERATOR|CONFIG|BUILD|INPUT."},
    OB_OPTION_ROWS_OF(ob_run_option_rows, "backend", offsetof(ob_count_options, run),
                      .help = "Backend to count on, one name. `opbench list backends` lists them."),
    OB_OPTION_ROWS_OF(ob_run_option_rows, "backend-options", offsetof(ob_count_options, run),
                      .help = "The backend's own options, as name=value,name=value."),
    OB_OPTION_ROWS_OF(ob_run_option_rows, "device|library-caps|inference-mode",
                      offsetof(ob_count_options, run)),
    {.name = "backward",
     .letter = 'b',
     .type = OB_OPTION_FLAG,
     .offset = offsetof(ob_count_options, run.backward),
     .help = "Cases: also count the backward pass, separately."},
    {.name = "seed",
     .rare = true,
     .type = OB_OPTION_INT,
     .offset = offsetof(ob_count_options, run.seed),
     .value = "N",
     .max = 9223372036854775807.0,
     .initial = "0",
     .help = "Cases: seed for the generated data."},
    {.name = "number",
     .letter = 'n',
     .type = OB_OPTION_INT,
     .offset = offsetof(ob_count_options, number),
     .value = "N",
     .min = 1,
     .max = 1 << 30,
     .otherwise = "100 for a statement, 10 for a case",
     .help = "Number of runs to count."},
    {.name = "repeats",
     .rare = true,
     .type = OB_OPTION_INT,
     .offset = offsetof(ob_count_options, repeats),
     .value = "N",
     .min = 1,
     .max = 1000,
     .otherwise = "1; with --ci 5",
     .help = "Number of counts, all taken in one process."},
    OB_THREAD_LIST_ROW(offsetof(ob_count_options, threads)),
    {.name = "no-baseline",
     .rare = true,
     .type = OB_OPTION_FLAG,
     .offset = offsetof(ob_count_options, no_baseline),
     .help = "Python: do not count the empty statement."},
    {.name = "label",
     .rare = true,
     .type = OB_OPTION_STRING,
     .offset = offsetof(ob_count_options, label),
     .value = "TEXT",
     .help = "A name for the statement."},
    {.name = "case-timeout",
     .rare = true,
     .type = OB_OPTION_DOUBLE,
     .offset = offsetof(ob_count_options, case_timeout_s),
     .unit = "seconds",
     .max = 1e9,
     .initial = "600",
     .help = "Fail a statement whose process takes longer; 0: no limit."},
    {.name = "json",
     .type = OB_OPTION_FLAG,
     .offset = offsetof(ob_count_options, json),
     .help = "Print each count as one JSON object per line, by function; show and diff can read "
             "it, as they can records."},
    {.name = "inclusive",
     .group = "show and diff",
     .type = OB_OPTION_FLAG,
     .offset = offsetof(ob_count_options, inclusive),
     .help = "show, diff: charge a function with what it called, not only with what it executed "
             "itself."},
    {.name = "denoise",
     .group = "show and diff",
     .rare = true,
     .type = OB_OPTION_FLAG,
     .offset = offsetof(ob_count_options, denoise),
     .help = "show, diff: leave out CPython's dictionary look-ups, whose number varies."},
    {.name = "standardise",
     .group = "show and diff",
     .rare = true,
     .type = OB_OPTION_FLAG,
     .offset = offsetof(ob_count_options, standardise),
     .help = "show, diff: strip the parts of paths that differ between machines and builds."},
    {.name = "less-baseline",
     .group = "show and diff",
     .rare = true,
     .type = OB_OPTION_FLAG,
     .offset = offsetof(ob_count_options, less_baseline),
     .help = "show, diff: subtract the counts of the empty statement, if they are known."},
    {.name = "match",
     .group = "show and diff",
     .type = OB_OPTION_STRING,
     .offset = offsetof(ob_count_options, match),
     .value = "TEXT",
     .help = "show, diff: only functions with this text in \"file:function [object]\"."},
    {.name = "part",
     .group = "show and diff",
     .rare = true,
     .type = OB_OPTION_INT,
     .offset = offsetof(ob_count_options, part),
     .value = "N",
     .min = 1,
     .max = 1e9,
     .help = "show, diff: only this part of each file; callgrind writes one part per dump."},
    {.name = "all",
     .group = "show and diff",
     .type = OB_OPTION_FLAG,
     .offset = offsetof(ob_count_options, all_rows),
     .help =
         "show, diff: show every row of a table; by default the middle of a long one is left out."},
    {.name = "width",
     .group = "show and diff",
     .rare = true,
     .type = OB_OPTION_INT,
     .offset = offsetof(ob_count_options, width),
     .value = "COLUMNS",
     .min = 1,
     .max = 10000,
     .initial = "80",
     .help = "show, diff: maximum width of a line."},
    {.name = NULL},
};

/* What has no row. */
static void init(void *options)
{
    ob_count_options *o = options;
    ob_run_options_init(&o->run);
    o->job.adds = true;
}

static int run_suite(ob_cli *cli, const ob_cli_call *call)
{
    const ob_count_options *options = call->options;
    if (call->word_count > 0)
        return ob__cli_usage_error(cli, "unexpected word '%s' with --suite", call->words[0]);
    if (options->baseline != NULL && strcmp(options->baseline, "-") == 0 &&
        strcmp(options->suite.file, "-") == 0)
        return ob__cli_usage_error(
            cli, "standard input can be read only once; give the suite or the baseline as a file");
    return options->list || options->md5 ? ob__count_list(cli, options)
                                         : ob__count_snippets(cli, options, NULL, 0);
}

/* What only reads files. */
static const char *const READ_FILES[] = {"show", "diff", NULL};

/* The words are show or diff and files, unless an option says that they are something else or the first is an operator. */
static ob_count_use find_use(const ob_count_options *o)
{
    return o->suite.file != NULL                ? OB_COUNT_SUITE
           : o->op != NULL || o->config != NULL ? OB_COUNT_CASES
           : o->snippet.lang != NULL            ? OB_COUNT_STATEMENT
                                                : OB_COUNT_FILES;
}

static bool reads_files(const char *word)
{
    return strcmp(word, READ_FILES[0]) == 0 || strcmp(word, READ_FILES[1]) == 0;
}

static int count(ob_cli *cli, const ob_cli_call *call)
{
    const ob_count_options *options = call->options;
    const char *what = call->word_count > 0 ? call->words[0] : NULL;
    if (options->suite.file == NULL &&
        (options->list || options->md5 || options->ci != NULL || options->suite.only != NULL ||
         (options->baseline != NULL && options->config == NULL && options->op == NULL)))
        return ob__cli_usage_error(cli, "no suite given; name one with -s FILE");
    if (find_use(options) != OB_COUNT_FILES || what != NULL) {
        const int code = ob__count_check(cli, options, find_use(options));
        if (code != OB_EXIT_OK)
            return code;
    }
    if (options->json && strcmp(options->job.format, "text") != 0)
        return ob__cli_usage_error(cli, "--json and --format conflict; give only one of them");
    ob_job_line job = options->job;
    job.force = job.force && options->ci == NULL; /* it says what becomes of that file */
    const int checked = ob__job_line_check(cli, &job, &options->run);
    if (checked != OB_EXIT_OK)
        return checked;
    if (options->suite.file != NULL)
        return run_suite(cli, call);
    if (options->op != NULL || options->config != NULL)
        return ob__count_cases(cli, options, call->words, call->word_count);
    if (options->snippet.lang != NULL)
        return ob__count_snippets(cli, options, call->words, call->word_count);
    if (what == NULL)
        return ob__cli_usage_error(cli,
                                   "nothing to do; name an operator and its arguments, such as "
                                   "torch.relu 'f32[64,64]', a config's file, a statement "
                                   "with --lang, a suite with -s FILE, or show or diff");
    return (strcmp(what, "show") == 0 ? ob__count_show : ob__count_diff)(
        cli, options, call->words + 1, call->word_count - 1);
}

/* The first word is the operator, unless an option says that words are something else, or it is show or diff. */
static int run(ob_cli *cli, const ob_cli_call *call)
{
    ob_count_options options = *(const ob_count_options *)call->options;
    ob_cli_call own = *call;
    own.options = &options;
    if (find_use(&options) == OB_COUNT_FILES && call->word_count > 0 &&
        !reads_files(call->words[0])) {
        const char *nearest = ob_nearest_name(call->words[0], READ_FILES, 2);
        if (nearest != NULL)
            return ob__cli_usage_error(cli, "unknown word '%s'; did you mean '%s'?", call->words[0],
                                       nearest);
        const int code = ob__cli_take_operator(cli, &own, &options.op);
        if (code != OB_EXIT_OK)
            return code;
    }
    return count(cli, &own);
}

static const ob_cli_word WORDS[] = {
    {.name = "WHAT",
     .option = "config",
     .unless = "op|lang|suite",
     .help = "An operator, with its arguments after it, such as f32[128,64] (docs/timer.md has the "
             "notation); a config, as -c FILE; show, diff; with --lang the statement: the code "
             "itself, @FILE, or - for standard input; with --op the first argument."},
    {.name = "FILE",
     .many = true,
     .help = "Counts: a callgrind file, the output of callgrind_annotate, or what --json wrote; - "
             "reads standard input. For an operator: its arguments."},
    {.name = NULL},
};

static const char *const LOADS_ANYTHING[] = {"lang", "suite", NULL};

static const ob_cli_exit_row EXITS[] = {
    {OB_EXIT_OK, "everything was counted"},
    {OB_EXIT_FAILED, "code failed or took too long, or a count grew by more than allowed"},
    {OB_EXIT_USAGE,
     "wrong command line or suite, a missing program, or a single statement that does not compile"},
    {.meaning = NULL},
};

const ob_cli_command ob__command_count = {
    .name = "count",
    .libraries = OB_CLI_HEADERS,
    .loads_anything = LOADS_ANYTHING,
    .loads_nothing = READ_FILES,
    .help = "count instructions of operators and code; show and compare counts",
    .text = "With --lang, counts the instructions that a statement executes by running it in its "
            "own process under valgrind: times vary, but this number is the same on every run. N "
            "runs are counted as the difference between 2N and N, so nothing around them is "
            "included. Operators and the cases of a config are counted in the same way, on any "
            "backend.\n\n"
            "show prints the counts of each function in callgrind files. diff OLD NEW prints what "
            "changed from one file to the other: old, new and percentage for each function that "
            "changed, and how many did not.\n\n"
            "-s FILE counts every snippet of a suite, as many at a time as there are cores; if one "
            "fails, it is reported and the rest continue. -s FILE --list shows the snippets of a "
            "suite: every statement in every language, eager and as TorchScript, forward and "
            "backward, with every number of threads that its definitions ask for.",
    .usage = "OPERATOR [ARGUMENT...] | FILE [OPTIONS]\n       opbench count --lang "
             "c|c++|python [--setup CODE] STMT [OPTIONS]\n       opbench count show|diff "
             "FILE... [OPTIONS]\n       opbench count -s FILE [--list] [--json] [OPTIONS]",
    .words = WORDS,
    .exits = EXITS,
    .options = OPTIONS,
    .options_size = sizeof(ob_count_options),
    .options_init = init,
    .example =
        "opbench count torch.add 'f32[64,64]' 'f32[64,64]'\n"
        "opbench count examples/configs/tour.json --backend torch -b --json > tour.json\n"
        "opbench count --lang c --setup 'int a[100] = {0};' 'for (int i = 0; i < 100; i++) "
        "a[i]++;'\n"
        "opbench count --lang python --setup 'x = list(range(9))' 'sum(x)' --json > sum.json\n"
        "opbench count show callgrind.out.1\n"
        "opbench count diff old.out new.out --standardise\n"
        "opbench count show callgrind.out.1 --inclusive --json\n"
        "opbench count -s examples/suites/standard.yaml --list\n"
        "opbench count -s examples/suites/standard.yaml --lang c -o counts.jsonl",
    .run = run,
};
