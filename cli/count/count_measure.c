/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench count of cases, of a statement and of a suite: one job each. --baseline compares each count of cases or a suite with
 * an earlier run; --ci takes times too, after the counts and one by one, and writes the file of the original's runs. Both
 * see nothing but records, so those of a resumed file count.
 */
#include "count_command.h"
#include "interrupts.h"

#include <stdlib.h>
#include <string.h>

/* What the original's CI does. */
enum { CI_ROUNDS = 5, CI_REPEATS = 5 };

typedef struct counting {
    ob_cli *cli;
    const ob_count_options *options;
    ob_job_screen screen;
    ob_timer_options timer;  /* of --ci */
    ob_count_values *values; /* of --ci: by snippet */
    size_t value_count;
    ob_count_comparison comparison;
    time_t start;
} counting;

/* ---- results ---- */

static ob_status take_result(void *ctx, const ob_job_event *event, ob_err *err)
{
    counting *c = ctx;
    const ob_record_result *r = &event->record->result;
    const ob_json *tables = r->instructions.tables;
    const bool prints = c->options->json && !ob__job_line_is_mute(&c->options->job);
    for (size_t i = 0; prints && i < ob_json_count(tables); i++)
        OB_TRY(ob__cli_print_json(c->cli, ob_json_item(tables, i), err));
    if (r->index >= 0 && (size_t)r->index < c->value_count)
        OB_TRY(ob__count_values_add(&c->values[r->index], r, err));
    return c->comparison.baseline != NULL && tables != NULL
               ? ob__count_compare(&c->comparison, r, err)
               : OB_OK;
}

/* Standard output has something else than what people read. */
static bool is_muted(const ob_count_options *o)
{
    return o->json || (o->ci != NULL && strcmp(o->ci, "-") == 0);
}

/* ---- a suite ---- */

static ob_status prepare(void *ctx, const ob_snippets *suite, ob_err *err)
{
    counting *c = ctx;
    const ob_count_options *o = c->options;
    if (o->baseline != NULL)
        OB_TRY(ob__count_compare_open(&c->comparison, o->baseline, suite,
                                      o->number > 0 ? o->number : OB_SNIPPET_NUMBER, err));
    if (o->ci == NULL)
        return OB_OK;
    c->values = calloc(ob_snippets_count(suite) + 1, sizeof *c->values);
    if (c->values == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for counts");
    c->value_count = ob_snippets_count(suite);
    return ob__count_check_ci(o->ci, o->job.force, err);
}

static int finish(void *ctx, const ob_snippets *suite, int code)
{
    const counting *c = ctx;
    const ob_count_options *o = c->options;
    int own = OB_EXIT_OK;
    if (o->ci != NULL)
        own = ob__count_write_ci(c->cli, o->ci, suite, c->values, c->start);
    if (own == OB_EXIT_OK && o->baseline != NULL && code != OB_EXIT_INTERRUPTED)
        own = ob__count_compare_end(&c->comparison);
    return own != OB_EXIT_OK && code != OB_EXIT_INTERRUPTED ? own : code;
}

int ob__count_snippets(ob_cli *cli, const ob_count_options *o, const char *const *words,
                       size_t count)
{
    static const char *const TOLD[] = {OB_SNIPPET_TOLD, "number",       "no-baseline", "label",
                                       "case-timeout",  "library-caps", NULL};
    const bool is_suite = o->suite.file != NULL, ci = o->ci != NULL;
    counting c = {
        .cli = cli,
        .options = o,
        .screen = {.job = {.cli = cli, .line = &o->job},
                   .view = is_suite ? OB_VIEW_SUITE : OB_VIEW_INSTRUCTIONS,
                   .is_muted = is_muted(o),
                   .also = take_result,
                   .also_ctx = &c},
        .timer = {.method = "blocked", .min_run_time_s = o->min_run_time_s},
        .comparison = {.cli = cli, .max_regression = o->max_regression > 0 ? o->max_regression : 0},
        .start = time(NULL)};
    ob_thread_list threads;
    int code = ob__thread_list_read(cli, o->threads, &threads);
    if (code != OB_EXIT_OK)
        return code;
    const ob_snippet_count_params how = {.size = sizeof how,
                                         .number = o->number,
                                         .repeats = o->repeats > 0 ? o->repeats
                                                    : ci           ? CI_REPEATS
                                                                   : 1,
                                         .no_baseline = is_suite || o->no_baseline};
    const ob_job_snippets what = {.count = &how,
                                  .timer = ci && !o->no_times ? &c.timer : NULL,
                                  .jobs = o->jobs,
                                  .rounds = o->rounds > 0 ? o->rounds
                                            : ci          ? CI_ROUNDS
                                                          : 1,
                                  .names = {.label = o->label}};
    ob_snippet_request request = {.snippet = &o->snippet,
                                  .suite = &o->suite,
                                  .words = words,
                                  .word_count = count,
                                  .threads = &threads,
                                  .timeout_s = o->case_timeout_s,
                                  .what = what,
                                  .told = TOLD,
                                  .given = o,
                                  .values = o,
                                  .prepare = is_suite ? prepare : NULL,
                                  .finish = is_suite ? finish : NULL,
                                  .ctx = &c};
    code = ob__snippets_measure(&c.screen, &request);
    for (size_t i = 0; i < c.value_count; i++)
        ob__count_values_fini(&c.values[i]);
    free(c.values);
    ob_count_file_destroy(c.comparison.baseline);
    return code;
}

/* ---- cases ---- */

static int check(ob_cli *cli, const ob_count_options *o, size_t word_count)
{
    ob_err err;
    if (o->snippet.lang != NULL)
        return ob__cli_usage_error(cli, "--lang takes a statement; leave out -c and --op");
    if (o->config != NULL && word_count > 0)
        return ob__cli_usage_error(cli, "arguments go only with --op NAME; leave out -c");
    if (o->config == NULL && o->only_case != NULL)
        return ob__cli_usage_error(cli, "--case says which case of a config; give it with -c FILE");
    if (ob_run_options_backend_count(&o->run) > 1)
        return ob__cli_usage_error(cli,
                                   "--backend takes one name here; count each backend separately");
    return ob_run_options_check(&o->run, &err) == OB_OK
               ? OB_EXIT_OK
               : ob__cli_usage_error(cli, "%s", err.message);
}

int ob__count_cases(ob_cli *cli, const ob_count_options *o, const char *const *words, size_t count)
{
    counting c = {.cli = cli,
                  .options = o,
                  .screen = {.job = {.cli = cli, .line = &o->job, .at_once = true},
                             .view = OB_VIEW_INSTRUCTIONS,
                             .is_muted = is_muted(o),
                             .also = take_result,
                             .also_ctx = &c},
                  .comparison = {.cli = cli,
                                 .max_regression = o->max_regression > 0 ? o->max_regression : 0}};
    ob_thread_list threads;
    ob_err err;
    ob_case_request request = {.config = o->config,
                               .op = o->op,
                               .only_case = o->only_case,
                               .words = words,
                               .word_count = count,
                               .run = o->run,
                               .threads = &threads,
                               .values = o};
    int code = check(cli, o, count);
    if (code == OB_EXIT_OK)
        code = ob__thread_list_read(cli, o->threads, &threads);
    if (code != OB_EXIT_OK)
        return code;
    request.run.command = "count";
    request.run.count_timeout_s = o->case_timeout_s;
    request.run.count_repeats = o->repeats > 0 ? o->repeats : 1;
    if (o->number > 0)
        request.run.count_number = o->number;
    if (o->baseline != NULL && ob__count_compare_open(&c.comparison, o->baseline, NULL,
                                                      request.run.count_number, &err) != OB_OK)
        code = ob__cli_fail(cli, &err);
    if (code == OB_EXIT_OK)
        code = ob__cases_measure(&c.screen, &request);
    if (o->baseline != NULL && (code == OB_EXIT_OK || code == OB_EXIT_FAILED)) {
        const int own = ob__count_compare_end(&c.comparison);
        code = own != OB_EXIT_OK ? own : code;
    }
    ob_count_file_destroy(c.comparison.baseline);
    return code;
}
