/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of `opbench replay`.
 */
#ifndef OB_CLI_REPLAY_COMMAND_H
#define OB_CLI_REPLAY_COMMAND_H

#include "command.h"

#include "opbench/replay.h"

typedef struct ob_replay_line {
    const char *file;
    ob_run_options run;
    ob_replay_options replay;
    int64_t warmup, iterations;
    bool compute_only, json, no_isolate, force;
    const char *skip, *skip_file, *crashed, *half, *profile, *output;
    int64_t socket_fd, state_fd; /* 0 = it was not started by ob_replay_apart */
} ob_replay_line;

/* The first that can work of those whose manifests say that they replay; NULL = none. */
const char *ob__replay_default_backend(const ob_context *context);
/* Makes the calls in this process; prints the result. */
int ob__replay_here(ob_cli *cli, const ob_replay_line *line);
/* Makes them in another; goes on when that one dies. */
int ob__replay_isolated(ob_cli *cli, const ob_replay_line *line);
/* The result as text or as JSON lines, and to the file. Exit code as the command's. */
int ob__replay_print(ob_cli *cli, const ob_replay_line *line, const ob_json *result);

#endif
