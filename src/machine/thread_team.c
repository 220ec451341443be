/* SPDX-License-Identifier: Apache-2.0
 *
 * They wait for each other by spinning: sleeping and waking would be part of the time.
 */
#include "machine/thread_team.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct member {
    ob_team *team;
    size_t number;
    pthread_t thread;
    uint64_t start_ns, end_ns;
} member;

struct ob_team {
    size_t started;
    atomic_size_t count;
    ob_clock clock;
    cpu_set_t before;
    bool was_bound;
    ob_team_fn fn; /* NULL = the end */
    void *ctx;
    atomic_size_t arrived;
    atomic_size_t round;
    member members[];
};

/* Nobody goes on before all are here. Whoever comes last opens the next round. */
static void meet(ob_team *team)
{
    const size_t round = atomic_load(&team->round);
    if (atomic_fetch_add(&team->arrived, 1) + 1 == team->count) {
        atomic_store(&team->arrived, 0);
        atomic_store(&team->round, round + 1);
        return;
    }
    for (size_t turns = 0; atomic_load(&team->round) == round; turns++)
        if (turns % 1024 == 1023) /* more threads than CPUs that are free */
            sched_yield();
}

static void take_part(member *m)
{
    meet(m->team);
    m->start_ns = ob_clock_now_ns(&m->team->clock);
    m->team->fn(m->team->ctx, m->number);
    m->end_ns = ob_clock_now_ns(&m->team->clock);
    meet(m->team);
}

/* The n-th CPU that this process may use. */
static void bind_to(const cpu_set_t *usable, size_t n)
{
    cpu_set_t one;
    const size_t count = (size_t)CPU_COUNT(usable);
    n %= count > 0 ? count : 1;
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, usable) && n-- == 0) {
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            sched_setaffinity(0, sizeof one, &one);
            return;
        }
}

static void *serve(void *arg)
{
    member *m = arg;
    ob_team *team = m->team;
    bind_to(&team->before, m->number);
    for (;;) {
        meet(team); /* the work is known */
        if (team->fn == NULL)
            return NULL;
        take_part(m);
    }
}

ob_status ob__team_create(size_t threads, ob_team **out, ob_err *err)
{
    *out = NULL;
    ob_team *team = calloc(1, sizeof *team + threads * sizeof *team->members);
    if (team == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for %zu threads", threads);
    team->clock = ob_clock_monotonic();
    team->was_bound = sched_getaffinity(0, sizeof team->before, &team->before) == 0;
    team->count = threads;
    for (size_t i = 0; i < threads; i++)
        team->members[i] = (member){.team = team, .number = i};
    for (team->started = 1; team->started < threads; team->started++) {
        member *m = &team->members[team->started];
        if (pthread_create(&m->thread, NULL, serve, m) != 0)
            break;
    }
    if (team->started < threads) {
        /* Those that are there wait for all; they cannot be told otherwise than by counting as all. */
        const size_t there = team->started;
        team->count = there;
        ob__team_destroy(team);
        return ob_err_set(err, OB_ERR_LIMIT, "the system gives %zu threads of %zu", there, threads);
    }
    bind_to(&team->before, 0);
    *out = team;
    return OB_OK;
}

void ob__team_destroy(ob_team *team)
{
    if (team == NULL)
        return;
    team->fn = NULL;
    meet(team);
    for (size_t i = 1; i < team->started; i++)
        pthread_join(team->members[i].thread, NULL);
    if (team->was_bound)
        sched_setaffinity(0, sizeof team->before, &team->before);
    free(team);
}

double ob__team_run(ob_team *team, ob_team_fn fn, void *ctx)
{
    team->fn = fn;
    team->ctx = ctx;
    meet(team);
    take_part(&team->members[0]);
    uint64_t start = UINT64_MAX, end = 0;
    for (size_t i = 0; i < team->count; i++) {
        const member *m = &team->members[i];
        start = m->start_ns < start ? m->start_ns : start;
        end = m->end_ns > end ? m->end_ns : end;
    }
    return (double)(end - start);
}
