/* SPDX-License-Identifier: Apache-2.0
 *
 * Statements and suites as `time` and `count` take them.
 */
#ifndef OB_CLI_SNIPPET_JOB_H
#define OB_CLI_SNIPPET_JOB_H

#include "job_screen.h"
#include "suite_line.h"
#include "thread_list.h"

typedef struct ob_snippet_request {
    const ob_snippet_line *snippet;
    const ob_suite_line *suite; /* without a file: the statement that the words are */
    const char *const *words;
    size_t word_count;
    const ob_thread_list *threads; /* of a statement */
    double timeout_s;
    ob_job_snippets what;    /* how it is measured, and what a statement is called */
    const char *const *told; /* options that repro lines have where they are given; ended by NULL */
    const void *given;       /* the options of the command as they were given */
    const void *values;      /* for the header: with what they come to */
    /* Before anything runs: the suite. NULL = nothing is to be done. */
    ob_status (*prepare)(void *ctx, const ob_snippets *suite, ob_err *err);
    /* After a job that came to its end, or was interrupted: makes another exit code of its own. NULL = that stays. */
    int (*finish)(void *ctx, const ob_snippets *suite, int code);
    void *ctx;
} ob_snippet_request;

/* Opens code and job, runs it and closes all; the exit code. */
int ob__snippets_measure(ob_job_screen *screen, ob_snippet_request *request);

#endif
