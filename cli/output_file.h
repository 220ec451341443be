/* SPDX-License-Identifier: Apache-2.0
 *
 * A whole file as a command's result: all of it or nothing.
 */
#ifndef OB_CLI_OUTPUT_FILE_H
#define OB_CLI_OUTPUT_FILE_H

#include "command.h"

/* To path, by a private file beside it that takes its place when everything is written; to standard
 * output when path is NULL or "-". Says what failed; returns an exit code. */
int ob__cli_write_file(ob_cli *cli, const char *path, const char *data, size_t size);

/* Whether a file can be written there, found out before the work; nothing is made. NULL and "-" can. Says what
 * is wrong; returns an exit code. */
int ob__cli_check_place(ob_cli *cli, const char *path);
/* The same for a result that must not replace another one unless forced. */
int ob__cli_check_new(ob_cli *cli, const char *path, bool force);

#endif
