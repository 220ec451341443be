/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench nodes: how many calls a trace holds.
 */
#include "command.h"

#include "opbench/trace.h"

static const ob_cli_word WORDS[] = {
    {.name = "FILE", .required = true, .help = "The trace."},
    {.name = NULL},
};

static int run(ob_cli *cli, const ob_cli_call *call)
{
    const int code = ob__cli_open_context(cli, OB_CLI_NO_PLUGINS, OB_LOG_WARNING);
    if (code != OB_EXIT_OK)
        return code;
    ob_trace *trace;
    ob_err err;
    if (ob_trace_open(call->words[0], NULL, ob_context_log(cli->context), &trace, &err) != OB_OK)
        return ob__cli_fail(cli, &err);
    ob__cli_printf(cli, "%zu\n", (size_t)ob_trace_node_count(trace));
    ob_trace_close(trace);
    return OB_EXIT_OK;
}

const ob_cli_command ob__command_nodes = {
    .name = "nodes",
    .help = "count the calls of an execution trace",
    .text = "Reads an execution trace and prints how many calls it holds.",
    .words = WORDS,
    .example = "opbench nodes trace.json",
    .run = run,
};
