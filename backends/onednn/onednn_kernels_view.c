/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators that only look at memory in another way, the same as every backend's.
 */
#include "onednn_kernel.h"

#define OB_KIT_VIEW_ROW(op) {.name = (op), .kind = OB_KIT_VIEW},

const dnn_kernel dnn_kernels_view[] = {
#include "kit/views.def"
    {.name = NULL},
};
