/* SPDX-License-Identifier: Apache-2.0
 *
 * The command line of `opbench diff`, and its form that measures.
 */
#ifndef OB_CLI_DIFF_LINE_H
#define OB_CLI_DIFF_LINE_H

#include "job_line.h"
#include "side_keys.h"
#include "time/suite_line.h"

#include "opbench/diff.h"

typedef struct ob_diff_line {
    const char *format, *fail_on, *allow, *output;
    double threshold, floor;
    bool strict, bisect, force;
    /* Measuring both sides now. */
    const char *config, *op, *only_case;
    const char *a, *b, *sides_file;
    ob_option_list sides, axes;
    ob_snippet_line snippet;
    ob_suite_line suite;
    const char *b_stmt;
    double budget_s; /* of measuring, per case */
    ob_run_options run;
    ob_job_line job; /* its output: --records */
} ob_diff_line;

/* Whether the sides are to be measured; and whether code is, not operators. */
bool ob__diff_measures(const ob_diff_line *line);
bool ob__diff_takes_code(const ob_diff_line *line);
/* Measures the cases of the call on the sides; results go into the diff. OB_EXIT_OK, also when cases failed, or what is wrong was
 * said. */
int ob__diff_measure(ob_cli *cli, const ob_cli_call *call, ob_diff *diff);

/* The code of the sides. Zero is empty. */
typedef struct ob_diff_code {
    ob_code_case *cases;
    const ob_code_case **list; /* to them */
    size_t count;
    int64_t threads; /* the most of any case; 0 = as the command line says */
    /* What they point to: */
    ob_code_side *sides;
    const ob_code_side **side_list;
    ob_snippet_code code[OB_CLI_MOST_SIDES];
    ob_snippet_options options[OB_CLI_MOST_SIDES];
    bool removed[OB_CLI_MOST_SIDES]; /* the compiler left nothing of it */
    ob_suite_set set;
    char **names;
} ob_diff_code;

/* Reads and compiles it. OB_EXIT_OK, or what is wrong was said; fini also then. */
int ob__diff_code_open(ob_cli *cli, const ob_cli_call *call, const ob_cli_sides *sides,
                       ob_diff_code *out);
void ob__diff_code_fini(ob_diff_code *code);

/* What was asked for, else the usual, or what the machine's self-test found if that is more. */
double ob__diff_floor(const ob_diff_line *line);

#endif
