/* SPDX-License-Identifier: Apache-2.0
 *
 * Views, the same for all: the plan gives them their memory, nothing is computed.
 */
#include "plan/plan.h"

#define PLAN_VIEW_ROW(op) {.name = (op), .dtypes = PLAN_ALL, .kind = PLAN_VIEW},

const plan_kernel plan_kernels_view[] = {
#include "plan/views.def"
    {.name = NULL},
};
