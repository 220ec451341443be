/* SPDX-License-Identifier: Apache-2.0
 *
 * Interrupts of commands that measure: the first ends the work after the present case, which gets a second for it; another
 * one ends it at once. Or the first ends it at once, where nothing is lost by it.
 */
#ifndef OB_CLI_INTERRUPTS_H
#define OB_CLI_INTERRUPTS_H

#include "command.h"

/* From now on SIGINT and SIGTERM are counted instead of ending the program. alone: cases run in this process, so that no
 * one could end them; then the second signal ends the program. */
void ob__cli_catch_interrupts(const ob_cli *cli, bool alone);
/* For ob_run_params.stop: 0, 1 after the first interrupt (told on standard error), 2 after more, or a second later. ctx is
 * not looked at. */
int ob__cli_interrupts(void *ctx);
/* The same without telling; for ob_snippet_options.stop. */
int ob__cli_is_interrupted(void *ctx);
/* 2 after the first interrupt: for cases that are worth nothing unless they are whole. */
int ob__cli_interrupt_at_once(void *ctx);

#endif
