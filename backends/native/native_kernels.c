/* SPDX-License-Identifier: Apache-2.0
 *
 * All kernel tables.
 */
#include "native.h"

const ob_kit_kernel *const native_kernel_tables[] = {
#define NATIVE_GROUP(group) native_kernels_##group,
#include "native_kernel_groups.def"
#undef NATIVE_GROUP
    ob_kit_kernels_view,
    NULL,
};
