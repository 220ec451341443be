/* SPDX-License-Identifier: Apache-2.0
 *
 * Which results should be there, and which are not. Missing cases are counted in stretches: a lost shard of a billion costs no more
 * than a lost case.
 */
#include "job/merge_files.h"

#include "job/shard_plan.h"
#include "opbench/run.h"
#include "opbench/vec.h"

#include <stdlib.h>
#include <string.h>

/* Beyond these a header is nonsense; then what is missing is counted in one. */
enum { MOST_SHARDS = 1 << 16, MOST_RANGES = 1 << 16, MOST_PAIRS = 1 << 26 };

static ob_status out_of_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the list of shards");
}

static ob_status add_range(ob_merge_plan *plan, const ob_merge_range *range, const char *backend,
                           ob_err *err)
{
    if (!OB_RESERVE(plan->ranges, plan->capacity, plan->count + 1))
        return out_of_memory(err);
    ob_merge_range *to = &plan->ranges[plan->count];
    *to = *range;
    to->backend = backend != NULL ? strdup(backend) : NULL;
    if (backend != NULL && to->backend == NULL)
        return out_of_memory(err);
    plan->count++;
    return OB_OK;
}

static ob_status read_part(ob_merge_plan *plan, const ob_json *part, uint64_t *position,
                           ob_err *err)
{
    const ob_json *ranges = ob_json_get(part, "ranges");
    const char *backend = ob_json_string(ob_json_get(part, "backend"), NULL);
    const int64_t threads = ob_json_int(ob_json_get(part, "threads"), 0);
    for (size_t i = 0; ob_json_get_kind(ranges) == OB_JSON_ARRAY && i < ob_json_count(ranges) &&
                       plan->count < MOST_RANGES;
         i++) {
        const ob_json *pair = ob_json_item(ranges, i);
        if (ob_json_get_kind(pair) != OB_JSON_ARRAY || ob_json_count(pair) != 2)
            continue;
        const int64_t first = ob_json_int(ob_json_item(pair, 0), -1),
                      count = ob_json_int(ob_json_item(pair, 1), -1);
        if (first < 0 || count <= 0 || count > INT64_MAX - first ||
            *position > INT64_MAX - (uint64_t)count)
            continue;
        const ob_merge_range range = {.first = (uint64_t)first,
                                      .count = (uint64_t)count,
                                      .position = *position,
                                      .threads = threads > 0 ? (uint64_t)threads : 0};
        OB_TRY(add_range(plan, &range, backend, err));
        *position += (uint64_t)count;
    }
    return OB_OK;
}

ob_status ob__merge_plan_read(ob_merge_plan *plan, const ob_json *divided, int64_t cases,
                              uint64_t of, ob_err *err)
{
    uint64_t position = 0;
    plan->of = of <= MOST_SHARDS ? of : 0;
    for (size_t i = 0; ob_json_get_kind(divided) == OB_JSON_ARRAY && i < ob_json_count(divided);
         i++)
        if (ob_json_get_kind(ob_json_item(divided, i)) == OB_JSON_OBJECT)
            OB_TRY(read_part(plan, ob_json_item(divided, i), &position, err));
    if (divided == NULL && of <= 1 && cases > 0)
        OB_TRY(add_range(plan, &(ob_merge_range){.count = (uint64_t)cases}, NULL, err));
    if (plan->count * plan->of > MOST_PAIRS)
        plan->of = 0; /* each range is gone through for each shard */
    const size_t rows = plan->of > 0 ? (size_t)plan->of : 1;
    plan->missing = calloc(rows, sizeof *plan->missing);
    plan->first_missing = calloc(rows, sizeof *plan->first_missing);
    return plan->missing != NULL && plan->first_missing != NULL ? OB_OK : out_of_memory(err);
}

void ob__merge_plan_fini(ob_merge_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++)
        free(plan->ranges[i].backend);
    free(plan->ranges);
    free(plan->missing);
    free(plan->first_missing);
}

/* ---- */

static void note_missing(ob_merge_plan *plan, size_t shard, uint64_t count, uint64_t index)
{
    if (plan->missing[shard] == 0 || index < plan->first_missing[shard])
        plan->first_missing[shard] = index;
    plan->missing[shard] += count;
}

/* Each is a shard's of its own. */
static void miss_owned(ob_merge_plan *plan, const ob_merge_range *range, uint64_t from, uint64_t to)
{
    const ob_merge_owners *o = plan->owners;
    for (uint64_t i = from; i < to; i++) {
        const uint64_t position = range->position + i, index = range->first + i;
        const uint16_t shard = position < o->count ? o->list[position] : 0;
        if (shard > 0) {
            note_missing(plan, shard - 1U, 1, index);
            continue;
        }
        if (plan->unowned == 0 || index < plan->first_unowned)
            plan->first_unowned = index;
        plan->unowned++;
    }
}

/* Cases [from, to) of a range. */
static void miss(ob_merge_plan *plan, const ob_merge_range *range, uint64_t from, uint64_t to)
{
    const uint64_t shards = plan->of > 0 ? plan->of : 1, count = to - from;
    plan->missing_total += count;
    /* Beyond what a division by cost can have the header is nonsense. */
    if (plan->owners != NULL && range->position + to <= OB_MOST_COSTED_CASES) {
        miss_owned(plan, range, from, to);
        return;
    }
    for (uint64_t k = 0; k < shards && k < count; k++)
        note_missing(plan, (size_t)((range->position + from + k) % shards),
                     (count - k - 1) / shards + 1, range->first + from + k);
}

static bool is_of(const ob_merge_way *way, const ob_merge_range *range)
{
    return (range->threads == 0 || way->threads == 0 || range->threads == way->threads) &&
           (range->backend == NULL || way->backend[0] == '\0' ||
            ob_backend_is_among(range->backend, way->backend));
}

/* What is left of the way's range is missing; goes on to the next that is the way's. */
static void leave_range(ob_merge_plan *plan, ob_merge_way *way)
{
    const ob_merge_range *range = &plan->ranges[way->range];
    if (is_of(way, range) && way->done < range->count)
        miss(plan, range, way->done, range->count);
    way->range++;
    way->done = 0;
}

void ob__merge_plan_came(ob_merge_plan *plan, ob_merge_way *way, uint64_t index)
{
    for (; way->range < plan->count; leave_range(plan, way)) {
        const ob_merge_range *range = &plan->ranges[way->range];
        if (!is_of(way, range) || index >= range->first + range->count)
            continue;
        if (index < range->first + way->done)
            return; /* one more of the same, or none of those that are known */
        if (index - range->first > way->done)
            miss(plan, range, way->done, index - range->first);
        way->done = index - range->first + 1;
        return;
    }
}

void ob__merge_plan_end(ob_merge_plan *plan, ob_merge_way *ways, size_t count)
{
    for (size_t i = 0; i < count; i++)
        while (ways[i].range < plan->count)
            leave_range(plan, &ways[i]);
    /* What nobody measured in any way, such as all cases with a number of threads. */
    for (size_t r = 0; r < plan->count; r++) {
        bool is_measured = false;
        for (size_t i = 0; i < count && !is_measured; i++)
            is_measured = is_of(&ways[i], &plan->ranges[r]);
        if (!is_measured)
            miss(plan, &plan->ranges[r], 0, plan->ranges[r].count);
    }
}
