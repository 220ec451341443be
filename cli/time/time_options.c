/* SPDX-License-Identifier: Apache-2.0
 *
 * The command line of `opbench time`: the Timer's options, and those of `run` that say where and in which
 * process.
 */
#include "time_options.h"

#include "opbench/old_option.h"

#include <stdlib.h>
#include <string.h>

#define ROW(kind, name, field, ...) OB_OPTION(kind, name, ob_time_line, field, __VA_ARGS__)

#define RUN offsetof(ob_time_line, run)
#define JOB offsetof(ob_time_line, job)

/* Numbers of methods are -1 until they are given, which says something of the method. */
const ob_option ob__time_rows[] = {
    OB_OPTION_ROWS_OF(ob__text_rows, "config", offsetof(ob_time_line, config)),
    OB_OPTION_ROWS_OF(ob__text_rows, "op", offsetof(ob_time_line, op),
                      .help = "The operator, instead of the first word; with -c only its cases."),
    OB_OPTION_ROWS_OF(ob__text_rows, "case", offsetof(ob_time_line, only_case), .rare = true),
    OB_SUITE_ROWS(offsetof(ob_time_line, suite)),
    OB_SNIPPET_ROWS(offsetof(ob_time_line, snippet)),
    OB_OPTION_ROWS_OF(ob_run_option_rows, "backward", RUN,
                      .help = "Operators: run a forward and its backward in every iteration."),
    ROW(FLAG, "adaptive", adaptive, .group = "Measuring", .help = "The same as --method adaptive."),
    OB_OPTION_ROWS_OF(ob_timer_option_rows, "*", RUN),
    OB_OPTION_ROWS_OF(ob_timer_option_rows, "number", RUN, .initial = "-1",
                      .otherwise = OB_OPTION_NUMBER(OB_TIMER_NUMBER)),
    OB_OPTION_ROWS_OF(ob_timer_option_rows, "max-run-time", RUN, .initial = "-1",
                      .otherwise = OB_OPTION_NUMBER(OB_ADAPTIVE_MAX_RUN_TIME_S) " seconds"),
    OB_OPTION_ROWS_OF(ob_timer_option_rows, "max-spread", RUN, .initial = "-1",
                      .otherwise = OB_OPTION_NUMBER(OB_ADAPTIVE_THRESHOLD)),
    /* torch's name, which means something else in `diff` */
    OB_OPTION_OLD_NAME("threshold", "max-spread"),
    OB_THREAD_LIST_ROW(offsetof(ob_time_line, threads)),
    OB_OPTION_ROWS_OF(
        ob_run_option_rows, "cache", RUN,
        .help = "Operators: leave operands in the cache, or flush it before each iteration."),
    OB_OPTION_ROWS_OF(ob_run_option_rows,
                      "backend|backend-options|device|pin|seed|processes|case-timeout|"
                      "library-caps|check",
                      RUN),
    OB_OPTION_ROWS_OF(ob_run_option_rows, "membind|wrap|inference-mode|max-memory|roofline", RUN,
                      .rare = true),
    OB_JOB_ADDED_FILE_ROWS(JOB),
    OB_JOB_TEXT_ROWS(JOB, "measurements"),
    OB_OPTION_ROWS_OF(ob__job_rows, "no-isolate", JOB),
    {.name = NULL},
};

void ob__time_line_init(void *line)
{
    ob_time_line *o = line;
    ob_run_options_init(&o->run);
    o->job.adds = true;
}

/* ---- checks ---- */

/* Options of one method mean nothing to another: who gives them wants that one. */
static int check_method(ob_cli *cli, const ob_timer_options *timer)
{
    const bool is_adaptive = strcmp(timer->method, "adaptive") == 0;
    if (!is_adaptive && (timer->threshold >= 0 || timer->max_run_time_s >= 0))
        return ob__cli_usage_error(
            cli, "--%s goes with --adaptive, but the method is %s; add --adaptive, or leave it out",
            timer->threshold >= 0 ? "max-spread" : "max-run-time", timer->method);
    if (strcmp(timer->method, "timeit") == 0 && timer->min_run_time_s >= 0)
        return ob__cli_usage_error(cli,
                                   "timeit takes one block of --number iterations, however "
                                   "long it takes; leave out --min-run-time, or %s",
                                   timer->number > 0 ? "--number" : "--method timeit");
    return OB_EXIT_OK;
}

/* Either of --adaptive and --number says a method, and so may --method. */
static int choose_method(ob_cli *cli, const ob_time_line *line, ob_timer_options *timer)
{
    const char *said = timer->method;
    const char *meant = line->adaptive ? "adaptive" : timer->number > 0 ? "timeit" : NULL;
    if (line->adaptive && timer->number > 0)
        return ob__cli_usage_error(
            cli,
            "--adaptive finds the number of iterations itself; leave out --adaptive or --number");
    if (said != NULL && meant != NULL && strcmp(said, meant) != 0)
        return ob__cli_usage_error(cli, "--%s means --method %s, not %s; leave one of them out",
                                   line->adaptive ? "adaptive" : "number", meant, said);
    timer->method = said != NULL ? said : meant != NULL ? meant : "blocked";
    const int code = check_method(cli, timer);
    ob_run_options usual;
    ob_run_options_init(&usual);
    if (timer->number < 0)
        timer->number = usual.timer.number;
    if (timer->max_run_time_s < 0)
        timer->max_run_time_s = usual.timer.max_run_time_s;
    if (timer->threshold < 0)
        timer->threshold = usual.timer.threshold;
    return code;
}

/* What a suite says itself. */
static int check_suite(ob_cli *cli, const ob_time_line *line, size_t word_count)
{
    const ob_snippet_line *code = &line->snippet;
    const ob_timer_options *timer = &line->run.timer;
    if (word_count > 0)
        return ob__cli_usage_error(cli,
                                   "a suite brings its own statements; leave out the extra word");
    if (code->setup != NULL || code->global_setup != NULL || line->threads != NULL ||
        timer->label != NULL || timer->sub_label != NULL || timer->description != NULL)
        return ob__cli_usage_error(cli,
                                   "a suite brings its own setups, labels and thread counts; leave "
                                   "out --setup, --global-setup, --num-threads and the labels");
    return OB_EXIT_OK;
}

int ob__time_line_check(ob_cli *cli, const ob_time_line *line, size_t word_count,
                        ob_time_settings *plan)
{
    ob_err err;
    *plan = (ob_time_settings){.run = line->run};
    const bool is_suite = line->suite.file != NULL;
    const bool is_snippet = line->snippet.lang != NULL || is_suite;
    if (is_snippet && (line->config != NULL || line->op != NULL))
        return ob__cli_usage_error(cli, "%s; leave out -c and --op",
                                   is_suite ? "a suite brings its own statements"
                                            : "--lang takes a statement");
    if (is_snippet && line->run.backward)
        return ob__cli_usage_error(cli, "-b is for operators; a statement runs what it says, such "
                                        "as y.backward(), and a suite has autograd: true");
    if (is_snippet && (line->run.check || line->run.cache != NULL))
        return ob__cli_usage_error(cli, "--%s goes with operators, not with code; leave it out",
                                   line->run.check ? "check" : "cache");
    if (is_suite && check_suite(cli, line, word_count) != OB_EXIT_OK)
        return OB_EXIT_USAGE;
    if (!is_suite && line->suite.only != NULL)
        return ob__cli_usage_error(cli,
                                   "--only says which snippets of a suite; give it with -s FILE");
    if (line->config == NULL && line->op == NULL && !is_snippet)
        return ob__cli_usage_error(
            cli, "nothing to measure; name an operator and its arguments, such as torch.relu "
                 "'f32[64,64]', a config file, a statement with --lang, or a suite with -s FILE");
    if (line->config != NULL && word_count > 0)
        return ob__cli_usage_error(cli, "arguments go only with --op NAME; leave out -c");
    if (ob__job_line_check(cli, &line->job, &line->run) != OB_EXIT_OK)
        return OB_EXIT_USAGE;
    if (line->config == NULL && line->only_case != NULL)
        return ob__cli_usage_error(cli, "--case says which case of a config; give it with -c FILE");
    int code = choose_method(cli, line, &plan->run.timer);
    if (code == OB_EXIT_OK)
        code = ob__thread_list_read(cli, line->threads, &plan->threads);
    if (code != OB_EXIT_OK)
        return code;
    for (size_t i = 0; i < plan->threads.size; i++) {
        plan->run.threads = plan->threads.counts[i];
        if (ob_run_options_check(&plan->run, &err) != OB_OK)
            return ob__cli_usage_error(cli, "%s", err.message);
    }
    plan->run.by_words = line->config == NULL;
    return OB_EXIT_OK;
}
