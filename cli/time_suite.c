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
    ob_suite_cell *cells; /* seconds, by snippet */
} suite_job;

static ob_status take_result(void *ctx, const ob_suite_result *r, ob_err *err)
{
    suite_job *j = ctx;
    ob_measurement_stats stats;
    OB_TRY(ob__suite_report_take(&j->report, r, err));
    j->cells[r->index].kind = r->measurement == NULL ? OB_CELL_FAILED : OB_CELL_VALUE;
    if (r->measurement == NULL)
        return OB_OK;
    OB_TRY(ob_measurement_compute(r->measurement, &stats, err));
    j->cells[r->index].value = stats.median;
    return OB_OK;
}

/* All in the unit of the shortest. */
static void print_table(suite_job *j)
{
    const size_t count = ob_snippets_count(j->set.snippets);
    double least = 0;
    for (size_t i = 0; i < count; i++)
        if (j->cells[i].kind == OB_CELL_VALUE && (least == 0 || j->cells[i].value < least))
            least = j->cells[i].value;
    const ob_time_unit *unit = least > 0 ? ob_time_unit_select(least) : NULL;
    char title[64];
    for (size_t i = 0; unit != NULL && i < count; i++)
        j->cells[i].value /= unit->scale;
    snprintf(title, sizeof title, "Median time of a run%s%s", unit != NULL ? " in " : "",
             unit != NULL ? unit->symbol : "");
    ob__suite_table(j->cli, j->set.snippets, j->cells, title);
}

static ob_status run_job(suite_job *j, ob_err *err)
{
    const ob_time_line *line = j->line;
    const double timeout_s =
        line->run.case_timeout_s > 0 ? line->run.case_timeout_s : USUAL_TIMEOUT_S;
    const ob_snippet_options options = ob__snippet_line_options(j->cli, &line->snippet, timeout_s);
    OB_TRY(ob__suite_set_open(&line->suite, line->snippet.lang, &options, &j->set, err));
    j->cells = calloc(ob_snippets_count(j->set.snippets) + 1, sizeof *j->cells);
    if (j->cells == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for times");
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
    if (worth && !line->quiet && !j->report.print_records)
        print_table(j);
    return status;
}

int ob__time_suite(ob_cli *cli, const ob_time_line *line, const ob_time_plan *plan)
{
    suite_job j = {.cli = cli,
                   .line = line,
                   .timer = plan->run.timer,
                   .report = {.cli = cli,
                              .line = &line->suite,
                              .snippet = &line->snippet,
                              .doing = "timing",
                              .mode = plan->run.timer.method,
                              .output = line->output,
                              .wait = line->wait,
                              .quiet = line->quiet,
                              .print_records = !line->quiet && strcmp(line->format, "json") == 0}};
    ob_err err, close_err;
    ob__cli_catch_interrupts(cli);
    const ob_status status = run_job(&j, &err);
    const ob_status closed = ob__suite_report_close(&j.report, &close_err);
    free(j.cells);
    ob__suite_set_close(&j.set);
    if (status != OB_OK)
        return ob__snippet_fail(cli, &err);
    if (closed != OB_OK)
        return ob__cli_fail(cli, &close_err);
    return j.report.failed > 0 ? OB_EXIT_FAILED : OB_EXIT_OK;
}
