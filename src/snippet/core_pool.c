/* SPDX-License-Identifier: Apache-2.0
 *
 * Cores that are given out as neighbours, first fit, and the line that says how far a run is.
 */
#include "opbench/suite_run.h"
#include "snippet/suite_int.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { KNOWN_FROM = 5 }; /* results before an estimate is shown */

struct ob_core_pool {
    int first, count;
    bool taken[];
};

ob_status ob_core_pool_create(int first, int last, ob_core_pool **out, ob_err *err)
{
    *out = NULL;
    if (first < 0 || last < first)
        return ob_err_set(err, OB_ERR_INVALID, "no cores from %d to %d", first, last);
    const size_t count = (size_t)(last - first) + 1;
    *out = calloc(1, sizeof **out + count * sizeof(bool));
    if (*out == NULL)
        return ob__snippet_no_memory(err);
    (*out)->first = first;
    (*out)->count = (int)count;
    return OB_OK;
}

void ob_core_pool_destroy(ob_core_pool *pool)
{
    free(pool);
}

bool ob_core_pool_reserve(ob_core_pool *pool, int count, int *core)
{
    int free_ones = 0;
    for (int i = 0; count > 0 && i < pool->count; i++) {
        free_ones = pool->taken[i] ? 0 : free_ones + 1;
        if (free_ones < count)
            continue;
        for (int k = i - count + 1; k <= i; k++)
            pool->taken[k] = true;
        *core = pool->first + i - count + 1;
        return true;
    }
    return false;
}

void ob_core_pool_release(ob_core_pool *pool, int core, int count)
{
    for (int i = core - pool->first; i < core - pool->first + count; i++)
        if (i >= 0 && i < pool->count)
            pool->taken[i] = false;
}

char *ob_progress_format(size_t done, size_t total, int cores, double mean_s, double elapsed_s,
                         char *out, size_t size)
{
    char rest[64] = "Unknown";
    if (done >= KNOWN_FROM && cores > 0) {
        const double rounds = ceil((double)(total - done) / cores);
        const double minutes = ceil(rounds * mean_s / 60.0);
        snprintf(rest, sizeof rest, "~%.0f minute%s", minutes, minutes > 1 ? "s" : "");
    }
    snprintf(out, size, "%zu / %zu (%.0f seconds), ETA: %s", done, total, elapsed_s, rest);
    return out;
}
