/* SPDX-License-Identifier: Apache-2.0
 *
 * Views, the same for all: the plan gives them their memory, nothing is computed.
 */
#include "opbench/kit.h"

#define OB_KIT_VIEW_ROW(op) {.name = (op), .dtypes = OB_KIT_ALL, .kind = OB_KIT_VIEW},

const ob_kit_kernel ob_kit_kernels_view[] = {
#include "kit/views.def"
    {.name = NULL},
};
