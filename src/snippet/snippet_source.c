/* SPDX-License-Identifier: Apache-2.0
 *
 * The source of snippets: a statement with some numbers of threads, or a suite in rounds, counted and timed.
 */
#include "base/sized.h"
#include "base/text_append.h"
#include "job/job_int.h"
#include "job/shard_costs.h"
#include "snippet/snippet_record.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct snippet_source {
    ob_job *job; /* that it belongs to */
    ob_job_snippets what;
    /* What it points to: */
    ob_snippet_options options;
    ob_timer_args statement;
    ob_snippet_count_params count;
    ob_job_hash hash;
    ob_text repro;
    ob_json_doc *divided;       /* what a shard is of; NULL = it is not divided */
    ob_shard shard;             /* of 0 = none */
    ob_shard_plan plan;         /* of a shard by cost */
    ob_shard_division division; /* its hash is NULL = by order */
    /* What is done now. */
    bool timing;
    int64_t first_process; /* of the rounds: times come behind counts */
} snippet_source;

static void destroy(void *ctx)
{
    snippet_source *s = ctx;
    ob_text_fini(&s->repro);
    ob_json_doc_destroy(s->divided);
    ob__shard_plan_fini(&s->plan);
    free(s);
}

/* ---- what a shard has ---- */

static size_t count_all(const snippet_source *s)
{
    return s->what.suite != NULL ? ob_snippets_count(s->what.suite) : s->what.thread_count;
}

static ob_timer_args args_of(const snippet_source *s, size_t i)
{
    ob_timer_args args =
        s->what.suite != NULL ? ob_snippets_at(s->what.suite, i)->args : s->statement;
    if (s->what.suite == NULL)
        args.num_threads = s->what.threads[i];
    return args;
}

static bool is_own(const snippet_source *s, size_t i)
{
    return s->shard.of == 0           ? true
           : s->division.hash != NULL ? ob__shard_plan_has(&s->plan, i)
                                      : ob_shard_has(&s->shard, i);
}

/* Nothing but a stored result knows what a snippet costs. */
static ob_status divide_by_cost(snippet_source *s, ob_err *err)
{
    ob_case_costs costs = {0};
    ob_stored_costs *stored = NULL;
    ob_status status = OB_OK;
    if (s->shard.costs != NULL)
        OB_TRY(ob__stored_costs_read(s->shard.costs, &stored, err));
    for (size_t i = 0; status == OB_OK && i < count_all(s); i++) {
        const ob_timer_args args = args_of(s, i);
        char key[OB_SNIPPET_KEY_SIZE];
        uint64_t cost;
        ob__snippet_hash(&args, key);
        const bool is_known = ob__stored_costs_find(stored, key, NULL, &cost);
        status = ob__case_costs_add(&costs, 1, is_known ? &cost : NULL, err);
    }
    if (status == OB_OK)
        status = ob__case_costs_divide(&costs, &s->shard, &s->plan, &s->division, err);
    ob__stored_costs_destroy(stored);
    ob__case_costs_fini(&costs);
    return status;
}

/* For whoever joins the parts: snippets with one number of threads after the other. */
static ob_status list_divided(snippet_source *s, ob_err *err)
{
    OB_TRY(ob_json_doc_create(&s->divided, err));
    ob_json *list = ob_json_new_array(s->divided);
    for (size_t first = 0, end; first < count_all(s); first = end) {
        const int64_t threads = args_of(s, first).num_threads;
        ob_json *object = ob_json_new_object(s->divided), *pair = ob_json_new_array(s->divided),
                *ranges = ob_json_new_array(s->divided);
        for (end = first + 1; end < count_all(s) && args_of(s, end).num_threads == threads;)
            end++;
        OB_TRY(ob_json_append(s->divided, pair, ob_json_new_int(s->divided, (int64_t)first), err));
        OB_TRY(ob_json_append(s->divided, pair, ob_json_new_int(s->divided, (int64_t)(end - first)),
                              err));
        OB_TRY(ob_json_append(s->divided, ranges, pair, err));
        OB_TRY(ob_json_set(s->divided, object, "ranges", ranges, err));
        OB_TRY(
            ob_json_set(s->divided, object, "threads", ob_json_new_int(s->divided, threads), err));
        OB_TRY(ob_json_append(s->divided, list, object, err));
    }
    ob_json_doc_set_root(s->divided, list);
    return OB_OK;
}

static ob_status take_shard(snippet_source *s, const ob_shard *shard, ob_err *err)
{
    if (shard == NULL)
        return OB_OK;
    OB_TRY(OB__TAKE(ob_shard, &s->shard, shard, err));
    if (s->shard.by_cost)
        OB_TRY(divide_by_cost(s, err));
    return list_divided(s, err);
}

static ob_status describe(void *ctx, ob_record_header *header, ob_err *err)
{
    const snippet_source *s = ctx;
    (void)err;
    if (s->divided != NULL)
        header->divided = ob_json_doc_root(s->divided);
    return OB_OK;
}

/* ---- repro lines ---- */

static bool append_option(ob_text *out, const char *name, const char *value)
{
    return value == NULL || value[0] == '\0' ||
           (ob_text_append_str(out, name) && ob__text_append_word(out, value));
}

/* --lang c --setup 'int x = 0;' 'x++;' */
bool ob__snippet_append_words(ob_text *out, const ob_timer_args *args)
{
    const bool has_setup = args->setup != NULL && strcmp(args->setup, "pass") != 0;
    return append_option(out, " --lang ", ob_language_word(args->language)) &&
           append_option(out, " --setup ", has_setup ? args->setup : NULL) &&
           append_option(out, " --global-setup ", args->global_setup) &&
           (args->num_threads <= 1 ||
            ob_text_printf(out, " --num-threads %" PRId64, args->num_threads)) &&
           ob_text_append_str(out, args->stmt[0] == '-' ? " -- " : " ") &&
           ob__text_append_word(out, args->stmt);
}

/* The command that runs the snippet alone. */
static ob_status make_repro(snippet_source *s, const ob_snippet *snippet, const char *name,
                            ob_err *err)
{
    const char *usual = s->timing ? "opbench time" : "opbench count";
    ob_text *out = &s->repro;
    out->size = 0;
    bool ok = ob_text_append_str(out, s->what.command != NULL ? s->what.command : usual);
    if (s->what.suite != NULL)
        ok = ok && append_option(out, " -s ", s->what.name != NULL ? s->what.name : "-") &&
             append_option(out, " --only ", name);
    else
        ok = ok && ob__snippet_append_words(out, &snippet->args);
    return ok && ob_text_append(out, "", 1)
               ? OB_OK
               : ob_err_set(err, OB_ERR_NOMEM, "out of memory for the repro line");
}

/* ---- results ---- */

static const char *mode_of(const snippet_source *s)
{
    return s->timing ? s->what.timer->method : "count";
}

static ob_status take_result(void *ctx, const ob_suite_result *result, ob_err *err)
{
    snippet_source *s = ctx;
    ob_snippet_record made;
    ob_status status = ob__snippet_record_make(&made, result, mode_of(s), err);
    if (status == OB_OK)
        status = make_repro(s, result->snippet, made.name, err);
    made.record.result.repro = s->repro.data;
    made.record.result.process += s->first_process;
    if (status == OB_OK)
        status = ob_job_add(s->job, &made.record, err);
    ob__snippet_record_fini(&made);
    return status;
}

static bool wants(void *ctx, const ob_snippet *snippet, int64_t round)
{
    snippet_source *s = ctx;
    char key[OB_SNIPPET_KEY_SIZE], *name;
    if (ob__snippet_record_name(snippet, &name, NULL) != OB_OK)
        return true; /* said where it is measured */
    ob__snippet_hash(&snippet->args, key);
    const bool is_wanted =
        ob_job_wants(s->job, &(ob_done_name){.key = key,
                                             .id = name,
                                             .process = s->first_process + round,
                                             .threads = snippet->args.num_threads});
    free(name);
    return is_wanted;
}

/* An ob_snippet_take by the source's options. */
static ob_status take_blocks(void *ctx, const ob_timer *timer, ob_measurements *to, ob_err *err)
{
    const ob_timer_options *o = ctx;
    const bool given = o->min_run_time_s >= 0;
    if (strcmp(o->method, "timeit") == 0)
        return ob_timer_timeit(timer, o->number > 0 ? (uint64_t)o->number : OB_TIMER_NUMBER, to,
                               err);
    if (strcmp(o->method, "adaptive") != 0)
        return ob_timer_blocked_autorange(
            timer, given ? o->min_run_time_s : OB_TIMER_MIN_RUN_TIME_S, to, err);
    ob_adaptive_params params = OB_ADAPTIVE_DEFAULTS;
    if (given)
        params.min_run_time_s = o->min_run_time_s;
    params.max_run_time_s = o->max_run_time_s;
    params.threshold = o->threshold;
    return ob_timer_adaptive_autorange(timer, &params, to, err);
}

/* What the processes are told; ctx is the source. */
static int stop(void *ctx)
{
    return ob_job_stop(((const snippet_source *)ctx)->job);
}

static void notice(void *ctx, const char *text)
{
    const ob_snippet_options *options = &((const snippet_source *)ctx)->options;
    if (options->notice != NULL)
        options->notice(options->ctx, text);
}

static ob_snippet_options options_of(snippet_source *s)
{
    ob_snippet_options options = s->options;
    options.stop = stop;
    options.notice = notice;
    options.ctx = s;
    return options;
}

/* ---- a statement ---- */

/* What a statement is measured into. */
typedef struct room {
    ob_count_stats **stats;
    ob_measurements *times;
} room;

static ob_status measure(snippet_source *s, ob_suite_result *result, room *to, ob_err *err)
{
    const ob_timer_args *args = &result->snippet->args;
    const ob_snippet_options options = options_of(s);
    const int64_t repeats = s->count.repeats > 0 ? s->count.repeats : 1;
    if (s->timing) {
        OB_TRY(ob_measurements_create(&to->times, err));
        OB_TRY(ob_snippet_measure(args, result->task, &options, take_blocks, (void *)s->what.timer,
                                  to->times, err));
        result->measurement = ob_measurements_at(to->times, 0);
        return OB_OK;
    }
    to->stats = calloc((size_t)repeats, sizeof *to->stats);
    if (to->stats == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for counts");
    OB_TRY(ob_snippet_count(args, result->task, &s->count, &options, to->stats, err));
    result->stats = to->stats;
    result->stats_count = (size_t)repeats;
    return OB_OK;
}

/* A place that cannot be written to is no fault of the statement. */
static ob_status measure_statement(snippet_source *s, const ob_suite_result *of, ob_err *err)
{
    const ob_clock clock = ob_clock_monotonic();
    const uint64_t start_ns = ob_clock_now_ns(&clock);
    ob_suite_result result = *of;
    room to = {.stats = NULL};
    ob_err why = {.message = ""};
    ob_status status = measure(s, &result, &to, &why);
    result.status = status;
    result.seconds = (double)(ob_clock_now_ns(&clock) - start_ns) / 1e9;
    result.reason = why.message;
    result.died = ob__snippet_died(why.message);
    const bool is_of_statement = status != OB_ERR_IO && status != OB_ERR_STATE;
    if (!is_of_statement && err != NULL)
        *err = why;
    if (is_of_statement)
        status = take_result(s, &result, err);
    for (size_t i = 0; i < result.stats_count; i++)
        ob_count_stats_destroy(to.stats[i]);
    free(to.stats);
    ob_measurements_destroy(to.times);
    return status;
}

static ob_status run_statement(snippet_source *s, ob_err *err)
{
    for (size_t i = 0; i < s->what.thread_count; i++) {
        ob_snippet snippet = {.runtime = "", .autograd = "", .args = s->statement};
        ob_task_spec task = s->what.names;
        snippet.args.num_threads = s->what.threads[i];
        task.stmt = snippet.args.stmt;
        task.setup = snippet.args.setup;
        task.global_setup = snippet.args.global_setup;
        task.num_threads = snippet.args.num_threads;
        const ob_suite_result result = {.snippet = &snippet, .index = i, .task = &task};
        if (!is_own(s, i) || !wants(s, &snippet, 0))
            continue;
        if (stop(s) > 0)
            return OB_END;
        OB_TRY(measure_statement(s, &result, err));
    }
    return OB_OK;
}

/* ---- all ---- */

static bool wants_of_suite(void *ctx, const ob_snippet *snippet, int64_t round)
{
    const snippet_source *s = ctx;
    size_t i = 0;
    while (s->shard.of > 0 && ob_snippets_at(s->what.suite, i) != snippet)
        i++;
    return is_own(s, i) && wants(ctx, snippet, round);
}

static ob_status run_suite(snippet_source *s, ob_err *err)
{
    const ob_snippet_options options = options_of(s);
    const ob_suite_run_params params = {.size = sizeof params,
                                        .options = &options,
                                        .count = &s->count,
                                        .take = s->timing ? take_blocks : NULL,
                                        .take_ctx = (void *)s->what.timer,
                                        .jobs = s->what.jobs,
                                        .retries = s->what.retries,
                                        .rounds = s->what.rounds,
                                        .wants = wants_of_suite,
                                        .on_result = take_result,
                                        .ctx = s};
    return ob_suite_run(s->what.suite, &params, err);
}

static ob_status run_once(snippet_source *s, bool timing, ob_err *err)
{
    s->timing = timing;
    const ob_status status = s->what.suite != NULL ? run_suite(s, err) : run_statement(s, err);
    return status == OB_ERR_STATE ? OB_END : status;
}

static int64_t rounds_of(const snippet_source *s)
{
    return s->what.suite != NULL && s->what.rounds > 0 ? s->what.rounds : 1;
}

static ob_status run(void *ctx, ob_job *job, ob_err *err)
{
    snippet_source *s = ctx;
    s->job = job;
    if (s->what.suite != NULL) {
        const ob_snippet_options options = options_of(s);
        const ob_status made = ob_snippets_make_models(s->what.suite, &options, err);
        OB_TRY(made == OB_ERR_STATE ? OB_END : made);
    }
    if (s->what.count != NULL) {
        OB_TRY(run_once(s, false, err));
        s->first_process = rounds_of(s);
    }
    return s->what.timer != NULL ? run_once(s, true, err) : OB_OK;
}

/* ---- opening ---- */

static void add_text(ob_job_hash *hash, const char *text)
{
    ob_job_hash_add(hash, text != NULL ? text : "", text != NULL ? strlen(text) : 0);
}

/* Which snippets there are, and how each is measured. */
static void hash_all(snippet_source *s)
{
    const ob_job_snippets *w = &s->what;
    const size_t count = w->suite != NULL ? ob_snippets_count(w->suite) : 0;
    const int64_t counted[] = {w->count != NULL, s->count.number, s->count.repeats,
                               s->count.no_baseline};
    char key[OB_SNIPPET_KEY_SIZE];
    ob_job_hash_add(&s->hash, (const char *)counted, sizeof counted);
    if (w->timer != NULL) {
        const double numbers[] = {(double)w->timer->number, w->timer->min_run_time_s,
                                  w->timer->max_run_time_s, w->timer->threshold};
        add_text(&s->hash, w->timer->method);
        ob_job_hash_add(&s->hash, (const char *)numbers, sizeof numbers);
    }
    for (size_t i = 0; i < count; i++) {
        ob__snippet_hash(&ob_snippets_at(w->suite, i)->args, key);
        add_text(&s->hash, key);
    }
    if (w->suite != NULL)
        return;
    ob__snippet_hash(&s->statement, key);
    const char *const texts[] = {key, w->names.label, w->names.sub_label, w->names.description,
                                 w->names.env};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        add_text(&s->hash, texts[i]);
}

ob_status ob_job_open_snippets(ob_context *context, const ob_job_snippets *snippets,
                               const ob_job_params *params, ob_job **out, ob_err *err)
{
    snippet_source *s = calloc(1, sizeof *s);
    *out = NULL;
    if (s == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a job");
    ob_status status = OB__TAKE(ob_job_snippets, &s->what, snippets, err);
    if (status == OB_OK)
        status = OB__TAKE_OPTIONAL(ob_snippet_options, &s->options, s->what.options, err);
    if (status == OB_OK)
        status = OB__TAKE_OPTIONAL(ob_snippet_count_params, &s->count, s->what.count, err);
    if (status == OB_OK && s->what.suite == NULL)
        status = OB__TAKE(ob_timer_args, &s->statement, s->what.statement, err);
    if (status == OB_OK)
        status = take_shard(s, params->shard, err);
    if (status != OB_OK) {
        destroy(s);
        return status;
    }
    hash_all(s);
    const ob_job_snippets *w = &s->what;
    const uint64_t cases =
        s->division.hash != NULL ? s->plan.own_cases : ob_shard_count(params->shard, count_all(s));
    const uint64_t times = (uint64_t)(w->count != NULL) + (w->timer != NULL);
    const ob_job_source source = {.size = sizeof source,
                                  .name = w->name,
                                  .hash = s->hash.text,
                                  .chosen_by =
                                      "snippets (--only, --lang), or of how to count or time them",
                                  .cases = cases,
                                  .results = cases * (uint64_t)rounds_of(s) * times,
                                  .describe = describe,
                                  .run = run,
                                  .ctx = s,
                                  .division = s->division.hash != NULL ? &s->division : NULL};
    return ob__job_open_own(context, &source, destroy, params, out, err);
}
