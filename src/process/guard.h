/* SPDX-License-Identifier: Apache-2.0
 *
 * The process between this one and what it starts; see process.h.
 */
#ifndef OB_PROCESS_GUARD_H
#define OB_PROCESS_GUARD_H

#include "process/process.h"

/* What is ready before fork: behind it nothing may be allocated. */
typedef struct ob_guard_plan {
    const ob_process_params *params;
    char **environment;
    int control; /* the guard's end: bytes are signals for the child, its end the order to end all */
    int parents_control; /* the other end; whoever else has it keeps the guard from seeing its end */
    int null, output, socket; /* -1 = none */
    int parents_socket; /* the other end of the child's, which no copy of this process keeps; -1 = none */
} ob_guard_plan;

/* What the guard says, in this order: OB_GUARD_STARTED or OB_GUARD_FAILED, then OB_GUARD_ENDED. */
typedef enum ob_guard_word { OB_GUARD_STARTED, OB_GUARD_FAILED, OB_GUARD_ENDED } ob_guard_word;

typedef struct ob_guard_report {
    ob_guard_word what;
    int value; /* the child's number; errno; what waitpid gave */
} ob_guard_report;

/* In the new process, with all signals blocked. */
_Noreturn void ob__guard_run(const ob_guard_plan *plan);

#endif
