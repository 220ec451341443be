/* SPDX-License-Identifier: Apache-2.0
 *
 * A job: a source of cases becomes records, in a file if one is wanted. It opens the file (new, appended to,
 * resumed, replaced), writes the header, leaves out what a resumed file has, counts and hands on what the source
 * measures, and ends the file with a finish record. `opbench run` and the other commands that measure are jobs,
 * so any program can write the same files.
 */
#ifndef OPBENCH_JOB_H
#define OPBENCH_JOB_H

#include "opbench/option.h"
#include "opbench/run.h"
#include "opbench/shard.h"
#include "opbench/suite_run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- which cases of a config ---- */

/* Members that are NULL choose nothing. Cases are called "OPERATOR|CONFIG|BUILD|INPUT". */
typedef struct ob_case_choice {
    size_t size;            /* sizeof(ob_case_choice) */
    const char *op;         /* only this operator's, by any of its names */
    const char *only_case;  /* only this one */
    const char *first_case; /* from this one on */
    const char *end_case;   /* up to the one before this */
} ob_case_choice;

/* The library makes and frees it. */
struct ob_case_selection {
    ob_case_range *ranges; /* in order, none empty */
    size_t count;
    uint64_t cases;                    /* in all of them */
    const char *first_case, *end_case; /* as in the choice, whose texts must outlive it */
};

/* No case is made but those that are looked for by their ids. OB_ERR_NOT_FOUND: the config has no such operator or
 * case; OB_ERR_INVALID: that is not the name of a case, or --op and --case contradict each other. */
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
    uint64_t results; /* records that they make (one per backend); 0 = cases */
    const char *end;  /* how the finish record calls a whole run; NULL = "finished" */
    /* How it is measured, for the header; a resumed file must have been measured in the same way. NULL = the header does not say. */
    const ob_run_options *options;
    /* What else the header has. May be NULL. */
    ob_status (*describe)(void *ctx, ob_record_header *header, ob_err *err);
    /* Measures, and hands over what it measured by the functions below. OB_END: it was interrupted. */
    ob_status (*run)(void *ctx, ob_job *job, ob_err *err);
    void *ctx;
    const ob_shard_division *division; /* of a shard by cost; NULL = the job is not one */
} ob_job_source;

/* A hash over texts; zeros to begin with. */
typedef struct ob_job_hash {
    char text[40];
} ob_job_hash;
void ob_job_hash_add(ob_job_hash *hash, const char *text, size_t length);
ob_status ob_job_hash_json(ob_job_hash *hash, const ob_json *value, ob_err *err);

/* For ob_job_source.run. */

/* What part of its cases is wanted; NULL = all. A source of cases by number leaves out the others itself. */
const ob_shard *ob_job_shard(const ob_job *job);
/* How they were divided, if by cost; else NULL. */
const ob_shard_division *ob_job_division(const ob_job *job);

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

/* ---- a job: opbench/opbench.h runs and closes it ---- */

struct ob_job_progress {
    uint64_t done, total; /* results of this run, without those that a resumed file had */
    double seconds,
        seconds_left; /* since the run began; estimated by sizes and times of cases, NaN before */
    const ob_record *record;     /* the last one; NULL = it is about the one under way: */
    const ob_run_progress *step; /* how far a step of a trace is; NULL = a result came */
    const char *call; /* of the case under way; NULL = there is none, or it is not known */
    double share;     /* of the time that all will take, as estimated; 0 to 1 */
};

/* Calls on_progress, if there is one, with how far it is now: no record, and no step. */
void ob_job_tell_progress(ob_job *job);

/* What is known of the cases before they are measured. */
typedef struct ob_job_outlook {
    size_t size;       /* sizeof(ob_job_outlook) */
    size_t call_width; /* characters of the longest call; 0 = not known */
    bool
        repeats_calls; /* cases that follow each other have the same call, and differ in their ids */
    bool one_pass;     /* there are no backward passes */
    const char *const
        *calls; /* of all cases, or of some of very many; they live as long as the job */
    size_t call_count;
} ob_job_outlook;
ob_status ob_job_look_ahead(ob_job *job, ob_job_outlook *out, ob_err *err);

/* How it went. */
struct ob_job_summary {
    uint64_t cases[OB_RECORD_STATUS_COUNT]; /* results of this run, by their status */
    uint64_t measured, failed;              /* of them: all but these, and these */
    uint64_t left_out;                      /* results that were done already */
    uint64_t failed_before;                 /* failed results of the resumed file, which stay */
    uint64_t failed_batches;                /* profilers' runs that failed */
    uint64_t workers;                       /* how many were started */
    bool interrupted;
};

/* Shares of the CPUs' time during the run: what others used, and what the hypervisor took. NaN = not known, or not over yet. */
void ob_job_get_load(const ob_job *job, double *foreign, double *steal);
/* Opens the output. OB_ERR_CONFIG: the file to resume is of other cases, or measured in another way. The context and
 * what the source points to must outlive the job; the structs are copied. */
ob_status ob_job_open(ob_context *context, const ob_job_source *source, const ob_job_params *params,
                      ob_job **out, ob_err *err);
/* As long as the job. */
const char *ob_job_path(const ob_job *job);       /* of the records; NULL = no file */
const char *ob_job_trace_path(const ob_job *job); /* with ob_run_options.profile; NULL = none */
uint64_t
ob_job_result_count(const ob_job *job); /* that there are to be, with those that are done */
/* Whether the header was written: what fails now failed while it was measured. */
bool ob_job_has_begun(const ob_job *job);

/* ---- the source for snippets ---- */

/* A statement or a suite, counted, timed or first the one and then the other. What it points to must outlive the job. */
typedef struct ob_job_snippets {
    size_t size;              /* sizeof(ob_job_snippets) */
    const ob_snippets *suite; /* NULL = the statement below */
    const char *name;         /* of the suite's file, for header and repro lines */
    /* One statement, once for each number of threads; of `names` label, sub_label, description and env. */
    const ob_timer_args *statement;
    const int64_t *threads;
    size_t thread_count;
    ob_task_spec names;
    /* NULL = defaults. But for stop, which is the job's: any wish to end ends it at once. */
    const ob_snippet_options *options;
    const ob_snippet_count_params *count; /* instructions; NULL = none */
    const ob_timer_options *timer;        /* times; NULL = none */
    int64_t jobs, retries, rounds;        /* of a suite: see ob_suite_run_params */
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
