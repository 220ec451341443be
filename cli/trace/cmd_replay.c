/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench replay: the calls of a trace again. They are made in a process of their own, which is this
 * command with --no-isolate; when a call ends that process, the next one leaves the call out.
 */
#include "command.h"
#include "output_file.h"
#include "replay_command.h"
#include "trace_rows.h"

#include "opbench/replay.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void set_defaults(void *options)
{
    ob_replay_line *line = options;
    ob_run_options_init(&line->run);
    line->replay.selection.iteration = -2;
    line->warmup = 5;
    line->iterations = 10;
}

#define AT(field) .offset = offsetof(ob_replay_line, field)

static const ob_option OPTIONS[] = {
    {.name = "warmup-iter",
     .letter = 'w',
     .type = OB_OPTION_INT,
     AT(warmup),
     .value = "N",
     .max = 1e9,
     .help = "Passes over the calls before measuring (5)."},
    {.name = "iter",
     .letter = 'i',
     .type = OB_OPTION_INT,
     AT(iterations),
     .value = "N",
     .min = 1,
     .max = 1e6,
     .help = "Passes that are measured (10)."},
    {.name = "iteration",
     .type = OB_OPTION_INT,
     AT(replay.selection.iteration),
     .value = "N",
     .min = -1,
     .max = 1e15,
     .help =
         "Which step that the profiler marked, from 0; -1 takes the whole trace. The first step "
         "if steps are marked."},
    OB_TRACE_CHOICE_ROWS(offsetof(ob_replay_line, replay.selection), "subgraph"),
    {.name = "compute-only",
     .type = OB_OPTION_FLAG,
     AT(compute_only),
     .help = "Leave communication out without listing it; it is never replayed."},
    {.name = "skip",
     .type = OB_OPTION_STRING,
     AT(skip),
     .value = "NAMES",
     .help = "Operators to leave out, separated by commas, with or without overload."},
    {.name = "replay-config",
     .type = OB_OPTION_STRING,
     AT(skip_file),
     .value = "FILE",
     .help = "A JSON file with more of them: {\"skip nodes\": {\"aten::mm\": \"why\"}}."},
    {.name = "backend",
     .type = OB_OPTION_STRING,
     AT(run.backend),
     .value = "NAME",
     .help = "Who computes; torch if not given, or native where torch is not there."},
    {.name = "backend-options",
     .type = OB_OPTION_STRING,
     AT(run.backend_options),
     .value = "LIST",
     .help = "Options of the backend itself, as name=value,name=value."},
    {.name = "device",
     .letter = 'd',
     .type = OB_OPTION_STRING,
     AT(run.device),
     .value = "DEVICE",
     .help = "Where all tensors are, whatever the trace says; cpu if not given."},
    OB_OPTION_ROWS_OF(ob_run_option_rows, "library-caps", offsetof(ob_replay_line, run)),
    {.name = "num-threads",
     .type = OB_OPTION_INT,
     AT(run.threads),
     .value = "N",
     .min = 1,
     .max = 4096,
     .help = "Threads of every library underneath (1)."},
    {.name = "pin",
     .type = OB_OPTION_INT,
     AT(run.cpu),
     .value = "CPU",
     .max = 4095,
     .help = "Run on this CPU alone."},
    {.name = "seed",
     .type = OB_OPTION_INT,
     AT(run.seed),
     .value = "N",
     .max = 9223372036854775807.0,
     .help = "Seed of the made values (0)."},
    {.name = "max-memory",
     .type = OB_OPTION_INT,
     AT(run.max_memory_mib),
     .value = "MIB",
     .max = 1e9,
     .help = "A call that needs a larger tensor is skipped; from half of it on, large tensors are "
             "filled in part. Three quarters of the machine's memory if not given."},
    {.name = "half",
     .type = OB_OPTION_CHOICE,
     AT(half),
     .value = "HOW",
     .choices = "auto|keep|bfloat16",
     .help =
         "What half becomes: bfloat16 where the backend lacks half (auto), nothing else (keep), "
         "bfloat16 at once. Except with keep, a call that fails in these is made in float32."},
    {.name = "profile",
     .letter = 'p',
     .type = OB_OPTION_STRING,
     AT(profile),
     .value = "FILE",
     .help = "Write a trace of the last pass for Chrome or Perfetto."},
    {.name = "force",
     .type = OB_OPTION_FLAG,
     AT(force),
     .help = "Replace the file of --profile if it is there already."},
    {.name = "output",
     .letter = 'o',
     .type = OB_OPTION_STRING,
     AT(output),
     .value = "FILE",
     .help = "Append the JSON lines to this file too."},
    {.name = "json",
     .type = OB_OPTION_FLAG,
     AT(json),
     .help = "Print JSON: a line per operator, a summary as the last line."},
    {.name = "no-isolate",
     .type = OB_OPTION_FLAG,
     AT(no_isolate),
     .help = "In this process, for debuggers: a crash of an operator ends it."},
    {.name = "crashed",
     .type = OB_OPTION_STRING,
     AT(crashed),
     .value = "IDS",
     .help = "Nodes that are known to end the process, separated by commas."},
    {.name = "socket-fd",
     .type = OB_OPTION_INT,
     AT(socket_fd),
     .value = "FD",
     .min = 3,
     .max = 1024,
     .help = "For the command's own use: where it says what came of it."},
    {.name = "state-fd",
     .type = OB_OPTION_INT,
     AT(state_fd),
     .value = "FD",
     .min = 3,
     .max = 1024,
     .help = "For the command's own use: where it says which call it makes."},
    {.name = NULL},
};

/* Options of PARAM's et_replay. */
static const ob_cli_answer ANSWERS[] = {
    {"input", "give the trace's file alone: opbench replay FILE"},
    {"trace-path", "give the trace's file alone: opbench replay DIR/rank-0.json.gz"},
    {"m", "compute is what is replayed; --compute-only leaves the list of communication out"},
    {"replay-mode",
     "compute is what is replayed (comp); --compute-only leaves the list of communication out; "
     "communication alone (comm) is not replayed"},
    {"cpu", "cpu is where tensors are unless --device says otherwise"},
    {"gpu", "say --device cuda:0"},
    {"cuda", "say --device cuda:0"},
    {"update-replay-config",
     "a call that fails is skipped and reported in the same replay; no list has to be made before"},
    {"profile-replay", "say --profile FILE"},
    {"profile-memory", "the peak of memory is always printed; peak_bytes in --json"},
    {"output-path", "say --output FILE for the results, --profile FILE for the profile"},
    {"et", "a replay is not recorded as a trace again; --profile FILE writes its calls"},
    {"enable-lazy-tensor-allocation", "tensors are always made when they are first read"},
    {"device-memory-threshold", "say --max-memory MIB"},
    {"debug", "say --json for the whole reasons, opbench trace --node ID for one call"},
    {"tf32", "say --backend-options for what the backend itself has"},
    {"delay", "it has no effect in et_replay either"},
    {"dump", "it has no effect in et_replay either; say --output FILE"},
    {"g", "say --profile FILE"},
    {NULL, NULL},
};

static const ob_cli_word WORDS[] = {
    {.name = "FILE",
     .required = true,
     .help = "The trace: JSON, plain or packed (.gz, .tar.gz, .zst)."},
    {.name = NULL},
};

static int run(ob_cli *cli, const ob_cli_call *call)
{
    ob_replay_line line = *(const ob_replay_line *)call->options;
    ob_err err;
    line.file = call->words[0];
    if (strcmp(line.file, "-") == 0)
        return ob__cli_usage_error(cli, "replay reads its trace more than once; give a file");
    if (ob_run_options_check(&line.run, &err) != OB_OK)
        return ob__cli_usage_error(cli, "%s", err.message);
    if (line.output != NULL && strcmp(line.output, "-") == 0)
        return ob__cli_usage_error(cli, "--output is a file; --json prints the same lines");
    int code = ob__cli_check_place(cli, line.output);
    if (code == OB_EXIT_OK)
        code = ob__cli_check_new(cli, line.profile, line.force);
    if (code == OB_EXIT_OK)
        code = ob__cli_open_context(cli, OB_CLI_WITH_PLUGINS, OB_LOG_WARNING);
    if (code != OB_EXIT_OK)
        return code;
    if (line.run.backend == NULL)
        line.run.backend = ob__replay_default_backend(cli->context);
    return line.no_isolate ? ob__replay_here(cli, &line) : ob__replay_isolated(cli, &line);
}

const ob_cli_command ob__command_replay = {
    .name = "replay",
    .takes_any_backend = true,
    .help = "run the calls of a trace again",
    .text =
        "Makes the operator calls of an execution trace again, in order, the topmost ones, with "
        "data "
        "flowing from call to call as recorded. Says how much of the trace ran, which calls did "
        "not "
        "and why, how long a pass takes and which operators take it.\n\n"
        "Communication, stream and pinning calls are not computing and are listed apart; operators "
        "of libraries that are not there are computing, and missing. Operators that exist on one "
        "vendor's device only "
        "(cudnn_convolution) become the generic ones. A call that fails is skipped, also one that "
        "ends its process.\n\n"
        "Exit code 1: some computing call did not run.",
    .words = WORDS,
    .options = OPTIONS,
    .answers = ANSWERS,
    .options_size = sizeof(ob_replay_line),
    .options_init = set_defaults,
    .example = "opbench replay resnet_et.json.gz\n"
               "opbench replay linear_et.json.gz --backend native -w 1 -i 5 --json",
    .run = run,
};
