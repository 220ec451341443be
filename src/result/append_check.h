/* SPDX-License-Identifier: Apache-2.0
 *
 * Where records can be added to a file that is there already.
 */
#ifndef OB_RESULT_APPEND_CHECK_H
#define OB_RESULT_APPEND_CHECK_H

#include "opbench/record.h"

typedef struct ob_append_point {
    uint64_t cut_at;    /* the file's size, or where its torn last line begins */
    bool needs_newline; /* the last line is whole but for that */
} ob_append_point;

/* OB_ERR_INVALID: the file begins with something that is no record (with any_lines: no line of JSON), so it is
 * somebody else's. A file that may only be written is taken as it is. */
ob_status ob__append_check_find(int descriptor, const char *path, uint64_t size, bool any_lines,
                                ob_append_point *out, ob_err *err);
/* The same for a file that a run goes on from: its first line may also be a header that was never written to the end. */
ob_status ob__append_check_check_resumed(int descriptor, const char *path, uint64_t size,
                                         ob_err *err);

#endif
