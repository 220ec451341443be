/* SPDX-License-Identifier: Apache-2.0
 *
 * The file that a run writes to, and what a resumed run takes from it.
 */
#ifndef OB_CLI_RUN_OUTPUT_H
#define OB_CLI_RUN_OUTPUT_H

#include "run_options.h"

typedef struct ob_run_output_params {
    ob_cli *cli;
    const ob_run_line *line;
    const char *config_name, *config_hash;
    const char
        *chosen_by; /* options that change which cases there are, for a message; may be NULL */
    /* With --resume: each result that stays. */
    ob_status (*on_old)(void *ctx, const ob_record *record, ob_err *err);
    void *ctx;
} ob_run_output_params;

/* *done is NULL unless the run is resumed. Both are the caller's, also after a failure. */
ob_status ob__run_output_open(const ob_run_output_params *params, ob_result_file **file,
                              ob_done **done, ob_err *err);

#endif
