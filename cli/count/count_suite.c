/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench count -s SUITE: counts every snippet of a suite. Standard output gets a table, or with --json the tables
 * of each count as it comes; progress and failures go to standard error. --ci takes times too, after the counts
 * and one by one, and writes the file of the original's runs; --baseline compares with an earlier run.
 */
#include "count_command.h"
#include "interrupts.h"

#include <stdlib.h>
#include <string.h>

/* What the original's CI does. */
enum { CI_ROUNDS = 5, CI_REPEATS = 5 };

typedef struct suite_job {
    ob_cli *cli;
    const ob_count_options *options;
    ob_suite_set set;
    ob_suite_report report;
    ob_count_values *values; /* by snippet */
    ob_count_comparison comparison;
    time_t start;
    int ci_code; /* of writing the file */
} suite_job;

/* ---- results ---- */

static ob_status print_tables(suite_job *j, const ob_suite_result *r, ob_err *err)
{
    ob_json_doc *doc;
    ob_json *node;
    OB_TRY(ob_json_doc_create(&doc, err));
    ob_status status = ob_count_stats_to_json(r->stats[r->stats_count - 1], doc, &node, err);
    if (status == OB_OK)
        status = ob__cli_print_json(j->cli, node, err);
    ob_json_doc_destroy(doc);
    return status;
}

static ob_status take_result(void *ctx, const ob_suite_result *r, ob_err *err)
{
    suite_job *j = ctx;
    OB_TRY(ob__suite_report_take(&j->report, r, err));
    OB_TRY(ob__count_values_add(&j->values[r->index], r, err));
    if (r->stats_count == 0)
        return OB_OK;
    if (j->options->json)
        OB_TRY(print_tables(j, r, err));
    if (j->comparison.baseline == NULL)
        return OB_OK;
    ob__suite_report_pause(&j->report);
    return ob__count_compare(&j->comparison, r, err);
}

/* ---- the run ---- */

static ob_status take_blocks(void *ctx, const ob_timer *timer, ob_measurements *to, ob_err *err)
{
    const suite_job *j = ctx;
    return ob_timer_blocked_autorange(timer, j->options->min_run_time_s, to, err);
}

static ob_status run_all(suite_job *j, const ob_snippet_options *options, ob_err *err)
{
    const ob_count_options *o = j->options;
    const bool ci = o->ci != NULL;
    ob_suite_run_params params = {.options = *options,
                                  .count = {.number = o->number,
                                            .repeats = o->repeats > 0 ? o->repeats
                                                       : ci           ? CI_REPEATS
                                                                      : 1,
                                            .no_baseline = true},
                                  .jobs = o->jobs,
                                  .retries = o->suite.retries,
                                  .rounds = o->rounds > 0 ? o->rounds
                                            : ci          ? CI_ROUNDS
                                                          : 1,
                                  .on_result = take_result,
                                  .ctx = j};
    OB_TRY(ob_snippets_make_models(j->set.snippets, options, err));
    OB_TRY(ob_suite_run(j->set.snippets, &params, err));
    if (!ci || o->no_times)
        return OB_OK;
    j->report.doing = "timing";
    j->report.mode = "blocked";
    params.take = take_blocks;
    params.take_ctx = j;
    return ob_suite_run(j->set.snippets, &params, err);
}

static ob_status run_job(suite_job *j, ob_err *err)
{
    const ob_count_options *o = j->options;
    const ob_snippet_options options =
        ob__snippet_line_options(j->cli, &o->snippet, o->case_timeout_s);
    OB_TRY(ob__suite_set_open(&o->suite, o->snippet.lang, &options, &j->set, err));
    j->values = calloc(ob_snippets_count(j->set.snippets) + 1, sizeof *j->values);
    if (j->values == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for counts");
    if (o->baseline != NULL)
        OB_TRY(ob__count_compare_open(&j->comparison, o->baseline, j->set.snippets,
                                      o->number > 0 ? o->number : OB_SNIPPET_NUMBER, err));
    if (o->ci != NULL)
        OB_TRY(ob__count_check_ci(o->ci, o->force, err));
    OB_TRY(ob__suite_report_open(&j->report, err));
    ob_status status = run_all(j, &options, err);
    ob__suite_report_pause(&j->report);
    /* What was measured before an interrupt is worth keeping. */
    const bool worth = status == OB_OK || status == OB_ERR_STATE;
    if (worth && !o->json && !(o->ci != NULL && strcmp(o->ci, "-") == 0))
        ob__suite_report_print(&j->report);
    if (worth && o->ci != NULL)
        j->ci_code = ob__count_write_ci(j->cli, o->ci, j->set.snippets, j->values, j->start);
    return status;
}

int ob__count_suite(ob_cli *cli, const ob_count_options *options)
{
    suite_job j = {
        .cli = cli,
        .options = options,
        .comparison = {.cli = cli,
                       .max_regression = options->max_regression > 0 ? options->max_regression : 0},
        .report = {.cli = cli,
                   .line = &options->suite,
                   .snippet = &options->snippet,
                   .doing = "counting",
                   .output = options->output,
                   .wait = options->wait},
        .start = time(NULL)};
    ob_err err;
    ob__cli_catch_interrupts(cli);
    ob_status status = run_job(&j, &err);
    ob_err close_err;
    const ob_status closed = ob__suite_report_close(&j.report, &close_err);
    for (size_t i = 0; j.values != NULL && i < ob_snippets_count(j.set.snippets); i++)
        ob__count_values_fini(&j.values[i]);
    free(j.values);
    ob_count_file_destroy(j.comparison.baseline);
    ob__suite_set_close(&j.set);
    if (status != OB_OK)
        return ob__snippet_fail(cli, &err);
    if (closed != OB_OK)
        return ob__cli_fail(cli, &close_err);
    if (j.ci_code != OB_EXIT_OK)
        return j.ci_code;
    const int compared =
        options->baseline == NULL ? OB_EXIT_OK : ob__count_compare_end(&j.comparison);
    return compared == OB_EXIT_OK && j.report.failed > 0 ? OB_EXIT_FAILED : compared;
}
