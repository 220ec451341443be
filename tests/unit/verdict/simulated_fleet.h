/* SPDX-License-Identifier: Apache-2.0
 *
 * Fleets whose truth is known, as records: what tests and bench/fleet judge.
 */
#ifndef OB_TESTS_SIMULATED_FLEET_H
#define OB_TESTS_SIMULATED_FLEET_H

#include "opbench/fleet.h"
#include "opbench/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The first `sick` nodes take slowdown more on memory-bound cases. */
typedef struct simulated_fleet {
    size_t nodes, sick;
    double slowdown; /* 0.03 = 3 % */
    double
        spread; /* how far nodes are apart in each group of cases: evenly up to so much on either side */
    bool is_normal;  /* or as a normal distribution with this standard deviation */
    double noise;    /* of a case's median on a node; cases have a third of it up to 5 thirds */
    double outliers; /* share of results that are 5 to 50 % too long */
    size_t repeats;  /* records of each case */
    uint64_t seed;
} simulated_fleet;

static const struct simulated_group {
    const char *call;
    size_t cases;
    double ms, flops, bytes;
} SIMULATED_GROUPS[] = {
    {"add(f32[40000000], f32[40000000])", 12, 40, 4e7, 4.8e8},
    {"relu(f32[100000])", 8, 0.02, 1e5, 8e5},
    {"mm(f32[1024,1024], f32[1024,1024])", 10, 20, 2e9, 1.2e7},
    {"mm(bf16[1024,1024], bf16[1024,1024])", 6, 10, 2e9, 6e6},
    {"add(f32[4], f32[4])", 10, 0.001, 4, 48},
};
enum { SIMULATED_GROUP_COUNT = sizeof SIMULATED_GROUPS / sizeof *SIMULATED_GROUPS };

static inline void simulated_add(ob_fleet *fleet, const ob_record *record)
{
    ob_err err;
    if (ob_fleet_add(fleet, record, &err) != OB_OK) {
        fprintf(stderr, "%s\n", err.message);
        abort();
    }
}

static inline void simulated_header(ob_fleet *fleet, const char *node)
{
    ob_record record;
    ob_record_init(&record, OB_RECORD_HEADER_LINE);
    record.header.node = node;
    record.header.hardware = "Some CPU";
    record.header.system.last_level_bytes = 32 << 20;
    simulated_add(fleet, &record);
}

static inline void simulated_result(ob_fleet *fleet, const char *key, const char *call, double ms,
                                    double mean, const struct simulated_group *of)
{
    ob_record record;
    ob_record_init(&record, OB_RECORD_RESULT_LINE);
    record.result.key = key;
    record.result.call = call;
    record.result.backend = "native";
    record.result.status = OB_RECORD_OK;
    record.result.forward.time_ms = (ob_stats){.count = 20, .median = ms, .mean = mean};
    record.result.forward.flops = of->flops;
    record.result.forward.bytes = of->bytes;
    simulated_add(fleet, &record);
}

static inline double simulated_noise(const simulated_fleet *how, size_t number, ob_rng *rng)
{
    const double noise = how->noise * (1 + (double)(number % 5)) / 3;
    double factor = exp(noise * ob_rng_normal(rng));
    if (ob_rng_double(rng) < how->outliers)
        factor *= ob_rng_uniform(rng, 1.05, 1.5);
    return factor;
}

static inline void simulated_node(const simulated_fleet *how, size_t node, ob_rng *rng,
                                  ob_fleet *fleet)
{
    char name[32];
    snprintf(name, sizeof name, "n%zu", node);
    simulated_header(fleet, name);
    for (size_t g = 0, number = 0; g < SIMULATED_GROUP_COUNT; g++) {
        const struct simulated_group *of = &SIMULATED_GROUPS[g];
        const double apart = how->is_normal ? how->spread * ob_rng_normal(rng)
                                            : ob_rng_uniform(rng, -how->spread, how->spread);
        const double slower = g == 0 && node < how->sick ? 1 + how->slowdown : 1;
        for (size_t c = 0; c < of->cases; c++, number++)
            for (size_t r = 0; r < how->repeats; r++) {
                snprintf(name, sizeof name, "k%zu", number);
                const double ms = of->ms * exp(apart) * slower * simulated_noise(how, number, rng);
                simulated_result(fleet, name, of->call, ms,
                                 ms * (1 + 0.005 * fabs(ob_rng_normal(rng))), of);
            }
    }
}

/* Judged; to be destroyed. */
static inline ob_fleet *simulated_judged(const simulated_fleet *how)
{
    ob_fleet *fleet;
    ob_rng rng;
    ob_rng_init(&rng, how->seed, 20);
    if (ob_fleet_create(NULL, &fleet, NULL) != OB_OK)
        abort();
    for (size_t n = 0; n < how->nodes; n++)
        simulated_node(how, n, &rng, fleet);
    if (ob_fleet_judge(fleet, NULL) != OB_OK)
        abort();
    return fleet;
}

/* How many of the sick nodes are called slow, and how many others are called sick in any way. */
static inline void simulated_count(const simulated_fleet *how, const ob_fleet *fleet, size_t *found,
                                   size_t *wrong)
{
    for (size_t i = 0; i < ob_fleet_node_count(fleet); i++) {
        const ob_fleet_node *node = ob_fleet_at(fleet, i);
        const bool is_sick = strtoul(node->name + 1, NULL, 10) < how->sick;
        *found += is_sick && node->state == OB_FLEET_SLOW;
        *wrong += !is_sick && ob_fleet_state_is_sick(node->state);
    }
}

#endif
