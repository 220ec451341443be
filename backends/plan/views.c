/* SPDX-License-Identifier: Apache-2.0
 *
 * Views, the same for all: the plan gives them their memory, nothing is computed.
 */
#include "plan/plan.h"

#define VIEW(op)                                                                                   \
    {                                                                                              \
        .name = (op), .dtypes = PLAN_ALL, .kind = PLAN_VIEW                                        \
    }

const plan_kernel plan_kernels_view[] = {
    VIEW("aten::view"),
    VIEW("aten::_unsafe_view"),
    VIEW("aten::_reshape_alias"),
    VIEW("aten::transpose.int"),
    VIEW("aten::t"),
    VIEW("aten::permute"),
    VIEW("aten::expand"),
    VIEW("aten::squeeze"),
    VIEW("aten::squeeze.dim"),
    VIEW("aten::unsqueeze"),
    VIEW("aten::select.int"),
    VIEW("aten::slice.Tensor"),
    VIEW("aten::as_strided"),
    VIEW("aten::diagonal"),
    VIEW("aten::alias"),
    VIEW("aten::detach"),
    VIEW("aten::split.Tensor"),
    VIEW("aten::split_with_sizes"),
    VIEW("aten::chunk"),
    VIEW("aten::unbind.int"),
    {.name = NULL},
};
