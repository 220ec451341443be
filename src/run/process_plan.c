/* SPDX-License-Identifier: Apache-2.0
 *
 * Whoever begins finds the machine as the start of the processes left it, and the size of the environment moves the stack:
 * neither may belong to one side, or to all processes.
 */
#include "run/process_plan.h"

#include "opbench/rng.h"

enum { MOST_SIDES = 64 };

/* A stream of its own for each case, number and purpose. */
static ob_rng stream_of(uint64_t seed, uint64_t index, uint64_t number, uint64_t purpose)
{
    ob_rng rng;
    ob_rng_init(&rng, seed, (index * UINT64_C(0x9e3779b97f4a7c15)) ^ (number * 2 + purpose));
    return rng;
}

ob_process_plan ob__process_plan(uint64_t seed, uint64_t index, uint64_t process, unsigned sides)
{
    unsigned order[MOST_SIDES];
    sides = sides < 1 ? 1 : sides < MOST_SIDES ? sides : MOST_SIDES;
    ob_rng of_block = stream_of(seed, index, process / sides, 0);
    ob_rng of_process = stream_of(seed, index, process, 1);
    for (unsigned i = 0; i < sides; i++)
        order[i] = i;
    for (unsigned i = sides - 1; i > 0; i--) {
        const unsigned other = (unsigned)ob_rng_int(&of_block, 0, (int64_t)i);
        const unsigned kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    return (ob_process_plan){.first = order[process % sides],
                             .pad = (size_t)ob_rng_int(&of_process, 0, OB_MOST_PAD)};
}
