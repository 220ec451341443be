/* SPDX-License-Identifier: Apache-2.0
 *
 * A job turns a source of cases into records, and writes them to a file if one is wanted. It opens
 * the file (new, appended to, resumed or replaced), writes the header, leaves out what a resumed
 * file already has, counts and passes on what the source measures, and ends the file with a finish
 * record. `opbench run` and the other commands that measure are jobs, so any program can write the
 * same files.
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

/* Which cases to take; members that are NULL do not restrict the choice. Cases are named
 * "OPERATOR|CONFIG|BUILD|INPUT". */
typedef struct ob_case_choice {
    size_t size;            /* sizeof(ob_case_choice) */
    const char *op;         /* only cases of this operator, by any of its names */
    const char *only_case;  /* only this case */
    const char *first_case; /* start at this case */
    const char *end_case;   /* stop before this case */
} ob_case_choice;

/* The library makes and frees it. */
struct ob_case_selection {
    ob_case_range *ranges; /* in order, none empty */
    size_t count;
    uint64_t cases;                    /* in all ranges together */
    const char *first_case, *end_case; /* as in the choice, whose strings must outlive it */
};

/* Expands only the cases that are looked up by their ids. OB_ERR_NOT_FOUND: the config has no such
 * operator or case; OB_ERR_INVALID: that is not the name of a case, or --op and --case contradict
 * each other. */
ob_status ob_cases_select(const ob_context *context, const ob_config *config,
                          const ob_case_choice *choice, ob_case_selection **out, ob_err *err);
void ob_case_selection_destroy(ob_case_selection *selection); /* NULL is allowed */
/* Whether cases of this operator can be among those chosen. */
bool ob_case_choice_has(const ob_context *context, const ob_case_choice *choice, const char *op);

/* ---- a source ---- */

/* What to measure. Strings and options must outlive the job. */
typedef struct ob_job_source {
    size_t size;           /* sizeof(ob_job_source) */
    const char *name;      /* name of its file, for the header and messages */
    const char *hash;      /* of everything that determines the cases: see ob_job_hash */
    const char *chosen_by; /* options that change the cases, for a message; may be NULL */
    uint64_t cases;        /* for the header */
    uint64_t results;      /* records that they produce (one per backend); 0 = as many as cases */
    const char *end;       /* what the finish record calls a complete run; NULL = "finished" */
    /* How it is measured, for the header; a resumed file must have been measured in the same way.
     * NULL = the header does not say. */
    const ob_run_options *options;
    /* Adds other fields to the header. May be NULL. */
    ob_status (*describe)(void *ctx, ob_record_header *header, ob_err *err);
    /* Measures the cases and passes on the results through the functions below. OB_END: it was
     * interrupted. */
    ob_status (*run)(void *ctx, ob_job *job, ob_err *err);
    void *ctx;
    const ob_shard_division *division; /* for a shard by cost; NULL = the job is not one */
} ob_job_source;

/* A hash over texts; initialise it with zeros. */
typedef struct ob_job_hash {
    char text[40];
} ob_job_hash;
void ob_job_hash_add(ob_job_hash *hash, const char *text, size_t length);
ob_status ob_job_hash_json(ob_job_hash *hash, const ob_json *value, ob_err *err);

/* For ob_job_source.run. */

/* The part of the cases to measure; NULL = all. A source whose cases have numbers leaves out the
 * others itself. */
const ob_shard *ob_job_shard(const ob_job *job);
/* How the cases were divided, if by cost; else NULL. */
const ob_shard_division *ob_job_division(const ob_job *job);

/* Writes the header, unless it was written already. Adding the first record also writes it, but
 * without properties of backends. */
ob_status ob_job_begin(ob_job *job, const ob_json *properties, ob_err *err);
/* Whether to measure a result. False: the resumed file has it, and it is counted as left out. */
bool ob_job_wants(ob_job *job, const ob_done_name *name);
/* The results that are already done, for ob_run_params.done; NULL = the job is not resumed. */
const ob_done *ob_job_done(const ob_job *job);
/* Appends a record of any kind. A result is counted by its status, shown to on_record, and reported
 * as progress. */
ob_status ob_job_add(ob_job *job, const ob_record *record, ob_err *err);
/* The same for a result whose line is already printed. */
ob_status ob_job_add_line(ob_job *job, const ob_record *record, const char *line, size_t length,
                          ob_err *err);
/* 0 = continue, 1 = stop after the current case, 2 = stop at once. For `stop` callbacks, with the
 * job as ctx. */
int ob_job_stop(void *job);

/* ---- a job: opbench/opbench.h runs and closes it ---- */

struct ob_job_progress {
    uint64_t done, total;         /* results of this run, without those that a resumed file had */
    double seconds, seconds_left; /* since the run began; estimated from sizes and times, or NaN */
    const ob_record *record;      /* the latest; NULL = this is about the case under way */
    const ob_run_progress *step;  /* progress within a step of a trace; NULL = a result came */
    const char *call; /* of the case under way; NULL = there is none, or it is not known */
    double share;     /* fraction of the estimated total time, 0 to 1 */
};

/* Calls on_progress, if there is one, with the current progress, without a record or step. */
void ob_job_tell_progress(ob_job *job);

/* What is known about the cases before they are measured. */
typedef struct ob_job_outlook {
    size_t size;        /* sizeof(ob_job_outlook) */
    size_t call_width;  /* characters of the longest call; 0 = not known */
    bool repeats_calls; /* neighbouring cases have the same call and differ in their ids */
    bool one_pass;      /* there are no backward passes */
    /* Calls of all cases, or of some if there are very many; valid as long as the job. */
    const char *const *calls;
    size_t call_count;
} ob_job_outlook;
ob_status ob_job_look_ahead(ob_job *job, ob_job_outlook *out, ob_err *err);

/* The outcome of a job. */
struct ob_job_summary {
    uint64_t cases[OB_RECORD_STATUS_COUNT]; /* results of this run, by their status */
    uint64_t measured, failed; /* of these: the ones that did not fail, and the ones that did */
    uint64_t left_out;         /* results that were done already */
    uint64_t failed_before;    /* failed results in the resumed file, which are kept */
    uint64_t failed_batches;   /* failed runs of profilers */
    uint64_t workers;          /* how many were started */
    bool interrupted;
};

/* Fractions of the CPU time during the run that other processes used and that the hypervisor took.
 * NaN = not known, or the run has not ended. */
void ob_job_get_load(const ob_job *job, double *foreign, double *steal);
/* Opens the output. OB_ERR_CONFIG: the file to resume has other cases, or was measured in another
 * way. The context and what the source points to must outlive the job; the structs are copied. */
ob_status ob_job_open(ob_context *context, const ob_job_source *source, const ob_job_params *params,
                      ob_job **out, ob_err *err);
/* The strings are valid as long as the job. */
const char *ob_job_path(const ob_job *job);       /* of the file of records; NULL = no file */
const char *ob_job_trace_path(const ob_job *job); /* with ob_run_options.profile; NULL = none */
/* The number of results the job will have, including those already done. */
uint64_t ob_job_result_count(const ob_job *job);
/* True once the header is written: a later failure happened while measuring. */
bool ob_job_has_begun(const ob_job *job);

/* ---- the source for snippets ---- */

/* A statement or a suite, to be counted, timed, or counted and then timed. What it points to must
 * outlive the job. */
typedef struct ob_job_snippets {
    size_t size;              /* sizeof(ob_job_snippets) */
    const ob_snippets *suite; /* NULL = the statement below */
    const char *name;         /* name of the suite's file, for header and repro lines */
    /* One statement, measured once for each number of threads. Of `names`, only label, sub_label,
     * description and env are used. */
    const ob_timer_args *statement;
    const int64_t *threads;
    size_t thread_count;
    ob_task_spec names;
    /* NULL = defaults. `stop` is replaced by the job's: any request to stop takes effect at
     * once. */
    const ob_snippet_options *options;
    const ob_snippet_count_params *count; /* how to count; NULL = do not count */
    const ob_timer_options *timer;        /* how to time; NULL = do not time */
    int64_t jobs, retries, rounds;        /* for a suite: see ob_suite_run_params */
    const char *command; /* start of repro lines; NULL = "opbench count" or "opbench time" */
} ob_job_snippets;

/* Opens a job on snippets, each of which runs in its own process. context may be NULL. A statement
 * that cannot be measured becomes a record like any case; so does OB_ERR_IO, but only for a
 * suite. */
ob_status ob_job_open_snippets(ob_context *context, const ob_job_snippets *snippets,
                               const ob_job_params *params, ob_job **out, ob_err *err);

#ifdef __cplusplus
}
#endif
#endif
