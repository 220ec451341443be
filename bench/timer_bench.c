/* SPDX-License-Identifier: Apache-2.0
 *
 * What the Timer costs and how long it takes: the time per iteration of an empty C callback beyond that
 * of the bare loop, and the time from the call of blocked_autorange to its answer, for an empty body and for
 * one of about a microsecond. Beside it the same two bodies with torch.utils.benchmark (statements in Python
 * and in C++) and with Google Benchmark. All take turns in one run, ROUNDS times; the figures are medians
 * over the rounds, with the range of the rounds as the noise. A peer that is not there is left out, and said.
 */
#include "opbench/timer.h"
#include "timer_body.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 7, LOOP_ROUNDS = 100, LOOPS = 10000000, MOST_PEERS = 4 };

/* A cost above this would be measurable: a cycle at 3 GHz is 0.33 ns. */
static const double MOST_LOOP_COST_NS = 0.05;
/* Of medians of the microsecond between us and Google Benchmark, beyond the noise of the rounds. */
static const double MOST_DIFFERENCE = 0.05;

typedef enum body_kind { NOTHING, MICROSECOND, BODIES } body_kind;
static const char *const BODY_NAMES[] = {[NOTHING] = "nothing", [MICROSECOND] = "microsecond"};

static ob_status run_nothing(void *ctx, uint64_t n, ob_err *err)
{
    (void)ctx;
    (void)err;
    for (uint64_t i = 0; i < n; i++)
        bench_nothing();
    return OB_OK;
}

static ob_status run_microsecond(void *ctx, uint64_t n, ob_err *err)
{
    (void)ctx;
    (void)err;
    for (uint64_t i = 0; i < n; i++)
        bench_microsecond();
    return OB_OK;
}

/* ---- peers ---- */

typedef struct sample {
    double median_ns, seconds;
} sample;

typedef struct peer {
    const char *name;
    bool (*measure)(struct peer *peer, body_kind body, sample *out);
    char *const *words; /* of a peer in a process of its own */
    const char *cure;   /* what makes it work */
    FILE *to, *from;
    pid_t pid;
    bool there;
    sample samples[BODIES][ROUNDS];
} peer;

static bool measure_here(peer *p, body_kind body, sample *out)
{
    const ob_clock clock = ob_clock_monotonic();
    const ob_timer timer = {.size = sizeof timer,
                            .task = {.run = body == NOTHING ? run_nothing : run_microsecond}};
    ob_measurements *list;
    ob_measurement_stats stats;
    (void)p;
    if (ob_measurements_create(&list, NULL) != OB_OK)
        return false;
    const uint64_t start_ns = ob_clock_now_ns(&clock);
    const bool ok =
        ob_timer_blocked_autorange(&timer, OB_TIMER_MIN_RUN_TIME_S, list, NULL) == OB_OK &&
        ob_measurement_compute(ob_measurements_at(list, 0), &stats, NULL) == OB_OK;
    out->seconds = (double)(ob_clock_now_ns(&clock) - start_ns) / 1e9;
    out->median_ns = ok ? stats.median * 1e9 : NAN;
    ob_measurements_destroy(list);
    return ok;
}

static bool ask(peer *p, body_kind body, sample *out)
{
    char line[128];
    if (p->to == NULL || fprintf(p->to, "%s\n", BODY_NAMES[body]) < 0 || fflush(p->to) != 0 ||
        fgets(line, sizeof line, p->from) == NULL)
        return false;
    char *rest;
    out->median_ns = strtod(line, &rest);
    out->seconds = strtod(rest, NULL);
    return out->median_ns > 0;
}

static void start(peer *p)
{
    int in[2], out[2];
    if (pipe(in) != 0 || pipe(out) != 0)
        return;
    p->pid = fork();
    if (p->pid == 0) {
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        for (int fd = 3; fd < 64; fd++)
            close(fd);
        execvp(p->words[0], p->words);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    p->to = fdopen(in[1], "w");
    p->from = fdopen(out[0], "r");
}

static void stop(peer *p)
{
    if (p->to != NULL)
        fclose(p->to);
    if (p->from != NULL)
        fclose(p->from);
    if (p->pid > 0)
        waitpid(p->pid, NULL, 0);
}

/* A first answer, which does not count, says whether it is there. torch says "ready" once its statements are
 * compiled. */
static void greet(peer *p)
{
    char line[64];
    sample unused;
    const bool greets = p->words != NULL && strcmp(p->words[0], "/usr/bin/python3") == 0;
    if (p->words != NULL)
        start(p);
    p->there = (!greets || (p->from != NULL && fgets(line, sizeof line, p->from) != NULL &&
                            strcmp(line, "ready\n") == 0)) &&
               p->measure(p, NOTHING, &unused);
}

/* Behind the table, where nobody overlooks it: a row that is missing must not pass for one that agrees. */
static void tell_missing(const peer *peers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!peers[i].there)
            fprintf(
                stderr,
                "WARNING: no row for %s, which does not work here (what it said is above); %s\n",
                peers[i].name, peers[i].cure);
}

/* ---- the loop ---- */

static double bare_loop_ns(const ob_clock *clock)
{
    const uint64_t start_ns = ob_clock_now_ns(clock);
    for (uint64_t i = 0; i < LOOPS; i++)
        bench_nothing();
    return (double)(ob_clock_now_ns(clock) - start_ns) / LOOPS;
}

static double callback_ns(void)
{
    const ob_timer timer = {.size = sizeof timer, .task = {.run = run_nothing}};
    ob_measurements *list;
    double ns = NAN;
    if (ob_measurements_create(&list, NULL) == OB_OK &&
        ob_timer_timeit(&timer, LOOPS, list, NULL) == OB_OK)
        ns = ob_measurements_at(list, 0)->raw_times[0] / LOOPS * 1e9;
    ob_measurements_destroy(list);
    return ns;
}

/* ---- figures ---- */

typedef struct figure {
    double median, least, most;
} figure;

static figure over_rounds(const sample *samples, bool seconds)
{
    double sorted[ROUNDS];
    for (int i = 0; i < ROUNDS; i++)
        sorted[i] = seconds ? samples[i].seconds : samples[i].median_ns;
    ob_stats_sort(sorted, ROUNDS);
    return (figure){ob_stats_quantile(sorted, ROUNDS, 0.5), sorted[0], sorted[ROUNDS - 1]};
}

/* The fastest of the rounds: what disturbs a loop only ever makes it slower. */
static bool compare_loops(void)
{
    const ob_clock clock = ob_clock_monotonic();
    double bare = INFINITY, timed = INFINITY;
    for (int i = 0; i < LOOP_ROUNDS; i++) {
        bare = fmin(bare, bare_loop_ns(&clock));
        timed = fmin(timed, callback_ns());
    }
    printf("empty body: %.4f ns per iteration in the Timer, %.4f ns in a bare loop: %+.4f ns\n",
           timed, bare, timed - bare);
    return timed - bare <= MOST_LOOP_COST_NS;
}

static void print_table(const peer *peers, size_t count)
{
    printf("\n%-28s%37s%37s\n%-28s%26s%11s%26s%11s\n", "", "nothing", "microsecond", "",
           "ns (rounds)", "answer, s", "ns (rounds)", "answer, s");
    for (size_t i = 0; i < count; i++) {
        if (!peers[i].there)
            continue;
        printf("%-28s", peers[i].name);
        for (int b = 0; b < BODIES; b++) {
            const figure ns = over_rounds(peers[i].samples[b], false);
            char range[64];
            snprintf(range, sizeof range, "%.4g (%.4g-%.4g)", ns.median, ns.least, ns.most);
            printf("%26s%11.3f", range, over_rounds(peers[i].samples[b], true).median);
        }
        printf("\n");
    }
}

/* Medians apart by more than the rounds of either are, and by more than the bound. */
static bool agree(const peer *ours, const peer *other)
{
    const figure a = over_rounds(ours->samples[MICROSECOND], false);
    const figure b = over_rounds(other->samples[MICROSECOND], false);
    const double noise = fmax(a.most - a.least, b.most - b.least) / b.median;
    const double difference = a.median / b.median - 1;
    printf("microsecond, the Timer against %s: %+.2f %% (noise of the rounds %.2f %%)\n",
           other->name, 100 * difference, 100 * noise);
    return fabs(difference) <= fmax(noise, MOST_DIFFERENCE);
}

int main(int argc, char **argv)
{
    char google[4096];
    char *const google_words[] = {google, (char[]){"--benchmark_min_time=0.2"}, NULL};
    char python[] = "/usr/bin/python3", script[] = OB_SOURCE_DIR "/bench/timer_torch.py",
         folder[] = OB_SOURCE_DIR "/bench";
    char *const python_words[] = {python, script, (char[]){"python"}, folder, NULL};
    char *const cpp_words[] = {python, script, (char[]){"c++"}, folder, NULL};
    peer peers[MOST_PEERS] = {
        {.name = "opbench, C callback", .measure = measure_here},
        {.name = "Google Benchmark",
         .measure = ask,
         .words = google_words,
         .cure = "install libbenchmark-dev and build again"},
        {.name = "torch, Python statement",
         .measure = ask,
         .words = python_words,
         .cure = "install python3-torch, or give --no-torch"},
        {.name = "torch, C++ statement",
         .measure = ask,
         .words = cpp_words,
         .cure = "install what tools/install_deps bench does, or give --no-torch"},
    };
    const size_t count = argc > 1 && strcmp(argv[1], "--no-torch") == 0 ? 2 : 4;
    snprintf(google, sizeof google, "%s_google", argv[0]);
    signal(SIGPIPE, SIG_IGN);
    bool ok = compare_loops();
    for (size_t i = 0; i < count; i++)
        greet(&peers[i]);
    for (int round = 0; round < ROUNDS; round++)
        for (int b = 0; b < BODIES; b++)
            for (size_t i = 0; i < count; i++)
                if (peers[i].there)
                    peers[i].there =
                        peers[i].measure(&peers[i], (body_kind)b, &peers[i].samples[b][round]);
    print_table(peers, count);
    fflush(stdout);
    tell_missing(peers, count);
    for (size_t i = 1; i < count; i++) {
        /* A statement in Python pays for a call by ctypes: shown, not compared. */
        if (peers[i].there && peers[i].words != python_words)
            ok = agree(&peers[0], &peers[i]) && ok;
        stop(&peers[i]);
    }
    if (!ok)
        printf("a bound was missed: loop cost %.2g ns, medians within %.0f %% or the noise\n",
               MOST_LOOP_COST_NS, 100 * MOST_DIFFERENCE);
    return ok ? 0 : 1;
}
