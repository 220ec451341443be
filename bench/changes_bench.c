/* SPDX-License-Identifier: Apache-2.0
 *
 * bench/changes: how well change points are found, on simulated series whose truth is known, and how long it takes.
 *
 *     bench_changes [SERIES [SEED]]  so many of each kind, 2,000 if not said; fails where a promise is not kept. What the
 *                                    search goes by was chosen with seed 0; another one shows that it holds
 *     bench_changes --table [N]      what chance does, for src/verdict/change_table.def, from N random orders each
 */
#include "opbench/change.h"
#include "opbench/measure.h"
#include "opbench/rng.h"

#include "../src/verdict/change_int.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 100, STEP_AT = 60, LONG = 1000, BEFORE = 50, AFTER = 50 };

/* ---- the table of chance ---- */

static void print_row(size_t count, size_t orders)
{
    ob_change_room room;
    ob_rng rng;
    double *best = malloc(orders * sizeof *best), *ranks = malloc(count * sizeof *ranks);
    if (best == NULL || ranks == NULL || !ob__change_room_init(&room, count))
        abort();
    ob_rng_init(&rng, 2026, count);
    for (size_t i = 0; i < count; i++)
        ranks[i] = (double)(i + 1);
    for (size_t k = 0; k < orders; k++) {
        size_t index;
        for (size_t i = count - 1; i > 0; i--) {
            const size_t other = (size_t)ob_rng_int(&rng, 0, (int64_t)i);
            const double swapped = ranks[i];
            ranks[i] = ranks[other];
            ranks[other] = swapped;
        }
        for (size_t i = 0; i < count; i++)
            room.sorted[(size_t)ranks[i] - 1] = (ob_placed){.value = ranks[i], .place = i};
        best[k] = ob__best_statistic(ranks, count, &room, &index);
    }
    ob_stats_sort(best, orders);
    printf("{%zu, {%.4f, %.4f, %.4f, %.4f}},\n", count, ob_stats_quantile(best, orders, 0.95),
           ob_stats_quantile(best, orders, 0.99), ob_stats_quantile(best, orders, 0.999),
           ob_stats_quantile(best, orders, 0.9999));
    fflush(stdout);
    ob__change_room_fini(&room);
    free(best);
    free(ranks);
}

static int print_table(size_t orders)
{
    static const size_t COUNTS[] = {16, 18, 20, 24, 28, 32, 40, 50, 70, 100, 150, 250, 500, 1000};
    for (size_t i = 0; i < sizeof COUNTS / sizeof *COUNTS; i++)
        print_row(COUNTS[i], orders);
    return 0;
}

/* ---- series ---- */

typedef enum noise { NORMAL, SKEWED, HEAVY } noise;

/* Noise of 1 % around 1, and what is put on it. */
typedef struct kind {
    const char *name;
    double step;     /* at STEP_AT: 0.03 = 3 % */
    double outliers; /* share of values that are 5 to 50 % too large */
    double drift;    /* from the first value to the last */
    double growth;   /* the last value's noise, as a multiple of the first one's; 0 = the same */
    bool two_modes;  /* half of the values are 3 % larger */
    noise noise;
    double depends; /* correlation of each value's noise with that of the one before */
} kind;

static uint64_t seed;

/* Of mean 0 and variance 1. */
static double draw_noise(const kind *k, ob_rng *rng)
{
    static const double SIGMA = 0.8; /* of the logarithm: skewness 3.7 */
    const double z = ob_rng_normal(rng);
    if (k->noise == SKEWED)
        return (exp(SIGMA * z) - exp(SIGMA * SIGMA / 2)) /
               sqrt((exp(SIGMA * SIGMA) - 1) * exp(SIGMA * SIGMA));
    if (k->noise == HEAVY) { /* Student's t with 3 degrees of freedom */
        double squares = 0;
        for (int i = 0; i < 3; i++) {
            const double other = ob_rng_normal(rng);
            squares += other * other;
        }
        return z / sqrt(squares / 3) / sqrt(3);
    }
    return z;
}

/* *last: the noise before it; what is there at first does not matter with i = 0. */
static double draw(const kind *k, ob_rng *rng, size_t i, size_t step_at, size_t count, double *last)
{
    const double share = (double)i / (double)count;
    const double grown = k->growth > 0 ? 1 + (k->growth - 1) * share : 1;
    const double own = draw_noise(k, rng);
    *last = i == 0 ? own : k->depends * *last + sqrt(1 - k->depends * k->depends) * own;
    double value = 1 + k->drift * share + 0.01 * grown * *last;
    if (i >= step_at)
        value *= 1 + k->step;
    if (k->two_modes && ob_rng_double(rng) < 0.5)
        value *= 1.03;
    if (ob_rng_double(rng) < k->outliers)
        value *= 1 + ob_rng_uniform(rng, 0.05, 0.5);
    return value > 0.01 ? value : 0.01;
}

static ob_changes *found_in(const double *values, size_t count)
{
    ob_changes *changes = NULL;
    if (ob_changes_find(values, count, NULL, &changes, NULL) != OB_OK)
        abort();
    return changes;
}

/* Of steps, and, if they are asked for, of drifts, which small steps look like: the last one's place. */
static size_t changes_in(const double *values, size_t count, bool drifts, size_t *last)
{
    ob_changes *changes = found_in(values, count);
    size_t steps = 0;
    for (size_t i = 0; i < ob_changes_count(changes); i++)
        if (ob_changes_at(changes, i)->kind == OB_CHANGE_STEP) {
            *last = ob_changes_at(changes, i)->index;
            steps++;
        } else if (ob_changes_at(changes, i)->kind == OB_CHANGE_DRIFT && drifts) {
            *last = ob_changes_at(changes, i)->end;
            steps++;
        }
    ob_changes_destroy(changes);
    return steps;
}

static size_t steps_in(const double *values, size_t count, size_t *last)
{
    return changes_in(values, count, false, last);
}

/* ---- false alarms ---- */

static int count_false_alarms(const kind *k, size_t series)
{
    size_t wrong = 0, ever = 0, last, other[OB_CHANGE_KIND_COUNT] = {0};
    double values[POINTS], noise_before = 0;
    for (size_t n = 0; n < series; n++) {
        ob_rng rng;
        bool seen = false;
        ob_rng_init(&rng, 1 + 10 * seed, n);
        for (size_t i = 0; i < POINTS; i++)
            values[i] = draw(k, &rng, i, POINTS, POINTS, &noise_before);
        wrong += steps_in(values, POINTS, &last) > 0;
        for (size_t i = 16; i <= POINTS && n < series / 4; i++)
            seen = seen || steps_in(values, i, &last) > 0;
        ever += seen;
        ob_changes *changes = found_in(values, POINTS);
        bool has[OB_CHANGE_KIND_COUNT] = {false};
        for (size_t i = 0; i < ob_changes_count(changes); i++)
            has[ob_changes_at(changes, i)->kind] = true;
        for (size_t i = 0; i < OB_CHANGE_KIND_COUNT; i++)
            other[i] += has[i];
        ob_changes_destroy(changes);
    }
    const double share = (double)wrong / (double)series;
    printf("%-22s steps in %.2f %%, noise in %.1f %%, drift in %.1f %% of series; a step at any of "
           "the 85 checks while it grew in %.2f %%  %s\n",
           k->name, 100 * share, 100 * (double)other[OB_CHANGE_NOISE] / (double)series,
           100 * (double)other[OB_CHANGE_DRIFT] / (double)series,
           100 * (double)ever / ((double)series / 4),
           k->depends > 0  ? ""
           : share <= 0.01 ? "ok"
                           : "MORE THAN 1 %");
    return share > 0.01;
}

/* ---- steps ---- */

typedef struct outcome {
    size_t found, near, more; /* of series: with a step; within 3 points; with more than one */
} outcome;

static outcome place_steps(const kind *k, size_t series, size_t follow)
{
    outcome o = {0, 0, 0};
    double values[STEP_AT + AFTER], noise_before = 0;
    for (size_t n = 0; n < series; n++) {
        ob_rng rng;
        size_t last = 0;
        ob_rng_init(&rng, 2 + 10 * seed, n);
        for (size_t i = 0; i < STEP_AT + follow; i++)
            values[i] = draw(k, &rng, i, STEP_AT, STEP_AT + follow, &noise_before);
        const size_t steps = steps_in(values, STEP_AT + follow, &last);
        o.found += steps > 0;
        o.more += steps > 1;
        o.near += steps == 1 && last + 3 >= STEP_AT && last <= STEP_AT + 3;
    }
    return o;
}

/* Points after the step until it is first reported; AFTER + 1 = not within AFTER. */
static int compare_sizes(const void *a, const void *b)
{
    return (*(const size_t *)a > *(const size_t *)b) - (*(const size_t *)a < *(const size_t *)b);
}

static void print_delays(const kind *k, bool drifts, size_t series)
{
    size_t *delays = malloc(series * sizeof *delays), missed = 0;
    double values[BEFORE + AFTER], noise_before = 0;
    if (delays == NULL)
        abort();
    for (size_t n = 0; n < series; n++) {
        ob_rng rng;
        size_t last = 0;
        ob_rng_init(&rng, 3 + 10 * seed, n);
        delays[n] = AFTER + 1;
        for (size_t i = 0; i < BEFORE + AFTER; i++) {
            values[i] = draw(k, &rng, i, BEFORE, BEFORE + AFTER, &noise_before);
            if (i >= BEFORE && changes_in(values, i + 1, drifts, &last) > 0 &&
                last + 10 >= BEFORE) {
                delays[n] = i + 1 - BEFORE;
                break;
            }
        }
        missed += delays[n] > AFTER;
    }
    qsort(delays, series, sizeof *delays, compare_sizes);
    printf(
        "%-22s first reported%s after (points): 10 %% %zu, median %zu, 90 %% %zu, 99 %% %zu; not "
        "within %d: %.1f %%\n",
        k->name, drifts ? ", as a step or a drift," : " as a step", delays[series / 10],
        delays[series / 2], delays[series * 9 / 10], delays[series * 99 / 100], AFTER,
        100 * (double)missed / (double)series);
    free(delays);
}

/* ---- time ---- */

static int time_append(const char *what, size_t steps)
{
    double *values = malloc(LONG * sizeof *values), best = 1e9, noise_before = 0;
    const ob_clock clock = ob_clock_monotonic();
    const kind plain = {.name = ""};
    ob_rng rng;
    if (values == NULL)
        abort();
    ob_rng_init(&rng, 4, 0);
    for (size_t i = 0; i < LONG; i++)
        values[i] = draw(&plain, &rng, i, LONG, LONG, &noise_before) *
                    (1 + 0.05 * floor((double)(i * (steps + 1)) / LONG));
    for (int k = 0; k < 20; k++) {
        const uint64_t start = ob_clock_now_ns(&clock);
        ob_changes_destroy(found_in(values, LONG));
        best = fmin(best, (double)(ob_clock_now_ns(&clock) - start) / 1e6);
    }
    printf("a series of %d with %s: checked in %.3f ms  %s\n", LONG, what, best,
           best < 1 ? "ok" : "MORE THAN 1 ms");
    free(values);
    return best >= 1;
}

int main(int argc, char **argv)
{
    static const kind QUIET[] = {
        {.name = "noise alone"},
        {.name = "5 % outliers", .outliers = 0.05},
        {.name = "20 % outliers", .outliers = 0.2},
        {.name = "two modes", .two_modes = true},
        {.name = "drift of 1 %", .drift = 0.01},
        {.name = "drift of 3 %", .drift = 0.03},
        {.name = "drift of 10 %", .drift = 0.1},
        {.name = "noise grows 3 times", .growth = 3},
        {.name = "noise grows 10 times", .growth = 10},
        {.name = "skewed noise", .noise = SKEWED},
        {.name = "heavy tails", .noise = HEAVY},
    };
    /* Nothing is promised of these: a machine that is warm for a week has changed. */
    static const kind DEPENDENT[] = {
        {.name = "neighbours 0.1", .depends = 0.1}, {.name = "neighbours 0.2", .depends = 0.2},
        {.name = "neighbours 0.3", .depends = 0.3}, {.name = "neighbours 0.5", .depends = 0.5},
        {.name = "neighbours 0.8", .depends = 0.8},
    };
    static const kind STEPS[] = {
        {.name = "step of 1 %", .step = 0.01},
        {.name = "step of 3 %", .step = 0.03},
        {.name = "step of 10 %", .step = 0.1},
        {.name = "step of -3 %", .step = -0.03},
        {.name = "3 %, 5 % outliers", .step = 0.03, .outliers = 0.05},
        {.name = "3 %, drift of 1 %", .step = 0.03, .drift = 0.01},
        {.name = "3 %, noise grows 2 x", .step = 0.03, .growth = 2},
        {.name = "3 %, skewed noise", .step = 0.03, .noise = SKEWED},
        {.name = "3 %, heavy tails", .step = 0.03, .noise = HEAVY},
        {.name = "3 %, neighbours 0.3", .step = 0.03, .depends = 0.3},
        {.name = "3 %, neighbours 0.5", .step = 0.03, .depends = 0.5},
    };
    int failed = 0;
    if (argc > 1 && strcmp(argv[1], "--table") == 0)
        return print_table(argc > 2 ? strtoul(argv[2], NULL, 10) : 200000);
    const size_t series = argc > 1 ? strtoul(argv[1], NULL, 10) : 2000;
    seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    printf("%zu series of each kind, %d points, noise of 1 %%, p 0.001\n", series, POINTS);
    for (size_t i = 0; i < sizeof QUIET / sizeof *QUIET; i++)
        failed |= count_false_alarms(&QUIET[i], series);
    for (size_t i = 0; i < sizeof DEPENDENT / sizeof *DEPENDENT; i++)
        count_false_alarms(&DEPENDENT[i], series);
    for (size_t i = 0; i < sizeof STEPS / sizeof *STEPS; i++) {
        const outcome o = place_steps(&STEPS[i], series, 20);
        const double near = (double)o.near / (double)series;
        printf(
            "%-22s 20 points after it: found %.1f %%, alone and within 3 points %.1f %%, more than "
            "one %.1f %%  %s\n",
            STEPS[i].name, 100 * (double)o.found / (double)series, 100 * near,
            100 * (double)o.more / (double)series,
            i != 1 && i != 3 ? ""
            : near >= 0.95   ? "ok"
                             : "LESS THAN 95 %");
        failed |= (i == 1 || i == 3) && near < 0.95;
    }
    for (size_t i = 0; i < 3; i++)
        print_delays(&STEPS[i], false, series / 2);
    print_delays(&STEPS[0], true, series / 2);
    failed |= time_append("no step", 0);
    failed |= time_append("10 steps", 10);
    return failed;
}
