/* SPDX-License-Identifier: Apache-2.0
 *
 * What a broken backend does to one tensor of right results.
 */
#ifndef OB_TEST_CONFORM_BROKEN_H
#define OB_TEST_CONFORM_BROKEN_H

#include "conform.h"

typedef enum defect {
    DEFECT_ZEROS,
    DEFECT_ELEMENT, /* one is off by 1 %; an integer by 1 */
    DEFECT_FACTOR,  /* all are, by 0.1 %, or in half precision by 1 % */
    DEFECT_ROW,     /* the last of the first dimension was never written */
    DEFECT_COLUMN,  /* the last of the last dimension was not */
    DEFECT_TRANSPOSED,
    DEFECT_NAN,   /* in one place */
    DEFECT_OTHER, /* results of other inputs */
    DEFECT_OLD,   /* those of the call before, whose inputs were others, in the same memory */
    DEFECT_COUNT
} defect;

const char *defect_name(defect which);
/* Changes the tensor, whose memory is its own. older: results of other inputs, NULL = there are none. False: nothing
 * changed, as all of it was zero, say; then it is no defect. */
bool defect_apply(defect which, const ob_tensor *t, const ob_tensor *older, uint64_t seed);

enum { BROKEN_MOST_EXCEPTIONS = 512 };
typedef struct broken_exception {
    char *line, *op, *defects, *dtypes;
    bool used;
} broken_exception;
typedef struct broken_exceptions {
    broken_exception items[BROKEN_MOST_EXCEPTIONS];
    size_t count;
} broken_exceptions;

bool broken_exceptions_read(broken_exceptions *t, const char *path);
/* word: "" or " backward". */
bool broken_is_exception(broken_exceptions *t, const char *op, ob_dtype dtype, const char *word,
                         defect which);
/* Frees them; all_tried: prints those that nothing needed. */
void broken_exceptions_end(broken_exceptions *t, bool all_tried);

#endif
