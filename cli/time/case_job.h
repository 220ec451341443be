/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases of operators as `time` and `count` take them: of a config, or one that is written on the command line, with each
 * number of threads.
 */
#ifndef OB_CLI_CASE_JOB_H
#define OB_CLI_CASE_JOB_H

#include "job_screen.h"
#include "thread_list.h"

#include "opbench/snippet_run.h"
#include "opbench/verdict.h"

typedef struct ob_case_request {
    const char *config, *op, *only_case; /* without a config: op and the words */
    const char *const *words;
    size_t word_count;
    const ob_code_case *const *code; /* instead: these; NULL = none */
    size_t code_count;
    ob_run_options run; /* threads are set for each number */
    const ob_thread_list *threads;
    const void *values;          /* of the command's options, for the header */
    const ob_side *const *sides; /* see ob_run_params; NULL = none */
    size_t side_count;
    ob_verdict_looks *looks; /* how sides are looked at; its cases are counted here. NULL = not */
} ob_case_request;

/* Opens context, config and job, runs it and closes all; the exit code. */
int ob__cases_measure(ob_job_screen *screen, ob_case_request *request);

#endif
