/* SPDX-License-Identifier: Apache-2.0
 *
 * Costs of cases. An estimate need not be near the truth, only in proportion to it, and the same on every machine: it is of a machine
 * that computes 32 operations and moves 16 bytes in a nanosecond.
 */
#include "job/shard_costs.h"

#include "job/outlook.h"
#include "opbench/vec.h"
#include "run/known_cost.h"

#include <stdlib.h>

/* ---- all of them ---- */

ob_status ob__case_costs_add(ob_case_costs *costs, uint64_t guess, const uint64_t *measured,
                             ob_err *err)
{
    if (!OB_RESERVE(costs->items, costs->capacity, costs->count + 1) ||
        !OB_RESERVE(costs->is_measured, costs->flag_capacity, costs->count + 1))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the costs of cases");
    guess = guess < OB_MOST_COST ? guess : OB_MOST_COST;
    const uint64_t cost = measured == NULL           ? guess
                          : *measured < OB_MOST_COST ? *measured
                                                     : OB_MOST_COST;
    costs->is_measured[costs->count] = measured != NULL;
    costs->items[costs->count++] = cost > 0 ? cost : 1;
    if (measured != NULL) {
        costs->measured++;
        costs->guess_of_measured += guess;
        costs->cost_of_measured += cost;
    }
    return OB_OK;
}

/* Guesses beside measured costs: in the same unit. */
static void scale_guesses(ob_case_costs *costs)
{
    const uint64_t by = costs->cost_of_measured, of = costs->guess_of_measured;
    for (size_t i = 0; by > 0 && of > 0 && i < costs->count; i++) {
        if (costs->is_measured[i])
            continue;
        const unsigned __int128 scaled = (unsigned __int128)costs->items[i] * by / of;
        costs->items[i] = scaled < 1 ? 1 : scaled < OB_MOST_COST ? (uint64_t)scaled : OB_MOST_COST;
    }
}

ob_status ob__case_costs_divide(ob_case_costs *costs, const ob_shard *shard, ob_shard_plan *plan,
                                ob_shard_division *division, ob_err *err)
{
    scale_guesses(costs);
    OB_TRY(ob__shard_plan_make(costs->items, costs->count, shard, plan, err));
    const double total = plan->total_cost > 0 ? (double)plan->total_cost : 1;
    *division = (ob_shard_division){.hash = plan->hash,
                                    .positions = plan->text.data,
                                    .cases = costs->count,
                                    .measured = costs->measured,
                                    .estimated = costs->estimated,
                                    .own = (double)plan->own_cost / total,
                                    .largest = (double)plan->largest_cost / total};
    return OB_OK;
}

void ob__case_costs_fini(ob_case_costs *costs)
{
    free(costs->items);
    free(costs->is_measured);
}

/* ---- of configs ---- */

static uint64_t microseconds(double seconds)
{
    return seconds > 0 ? seconds < 1e5 ? (uint64_t)(seconds * 1e6) : (uint64_t)1e11 : 0;
}

/* What a case takes besides its calls, and how many there are of these. */
typedef struct measuring {
    uint64_t besides, calls;
    const char *backend; /* of the part, if it is one; else NULL */
} measuring;

static measuring how(const ob_run_options *o, bool has_sides)
{
    enum { BESIDES_US = 300 }; /* made ready, reported, noted */
    const bool by_rule = o->min_time_s > 0 || o->precision > 0;
    const int64_t measured = by_rule ? 1 : o->iteration;
    measuring m = {.besides =
                       BESIDES_US + microseconds(o->min_time_s) + microseconds(o->warmup_time_s),
                   .calls = (uint64_t)(o->warmup > 0 ? o->warmup : 0) +
                            (uint64_t)(measured > 0 ? measured : 0)};
    const uint64_t most = (uint64_t)1 << 30;
    m.calls = (m.calls < most ? m.calls : most) * (o->backward ? 3 : 1);
    if (!has_sides && ob_run_options_backend_count(o) == 1)
        m.backend = o->backend != NULL ? o->backend : OB_REFERENCE_BACKEND;
    return m;
}

static uint64_t guess_of(const ob_known_cost *known, const measuring *m)
{
    enum { FLOPS_PER_US = 32000, BYTES_PER_US = 16000, MADE_PER_US = 500 };
    const uint64_t moved = known->is_known ? known->bytes : known->inputs;
    const unsigned __int128 calls = (unsigned __int128)m->calls *
                                    ((known->is_known ? known->flops : 0) / (FLOPS_PER_US / 1000) +
                                     moved / (BYTES_PER_US / 1000));
    const unsigned __int128 all = m->besides + known->inputs / MADE_PER_US + calls / 1000;
    return all < OB_MOST_COST ? (uint64_t)all : OB_MOST_COST;
}

/* A range of cases of a part. */
static ob_status add_range(ob_case_costs *costs, const ob_context *context, ob_cases *cases,
                           const ob_job_part *part, const ob_case_range *range, const measuring *m,
                           const ob_stored_costs *stored, ob_err *err)
{
    for (uint64_t i = 0; i < range->count; i++) {
        const ob_case *c;
        uint64_t found;
        if (i == 0 || range->step > 1)
            OB_TRY(
                ob_cases_seek(cases, range->first + i * (range->step > 0 ? range->step : 1), err));
        OB_TRY(ob_cases_next(cases, &c, err));
        const bool is_found =
            stored != NULL && ob__stored_costs_find(stored, ob_case_key(c), m->backend, &found);
        ob_known_cost known = {.is_known = false};
        if (part->options->maker == NULL)
            known = ob__known_cost(context, c);
        costs->estimated += known.is_known && !is_found;
        OB_TRY(ob__case_costs_add(costs, guess_of(&known, m), is_found ? &found : NULL, err));
    }
    return OB_OK;
}

ob_status ob__case_costs_of_parts(ob_case_costs *costs, const ob_context *context,
                                  const ob_job_configs *configs, const ob_job_part *parts,
                                  const ob_part_cases *cases, const ob_stored_costs *stored,
                                  ob_err *err)
{
    ob_status status = OB_OK;
    for (size_t i = 0; i < configs->part_count && status == OB_OK; i++) {
        const measuring m = how(parts[i].options, configs->side_count > 0);
        ob_cases *walk = NULL;
        status = ob_cases_open(parts[i].config, NULL, &walk, err);
        for (size_t r = 0; r < cases[i].count && status == OB_OK; r++)
            status =
                add_range(costs, context, walk, &parts[i], &cases[i].ranges[r], &m, stored, err);
        ob_cases_close(walk);
    }
    return status;
}
