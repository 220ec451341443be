/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench replay: the calls of traces again, each trace's step a case of a job.
 */
#include "backend_options.h"
#include "job_line.h"
#include "reading_line.h"
#include "replay_lists.h"
#include "trace_rows.h"

#include "opbench/old_option.h"
#include "opbench/report.h"

#include <inttypes.h>
#include <string.h>

typedef struct replay_line {
    ob_run_options run;
    ob_replay_options replay;
    ob_trace_selection selection;
    ob_job_line job;
    bool json;
    const char *skip, *skip_file, *profile;
} replay_line;

static void set_defaults(void *options)
{
    replay_line *line = options;
    ob_run_options_init(&line->run);
    line->replay.size = sizeof line->replay;
    line->selection.size = sizeof line->selection;
    line->selection.iteration = OB_REPLAY_FIRST_STEP;
    line->job.adds = true;
}

#define RUN offsetof(replay_line, run)
#define CALLS .group = "Calls"
#define MEASURING .group = "Measuring"
#define OUTPUT .group = "Output"
#define ROW(kind, name, field, ...) OB_OPTION(kind, name, replay_line, field, __VA_ARGS__)
/* An option of PARAM's et_replay, and what to give here. */
#define INSTEAD(option, ...)                                                                       \
    {                                                                                              \
        .name = (option), .refused = __VA_ARGS__                                                   \
    }

static const ob_option OPTIONS[] = {
    ROW(INT, "warmup-iter", run.warmup, MEASURING, .letter = 'w', .value = "N", .max = 1e9,
        .initial = "5", .help = "Warm-up passes over the calls."),
    ROW(INT, "iter", run.iteration, MEASURING, .letter = 'i', .value = "N", .min = 1, .max = 1e6,
        .initial = "10", .help = "Measured passes."),
    ROW(INT, "trace-step", selection.iteration, CALLS, .value = "N", .min = -1, .max = 1e15,
        .otherwise = "the first step, if steps are marked",
        .help = "Which step to replay, as the profiler numbered it from 0; -1 replays the whole "
                "trace."),
    OB_OPTION_ROWS_OF(ob__trace_rows, "subgraph|leaves|keep-loader",
                      offsetof(replay_line, selection), CALLS),
    ROW(FLAG, "compute-only", replay.compute_only, CALLS,
        .help = "Do not list communication; it is never replayed."),
    ROW(STRING, "skip", skip, CALLS, .value = "NAMES",
        .help = "Operators to leave out, separated by commas, with or without overload."),
    ROW(STRING, "replay-config", skip_file, CALLS, .value = "FILE",
        .help = "A JSON file with more of them: {\"skip nodes\": {\"aten::mm\": \"why\"}}."),
    OB_OPTION_ROWS_OF(ob_run_option_rows, "backend", RUN,
                      .otherwise = "the first installed one that can replay",
                      .help = "Backend to run on. Several (a,b) take turns on every step, pass by "
                              "pass, on one CPU, and are compared with the first."),
    OB_OPTION_ROWS_OF(ob_run_option_rows, "device", RUN, .otherwise = "cpu",
                      .help = "Device for all tensors, whatever the trace says."),
    OB_OPTION_ROWS_OF(
        ob_run_option_rows, "check", RUN,
        .help = "Check the results of each call against a reference within the error bounds of "
                "their dtype, before and after measuring; a wrong result fails the step."),
    OB_OPTION_ROWS_OF(ob_run_option_rows,
                      "backend-options|library-caps|num-threads|pin|seed|case-timeout", RUN),
    OB_OPTION_ROWS_OF(ob_run_option_rows, "max-memory", RUN,
                      .help = "Skip calls that need a larger tensor; above half of this, large "
                              "tensors are only partly filled."),
    ROW(CHOICE, "half", replay.half, MEASURING, .value = "HOW", .choices = "auto|keep|bfloat16",
        .otherwise = "auto",
        .help = "What to do with half: use bfloat16 if the backend lacks half (auto), keep it, or "
                "always use bfloat16. Except with keep, a call that fails in these is repeated in "
                "float32."),
    ROW(STRING, "profile-output", profile, OUTPUT, .value = "FILE",
        .help = "Write a trace for Chrome or Perfetto: the passes, and the calls of the last one."),
    OB_OPTION_OLD_NAME("profile", "profile-output", .letter = 'p'),
    OB_OPTION_OLD_NAME("iteration", "trace-step"),
    ROW(FLAG, "json", json, OUTPUT,
        .help = "The same as --format json: the records of the operators, then their step's."),
    OB_JOB_ADDED_FILE_ROWS(offsetof(replay_line, job)),
    OB_JOB_SCREEN_ROWS(offsetof(replay_line, job)),
    OB_OPTION_ROWS_OF(ob__job_rows, "sort|top", offsetof(replay_line, job)),
    INSTEAD("input", "give just the trace file: opbench replay FILE"),
    INSTEAD("trace-path", "give just the trace file: opbench replay DIR/rank-0.json.gz"),
    {.name = "replay-mode",
     .letter = 'm',
     .refused = "only compute is replayed (comp), never communication (comm); --compute-only "
                "leaves out the list of communication"},
    INSTEAD("cpu", "cpu is the default; --device chooses another"),
    INSTEAD("gpu", "use --device cuda:0"),
    INSTEAD("cuda", "use --device cuda:0"),
    INSTEAD("update-replay-config", "a call that fails is skipped and reported in the same replay; "
                                    "no list is needed beforehand"),
    INSTEAD("profile-replay", "use --profile-output FILE"),
    INSTEAD("profile-memory", "peak memory is always printed; --json has it as peak_bytes"),
    INSTEAD("output-path",
            "use --output FILE for the results, --profile-output FILE for the profile"),
    INSTEAD("et", "a replay is not recorded as a trace; --profile-output FILE writes its calls"),
    INSTEAD("enable-lazy-tensor-allocation", "tensors are always created when first read"),
    INSTEAD("device-memory-threshold", "use --max-memory MIB"),
    INSTEAD("debug", "use --json for full reasons, opbench trace --node ID for one call"),
    INSTEAD("tf32", "use --backend-options for the backend's own options"),
    INSTEAD("delay", "it has no effect in et_replay either"),
    INSTEAD("dump", "it has no effect in et_replay either; use --output FILE"),
    {.name = "g", .letter = 'g', .refused = "use --profile-output FILE"},
    {.name = NULL},
};

static const ob_cli_word WORDS[] = {
    {.name = "FILE",
     .required = true,
     .many = true,
     .help = "The trace: JSON, plain or packed (.gz, .tar.gz, .zst)."},
    {.name = NULL},
};

typedef struct replay_command {
    ob_cli *cli;
    replay_line line;
    ob_cli_job job;
    ob_replay_lists lists;
    ob_config *config;
    ob_report *report;
    ob_table_format format;
    bool has_records; /* they are printed instead of tables */
    bool misses;      /* a computing call of a step did not run, or it has none */
} replay_command;

/* The first that can work of those whose manifests say that they replay; NULL = none. */
static const char *default_backend(const ob_context *context)
{
    for (size_t i = 0; i < ob_context_count(context, OB_ENTRY_BACKEND); i++) {
        const ob_entry_info info = ob_context_entry(context, OB_ENTRY_BACKEND, i);
        ob_reason why;
        const ob_backend_desc *desc = ob_context_find_backend(context, info.name);
        const ob_manifest *manifest = ob_manifests_find(ob_context_manifests(context), info.name);
        if (manifest != NULL && manifest->replays && info.available && desc != NULL &&
            (desc->probe == NULL || desc->probe(ob_host_get(), &why) == OB_OK))
            return info.name;
    }
    return NULL;
}

static ob_status show_result(void *ctx, const ob_job_event *event, ob_err *err)
{
    replay_command *r = ctx;
    const ob_record_replay *replay = &event->record->result.replay;
    if (event->record->result.part_of == NULL && replay->computing != OB_NO_INT)
        r->misses = r->misses || replay->ran < replay->computing || replay->computing == 0;
    return ob__job_line_is_mute(&r->line.job) || r->has_records
               ? OB_OK
               : ob__cli_job_show(&r->job, r->report, event->record, err);
}

static ob_status open_job(replay_command *r, const ob_cli_call *call, ob_err *err)
{
    const ob_job_part part = {.config = r->config, .options = &r->line.run};
    const ob_job_configs configs = {.size = sizeof configs,
                                    .parts = &part,
                                    .part_size = sizeof part,
                                    .part_count = 1,
                                    .name = call->words[0],
                                    .source = "trace",
                                    .chosen_by = "calls",
                                    .worker_program = ob__cli_job_worker(&r->job)};
    /* What is replayed is in the cases; the header names the options of the run. */
    OB_TRY(ob__cli_job_init(&r->job, ob_run_option_rows(), &r->line.run, err));
    r->job.params.trace_output = r->line.profile;
    return ob_job_open_configs(r->cli->context, &configs, &r->job.params, &r->job.job, err);
}

static int print_report(replay_command *r)
{
    ob_text text = {0};
    ob_err err;
    const ob_status status = ob_report_print(r->report, r->format, &text, &err);
    if (status == OB_OK)
        ob__cli_write_styled(r->cli, text.data, text.size);
    ob_text_fini(&text);
    return status == OB_OK ? OB_EXIT_OK : ob__cli_fail(r->cli, &err);
}

static int measure(replay_command *r, const ob_cli_call *call)
{
    ob_err err;
    const ob_report_params params = {.view = OB_VIEW_REPLAY};
    int code = ob__cli_job_name(&r->job, call->words[0], &r->line.run);
    if (code != OB_EXIT_OK)
        return code;
    ob_status status = ob__cli_job_open_report(&r->job, &params, &r->report, &err);
    if (status == OB_OK)
        status = open_job(r, call, &err);
    code = status == OB_OK ? ob__cli_job_run(&r->job) : ob__cli_fail(r->cli, &err);
    if (status == OB_OK && code == OB_EXIT_OK) {
        const bool is_mute = ob__job_line_is_mute(&r->line.job) || r->has_records;
        const int shown = is_mute ? OB_EXIT_OK : print_report(r);
        code = ob_job_summary_exit_code(ob_job_get_summary(r->job.job));
        code = code == OB_EXIT_OK && r->misses ? OB_EXIT_FAILED : code;
        code = code == OB_EXIT_OK ? shown : code;
    }
    code = ob__cli_job_fini(&r->job, code);
    ob_report_destroy(r->report);
    return code;
}

static int check_line(ob_cli *cli, replay_line *line, const ob_cli_call *call)
{
    ob_err err;
    for (size_t i = 0; i < call->word_count; i++)
        if (strcmp(call->words[i], "-") == 0)
            return ob__cli_usage_error(
                cli, "replay reads its trace more than once; give a file, not standard input");
    if (line->job.output != NULL && strcmp(line->job.output, "-") == 0)
        return ob__cli_usage_error(cli,
                                   "--output must be a file; --format json prints the results");
    if (ob_run_options_check(&line->run, &err) != OB_OK ||
        ob__backend_options_check(cli, line->run.backend, &err) != OB_OK)
        return ob__cli_usage_error(cli, "%s", err.message);
    /* --force may be about the file of --profile-output alone. */
    ob_job_line job = line->job;
    job.force = job.force && (job.output != NULL || line->profile == NULL);
    const int code = ob__job_line_check(cli, &job, &line->run);
    return code == OB_EXIT_OK ? ob__cli_check_new(cli, line->profile, line->job.force) : code;
}

static int run(ob_cli *cli, const ob_cli_call *call)
{
    replay_command r = {.cli = cli, .line = *(const replay_line *)call->options};
    replay_line *line = &r.line;
    ob_err err;
    int code = check_line(cli, line, call);
    if (code == OB_EXIT_OK)
        code = ob__cli_open_context(cli, OB_CLI_WITH_PLUGINS,
                                    r.line.job.quiet ? OB_LOG_ERROR : OB_LOG_WARNING);
    if (code != OB_EXIT_OK)
        return code;
    if (line->json)
        line->job.format = "json";
    r.has_records = strcmp(line->job.format, "json") == 0;
    if (strcmp(line->job.format, "table") != 0)
        ob_table_format_from_word(line->job.format, &r.format);
    line->run.maker = ob_replay_maker();
    line->run.command = "replay";
    line->run.profile = line->profile != NULL;
    if (line->run.backend == NULL &&
        ob__backend_option_given(cli, NULL, &line->run.backend) == NULL)
        line->run.backend = default_backend(cli->context);
    r.job = (ob_cli_job){.cli = cli, .line = &line->job, .show = show_result, .show_ctx = &r};
    ob_status status =
        ob__replay_lists_read(cli, line->skip, line->skip_file, &r.lists, &line->replay, &err);
    ob_reading_line reading;
    const ob_trace_limits limits = ob__reading_limits(&reading, call->words[0]);
    line->replay.limits = &limits;
    line->replay.selection = &line->selection;
    if (status == OB_OK)
        status = ob_replay_open_config(cli->context, call->words, call->word_count, &line->replay,
                                       &r.config, &err);
    ob__reading_end(&reading);
    code = status == OB_OK ? measure(&r, call) : ob__cli_fail(cli, &err);
    ob_config_destroy(r.config);
    ob__replay_lists_fini(&r.lists);
    return code;
}

static const ob_cli_exit_row EXITS[] = {
    {OB_EXIT_OK, "all computing calls ran"},
    {OB_EXIT_FAILED, "a computing call did not run, or there is none"},
    {.meaning = NULL},
};

const ob_cli_command ob__command_replay = {
    .name = "replay",
    .takes_any_backend = true,
    .help = "replay the operator calls of a trace",
    .text = "Repeats the topmost operator calls of an execution trace, in order, with data flowing "
            "from call to call as recorded. Reports how much of the trace ran, which calls did not "
            "and why, how long a pass takes and which operators take the time.\n\n"
            "Communication, stream and pinning calls do not compute and are listed separately; "
            "operators from missing libraries do compute, and count as missing. Operators that "
            "exist only on one vendor's devices (cudnn_convolution) become the generic ones. A "
            "call that fails is skipped, even if it crashes its process.",
    .words = WORDS,
    .exits = EXITS,
    .options = OPTIONS,
    .options_size = sizeof(replay_line),
    .options_init = set_defaults,
    .example = "opbench replay resnet_et.json.gz\n"
               "opbench replay linear_et.json.gz --backend native -w 1 -i 5 --json",
    .run = run,
};
