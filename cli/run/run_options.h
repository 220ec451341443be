/* SPDX-License-Identifier: Apache-2.0
 *
 * The command line of `opbench run`: PARAM's options under their names, and ours.
 */
#ifndef OB_CLI_RUN_OPTIONS_H
#define OB_CLI_RUN_OPTIONS_H

#include "job_line.h"
#include "thread_list.h"

#include "opbench/batch.h"

typedef struct ob_run_line {
    ob_run_options run;
    ob_job_line job;
    ob_case_choice choice;
    const char *config, *log_level;
    const char *threads; /* "1,2,4"; NULL = as run says */
    bool version;
    ob_job_batches batches;
} ob_run_line;

extern const ob_option ob__run_rows[];

void ob__run_line_init(void *line);

/* What a line asks for. */
typedef struct ob_run_wishes {
    ob_log_level log_level;
    ob_thread_list threads;
} ob_run_wishes;

/* OB_EXIT_OK, or what is wrong was said. */
int ob__run_line_check(ob_cli *cli, const ob_run_line *line, ob_run_wishes *out);
/* "name=value" with commas of the value escaped, behind a comma if it is not the first; beside other backends with
 * "backend." in front. Returns the new end; nothing is appended when value is NULL. */
char *ob__append_backend_option(char *to, bool first, const char *backend, const char *name,
                                const char *value);
/* Measures and reports as `opbench run` does (cmd_run.c): the config in the file line->config, or in
 * text, which line->config is the name of then. Returns the exit code. */
int ob__run_measure(ob_cli *cli, const ob_run_line *line, const char *text, size_t length);
/* How many results its cases come to, for who has it run elsewhere. OB_EXIT_OK, or what is wrong with the line or its config was said. */
int ob__run_count_results(ob_cli *cli, const ob_run_line *line, uint64_t *out);

#endif
