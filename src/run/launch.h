/* SPDX-License-Identifier: Apache-2.0
 *
 * What a batch needs of the system: a segment of shared memory, and a child whose output is read.
 */
#ifndef OB_RUN_LAUNCH_H
#define OB_RUN_LAUNCH_H

#include "opbench/batch.h"

/* A POSIX segment under a name that no other process can guess or has, for this user alone. */
typedef struct ob_segment {
    char name[64]; /* without the slash; "" = none */
} ob_segment;

ob_status ob__segment_make(const void *data, size_t size, ob_segment *out, ob_err *err);
void ob__segment_remove(ob_segment *segment); /* zero is allowed; done twice is done once */
/* *text is replaced by what the segment holds. */
ob_status ob__segment_read(const char *name, ob_text *text, ob_err *err);

typedef struct ob_launch {
    char *const *words;   /* words[0] is the program's path */
    const char *variable; /* "NAME=VALUE", added to the environment or put in place of NAME */
    const ob_batch_params *params; /* for on_output and stop */
} ob_launch;

/* Runs it to its end. *wait_status is as waitpid gives it. OB_ERR_IO: it could not be started. OB_END:
 * it was ended on request. */
ob_status ob__launch(const ob_launch *launch, int *wait_status, ob_err *err);

#endif
