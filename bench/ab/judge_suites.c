/* SPDX-License-Identifier: Apache-2.0
 *
 * Suites of unchanged cases, made of recorded comparisons of identical code, judged as a measured suite is: see suites.py.
 *
 * usage: judge_suites FILE SUITES CASES
 *
 * FILE has, for each comparison, "PAIRS" and for each of its pairs two lines, one a side: "SAMPLES DISTURBED RESOLUTION", the
 * samples and the numbers of the disturbed ones. Prints how many suites had a case that any look called faster or slower.
 */
#include <opbench/verdict.h>

#include <stdio.h>
#include <stdlib.h>

enum { MOST_PAIRS = 20, MOST_COMPARISONS = 4096 };

typedef struct comparison {
    int pairs;
    ob_verdict_unit units[MOST_PAIRS][2];
} comparison;

static uint64_t state = 88172645463325252u;

static unsigned draw(unsigned below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 32) % below;
}

static bool read_numbers(FILE *file, double *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (fscanf(file, "%lf", &out[i]) != 1)
            return false;
    return true;
}

static bool read_unit(FILE *file, ob_verdict_unit *out)
{
    unsigned samples, disturbed;
    double resolution;
    if (fscanf(file, "%u %u %lf", &samples, &disturbed, &resolution) != 3)
        return false;
    double *numbers = malloc(((size_t)samples + disturbed + 1) * sizeof *numbers);
    const ob_verdict_samples of = {.size = sizeof of,
                                   .values = numbers,
                                   .count = samples,
                                   .disturbed = numbers + samples,
                                   .disturbed_count = disturbed,
                                   .resolution = resolution};
    const bool ok = numbers != NULL && read_numbers(file, numbers, (size_t)samples + disturbed) &&
                    ob_verdict_unit_of(&of, out, NULL) == OB_OK;
    free(numbers);
    return ok;
}

static bool read_comparison(FILE *file, comparison *out)
{
    bool ok = fscanf(file, "%d", &out->pairs) == 1 && out->pairs > 0 && out->pairs <= MOST_PAIRS;
    for (int i = 0; ok && i < out->pairs; i++)
        ok = read_unit(file, &out->units[i][0]) && read_unit(file, &out->units[i][1]);
    return ok;
}

/* Pairs in another order, each with its sides swapped or not: if both sides are the same, that could have come as well. Pairs
 * are not drawn twice, as two processes never agree in everything. */
static bool is_called(const comparison *of, uint64_t cases)
{
    ob_verdict_unit a[MOST_PAIRS], b[MOST_PAIRS];
    int order[MOST_PAIRS];
    for (int i = 0; i < of->pairs; i++) {
        const int j = (int)draw((unsigned)i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    for (int i = 0; i < of->pairs; i++) {
        const unsigned swapped = draw(2);
        a[i] = of->units[order[i]][swapped];
        b[i] = of->units[order[i]][1 - swapped];
    }
    for (uint64_t look = ob_verdict_next_look(0, MOST_PAIRS);
         look > 0 && look <= (uint64_t)of->pairs; look = ob_verdict_next_look(look, MOST_PAIRS)) {
        const ob_verdict_params params = {.size = sizeof params,
                                          .paired = true,
                                          .cases = cases,
                                          .look_share = ob_verdict_look_share(look, MOST_PAIRS)};
        ob_verdict v = {.size = sizeof v};
        if (ob_verdict_decide(a, look, b, look, &params, &v, NULL) != OB_OK)
            abort();
        if (v.kind == OB_VERDICT_SLOWER || v.kind == OB_VERDICT_FASTER)
            return true;
    }
    return false;
}

int main(int argc, char **argv)
{
    comparison *all = malloc(MOST_COMPARISONS * sizeof *all);
    FILE *file = argc == 4 ? fopen(argv[1], "r") : NULL;
    unsigned count = 0;
    int wolves = 0;
    if (all == NULL || file == NULL)
        return 2;
    while (count < MOST_COMPARISONS && read_comparison(file, &all[count]))
        count++;
    const int suites = atoi(argv[2]), cases = atoi(argv[3]);
    for (int s = 0; count > 0 && s < suites; s++) {
        bool wolf = false;
        for (int i = 0; i < cases; i++)
            wolf |= is_called(&all[draw(count)], (uint64_t)cases);
        wolves += wolf;
    }
    printf("%u %d\n", count, wolves);
    fclose(file);
    free(all);
    return 0;
}
