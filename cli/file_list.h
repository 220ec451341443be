/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of files, given one by one or found in a folder.
 */
#ifndef OB_CLI_FILE_LIST_H
#define OB_CLI_FILE_LIST_H

#include "opbench/status.h"

#include <stddef.h>

/* Zero is empty. */
typedef struct ob_file_list {
    char **items;
    size_t count, capacity;
} ob_file_list;

ob_status ob__file_list_add(ob_file_list *list, const char *path, ob_err *err);
/* Files of records (*.json) whose names begin so, in the order of their names, without hidden ones. */
ob_status ob__file_list_add_folder(ob_file_list *list, const char *folder, const char *begin,
                                   ob_err *err);
/* A file, or all such files of a folder. */
ob_status ob__file_list_add_any(ob_file_list *list, const char *path, ob_err *err);
void ob__file_list_fini(ob_file_list *list);

#endif
