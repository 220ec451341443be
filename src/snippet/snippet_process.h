/* SPDX-License-Identifier: Apache-2.0
 *
 * The process of a snippet, seen from outside: what is started, and requests to it.
 */
#ifndef OB_SNIPPET_SNIPPET_PROCESS_H
#define OB_SNIPPET_SNIPPET_PROCESS_H

#include "process/process.h"
#include "process/wire.h"
#include "snippet/snippet_build.h"

struct ob_snippet_process {
    ob_arena arena;
    ob_process child;
    ob_wire_inbox inbox;
    double timeout_s; /* of the whole life of the process; 0 = none */
    double end_s;     /* when it is over, on the monotonic clock */
};

/* What is put before the command line, such as valgrind and its arguments; NULL = nothing. */
typedef struct ob_snippet_wrap {
    const char *const *words;     /* ended by NULL */
    const char *const *variables; /* "NAME=VALUE", ended by NULL */
    bool counts;                  /* callgrind will be switched */
} ob_snippet_wrap;

ob_status ob__snippet_start(const ob_timer_args *args, const ob_snippet_options *options,
                            const ob_snippet_wrap *wrap, ob_snippet_process **out, ob_err *err);
/* Sends a request, waits for the answer. */
ob_status ob__snippet_ask(ob_snippet_process *process, const char *request, double *answer,
                          ob_err *err);

/* One block of runs, as the process itself saw it. */
typedef struct ob_snippet_block {
    double seconds;
    uint64_t voluntary, involuntary; /* switches off the CPU meanwhile */
    uint64_t faults;
    uint64_t peak_kib; /* of its memory so far */
} ob_snippet_block;

/* Runs the setup once; from then on the process takes blocks alone. */
ob_status ob__snippet_begin_blocks(ob_snippet_process *process, ob_err *err);
ob_status ob__snippet_run_block(ob_snippet_process *process, uint64_t n, ob_snippet_block *out,
                                ob_err *err);

/* How a message begins that says that the process is gone. */
#define OB_SNIPPET_DIED "the snippet's process ended"

/* runners/python/snippet.py */
extern const char ob__python_runner[];

#endif
