/* SPDX-License-Identifier: Apache-2.0
 *
 * A whole file as a command's result: all of it or nothing.
 */
#ifndef OB_CLI_OUTPUT_FILE_H
#define OB_CLI_OUTPUT_FILE_H

#include "command.h"

#include "opbench/record.h"

/* To path, by a private file beside it that takes its place when everything is written; to standard
 * output when path is NULL or "-". Says what failed; returns an exit code. */
int ob__cli_write_file(ob_cli *cli, const char *path, const char *data, size_t size);

/* Whether a file can be written there, found out before the work; nothing is made. NULL and "-" can. Says what
 * is wrong; returns an exit code. */
int ob__cli_check_place(ob_cli *cli, const char *path);
/* The same for a result that must not replace another one unless forced. */
int ob__cli_check_new(ob_cli *cli, const char *path, bool force);
/* Whether a file that is not empty is there: what must not be replaced unasked. */
bool ob__cli_is_taken(const char *path);
/* Whether two names are of one file, which need not be there yet. */
bool ob__cli_is_same_file(const char *a, const char *b);
/* Where the file of that name is: a link leads to it, and stays when the file is replaced. To be freed; NULL, with
 * errno, on failure. */
char *ob__cli_target(const char *path);

/* ---- files of records that another run writes to ---- */

typedef struct ob_cli_waiting {
    ob_cli *cli;
    bool told;
} ob_cli_waiting;

/* For ob_result_file_params.wait, with an ob_cli_waiting: says once whom it waits for, until an interrupt. */
bool ob__cli_wait_for_file(void *ctx, const char *path, int64_t pid);

#endif
