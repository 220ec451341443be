/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench run: measures the cases of a config. Records go to a file line by line as they come; the screen
 * gets a progress line on a terminal and a table at the end.
 */
#include "backend_options.h"
#include "header.h"
#include "interrupts.h"
#include "own_path.h"
#include "run_batches.h"
#include "run_output.h"
#include "run_select.h"
#include "warn_threads.h"

#include "opbench/profile.h"
#include "opbench/version.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- the run under way ---- */

typedef struct job {
    ob_cli *cli;
    const ob_run_line *options;
    ob_run_options run; /* with the config's and the program's names */
    ob_own_path own;
    char config_path[PATH_MAX];
    ob_config *config;
    ob_result_file *file;
    ob_report *report;
    ob_table_format format;
    ob_done *done;
    ob_run_batches *batches; /* NULL = no profiler */
    ob_profile *profile;     /* NULL = no trace file */
    char *backend_options;   /* what run.backend_options may point to */
    ob_json_doc *line_doc;   /* what the header says of the command line */
    bool header_written;
    ob_run_selection selection;
    uint64_t finished;
    uint64_t started_ns;
    bool progress; /* standard error is a terminal */
    bool verbose;  /* --log-level debug */
    int64_t threads_told;
    char config_hash[40];
} job;

/* The hash of the config as it is printed anew, so that blanks and lines do not matter: a resumed run
 * must have the same. */
static ob_status hash_config(job *j, ob_err *err)
{
    char *text = NULL;
    size_t length = 0;
    uint64_t hash = 0xcbf29ce484222325u;
    OB_TRY(ob_json_print(ob_config_json(j->config), &text, &length, err));
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
    free(text);
    snprintf(j->config_hash, sizeof j->config_hash, "%016" PRIx64, hash);
    return OB_OK;
}

static ob_status write_header(void *ctx, const ob_json *properties, ob_err *err)
{
    job *j = ctx;
    ob_record record;
    ob_header_room room;
    if (j->header_written)
        return OB_OK;
    j->header_written = true;
    OB_TRY(ob__header_init(j->cli, &record, properties, &room, err));
    ob_record_header *h = &record.header;
    if (j->run.count)
        ob_log_message(ob_context_log(j->cli->context), OB_LOG_INFO, "perf_event: %s",
                       h->perf_event);
    OB_TRY(ob_json_doc_create(&j->line_doc, err));
    ob__run_line_describe(j->options, &h->options);
    h->options.out_stream = ob_result_file_path(j->file);
    OB_TRY(ob__run_line_list(j->cli, j->options, j->line_doc, &h->options.cmd_args, err));
    ob__run_batches_describe(j->batches, &h->options);
    h->config = ob_config_name(j->config);
    h->config_hash = j->config_hash;
    h->cases = (int64_t)j->selection.cases;
    h->seed = j->run.seed;
    return ob_result_file_append(j->file, &record, err);
}

static ob_status write_finish(job *j, const ob_run_summary *summary, ob_err *err)
{
    ob_record record;
    char now[32];
    const ob_clock clock = ob_clock_monotonic();
    ob_record_init(&record, OB_RECORD_FINISH_LINE);
    record.finish.finish_time = ob_record_format_time((int64_t)time(NULL), now);
    record.finish.end = summary->interrupted          ? "interrupted"
                        : j->options->stop_id != NULL ? "stopped"
                                                      : "finished";
    record.finish.seconds = (double)(ob_clock_now_ns(&clock) - j->started_ns) / 1e9;
    memcpy(record.finish.cases, summary->cases, sizeof record.finish.cases);
    return ob_result_file_append(j->file, &record, err);
}

static void show_progress(const job *j, const ob_record_result *r)
{
    if (!j->progress)
        return;
    const ob_clock clock = ob_clock_monotonic();
    const double seconds = (double)(ob_clock_now_ns(&clock) - j->started_ns) / 1e9;
    /* A resumed file may hold cases that are not selected now; the estimate is never below zero. */
    const uint64_t done = j->done != NULL ? ob_done_count(j->done) : 0;
    const uint64_t all = j->selection.cases * ob_run_options_backend_count(&j->run);
    const uint64_t wanted = all - (done < all ? done : all);
    const uint64_t total = wanted > j->finished ? wanted : j->finished;
    const double left = seconds / (double)j->finished * (double)(total - j->finished);
    fprintf(stderr, "\r\033[K%" PRIu64 "/%" PRIu64 "  %.60s  %.40s  %.0f s left", j->finished,
            total, r->op_name, r->id, left);
}

static void log_result(const job *j, const ob_record_result *r)
{
    const ob_log *log = ob_context_log(j->cli->context);
    const ob_record_status_info *info = ob_record_status_get_info(r->status);
    const char *word = info != NULL ? info->word : "";
    if (r->reason != NULL)
        ob_log_message(log, OB_LOG_INFO, "%s|%s: %s: %s", r->op_name, r->id, word, r->reason);
    else
        ob_log_message(log, OB_LOG_INFO, "%s|%s: %s, samples: %zu", r->op_name, r->id, word,
                       r->forward.measure_time_ms.count);
    if (r->repro != NULL)
        ob_log_message(log, OB_LOG_DEBUG, "%s|%s: %s", r->op_name, r->id, r->repro);
}

/* What standard output gets of a result: a line at once, or a row at the end. */
static ob_status show_result(job *j, const ob_record *record, const char *line, size_t length,
                             ob_err *err)
{
    if (j->options->quiet)
        return OB_OK;
    OB_TRY(ob_report_add(j->report, record, err));
    return j->format != OB_TABLE_JSON || ob__cli_write(j->cli, line, length)
               ? OB_OK
               : ob_err_set(err, OB_ERR_IO, "standard output cannot be written");
}

/* A result that the file of a resumed run had already. */
static ob_status take_old(void *ctx, const ob_record *record, ob_err *err)
{
    job *j = ctx;
    ob_text line = {0};
    ob_status status = ob_record_print(record, &line, err);
    if (status == OB_OK)
        status = show_result(j, record, line.data, line.size, err);
    ob_text_fini(&line);
    return status;
}

static ob_status append_kernel(void *ctx, const ob_record *kernel, ob_err *err)
{
    return ob_result_file_append(ctx, kernel, err);
}

static ob_status take_record(void *ctx, const ob_record *record, const char *line, size_t length,
                             ob_err *err)
{
    job *j = ctx;
    OB_TRY(ob_result_file_append_line(j->file, line, length, err));
    if (j->profile != NULL) {
        OB_TRY(ob_profile_add(j->profile, record, err));
        OB_TRY(ob_profile_sum_kernels(record, append_kernel, j->file, err));
    }
    OB_TRY(ob__run_batches_add(j->batches, &record->result, err));
    j->finished++;
    if (!j->options->quiet && !j->options->no_isolate) /* there the backend's own warning is seen */
        ob__warn_of_threads(j->cli, &record->result, &j->threads_told);
    log_result(j, &record->result);
    show_progress(j, &record->result);
    return show_result(j, record, line, length, err);
}

/* ---- */

static void add_summary(ob_run_summary *to, const ob_run_summary *part)
{
    for (int i = 0; i < OB_RECORD_STATUS_COUNT; i++)
        to->cases[i] += part->cases[i];
    to->left_out += part->left_out;
    to->workers += part->workers;
    to->interrupted = to->interrupted || part->interrupted;
}

/* A range of cases; with a profiler one batch after the other, so that no case is measured while a
 * profiler runs. */
static ob_status run_range(job *j, ob_run_params *params, const ob_run_range *range,
                           ob_run_summary *summary, ob_err *err)
{
    const uint64_t end = range->first + range->count;
    params->first = range->first;
    params->count = range->count;
    while (params->first < end && !summary->interrupted) {
        ob_run_summary part;
        if (j->batches != NULL)
            OB_TRY(ob__run_batches_measure(j->batches, params->first, end, &params->count, err));
        OB_TRY(ob_run(j->cli->context, j->config, params, &part, err));
        add_summary(summary, &part);
        if (j->batches != NULL && !part.interrupted) {
            const ob_status status = ob__run_batches_run(j->batches, j->file, err);
            if (status == OB_END)
                summary->interrupted = true;
            else
                OB_TRY(status);
        }
        params->first += params->count;
        if (params->first < end && ob__cli_interrupts(NULL) > 0)
            summary->interrupted = true;
    }
    return OB_OK;
}

static ob_status run_ranges(job *j, ob_run_params *params, ob_run_summary *summary, ob_err *err)
{
    const ob_run_selection *selection = &j->selection;
    *summary = (ob_run_summary){.interrupted = false};
    for (size_t i = 0; i < selection->count && !summary->interrupted; i++) {
        if (i > 0 && ob__cli_interrupts(NULL) > 0)
            summary->interrupted = true;
        else
            OB_TRY(run_range(j, params, &selection->ranges[i], summary, err));
    }
    return OB_OK;
}

static ob_status write_trace_name(job *j, ob_err *err)
{
    ob_record record;
    ob_record_init(&record, OB_RECORD_TRACE_LINE);
    record.trace_file = ob_profile_path(j->profile);
    return ob_result_file_append(j->file, &record, err);
}

static ob_status run_job(job *j, ob_run_summary *summary, ob_err *err)
{
    const ob_clock clock = ob_clock_monotonic();
    ob_run_params params = {.options = &j->run,
                            .worker_program = j->options->no_isolate ? NULL : j->own.path,
                            .done = j->done,
                            .on_record = take_record,
                            .on_ready = write_header,
                            .stop = ob__cli_interrupts,
                            .ctx = j};
    ob__cli_catch_interrupts(j->cli);
    j->started_ns = ob_clock_now_ns(&clock);
    const ob_status status = run_ranges(j, &params, summary, err);
    if (j->progress)
        fputs("\r\033[K", stderr);
    OB_TRY(status);
    OB_TRY(write_finish(j, summary, err));
    return j->profile != NULL ? write_trace_name(j, err) : OB_OK;
}

/* The table, what was there before, the notes; where the records are goes beside what programs read. */
static ob_status print_tables(job *j, const ob_run_summary *summary, ob_text *text, ob_err *err)
{
    OB_TRY(ob_report_print(j->report, j->format, text, err));
    ob__cli_write(j->cli, text->data, text->size);
    if (j->format == OB_TABLE_TEXT && summary->left_out > 0)
        ob__cli_printf(j->cli, "%" PRIu64 " %s done already\n", summary->left_out,
                       summary->left_out == 1 ? "case was" : "cases were");
    text->size = 0;
    OB_TRY(ob_report_print_notes(j->report, j->format, text, err));
    ob__cli_write(j->cli, text->data, text->size);
    return OB_OK;
}

static int print_report(job *j, const ob_run_summary *summary)
{
    ob_text text = {0};
    ob_err err;
    const ob_status status = print_tables(j, summary, &text, &err);
    ob_text_fini(&text);
    if (j->format == OB_TABLE_TEXT) {
        ob__cli_printf(j->cli, "records: %s\n", ob_result_file_path(j->file));
        if (j->profile != NULL)
            ob__cli_printf(j->cli, "trace: %s\n", ob_profile_path(j->profile));
        ob__backend_options_print_files(j->cli, ob_result_file_path(j->file));
    } else if (j->options->output == NULL) {
        fprintf(stderr, "records: %s\n", ob_result_file_path(j->file));
    }
    return status == OB_OK ? OB_EXIT_OK : ob__cli_fail(j->cli, &err);
}

static int report(job *j, const ob_run_summary *summary)
{
    uint64_t failed = 0;
    int failed_to_show = OB_EXIT_OK;
    for (int s = 0; s < OB_RECORD_STATUS_COUNT; s++) {
        const ob_record_status_info *info = ob_record_status_get_info((ob_record_status)s);
        if (info != NULL && info->failed)
            failed += summary->cases[s];
    }
    if (!j->options->quiet)
        failed_to_show = print_report(j, summary);
    if (summary->interrupted)
        return 130;
    return failed > 0 || ob__run_batches_failed(j->batches) > 0 ? OB_EXIT_FAILED : failed_to_show;
}

static int run_config(job *j)
{
    ob_err err;
    ob_run_summary summary;
    const ob_run_batches_params batches = {.line = j->options,
                                           .options = &j->run,
                                           .config = j->config,
                                           .own_path = j->own.path,
                                           .verbose = j->verbose,
                                           .stop = ob__cli_interrupts};
    const ob_run_output_params output = {.cli = j->cli,
                                         .line = j->options,
                                         .config_name = ob_config_name(j->config),
                                         .config_hash = j->config_hash,
                                         .on_old = take_old,
                                         .ctx = j};
    ob_status status = ob__run_batches_open(j->cli, &batches, &j->batches, &err);
    if (status == OB_OK)
        status = hash_config(j, &err);
    if (status == OB_OK)
        status = ob__run_select(j->cli, j->config, j->options, &j->selection, &err);
    if (status == OB_OK)
        status = ob__run_output_open(&output, &j->file, &j->done, &err);
    const ob_backend_options_use use = {
        .records = j->file != NULL ? ob_result_file_path(j->file) : "",
        .replace = j->options->force || j->options->resume || j->options->append};
    if (status == OB_OK)
        status = ob__backend_options_apply(j->cli, &use, &j->run, &j->backend_options, &err);
    if (status == OB_OK && !j->options->quiet)
        ob__backend_options_warn(j->cli);
    if (status == OB_OK && j->run.profile)
        status = ob_profile_open(ob_result_file_path(j->file), &j->profile, &err);
    if (status == OB_OK)
        status = run_job(j, &summary, &err);
    int code = status == OB_OK ? report(j, &summary) : ob__cli_fail(j->cli, &err);
    if (status == OB_ERR_IO && j->file != NULL)
        code = OB_EXIT_FAILED; /* the command line was right, the disk was not */
    /* Refused before anything ran: a name that nobody chose need not stay. */
    if (status != OB_OK && !j->header_written && j->file != NULL && j->options->output == NULL)
        unlink(ob_result_file_path(j->file));
    if (ob_result_file_close(j->file, &err) != OB_OK)
        code = ob__cli_fail(j->cli, &err);
    if (ob_profile_close(j->profile, &err) != OB_OK)
        code = ob__cli_fail(j->cli, &err);
    ob__run_batches_close(j->batches);
    ob_json_doc_destroy(j->line_doc);
    free(j->backend_options);
    ob_done_destroy(j->done);
    ob__run_selection_fini(&j->selection);
    ob_report_destroy(j->report);
    return code;
}

/* A repro line must work from any folder. */
static void name_for_repro(job *j)
{
    const char *config = j->options->config;
    const bool resolved = strcmp(config, "-") != 0 && realpath(config, j->config_path) != NULL;
    j->run.config_name = resolved ? j->config_path : config;
    j->run.program = j->own.word;
}

/* What iterators are told; with several devices nothing. */
static const char *one_device(const char *words)
{
    return words != NULL && strchr(words, ',') == NULL ? words : NULL;
}

int ob__run_measure(ob_cli *cli, const ob_run_line *options, const char *text, size_t length)
{
    ob_err err;
    ob_log_level log_level = OB_LOG_WARNING;
    int code = ob__run_line_check(cli, options, &log_level);
    if (code == OB_EXIT_OK)
        code = ob__cli_open_context(cli, OB_CLI_WITH_PLUGINS, log_level);
    if (code != OB_EXIT_OK)
        return code;
    job j = {.cli = cli,
             .options = options,
             .run = options->run,
             .verbose = log_level == OB_LOG_DEBUG,
             .progress = isatty(STDERR_FILENO) == 1 && !options->quiet};
    const ob_config_options config_options = {
        .device = one_device(options->run.device),
        .foreign_operators =
            ob__backend_option_given(cli, ob__backend_option_brings_operators, NULL) != NULL ||
            ob_run_options_bring_operators(cli->context, &options->run)};
    ob_run_selector selector = {.cli = cli, .line = options};
    cli->wants_warning = ob__run_wants_warning;
    /* Until the config is open, a few lines below. */
    /* cppcheck-suppress autoVariables */
    cli->wants_ctx = &selector;
    const ob_status opened =
        text != NULL
            ? ob_config_open_memory(cli->context, options->config, text, length, &config_options,
                                    &j.config, &err)
            : ob_config_open_file(cli->context, options->config, &config_options, &j.config, &err);
    cli->wants_warning = NULL;
    cli->wants_ctx = NULL;
    if (opened != OB_OK)
        return ob__cli_fail(cli, &err);
    if (!ob__cli_own_path(&j.own) && !options->no_isolate) {
        ob_config_destroy(j.config);
        return ob__cli_usage_error(cli,
                                   "workers cannot be started without /proc; see --no-isolate");
    }
    name_for_repro(&j);
    ob_table_format_from_word(strcmp(options->format, "table") == 0 ? "text" : options->format,
                              &j.format);
    const ob_report_params params = {
        .view = ob_run_options_backend_count(&j.run) > 1 ? OB_VIEW_SIDES : OB_VIEW_RUN,
        .totals_only = j.format == OB_TABLE_JSON};
    code = ob_report_create(&params, &j.report, &err) == OB_OK ? run_config(&j)
                                                               : ob__cli_fail(cli, &err);
    ob_config_destroy(j.config);
    return code;
}

static int run(ob_cli *cli, const ob_cli_call *call)
{
    const ob_run_line *options = call->options;
    if (options->version) {
        ob__cli_printf(cli, "opbench %s\n", ob_version());
        return OB_EXIT_OK;
    }
    return ob__run_measure(cli, options, NULL, 0);
}

const ob_cli_command ob__command_run = {
    .name = "run",
    .help = "measure the cases of a benchmark config",
    .text =
        "Runs every case of a config on a backend and writes one record per case, as a JSON line, "
        "as "
        "soon as it is there. Cases run in a worker process: one that crashes, hangs or needs too "
        "much memory is a record with its status and reason, and the run goes on.\n\n"
        "Exit code 0: all cases ran; 1: some were not measured: they failed, or the backend "
        "that was asked for does not support them (each record has a status, the last line of the "
        "file counts them); 2: wrong command line or config; 130: interrupted (the first interrupt "
        "ends after the present case, the second at once).",
    .usage = "-c FILE [OPTIONS]",
    .options = ob__run_rows,
    .options_size = sizeof(ob_run_line),
    .options_init = ob__run_line_init,
    .example = "opbench run -c examples/configs/tour.json\n"
               "opbench run -c config.json -w 5 -i 100 -b --output results.json\n"
               "opbench run -c config.json --output results.json --resume\n"
               "opbench run -c config.json --backend native,torch --min-time 0.2",
    .run = run,
};
