/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators that `opbench replay` leaves out: those of --skip and of --replay-config.
 */
#ifndef OB_CLI_REPLAY_LISTS_H
#define OB_CLI_REPLAY_LISTS_H

#include "command.h"

#include "opbench/replay.h"

/* What the options point to. Zero is empty. */
typedef struct ob_replay_lists {
    ob_json_doc *doc;
    char *text;
    const char **names, **reasons;
} ob_replay_lists;

/* skip: names with commas between; file: in PARAM's form. Both may be NULL. Fini also after a failure. */
ob_status ob__replay_lists_read(ob_cli *cli, const char *skip, const char *file,
                                ob_replay_lists *lists, ob_replay_options *options, ob_err *err);
void ob__replay_lists_fini(ob_replay_lists *lists);

#endif
