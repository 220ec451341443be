/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench time: measures cases with the Timer, each in a worker as `run` does, and prints them as
 * torch.utils.benchmark prints a Measurement. Records are appended to a file if one is given.
 */
#include "help/help.h"
#include "time_options.h"

/* One snippet that never ends must not hold up all others, so there is a limit even if none is given. */
static const double SUITE_TIMEOUT_S = 600;

/* For the header, with the method that was meant. */
static ob_time_line with_plan(const ob_time_line *line, const ob_time_settings *plan)
{
    ob_time_line plain = *line;
    plain.run = plan->run;
    return plain;
}

static int time_snippets(ob_job_screen *screen, const ob_cli_call *call,
                         const ob_time_settings *plan)
{
    static const char *const TOLD[] = {OB_SNIPPET_TOLD, "number", "method",       "adaptive",
                                       "min-run-time",  "label",  "max-run-time", "max-spread",
                                       "sub-label",     "env",    "description",  "case-timeout",
                                       "library-caps",  NULL};
    const ob_time_line *line = call->options;
    const ob_time_line plain = with_plan(line, plan);
    const ob_timer_options *timer = &plan->run.timer;
    const double timeout_s = plan->run.case_timeout_s;
    const bool is_suite = line->suite.file != NULL;
    ob_snippet_request request = {.snippet = &line->snippet,
                                  .suite = &line->suite,
                                  .words = call->words,
                                  .word_count = call->word_count,
                                  .threads = &plan->threads,
                                  .timeout_s =
                                      is_suite && timeout_s <= 0 ? SUITE_TIMEOUT_S : timeout_s,
                                  .what = {.timer = timer,
                                           .names = {.label = timer->label,
                                                     .sub_label = timer->sub_label,
                                                     .description = timer->description,
                                                     .env = timer->env}},
                                  .told = TOLD,
                                  .given = line,
                                  .values = &plain};
    return ob__snippets_measure(screen, &request);
}

static int measure(ob_cli *cli, const ob_cli_call *call)
{
    const ob_time_line *line = call->options;
    ob_time_settings plan;
    ob_job_screen screen = {.job = {.cli = cli, .line = &line->job},
                            .view =
                                line->suite.file != NULL ? OB_VIEW_SUITE : OB_VIEW_MEASUREMENTS};
    const int code = ob__time_line_check(cli, line, call->word_count, &plan);
    if (code != OB_EXIT_OK)
        return code;
    if (line->suite.file != NULL || line->snippet.lang != NULL)
        return time_snippets(&screen, call, &plan);
    const ob_time_line plain = with_plan(line, &plan);
    ob_case_request request = {.config = line->config,
                               .op = line->op,
                               .only_case = line->only_case,
                               .words = call->words,
                               .word_count = call->word_count,
                               .run = plan.run,
                               .threads = &plan.threads,
                               .values = &plain};
    return ob__cases_measure(&screen, &request);
}

/* The first word is the operator, unless an option says that words are something else. */
static int run(ob_cli *cli, const ob_cli_call *call)
{
    ob_time_line line = *(const ob_time_line *)call->options;
    ob_cli_call own = *call;
    own.options = &line;
    if (line.op == NULL && line.config == NULL && line.snippet.lang == NULL &&
        line.suite.file == NULL) {
        const int code = ob__cli_take_operator(cli, &own, &line.op);
        if (code != OB_EXIT_OK)
            return code;
    }
    return measure(cli, &own);
}

static const ob_cli_word WORDS[] = {
    {.name = "ARGUMENT",
     .many = true,
     .option = "config",
     .unless = "op|lang|suite",
     .help = "A config, as -c FILE; or an operator and its arguments, such as f32[128,64], "
             "i64[10]=0..99, dim=1, [1,2] or true; arguments of a constructor come before a \"/\". "
             "docs/timer.md describes the notation. With --lang: the statement itself, @FILE, or - "
             "for standard input."},
    {.name = NULL},
};

static const char *const LOADS_ANYTHING[] = {"lang", "suite", NULL};

static const ob_cli_exit_row EXITS[] = {
    {OB_EXIT_OK, "everything was measured"},
    {OB_EXIT_FAILED, "a case failed or took too long"},
    {OB_EXIT_USAGE,
     "wrong command line, config or suite, or a single statement that does not compile"},
    {.meaning = NULL},
};

const ob_cli_command ob__command_time = {
    .name = "time",
    .libraries = OB_CLI_HEADERS, /* for statements in C++ */
    .loads_anything = LOADS_ANYTHING,
    .help = "measure operators and code with the Timer of torch.utils.benchmark",
    .text = "Finds a block size and, after one untimed call, takes blocks for a given time (with "
            "--adaptive, until their spread is small; with --number, a single block). Prints the "
            "median, the interquartile range and warnings as torch.utils.benchmark does.\n\n"
            "Cases come from a config or the command line; --lang measures a statement in C, C++ "
            "or Python, and -s all snippets of a suite, one after another.\n\n"
            "Each case is measured in a worker process: a crash becomes a failed record, and the "
            "rest continues. With -o, every result is appended to a file that `opbench show` and "
            "`opbench compare` can read.",
    .usage = "OPERATOR [ARGUMENT...] | FILE | --lang LANG STMT | -s FILE [OPTIONS]",
    .words = WORDS,
    .exits = EXITS,
    .options = ob__time_rows,
    .options_size = sizeof(ob_time_line),
    .options_init = ob__time_line_init,
    .example = "opbench time torch.add 'f32[64,64]' 'f32[64,64]' alpha=2\n"
               "opbench time torch.nn.Linear 128 64 / 'f32[32,128]' --num-threads 1,2\n"
               "opbench time examples/configs/tour.json --adaptive --label tour -o times.jsonl\n"
               "opbench time --lang python --setup 'x = list(range(100))' 'sum(x)'",
    .run = run,
};
