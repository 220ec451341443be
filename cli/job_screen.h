/* SPDX-License-Identifier: Apache-2.0
 *
 * What people see of a job whose results are texts, each printed as it comes, or a table at the end: of `time` and
 * `count`. What failed is told on standard error, with the command that runs it alone where there are many.
 */
#ifndef OB_CLI_JOB_SCREEN_H
#define OB_CLI_JOB_SCREEN_H

#include "command_rows.h"
#include "job_line.h"

#include "opbench/report.h"

/* what: a literal, what the results are. */
#define OB_JOB_TEXT_ROWS(base, what)                                                               \
    OB_OPTION_ROWS_OF(ob__job_rows, "format", base, .choices = "text|table|markdown|csv|json",     \
                      .initial = "text",                                                           \
                      .help =                                                                      \
                          "What to print: " what " as torch.utils.benchmark prints them (for "     \
                          "a suite, its table); a table with a row per result; or the records."),  \
        OB_OPTION_ROWS_OF(ob__job_rows, "sort|top", base, .rare = true),                           \
        OB_OPTION_ROWS_OF(ob__job_rows, "quiet", base)

typedef struct ob_job_screen {
    ob_cli_job job; /* with cli and line */
    ob_view view;   /* MEASUREMENTS, INSTRUCTIONS or SUITE */
    bool
        is_single; /* one statement: its message is enough, and what cannot be measured is a usage error */
    bool is_muted; /* nothing is printed here: the command prints something else */
    /* What the command does with a result besides; NULL = nothing. */
    ob_status (*also)(void *ctx, const ob_job_event *event, ob_err *err);
    void *also_ctx;
    /* Its own. */
    bool at_end;
    ob_table_format format;
    ob_report *report;
    ob_text text;
    bool unfit;            /* a single statement cannot be measured */
    bool has_run;          /* to its end, or until an interrupt */
    double foreign, steal; /* of the CPUs' time, once it has: see ob_job_get_load */
} ob_job_screen;

/* values: of the command's options, for the header. Fini also after a failure. */
ob_status ob__job_screen_init(ob_job_screen *screen, const void *values, ob_err *err);
/* Runs the job that the command opened with screen->job.params; the exit code. */
int ob__job_screen_run(ob_job_screen *screen);
/* Closes the job; `code` becomes another one if that fails. */
int ob__job_screen_fini(ob_job_screen *screen, int code);

#endif
