/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench convert: the calls of a trace as a benchmark config.
 */
#include "command.h"
#include "output_file.h"
#include "reading_line.h"
#include "trace_rows.h"

#include "opbench/old_option.h"
#include "opbench/trace.h"

#include <inttypes.h>
#include <string.h>

typedef struct convert_options {
    ob_trace_convert_options how;
    ob_trace_selection selection;
    const char *output, *half;
    bool force;
} convert_options;

#define ROW(kind, name, field, ...) OB_OPTION(kind, name, convert_options, field, __VA_ARGS__)

static const ob_option OPTIONS[] = {
    ROW(STRING, "output", output, .letter = 'o', .value = "FILE", .otherwise = "standard output",
        .help = "Write the config to this file; an existing one is refused without --force."),
    ROW(FLAG, "force", force, .help = "Replace the file if it exists."),
    OB_OPTION_ROWS_OF(ob__trace_rows, "trace-step|subgraph|leaves|keep-loader",
                      offsetof(convert_options, selection)),
    OB_OPTION_OLD_NAME("iteration", "trace-step"),
    OB_OPTION_OLD_NAME("label", "subgraph"),
    ROW(STRING, "device", how.device, .letter = 'd', .value = "DEVICE", .otherwise = "cpu",
        .help = "What to replace device arguments with."),
    ROW(CHOICE, "half", half, .value = "HOW", .choices = "keep|bfloat16", .initial = "keep",
        .help = "Whether to keep half or replace it with bfloat16, for a CPU whose library has no "
                "half."),
    {.name = NULL},
};

static const ob_cli_word WORDS[] = {
    OB_TRACE_FILE_WORD,
    {.name = NULL},
};

static int run(ob_cli *cli, const ob_cli_call *call)
{
    const convert_options *options = call->options;
    ob_device device;
    ob_err err;
    if (options->how.device != NULL &&
        ob_device_parse(options->how.device, strlen(options->how.device), &device, &err) != OB_OK)
        return ob__cli_usage_error(cli, "--device: %s", err.message);
    int code = ob__cli_check_new(cli, options->output, options->force);
    if (code == OB_EXIT_OK)
        code = ob__cli_open_context(cli, OB_CLI_WITH_PLUGINS, OB_LOG_WARNING);
    if (code != OB_EXIT_OK)
        return code;
    const ob_log *log = ob_context_log(cli->context);
    ob_trace_convert_options how = options->how;
    ob_trace_selection selection = options->selection;
    selection.size = sizeof selection;
    how.size = sizeof how;
    how.selection = &selection;
    how.half_to_bfloat16 = options->half != NULL && strcmp(options->half, "bfloat16") == 0;
    ob_trace *trace;
    ob_trace_convert_summary summary = {.size = sizeof summary};
    ob_text config = {0};
    ob_reading_line line;
    const ob_trace_limits limits = ob__reading_limits(&line, call->words[0]);
    const ob_status status = ob_trace_open(call->words[0], &limits, log, &trace, &err);
    ob__reading_end(&line);
    if (status != OB_OK)
        return ob__cli_fail(cli, &err);
    if (ob_trace_convert(trace, &how, ob_context_operators(cli->context), log, &config, &summary,
                         &err) != OB_OK)
        code = ob__cli_fail(cli, &err);
    if (code == OB_EXIT_OK)
        code = ob__cli_write_file(cli, options->output, config.data, config.size);
    if (code == OB_EXIT_OK && options->output != NULL)
        ob__cli_say("%" PRIu64 " calls, %" PRIu64 " of them distinct, %" PRIu64 " left out: %s\n",
                    summary.calls, summary.distinct, summary.left_out, options->output);
    ob_text_fini(&config);
    ob_trace_close(trace);
    return code;
}

const ob_cli_command ob__command_convert = {
    .name = "convert",
    .help = "make a benchmark config from a trace",
    .text = "Writes the distinct operator calls of an execution trace or a profiler trace as a "
            "benchmark config that run accepts as is: dtypes, shapes, strides, plain arguments and "
            "lists as recorded, integer tensors in their recorded range or in the range that the "
            "operator needs, and with each call how often it was made.\n\n"
            "Operators that exist only on one vendor's devices (cudnn_convolution) become the "
            "generic ones. Calls that cannot be repeated, communication and compiler-generated "
            "kernels are left out; a warning says which. It is an error if nothing is left.",
    .words = WORDS,
    .options = OPTIONS,
    .options_size = sizeof(convert_options),
    .example = "opbench convert resnet_et.json.gz -o resnet.json --trace-step 1\n"
               "opbench run -c resnet.json",
    .run = run,
};
