/* SPDX-License-Identifier: Apache-2.0
 *
 * Which cases of configs a job has: all that its parts select, or what its shard has of them.
 */
#ifndef OB_JOB_SHARD_CASES_H
#define OB_JOB_SHARD_CASES_H

#include "job/shard_costs.h"

/* What a part selects; all has room for a range of all. */
const ob_case_range *ob__part_selected(const ob_job_part *part, ob_case_range *all, size_t *count);

/* The parts of configs, as they were taken, and their shard; NULL = all cases. */
typedef struct ob_divided_parts {
    const ob_context *context;
    const ob_job_configs *configs;
    const ob_job_part *parts;
    const ob_shard *shard;
} ob_divided_parts;

/* Fills out, which is zero, one for each part: ranges are malloc'ed, also after a failure. plan and division are those of a shard by
 * cost; the division's hash is NULL without one. */
ob_status ob__list_cases(const ob_divided_parts *of, ob_part_cases *out, ob_shard_plan *plan,
                         ob_shard_division *division, ob_err *err);

#endif
