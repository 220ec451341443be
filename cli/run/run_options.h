/* SPDX-License-Identifier: Apache-2.0
 *
 * The command line of `opbench run`: PARAM's options under their names, and ours.
 */
#ifndef OB_CLI_RUN_OPTIONS_H
#define OB_CLI_RUN_OPTIONS_H

#include "output_file.h"

#include "opbench/batch.h"

/* What --ncu and --nsys have in common. */
typedef struct ob_run_profiler_line {
    bool wanted;
    const char *program, *args_file;
    int64_t warmup, iteration;
} ob_run_profiler_line;

typedef struct ob_run_line {
    ob_run_options run;
    const char *config, *op, *only_case, *prefix, *output, *resume_id, *stop_id, *format,
        *log_level;
    bool append, resume, force, wait, no_isolate, quiet, version;
    ob_run_profiler_line profilers[OB_PROFILER_COUNT];
    int64_t batch_size, batch_cuda_device;
    const char *batch_command;
    /* Known, and refused with the reason. */
    bool pt2_model, cuda_graph, cupti, cupti_per_kernel;
    const char *cupti_metrics;
} ob_run_line;

/* Rows that other commands which measure through the same code have too; base is the offset of the
 * ob_run_line in the struct that is filled. */
#define OB_RUN_FILE_ROWS(base)                                                                     \
    {.name = "output-prefix",                                                                      \
     .letter = 'o',                                                                                \
     .type = OB_OPTION_STRING,                                                                     \
     .offset = (base) + offsetof(ob_run_line, prefix),                                             \
     .value = "PREFIX",                                                                            \
     .help = "Records go to PREFIX_<pid>_<time>.json; benchmark_result if not given."},            \
        {.name = "output",                                                                         \
         .type = OB_OPTION_STRING,                                                                 \
         .offset = (base) + offsetof(ob_run_line, output),                                         \
         .value = "FILE",                                                                          \
         .help =                                                                                   \
             "Records go to this file; one that is there already is refused without --resume, "    \
             "--append or --force."},                                                              \
        {.name = "append",                                                                         \
         .letter = 'a',                                                                            \
         .type = OB_OPTION_FLAG,                                                                   \
         .offset = (base) + offsetof(ob_run_line, append),                                         \
         .help = "Add to the file of --output."},                                                  \
        {.name = "force",                                                                          \
         .type = OB_OPTION_FLAG,                                                                   \
         .offset = (base) + offsetof(ob_run_line, force),                                          \
         .help = "Replace the file of --output if it is there already."},                          \
        OB_WAIT_ROW((base) + offsetof(ob_run_line, wait))
#define OB_RUN_SCREEN_ROWS(base)                                                                   \
    {.name = "no-isolate",                                                                         \
     .type = OB_OPTION_FLAG,                                                                       \
     .offset = (base) + offsetof(ob_run_line, no_isolate),                                         \
     .help = "Run the cases in this process, for debuggers; a crash then ends the run."},          \
        {.name = "format",                                                                         \
         .type = OB_OPTION_CHOICE,                                                                 \
         .offset = (base) + offsetof(ob_run_line, format),                                         \
         .value = "FORM",                                                                          \
         .choices = "table|markdown|csv|json",                                                     \
         .help = "What standard output gets; table if not given."},                                \
    {                                                                                              \
        .name = "quiet", .letter = 'q', .type = OB_OPTION_FLAG,                                    \
        .offset = (base) + offsetof(ob_run_line, quiet),                                           \
        .help = "Nothing on standard output and no warnings; the file has everything."             \
    }
#define OB_RUN_LOG_ROWS(base)                                                                      \
    {                                                                                              \
        .name = "log-level", .letter = 'l', .type = OB_OPTION_STRING,                              \
        .offset = (base) + offsetof(ob_run_line, log_level), .value = "LEVEL",                     \
        .help = "What standard error gets: debug, info, warning (if not given) or error (if not "  \
                "given, "                                                                          \
                "with -q)."                                                                        \
    }

extern const ob_option ob__run_rows[];

void ob__run_line_init(void *line);
/* OB_EXIT_OK, or what is wrong was said. *log_level is the one asked for. */
int ob__run_line_check(ob_cli *cli, const ob_run_line *line, ob_log_level *log_level);
/* Whether the backend is one of those in "native,torch". */
bool ob__backend_is_among(const char *list, const char *backend);
/* "name=value" with commas of the value escaped, behind a comma if it is not the first; beside other backends with
 * "backend." in front. Returns the new end; nothing is appended when value is NULL. */
char *ob__append_backend_option(char *to, bool first, const char *backend, const char *name,
                                const char *value);
/* PARAM's part of the header record, but for what belongs to the profilers' programs. */
void ob__run_line_describe(const ob_run_line *line, ob_record_options *out);
/* An option's name in the header: exec_mode for exec-mode. */
void ob__run_line_key(const char *name, char *out, size_t size);
/* All options by their names, as an object that lives as long as doc. */
ob_status ob__run_line_list(const ob_cli *cli, const ob_run_line *line, ob_json_doc *doc,
                            const ob_json **out, ob_err *err);

/* Measures and reports as `opbench run` does (cmd_run.c): the config in the file line->config, or in
 * text, which line->config is the name of then. Returns the exit code. */
int ob__run_measure(ob_cli *cli, const ob_run_line *line, const char *text, size_t length);

#endif
