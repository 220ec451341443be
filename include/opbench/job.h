/* SPDX-License-Identifier: Apache-2.0
 *
 * A job: a source of cases becomes records, in a file if one is wanted. It opens the file (new, appended to,
 * resumed, replaced), writes the header, leaves out what a resumed file has, counts and hands on what the source
 * measures, and ends the file with a finish record. `opbench run` and the other commands that measure are jobs,
 * so their files can be had by any program.
 */
#ifndef OPBENCH_JOB_H
#define OPBENCH_JOB_H

#include "opbench/option.h"
#include "opbench/run.h"
#include "opbench/suite_run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ob_job ob_job;

/* ---- which cases of a config ---- */

/* Members that are NULL choose nothing. Cases are called "OPERATOR|CONFIG|BUILD|INPUT". */
typedef struct ob_case_choice {
    size_t size;            /* sizeof(ob_case_choice) */
    const char *op;         /* only this operator's, by any of its names */
    const char *only_case;  /* only this one */
    const char *first_case; /* from this one on */
    const char *end_case;   /* up to the one before this */
} ob_case_choice;

/* Cases [first, first + count) of the config. */
typedef struct ob_case_range {
    uint64_t first, count;
} ob_case_range;

/* The library makes and frees it. */
typedef struct ob_case_selection {
    ob_case_range *ranges; /* in order, none empty */
    size_t count;
    uint64_t cases;                    /* in all of them */
    const char *first_case, *end_case; /* as in the choice, whose texts must outlive it */
} ob_case_selection;

/* No case is made but those that are looked for by their ids. OB_ERR_NOT_FOUND: the config has no such operator or
 * case; OB_ERR_INVALID: that is no case's name, or --op and --case contradict each other. */
ob_status ob_cases_select(const ob_context *context, const ob_config *config,
                          const ob_case_choice *choice, ob_case_selection **out, ob_err *err);
void ob_case_selection_destroy(ob_case_selection *selection); /* NULL is allowed */
/* Whether cases of this operator can be among those chosen. */
bool ob_case_choice_has(const ob_context *context, const ob_case_choice *choice, const char *op);

/* ---- a source ---- */

/* What is measured. Texts and options must outlive the job. */
typedef struct ob_job_source {
    size_t size;      /* sizeof(ob_job_source) */
    const char *name; /* of its file, for the header and messages */
    const char *hash; /* of all that decides which cases there are: see ob_job_hash */
    const char
        *chosen_by;   /* options that change which cases there are, for a message; may be NULL */
    uint64_t cases;   /* for the header */
    uint64_t results; /* records that they come to (one per backend); 0 = cases */
    const char *end;  /* how the finish record calls a whole run; NULL = "finished" */
    /* How it is measured, for the header; a resumed file must have been measured so. NULL = nothing is said. */
    const ob_run_options *options;
    /* What the header has besides. May be NULL. */
    ob_status (*describe)(void *ctx, ob_record_header *header, ob_err *err);
    /* Measures, and hands over what it measured by the functions below. OB_END: it was interrupted. */
    ob_status (*run)(void *ctx, ob_job *job, ob_err *err);
    void *ctx;
} ob_job_source;

/* A hash over texts; zeros to begin with. */
typedef struct ob_job_hash {
    char text[40];
} ob_job_hash;
void ob_job_hash_add(ob_job_hash *hash, const char *text, size_t length);
ob_status ob_job_hash_json(ob_job_hash *hash, const ob_json *value, ob_err *err);

/* For ob_job_source.run. */

/* Writes the header, unless it is written. The first record does it too, without properties of backends. */
ob_status ob_job_begin(ob_job *job, const ob_json *properties, ob_err *err);
/* Whether a result is to be measured. False: the resumed file has it, which is counted. */
bool ob_job_wants(ob_job *job, const ob_done_name *name);
/* The same question for ob_run_params.done; NULL = the job is not resumed. */
const ob_done *ob_job_done(const ob_job *job);
/* Appends a record of any kind. A result is counted by its status, shown to on_record, and reported as progress. */
ob_status ob_job_add(ob_job *job, const ob_record *record, ob_err *err);
/* The same for a result whose line was printed before. */
ob_status ob_job_add_line(ob_job *job, const ob_record *record, const char *line, size_t length,
                          ob_err *err);
/* 0 = go on, 1 = end after the present case, 2 = end at once. For callbacks called `stop`, with the job as ctx. */
int ob_job_stop(void *job);

/* ---- a job ---- */

typedef enum ob_job_mode {
    OB_JOB_NEW,     /* a file that holds something is refused, OB_ERR_INVALID */
    OB_JOB_REPLACE, /* it is emptied */
    OB_JOB_APPEND,  /* records go behind what is there */
    OB_JOB_RESUME,  /* the same, and what it has is not measured again; the file must be there */
} ob_job_mode;

/* A result. */
typedef struct ob_job_event {
    const ob_record *record; /* valid during the call, as the line */
    const char *line;        /* with its newline */
    size_t length;
    bool is_old; /* the resumed file had it; those come first, while the job is opened */
} ob_job_event;

typedef struct ob_job_progress {
    uint64_t done, total;         /* results of this run, without those that a resumed file had */
    double seconds, seconds_left; /* since the run began; estimated by the results so far */
    const ob_record *record;      /* the last one; NULL = it is about the one under way: */
    const ob_run_progress *step;  /* how far a step of a trace is; NULL = a result came */
} ob_job_progress;

typedef struct ob_job_params {
    size_t size; /* sizeof(ob_job_params) */
    /* The file: its name, or what ob_result_file_params.prefix makes one from. Neither: there is none, records go to
     * on_record alone. */
    const char *output, *prefix;
    ob_job_mode mode; /* of a file with a name */
    /* While another run writes to the file: see ob_result_file_params.wait. NULL = that is an error. */
    bool (*wait)(void *ctx, const char *path, int64_t pid);
    void *wait_ctx;
    /* For the header. All may be NULL. */
    const ob_json *arguments; /* every option by its name; NULL = those of the source's options */
    const ob_json *library_caps; /* see ob_library_caps_json */
    const ob_json *findings;     /* see ob_findings_json */
    /* With ob_run_options.profile: the trace file, which is overwritten. NULL = one beside the records. */
    const char *trace_output;
    /* Callbacks; all may be NULL. */
    ob_status (*on_record)(void *ctx, const ob_job_event *event, ob_err *err);
    void (*on_progress)(void *ctx, const ob_job_progress *progress);
    int (*stop)(void *ctx); /* asked often: as ob_job_stop */
    void *ctx;
    /* What the command of ob_run_options.wrap printed behind the last case of a worker; it is in the finish record too. */
    void (*on_wrapped)(void *ctx, const char *text, size_t length);
} ob_job_params;

/* What came of it. */
typedef struct ob_job_summary {
    uint64_t cases[OB_RECORD_STATUS_COUNT]; /* results of this run, by their status */
    uint64_t measured, failed;              /* of them: all but these, and these */
    uint64_t left_out;                      /* results that were done already */
    uint64_t failed_before;                 /* failed results of the resumed file, which stay */
    uint64_t failed_batches;                /* profilers' runs that failed */
    uint64_t workers;                       /* how many were started */
    bool interrupted;
} ob_job_summary;

/* Of a program: 0 = all is well, 1 = something failed in this run, 130 = interrupted. */
int ob_job_summary_exit_code(const ob_job_summary *summary);

/* Opens the output. OB_ERR_CONFIG: the file to resume is of other cases, or measured in another way. The context and
 * what the source points to must outlive the job; the structs are copied. */
ob_status ob_job_open(ob_context *context, const ob_job_source *source, const ob_job_params *params,
                      ob_job **out, ob_err *err);
/* Measures and writes the finish record, once. OB_OK also when cases failed, or it was interrupted: see the summary. */
ob_status ob_job_run(ob_job *job, ob_err *err);
/* As long as the job. */
const ob_job_summary *ob_job_get_summary(const ob_job *job);
const char *ob_job_path(const ob_job *job);       /* of the records; NULL = no file */
const char *ob_job_trace_path(const ob_job *job); /* with ob_run_options.profile; NULL = none */
/* Whether the header was written: what fails now failed while it was measured. */
bool ob_job_has_begun(const ob_job *job);
/* NULL is allowed. A file that got its name from a prefix and no header goes. */
ob_status ob_job_close(ob_job *job, ob_err *err);

/* ---- the source for configs ---- */

/* Cases of a config that are measured in one way. */
typedef struct ob_job_part {
    const ob_config *config;
    const ob_case_selection *selection; /* NULL = all */
    const ob_run_options *options;      /* read when the job runs */
} ob_job_part;

typedef struct ob_job_batches ob_job_batches; /* opbench/batch.h */

typedef struct ob_job_configs {
    size_t size;              /* sizeof(ob_job_configs) */
    const ob_job_part *parts; /* measured one after the other */
    size_t part_size;         /* sizeof(ob_job_part) */
    size_t part_count;
    const char *name;              /* NULL = the first config's */
    const char *worker_program;    /* see ob_run_params; NULL = cases run in this process */
    const ob_run_options *options; /* what is said of all parts; NULL = those of the first */
    const char *chosen_by;         /* see ob_job_source */
    const ob_json *sweep; /* that the configs were made from, for the header; NULL = none */
    const char *source;   /* what the cases are, for the header: "trace"; NULL = a config's */
    const ob_job_batches *batches; /* NULL = no profiler */
    const ob_side *const *sides;   /* see ob_run_params; they must outlive the job */
    size_t side_count;
} ob_job_configs;

/* A job on cases of configs. Its parts must outlive it. */
ob_status ob_job_open_configs(ob_context *context, const ob_job_configs *configs,
                              const ob_job_params *params, ob_job **out, ob_err *err);

/* ---- the source for snippets ---- */

/* A statement or a suite, counted, timed or first the one and then the other. What it points to must outlive the job. */
typedef struct ob_job_snippets {
    size_t size;              /* sizeof(ob_job_snippets) */
    const ob_snippets *suite; /* NULL = the statement below */
    const char *name;         /* of the suite's file, for header and repro lines */
    /* One statement, once for each number of threads; of `names` label, sub_label, description and env. */
    ob_timer_args statement;
    const int64_t *threads;
    size_t thread_count;
    ob_task_spec names;
    /* NULL = defaults. But for stop, which is the job's: any wish to end ends it at once. */
    const ob_snippet_options *options;
    bool counts; /* instructions */
    ob_snippet_count_params count;
    const ob_timer_options *timer; /* times; NULL = none */
    int64_t jobs, retries, rounds; /* of a suite: see ob_suite_run_params */
    const char *
        command; /* begins repro lines: program, command and options; NULL = "opbench count" or "opbench time" */
} ob_job_snippets;

/* A job on snippets, each in a process of its own. context may be NULL. A statement that cannot be measured is a record
 * as any case; OB_ERR_IO is one too, but only of a suite. */
ob_status ob_job_open_snippets(ob_context *context, const ob_job_snippets *snippets,
                               const ob_job_params *params, ob_job **out, ob_err *err);

#ifdef __cplusplus
}
#endif
#endif
