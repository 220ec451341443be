/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench time: measures cases with the Timer, each in a worker as `run` does, and prints them as
 * torch.utils.benchmark prints a Measurement. Records are appended to a file if one is given.
 */
#include "time_options.h"

#include <stdlib.h>
#include <string.h>

typedef struct time_command {
    ob_cli *cli;
    const ob_time_line *line;
    ob_cli_job job;
    ob_time_plan plan;
    ob_config *config;
    ob_case_selection *selection;
    ob_run_options *runs; /* one per number of threads */
    ob_report *report;
    ob_text text;
} time_command;

/* ---- what is shown ---- */

static void tell_failure(const time_command *t, const ob_record_result *r)
{
    ob_err err;
    ob_err_set(&err, OB_ERR_BACKEND, "%.300s: %s%s%s", r->task.stmt != NULL ? r->task.stmt : r->id,
               ob_record_status_get_info(r->status)->word, r->reason != NULL ? ": " : "",
               r->reason != NULL ? r->reason : "");
    ob__cli_fail(t->cli, &err);
}

static ob_status show_result(void *ctx, const ob_job_event *event, ob_err *err)
{
    time_command *t = ctx;
    const ob_record_result *r = &event->record->result;
    if (!event->is_old && !ob_record_status_get_info(r->status)->ran)
        tell_failure(t, r);
    if (t->line->job.quiet || strcmp(t->line->job.format, "json") == 0)
        return OB_OK;
    t->text.size = 0;
    OB_TRY(ob_report_add(t->report, event->record, err));
    OB_TRY(ob_report_print(t->report, OB_TABLE_TEXT, &t->text, err));
    return ob__cli_write(t->cli, t->text.data, t->text.size)
               ? OB_OK
               : ob_err_set(err, OB_ERR_IO, "standard output cannot be written");
}

/* ---- the run ---- */

/* The cases once for each number of threads. */
static ob_status open_parts(time_command *t, ob_job_part *parts, ob_err *err)
{
    const size_t count = t->plan.threads.size;
    t->runs = calloc(count, sizeof *t->runs);
    if (t->runs == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the numbers of threads");
    for (size_t i = 0; i < count; i++) {
        t->runs[i] = t->plan.run;
        t->runs[i].threads = t->plan.threads.counts[i];
        parts[i] =
            (ob_job_part){.config = t->config, .selection = t->selection, .options = &t->runs[i]};
    }
    const ob_job_configs configs = {.size = sizeof configs,
                                    .parts = parts,
                                    .part_size = sizeof *parts,
                                    .part_count = count,
                                    .name = t->line->config,
                                    .worker_program = ob__cli_job_worker(&t->job)};
    return ob_job_open_configs(t->cli->context, &configs, &t->job.params, &t->job.job, err);
}

static ob_status open_job(time_command *t, ob_err *err)
{
    /* Without a config the only case is the one that --op made. */
    const ob_case_choice choice = {.size = sizeof choice,
                                   .op = t->line->config != NULL ? t->line->op : NULL,
                                   .only_case = t->line->only_case};
    OB_TRY(ob_report_create(&(ob_report_params){.view = OB_VIEW_MEASUREMENTS}, &t->report, err));
    ob_time_line plain = *t->line;
    plain.run = t->plan.run; /* with the method that was meant */
    OB_TRY(
        ob__cli_job_init(&t->job, ob__cli_own_options(ob__cli_find_command("time")), &plain, err));
    OB_TRY(ob_cases_select(t->cli->context, t->config, &choice, &t->selection, err));
    ob_job_part *parts = calloc(t->plan.threads.size, sizeof *parts);
    const ob_status status =
        parts != NULL ? open_parts(t, parts, err)
                      : ob_err_set(err, OB_ERR_NOMEM, "out of memory for the numbers of threads");
    free(parts);
    return status;
}

static int measure(time_command *t)
{
    ob_err err;
    int code =
        ob__cli_job_name(&t->job, t->line->config != NULL ? t->line->config : "-", &t->plan.run);
    if (code != OB_EXIT_OK)
        return code;
    code = open_job(t, &err) == OB_OK ? ob__cli_job_run(&t->job) : ob__cli_fail(t->cli, &err);
    if (code == OB_EXIT_OK)
        code = ob_job_summary_exit_code(ob_job_get_summary(t->job.job));
    code = ob__cli_job_fini(&t->job, code);
    ob_case_selection_destroy(t->selection);
    ob_report_destroy(t->report);
    ob_text_fini(&t->text);
    free(t->runs);
    return code;
}

static int run(ob_cli *cli, const ob_cli_call *call)
{
    const ob_time_line *line = call->options;
    time_command t = {.cli = cli, .line = line};
    const ob_config_options options = {.device = line->run.device};
    ob_err err;
    int code = ob__time_line_check(cli, line, call->word_count, &t.plan);
    if (code == OB_EXIT_OK && line->suite.file != NULL)
        return ob__time_suite(cli, line, &t.plan);
    if (code == OB_EXIT_OK && line->snippet.lang != NULL)
        return ob__time_snippet(cli, line, &t.plan, call->words, call->word_count);
    if (code == OB_EXIT_OK)
        code = ob__cli_open_context(cli, OB_CLI_WITH_PLUGINS, OB_LOG_WARNING);
    if (code != OB_EXIT_OK)
        return code;
    t.job = (ob_cli_job){.cli = cli, .line = &line->job, .show = show_result, .show_ctx = &t};
    const ob_status status =
        line->config != NULL
            ? ob_config_open_file(cli->context, line->config, &options, &t.config, &err)
            : ob__time_case_open(cli->context, line->op, line->run.device, call->words,
                                 call->word_count, &t.config, &err);
    code = status == OB_OK ? measure(&t) : ob__cli_fail(cli, &err);
    ob_config_destroy(t.config);
    return code;
}

static const ob_cli_word WORDS[] = {
    {.name = "ARGUMENT",
     .many = true,
     .option = "config",
     .unless = "op|lang|suite",
     .help =
         "A config, as -c FILE. With --op: an argument, such as f32[128,64], i64[10]=0..99, dim=1, "
         "[1,2] or true; "
         "those of a constructor stand before a word \"/\". docs/timer.md has the notation. With "
         "--lang: the statement itself, @FILE, or - for standard input."},
    {.name = NULL},
};

static const char *const LOADS_ANYTHING[] = {"lang", "suite", NULL};

const ob_cli_command ob__command_time = {
    .name = "time",
    .libtorch = OB_CLI_HEADERS, /* for statements in C++ */
    .loads_anything = LOADS_ANYTHING,
    .help = "measure operators and code with the Timer of torch.utils.benchmark",
    .text =
        "Finds a block size and takes blocks for a given time (or until their spread is small, "
        "with --adaptive, or one block of --number iterations), after one untimed call; prints "
        "median, interquartile range and warnings as torch.utils.benchmark does. Cases come from "
        "a config, or are written on the command line; with --lang a statement in C, C++ or Python "
        "is measured, with -s all snippets of a suite, one after the other.\n\n"
        "Each case is measured in a worker process: a crash is a failed record, and the rest goes "
        "on. With -o every result is appended to a file that `opbench show` and `opbench compare` "
        "read.\n\n"
        "Exit codes: 0 all measured; 1 a case failed or took too long; 2 wrong command line, "
        "config or "
        "suite, or a single statement that does not compile; 130 interrupted.",
    .usage = "-c FILE | --op NAME [ARGUMENT...] | --lang LANG STMT | -s FILE [OPTIONS]",
    .words = WORDS,
    .options = ob__time_rows,
    .options_size = sizeof(ob_time_line),
    .options_init = ob__time_line_init,
    .example = "opbench time --op torch.add 'f32[64,64]' 'f32[64,64]' alpha=2\n"
               "opbench time --op torch.nn.Linear 128 64 / 'f32[32,128]' --num-threads 1,2\n"
               "opbench time -c examples/configs/tour.json --adaptive --label tour -o times.jsonl\n"
               "opbench time --lang python --setup 'x = list(range(100))' 'sum(x)'",
    .run = run,
};
