/* SPDX-License-Identifier: Apache-2.0
 *
 * Where this program is, and how a user starts it.
 */
#ifndef OB_CLI_OWN_PATH_H
#define OB_CLI_OWN_PATH_H

#include <limits.h>
#include <stdbool.h>

typedef struct ob_own_path {
    char path[PATH_MAX]; /* absolute */
    const char *word;    /* what a command line begins with: "opbench" where PATH leads here */
} ob_own_path;

/* False: it is not known (no /proc); word is "opbench" then. */
bool ob__cli_own_path(ob_own_path *out);

/* The program's file alone. */
bool ob__cli_own_file(char path[PATH_MAX]);
/* For a process whose own program is another one (an interpreter that hosts a backend). The text is borrowed. */
void ob__cli_set_own_path(const char *path);

#endif
