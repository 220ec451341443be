/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of `opbench replay`.
 */
#ifndef OB_CLI_REPLAY_H
#define OB_CLI_REPLAY_H

#include "command.h"

#include "opbench/replay.h"

#include <stdatomic.h>

typedef struct ob_replay_line {
    const char *file;
    ob_run_options run;
    ob_replay_options replay;
    int64_t warmup, iterations;
    bool compute_only, json, no_isolate, force;
    const char *skip, *skip_file, *crashed, *half, *profile, *output;
    int64_t state_fd;
} ob_replay_line;

/* What the process that makes the calls says about itself, in memory that both see. */
typedef struct ob_replay_state {
    _Atomic int64_t node; /* id of the call under way */
    _Atomic uint64_t iteration, done, total;
} ob_replay_state;

/* "torch" where it can work, else NULL. */
const char *ob__replay_default_backend(const ob_context *context);
/* Makes the calls in this process; prints the result. */
int ob__replay_here(ob_cli *cli, const ob_replay_line *line);
/* Makes them in another; goes on when that one dies. */
int ob__replay_isolated(ob_cli *cli, const ob_replay_line *line);
/* The result as text or as JSON lines, and to the file. Exit code as the command's. */
int ob__replay_print(ob_cli *cli, const ob_replay_line *line, const ob_json *result);

#endif
