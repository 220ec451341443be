/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench time -s SUITE: the Timer over every snippet of a suite. Nothing else of ours runs beside a measurement.
 */
#include "interrupts.h"
#include "time_options.h"

#include <stdlib.h>
#include <string.h>

/* One snippet that never ends must not hold up all others, so there is a limit even if none is given. */
static const double USUAL_TIMEOUT_S = 600;

typedef struct suite_job {
    ob_cli *cli;
    const ob_time_line *line;
    ob_timer_options timer;
    ob_suite_set set;
    ob_suite_report report;
} suite_job;

static ob_status take_result(void *ctx, const ob_suite_result *r, ob_err *err)
{
    return ob__suite_report_take(&((suite_job *)ctx)->report, r, err);
}

static ob_status run_job(suite_job *j, ob_err *err)
{
    const ob_time_line *line = j->line;
    const double timeout_s =
        line->run.case_timeout_s > 0 ? line->run.case_timeout_s : USUAL_TIMEOUT_S;
    const ob_snippet_options options = ob__snippet_line_options(j->cli, &line->snippet, timeout_s);
    OB_TRY(ob__suite_set_open(&line->suite, line->snippet.lang, &options, &j->set, err));
    OB_TRY(ob__suite_report_open(&j->report, err));
    OB_TRY(ob_snippets_make_models(j->set.snippets, &options, err));
    const ob_suite_run_params params = {.options = options,
                                        .take = ob__time_take_blocks,
                                        .take_ctx = &j->timer,
                                        .retries = line->suite.retries,
                                        .on_result = take_result,
                                        .ctx = j};
    const ob_status status = ob_suite_run(j->set.snippets, &params, err);
    ob__suite_report_pause(&j->report);
    const bool worth = status == OB_OK || status == OB_ERR_STATE;
    if (worth && !line->job.quiet && !j->report.print_records)
        ob__suite_report_print(&j->report);
    return status;
}

int ob__time_suite(ob_cli *cli, const ob_time_line *line, const ob_time_plan *plan)
{
    suite_job j = {
        .cli = cli,
        .line = line,
        .timer = plan->run.timer,
        .report = {.cli = cli,
                   .line = &line->suite,
                   .snippet = &line->snippet,
                   .doing = "timing",
                   .mode = plan->run.timer.method,
                   .output = line->job.output,
                   .wait = line->job.wait,
                   .quiet = line->job.quiet,
                   .print_records = !line->job.quiet && strcmp(line->job.format, "json") == 0}};
    ob_err err, close_err;
    ob__cli_catch_interrupts(cli);
    const ob_status status = run_job(&j, &err);
    const ob_status closed = ob__suite_report_close(&j.report, &close_err);
    ob__suite_set_close(&j.set);
    if (status != OB_OK)
        return ob__snippet_fail(cli, &err);
    if (closed != OB_OK)
        return ob__cli_fail(cli, &close_err);
    return j.report.failed > 0 ? OB_EXIT_FAILED : OB_EXIT_OK;
}
