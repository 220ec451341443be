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

/* Options that are the torch backend's, under names of their own. */
typedef struct ob_run_torch_line {
    bool trace;
    const char *script, *library;
} ob_run_torch_line;

/* Options that are the onnxruntime backend's. */
typedef struct ob_run_onnx_line {
    const char *model, *library;
} ob_run_onnx_line;

typedef struct ob_run_line {
    ob_run_options run;
    const char *config, *op, *only_case, *prefix, *output, *resume_id, *stop_id, *format,
        *log_level;
    bool append, resume, force, wait, no_isolate, quiet, version;
    ob_run_profiler_line profilers[OB_PROFILER_COUNT];
    ob_run_torch_line torch;
    ob_run_onnx_line onnx;
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

/* base is the offset of the ob_run_torch_line. */
#define OB_RUN_TORCH_ROWS(base)                                                                    \
    {.name = "torchscript",                                                                        \
     .type = OB_OPTION_STRING,                                                                     \
     .offset = (base) + offsetof(ob_run_torch_line, script),                                       \
     .value = "FILE",                                                                              \
     .help = "TorchScript, saved or as source: its functions are operators torchscript::NAME; "    \
             "backend torch."},                                                                    \
    {                                                                                              \
        .name = "torch-library", .type = OB_OPTION_STRING,                                         \
        .offset = (base) + offsetof(ob_run_torch_line, library), .value = "FILES",                 \
        .help =                                                                                    \
            "Shared objects that register operators with torch, separated by ':'; backend torch."  \
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
/* The same as for torch, below. */
ob_status ob__run_onnx_check(const ob_run_line *line, ob_err *err);
ob_status ob__run_onnx_apply(const ob_run_line *line, ob_run_options *run, char **text,
                             ob_err *err);
/* Where --et writes to, allocated; NULL without memory. */
char *ob__run_torch_trace_path(const char *record_path);
/* Whether one of the options of torch is given. */
bool ob__run_torch_given(const ob_run_line *line);
/* OB_ERR_INVALID when options of torch are given and the backend is another one. */
ob_status ob__run_torch_check(const ob_run_line *line, ob_err *err);
/* `given`, which may be NULL, and behind it the options of torch as name=value, with torch. in front of the names
 * where there are several backends. trace NULL = none is written. *text is malloc'ed. */
ob_status ob__torch_options_text(const ob_run_torch_line *torch, const char *given,
                                 const char *trace, bool several, char **text, ob_err *err);
/* Makes them options of the backend: run->backend and run->backend_options, whose text is *text then
 * (malloc'ed; NULL when none of them is given). */
ob_status ob__run_torch_apply(const ob_run_line *line, const char *record_path, ob_run_options *run,
                              char **text, ob_err *err);
/* PARAM's part of the header record, but for what belongs to the profilers' programs. */
void ob__run_line_describe(const ob_run_line *line, ob_record_options *out);
/* An option's name in the header: exec_mode for exec-mode. */
void ob__run_line_key(const char *name, char *out, size_t size);
/* All options by their names, as an object that lives as long as doc. */
ob_status ob__run_line_list(const ob_run_line *line, ob_json_doc *doc, const ob_json **out,
                            ob_err *err);

/* Measures and reports as `opbench run` does (cmd_run.c): the config in the file line->config, or in
 * text, which line->config is the name of then. Returns the exit code. */
int ob__run_measure(ob_cli *cli, const ob_run_line *line, const char *text, size_t length);

#endif
