/* SPDX-License-Identifier: Apache-2.0
 *
 * The process of a snippet, seen from outside: what is started, and requests to it.
 */
#ifndef OB_SNIPPET_PROCESS_H
#define OB_SNIPPET_PROCESS_H

#include "snippet/build.h"
#include "snippet/child.h"

struct ob_snippet_process {
    ob_arena arena;
    ob_child child;
    double timeout_s;
};

/* What is put before the command line, such as valgrind and its arguments; NULL = nothing. */
typedef struct ob_snippet_wrap {
    const char *const *words;     /* ended by NULL */
    const char *const *variables; /* "NAME=VALUE", ended by NULL */
    bool counts;                  /* callgrind will be switched */
} ob_snippet_wrap;

ob_status ob__snippet_start(const ob_timer_args *args, const ob_snippet_options *options,
                            const ob_snippet_wrap *wrap, ob_snippet_process **out, ob_err *err);
/* Sends a line, waits for the answer. */
ob_status ob__snippet_ask(ob_snippet_process *process, const char *request, double *answer,
                          ob_err *err);

/* runners/python/snippet.py */
extern const char ob__python_runner[];

#endif
