/* SPDX-License-Identifier: Apache-2.0
 *
 * When to look while measuring goes on. Each look may err, so the looks are few, planned before the first sample, and share the
 * error rate: the later, and so the better informed, have the larger shares.
 */
#include "opbench/verdict.h"

enum { FIRST_LOOK = 3 };

/* Half as many again: 3, 5, 8, 12, 18, 27, ... */
static uint64_t after(uint64_t look)
{
    return look + (look + 1) / 2;
}

/* The last look is at the most that there may be, however near the one before is. */
uint64_t ob_verdict_next_look(uint64_t processes, uint64_t most)
{
    uint64_t look = FIRST_LOOK;
    while (look <= processes && look < most)
        look = after(look);
    look = look < most ? look : most;
    return look > processes ? look : 0;
}

double ob_verdict_look_share(uint64_t processes, uint64_t most)
{
    double sum = 0;
    for (uint64_t look = ob_verdict_next_look(0, most); look > 0;
         look = ob_verdict_next_look(look, most))
        sum += (double)look;
    return sum > 0 && processes > 0 && processes <= most ? (double)processes / sum : 0;
}
