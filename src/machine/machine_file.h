/* SPDX-License-Identifier: Apache-2.0
 *
 * What was measured on this hardware, in the user's cache: a JSON object in a file under the class of the hardware.
 */
#ifndef OB_MACHINE_FILE_H
#define OB_MACHINE_FILE_H

#include "opbench/json.h"

#include <limits.h>
#include <stdbool.h>

/* "<cache>/opbench/<folder>/<class>.json". False: there is no home directory, or it does not fit. */
bool ob__machine_file_path(const char *folder, char path[PATH_MAX]);
/* The same of a file that is there and is this user's own. Where none was ever written the processor is not asked what it is. */
bool ob__machine_file_find(const char *folder, char path[PATH_MAX]);
/* Replaces a file that begins with `ours`, and no other. what: "roofline", for the error. */
ob_status ob__machine_file_write(const char *path, const char *ours, const ob_json *root,
                                 const char *what, ob_err *err);

#endif
