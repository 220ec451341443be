/* SPDX-License-Identifier: Apache-2.0
 *
 * See window.h.
 */
#include "plan/window.h"

void plan_window_sizes(const ob_tensor *tensor, int dims, int64_t out[PLAN_SPATIAL])
{
    for (int d = 0; d < PLAN_SPATIAL; d++)
        out[d] = d < PLAN_SPATIAL - dims ? 1 : tensor->sizes[tensor->ndim - PLAN_SPATIAL + d];
}

bool plan_window_list(const plan_call *call, const char *name, int dims, int64_t missing,
                      int64_t out[PLAN_SPATIAL])
{
    int64_t list[PLAN_SPATIAL] = {0};
    const size_t given = plan_arg_ints(call, name, list, PLAN_SPATIAL);
    for (int d = 0; d < PLAN_SPATIAL; d++) {
        const int at = d - (PLAN_SPATIAL - dims);
        out[d] = at < 0 || given == 0 ? missing : list[given == 1 ? 0 : at];
    }
    return given > 0;
}
