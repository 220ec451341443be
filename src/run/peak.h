/* SPDX-License-Identifier: Apache-2.0
 *
 * The high-water mark of this process's resident memory since a case began.
 */
#ifndef OB_RUN_PEAK_H
#define OB_RUN_PEAK_H

#include <stdint.h>

typedef struct ob_peak {
    int reset, status; /* files of the kernel's; -1 = not there */
    uint64_t floor_bytes;
} ob_peak;

void ob__peak_open(ob_peak *peak);
void ob__peak_close(ob_peak *peak);
/* From here on. Where the kernel refuses, the mark is that of the whole process. */
void ob__peak_reset(const ob_peak *peak);
uint64_t ob__peak_bytes(const ob_peak *peak); /* 0 = not known */

#endif
