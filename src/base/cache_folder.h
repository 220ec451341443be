/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the user's cache is, of which opbench has a folder.
 */
#ifndef OB_BASE_CACHE_FOLDER_H
#define OB_BASE_CACHE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/* "<XDG_CACHE_HOME, else ~/.cache>/opbench/<below>". False: there is no home directory, or it does not fit. */
bool ob__cache_folder(const char *below, char *out, size_t size);
/* Makes the folders above the last name of a path, for this user alone. False: errno says why, and the path ends at the
 * folder that cannot be made. */
bool ob__make_parents(char *path);

#endif
