/* SPDX-License-Identifier: Apache-2.0
 *
 * Which of several sides is the fastest, where that is sure.
 */
#ifndef OB_RUN_BEST_SIDE_H
#define OB_RUN_BEST_SIDE_H

#include "opbench/record.h"

/* passes: of each side, NULL = it has no times; their ratios are to the first one. Returns the side whose interval of the
 * ratio lies below those of all others; count = there is none. */
size_t ob__best_side(const ob_record_pass *const *passes, size_t count);

#endif
