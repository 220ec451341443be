/* SPDX-License-Identifier: Apache-2.0
 *
 * Sides of a comparison as the command line and files name them.
 */
#ifndef OB_CLI_SIDE_WORDS_H
#define OB_CLI_SIDE_WORDS_H

#include "command.h"

#include "opbench/run.h"

enum { OB_CLI_MOST_SIDES = 8 };

/* Zero is empty. */
typedef struct ob_cli_sides {
    ob_side items[OB_CLI_MOST_SIDES];
    const ob_side *list[OB_CLI_MOST_SIDES]; /* to them, for ob_run_params */
    size_t count;
    void **texts; /* what they point to */
    size_t text_count, text_room;
    ob_json_doc *file;
} ob_cli_sides;

void ob__cli_sides_fini(ob_cli_sides *sides);
/* "NAME:key=value,...": a comma or backslash in a value stands behind a backslash. otherwise: its name if it has none. */
ob_status ob__cli_sides_add(ob_cli_sides *sides, const char *word, const char *otherwise,
                            ob_err *err);
/* [{"name": "old", "backend": "native", "env": {"A": "b"}, ...}, ...]. Such a file is code, as it names what is run: the
 * command line alone may name one. */
ob_status ob__cli_sides_add_file(ob_cli_sides *sides, const char *path, ob_err *err);
/* The keys, for help: "backend, options, ...". */
#define OB_CLI_SIDE_KEYS "backend, options, plugin, env.NAME, threads, device, opbench"

#endif
