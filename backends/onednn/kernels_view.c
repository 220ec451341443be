/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators that only look at memory in another way, the same as every backend's.
 */
#include "kernel.h"

#define PLAN_VIEW_ROW(op) {.name = (op), .kind = PLAN_VIEW},

const dnn_kernel dnn_kernels_view[] = {
#include "plan/views.def"
    {.name = NULL},
};
