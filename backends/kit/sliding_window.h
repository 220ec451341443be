/* SPDX-License-Identifier: Apache-2.0
 *
 * Sizes of windows that slide over 1 to 3 spatial dimensions, for convolutions and pools: the last dimensions of
 * three, so that loops are written once.
 */
#ifndef OB_KIT_WINDOW_H
#define OB_KIT_WINDOW_H

#include "opbench/kit.h"

enum { OB_KIT_SPATIAL = 3 };

/* The last `dims` sizes of a tensor, ones in front of them. */
void ob_kit_window_sizes(const ob_tensor *tensor, int dims, int64_t out[OB_KIT_SPATIAL]);
/* An argument that is a list of `dims` numbers, or of one for all; `missing` in front, and everywhere when it is
 * absent or empty, which returns false. */
bool ob_kit_window_list(const ob_kit_call *call, const char *name, int dims, int64_t missing,
                        int64_t out[OB_KIT_SPATIAL]);

#endif
