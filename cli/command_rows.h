/* SPDX-License-Identifier: Apache-2.0
 *
 * Option rows that several commands have; each takes those it wants by OB_OPTION_ROWS_OF.
 */
#ifndef OB_CLI_COMMAND_ROWS_H
#define OB_CLI_COMMAND_ROWS_H

#include "opbench/option.h"

/* What --quiet means, in every command that has it. */
#define OB_QUIET_HELP                                                                              \
    "Print only errors, and results that are not written to a file: no progress, notes or "        \
    "warnings."

/* Each of one field, which is what is filled: a const char *, for "config", "op", "case" and "log-level". */
const ob_option *ob__text_rows(void);
const ob_option *ob__job_rows(void);    /* of an ob_job_line */
const ob_option *ob__choice_rows(void); /* of an ob_case_choice */
const ob_option *ob__trace_rows(void);  /* of an ob_trace_selection */

#endif
