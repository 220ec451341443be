/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators that only look at memory in another way: nothing runs for them.
 */
#include "kernel.h"

#define VIEW(op)                                                                                   \
    {                                                                                              \
        .name = "aten::" op, .role = DNN_VIEW                                                      \
    }

const dnn_kernel dnn_kernels_view[] = {
    VIEW("view"),
    VIEW("_unsafe_view"),
    VIEW("_reshape_alias"),
    VIEW("transpose.int"),
    VIEW("t"),
    VIEW("permute"),
    VIEW("expand"),
    VIEW("squeeze"),
    VIEW("squeeze.dim"),
    VIEW("unsqueeze"),
    VIEW("select.int"),
    VIEW("slice.Tensor"),
    VIEW("as_strided"),
    VIEW("diagonal"),
    VIEW("alias"),
    VIEW("detach"),
    VIEW("split.Tensor"),
    VIEW("split_with_sizes"),
    VIEW("chunk"),
    VIEW("unbind.int"),
    {.name = NULL},
};
