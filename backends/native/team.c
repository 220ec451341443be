/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops over ranges on several threads; see team.h.
 *
 * A helper that has nothing to do looks for work for some microseconds, in which a benchmark's next
 * iteration comes, and then sleeps: a helper that spins longer takes the processor from whoever else
 * wants it. Each helper takes part in every call, so none can see half of the next one. Who
 * sleeps says so before it looks a last time, and who wakes looks for sleepers after having
 * changed what they wait for; both in sequentially consistent order, so no wake is lost.
 */
#include "team.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { MAX_HELPERS = 255, SPINS = 1000 };

typedef struct helper {
    native_team *team;
    pthread_t thread;
    int64_t number; /* from 1; the caller is 0 */
    unsigned seen;  /* the last round it took part in */
} helper;

struct native_team {
    pthread_mutex_t mutex;
    pthread_cond_t start, finish;
    atomic_uint round;   /* one more for each call */
    atomic_int sleepers; /* helpers that wait for `start` */
    atomic_bool asleep;  /* the caller waits for `finish` */
    atomic_int left;     /* helpers that are not done with the round */
    atomic_bool busy;    /* a call inside a call runs on its own thread */
    bool stop;
    native_range_fn fn; /* the call, written before the round begins */
    void *ctx;
    int64_t count, parts;
    int helper_count;
    helper helpers[MAX_HELPERS];
};

int native_usable_cpus(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    const int count = CPU_COUNT(&set);
    return count > 0 ? count : 1;
}

static void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile(
        "isb"); /* about as long as x86's pause; yield takes no time on most processors */
#endif
}

/* ---- helpers ---- */

static void run_part(const native_team *team, int64_t number)
{
    const int64_t share = team->count / team->parts, rest = team->count % team->parts;
    const int64_t begin = number * share + (number < rest ? number : rest);
    const int64_t end = begin + share + (number < rest);
    if (number < team->parts && begin < end)
        team->fn(team->ctx, begin, end);
}

static void wait_for_round(native_team *team, unsigned seen)
{
    for (int i = 0; i < SPINS; i++) {
        if (atomic_load(&team->round) != seen)
            return;
        relax();
    }
    pthread_mutex_lock(&team->mutex);
    atomic_fetch_add(&team->sleepers, 1);
    while (atomic_load(&team->round) == seen)
        pthread_cond_wait(&team->start, &team->mutex);
    atomic_fetch_sub(&team->sleepers, 1);
    pthread_mutex_unlock(&team->mutex);
}

static void *help(void *ctx)
{
    helper *h = ctx;
    native_team *team = h->team;
    for (;;) {
        wait_for_round(team, h->seen);
        h->seen++;
        if (team->stop)
            return NULL;
        run_part(team, h->number);
        if (atomic_fetch_sub(&team->left, 1) == 1 && atomic_load(&team->asleep)) {
            pthread_mutex_lock(&team->mutex);
            pthread_cond_signal(&team->finish);
            pthread_mutex_unlock(&team->mutex);
        }
    }
}

/* Signals are the program's business, not the helpers'. */
static bool start_helper(native_team *team)
{
    helper *h = &team->helpers[team->helper_count];
    *h =
        (helper){.team = team, .number = team->helper_count + 1, .seen = atomic_load(&team->round)};
    sigset_t all, before;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
        return false;
    const bool started = pthread_create(&h->thread, NULL, help, h) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started)
        team->helper_count++;
    return started;
}

/* ---- the caller ---- */

static void begin_round(native_team *team)
{
    atomic_store(&team->left, team->helper_count);
    atomic_fetch_add(&team->round, 1);
    if (atomic_load(&team->sleepers) > 0) {
        pthread_mutex_lock(&team->mutex);
        pthread_cond_broadcast(&team->start);
        pthread_mutex_unlock(&team->mutex);
    }
}

static void end_round(native_team *team)
{
    for (int i = 0; i < SPINS; i++) {
        if (atomic_load(&team->left) == 0)
            return;
        relax();
    }
    pthread_mutex_lock(&team->mutex);
    atomic_store(&team->asleep, true);
    while (atomic_load(&team->left) > 0)
        pthread_cond_wait(&team->finish, &team->mutex);
    atomic_store(&team->asleep, false);
    pthread_mutex_unlock(&team->mutex);
}

native_team *native_team_create(void)
{
    native_team *team = calloc(1, sizeof *team);
    if (team == NULL)
        return NULL;
    pthread_mutex_init(&team->mutex, NULL);
    pthread_cond_init(&team->start, NULL);
    pthread_cond_init(&team->finish, NULL);
    return team;
}

void native_team_destroy(native_team *team)
{
    if (team == NULL)
        return;
    team->stop = true;
    begin_round(team);
    for (int i = 0; i < team->helper_count; i++)
        pthread_join(team->helpers[i].thread, NULL);
    pthread_cond_destroy(&team->finish);
    pthread_cond_destroy(&team->start);
    pthread_mutex_destroy(&team->mutex);
    free(team);
}

void native_parallel(const native_env *env, int64_t count, int64_t grain, native_range_fn fn,
                     void *ctx)
{
    const int64_t most = grain > 1 ? count / grain : count;
    const int64_t threads = most < env->threads ? most : env->threads;
    native_team *team = env->team;
    if (threads <= 1 || team == NULL || atomic_exchange(&team->busy, true)) {
        if (count > 0)
            fn(ctx, 0, count);
        return;
    }
    /* A thread that cannot be had leaves its part to the others. */
    while (team->helper_count < threads - 1 && team->helper_count < MAX_HELPERS &&
           start_helper(team))
        ;
    team->fn = fn;
    team->ctx = ctx;
    team->count = count;
    team->parts = threads < team->helper_count + 1 ? threads : team->helper_count + 1;
    begin_round(team);
    run_part(team, 0);
    end_round(team);
    atomic_store(&team->busy, false);
}
