/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench snippet: the process in which a compiled snippet runs. `opbench count` and `opbench time` start it, under
 * valgrind or not, with a socket as its descriptor 3. It is not for people.
 */
#include "command.h"

#include "opbench/snippet_run.h"

enum { SOCKET = 3 };

typedef struct snippet_options {
    int64_t threads;
} snippet_options;

static const ob_option OPTIONS[] = {
    {.name = "threads",
     .type = OB_OPTION_INT,
     .offset = offsetof(snippet_options, threads),
     .value = "N",
     .min = 1,
     .max = 4096,
     .help = "How many threads libraries use that have a setting of their own."},
    {.name = NULL},
};

static int run(ob_cli *cli, const ob_cli_call *call)
{
    const snippet_options *options = call->options;
    ob_err err;
    if (ob_snippet_serve(SOCKET, call->words[0], options->threads, &err) != OB_OK)
        return ob__cli_fail(cli, &err);
    return OB_EXIT_OK;
}

static const ob_cli_word WORDS[] = {
    {.name = "OBJECT", .required = true, .help = "What was compiled."},
    {.name = NULL},
};

const ob_cli_command ob__command_snippet = {
    .name = "snippet",
    .help = "run a compiled snippet",
    .text = "Answers requests to time or count a snippet. Started by other commands.",
    .words = WORDS,
    .options = OPTIONS,
    .options_size = sizeof(snippet_options),
    .hidden = true,
    .run = run,
};
