/* SPDX-License-Identifier: Apache-2.0
 *
 * The runner of suites: one thread per core, each taking the next snippet whose cores are free, so a small one may
 * overtake a large one. A child inherits the cores of the thread that starts it. One that wants more cores
 * than there are gets all of them.
 */
#include "opbench/suite_run.h"

#include "snippet/suite_int.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

typedef struct runner {
    const ob_snippets *snippets;
    const ob_suite_run_params *params;
    cpu_set_t cpus; /* that this process may use */
    int core_count;
    int *cores; /* their numbers */
    ob_core_pool *pool;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool *begun; /* by snippet */
    size_t begun_count, done;
    double seconds; /* all snippets together */
    ob_status status;
    ob_err err;
    bool stopped;
} runner;

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- cores ---- */

static int cores_of(const runner *r, const ob_snippet *s)
{
    return s->args.num_threads < r->core_count ? (int)s->args.num_threads : r->core_count;
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
    return ob_core_pool_create(0, r->core_count - 1, &r->pool, err);
}

/* ---- snippets ---- */

/* The next snippet that can begin; waits for cores. False when there is none any more. Locked. */
static bool take_snippet(runner *r, size_t *index, int *core)
{
    for (;;) {
        r->stopped = r->stopped || r->status != OB_OK ||
                     (r->params->stop != NULL && r->params->stop(r->params->ctx) != 0);
        const size_t total = ob_snippets_count(r->snippets);
        if (r->stopped || r->begun_count == total)
            return false;
        for (size_t i = 0; i < total; i++) {
            const ob_snippet *s = ob_snippets_get(r->snippets, i);
            if (!r->begun[i] && ob_core_pool_reserve(r->pool, cores_of(r, s), core)) {
                r->begun[i] = true;
                r->begun_count++;
                *index = i;
                return true;
            }
        }
        pthread_cond_wait(&r->changed, &r->lock);
    }
}

static void count_snippet(runner *r, ob_suite_result *result, ob_count_stats **stats, ob_err *err)
{
    const ob_snippet *s = result->snippet;
    char *key = NULL;
    result->status = ob_snippet_key(s, &key, err);
    const ob_task_spec task = {.stmt = s->args.stmt,
                               .setup = s->args.setup,
                               .global_setup = s->args.global_setup,
                               .label = key,
                               .num_threads = s->args.num_threads};
    while (key != NULL && result->attempts <= r->params->retries) {
        result->attempts++;
        result->status =
            ob_snippet_count(&s->args, &task, &r->params->count, &r->params->options, stats, err);
        if (result->status == OB_OK)
            break;
    }
    free(key);
    const bool ok = result->status == OB_OK;
    result->stats = ok ? stats : NULL;
    result->stats_count = ok ? (size_t)r->params->count.repeats : 0;
    result->reason = ok ? "" : err->message;
}

static void hand_over(runner *r, ob_suite_result *result, double seconds)
{
    ob_err err = {0};
    r->done++;
    r->seconds += seconds;
    result->done = r->done;
    result->total = ob_snippets_count(r->snippets);
    result->mean_s = r->seconds / (double)r->done;
    result->cores = r->core_count;
    const ob_status status =
        r->status == OB_OK ? r->params->on_result(r->params->ctx, result, &err) : OB_OK;
    if (status != OB_OK) {
        r->status = status;
        r->err = err;
    }
}

static void *work(void *ctx)
{
    runner *r = ctx;
    size_t index;
    int core;
    ob_count_stats **stats = calloc((size_t)r->params->count.repeats, sizeof *stats);
    pthread_mutex_lock(&r->lock);
    if (stats == NULL)
        r->status = ob__snippet_no_memory(&r->err);
    while (stats != NULL && take_snippet(r, &index, &core)) {
        pthread_mutex_unlock(&r->lock);
        ob_suite_result result = {.snippet = ob_snippets_get(r->snippets, index), .index = index};
        const int cores = cores_of(r, result.snippet);
        const double start = now_s();
        ob_err err = {0};
        bind_thread(r, core, cores);
        count_snippet(r, &result, stats, &err);
        pthread_mutex_lock(&r->lock);
        hand_over(r, &result, now_s() - start);
        for (size_t i = 0; i < result.stats_count; i++)
            ob_count_stats_destroy(stats[i]);
        ob_core_pool_release(r->pool, core, cores);
        pthread_cond_broadcast(&r->changed);
    }
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
    free(stats);
    return NULL;
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
        return ob_err_set(err, OB_ERR_NOMEM, "no thread can be started");
    if (r->status != OB_OK && err != NULL)
        *err = r->err;
    if (r->status != OB_OK)
        return r->status;
    return r->done < ob_snippets_count(r->snippets) ? OB_END : OB_OK;
}

ob_status ob_suite_run(const ob_snippets *snippets, const ob_suite_run_params *params, ob_err *err)
{
    ob_suite_run_params whole = *params;
    whole.count.repeats = params->count.repeats == 0 ? 1 : params->count.repeats;
    runner r = {.snippets = snippets, .params = &whole};
    CPU_ZERO(&r.cpus);
    pthread_mutex_init(&r.lock, NULL);
    pthread_cond_init(&r.changed, NULL);
    r.begun = calloc(ob_snippets_count(snippets) + 1, sizeof *r.begun);
    ob_status status = r.begun == NULL ? ob__snippet_no_memory(err) : find_cores(&r, err);
    if (status == OB_OK)
        status = run_threads(&r, err);
    ob_core_pool_destroy(r.pool);
    free(r.cores);
    free(r.begun);
    pthread_cond_destroy(&r.changed);
    pthread_mutex_destroy(&r.lock);
    return status;
}
