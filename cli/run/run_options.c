/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows of `opbench run`, what is refused, and how the header record tells of them.
 */
#include "run_options.h"

#include "backend_options.h"

#include "opbench/version.h"

#include <string.h>
#include <strings.h>

#define AT(field) .offset = offsetof(ob_run_line, field)

#define NEEDS_CUDA "it needs CUDA, and none of the backends runs on it; leave it out"
#define NEEDS_PYTHON "torch.compile is a Python program, and there is no Python here; leave it out"
#define REFUSED(kind, option, why, ...)                                                            \
    {                                                                                              \
        .name = (option), .type = OB_OPTION_##kind, .refused = (why),                              \
        .group = "Options of PARAM that are refused", __VA_ARGS__                                  \
    }

#define PROFILER_ROWS(word, kind, product, warmup_text, iteration_text)                            \
    {.name = word,                                                                                 \
     .type = OB_OPTION_FLAG,                                                                       \
     AT(batches.profilers[kind].wanted),                                                           \
     .help = "Run the measured cases once more, in batches, under " product "."},                  \
        {.name = word "-bin",                                                                      \
         .type = OB_OPTION_STRING,                                                                 \
         AT(batches.profilers[kind].program),                                                      \
         .value = "FILE",                                                                          \
         .help = "The program; " word " of PATH if not given."},                                   \
        {.name = word "-args-file",                                                                \
         .type = OB_OPTION_STRING,                                                                 \
         AT(batches.profilers[kind].args_file),                                                    \
         .value = "FILE",                                                                          \
         .help = "A file with further arguments for " word ", in a shell's notation."},            \
        {.name = word "-warmup",                                                                   \
         .type = OB_OPTION_INT,                                                                    \
         AT(batches.profilers[kind].warmup),                                                       \
         .value = "N",                                                                             \
         .help = "Warm-up iterations under " word " (" warmup_text "); 0 or less: none."},         \
    {                                                                                              \
        .name = word "-iteration", .type = OB_OPTION_INT, AT(batches.profilers[kind].iteration),   \
        .value = "N",                                                                              \
        .help = "Measured iterations under " word " (" iteration_text "); 0 or less: none."        \
    }

const ob_option ob__run_rows[] = {
    {.name = "config",
     .letter = 'c',
     .type = OB_OPTION_STRING,
     AT(config),
     .value = "FILE",
     .help = "The benchmark config; - reads standard input."},
    {.name = "op",
     .type = OB_OPTION_STRING,
     AT(choice.op),
     .value = "NAME",
     .help = "Only the cases of this operator, by its name in the config or by any other name of "
             "it (aten::add for torch.add)."},
    {.name = "case",
     .type = OB_OPTION_STRING,
     AT(choice.only_case),
     .value = "ID",
     .help = "Only this case: OPERATOR|CONFIG|BUILD|INPUT, as in a record's repro line."},
    OB_JOB_FILE_ROWS(offsetof(ob_run_line, job)),
    {.name = "resume",
     .type = OB_OPTION_FLAG,
     AT(job.resume),
     .help = "Go on from what the file of --output holds; another config, or options that measure "
             "in another way, are refused."},
    {.name = "resume-id",
     .letter = 'r',
     .type = OB_OPTION_STRING,
     AT(choice.first_case),
     .value = "ID",
     .help = "Begin with this case (OPERATOR|CONFIG|BUILD|INPUT)."},
    {.name = "stop_id",
     .letter = 's',
     .type = OB_OPTION_STRING,
     AT(choice.end_case),
     .value = "ID",
     .help = "End before this case."},
    OB_JOB_SCREEN_ROWS(offsetof(ob_run_line, job)),
    OB_OPTION_ROWS_OF(ob_run_option_rows, "*", offsetof(ob_run_line, run)),
    OB_RUN_LOG_ROWS(0),
    {.name = "version", .type = OB_OPTION_FLAG, AT(version), .help = "Show the version and exit."},
    PROFILER_ROWS("ncu", OB_PROFILER_NCU, "NVIDIA Nsight Compute", "5", "1"),
    PROFILER_ROWS("nsys", OB_PROFILER_NSYS, "NVIDIA Nsight Systems", "5", "10"),
    {.name = "run-batch-size",
     .type = OB_OPTION_INT,
     AT(batches.batch_size),
     .value = "N",
     .min = 1,
     .max = 1e9,
     .help = "Cases per start of ncu or nsys (50)."},
    {.name = "batch-cuda-device",
     .type = OB_OPTION_INT,
     AT(batches.cuda_device),
     .value = "N",
     .max = 4095,
     .help = "The CUDA device that ncu and nsys see (1)."},
    {.name = "batch-cmd",
     .type = OB_OPTION_STRING,
     AT(batches.command),
     .value = "COMMAND",
     .help = "What ncu and nsys start; this program's worker if not given."},
    REFUSED(FLAG, "pt2-model", NEEDS_PYTHON, .help = "Compile by torch.compile."),
    REFUSED(FLAG, "cuda-graph", NEEDS_CUDA, .help = "Replay a CUDA graph."),
    REFUSED(FLAG, "cupti-profiler", NEEDS_CUDA, .help = "Counters of CUPTI."),
    REFUSED(STRING, "cupti-profiler-metrics", NEEDS_CUDA, .value = "LIST", .help = "Which ones."),
    REFUSED(FLAG, "cupti-profiler-measure-per-kernel", NEEDS_CUDA, .help = "One by one."),
    {.name = NULL},
};

void ob__run_line_init(void *line)
{
    ob_run_line *o = line;
    ob_run_options_init(&o->run);
    ob_job_batches_init(&o->batches);
    o->choice.size = sizeof o->choice;
    o->job.format = "table";
    o->job.prefix = "benchmark_result";
}

/* ---- checks ---- */

static bool read_level(const char *word, ob_log_level *out)
{
    static const char *const WORDS[] = {[OB_LOG_ERROR] = "error",
                                        [OB_LOG_WARNING] = "warning",
                                        [OB_LOG_INFO] = "info",
                                        [OB_LOG_DEBUG] = "debug"};
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (strcasecmp(word, WORDS[i]) == 0) {
            *out = (ob_log_level)i;
            return true;
        }
    return false;
}

int ob__run_line_check(ob_cli *cli, const ob_run_line *line, ob_log_level *log_level)
{
    ob_err err;
    *log_level = line->job.quiet ? OB_LOG_ERROR : OB_LOG_WARNING;
    if (line->log_level != NULL && !read_level(line->log_level, log_level))
        return ob__cli_usage_error(
            cli, "--log-level: '%.64s' is no level; give one of debug|info|warning|error",
            line->log_level);
    if (ob__job_line_check(cli, &line->job, &line->run) != OB_EXIT_OK)
        return OB_EXIT_USAGE;
    const bool several = ob_run_options_backend_count(&line->run) > 1;
    if (several && (line->batches.profilers[OB_PROFILER_NCU].wanted ||
                    line->batches.profilers[OB_PROFILER_NSYS].wanted))
        return ob__cli_usage_error(cli,
                                   "--ncu and --nsys see one backend; name one with --backend");
    if (several && line->job.no_isolate)
        return ob__cli_usage_error(cli, "--backend with several names needs a worker process for "
                                        "each; leave out --no-isolate");
    if (line->config == NULL || line->config[0] == '\0')
        return ob__cli_usage_error(cli, "no config; give one with -c FILE");
    if (ob__backend_options_check(cli, line->run.backend, &err) != OB_OK ||
        ob_run_options_check(&line->run, &err) != OB_OK)
        return ob__cli_usage_error(cli, "%s", err.message);
    return OB_EXIT_OK;
}
