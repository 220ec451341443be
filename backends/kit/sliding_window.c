/* SPDX-License-Identifier: Apache-2.0
 *
 * See window.h.
 */
#include "kit/sliding_window.h"

void ob_kit_window_sizes(const ob_tensor *tensor, int dims, int64_t out[OB_KIT_SPATIAL])
{
    for (int d = 0; d < OB_KIT_SPATIAL; d++)
        out[d] = d < OB_KIT_SPATIAL - dims ? 1 : tensor->sizes[tensor->ndim - OB_KIT_SPATIAL + d];
}

bool ob_kit_window_list(const ob_kit_call *call, const char *name, int dims, int64_t missing,
                        int64_t out[OB_KIT_SPATIAL])
{
    int64_t list[OB_KIT_SPATIAL] = {0};
    const size_t given = ob_kit_arg_ints(call, name, list, OB_KIT_SPATIAL);
    for (int d = 0; d < OB_KIT_SPATIAL; d++) {
        const int at = d - (OB_KIT_SPATIAL - dims);
        out[d] = at < 0 || given == 0 ? missing : list[given == 1 ? 0 : at];
    }
    return given > 0;
}
