/* SPDX-License-Identifier: Apache-2.0
 *
 * Folders for files that must not outlive the work: removed when it ends, and by the next process if this one
 * was killed. A folder is locked while its process lives; that, and its process's number in the name, tells what
 * is left over.
 */
#ifndef OB_BASE_SCRATCH_H
#define OB_BASE_SCRATCH_H

#include "opbench/status.h"

typedef struct ob_scratch {
    char dir[1024]; /* absolute if the parent is; "" = none */
    int lock;       /* meaningless while there is no folder */
} ob_scratch;

/* Makes "<parent>/opbench-<kind>-<pid>-XXXXXX", which is the user's alone, after removing those that killed
 * processes left there. parent NULL = $TMPDIR, or /tmp. */
ob_status ob__scratch_open(ob_scratch *scratch, const char *parent, const char *kind, ob_err *err);
/* Removes it with all that is in it; zero is allowed. */
void ob__scratch_close(ob_scratch *scratch);

/* Removes what killed processes of this user left in the folder. */
void ob__scratch_sweep(const char *parent);

/* Removes a folder with all that is in it, which must not be very deep. Links are removed, not followed. parent is
 * a descriptor, or AT_FDCWD. */
void ob__remove_tree(int parent, const char *name);

#endif
