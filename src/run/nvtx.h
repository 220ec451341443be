/* SPDX-License-Identifier: Apache-2.0
 *
 * Ranges that NVIDIA's profilers see: one around each phase (OB_NVTX_MEASURE is what the filter of ncu
 * names) and one around each timed interval, "[param|OPERATOR|ID|measure|forward]".
 */
#ifndef OB_RUN_NVTX_H
#define OB_RUN_NVTX_H

#include "run/marks.h"

/* Without the brackets of the other labels: ncu's filter takes brackets as signs of its own. */
#define OB_NVTX_WARMUP "param|warmup"
#define OB_NVTX_MEASURE "param|measure"

typedef struct ob_nvtx ob_nvtx;

/* Looks for NVTX's library; without it the ranges go nowhere, which is no error. */
ob_status ob__nvtx_open(ob_nvtx **out, ob_err *err);
void ob__nvtx_close(ob_nvtx *nvtx); /* NULL is allowed */

/* The case that the next marks are about; closes what the one before left open. */
ob_status ob__nvtx_begin_case(ob_nvtx *nvtx, const char *op_name, const char *id, ob_err *err);
void ob__nvtx_end_case(ob_nvtx *nvtx);
/* For a session. Lives as long as nvtx. */
const ob_marks *ob__nvtx_marks(const ob_nvtx *nvtx);

#endif
