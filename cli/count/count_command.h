/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of opbench count: its options, and one function per thing it does.
 */
#ifndef OB_CLI_COUNT_COMMAND_H
#define OB_CLI_COUNT_COMMAND_H

#include "time/case_job.h"
#include "time/snippet_job.h"

#include <time.h>

typedef struct ob_count_options {
    bool json;
    ob_job_line job;
    /* one statement, or cases */
    ob_snippet_line snippet;
    const char *label, *threads;
    int64_t number, repeats; /* 0 = not given */
    bool no_baseline;
    double case_timeout_s;
    /* cases */
    ob_run_options run; /* where, and which pass */
    const char *config, *op, *only_case;
    /* suites */
    ob_suite_line suite;
    const char *baseline, *ci;
    bool list, md5, no_times;
    int64_t jobs;
    int64_t rounds;        /* 0 = not given */
    double max_regression; /* percent; below 0 = not given */
    double min_run_time_s;
    /* show and diff */
    bool inclusive, denoise, standardise, less_baseline, all_rows;
    const char *match; /* NULL = all rows */
    int64_t width, part;
} ob_count_options;

/* What one command line does. */
typedef enum ob_count_use {
    OB_COUNT_SUITE = 1,
    OB_COUNT_STATEMENT = 2,
    OB_COUNT_CASES = 4,
    OB_COUNT_FILES = 8, /* show, diff */
} ob_count_use;

/* Refuses options that mean nothing there. */
int ob__count_check(ob_cli *cli, const ob_count_options *options, ob_count_use use);

int ob__count_show(ob_cli *cli, const ob_count_options *options, const char *const *files,
                   size_t count);
int ob__count_diff(ob_cli *cli, const ob_count_options *options, const char *const *files,
                   size_t count);

/* The instructions of the statement that the words are, or of all snippets of a suite. */
int ob__count_snippets(ob_cli *cli, const ob_count_options *options, const char *const *words,
                       size_t count);
/* The instructions of cases: of a config, or of the operator whose arguments the words are. */
int ob__count_cases(ob_cli *cli, const ob_count_options *options, const char *const *words,
                    size_t count);
/* What a suite expands to; runs nothing. */
int ob__count_list(ob_cli *cli, const ob_count_options *options);

/* ---- an earlier run ---- */

typedef struct ob_count_comparison {
    ob_cli *cli;
    ob_count_file *baseline;
    double max_regression;           /* percent */
    size_t compared, grown, unknown; /* unknown: the baseline does not have them */
    bool of_cases;                   /* not of the snippets of a suite */
} ob_count_comparison;

/* Reads the earlier run. `number`: the runs that a count of this one is of. One that has other numbers is refused
 * before hours of counting, and so is one that has none of the snippets; NULL = cases are counted, which are known when their
 * counts come. */
ob_status ob__count_compare_open(ob_count_comparison *comparison, const char *path,
                                 const ob_snippets *snippets, int64_t number, ob_err *err);
/* What changed, function by function, on standard error; counts it as grown if that is too much. */
ob_status ob__count_compare(ob_count_comparison *comparison, const ob_record_result *result,
                            ob_err *err);
/* How it went in all, on standard error; the exit code for it. */
int ob__count_compare_end(const ob_count_comparison *comparison);

/* ---- the file of the original ---- */

typedef struct ob_count_numbers {
    double *items;
    size_t count, capacity;
} ob_count_numbers;

/* Everything that was measured of a snippet, over all rounds. Zero is nothing. */
typedef struct ob_count_values {
    ob_count_numbers counts, times; /* times: seconds per run */
    bool failed;
} ob_count_values;

ob_status ob__count_values_add(ob_count_values *values, const ob_record_result *result,
                               ob_err *err);
void ob__count_values_fini(ob_count_values *values);
/* Hours of counting are not to end with a path that was wrong from the beginning. */
ob_status ob__count_check_ci(const char *path, bool force, ob_err *err);
/* values: by snippet. Those that failed are left out. Says what went wrong; the exit code. */
int ob__count_write_ci(ob_cli *cli, const char *path, const ob_snippets *snippets,
                       const ob_count_values *values, time_t start);

#endif
