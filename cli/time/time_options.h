/* SPDX-License-Identifier: Apache-2.0
 *
 * The command line of `opbench time`.
 */
#ifndef OB_CLI_TIME_OPTIONS_H
#define OB_CLI_TIME_OPTIONS_H

#include "case_job.h"
#include "snippet_job.h"

#include "opbench/run.h"

typedef struct ob_time_line {
    ob_run_options run;
    ob_job_line job;
    const char *config, *op, *only_case, *threads;
    ob_snippet_line snippet;
    ob_suite_line suite;
    bool adaptive;
} ob_time_line;

extern const ob_option ob__time_rows[];

void ob__time_line_init(void *line);

/* What the line comes to. */
typedef struct ob_time_settings {
    ob_run_options run; /* with the method; threads are set for each count */
    ob_thread_list threads;
} ob_time_settings;

/* OB_EXIT_OK, or what is wrong was said. */
int ob__time_line_check(ob_cli *cli, const ob_time_line *line, size_t word_count,
                        ob_time_settings *plan);

#endif
