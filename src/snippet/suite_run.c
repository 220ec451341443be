/* SPDX-License-Identifier: Apache-2.0
 *
 * The runner of suites: one thread per core, each taking the next snippet whose cores are free, so a small one may
 * overtake a large one. A child inherits the cores of the thread that starts it. One that wants more cores
 * than there are gets all of them. Times are taken with all cores reserved, so that nothing of ours runs beside
 * them.
 */
#include "opbench/suite_run.h"

#include "base/sized.h"
#include "base/text_append.h"
#include "count/valgrind.h"
#include "snippet/core_pool.h"
#include "snippet/snippet_process.h"
#include "snippet/snippet_record.h"
#include "snippet/suite_int.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct runner {
    const ob_snippets *snippets;
    const ob_suite_run_params *params;
    size_t items;   /* snippets in all rounds */
    size_t total;   /* of these, how many are wanted */
    cpu_set_t cpus; /* that this process may use */
    int core_count;
    int *cores; /* their numbers */
    ob_core_pool *pool;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool *begun; /* by round and snippet; true for those that are not wanted */
    size_t begun_count, done;
    double seconds; /* all snippets together */
    ob_status status;
    ob_err err;
} runner;

/* ---- cores ---- */

static int cores_of(const runner *r, const ob_snippet *s)
{
    return s->args.num_threads < r->core_count ? (int)s->args.num_threads : r->core_count;
}

/* How many are taken from the others meanwhile. */
static int cores_reserved(const runner *r, const ob_snippet *s)
{
    return r->params->take != NULL ? r->core_count : cores_of(r, s);
}

static void bind_thread(const runner *r, int first, int count)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int i = 0; i < count; i++)
        CPU_SET((size_t)r->cores[first + i], &set);
    sched_setaffinity(0, sizeof set, &set);
}

static ob_status find_cores(runner *r, ob_err *err)
{
    if (sched_getaffinity(0, sizeof r->cpus, &r->cpus) != 0)
        CPU_SET(0, &r->cpus);
    r->cores = calloc(CPU_SETSIZE, sizeof *r->cores);
    if (r->cores == NULL)
        return ob__snippet_no_memory(err);
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET((size_t)i, &r->cpus))
            r->cores[r->core_count++] = i;
    if (r->params->jobs > 0 && r->params->jobs < r->core_count)
        r->core_count = (int)r->params->jobs;
    return ob__core_pool_create(0, r->core_count - 1, &r->pool, err);
}

/* ---- snippets ---- */

static const ob_snippet *snippet_of(const runner *r, size_t item)
{
    return ob_snippets_at(r->snippets, item % ob_snippets_count(r->snippets));
}

/* The next item that can begin; waits for cores. False when there is none any more. Locked. */
static bool take_item(runner *r, size_t *item, int *core)
{
    const ob_stop stop = {.fn = r->params->options->stop, .ctx = r->params->options->ctx};
    for (;;) {
        if (r->status == OB_OK && ob__is_stopped(&stop))
            r->status = ob__interrupted(&r->err);
        if (r->status != OB_OK || r->begun_count == r->total)
            return false;
        for (size_t i = 0; i < r->items; i++) {
            if (!r->begun[i] &&
                ob__core_pool_reserve(r->pool, cores_reserved(r, snippet_of(r, i)), core)) {
                r->begun[i] = true;
                r->begun_count++;
                *item = i;
                return true;
            }
        }
        pthread_cond_wait(&r->changed, &r->lock);
    }
}

/* What one thread measures into. */
typedef struct room {
    ob_count_stats **stats;
    ob_measurements *times;
    char *key;
    ob_text label, sub_label, description;
    ob_task_spec task; /* of these */
} room;

static void room_fini(room *m)
{
    ob_measurements_destroy(m->times);
    free(m->key);
    ob_text_fini(&m->label);
    ob_text_fini(&m->sub_label);
    ob_text_fini(&m->description);
}

static ob_status name_task(const ob_snippet *s, room *m, ob_err *err)
{
    const char *const language = ob_language_label(s->args.language);
    bool ok = ob_text_append_str(&m->label, s->label_parts > 0 ? s->label[0] : "");
    for (size_t i = s->label_parts > 1 ? 1 : 0; ok && i < s->label_parts; i++)
        ok = ob_text_printf(&m->sub_label, "%s%s", i > 1 ? " / " : "", s->label[i]);
    if (ok && s->runtime[0] != '\0')
        ok = ob_text_printf(&m->description, "%s, %s, ", s->runtime, s->autograd);
    ok = ok && ob_text_append_str(&m->description, language) && ob_text_append(&m->label, "", 1) &&
         ob_text_append(&m->sub_label, "", 1) && ob_text_append(&m->description, "", 1);
    if (!ok)
        return ob__snippet_no_memory(err);
    m->task = (ob_task_spec){.stmt = s->args.stmt,
                             .setup = s->args.setup,
                             .global_setup = s->args.global_setup,
                             .label = m->label.data,
                             .sub_label = m->sub_label.data,
                             .description = m->description.data,
                             .num_threads = s->args.num_threads};
    return ob_snippet_key(s, &m->key, err);
}

/* The same code with the same compiler fails in the same way. */
static bool is_worth_retrying(ob_status status)
{
    return status == OB_ERR_BACKEND || status == OB_ERR_LIMIT || status == OB_ERR_IO ||
           status == OB_ERR_NOMEM;
}

static ob_status measure_once(const runner *r, const ob_snippet *s, room *m, ob_err *err)
{
    const ob_suite_run_params *p = r->params;
    if (p->take != NULL)
        return ob_snippet_measure(&s->args, &m->task, p->options, p->take, p->take_ctx, m->times,
                                  err);
    /* Counts of an earlier run are found by it. */
    ob_task_spec task = m->task;
    task.label = m->key;
    task.sub_label = task.description = NULL;
    return ob_snippet_count(&s->args, &task, p->count, p->options, m->stats, err);
}

static void measure(const runner *r, ob_suite_result *result, room *m, ob_err *err)
{
    const ob_snippet *s = result->snippet;
    const bool times = r->params->take != NULL;
    result->status = name_task(s, m, err);
    result->task = &m->task;
    if (result->status == OB_OK && times)
        result->status = ob_measurements_create(&m->times, err);
    for (bool again = result->status == OB_OK; again;) {
        result->attempts++;
        result->status = measure_once(r, s, m, err);
        again = is_worth_retrying(result->status) && result->attempts <= r->params->retries;
    }
    const bool ok = result->status == OB_OK;
    result->stats = ok && !times ? m->stats : NULL;
    result->stats_count = ok && !times ? (size_t)r->params->count->repeats : 0;
    result->measurement = ok && times ? ob_measurements_at(m->times, 0) : NULL;
    result->reason = ok ? "" : err->message;
    result->died = ob__snippet_died(result->reason);
}

/* Locked. */
static void hand_over(runner *r, ob_suite_result *result)
{
    ob_err err = {0};
    r->done++;
    r->seconds += result->seconds;
    result->done = r->done;
    result->total = r->total;
    result->mean_s = r->seconds / (double)r->done;
    result->cores = r->params->take != NULL ? 1 : r->core_count;
    if (r->status != OB_OK)
        return;
    if (result->status == OB_ERR_STATE) {
        r->status = ob__interrupted(&r->err);
        return;
    }
    const ob_status status = r->params->on_result(r->params->ctx, result, &err);
    if (status != OB_OK) {
        r->status = status;
        r->err = err;
    }
}

static void run_item(runner *r, size_t item, int core, ob_count_stats **stats)
{
    const size_t count = ob_snippets_count(r->snippets);
    ob_suite_result result = {
        .snippet = snippet_of(r, item), .index = item % count, .round = (int64_t)(item / count)};
    room m = {.stats = stats};
    ob_err err = {0};
    const double start = ob__now_s();
    bind_thread(r, core, cores_of(r, result.snippet));
    measure(r, &result, &m, &err);
    result.seconds = ob__now_s() - start;
    pthread_mutex_lock(&r->lock);
    hand_over(r, &result);
    for (size_t i = 0; i < result.stats_count; i++)
        ob_count_stats_destroy(stats[i]);
    ob__core_pool_release(r->pool, core, cores_reserved(r, result.snippet));
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
    room_fini(&m);
}

static void *work(void *ctx)
{
    runner *r = ctx;
    size_t item;
    int core;
    ob_count_stats **stats = calloc((size_t)r->params->count->repeats, sizeof *stats);
    pthread_mutex_lock(&r->lock);
    if (stats == NULL && r->status == OB_OK)
        r->status = ob__snippet_no_memory(&r->err);
    while (stats != NULL && take_item(r, &item, &core)) {
        pthread_mutex_unlock(&r->lock);
        run_item(r, item, core, stats);
        pthread_mutex_lock(&r->lock);
    }
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
    free(stats);
    return NULL;
}

static void leave_out(runner *r)
{
    const ob_suite_run_params *p = r->params;
    const size_t count = ob_snippets_count(r->snippets);
    for (size_t i = 0; r->begun != NULL && p->wants != NULL && i < r->items; i++) {
        r->begun[i] = !p->wants(p->ctx, snippet_of(r, i), (int64_t)(i / count));
        r->total -= r->begun[i];
    }
}

static ob_status run_threads(runner *r, ob_err *err)
{
    pthread_t *threads = calloc((size_t)r->core_count, sizeof *threads);
    int started = 0;
    if (threads == NULL)
        return ob__snippet_no_memory(err);
    while (started < r->core_count && pthread_create(&threads[started], NULL, work, r) == 0)
        started++;
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    free(threads);
    if (started == 0)
        return ob_err_set(err, OB_ERR_NOMEM, "cannot start a thread");
    if (r->status != OB_OK && err != NULL)
        *err = r->err;
    return r->status;
}

/* One message instead of one for each snippet. */
static ob_status check_valgrind(const ob_suite_run_params *params, ob_err *err)
{
    ob_valgrind valgrind = {.program = NULL};
    if (params->take != NULL)
        return OB_OK;
    const ob_status status = ob__valgrind_open(&valgrind, params->options->valgrind, err);
    ob__valgrind_close(&valgrind);
    return status;
}

ob_status ob_suite_run(const ob_snippets *snippets, const ob_suite_run_params *params, ob_err *err)
{
    ob_suite_run_params whole;
    ob_snippet_options options;
    ob_snippet_count_params count;
    OB_TRY(OB__TAKE(ob_suite_run_params, &whole, params, err));
    OB_TRY(OB__TAKE_OPTIONAL(ob_snippet_options, &options, whole.options, err));
    OB_TRY(OB__TAKE_OPTIONAL(ob_snippet_count_params, &count, whole.count, err));
    whole.options = &options;
    whole.count = &count;
    OB_TRY(check_valgrind(&whole, err));
    count.repeats = count.repeats == 0 ? 1 : count.repeats;
    whole.rounds = whole.rounds == 0 ? 1 : whole.rounds;
    runner r = {.snippets = snippets,
                .params = &whole,
                .items = ob_snippets_count(snippets) * (size_t)whole.rounds};
    r.total = r.items;
    CPU_ZERO(&r.cpus);
    pthread_mutex_init(&r.lock, NULL);
    pthread_cond_init(&r.changed, NULL);
    r.begun = calloc(r.items + 1, sizeof *r.begun);
    ob_status status = r.begun == NULL ? ob__snippet_no_memory(err) : find_cores(&r, err);
    if (status == OB_OK)
        leave_out(&r);
    if (status == OB_OK && r.total > 0)
        status = run_threads(&r, err);
    ob__core_pool_destroy(r.pool);
    free(r.cores);
    free(r.begun);
    pthread_cond_destroy(&r.changed);
    pthread_mutex_destroy(&r.lock);
    return status;
}
