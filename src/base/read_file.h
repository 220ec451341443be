/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading a file whole, for formats whose files are small.
 */
#ifndef OB_BASE_READ_FILE_H
#define OB_BASE_READ_FILE_H

#include "opbench/status.h"
#include "opbench/text.h"

/* Appends the file's bytes; "-" is standard input. OB_ERR_LIMIT when it has more than most_bytes. */
ob_status ob__read_file(const char *path, size_t most_bytes, ob_text *out, ob_err *err);
/* How messages name it. */
const char *ob__file_name(const char *path);

#endif
