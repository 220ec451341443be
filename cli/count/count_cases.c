/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench count --op and -c: the instructions of cases, each in a worker under valgrind. Counts are printed as they
 * come; a case that cannot be counted is told on standard error, and the rest goes on.
 */
#include "count_command.h"
#include "interrupts.h"
#include "own_path.h"
#include "time/time_options.h"

#include "opbench/job.h"
#include "opbench/report.h"

#include <string.h>

typedef struct job {
    ob_cli *cli;
    const ob_count_options *line;
    ob_run_options run;
    ob_thread_list threads;
    ob_own_path own;
    ob_config *config;
    ob_report *report;
    uint64_t failed;
} job;

/* ---- one case ---- */

static void tell_failure(job *j, const ob_record_result *r)
{
    ob_err err;
    j->failed++;
    ob_err_set(&err, OB_ERR_BACKEND, "%.200s|%.100s: %s", r->op_name, r->id, r->reason);
    ob__cli_fail(j->cli, &err);
}

static ob_status take_record(void *ctx, const ob_record *record, const char *line, size_t length,
                             ob_err *err)
{
    job *j = ctx;
    const ob_record_result *r = &record->result;
    const ob_json *tables = r->instructions.tables;
    ob_text text = {.data = NULL};
    (void)line;
    (void)length;
    if (tables == NULL && r->status != OB_RECORD_INTERRUPTED)
        tell_failure(j, r);
    for (size_t i = 0; j->line->json && i < ob_json_count(tables); i++)
        OB_TRY(ob__cli_print_json(j->cli, ob_json_item(tables, i), err));
    if (j->line->json)
        return OB_OK;
    OB_TRY(ob_report_add(j->report, record, err));
    const ob_status status = ob_report_print(j->report, OB_TABLE_TEXT, &text, err);
    if (status == OB_OK)
        ob__cli_write(j->cli, text.data, text.size);
    ob_text_fini(&text);
    return status;
}

/* ---- all of them ---- */

static ob_status count_selected(job *j, ob_err *err)
{
    /* Without a config the only case is the one that --op made. */
    const ob_case_choice choice = {.size = sizeof choice,
                                   .op = j->line->config != NULL ? j->line->op : NULL,
                                   .only_case = j->line->only_case};
    ob_run_params params = {.options = &j->run,
                            .worker_program = j->own.path,
                            .on_record = take_record,
                            .stop = ob__cli_interrupt_at_once,
                            .ctx = j};
    ob_case_selection *selection = NULL;
    ob_run_summary summary = {.interrupted = false};
    OB_TRY(ob_report_create(&(ob_report_params){.view = OB_VIEW_INSTRUCTIONS}, &j->report, err));
    ob_status status = ob_cases_select(j->cli->context, j->config, &choice, &selection, err);
    for (size_t t = 0; status == OB_OK && t < j->threads.size; t++) {
        j->run.threads = j->threads.counts[t];
        for (size_t i = 0; status == OB_OK && i < selection->count; i++) {
            params.first = selection->ranges[i].first;
            params.count = selection->ranges[i].count;
            status = ob_run(j->cli->context, j->config, &params, &summary, err);
            if (status == OB_OK && summary.interrupted)
                status = ob_err_set(err, OB_ERR_STATE, "interrupted");
        }
    }
    ob_case_selection_destroy(selection);
    ob_report_destroy(j->report);
    return status;
}

static int check(ob_cli *cli, const ob_count_options *o, size_t word_count)
{
    ob_err err;
    if (o->snippet.lang != NULL)
        return ob__cli_usage_error(cli, "--lang takes a statement; leave out -c and --op");
    if (o->config != NULL && word_count > 0)
        return ob__cli_usage_error(cli, "arguments go with --op NAME alone; leave out -c");
    if (o->config == NULL && o->only_case != NULL)
        return ob__cli_usage_error(cli, "--case says which case of a config; give it with -c FILE");
    if (ob_run_options_backend_count(&o->run) > 1)
        return ob__cli_usage_error(cli, "--backend takes one name here; count each of them alone");
    return ob_run_options_check(&o->run, &err) == OB_OK
               ? OB_EXIT_OK
               : ob__cli_usage_error(cli, "%s", err.message);
}

int ob__count_cases(ob_cli *cli, const ob_count_options *options, const char *const *words,
                    size_t count)
{
    job j = {.cli = cli, .line = options, .run = options->run};
    const ob_config_options config_options = {.device = options->run.device};
    ob_err err;
    int code = check(cli, options, count);
    if (code == OB_EXIT_OK)
        code = ob__thread_list_read(cli, options->threads, &j.threads);
    if (code == OB_EXIT_OK)
        code = ob__cli_open_context(cli, OB_CLI_WITH_PLUGINS, OB_LOG_WARNING);
    if (code != OB_EXIT_OK)
        return code;
    j.run.count_timeout_s = options->case_timeout_s;
    j.run.by_words = options->config == NULL;
    j.run.count_repeats = options->repeats > 0 ? options->repeats : 1;
    if (options->number > 0)
        j.run.count_number = options->number;
    if (!ob__cli_own_path(&j.own))
        return ob__cli_usage_error(
            cli, "this program's file cannot be found to start workers; mount /proc");
    ob_status status =
        options->config != NULL
            ? ob_config_open_file(cli->context, options->config, &config_options, &j.config, &err)
            : ob__time_case_open(cli->context, options->op, options->run.device, words, count,
                                 &j.config, &err);
    ob__cli_catch_interrupts(cli);
    if (status == OB_OK)
        status = count_selected(&j, &err);
    ob_config_destroy(j.config);
    if (status != OB_OK) {
        const int failed = ob__cli_fail(cli, &err);
        return status == OB_ERR_STATE ? OB_EXIT_INTERRUPTED : failed;
    }
    return j.failed > 0 ? OB_EXIT_FAILED : OB_EXIT_OK;
}
