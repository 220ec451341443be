/* SPDX-License-Identifier: Apache-2.0
 *
 * See core_pool.h.
 */
#include "snippet/core_pool.h"

#include "snippet/suite_int.h"

#include <stdlib.h>

struct ob_core_pool {
    int first, count;
    bool taken[];
};

ob_status ob__core_pool_create(int first, int last, ob_core_pool **out, ob_err *err)
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

void ob__core_pool_destroy(ob_core_pool *pool)
{
    free(pool);
}

bool ob__core_pool_reserve(ob_core_pool *pool, int count, int *core)
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

void ob__core_pool_release(ob_core_pool *pool, int core, int count)
{
    for (int i = core - pool->first; i < core - pool->first + count; i++)
        if (i >= 0 && i < pool->count)
            pool->taken[i] = false;
}
