/* SPDX-License-Identifier: Apache-2.0
 *
 * Small files of the user's cache: believed only when nobody else can write to them, replaced as a whole, and never put in
 * the place of a file that is not ours.
 */
#ifndef OB_BASE_PRIVATE_FILE_H
#define OB_BASE_PRIVATE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* A regular file of this user that no other can write to. */
bool ob__file_is_private(const char *path);
/* Writes the file, with the folders above it. False: it could not be, or a file stands there that is neither empty nor
 * begins with `ours`; then nothing has changed. */
bool ob__file_replace(const char *path, const char *ours, const void *data, size_t size);

#endif
