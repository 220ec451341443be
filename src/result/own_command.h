/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands that stand in records, which people copy into a shell.
 */
#ifndef OB_RESULT_OWN_COMMAND_H
#define OB_RESULT_OWN_COMMAND_H

#include <stdbool.h>

/* What stands behind a command whose config nobody can name. */
#define OB_PIPED_REMARK " # the config came from standard input; pipe it in again"

/* Whether a shell that reads the text runs opbench and nothing else: variables, its name or path and quoted words; more than one such
 * command in a pipe. */
bool ob__is_own_command(const char *text);

#endif
