/* SPDX-License-Identifier: Apache-2.0
 *
 * What all commands do with a job.
 */
#include "job_line.h"

#include "backend_options.h"
#include "interrupts.h"
#include "machine/examine.h"
#include "progress_line.h"
#include "resume_line.h"
#include "screen.h"
#include "set_caps.h"
#include "warn_threads.h"

#include "opbench/run.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int ob__job_line_check(ob_cli *cli, const ob_job_line *line, const ob_run_options *run)
{
    if (line->append + line->resume + line->force > 1)
        return ob__cli_usage_error(
            cli, "--append, --resume and --force conflict; give only one of them");
    if (ob__job_folder_is_one(line->output) && (line->append || line->force))
        return ob__cli_usage_error(
            cli,
            "%s is a folder, in which each run gets its own file; leave out --%s, or name a file",
            line->output, line->append ? "append" : "force");
    if (line->wait && line->output == NULL)
        return ob__cli_usage_error(
            cli,
            "--wait is for a file that another run may be writing to; give it with --output FILE");
    if (line->adds && line->output == NULL && (line->append || line->resume || line->force))
        return ob__cli_usage_error(
            cli, "--%s says what to do with the file of --output; add --output FILE",
            line->append   ? "append"
            : line->resume ? "resume"
                           : "force");
    if (line->no_isolate && run->case_timeout_s > 0)
        return ob__cli_usage_error(cli, "--case-timeout stops a worker process, but --no-isolate "
                                        "has none; leave one of them out");
    return OB_EXIT_OK;
}

bool ob__job_line_is_mute(const ob_job_line *line)
{
    return line->quiet && (line->output != NULL || line->prefix != NULL);
}

void ob__job_line_take_prefix(ob_cli *cli, ob_job_line *line)
{
    const size_t length = strlen(line->prefix), ending = strlen(".json");
    if (line->output != NULL || length <= ending ||
        strcmp(line->prefix + length - ending, ".json") != 0)
        return;
    line->output = line->prefix;
    if (!line->quiet)
        ob__cli_warn(cli, "taking %s as --output: the file itself, not a prefix", line->prefix);
}

/* ---- results and progress ---- */

static void log_result(const ob_cli *cli, const ob_record_result *r)
{
    const ob_log *log = ob_context_log(cli->context);
    const char *word = ob_record_status_get_info(r->status)->word;
    if (r->reason != NULL)
        ob_log_message(log, OB_LOG_INFO, "%s|%s: %s: %s", r->op_name, r->id, word, r->reason);
    else
        ob_log_message(log, OB_LOG_INFO, "%s|%s: %s, samples: %zu", r->op_name, r->id, word,
                       r->forward.measure_time_ms.count);
    if (r->repro != NULL)
        ob_log_message(log, OB_LOG_DEBUG, "%s|%s: %s", r->op_name, r->id, r->repro);
}

static void note_attained(ob_cli_job *j, const ob_record_result *r)
{
    const size_t used = strlen(j->attained);
    j->has_rates = j->has_rates || r->forward.gflops_per_s > 0 || r->forward.gb_per_s > 0;
    if (r->forward.attainable_ms > 0 && r->backend != NULL &&
        (used == 0 || !ob_backend_is_among(j->attained, r->backend)))
        snprintf(j->attained + used, sizeof j->attained - used, "%s%s", used > 0 ? "," : "",
                 r->backend);
}

static ob_status on_record(void *ctx, const ob_job_event *event, ob_err *err)
{
    ob_cli_job *j = ctx;
    if (j->has_progress)
        ob__cli_clear_line();
    if (!event->is_old) {
        if (!j->line->quiet && !j->line->no_isolate) /* there the backend's own warning is seen */
            ob__warn_of_threads(j->cli, &event->record->result, &j->threads_told);
        if (event->record->result.op_name != NULL)
            log_result(j->cli, &event->record->result);
        note_attained(j, &event->record->result);
    }
    const bool is_json = j->line->format != NULL && strcmp(j->line->format, "json") == 0;
    if (is_json && !ob__job_line_is_mute(j->line) &&
        !ob__cli_write(j->cli, event->line, event->length))
        return ob_err_set(err, OB_ERR_IO, "cannot write to standard output");
    return j->show != NULL ? j->show(j->show_ctx, event, err) : OB_OK;
}

static uint64_t now_ns(void)
{
    const ob_clock clock = ob_clock_monotonic();
    return ob_clock_now_ns(&clock);
}

/* What is under way: of a step that takes minutes which pass and which call it is on, else a case by its call; of what has
 * no calls the last one that came. */
static void name_work(const ob_job_progress *progress, char *out, size_t size)
{
    const ob_run_progress *step = progress->step;
    const ob_record_result *r = progress->record != NULL ? &progress->record->result : NULL;
    char passes[32] = "";
    out[0] = '\0';
    if (step != NULL) {
        if (step->passes > 0)
            snprintf(passes, sizeof passes, " of %" PRIu64, step->passes);
        snprintf(out, size, "%.20s: pass %" PRIu64 "%s, call %" PRIu64 " of %" PRIu64,
                 step->backend, step->pass + 1, passes, step->done + 1, step->size);
    } else if (progress->call != NULL) {
        snprintf(out, size, "%s", progress->call);
    } else if (r != NULL && r->call != NULL) {
        snprintf(out, size, "%s", r->call);
    } else if (r != NULL) {
        const char *op = r->op_name != NULL ? r->op_name : "";
        snprintf(out, size, "%s%s%s", op, op[0] != '\0' ? "  " : "", r->id != NULL ? r->id : "");
    }
}

static void on_progress(void *ctx, const ob_job_progress *progress)
{
    ob_cli_job *j = ctx;
    char what[256];
    j->is_in_step = progress->step != NULL;
    j->drawn_ns = now_ns();
    name_work(progress, what, sizeof what);
    ob__progress_draw(&(ob_progress){.done = progress->done,
                                     .total = progress->total,
                                     .share = progress->share,
                                     .seconds_left = progress->seconds_left,
                                     .what = what});
}

/* So that a long case is seen to go on. */
static void draw_again(ob_cli_job *j)
{
    static const uint64_t EVERY_NS = 500000000;
    if (j->has_progress && !j->is_threaded && !j->is_in_step && j->job != NULL &&
        now_ns() - j->drawn_ns >= EVERY_NS)
        ob_job_tell_progress(j->job);
}

/* As it is: it is for people, and standard output belongs to the results. */
static void on_wrapped(void *ctx, const char *text, size_t length)
{
    const ob_cli_job *j = ctx;
    if (j->has_progress)
        ob__cli_clear_line();
    ob__cli_say("%.*s", (int)length, text);
}

static int on_stop(void *ctx)
{
    ob_cli_job *j = ctx;
    const int wish = j->at_once ? ob__cli_interrupt_at_once(ctx) : ob__cli_interrupts(ctx);
    if (wish == 0)
        draw_again(j);
    return wish;
}

/* ---- a table of the results ---- */

ob_status ob__cli_job_open_report(ob_cli_job *j, const ob_report_params *params, ob_report **out,
                                  ob_err *err)
{
    const ob_job_line *line = j->line;
    const bool is_table = line->format == NULL || strcmp(line->format, "table") == 0;
    const ob_table_choice choice = {.size = sizeof choice, .sort = line->sort, .top = line->top};
    j->waits = j->waits || !is_table || !j->cli->terminal_out || line->quiet;
    ob_report_params own = *params;
    own.size = sizeof own;
    own.width = ob__cli_width(j->cli);
    own.coloured = j->cli->colour_out;
    own.choice = &choice;
    OB_TRY(ob_report_create(&own, out, err));
    j->report = *out;
    return OB_OK;
}

/* Rows of a resumed file came before; now it is known what is ahead. */
static ob_status begin_rows(ob_cli_job *j, ob_err *err)
{
    ob_job_outlook outlook = {.size = sizeof outlook};
    if (j->report == NULL || j->waits)
        return OB_OK;
    OB_TRY(ob_job_look_ahead(j->job, &outlook, err));
    ob_report_expect(j->report, outlook.call_width, outlook.repeats_calls);
    ob_report_expect_calls(j->report, outlook.calls, outlook.call_count, outlook.one_pass);
    j->is_live = true;
    return OB_OK;
}

ob_status ob__cli_job_show(ob_cli_job *j, ob_report *report, const ob_record *record, ob_err *err)
{
    OB_TRY(ob_report_add(report, record, err));
    if (!j->is_live)
        return OB_OK;
    j->rows.size = 0;
    OB_TRY(ob_report_print_new(report, &j->rows, err));
    return ob__cli_write_styled(j->cli, j->rows.data, j->rows.size)
               ? OB_OK
               : ob_err_set(err, OB_ERR_IO, "cannot write to standard output");
}

/* ---- */

static ob_status list_arguments(ob_cli_job *j, const ob_option *rows, const void *values,
                                ob_err *err)
{
    OB_TRY(ob_json_doc_create(&j->arguments, err));
    ob_json *object = ob_json_new_object(j->arguments);
    if (object == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the options' names");
    OB_TRY(ob_options_to_json(rows, values, j->arguments, object, err));
    j->params.arguments = object;
    if (j->params.shard != NULL &&
        (j->params.repeat = ob__list_repeat(j->cli, j->arguments)) == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the words of the command");
    OB_TRY(ob__cli_examine(j->cli, j->line->quiet, j->arguments, &j->params.findings, err));
    return ob__backend_options_list(j->cli, j->arguments, object, err);
}

/* What was found is said: which part a machine has must not be guessed. */
static ob_status take_shard(ob_cli_job *j, ob_err *err)
{
    const char *word = j->line->shard, *by = j->line->shard_by;
    const bool by_cost = j->line->shard_costs != NULL || (by != NULL && strcmp(by, "cost") == 0);
    if (word == NULL && by_cost)
        return ob_err_set(err, OB_ERR_INVALID,
                          "--shard-%s says how to divide the cases; say which part this is with "
                          "--shard K/N or --shard auto",
                          j->line->shard_costs != NULL ? "costs" : "by");
    if (word == NULL)
        return OB_OK;
    if (strcmp(word, "auto") == 0)
        OB_TRY(ob_shard_from_environment(&j->shard, err));
    else
        OB_TRY(ob_shard_parse(word, &j->shard, err));
    if (j->shard.launcher == NULL)
        ob_shard_describe_place(&j->shard);
    else if (!j->line->quiet)
        ob__cli_say("opbench: shard %" PRIu64 "/%" PRIu64 ", by %s\n", j->shard.number, j->shard.of,
                    j->shard.launcher);
    j->shard.by_cost = by_cost;
    j->shard.costs = j->line->shard_costs;
    j->params.shard = &j->shard;
    return OB_OK;
}

/* Into the document of the arguments. */
static ob_status take_tags(ob_cli_job *j, ob_err *err)
{
    const char *const *items = j->line->tags.items;
    if (items[0] == NULL)
        return OB_OK;
    ob_json *object = ob_json_new_object(j->arguments);
    for (size_t i = 0; object != NULL && items[i] != NULL; i++) {
        const char *equals = strchr(items[i], '=');
        if (equals == NULL || equals == items[i])
            return ob_err_set(err, OB_ERR_INVALID, "--tag: '%.100s' is not KEY=VALUE", items[i]);
        char *key = strndup(items[i], (size_t)(equals - items[i]));
        const ob_json *value = ob_json_new_string(j->arguments, equals + 1, strlen(equals + 1));
        const ob_status status = key != NULL && value != NULL
                                     ? ob_json_set(j->arguments, object, key, value, err)
                                     : ob_err_set(err, OB_ERR_NOMEM, "out of memory for the tags");
        free(key);
        OB_TRY(status);
    }
    j->params.tags = object;
    return object != NULL ? OB_OK : ob_err_set(err, OB_ERR_NOMEM, "out of memory for the tags");
}

ob_status ob__cli_job_init(ob_cli_job *j, const ob_option *rows, const void *values, ob_err *err)
{
    const ob_job_line *line = j->line;
    j->waiting.cli = j->cli;
    j->has_progress = ob__progress_has_line() && !line->quiet;
    j->params = (ob_job_params){.size = sizeof j->params,
                                .output = line->output,
                                .prefix = line->prefix,
                                .named_by = line->named_by,
                                .mode = line->resume                 ? OB_JOB_RESUME
                                        : line->force                ? OB_JOB_REPLACE
                                        : line->append || line->adds ? OB_JOB_APPEND
                                                                     : OB_JOB_NEW,
                                .wait = line->wait ? ob__cli_wait_for_file : NULL,
                                .wait_ctx = &j->waiting,
                                .library_caps = ob__cli_library_caps(j->cli),
                                .on_record = on_record,
                                .on_progress = j->has_progress ? on_progress : NULL,
                                .on_wrapped = on_wrapped,
                                .stop = on_stop,
                                .ctx = j};
    OB_TRY(take_shard(j, err));
    if (ob__job_folder_is_one(line->output))
        OB_TRY(ob__job_folder_take(&j->folder, line->output, &j->params, err));
    OB_TRY(list_arguments(j, rows, values, err));
    return take_tags(j, err);
}

int ob__cli_job_name(ob_cli_job *j, const char *config, ob_run_options *run)
{
    const bool resolved = strcmp(config, "-") != 0 && realpath(config, j->config_path) != NULL;
    if (!ob__cli_own_path(&j->own) && !j->line->no_isolate)
        return ob__cli_usage_error(j->cli, "workers cannot be started without /proc; %s",
                                   j->line->named_by != NULL ? "mount it" : "see --no-isolate");
    j->is_of_stdin = strcmp(config, "-") == 0 && !run->by_words;
    run->config_name = resolved ? j->config_path : config;
    run->program = j->own.word;
    run->repro_before = j->cli->plugin_path;
    return OB_EXIT_OK;
}

const char *ob__cli_job_worker(const ob_cli_job *j)
{
    return j->line->no_isolate ? NULL : j->own.path;
}

/* That all cases were looked at, and what came of it. */
static void tell_division(const ob_cli_job *j)
{
    const ob_shard_division *d = ob_job_division(j->job);
    char measured[64] = "", guessed[64] = "";
    if (d == NULL || j->line->quiet)
        return;
    if (j->shard.costs != NULL)
        snprintf(measured, sizeof measured, "%" PRIu64 " by measured times, ", d->measured);
    if (d->measured + d->estimated < d->cases)
        snprintf(guessed, sizeof guessed, ", %" PRIu64 " by a rough guess",
                 d->cases - d->measured - d->estimated);
    ob__cli_say(
        "opbench: shard %" PRIu64 "/%" PRIu64 " by cost: expanded %" PRIu64 " cases, %s%" PRIu64
        " by estimate%s; this part has %.3g %% of the cost, the most expensive part %.3g %%\n",
        j->shard.number, j->shard.of, d->cases, measured, d->estimated, guessed, 100 * d->own,
        100 * d->largest);
}

int ob__cli_job_run(ob_cli_job *j)
{
    ob_err err;
    tell_division(j);
    ob__cli_catch_interrupts(j->cli, j->line->no_isolate);
    ob_status status = begin_rows(j, &err);
    if (status == OB_OK)
        status = ob_job_run(j->job, &err);
    if (j->has_progress)
        ob__cli_clear_line();
    j->has_progress = false;
    if (status == OB_OK) {
        const ob_json *named = ob_json_get(j->params.arguments, "roofline");
        if (ob_json_string(named, NULL) == NULL && !j->line->quiet)
            ob__cli_look_at_roofline(j->cli, j->attained, j->has_rates && ob__progress_has_line());
        return OB_EXIT_OK;
    }
    const int code = ob__cli_fail(j->cli, &err);
    /* The command line was right, the disk was not. */
    return status == OB_ERR_IO && ob_job_path(j->job) != NULL ? OB_EXIT_FAILED : code;
}

static void tell_interrupted(ob_cli_job *j)
{
    const ob_job_summary *summary = ob_job_get_summary(j->job);
    const ob_resume_line line = {.program = j->own.word[0] != '\0' ? j->own.word : "opbench",
                                 .records = ob_job_path(j->job),
                                 .names_records = !j->has_other_output &&
                                                  j->line->named_by == NULL &&
                                                  ob_job_path(j->job) != NULL,
                                 .by_stdin = j->is_of_stdin};
    if (summary->interrupted && !j->line->quiet)
        ob__tell_interrupted(j->cli, &line, summary, ob_job_result_count(j->job));
}

int ob__cli_job_fini(ob_cli_job *j, int code)
{
    ob_err err;
    if (j->job != NULL) {
        ob__cli_finish(j->cli); /* the table comes first */
        tell_interrupted(j);
    }
    ob_text_fini(&j->rows);
    if (ob_job_close(j->job, &err) != OB_OK)
        code = ob__cli_fail(j->cli, &err);
    ob_json_doc_destroy(j->arguments);
    ob__job_folder_fini(&j->folder);
    return code;
}
