/* SPDX-License-Identifier: Apache-2.0
 *
 * Comparisons whose truth is known: the same loop at two places of the code, and the same loop with more steps. They are measured as
 * `opbench diff` measures. Of those without a difference the looks say how large one would have had to be, so that the least that
 * is found follows without trying them all.
 */
#include "machine/self_test.h"

#include "diff/compare_way.h"
#include "interrupts.h"
#include "machine/launch.h"
#include "own_path.h"

#include "opbench/doctor.h"
#include "opbench/job.h"
#include "opbench/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_TRIALS = 10000, PROCESSES = 20, COPIES = 4 };
static const double BUDGETS[] = {1, 10};
static const double EXTRA = 0.01, FOUND_OFTEN = 0.95;
static const double ENOUGH_OF =
    6; /* budgets, of which each has an equal share, and processes start besides */
static const int64_t STEPS[] = {1600, 200000}; /* some 2 us and 0.25 ms */
enum { ROWS = sizeof BUDGETS / sizeof *BUDGETS, KERNELS = sizeof STEPS / sizeof *STEPS };

/* What the trials of one budget came to. */
typedef struct row {
    double spent_s;
    size_t trials, alarms; /* of identical code */
    size_t tried, found;   /* of extra work */
    double least[MOST_TRIALS];
} row;

typedef struct self_test {
    ob_cli *cli;
    ob_config *config;
    double floor; /* how far identical code was off for good */
    row rows[ROWS];
} self_test;

static double now_s(void)
{
    const ob_clock clock = ob_clock_monotonic();
    return (double)ob_clock_now_ns(&clock) / 1e9;
}

/* ---- one comparison ---- */

typedef struct trial {
    double budget_s, extra;
    int64_t steps;
    size_t number;
    bool to_the_end;
    bool has_failed; /* a process of it */
} trial;

static ob_status on_record(void *ctx, const ob_job_event *event, ob_err *err)
{
    trial *t = ctx;
    (void)err;
    t->has_failed |= event->record->result.status != OB_RECORD_OK;
    return OB_OK;
}

static ob_status compare(self_test *s, trial *t, ob_verdict_looks *looks, ob_err *err)
{
    char of_a[64], of_b[64];
    const int64_t more = t->steps + (int64_t)llround((double)t->steps * t->extra);
    /* All pairs of places, one after the other. */
    snprintf(of_a, sizeof of_a, "steps=%lld,copy=%zu", (long long)t->steps, t->number % COPIES);
    snprintf(of_b, sizeof of_b, "steps=%lld,copy=%zu", (long long)more,
             (t->number + t->number / COPIES) % COPIES);
    const ob_side
        a = {.size = sizeof a, .name = "a", .backend = "known_work", .backend_options = of_a},
        b = {.size = sizeof b, .name = "b", .backend = "known_work", .backend_options = of_b};
    const ob_side *const sides[] = {&a, &b};
    ob_own_path own;
    ob_run_options run;
    ob_job *job;
    ob_run_options_init(&run);
    run.processes = PROCESSES;
    run.seed = (int64_t)t->number;
    ob__run_to_compare(&run, t->budget_s, 2);
    *looks = (ob_verdict_looks){.size = sizeof *looks,
                                .params = {.size = sizeof looks->params},
                                .most = PROCESSES,
                                .budget_s = t->budget_s,
                                .to_the_end = t->to_the_end};
    const ob_job_part part = {.config = s->config, .options = &run};
    const ob_job_configs configs = {.size = sizeof configs,
                                    .parts = &part,
                                    .part_size = sizeof part,
                                    .part_count = 1,
                                    .sides = sides,
                                    .side_count = 2,
                                    .enough = ob_verdict_is_enough,
                                    .enough_ctx = looks,
                                    .worker_program = ob__cli_own_path(&own) ? own.path : NULL};
    const ob_job_params params = {
        .size = sizeof params, .on_record = on_record, .ctx = t, .stop = ob__cli_interrupt_at_once};
    OB_TRY(ob_job_open_configs(s->cli->context, &configs, &params, &job, err));
    const ob_status status = ob_job_run(job, err);
    ob_job_close(job, NULL);
    if (status == OB_OK && (t->has_failed || !looks->has_looked) && !ob__cli_is_interrupted(s->cli))
        return ob_err_set(err, OB_ERR_BACKEND, "a comparison of the self-test did not finish");
    return status;
}

/* ---- all of them ---- */

/* Identical code to the end of its time, then extra work as long as it takes. */
static ob_status try_once(self_test *s, size_t index, ob_err *err)
{
    row *r = &s->rows[index];
    const double began = now_s();
    trial t = {.budget_s = BUDGETS[index],
               .steps = STEPS[r->trials % KERNELS],
               .number = r->trials / KERNELS,
               .to_the_end = true};
    ob_verdict_looks looks;
    OB_TRY(compare(s, &t, &looks, err));
    if (ob__cli_is_interrupted(s->cli))
        return OB_OK;
    r->least[r->trials++] = expm1(looks.least_found);
    r->alarms += looks.has_called;
    s->floor = fmax(s->floor, expm1(looks.beyond));
    t.to_the_end = false;
    t.extra = EXTRA;
    OB_TRY(compare(s, &t, &looks, err));
    r->tried += !ob__cli_is_interrupted(s->cli);
    r->found += looks.has_called && !ob__cli_is_interrupted(s->cli);
    r->spent_s += now_s() - began;
    return OB_OK;
}

/* The budgets have equal shares of the time; the longer one only what it has time for. */
static ob_status try_all(self_test *s, double budget_s, ob_err *err)
{
    const double end = now_s() + budget_s;
    do {
        size_t next = 0;
        for (size_t i = 1; i < ROWS; i++)
            if (s->rows[i].spent_s < s->rows[next].spent_s && now_s() + BUDGETS[i] < end &&
                s->rows[next].trials > 0)
                next = i;
        OB_TRY(try_once(s, next, err));
    } while (now_s() + BUDGETS[0] < end && s->rows[0].trials < MOST_TRIALS &&
             s->rows[ROWS - 1].trials < MOST_TRIALS && !ob__cli_is_interrupted(s->cli));
    return OB_OK;
}

/* ---- what came of it ---- */

static void set_share(ob_table *table, size_t column, size_t found, size_t trials)
{
    char text[96];
    const ob_verdict_range range = ob_verdict_share_interval(found, trials);
    snprintf(text, sizeof text, "%zu of %zu (%.1f to %.1f %%)", found, trials, 100 * range.low,
             100 * range.high);
    ob_table_set_text(table, column, text);
}

static void set_least(ob_table *table, size_t column, double least, ob_verdict_range range)
{
    char text[96], low[32] = "?", high[32] = "?";
    if (isfinite(range.low))
        snprintf(low, sizeof low, "%.2f", 100 * range.low);
    if (isfinite(range.high))
        snprintf(high, sizeof high, "%.2f", 100 * range.high);
    snprintf(text, sizeof text, "%.2f %% (%s to %s %%)", 100 * least, low, high);
    ob_table_set_text(table, column, text);
}

static ob_status print_rows(self_test *s, ob_err *err)
{
    static const ob_column COLUMNS[] = {{.title = "for", .name = "budget"},
                                        {.title = "identical, called different", .name = "alarms"},
                                        {.title = "found 95 % of the time", .name = "least"},
                                        {.title = "+1 % found", .name = "found"}};
    const ob_table_style style = {.size = sizeof style, .format = OB_TABLE_TEXT, .trimmed = true};
    ob_table *table = ob_table_create();
    for (size_t i = 0; table != NULL && i < sizeof COLUMNS / sizeof *COLUMNS; i++)
        ob_table_add_column(table, &COLUMNS[i]);
    for (size_t i = 0; table != NULL && i < ROWS; i++) {
        row *r = &s->rows[i];
        char budget[32];
        if (r->trials == 0)
            continue;
        const ob_verdict_range range =
            ob_verdict_quantile_interval(r->least, r->trials, FOUND_OFTEN);
        snprintf(budget, sizeof budget, "%g s", BUDGETS[i]);
        ob_table_add_row(table);
        ob_table_set_text(table, 0, budget);
        set_share(table, 1, r->alarms, r->trials);
        set_least(table, 2, ob_stats_quantile(r->least, r->trials, FOUND_OFTEN), range);
        set_share(table, 3, r->found, r->tried);
    }
    return ob__cli_print_table(s->cli, table, &style, err);
}

static bool set_real(ob_json_doc *doc, ob_json *object, const char *key, double value)
{
    const ob_json *number = isfinite(value) ? ob_json_new_real(doc, value) : ob_json_new_null(doc);
    return number != NULL && ob_json_set(doc, object, key, number, NULL) == OB_OK;
}

static bool set_count(ob_json_doc *doc, ob_json *object, const char *key, size_t value)
{
    const ob_json *number = ob_json_new_int(doc, (int64_t)value);
    return number != NULL && ob_json_set(doc, object, key, number, NULL) == OB_OK;
}

static bool set_range(ob_json_doc *doc, ob_json *object, const char *low, const char *high,
                      ob_verdict_range range)
{
    return set_real(doc, object, low, range.low) && set_real(doc, object, high, range.high);
}

static ob_json *row_json(ob_json_doc *doc, row *r, double budget_s)
{
    ob_json *object = ob_json_new_object(doc);
    const ob_verdict_range least = ob_verdict_quantile_interval(r->least, r->trials, FOUND_OFTEN);
    const bool ok =
        object != NULL && set_real(doc, object, "budget", budget_s) &&
        set_count(doc, object, "trials", r->trials) &&
        set_count(doc, object, "alarms", r->alarms) &&
        set_range(doc, object, "alarm_rate_low", "alarm_rate_high",
                  ob_verdict_share_interval(r->alarms, r->trials)) &&
        set_real(doc, object, "least", ob_stats_quantile(r->least, r->trials, FOUND_OFTEN)) &&
        set_range(doc, object, "least_low", "least_high", least) &&
        set_real(doc, object, "extra", EXTRA) && set_count(doc, object, "tried", r->tried) &&
        set_count(doc, object, "found", r->found) &&
        set_range(doc, object, "found_rate_low", "found_rate_high",
                  ob_verdict_share_interval(r->found, r->tried));
    return ok ? object : NULL;
}

static const ob_json *make_json(self_test *s, ob_json_doc *doc)
{
    char now[32];
    ob_json *root = ob_self_test_new(doc), *rows = ob_json_new_array(doc);
    const char *time_text = ob_record_format_time((int64_t)time(NULL), now);
    const ob_json *when = ob_json_new_string(doc, time_text, strlen(time_text));
    bool ok = root != NULL && rows != NULL && when != NULL &&
              ob_json_set(doc, root, "time", when, NULL) == OB_OK &&
              set_real(doc, root, "floor", s->floor);
    for (size_t i = 0; ok && i < ROWS; i++) {
        if (s->rows[i].trials == 0)
            continue;
        const ob_json *one = row_json(doc, &s->rows[i], BUDGETS[i]);
        ok = one != NULL && ob_json_append(doc, rows, one, NULL) == OB_OK;
    }
    return ok && ob_json_set(doc, root, "rows", rows, NULL) == OB_OK ? root : NULL;
}

static ob_status print_json(ob_cli *cli, const ob_json *result, ob_err *err)
{
    char *text;
    OB_TRY(ob_json_print(result, &text, NULL, err));
    ob__cli_printf(cli, "%s\n", text);
    free(text);
    return OB_OK;
}

static size_t trials_of(const ob_json *result)
{
    const ob_json *rows = ob_json_get(result, "rows");
    size_t trials = 0;
    for (size_t i = 0; i < ob_json_count(rows); i++)
        trials += (size_t)ob_json_int(ob_json_get(ob_json_item(rows, i), "trials"), 0);
    return trials;
}

/* A short test does not replace a longer one of the same machine and build, if that is no older than a month: "noted" says which. */
static bool is_kept(const ob_json *old, const ob_json *new)
{
    enum { MONTH_S = 30 * 24 * 3600 };
    char limit[32];
    const char *was = ob_json_string(ob_json_get(old, "noted"), NULL),
               *is = ob_json_string(ob_json_get(new, "noted"), NULL),
               *when = ob_json_string(ob_json_get(old, "time"), NULL);
    const char *month = ob_record_format_time((int64_t)time(NULL) - MONTH_S, limit);
    return was != NULL && is != NULL && strcmp(was, is) == 0 && when != NULL &&
           strcmp(when, month) > 0 && trials_of(old) > trials_of(new);
}

static void keep(self_test *s, const ob_json *result)
{
    ob_json_doc *old = NULL;
    ob_err err;
    const bool has_old = ob_self_test_read(&old, NULL) == OB_OK;
    if (has_old && is_kept(ob_json_doc_root(old), result))
        ob__cli_warn(s->cli,
                     "keeping the earlier result of %zu comparisons, not this one of %zu; a larger "
                     "--budget replaces it",
                     trials_of(ob_json_doc_root(old)), trials_of(result));
    else if (ob_self_test_write(result, &err) != OB_OK)
        ob__cli_warn(s->cli, "the result was not saved: %s", err.message);
    ob_json_doc_destroy(old);
}

/* What there was no time for. */
static void say_missing(self_test *s)
{
    for (size_t i = 0; i < ROWS; i++)
        if (s->rows[i].trials == 0)
            ob__cli_printf(s->cli,
                           "\nThere was no time for comparisons of %g s; use --budget %g.\n",
                           BUDGETS[i], ENOUGH_OF * BUDGETS[i]);
}

static ob_status report(self_test *s, bool json, ob_err *err)
{
    ob_json_doc *doc;
    OB_TRY(ob_json_doc_create(&doc, err));
    const ob_json *result = make_json(s, doc);
    ob_status status = result != NULL ? OB_OK : ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    /* What was measured is worth showing, kept or not. */
    if (status == OB_OK)
        keep(s, result);
    if (status == OB_OK)
        status = json ? print_json(s->cli, result, err) : print_rows(s, err);
    if (status == OB_OK && !json)
        say_missing(s);
    if (status == OB_OK && !json)
        ob__cli_printf(s->cli,
                       "\n"
                       "The same code at another place was consistently off by at most %.2f %%; "
                       "`opbench diff` calls nothing below %.2f %% a difference here.\n",
                       100 * s->floor, 100 * fmax(s->floor, OB_VERDICT_FLOOR));
    ob_json_doc_destroy(doc);
    return status;
}

/* Whether identical code was called different more often than is promised, beyond chance. */
static bool errs_too_often(const self_test *s)
{
    for (size_t i = 0; i < ROWS; i++)
        if (s->rows[i].trials > 0 &&
            ob_verdict_share_interval(s->rows[i].alarms, s->rows[i].trials).low >
                OB_VERDICT_ERROR_RATE)
            return true;
    return false;
}

int ob__cli_self_test(ob_cli *cli, double budget_s, bool json)
{
    self_test *s = calloc(1, sizeof *s);
    ob_err err;
    if (s == NULL)
        return ob__cli_out_of_memory(cli);
    s->cli = cli;
    ob__cli_catch_interrupts(cli, false);
    ob_status status = ob__cli_open_smallest(cli->context, &s->config, &err);
    if (status == OB_OK)
        status = try_all(s, budget_s, &err);
    if (status == OB_OK)
        status = report(s, json, &err);
    const int code = status != OB_OK     ? ob__cli_fail(cli, &err)
                     : errs_too_often(s) ? OB_EXIT_FAILED
                                         : OB_EXIT_OK;
    ob_config_destroy(s->config);
    free(s);
    return code;
}
