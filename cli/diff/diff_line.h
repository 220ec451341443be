/* SPDX-License-Identifier: Apache-2.0
 *
 * The command line of `opbench diff`, and its form that measures.
 */
#ifndef OB_CLI_DIFF_LINE_H
#define OB_CLI_DIFF_LINE_H

#include "job_line.h"

#include "opbench/diff.h"

typedef struct ob_diff_line {
    const char *format, *fail_on, *allow, *output;
    double threshold, floor;
    bool strict, bisect, force;
    /* Measuring both sides now. */
    const char *config, *op, *only_case;
    const char *a, *b, *sides_file;
    ob_option_list sides;
    double budget_s; /* of measuring, per case */
    ob_run_options run;
    ob_job_line job; /* its output: --records */
} ob_diff_line;

/* Whether the sides are to be measured. */
bool ob__diff_measures(const ob_diff_line *line);
/* Measures the cases of the call on the sides; results go into the diff. OB_EXIT_OK, also when cases failed, or what is wrong was
 * said. */
int ob__diff_measure(ob_cli *cli, const ob_cli_call *call, ob_diff *diff);

#endif
