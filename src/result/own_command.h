/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands that stand in records, which people copy into a shell.
 */
#ifndef OB_RESULT_OWN_COMMAND_H
#define OB_RESULT_OWN_COMMAND_H

#include "opbench/text.h"

#include <stdbool.h>

/* What stands behind a command whose config nobody can name. */
#define OB_PIPED_REMARK " # the config came from standard input; pipe it in again"

/* Appends the command again, made from its parts: variables, opbench's name or path, words, each quoted as we quote; more than one such
 * command in a pipe. False if a shell that reads the text would run anything else, or if memory is out: out may then have a part of it. */
bool ob__own_command_append(ob_text *out, const char *text);

#endif
