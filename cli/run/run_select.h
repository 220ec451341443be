/* SPDX-License-Identifier: Apache-2.0
 *
 * Which cases of a config `opbench run` measures: --op, --case, --resume-id, --stop_id.
 */
#ifndef OB_CLI_RUN_SELECT_H
#define OB_CLI_RUN_SELECT_H

#include "run_options.h"

/* Cases [first, first + count) of the config. */
typedef struct ob_run_range {
    uint64_t first, count;
} ob_run_range;

typedef struct ob_run_selection {
    ob_run_range *ranges; /* in order, none empty */
    size_t count;
    uint64_t cases; /* in all of them */
} ob_run_selection;

ob_status ob__run_select(const ob_cli *cli, const ob_config *config, const ob_run_line *line,
                         ob_run_selection *out, ob_err *err);
void ob__run_selection_fini(ob_run_selection *selection);

/* False: a warning of the config (its path begins with an operator) is of no case that the line selects.
 * For ob_cli.wants_warning; ctx is an ob_run_selector. */
typedef struct ob_run_selector {
    const ob_cli *cli;
    const ob_run_line *line;
} ob_run_selector;
bool ob__run_wants_warning(void *ctx, const ob_err *what);

#endif
