/* SPDX-License-Identifier: Apache-2.0
 *
 * The command line of `opbench sweep`.
 */
#ifndef OB_CLI_SWEEP_OPTIONS_H
#define OB_CLI_SWEEP_OPTIONS_H

#include "run/run_options.h"

#include "opbench/sweep.h"

typedef struct ob_sweep_line {
    ob_run_options run;
    ob_job_line job; /* its output is the file of records */
    const char *config, *only_case, *output, *json;
    int64_t sample, every;
    ob_option_list axes;
    bool print_config;
} ob_sweep_line;

extern const ob_option ob__sweep_rows[];

void ob__sweep_line_init(void *line);
/* OB_EXIT_OK, or what is wrong was said. */
int ob__sweep_line_check(ob_cli *cli, const ob_sweep_line *line);

#endif
