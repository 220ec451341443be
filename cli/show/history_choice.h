/* SPDX-License-Identifier: Apache-2.0
 *
 * A history instead of files: the options of commands that show either.
 */
#ifndef OB_CLI_SHOW_HISTORY_CHOICE_H
#define OB_CLI_SHOW_HISTORY_CHOICE_H

#include "command.h"

#include "opbench/store.h"

typedef struct ob_history_choice {
    const char *db, *branch, *tag;
} ob_history_choice;

/* Rows "db", "branch" and "tag" of an ob_history_choice. */
const ob_option *ob__history_choice_rows(void);
/* OB_EXIT_OK when there is either a database or files, or what is wrong was said. */
int ob__history_choice_check(ob_cli *cli, const ob_history_choice *choice, size_t file_count);
ob_status ob__history_choice_open(const ob_history_choice *choice, ob_store **out, ob_err *err);
ob_store_filter ob__history_choice_filter(const ob_history_choice *choice);

#endif
