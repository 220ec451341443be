/* SPDX-License-Identifier: Apache-2.0
 *
 * What a backend said when it was opened, kept in the user's cache as long as no file changes that was loaded for it.
 */
#ifndef OB_RUN_BACKEND_MEMO_H
#define OB_RUN_BACKEND_MEMO_H

#include "opbench/text.h"

#include <stdbool.h>

/* Appends the identity of each file that this process has mapped code from, a line each: path, device, inode, size, time. maps:
 * NULL = /proc/self/maps. False: memory is out. */
bool ob__mapped_files_append(const char *maps, ob_text *out);

/* Whether all files of the lines are what they were. */
bool ob__mapped_files_unchanged(const char *lines, size_t length);

/* The first file that is not; false: all are. */
bool ob__mapped_files_changed(const char *lines, size_t length, char *path, size_t size);

/* dir NULL = the user's cache. False: nothing is kept, or it is not true any more. files: gets the lines; NULL = not wanted. */
bool ob__backend_recall(const char *dir, const char *backend, char *text, size_t size,
                        ob_text *files);
/* files: from ob__mapped_files_append. What cannot be kept is not. */
void ob__backend_keep(const char *dir, const char *backend, const char *text, const char *files,
                      size_t length);

#endif
