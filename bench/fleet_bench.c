/* SPDX-License-Identifier: Apache-2.0
 *
 * bench/fleet: how well sick nodes are found, on simulated fleets whose truth is known, and how long it takes.
 *
 *     bench_fleet [FLEETS]     so many of each kind, 100 if not said; fails where a promise is not kept
 */
#include "../tests/unit/verdict/simulated_fleet.h"

#include "opbench/measure.h"

typedef struct kind {
    const char *name;
    simulated_fleet how;
    bool is_promised; /* all found, at most one false alarm in 20 fleets */
} kind;

static const kind KINDS[] = {
    {"200 nodes, 4 of them 3 % slower", {200, 4, 0.03, 0.005, false, 0.007, 0.02, 1, 1}, true},
    {"200 nodes, 4 of them 5 % slower", {200, 4, 0.05, 0.005, false, 0.007, 0.02, 1, 2}, true},
    {"200 nodes, all healthy", {200, 0, 0, 0.005, false, 0.007, 0.02, 1, 3}, true},
    {"200 nodes, normal spread of 0.5 %, 4 of them 3 % slower",
     {200, 4, 0.03, 0.005, true, 0.007, 0.02, 1, 4},
     false},
    {"200 nodes, normal spread of 0.5 %, 4 of them 5 % slower",
     {200, 4, 0.05, 0.005, true, 0.007, 0.02, 1, 5},
     true},
    {"200 nodes, cases three times as noisy, 3 processes",
     {200, 4, 0.03, 0.005, false, 0.021, 0.02, 3, 6},
     false},
    {"200 nodes, 40 of them 3 % slower", {200, 40, 0.03, 0.005, false, 0.007, 0.02, 1, 7}, false},
    {"20 nodes, 1 of them 5 % slower", {20, 1, 0.05, 0.005, false, 0.007, 0.02, 1, 8}, false},
    {"4 nodes, 1 of them 10 % slower", {4, 1, 0.10, 0.005, false, 0.007, 0.02, 1, 9}, false},
    {"4 nodes, all healthy", {4, 0, 0, 0.005, false, 0.007, 0.02, 1, 10}, false},
    {"4 nodes, normal spread of 2 %, all healthy",
     {4, 0, 0, 0.02, true, 0.007, 0.02, 1, 11},
     false},
    {"3 nodes, 1 of them 10 % slower", {3, 1, 0.10, 0.005, false, 0.007, 0.02, 1, 12}, false},
    {"500 nodes, 10 of them 3 % slower", {500, 10, 0.03, 0.005, false, 0.007, 0.02, 1, 13}, false},
};

int main(int argc, char **argv)
{
    const size_t fleets = argc > 1 ? strtoul(argv[1], NULL, 10) : 100;
    const ob_clock clock = ob_clock_monotonic();
    bool kept = true;
    for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++) {
        size_t found = 0, wrong = 0;
        const uint64_t start = ob_clock_now_ns(&clock);
        for (size_t i = 0; i < fleets; i++) {
            simulated_fleet how = KINDS[k].how;
            how.seed = how.seed * 1000003 + i;
            ob_fleet *fleet = simulated_judged(&how);
            simulated_count(&how, fleet, &found, &wrong);
            ob_fleet_destroy(fleet);
        }
        const double seconds = (double)(ob_clock_now_ns(&clock) - start) / 1e9;
        printf("%-58s found %zu of %zu, false alarms %zu in %zu fleets, %.3f s each\n",
               KINDS[k].name, found, KINDS[k].how.sick * fleets, wrong, fleets,
               seconds / (double)fleets);
        if (KINDS[k].is_promised)
            kept = kept && found == KINDS[k].how.sick * fleets && 20 * wrong <= fleets;
    }
    if (!kept)
        fprintf(stderr, "bench_fleet: a promise was not kept\n");
    return kept ? 0 : 1;
}
