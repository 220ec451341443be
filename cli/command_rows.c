/* SPDX-License-Identifier: Apache-2.0
 *
 * See command_rows.h. The rows of how cases are measured are the library's (ob_run_option_rows), those of backends in
 * their manifests.
 */
#include "command_rows.h"

#include "job_line.h"

#include "opbench/trace.h"

#define CASES .group = "Cases"
#define OUTPUT .group = "Output"

#define TEXT(option, ...)                                                                          \
    {                                                                                              \
        .name = (option), .type = OB_OPTION_STRING, __VA_ARGS__                                    \
    }

const ob_option *ob__text_rows(void)
{
    static const ob_option ROWS[] = {
        TEXT("config", CASES, .letter = 'c', .value = "FILE",
             .help = "The benchmark config; - reads standard input."),
        TEXT("op", CASES, .value = "NAME", .help = "Only the cases of this operator."),
        TEXT("case", CASES, .value = "ID",
             .help = "Only this case of the config: OPERATOR|CONFIG|BUILD|INPUT."),
        TEXT("log-level", OUTPUT, .rare = true, .letter = 'l', .value = "LEVEL",
             .otherwise = "warning; error with -q",
             .help = "What to print on standard error: debug, info, warning or error."),
        {.name = NULL},
    };
    return ROWS;
}

#define ROW(kind, name, field, ...) OB_OPTION(kind, name, ob_case_choice, field, __VA_ARGS__)
const ob_option *ob__choice_rows(void)
{
    static const ob_option ROWS[] = {
        ROW(STRING, "op", op, CASES, .value = "NAME",
            .help = "Only the cases of this operator, by its name in the config or any of its "
                    "other names (aten::add for torch.add)."),
        ROW(STRING, "case", only_case, CASES, .value = "ID",
            .help = "Only this case: OPERATOR|CONFIG|BUILD|INPUT, as in a record's repro line."),
        ROW(STRING, "resume-id", first_case, .rare = true, CASES, .letter = 'r', .value = "ID",
            .help = "Start at this case (OPERATOR|CONFIG|BUILD|INPUT)."),
        ROW(STRING, "stop_id", end_case, .rare = true, CASES, .letter = 's', .value = "ID",
            .help = "Stop before this case."),
        {.name = NULL},
    };
    return ROWS;
}
#undef ROW

#define ROW(kind, name, field, ...) OB_OPTION(kind, name, ob_job_line, field, OUTPUT, __VA_ARGS__)
const ob_option *ob__job_rows(void)
{
    static const ob_option ROWS[] = {
        ROW(STRING, "output-prefix", prefix, .value = "PREFIX", .initial = "benchmark_result",
            .help = "Write records to PREFIX_<pid>_<time>.json; a PREFIX that ends in .json is the "
                    "file itself."),
        ROW(STRING, "output", output, .value = "FILE",
            .help = "Write records to this file; an existing one is refused without --resume, "
                    "--append or --force. In a folder (DIR/) each run gets its own file."),
        ROW(FLAG, "append", append, .letter = 'a', .help = "Add to the file of --output."),
        ROW(FLAG, "resume", resume,
            .help = "Continue from what the file of --output holds; different cases, or options "
                    "that change the measurement, are refused."),
        ROW(FLAG, "force", force, .help = "Replace the file of --output if it exists."),
        ROW(FLAG, "wait", wait, .rare = true,
            .help = "Wait while another run writes to the file; without this, that is an error."),
        ROW(CHOICE, "format", format, .value = "FORMAT", .choices = "table|markdown|csv|json",
            .initial = "table", .help = "What to print on standard output."),
        ROW(FLAG, "wide", wide, .rare = true,
            .help = "With several backends: GFLOP/s, GB/s and the share of what is attainable for "
                    "each, not just the fastest."),
        ROW(STRING, "sort", sort, .value = "COLUMN",
            .help = "Sort the table by this column; -COLUMN: largest first. See --top."),
        ROW(INT, "top", top, .value = "N", .rare = true, .min = 1, .max = 1e9, .otherwise = "all",
            .help = "Show only the first N rows of the table; the file still has all of them."),
        ROW(FLAG, "quiet", quiet, .letter = 'q', .help = OB_QUIET_HELP),
        ROW(LIST, "tag", tags, .rare = true, .value = "KEY=VALUE",
            .help = "Tag the run in its header, for `opbench history`; up to 8 times."),
        OB_OPTION(STRING, "shard", ob_job_line, shard, .rare = true, CASES, .value = "K/N|auto",
                  .help = "Run only part K of N, for one of N machines; auto asks Slurm or the MPI "
                          "launcher. `opbench merge` joins the files."),
        OB_OPTION(CHOICE, "shard-by", ob_job_line, shard_by, .rare = true, CASES, .value = "METHOD",
                  .choices = "order|cost", .initial = "order",
                  .help = "With --shard: every N-th case, or parts of about equal cost; cost looks "
                          "at every case before measuring the first."),
        OB_OPTION(STRING, "shard-costs", ob_job_line, shard_costs, .rare = true, CASES,
                  .value = "FILE", .otherwise = "estimates by operator and shape",
                  .help = "With --shard: divide by the times in these records; implies --shard-by "
                          "cost. Every machine needs the same file."),
        OB_OPTION(FLAG, "no-isolate", ob_job_line, no_isolate, .rare = true,
                  .group = "Threads and processes",
                  .help = "Run the cases in this process, for debuggers; a crash then ends the "
                          "run."),
        {.name = NULL},
    };
    return ROWS;
}
#undef ROW

#define ROW(kind, name, field, ...) OB_OPTION(kind, name, ob_trace_selection, field, __VA_ARGS__)
const ob_option *ob__trace_rows(void)
{
    static const ob_option ROWS[] = {
        ROW(INT, "trace-step", iteration, .value = "N", .max = 1e15, .initial = "-1",
            .otherwise = "all", .help = "Only this step, as the profiler numbered it from 0."),
        ROW(STRING, "subgraph", label, .value = "TEXT", /* et_replay's word */
            .help = "Only what is below nodes with this text in their names."),
        ROW(FLAG, "leaves", leaves,
            .help = "The innermost operators instead of the topmost; these are not where most of "
                    "the computing is."),
        ROW(FLAG, "keep-loader", keep_loader, .help = "Include the data loader's calls."),
        {.name = NULL},
    };
    return ROWS;
}
