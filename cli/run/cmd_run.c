/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench run: measures the cases of a config. Records go to a file line by line as they come; the screen
 * gets a progress line on a terminal and a table at the end.
 */
#include "backend_options.h"
#include "diff/compare_way.h"
#include "help/help.h"
#include "run_options.h"
#include "screen.h"

#include "opbench/builder.h"
#include "opbench/version.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct run_command {
    ob_cli *cli;
    const ob_run_line *line;
    ob_cli_job job;
    ob_run_wishes wishes;
    ob_run_options run;                         /* with the config's and the program's names */
    ob_run_options runs[OB_MOST_THREAD_COUNTS]; /* the same with each number of threads */
    ob_job_part parts[OB_MOST_THREAD_COUNTS];
    ob_config *config;
    ob_case_selection *selection;
    ob_report *report;
    ob_table_format format;
    char *backend_options; /* what run.backend_options may point to */
} run_command;

/* ---- which warnings of the config are shown ---- */

/* ."torch.add".config[0]: what stands between the first dot and the next part of the path. */
static bool operator_of(const char *path, char *out, size_t size)
{
    if (path[0] != '.')
        return false;
    const bool quoted = path[1] == '"';
    const char *from = path + 1 + quoted;
    const size_t length = quoted ? strcspn(from, "\"\\") : strcspn(from, ".[");
    if (length == 0 || length >= size || (quoted && from[length] != '"'))
        return false;
    memcpy(out, from, length);
    out[length] = '\0';
    return true;
}

/* Not those of operators of which no case is selected. */
static bool wants_warning(void *ctx, const ob_err *what)
{
    const run_command *r = ctx;
    char op[256];
    return !operator_of(what->path, op, sizeof op) ||
           ob_case_choice_has(r->cli->context, &r->line->choice, op);
}

/* ---- what is shown ---- */

static ob_status show_result(void *ctx, const ob_job_event *event, ob_err *err)
{
    run_command *r = ctx;
    return ob__job_line_is_mute(&r->line->job)
               ? OB_OK
               : ob__cli_job_show(&r->job, r->report, event->record, err);
}

/* The table, what was there before, the notes; where the records are goes beside what programs read. */
static ob_status print_tables(run_command *r, ob_text *text, ob_err *err)
{
    const uint64_t left_out = ob_job_get_summary(r->job.job)->left_out;
    OB_TRY(ob_report_print(r->report, r->format, text, err));
    ob__cli_write_styled(r->cli, text->data, text->size);
    if (r->format == OB_TABLE_TEXT && left_out > 0)
        ob__cli_printf(r->cli, "%" PRIu64 " %s already done\n", left_out,
                       left_out == 1 ? "case was" : "cases were");
    text->size = 0;
    if (!r->line->job.quiet)
        OB_TRY(ob_report_print_notes(r->report, r->format, text, err));
    ob__cli_write(r->cli, text->data, text->size);
    return OB_OK;
}

static int print_report(run_command *r)
{
    ob_text text = {0};
    ob_err err;
    const char *records = ob_job_path(r->job.job), *trace = ob_job_trace_path(r->job.job);
    const ob_status status = print_tables(r, &text, &err);
    ob_text_fini(&text);
    if (records == NULL)
        return status == OB_OK ? OB_EXIT_OK : ob__cli_fail(r->cli, &err);
    if (r->format == OB_TABLE_TEXT) {
        ob__cli_printf(r->cli, "records: %s\n", records);
        if (trace != NULL)
            ob__cli_printf(r->cli, "trace: %s\n", trace);
        ob__backend_options_print_files(r->cli, records);
    } else if (r->line->job.output == NULL) {
        ob__cli_say("records: %s\n", records);
    }
    return status == OB_OK ? OB_EXIT_OK : ob__cli_fail(r->cli, &err);
}

static int report(run_command *r)
{
    const int shown = ob__job_line_is_mute(&r->line->job) ? OB_EXIT_OK : print_report(r);
    const int code = ob_job_summary_exit_code(ob_job_get_summary(r->job.job));
    return code != OB_EXIT_OK ? code : shown;
}

/* ---- the run ---- */

/* What profilers print: standard output belongs to the results. */
static void echo(void *ctx, const char *line, size_t length)
{
    (void)ctx;
    ob__cli_say("%.*s\n", (int)length, line);
}

static void tell_failed(void *ctx, const ob_record_batch *batch)
{
    ob__cli_warn(ctx, "cases %s to %s: %s", batch->start_run_id, batch->end_run_id, batch->error);
}

/* The options once for each number of threads. */
static void list_runs(run_command *r)
{
    for (size_t i = 0; i < r->wishes.threads.size; i++) {
        r->runs[i] = r->run;
        r->runs[i].threads = r->wishes.threads.counts[i];
        r->parts[i] =
            (ob_job_part){.config = r->config, .selection = r->selection, .options = &r->runs[i]};
    }
}

static ob_status open_job(run_command *r, bool verbose, ob_err *err)
{
    const ob_run_line *line = r->line;
    ob_job_batches batches = line->batches;
    batches.verbose = verbose;
    batches.on_output = echo;
    batches.on_failed = tell_failed;
    batches.ctx = r->cli;
    OB_TRY(ob__cli_job_init(&r->job, ob__cli_own_options(ob__cli_find_command("run")), line, err));
    OB_TRY(ob_cases_select(r->cli->context, r->config, &line->choice, &r->selection, err));
    list_runs(r);
    const ob_job_configs configs = {.size = sizeof configs,
                                    .parts = r->parts,
                                    .part_size = sizeof r->parts[0],
                                    .part_count = r->wishes.threads.size,
                                    .worker_program = ob__cli_job_worker(&r->job),
                                    .options = &r->runs[0],
                                    .batches = &batches};
    OB_TRY(ob_job_open_configs(r->cli->context, &configs, &r->job.params, &r->job.job, err));
    const ob_backend_options_use use = {.records = ob_job_path(r->job.job),
                                        .replace = line->job.force || line->job.resume ||
                                                   line->job.append};
    OB_TRY(ob__backend_options_apply(r->cli, &use, &r->run, &r->backend_options, err));
    list_runs(r); /* with what was applied */
    if (!line->job.quiet)
        ob__backend_options_warn(r->cli);
    return OB_OK;
}

static int measure(run_command *r, bool verbose)
{
    ob_err err;
    int code = ob__cli_check_plugin_backend(r->cli, r->run.backend);
    if (code == OB_EXIT_OK)
        code = ob__cli_job_name(&r->job, r->line->config, &r->run);
    if (code != OB_EXIT_OK)
        return code;
    ob_table_format_from_word(
        strcmp(r->line->job.format, "table") == 0 ? "text" : r->line->job.format, &r->format);
    const size_t backends = ob_run_options_backend_count(&r->run);
    const ob_report_params params = {.view = backends > 1 ? OB_VIEW_SIDES : OB_VIEW_RUN,
                                     .totals_only = r->format == OB_TABLE_JSON,
                                     .wide = r->line->job.wide,
                                     .side_count = backends};
    r->job.waits = r->wishes.threads.size > 1; /* how they scale is known at the end */
    ob_status status = ob__cli_job_open_report(&r->job, &params, &r->report, &err);
    if (status == OB_OK)
        status = open_job(r, verbose, &err);
    code = status == OB_OK ? ob__cli_job_run(&r->job) : ob__cli_fail(r->cli, &err);
    if (status == OB_OK && code == OB_EXIT_OK)
        code = report(r);
    code = ob__cli_job_fini(&r->job, code);
    ob_case_selection_destroy(r->selection);
    ob_report_destroy(r->report);
    free(r->backend_options);
    return code;
}

/* What iterators are told; with several devices nothing. */
static const char *one_device(const char *words)
{
    return words != NULL && strchr(words, ',') == NULL ? words : NULL;
}

static ob_status open_config(run_command *r, const char *text, size_t length, ob_err *err)
{
    ob_cli *cli = r->cli;
    const ob_run_line *line = r->line;
    /* The user names code of their own, whose operators may be called anything. */
    const bool brought =
        ob__backend_option_given(cli, ob__backend_option_brings_operators, NULL) != NULL;
    ob_run_options run = line->run;
    if (run.backend == NULL && brought)
        ob__backend_option_given(cli, ob__backend_option_brings_operators, &run.backend);
    const ob_config_options options = {
        .size = sizeof options,
        .device = one_device(line->run.device),
        .expand = ob_config_expand_foreign,
        .expand_options = &run,
        .names_files = line->run.by_words,
        .knows_operators = line->run.by_words && !brought,
        .foreign_operators = brought || ob_run_options_bring_operators(cli->context, &line->run)};
    cli->wants_warning = wants_warning;
    cli->wants_ctx = r;
    const ob_status status =
        text != NULL ? ob_config_open_memory(cli->context, line->config, text, length, &options,
                                             &r->config, err)
                     : ob_config_open_file(cli->context, line->config, &options, &r->config, err);
    cli->wants_warning = NULL;
    cli->wants_ctx = NULL;
    return status;
}

int ob__run_measure(ob_cli *cli, const ob_run_line *line, const char *text, size_t length)
{
    ob_err err;
    run_command r = {.cli = cli, .line = line, .run = line->run};
    int code = ob__run_line_check(cli, line, &r.wishes);
    if (code == OB_EXIT_OK)
        code = ob__cli_open_context(cli, OB_CLI_WITH_PLUGINS, r.wishes.log_level);
    if (code != OB_EXIT_OK)
        return code;
    r.job = (ob_cli_job){.cli = cli, .line = &line->job, .show = show_result, .show_ctx = &r};
    const bool verbose = r.wishes.log_level == OB_LOG_DEBUG;
    code = open_config(&r, text, length, &err) == OB_OK ? measure(&r, verbose)
                                                        : ob__cli_fail(cli, &err);
    ob_config_destroy(r.config);
    return code;
}

int ob__run_count_results(ob_cli *cli, const ob_run_line *line, uint64_t *out)
{
    ob_err err;
    run_command r = {.cli = cli, .line = line};
    int code = ob__run_line_check(cli, line, &r.wishes);
    if (code == OB_EXIT_OK)
        code = ob__cli_open_context(cli, OB_CLI_WITH_PLUGINS, r.wishes.log_level);
    if (code != OB_EXIT_OK)
        return code;
    if (open_config(&r, NULL, 0, &err) != OB_OK ||
        ob_cases_select(cli->context, r.config, &line->choice, &r.selection, &err) != OB_OK)
        code = ob__cli_fail(cli, &err);
    else
        *out =
            r.selection->cases * r.wishes.threads.size * ob_run_options_backend_count(&line->run);
    ob_case_selection_destroy(r.selection);
    ob_config_destroy(r.config);
    return code;
}

/* ---- an operator and its arguments instead of a config ---- */

/* PARAM's single iteration says little of a call that was typed in, and who tries one wants no file beside it. */
static void take_defaults_of_words(const ob_cli *cli, ob_run_line *line)
{
    static const double MIN_TIME_S = 0.2;
    if (!ob__cli_is_given(cli, "iteration|min-time|precision"))
        line->run.min_time_s = MIN_TIME_S;
    /* A number of iterations would be a single block, and so a single sample. */
    if (!ob__cli_is_given(cli, "iteration|exec-mode") && !ob__run_is_cold(&line->run))
        line->run.exec_mode = "continuous";
    /* Unless it is named, or something else lies beside it. */
    if (!ob__cli_is_given(cli, "output|output-prefix|append|profile|ncu|nsys") &&
        ob__backend_option_given(cli, ob__backend_option_writes, NULL) == NULL)
        line->job.prefix = NULL;
}

static ob_status print_config(const char *op, const char *const *words, size_t count, char **text,
                              size_t *length, ob_err *err)
{
    ob_builder *builder;
    ob_json_doc *doc;
    OB_TRY(ob_builder_create(&builder, err));
    ob_builder_call(builder, op, words, count);
    ob_status status = ob_builder_finish(builder, &doc, err);
    ob_builder_destroy(builder);
    if (status != OB_OK)
        return status;
    status = ob_json_print(ob_json_doc_root(doc), text, length, err);
    ob_json_doc_destroy(doc);
    return status;
}

static int run_words(ob_cli *cli, ob_run_line *line, ob_cli_call call)
{
    const char *op = line->choice.op;
    char *text = NULL;
    size_t length = 0;
    ob_err err;
    if (line->config != NULL)
        return ob__cli_usage_error(
            cli, "'%s' and --config: give a config, or an operator and its arguments, not both",
            call.words[0]);
    const int taken = op == NULL ? ob__cli_take_operator(cli, &call, &op) : OB_EXIT_OK;
    if (taken != OB_EXIT_OK)
        return taken;
    if (print_config(op, call.words, call.word_count, &text, &length, &err) != OB_OK)
        return ob__cli_fail(cli, &err);
    take_defaults_of_words(cli, line);
    line->choice.op = NULL;
    line->config = "-";
    line->run.by_words = true;
    cli->config_is_words = true;
    line->run.command = "run";
    const int code = ob__run_measure(cli, line, text, length);
    free(text);
    return code;
}

static int run(ob_cli *cli, const ob_cli_call *call)
{
    ob_run_line line = *(const ob_run_line *)call->options;
    if (line.version) {
        ob__cli_printf(cli, "opbench %s\n", ob_version());
        return OB_EXIT_OK;
    }
    ob__job_line_take_prefix(cli, &line.job);
    /* A file without an ending is a config all the same. */
    if (call->word_count == 1 && line.choice.op == NULL && line.config == NULL &&
        access(call->words[0], R_OK) == 0)
        line.config = call->words[0];
    else if (call->word_count > 0)
        return run_words(cli, &line, *call);
    return ob__run_measure(cli, &line, NULL, 0);
}

static const ob_cli_word WORDS[] = {
    {.name = "ARGUMENT",
     .many = true,
     .option = "config",
     .unless = "",
     .help =
         "A benchmark config, as -c FILE; or an operator and its arguments, such as torch.mm "
         "'f32[{64,128},64]' 'f32[64,64]', where {...} is a list that makes several cases. "
         "Arguments of a constructor come before a \"/\". docs/timer.md describes the notation."},
    {.name = NULL},
};

static const ob_cli_exit_row EXITS[] = {
    {OB_EXIT_OK, "all cases ran"},
    {OB_EXIT_FAILED, "some failed, or the backend does not support them"},
    {.meaning = NULL},
};

const ob_cli_command ob__command_run = {
    .name = "run",
    .help = "measure an operator, or the cases of a benchmark config",
    .text =
        "Runs every case of a config on a backend and writes one record per case, as a JSON line, "
        "as soon as it is measured. Cases run in a worker process: if one crashes, hangs or needs "
        "too much memory, its record has the status and the reason, and the run continues.\n\n"
        "Each record has a status, and the last line of the file counts them. After an interrupt "
        "the current case gets one second to finish; a second interrupt stops it at once.\n\n"
        "An operator given on the command line is measured for 0.2 seconds, or as -i, --min-time "
        "or --precision say; no file is written unless you name one.",
    .usage = "FILE | OPERATOR [ARGUMENT...] [OPTIONS]",
    .words = WORDS,
    .exits = EXITS,
    .options = ob__run_rows,
    .options_size = sizeof(ob_run_line),
    .options_init = ob__run_line_init,
    .example =
        "opbench run torch.softmax 'f32[{64,128,256},1024]' -1 --backend native,torch --check\n"
        "opbench run examples/configs/tour.json\n"
        "opbench run -c config.json -w 5 -i 100 -b --output results.json\n"
        "opbench run -c config.json --output results.json --resume\n"
        "opbench run -c config.json --backend native,torch --min-time 0.2\n"
        "opbench run -c config.json --num-threads 1,2,4 --pin 0-3 --min-time 0.2",
    .run = run,
};
