/* SPDX-License-Identifier: Apache-2.0
 *
 * A step that is replayed.
 */
#ifndef OB_TRACE_REPLAY_INT_H
#define OB_TRACE_REPLAY_INT_H

#include "trace/replay_call.h"

/* What a case's input says. */
typedef struct ob_replay_settings {
    ob_replay_options options; /* its selection is this one: */
    ob_trace_selection selection;
    const char *path; /* of the trace */
    const char **names, **reasons;
} ob_replay_settings;

/* What came of checking a call, before and after it was measured. */
typedef struct ob_replay_check {
    const char *verdict; /* NULL = it was not made */
    double worst;
    uint64_t checked, elements;
    const char *reason;
} ob_replay_check;

struct ob_made_case {
    ob_session *session;
    ob_arena arena; /* of settings, and of texts that outlive a schedule */
    ob_replay_settings settings;
    ob_trace *trace;
    ob_replay_schedule plan;
    ob_replay_values values;
    ob_replay_caller caller;
    int64_t *lost_nodes;            /* that took a process down */
    const char **reasons;           /* per call; NULL = none but its kind */
    const char **replaced;          /* per node: why its inner calls stand in its place, or NULL */
    double *call_ns;                /* per call, of the pass under way or the last one */
    struct ob_replay_check *checks; /* per call; NULL = nothing was checked */
    uint64_t seed;                  /* of the values */
    bool is_planned;
    bool bfloat16_for_half, can_narrow;
    bool replaces;   /* the pass found calls to replace */
    bool lacks_half; /* it found that the backend has no half */
    int plans;       /* so many were made since the beginning, or since half became bfloat16 */
    uint64_t passes, timed_passes;
    double clock_ns; /* stands still while nothing is timed */
    uint64_t peak_bytes;
    uint64_t started_ns; /* the last pass */
    /* Times of operators, two columns each (as recorded, in float32), of the last whole pass and of all that were
     * measured. */
    double *row_ns, *rows_ns;
    size_t row_count, row_capacity;
    bool has_row, is_measuring, is_stopped;
    size_t stopped_at; /* calls of the pass that were made */
    /* What the record points to. */
    char reason[256];
    ob_json_doc *kernels;
};

/* replay_plan.c: makes the list of calls, again if there is one. */
ob_status ob__replay_plan(ob_made_case *m, ob_err *err);
void ob__replay_plan_fini(ob_made_case *m);
/* One pass over the calls in which none fails that had not failed before; sets row_ns. OB_END: it was stopped. */
ob_status ob__replay_pass(ob_made_case *m, ob_err *err);
/* replay_check.c, replay_record.c: for ob_case_maker. */
ob_status ob__replay_check(ob_made_case *m, const ob_reference_desc *reference, bool again,
                           ob_check_result *out, ob_err *err);
/* Takes what came of the call that was just made. */
void ob__replay_note_check(ob_made_case *m, size_t at);
ob_status ob__replay_report(ob_made_case *m, ob_record *record, ob_text *parts, ob_err *err);

#endif
