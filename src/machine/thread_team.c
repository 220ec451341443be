/* SPDX-License-Identifier: Apache-2.0
 *
 * They wait for each other by spinning: sleeping and waking would be part of the time.
 */
#include "machine/thread_team.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct member {
    ob_team *team;
    size_t number;
    size_t cpu;
    int error; /* of binding it to its CPU; 0 = it is there */
    pthread_t thread;
    uint64_t start_ns, end_ns;
} member;

struct ob_team {
    size_t started;
    atomic_size_t count;
    ob_clock clock;
    ob_cpu_set before;
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

/* The n-th of them, from the start again when there are fewer. */
static size_t nth_cpu(const ob_cpu_set *cpus, size_t n)
{
    const size_t count = ob_cpu_set_count(cpus);
    size_t cpu = 0;
    for (n %= count > 0 ? count : 1; cpu < OB_MAX_CPUS; cpu++)
        if (ob_cpu_set_has(cpus, cpu) && n-- == 0)
            break;
    return cpu;
}

/* A set of ours has the layout of the kernel's (ob_cpu_set_usable). 0, or what is wrong. */
static int bind_to(const ob_cpu_set *cpus)
{
    return sched_setaffinity(0, sizeof cpus->bits, (const cpu_set_t *)cpus->bits) == 0 ? 0 : errno;
}

static void take_place(member *m)
{
    ob_cpu_set one = {.bits = {0}};
    if (m->cpu < OB_MAX_CPUS)
        one.bits[m->cpu / 64] = UINT64_C(1) << m->cpu % 64;
    m->error = bind_to(&one);
    meet(m->team);
}

static void *serve(void *arg)
{
    member *m = arg;
    ob_team *team = m->team;
    take_place(m);
    for (;;) {
        meet(team); /* the work is known */
        if (team->fn == NULL)
            return NULL;
        take_part(m);
    }
}

/* Starts the others; those that are there are counted as all when the system gives no more. */
static void start(ob_team *team, size_t threads)
{
    team->count = threads;
    for (team->started = 1; team->started < threads; team->started++) {
        member *m = &team->members[team->started];
        if (pthread_create(&m->thread, NULL, serve, m) != 0)
            break;
    }
    team->count = team->started;
    take_place(&team->members[0]);
}

/* Threads that share a CPU would be taken for a machine that is slower with several. */
static ob_status look_at_places(const ob_team *team, size_t threads, ob_err *err)
{
    if (team->started < threads)
        return ob_err_set(err, OB_ERR_LIMIT, "the system allows only %zu threads of %zu",
                          team->started, threads);
    for (size_t i = 0; i < threads; i++)
        if (team->members[i].error != 0)
            return ob_err_set(err, OB_ERR_LIMIT,
                              "cannot pin thread %zu of %zu to CPU %zu: %s; `taskset -cp $$` shows "
                              "which CPUs may be used",
                              i + 1, threads, team->members[i].cpu,
                              strerror(team->members[i].error));
    return OB_OK;
}

ob_status ob__team_create(size_t threads, const ob_cpu_set *cpus, ob_team **out, ob_err *err)
{
    *out = NULL;
    ob_team *team = calloc(1, sizeof *team + threads * sizeof *team->members);
    if (team == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for %zu threads", threads);
    ob_status status = ob_cpu_set_usable(&team->before, err);
    if (status != OB_OK) {
        free(team);
        return status;
    }
    team->clock = ob_clock_monotonic();
    for (size_t i = 0; i < threads; i++)
        team->members[i] = (member){
            .team = team, .number = i, .cpu = nth_cpu(cpus != NULL ? cpus : &team->before, i)};
    start(team, threads);
    status = look_at_places(team, threads, err);
    if (status != OB_OK)
        ob__team_destroy(team);
    else
        *out = team;
    return status;
}

void ob__team_destroy(ob_team *team)
{
    if (team == NULL)
        return;
    team->fn = NULL;
    meet(team);
    for (size_t i = 1; i < team->started; i++)
        pthread_join(team->members[i].thread, NULL);
    bind_to(&team->before);
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
