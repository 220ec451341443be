/* SPDX-License-Identifier: Apache-2.0
 *
 * The line of a terminal that says how far something is. It is drawn over itself, and is gone when something else is said.
 */
#ifndef OB_CLI_PROGRESS_LINE_H
#define OB_CLI_PROGRESS_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ob_progress {
    uint64_t done, total; /* total 0 = they are not counted */
    double share;         /* 0 to 1 */
    double seconds_left;  /* NaN = not known */
    const char *what;     /* is under way; NULL = nothing to name */
} ob_progress;

/* Whether standard error is a terminal, which has such a line. */
bool ob__progress_has_line(void);
/* "3 of 12, 25 %, 1 min 20 s left: softmax(f32[8,50257], -1)", cut to the terminal's width. */
void ob__progress_draw(const ob_progress *progress);
/* "1 h 5 min", "1 min 20 s", "12 s"; returns out. */
char *ob__progress_time(double seconds, char *out, size_t size);

#endif
