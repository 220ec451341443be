/* SPDX-License-Identifier: Apache-2.0
 *
 * A division of cases by what they cost. Integers alone decide, so that every machine comes to the same parts.
 */
#ifndef OB_JOB_SHARD_PLAN_H
#define OB_JOB_SHARD_PLAN_H

#include "opbench/shard.h"
#include "opbench/text.h"

/* Costs of so many cases are in memory at a time, and in nobody's interest of more. */
#define OB_MOST_COSTED_CASES ((uint64_t)1 << 24)
/* No sum of costs is beyond counting. */
#define OB_MOST_COST ((uint64_t)1 << 38)

/* What one shard has. Zero is empty. */
typedef struct ob_shard_plan {
    ob_case_range *own; /* positions among all cases, ascending */
    size_t count, capacity;
    uint64_t own_cases;
    uint64_t own_cost, largest_cost, total_cost; /* of the shard, of the dearest one, of all */
    char hash[17];                               /* of who has what */
    ob_text text;                                /* the positions, for the header */
} ob_shard_plan;

/* The dearest case goes to whoever has least, and so on. Costs up to OB_MOST_COST; as many as cases, which are OB_MOST_COSTED_CASES
 * at most. */
ob_status ob__shard_plan_make(const uint64_t *costs, size_t cases, const ob_shard *shard,
                              ob_shard_plan *out, ob_err *err);
/* Whether there can be so many parts. */
ob_status ob__shard_plan_check(const ob_shard *shard, ob_err *err);
void ob__shard_plan_fini(ob_shard_plan *plan);
/* Whether the shard has the position-th case; NULL = there is no plan, and it has. */
bool ob__shard_plan_has(const ob_shard_plan *plan, uint64_t position);

/* ---- positions as a text: "0+8*12,97" are 0, 8, ... 88, and 97 ---- */

/* The next range of a text, which is moved on; false: there is none, or it is none. */
bool ob__positions_next(const char **text, ob_case_range *out);
/* Adds an index behind others to ranges, of which the last grows if it can. False: memory is out. */
bool ob__positions_add(ob_case_range **ranges, size_t *count, size_t *capacity, uint64_t index);

#endif
