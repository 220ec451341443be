/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases that are no operators: lists of calls, such as a step of a trace, and statements. A layer above makes them; what it
 * makes is run, timed, recorded and survived as any other case. A list of calls has parts: while one is under way its number stands
 * in memory that the supervisor sees, one that takes the worker down is left out when the case begins again, and each
 * kind of them has a record of its own before that of the case.
 */
#ifndef OB_RUN_CASE_MAKER_H
#define OB_RUN_CASE_MAKER_H

#include "measure/disturbance.h"
#include "opbench/run.h"
#include "run/counting.h"
#include "run/executor.h"
#include "run/result_check.h"
#include "run/worker_state.h"

typedef struct ob_made_case ob_made_case; /* the maker's */

typedef struct ob_case_maker {
    const char *op_name; /* the cases that it makes */
    /* All that is not timed. */
    ob_status (*make)(ob_session *session, const ob_case *c, ob_made_case **out, ob_err *err);
    void (*release)(ob_made_case *made);
    ob_exec_target (*target)(ob_made_case *made);
    /* A phase or a timed interval begins or ends: see run/marks.h. */
    void (*mark)(ob_made_case *made, int mark, bool begins);
    /* Makes all of it once for its results; again: with other inputs, behind the measurement. Fails when the backend
     * does, OB_END: it was stopped. */
    ob_status (*check)(ob_made_case *made, const ob_reference_desc *reference, bool again,
                       ob_check_result *out, ob_err *err);
    /* After the samples, whatever came of them: what the record says besides, and the lines of its parts. The record
     * points into the made case. */
    ob_status (*report)(ob_made_case *made, ob_record *record, ob_text *parts, ob_err *err);
    /* Appends the command that runs the case alone. */
    bool (*print_repro)(const ob_run_options *options, const ob_case *c, ob_text *out);
    /* What is known of the record before anything is made: names and code. It points into the case. NULL = what is said of an
     * operator. */
    void (*identify)(const ob_run_options *options, const ob_case *c, ob_record_result *r);
    /* Its samples are not of this process: `usage` tells how the kernel disturbed them. NULL = they are. */
    ob_disturbance_calls (*calls)(ob_made_case *made);
    /* Counts the instructions of the case on a side, in a process that it starts itself; what cannot be counted has a status and a
     * reason. NULL = a worker under valgrind counts. */
    ob_status (*count)(const ob_run_options *options, const ob_side *side, const ob_case *c,
                       ob_case_count *out, ob_err *err);
} ob_case_maker;

/* The maker of the case; NULL = it is an operator's. */
const ob_case_maker *ob__maker_of(const ob_run_options *options, const ob_case *c);

#endif
