/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench trace: what is in a trace.
 */
#include "command.h"
#include "reading_line.h"
#include "trace_print.h"
#include "trace_rows.h"

#include "opbench/old_option.h"

typedef struct trace_options {
    ob_trace_selection selection;
    bool tree, json;
    int64_t node;
} trace_options;

#define ROW(kind, name, field, ...) OB_OPTION(kind, name, trace_options, field, __VA_ARGS__)

static const ob_option OPTIONS[] = {
    ROW(FLAG, "tree", tree, .help = "Show every node, indented below its parent."),
    ROW(INT, "node", node, .value = "ID", .initial = "-9223372036854775808", .otherwise = "all",
        .help = "Show one node with its arguments and results."),
    ROW(FLAG, "json", json, .help = "Print JSON: one object, or with --tree one line per node."),
    OB_OPTION_ROWS_OF(ob__trace_rows, "trace-step|subgraph|leaves|keep-loader",
                      offsetof(trace_options, selection)),
    OB_OPTION_OLD_NAME("iteration", "trace-step"),
    OB_OPTION_OLD_NAME("label", "subgraph"),
    {.name = NULL},
};

static const ob_cli_word WORDS[] = {
    OB_TRACE_FILE_WORD,
    {.name = NULL},
};

static int show(ob_cli *cli, const trace_options *options, const ob_trace *trace)
{
    ob_err err;
    ob_status status;
    if (options->node != INT64_MIN) {
        const uint32_t index = ob_trace_find_node(trace, options->node);
        if (index == OB_TRACE_NO_NODE)
            return ob__cli_usage_error(cli, "%s has no node %lld; --tree shows them",
                                       ob_trace_name(trace), (long long)options->node);
        status = ob__trace_print_node(cli, trace, index, options->json, &err);
    } else if (options->tree) {
        status = ob__trace_print_tree(cli, trace, options->json, &err);
    } else {
        ob_trace_selection selection = options->selection;
        selection.size = sizeof selection;
        status = ob__trace_print_summary(cli, trace, &selection, options->json, &err);
    }
    return status == OB_OK ? OB_EXIT_OK : ob__cli_fail(cli, &err);
}

static int run(ob_cli *cli, const ob_cli_call *call)
{
    const int code = ob__cli_open_context(cli, OB_CLI_NO_PLUGINS, OB_LOG_WARNING);
    if (code != OB_EXIT_OK)
        return code;
    ob_trace *trace;
    ob_err err;
    ob_reading_line line;
    const ob_trace_limits limits = ob__reading_limits(&line, call->words[0]);
    const ob_status status =
        ob_trace_open(call->words[0], &limits, ob_context_log(cli->context), &trace, &err);
    ob__reading_end(&line);
    if (status != OB_OK)
        return ob__cli_fail(cli, &err);
    const int shown = show(cli, call->options, trace);
    ob_trace_close(trace);
    return shown;
}

const ob_cli_command ob__command_trace = {
    .name = "trace",
    .help = "show what is in an execution trace",
    .text = "Reads a PyTorch execution trace (schema 1.0.1 to 1.1.1-chakra) or a trace of its "
            "profiler (Chrome JSON) and shows what is in it: steps; operators, how often they were "
            "called and, if the trace has times, how long they took; tensors, devices and dtypes. "
            "Operators are the topmost ones: those that no other operator called.\n\n"
            "The trace is only read; nothing in it is run.",
    .words = WORDS,
    .options = OPTIONS,
    .options_size = sizeof(trace_options),
    .example = "opbench trace linear_et.json.gz\n"
               "opbench trace resnet_et.json.gz --trace-step 1 --json\n"
               "opbench trace linear_et.json.gz --node 14",
    .run = run,
};
