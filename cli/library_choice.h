/* SPDX-License-Identifier: Apache-2.0
 *
 * Options that choose the library of a backend (--torch PATH|python): one for each manifest that has such a library, in
 * all commands that have a --backend.
 */
#ifndef OB_CLI_LIBRARY_CHOICE_H
#define OB_CLI_LIBRARY_CHOICE_H

#include "command.h"

/* Whether it is the name of one of them. */
bool ob__library_option_is(const ob_cli *cli, const char *name);
/* Fills rows with those of the command, whose values are texts behind each other from `offset` on; returns how many. */
size_t ob__library_option_rows(const ob_cli *cli, const ob_cli_command *command, ob_option *rows,
                               size_t offset);
/* Follows them, or their variables; options is the command's own struct, given has the values or NULLs. Says what is wrong
 * and returns an exit code. */
int ob__library_options_apply(ob_cli *cli, const void *options, const char *const *given);
/* Appends " --torch /opt/libtorch" for each that was chosen; false when memory is out. */
bool ob__library_options_append(const ob_cli *cli, ob_text *out);

#endif
