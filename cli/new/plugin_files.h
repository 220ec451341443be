/* SPDX-License-Identifier: Apache-2.0
 *
 * What `opbench new plugin` writes.
 */
#ifndef OB_CLI_NEW_PLUGIN_FILES_H
#define OB_CLI_NEW_PLUGIN_FILES_H

#include "command.h"

#include "opbench/text.h"

/* A file of examples/plugin/kernel. */
typedef struct ob_new_file {
    const char *name, *text;
    bool is_program;
} ob_new_file;

extern const ob_new_file ob__new_files[]; /* ends with name == NULL */

/* Appends the text, with the name in the place of the example's. */
ob_status ob__new_fill(const char *text, const char *name, ob_text *out, ob_err *err);
/* Where the program, the headers and the kit are, as lines of a Makefile. */
ob_status ob__new_where(ob_text *out, ob_err *err);

#endif
