/* SPDX-License-Identifier: Apache-2.0
 *
 * What differs on purpose between the processes that measure a case.
 */
#ifndef OB_RUN_PROCESS_PLAN_H
#define OB_RUN_PROCESS_PLAN_H

#include <stddef.h>
#include <stdint.h>

enum { OB_MOST_PAD = 4095 };

typedef struct ob_process_plan {
    unsigned first; /* the side that has the first turn */
    size_t pad;     /* letters more in the environment, the same for all sides: 0 to OB_MOST_PAD */
} ob_process_plan;

/* Each side is the first of a process equally often: once in every `sides` processes, in an order that the seed decides. */
ob_process_plan ob__process_plan(uint64_t seed, uint64_t index, uint64_t process, unsigned sides);

#endif
