/* SPDX-License-Identifier: Apache-2.0
 *
 * A warning that commands which measure share.
 */
#ifndef OB_CLI_WARN_THREADS_H
#define OB_CLI_WARN_THREADS_H

#include "command.h"

#include "opbench/record.h"

/* Says on standard error that fewer threads were used than asked for, once for each number asked for in a
 * row: *told is the last, 0 at first. */
void ob__warn_of_threads(ob_cli *cli, const ob_record_result *result, int64_t *told);

#endif
