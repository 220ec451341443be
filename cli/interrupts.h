/* SPDX-License-Identifier: Apache-2.0
 *
 * Interrupts of commands that measure: the first ends the work after the present case, a second at once.
 */
#ifndef OB_CLI_INTERRUPTS_H
#define OB_CLI_INTERRUPTS_H

#include "command.h"

/* From now on SIGINT and SIGTERM are counted instead of ending the program. */
void ob__cli_catch_interrupts(const ob_cli *cli);
/* For ob_run_params.stop: 0, 1 after the first interrupt (told on standard error), 2 after more. ctx is
 * not looked at. */
int ob__cli_interrupts(void *ctx);

#endif
