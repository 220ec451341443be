/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows of `opbench run`, what is refused, and how the header record tells of them.
 */
#include "run_options.h"

#include "backend_options.h"

#include "opbench/version.h"

#include <string.h>
#include <strings.h>

#define NO_CUPTI "opbench does not collect CUPTI counters; use --ncu"
#define GRAPHS                                                                                     \
    "CUDA graphs come with torch.compile; use --backend python --device cuda --backend-options "   \
    "compile=reduce-overhead"
#define REFUSED(kind, option, why, ...)                                                            \
    {                                                                                              \
        .name = (option), .type = OB_OPTION_##kind, .refused = (why), .rare = true,                \
        .group = "PARAM options that are refused", __VA_ARGS__                                     \
    }

const ob_option ob__run_rows[] = {
    OB_OPTION_ROWS_OF(ob__text_rows, "config", offsetof(ob_run_line, config)),
    OB_OPTION_ROWS_OF(ob__choice_rows, "*", offsetof(ob_run_line, choice)),
    OB_OPTION_ROWS_OF(ob_run_option_rows, "!num-threads", offsetof(ob_run_line, run)),
    OB_THREAD_LIST_ROW(offsetof(ob_run_line, threads)),
    OB_OPTION_ROWS_OF(ob__job_rows, "output-prefix", offsetof(ob_run_line, job), .letter = 'o'),
    OB_OPTION_ROWS_OF(ob__job_rows,
                      "output|append|resume|force|wait|format|wide|sort|top|quiet|no-isolate|"
                      "tag|" OB_JOB_SHARD_ROWS,
                      offsetof(ob_run_line, job)),
    OB_OPTION_ROWS_OF(ob__text_rows, "log-level", offsetof(ob_run_line, log_level)),
    OB_OPTION_ROWS_OF(ob_job_batch_rows, "*", offsetof(ob_run_line, batches)),
    REFUSED(FLAG, "cuda-graph", GRAPHS, .help = "Replays a CUDA graph."),
    REFUSED(FLAG, "cupti-profiler", NO_CUPTI, .help = "Collect CUPTI counters."),
    REFUSED(STRING, "cupti-profiler-metrics", NO_CUPTI, .value = "LIST",
            .help = "Which CUPTI metrics to collect."),
    REFUSED(FLAG, "cupti-profiler-measure-per-kernel", NO_CUPTI,
            .help = "Collect them for each kernel."),
    OB_OPTION(FLAG, "version", ob_run_line, version, .help = "Show the version and exit."),
    {.name = NULL},
};

void ob__run_line_init(void *line)
{
    ob_run_line *o = line;
    ob_run_options_init(&o->run);
    o->batches.size = sizeof o->batches;
    o->choice.size = sizeof o->choice;
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

/* Each number of threads must go with the other options. */
static int check_threads(ob_cli *cli, const ob_run_line *line, ob_thread_list *out)
{
    ob_run_options run = line->run;
    ob_err err;
    *out = (ob_thread_list){.counts = {run.threads}, .size = 1};
    if (line->threads != NULL && ob__thread_list_read(cli, line->threads, out) != OB_EXIT_OK)
        return OB_EXIT_USAGE;
    for (size_t i = 0; i < out->size; i++) {
        run.threads = out->counts[i];
        if (ob_run_options_check(&run, &err) != OB_OK)
            return ob__cli_usage_error(cli, "%s", err.message);
    }
    return OB_EXIT_OK;
}

int ob__run_line_check(ob_cli *cli, const ob_run_line *line, ob_run_wishes *out)
{
    ob_err err;
    out->log_level = line->job.quiet ? OB_LOG_ERROR : OB_LOG_WARNING;
    if (line->log_level != NULL && !read_level(line->log_level, &out->log_level))
        return ob__cli_usage_error(
            cli, "--log-level: '%.64s' is not a level; give one of debug|info|warning|error",
            line->log_level);
    if (ob__job_line_check(cli, &line->job, &line->run) != OB_EXIT_OK)
        return OB_EXIT_USAGE;
    const bool several = ob_run_options_backend_count(&line->run) > 1;
    const bool profiled = line->batches.profilers[OB_PROFILER_NCU].wanted ||
                          line->batches.profilers[OB_PROFILER_NSYS].wanted;
    if (several && profiled)
        return ob__cli_usage_error(
            cli, "--ncu and --nsys can only profile one backend; name one with --backend");
    if (several && line->job.no_isolate)
        return ob__cli_usage_error(cli, "--backend with several names needs a worker process for "
                                        "each; leave out --no-isolate");
    if (line->config == NULL || line->config[0] == '\0')
        return ob__cli_usage_error(cli, "nothing to measure; name a config file, or an operator "
                                        "and its arguments, such as torch.relu 'f32[64,64]'");
    if (ob__backend_options_check(cli, line->run.backend, &err) != OB_OK)
        return ob__cli_usage_error(cli, "%s", err.message);
    if (check_threads(cli, line, &out->threads) != OB_EXIT_OK)
        return OB_EXIT_USAGE;
    if (out->threads.size > 1 && profiled)
        return ob__cli_usage_error(
            cli,
            "--ncu and --nsys can only profile one number of threads; give one with --num-threads");
    return OB_EXIT_OK;
}
