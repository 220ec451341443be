/* SPDX-License-Identifier: Apache-2.0
 *
 * Sides of a comparison as the command line and files name them.
 */
#ifndef OB_CLI_SIDE_KEYS_H
#define OB_CLI_SIDE_KEYS_H

#include "time/snippet_line.h"

#include "opbench/run.h"

enum { OB_CLI_MOST_SIDES = 32 };

/* What is different about a side's code. NULL = nothing. */
typedef struct ob_cli_side_code {
    const char *stmt;
    ob_snippet_line line;
} ob_cli_side_code;

/* Zero is empty. */
typedef struct ob_cli_sides {
    ob_side items[OB_CLI_MOST_SIDES];
    const ob_side *list[OB_CLI_MOST_SIDES]; /* to them, for ob_run_params */
    ob_cli_side_code code[OB_CLI_MOST_SIDES];
    size_t count;
    void **texts; /* what they point to */
    size_t text_count, text_capacity;
    ob_json_doc *file;
} ob_cli_sides;

void ob__cli_sides_fini(ob_cli_sides *sides);
/* A new side, and what the last one is told. The texts are copied. */
ob_status ob__cli_side_begin(ob_cli_sides *sides, const char *name, ob_err *err);
ob_status ob__cli_side_set(ob_cli_sides *sides, const char *key, const char *value, ob_err *err);
/* "NAME:key=value,...": a comma or backslash in a value stands behind a backslash. otherwise: its name if it has none. */
ob_status ob__cli_sides_add(ob_cli_sides *sides, const char *word, const char *otherwise,
                            ob_err *err);
/* [{"name": "old", "backend": "native", "env": {"A": "b"}, ...}, ...]. Such a file is code, as it names what is run: the
 * command line alone may name one. */
ob_status ob__cli_sides_add_file(ob_cli_sides *sides, const char *path, ob_err *err);
/* A key of the side that is given and is one of cases of operators, of code, or of a statement; NULL = there is none. */
typedef enum ob_cli_key_use {
    OB_CLI_KEY_OF_ALL,
    OB_CLI_KEY_OF_OPERATORS,
    OB_CLI_KEY_OF_CODE,
    OB_CLI_KEY_OF_STATEMENT
} ob_cli_key_use;
const char *ob__cli_side_has_key(const ob_cli_sides *sides, size_t index, ob_cli_key_use use);
/* The side's python is not of code, but this variable, by which its backend knows its interpreter. */
ob_status ob__cli_side_make_variable(ob_cli_sides *sides, size_t index, const char *variable,
                                     ob_err *err);
/* The keys, for help: "backend, options, ...". */
#define OB_CLI_SIDE_KEYS                                                                           \
    "backend, options, plugin, env.NAME, threads, device, opbench, python; of code stmt, setup, "  \
    "global-setup, cc, cxx, std, cflags, ldflags, libs"

#endif
