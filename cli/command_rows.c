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
             .help = "Of the config only this case: OPERATOR|CONFIG|BUILD|INPUT."),
        TEXT("log-level", OUTPUT, .rare = true, .letter = 'l', .value = "LEVEL",
             .otherwise = "warning; error with -q",
             .help = "What standard error gets: debug, info, warning or error."),
        {.name = NULL},
    };
    return ROWS;
}

#define ROW(kind, name, field, ...) OB_OPTION(kind, name, ob_case_choice, field, __VA_ARGS__)
const ob_option *ob__choice_rows(void)
{
    static const ob_option ROWS[] = {
        ROW(STRING, "op", op, CASES, .value = "NAME",
            .help = "Only the cases of this operator, by its name in the config or by any other "
                    "name of it (aten::add for torch.add)."),
        ROW(STRING, "case", only_case, CASES, .value = "ID",
            .help = "Only this case: OPERATOR|CONFIG|BUILD|INPUT, as in a record's repro line."),
        ROW(STRING, "resume-id", first_case, .rare = true, CASES, .letter = 'r', .value = "ID",
            .help = "Begin with this case (OPERATOR|CONFIG|BUILD|INPUT)."),
        ROW(STRING, "stop_id", end_case, .rare = true, CASES, .letter = 's', .value = "ID",
            .help = "End before this case."),
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
            .help =
                "Records go to PREFIX_<pid>_<time>.json; a PREFIX that ends in .json is the file "
                "itself."),
        ROW(STRING, "output", output, .value = "FILE",
            .help = "Records go to this file; one that is there already is refused without "
                    "--resume, --append or --force. In a folder (DIR/) every run has a file of "
                    "its own."),
        ROW(FLAG, "append", append, .letter = 'a', .help = "Add to the file of --output."),
        ROW(FLAG, "resume", resume,
            .help = "Go on from what the file of --output holds; other cases, or options that "
                    "measure in another way, are refused."),
        ROW(FLAG, "force", force, .help = "Replace the file of --output if it is there already."),
        ROW(FLAG, "wait", wait, .rare = true,
            .help = "While another run writes to the file, wait; without this, that is an error."),
        ROW(CHOICE, "format", format, .value = "FORM", .choices = "table|markdown|csv|json",
            .initial = "table", .help = "What standard output gets."),
        ROW(FLAG, "wide", wide, .rare = true,
            .help = "With several backends: GFLOP/s, GB/s and the share of what is attainable of "
                    "each, instead of the fastest alone."),
        ROW(STRING, "sort", sort, .value = "COLUMN",
            .help = "Order the table by it; -COLUMN: largest first. See --top."),
        ROW(INT, "top", top, .value = "N", .rare = true, .min = 1, .max = 1e9, .otherwise = "all",
            .help = "Show only the first N rows of the table; the file has all."),
        ROW(FLAG, "quiet", quiet, .letter = 'q', .help = OB_QUIET_HELP),
        ROW(LIST, "tag", tags, .rare = true, .value = "KEY=VALUE",
            .help = "Say this of the run in its header, for `opbench history`; up to 8 times."),
        OB_OPTION(STRING, "shard", ob_job_line, shard, .rare = true, CASES, .value = "K/N|auto",
                  .help = "Only the K-th of N parts of the cases, for one of N machines; auto asks "
                          "Slurm or the MPI launcher. `opbench merge` joins the files."),
        OB_OPTION(CHOICE, "shard-by", ob_job_line, shard_by, .rare = true, CASES, .value = "WORD",
                  .choices = "order|cost", .initial = "order",
                  .help = "With --shard: every N-th case, or parts that cost about the same; for "
                          "cost every case is looked at before the first is measured."),
        OB_OPTION(STRING, "shard-costs", ob_job_line, shard_costs, .rare = true, CASES,
                  .value = "FILE", .otherwise = "estimates by operator and shape",
                  .help = "With --shard: divide by what cases took in these records; means "
                          "--shard-by cost. Every machine needs the same file."),
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
            .otherwise = "all", .help = "Only this step that the profiler marked, from 0."),
        ROW(STRING, "subgraph", label, .value = "TEXT", /* et_replay's word */
            .help = "Only what is below nodes with this text in their name."),
        ROW(FLAG, "leaves", leaves,
            .help = "The innermost operators instead of the topmost; most of the computing is not "
                    "there."),
        ROW(FLAG, "keep-loader", keep_loader, .help = "Also what the data loader called."),
        {.name = NULL},
    };
    return ROWS;
}
