/* SPDX-License-Identifier: Apache-2.0
 *
 * How much work a case is, before anything is made for it: by the rows of its operators, from shapes alone.
 */
#ifndef OB_RUN_KNOWN_COST_H
#define OB_RUN_KNOWN_COST_H

#include "opbench/config.h"

/* In integers of few digits, so that every processor and compiler comes to the same. */
typedef struct ob_known_cost {
    bool is_known; /* else the operator has no row, or its values are not made by the core */
    uint64_t flops, bytes; /* of one call; of what is not known 0 */
    uint64_t inputs;       /* bytes that are made for it */
} ob_known_cost;

/* What cannot be found out is not known: the run itself will say what is wrong with a case. */
ob_known_cost ob__known_cost(const ob_context *context, const ob_case *c);

#endif
