/* SPDX-License-Identifier: Apache-2.0
 *
 * Short blocks, so that some stay undisturbed; short turns, so that what changes on a machine meets all sides.
 */
#include "diff/compare_way.h"

#include <string.h>

/* A process says how sure it is by how far its samples lie apart. */
enum { LEAST_SAMPLES = 3 };

bool ob__run_is_cold(const ob_run_options *run)
{
    return (run->cache != NULL && strcmp(run->cache, "cold") == 0) ||
           (run->l2_cache != NULL && strcmp(run->l2_cache, "off") == 0);
}

void ob__run_to_compare(ob_run_options *run, double budget_s, size_t sides)
{
    const bool cold = ob__run_is_cold(run);
    run->exec_mode = cold ? "discrete" : "continuous";
    if (!cold) {
        run->block_time_s =
            0.0002; /* short beside the slices of a scheduler, long beside the clock */
        run->turn_time_s =
            0.0015; /* long beside a switch, short beside what changes on a machine */
        run->warmup_time_s = 0.005;
    }
    run->min_samples = LEAST_SAMPLES;
    run->min_time_s = budget_s / ((double)sides * (double)run->processes);
}
