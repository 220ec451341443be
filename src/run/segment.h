/* SPDX-License-Identifier: Apache-2.0
 *
 * A segment of shared memory that hands a batch to its worker.
 */
#ifndef OB_RUN_SEGMENT_H
#define OB_RUN_SEGMENT_H

#include "opbench/status.h"
#include "opbench/text.h"

#include <stddef.h>

/* A POSIX segment under a name that no other process can guess or has, for this user alone. */
typedef struct ob_segment {
    char name[64]; /* without the slash; "" = none */
} ob_segment;

ob_status ob__segment_make(const void *data, size_t size, ob_segment *out, ob_err *err);
void ob__segment_remove(ob_segment *segment); /* zero is allowed; done twice is done once */
/* *text is replaced by what the segment holds. */
ob_status ob__segment_read(const char *name, ob_text *text, ob_err *err);

#endif
