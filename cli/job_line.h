/* SPDX-License-Identifier: Apache-2.0
 *
 * A job (opbench/job.h) as commands have it: the options of its file and of the screen, interrupts, the progress line,
 * and what becomes of its failures.
 */
#ifndef OB_CLI_JOB_LINE_H
#define OB_CLI_JOB_LINE_H

#include "command_rows.h"
#include "job_folder.h"
#include "output_file.h"
#include "own_path.h"

#include "opbench/job.h"
#include "opbench/report.h"

/* ---- options ---- */

typedef struct ob_job_line {
    const char *prefix, *output, *format, *shard, *shard_by, *shard_costs;
    bool append, resume, force, wait, no_isolate, quiet, wide;
    const char *sort;
    int64_t top;
    const char *named_by; /* no option: see ob_result_file_params */
    bool adds;            /* no option: a file that is there already is appended to unasked */
    ob_option_list tags;  /* "key=value" */
} ob_job_line;

/* Names of the rows about a part of the cases. */
#define OB_JOB_SHARD_ROWS "shard|shard-by|shard-costs"
/* Of commands that add to their file unless they are told otherwise; base is the offset of the ob_job_line. */
#define OB_JOB_ADDED_FILE_ROWS(base)                                                               \
    OB_OPTION_ROWS_OF(ob__job_rows, "output", base, .letter = 'o', .otherwise = "none",            \
                      .help = "Append the records to this file."),                                 \
        OB_OPTION_ROWS_OF(                                                                         \
            ob__job_rows, "append", base, .rare = true,                                            \
            .help = "Append, which is the default here; `opbench run` needs it spelled out."),     \
        OB_OPTION_ROWS_OF(ob__job_rows, "resume|force|wait|tag|" OB_JOB_SHARD_ROWS, base)
#define OB_JOB_SCREEN_ROWS(base) OB_OPTION_ROWS_OF(ob__job_rows, "format|quiet|no-isolate", base)

/* --quiet, and a file has the results. */
bool ob__job_line_is_mute(const ob_job_line *line);
/* -o NAME is PARAM's beginning of a name; as nobody wants NAME.json_123_456.json, NAME.json is taken for the file. */
void ob__job_line_take_prefix(ob_cli *cli, ob_job_line *line);
/* OB_EXIT_OK, or what is wrong was said. */
int ob__job_line_check(ob_cli *cli, const ob_job_line *line, const ob_run_options *run);

/* ---- a job of a command ---- */

typedef struct ob_cli_job {
    ob_cli *cli;
    const ob_job_line *line;
    /* What the command does with a result; NULL = nothing. Lines of JSON are printed before, if --format is json. */
    ob_status (*show)(void *ctx, const ob_job_event *event, ob_err *err);
    void *show_ctx;
    bool at_once;         /* the first interrupt ends it; else after the case under way */
    ob_job *job;          /* that the command opens with params */
    ob_job_params params; /* filled by ob__cli_job_init */
    ob_own_path own;
    char config_path[PATH_MAX];
    ob_cli_waiting waiting;
    ob_json_doc *arguments;
    ob_shard shard; /* what params may point to, as to the names in folder */
    ob_job_folder folder;
    bool is_threaded;      /* what is measured is asked from several threads whether to stop */
    bool has_progress;     /* standard error is a terminal */
    bool waits;            /* for the last result, before the table is printed */
    bool is_live;          /* rows are printed as they come */
    ob_report *report;     /* of ob__cli_job_open_report; NULL = none */
    bool is_in_step;       /* the line says how far a step is */
    bool is_of_stdin;      /* the config came from there */
    bool has_other_output; /* the command's --output is not the file of records */
    uint64_t drawn_ns;     /* when the line was drawn last */
    ob_text rows;          /* scratch */
    bool has_rates;        /* a result could stand beside ceilings */
    char attained[256];    /* backends of results that stand beside ceilings, "a,b" */
    int64_t threads_told;
} ob_cli_job;

/* rows and values: the command's options, for the header. Fini also after a failure. */
ob_status ob__cli_job_init(ob_cli_job *job, const ob_option *rows, const void *values, ob_err *err);
/* Names config and program in the repro lines of records, so that they work from any folder. OB_EXIT_OK, or what is
 * wrong was said: without a path of its own the program cannot start workers. */
int ob__cli_job_name(ob_cli_job *job, const char *config, ob_run_options *run);
/* A report of the job's results, as the line wants it: its order, the screen's width and colours. Before the job is opened; the
 * caller fills params as far as the view needs, and destroys the report. */
ob_status ob__cli_job_open_report(ob_cli_job *job, const ob_report_params *params, ob_report **out,
                                  ob_err *err);
/* Adds a result to it. On a terminal that gets a table its rows are printed as they come. */
ob_status ob__cli_job_show(ob_cli_job *job, ob_report *report, const ob_record *record,
                           ob_err *err);
/* What starts workers; NULL = none are wanted. */
const char *ob__cli_job_worker(const ob_cli_job *job);
/* Runs it. OB_EXIT_OK, or what is wrong was said; what came of the cases is in the job's summary. */
int ob__cli_job_run(ob_cli_job *job);
/* Closes it; `code` becomes another one if that fails. */
int ob__cli_job_fini(ob_cli_job *job, int code);

#endif
