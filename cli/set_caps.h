/* SPDX-License-Identifier: Apache-2.0
 *
 * Correcting the libraries that a command will load (opbench/machine.h), before it does anything else.
 */
#ifndef OB_CLI_SET_CAPS_H
#define OB_CLI_SET_CAPS_H

#include "command.h"

/* By the command's options, for commands that have --library-caps; others are left alone. What is corrected is in the
 * environment after this, said on standard error and kept for ob__cli_library_caps. word: the first of the line; NULL =
 * none. Returns an exit code. */
int ob__cli_cap_libraries(ob_cli *cli, const ob_option *rows, const void *options,
                          const char *word);
/* For the header record; NULL = nothing to say. Lives as long as cli. */
const ob_json *ob__cli_library_caps(const ob_cli *cli);
void ob__cli_caps_fini(ob_cli *cli);

#endif
