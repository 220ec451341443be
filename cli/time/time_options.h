/* SPDX-License-Identifier: Apache-2.0
 *
 * The command line of `opbench time`.
 */
#ifndef OB_CLI_TIME_OPTIONS_H
#define OB_CLI_TIME_OPTIONS_H

#include "job_line.h"
#include "suite_line.h"
#include "thread_list.h"

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
typedef struct ob_time_plan {
    ob_run_options run; /* with the method; threads are set for each count */
    ob_thread_list threads;
} ob_time_plan;

/* OB_EXIT_OK, or what is wrong was said. */
int ob__time_line_check(ob_cli *cli, const ob_time_line *line, size_t word_count,
                        ob_time_plan *plan);

/* The config of one case: the operator and its arguments in short notation (opbench/builder.h), those of a
 * constructor before a word "/". */
ob_status ob__time_case_open(ob_context *context, const char *op, const char *device,
                             const char *const *words, size_t count, ob_config **out, ob_err *err);

/* The statement that the words are, measured with each number of threads. */
int ob__time_snippet(ob_cli *cli, const ob_time_line *line, const ob_time_plan *plan,
                     const char *const *words, size_t count);
/* All snippets of a suite, one after the other. */
int ob__time_suite(ob_cli *cli, const ob_time_line *line, const ob_time_plan *plan);
/* An ob_snippet_take by the options of the line; ctx is an ob_timer_options. */
ob_status ob__time_take_blocks(void *ctx, const ob_timer *timer, ob_measurements *to, ob_err *err);

#endif
