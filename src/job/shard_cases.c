/* SPDX-License-Identifier: Apache-2.0
 *
 * The cases of all parts are counted through, so that a shard of many small parts has some of each.
 */
#include "job/shard_cases.h"

#include <inttypes.h>
#include <stdlib.h>

static ob_status out_of_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the ranges of cases");
}

const ob_case_range *ob__part_selected(const ob_job_part *part, ob_case_range *all, size_t *count)
{
    *all = (ob_case_range){.count = ob_config_case_count(part->config), .step = 1};
    *count = part->selection != NULL ? part->selection->count : 1;
    return part->selection != NULL ? part->selection->ranges : all;
}

/* Every n-th, without looking at any. */
static ob_status list_by_order(const ob_divided_parts *of, const ob_shard *shard,
                               ob_part_cases *out, ob_err *err)
{
    uint64_t position = 0;
    for (size_t i = 0; i < of->configs->part_count; i++) {
        ob_part_cases *to = &out[i];
        ob_case_range all;
        size_t count;
        const ob_case_range *ranges = ob__part_selected(&of->parts[i], &all, &count);
        to->ranges = calloc(count + 1, sizeof *to->ranges);
        if (to->ranges == NULL)
            return out_of_memory(err);
        for (size_t r = 0; r < count; r++) {
            const ob_case_range own = ob_shard_of_range(shard, &ranges[r], position);
            position += ranges[r].count;
            if (own.count > 0)
                to->ranges[to->count++] = own;
            to->cases += own.count;
        }
    }
    return OB_OK;
}

/* ---- by cost ---- */

/* Goes through all cases of the parts, forwards. */
typedef struct walk {
    const ob_part_cases *all;
    size_t part, range;
    uint64_t first; /* position of the range's first case */
} walk;

static void go_to(walk *w, uint64_t position)
{
    while (w->range == w->all[w->part].count ||
           position - w->first >= w->all[w->part].ranges[w->range].count) {
        if (w->range == w->all[w->part].count) {
            w->part++;
            w->range = 0;
        } else {
            w->first += w->all[w->part].ranges[w->range++].count;
        }
    }
}

/* Positions become cases of parts. */
static ob_status take_own(const ob_shard_plan *plan, const ob_part_cases *all, ob_part_cases *own,
                          ob_err *err)
{
    walk w = {.all = all};
    size_t capacity = 0, part = 0;
    for (size_t i = 0; i < plan->count; i++)
        for (uint64_t k = 0; k < plan->own[i].count; k++) {
            const uint64_t position = plan->own[i].first + k * plan->own[i].step;
            go_to(&w, position);
            const ob_case_range *of = &all[w.part].ranges[w.range];
            ob_part_cases *to = &own[w.part];
            capacity = w.part == part ? capacity : 0;
            part = w.part;
            if (!ob__positions_add(&to->ranges, &to->count, &capacity,
                                   of->first + (position - w.first) * of->step))
                return out_of_memory(err);
            to->cases++;
        }
    return OB_OK;
}

static ob_status find_costs(const ob_divided_parts *of, const ob_part_cases *all,
                            ob_case_costs *costs, ob_err *err)
{
    ob_stored_costs *stored = NULL;
    if (of->shard->costs != NULL)
        OB_TRY(ob__stored_costs_read(of->shard->costs, &stored, err));
    const ob_status status =
        ob__case_costs_of_parts(costs, of->context, of->configs, of->parts, all, stored, err);
    ob__stored_costs_destroy(stored);
    return status;
}

/* Before minutes are spent on them. */
static ob_status check_size(const ob_divided_parts *of, const ob_part_cases *all, ob_err *err)
{
    uint64_t cases = 0;
    for (size_t i = 0; i < of->configs->part_count; i++)
        if (__builtin_add_overflow(cases, all[i].cases, &cases))
            cases = UINT64_MAX;
    if (cases <= OB_MOST_COSTED_CASES)
        return ob__shard_plan_check(of->shard, err);
    return ob_err_set(err, OB_ERR_LIMIT,
                      "--shard-by cost looks at every case, and %" PRIu64
                      " cases exceed the limit of %" PRIu64
                      "; leave it out: parts of this many cases are balanced without it",
                      cases, OB_MOST_COSTED_CASES);
}

static ob_status list_by_cost(const ob_divided_parts *of, ob_part_cases *out, ob_shard_plan *plan,
                              ob_shard_division *division, ob_err *err)
{
    const size_t count = of->configs->part_count;
    ob_case_costs costs = {0};
    ob_part_cases *all = calloc(count, sizeof *all);
    if (all == NULL)
        return out_of_memory(err);
    ob_status status = list_by_order(of, NULL, all, err);
    if (status == OB_OK)
        status = check_size(of, all, err);
    if (status == OB_OK)
        status = find_costs(of, all, &costs, err);
    if (status == OB_OK)
        status = ob__case_costs_divide(&costs, of->shard, plan, division, err);
    if (status == OB_OK)
        status = take_own(plan, all, out, err);
    for (size_t i = 0; i < count; i++)
        free(all[i].ranges);
    free(all);
    ob__case_costs_fini(&costs);
    return status;
}

ob_status ob__list_cases(const ob_divided_parts *of, ob_part_cases *out, ob_shard_plan *plan,
                         ob_shard_division *division, ob_err *err)
{
    return of->shard != NULL && of->shard->by_cost ? list_by_cost(of, out, plan, division, err)
                                                   : list_by_order(of, of->shard, out, err);
}
