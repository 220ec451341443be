/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of opbench count: its options, and one function per thing it does.
 */
#ifndef OB_CLI_COUNT_H
#define OB_CLI_COUNT_H

#include "snippet_line.h"

typedef struct ob_count_options {
    bool json;
    /* one statement */
    ob_snippet_line snippet;
    const char *label;
    int64_t threads, number, repeats;
    bool no_baseline;
    double timeout;
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
/* Counts all snippets of a suite. */
int ob__count_suite(ob_cli *cli, const ob_count_options *options);
/* What a suite expands to; runs nothing. */
int ob__count_list(ob_cli *cli, const ob_count_options *options);

#endif
