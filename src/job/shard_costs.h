/* SPDX-License-Identifier: Apache-2.0
 *
 * What cases cost, in microseconds and integers: as a stored result says, or as the rows of their operators let expect.
 */
#ifndef OB_JOB_SHARD_COSTS_H
#define OB_JOB_SHARD_COSTS_H

#include "job/outlook.h"
#include "job/shard_plan.h"

/* ---- stored ones ---- */

typedef struct ob_stored_costs ob_stored_costs;

/* Times of cases in a file of records. OB_ERR_INVALID: it has none. */
ob_status ob__stored_costs_read(const char *path, ob_stored_costs **out, ob_err *err);
void ob__stored_costs_destroy(ob_stored_costs *costs); /* NULL is allowed */
/* The mean of a case by a backend, or else by any; backend NULL = by any. False: the file does not have the case; costs may be NULL. */
bool ob__stored_costs_find(const ob_stored_costs *costs, const char *key, const char *backend,
                           uint64_t *cost);

/* ---- a division ---- */

/* Costs while they are gathered, one for each case. Zero is empty. */
typedef struct ob_case_costs {
    uint64_t *items;
    bool *is_measured;
    size_t count, capacity, flag_capacity;
    uint64_t measured, estimated;
    uint64_t guess_of_measured, cost_of_measured; /* sums: what guesses of the others are worth */
} ob_case_costs;

/* The next case: what a guess says, and what was measured, if it was (NULL = not). */
ob_status ob__case_costs_add(ob_case_costs *costs, uint64_t guess, const uint64_t *measured,
                             ob_err *err);
/* Divides them. division points into the plan. Fini of the plan also after a failure. */
ob_status ob__case_costs_divide(ob_case_costs *costs, const ob_shard *shard, ob_shard_plan *plan,
                                ob_shard_division *division, ob_err *err);
void ob__case_costs_fini(ob_case_costs *costs);

/* The cases of parts, whose ranges are those of all shards. */
ob_status ob__case_costs_of_parts(ob_case_costs *costs, const ob_context *context,
                                  const ob_job_configs *configs, const ob_job_part *parts,
                                  const ob_part_cases *cases, const ob_stored_costs *stored,
                                  ob_err *err);

#endif
