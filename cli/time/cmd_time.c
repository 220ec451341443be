/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench time: measures cases with the Timer, each in a worker as `run` does, and prints them as
 * torch.utils.benchmark prints a Measurement. Records are appended to a file if one is given.
 */
#include "header.h"
#include "interrupts.h"
#include "own_path.h"
#include "run/run_select.h"
#include "time_options.h"
#include "warn_threads.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct job {
    ob_cli *cli;
    const ob_time_line *line;
    ob_time_plan plan;
    ob_own_path own;
    char config_path[PATH_MAX];
    ob_config *config;
    ob_result_file *file; /* NULL = none asked for */
    bool header_written;
    int64_t threads_told;
    ob_report *report;
    ob_text text;
} job;

/* ---- records ---- */

static ob_status write_header(void *ctx, const ob_json *properties, ob_err *err)
{
    job *j = ctx;
    ob_record record;
    ob_header_room room;
    if (j->file == NULL || j->header_written)
        return OB_OK;
    j->header_written = true;
    OB_TRY(ob__header_init(j->cli, &record, properties, &room, err));
    ob_record_header *h = &record.header;
    h->config = j->line->config;
    h->seed = j->plan.run.seed;
    return ob_result_file_append(j->file, &record, err);
}

static ob_status print_measurement(job *j, const ob_record *record, ob_err *err)
{
    j->text.size = 0;
    OB_TRY(ob_report_add(j->report, record, err));
    OB_TRY(ob_report_print(j->report, OB_TABLE_TEXT, &j->text, err));
    return ob__cli_write(j->cli, j->text.data, j->text.size)
               ? OB_OK
               : ob_err_set(err, OB_ERR_IO, "standard output cannot be written");
}

static void tell_failure(job *j, const ob_record_result *r)
{
    const ob_record_status_info *info = ob_record_status_get_info(r->status);
    ob_err err;
    ob_err_set(&err, OB_ERR_BACKEND, "%.300s: %s%s%s", r->task.stmt != NULL ? r->task.stmt : r->id,
               info != NULL ? info->word : "", r->reason != NULL ? ": " : "",
               r->reason != NULL ? r->reason : "");
    ob__cli_fail(j->cli, &err);
}

static ob_status take_record(void *ctx, const ob_record *record, const char *line, size_t length,
                             ob_err *err)
{
    job *j = ctx;
    const ob_record_result *r = &record->result;
    const ob_record_status_info *info = ob_record_status_get_info(r->status);
    if (j->file != NULL)
        OB_TRY(ob_result_file_append_line(j->file, line, length, err));
    if (info == NULL || !info->ran)
        tell_failure(j, r);
    if (!j->line->quiet && !j->line->no_isolate) /* there the backend's own warning is seen */
        ob__warn_of_threads(j->cli, r, &j->threads_told);
    if (j->line->quiet)
        return OB_OK;
    if (strcmp(j->line->format, "json") == 0)
        return ob__cli_write(j->cli, line, length)
                   ? OB_OK
                   : ob_err_set(err, OB_ERR_IO, "standard output cannot be written");
    return print_measurement(j, record, err);
}

/* ---- the run ---- */

static void add_summary(ob_run_summary *all, const ob_run_summary *part)
{
    for (int i = 0; i < OB_RECORD_STATUS_COUNT; i++)
        all->cases[i] += part->cases[i];
    all->interrupted = all->interrupted || part->interrupted;
}

static ob_status measure_range(job *j, const ob_run_range *range, ob_run_summary *all, ob_err *err)
{
    ob_run_summary part;
    const ob_run_params params = {.options = &j->plan.run,
                                  .worker_program = j->line->no_isolate ? NULL : j->own.path,
                                  .first = range->first,
                                  .count = range->count,
                                  .on_record = take_record,
                                  .on_ready = write_header,
                                  .stop = ob__cli_interrupts,
                                  .ctx = j};
    OB_TRY(ob_run(j->cli->context, j->config, &params, &part, err));
    add_summary(all, &part);
    return OB_OK;
}

static ob_status measure(job *j, const ob_run_selection *selection, ob_run_summary *all,
                         ob_err *err)
{
    *all = (ob_run_summary){.interrupted = false};
    for (size_t t = 0; t < j->plan.threads.size; t++) {
        j->plan.run.threads = j->plan.threads.counts[t];
        for (size_t i = 0; i < selection->count && !all->interrupted; i++)
            OB_TRY(measure_range(j, &selection->ranges[i], all, err));
    }
    return OB_OK;
}

static int exit_code(const ob_run_summary *summary)
{
    for (int s = 0; s < OB_RECORD_STATUS_COUNT; s++) {
        const ob_record_status_info *info = ob_record_status_get_info((ob_record_status)s);
        if (!summary->interrupted && info != NULL && info->failed && summary->cases[s] > 0)
            return OB_EXIT_FAILED;
    }
    return summary->interrupted ? OB_EXIT_INTERRUPTED : OB_EXIT_OK;
}

static int measure_config(job *j)
{
    /* Without a config the only case is the one that --op made. */
    const ob_run_line select = {.config = j->line->config,
                                .op = j->line->config != NULL ? j->line->op : NULL,
                                .only_case = j->line->only_case};
    ob_run_selection selection = {.count = 0};
    ob_run_summary summary;
    ob_err err;
    ob_status status =
        ob_report_create(&(ob_report_params){.view = OB_VIEW_MEASUREMENTS}, &j->report, &err);
    if (status == OB_OK)
        status = ob__run_select(j->cli, j->config, &select, &selection, &err);
    if (status == OB_OK && j->line->output != NULL)
        status = ob__cli_append_to(j->cli, j->line->output, j->line->wait, false, &j->file, &err);
    if (status == OB_OK)
        status = measure(j, &selection, &summary, &err);
    int code = status == OB_OK ? exit_code(&summary) : ob__cli_fail(j->cli, &err);
    if (status == OB_ERR_IO && j->file != NULL)
        code = OB_EXIT_FAILED; /* the command line was right, the disk was not */
    if (ob_result_file_close(j->file, &err) != OB_OK)
        code = ob__cli_fail(j->cli, &err);
    ob__run_selection_fini(&selection);
    ob_report_destroy(j->report);
    ob_text_fini(&j->text);
    return code;
}

static int run(ob_cli *cli, const ob_cli_call *call)
{
    job j = {.cli = cli, .line = call->options};
    const ob_config_options options = {.device = j.line->run.device};
    ob_err err;
    int code = ob__time_line_check(cli, j.line, call->word_count, &j.plan);
    if (code == OB_EXIT_OK && j.line->suite.file != NULL)
        return ob__time_suite(cli, j.line, &j.plan);
    if (code == OB_EXIT_OK && j.line->snippet.lang != NULL)
        return ob__time_snippet(cli, j.line, &j.plan, call->words, call->word_count);
    if (code == OB_EXIT_OK)
        code = ob__cli_open_context(cli, OB_CLI_WITH_PLUGINS, OB_LOG_WARNING);
    if (code != OB_EXIT_OK)
        return code;
    const ob_status status =
        j.line->config != NULL
            ? ob_config_open_file(cli->context, j.line->config, &options, &j.config, &err)
            : ob__time_case_open(cli->context, j.line->op, j.line->run.device, call->words,
                                 call->word_count, &j.config, &err);
    if (status != OB_OK)
        return ob__cli_fail(cli, &err);
    /* A repro line must work from another directory too. */
    const char *name = j.line->config != NULL ? j.line->config : "-";
    const bool resolved = strcmp(name, "-") != 0 && realpath(name, j.config_path) != NULL;
    j.plan.run.config_name = resolved ? j.config_path : name;
    const bool found = ob__cli_own_path(&j.own);
    j.plan.run.program = j.own.word;
    if (!found && !j.line->no_isolate) {
        ob_config_destroy(j.config);
        return ob__cli_usage_error(cli, "this program's file cannot be found to start workers; "
                                        "mount /proc, or give --no-isolate");
    }
    ob__cli_catch_interrupts(cli);
    code = measure_config(&j);
    ob_config_destroy(j.config);
    return code;
}

static const ob_cli_word WORDS[] = {
    {.name = "ARGUMENT",
     .many = true,
     .help =
         "With --op: an argument, such as f32[128,64], i64[10]=0..99, dim=1, [1,2] or true; "
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
