/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a case is: setup and executor say when a stretch begins and ends, whoever wants to know (the phases
 * of --profile, ranges for profilers) listens. Nothing is said inside a timed interval. A failure may
 * leave stretches open; the listener closes them when the case is over.
 */
#ifndef OB_RUN_MARKS_H
#define OB_RUN_MARKS_H

#include "opbench/record.h"

/* The phases of a record, then single timed intervals. */
typedef enum ob_mark {
    OB_MARK_FORWARD = OB_CASE_PHASE_COUNT,
    OB_MARK_BACKWARD,
} ob_mark;

typedef struct ob_marks {
    void (*begin)(void *ctx, int mark); /* an ob_case_phase or ob_mark */
    void (*end)(void *ctx, int mark);
    void *ctx;
} ob_marks;

/* marks NULL = nobody listens. */
static inline void ob__mark_begin(const ob_marks *marks, int mark)
{
    if (marks != NULL)
        marks->begin(marks->ctx, mark);
}

static inline void ob__mark_end(const ob_marks *marks, int mark)
{
    if (marks != NULL)
        marks->end(marks->ctx, mark);
}

#endif
