/* SPDX-License-Identifier: Apache-2.0
 *
 * The command line of `opbench time`.
 */
#ifndef OB_CLI_TIME_OPTIONS_H
#define OB_CLI_TIME_OPTIONS_H

#include "snippet_line.h"

#include "opbench/run.h"

enum { OB_MOST_THREAD_COUNTS = 64 };

typedef struct ob_time_line {
    ob_run_options run;
    const char *config, *op, *only_case, *output, *threads, *format;
    ob_snippet_line snippet;
    bool adaptive, no_isolate, quiet;
} ob_time_line;

extern const ob_option ob__time_rows[];

void ob__time_line_init(void *line);

/* What the line comes to. */
typedef struct ob_time_plan {
    ob_run_options run; /* with the method; threads are set for each count */
    int64_t threads[OB_MOST_THREAD_COUNTS];
    size_t thread_count;
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

#endif
