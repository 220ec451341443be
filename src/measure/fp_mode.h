/* SPDX-License-Identifier: Apache-2.0
 *
 * The floating-point mode of the calling thread. A library that was linked with -ffast-math changes it when it is
 * loaded, and with it results and times.
 */
#ifndef OB_MEASURE_FP_MODE_H
#define OB_MEASURE_FP_MODE_H

#include <stddef.h>
#include <stdint.h>

/* The control bits (MXCSR or FPCR) without the status flags; 0 on machines whose mode is not known. */
uint32_t ob__fp_mode_get(void);
void ob__fp_mode_set(uint32_t mode);
/* "flush-to-zero on, denormals-are-zero on": what `now` has that `before` had not, and the other way
 * round. "" when equal. Cut to size; returns out. */
char *ob__fp_mode_difference(uint32_t before, uint32_t now, char *out, size_t size);

#endif
