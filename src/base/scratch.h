/* SPDX-License-Identifier: Apache-2.0
 *
 * Folders for files that must not outlive the work: removed when it ends, and by the next process if this one
 * was killed. A folder is marked as ours, and locked while its process lives: what has no mark is never removed,
 * whatever its name.
 */
#ifndef OB_BASE_SCRATCH_H
#define OB_BASE_SCRATCH_H

#include "opbench/status.h"

#include <dirent.h>
#include <stdbool.h>

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

/* A folder to read, not through a link; NULL = it cannot be. parent is a descriptor, or AT_FDCWD. */
DIR *ob__open_folder(int parent, const char *name);

/* A mark is a file that holds a text of ours, at most 256 bytes, and nothing else. */
bool ob__mark_write(int file, const char *text);
/* Whether an open file is such a mark, and this user's. */
bool ob__mark_is(int file, const char *text);

#endif
