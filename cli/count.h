/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of opbench count: its options, and one function per thing it does.
 */
#ifndef OB_CLI_COUNT_H
#define OB_CLI_COUNT_H

#include "snippet_line.h"

#include "opbench/run.h"

typedef struct ob_count_options {
    bool json;
    /* one statement, or cases */
    ob_snippet_line snippet;
    const char *label;
    int64_t threads, repeats;
    int64_t number; /* 0 = not given */
    bool no_baseline;
    double timeout;
    /* cases */
    ob_run_options run; /* where, and which pass */
    const char *config, *op, *only_case;
    /* suites */
    const char *suite, *baseline, *ci;
    bool list, md5;
    int64_t jobs, retries;
    double max_regression;
    /* show and diff */
    bool inclusive, denoise, standardise, less_baseline, all_rows;
    const char *match; /* NULL = all rows */
    int64_t width, part;
} ob_count_options;

int ob__count_show(ob_cli *cli, const ob_count_options *options, const char *const *files,
                   size_t count);
int ob__count_diff(ob_cli *cli, const ob_count_options *options, const char *const *files,
                   size_t count);

/* The instructions of the statement that the words are. */
int ob__count_statement(ob_cli *cli, const ob_count_options *options, const char *const *words,
                        size_t count);
/* The instructions of cases: of a config, or of the operator whose arguments the words are. */
int ob__count_cases(ob_cli *cli, const ob_count_options *options, const char *const *words,
                    size_t count);
/* A count as the options want it: as text, or as a line of JSON. */
ob_status ob__count_print(ob_cli *cli, const ob_count_options *options, const ob_count_stats *stats,
                          ob_err *err);
/* Counts all snippets of a suite. */
int ob__count_suite(ob_cli *cli, const ob_count_options *options);
/* What a suite expands to; runs nothing. */
int ob__count_list(ob_cli *cli, const ob_count_options *options);

#endif
