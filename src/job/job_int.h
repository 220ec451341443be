/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of a job.
 */
#ifndef OB_JOB_JOB_INT_H
#define OB_JOB_JOB_INT_H

#include "base/sized.h"
#include "job/outlook.h"
#include "opbench/batch.h"
#include "opbench/shard.h"
#include "run/chrome_trace.h"

typedef struct ob_profiler_runs ob_profiler_runs;

enum { OB_MOST_WRAPPED = 256 << 10 };

struct ob_job {
    ob_context *context;
    ob_job_source source;
    ob_run_options options; /* what the source points to */
    ob_job_params params;
    void *own_source; /* what the source's ctx is, if it is the job's to destroy */
    void (*destroy_source)(void *source);
    ob_result_file *file;   /* NULL = none */
    ob_done *done;          /* NULL = not resumed */
    ob_profile *profile;    /* NULL = no trace file */
    ob_json_doc *arguments; /* the options by their names, if the caller has none */
    ob_text line;           /* reused from record to record */
    ob_text wrapped;        /* what --wrap's command printed, the first of it */
    ob_job_summary summary;
    uint64_t finished; /* results */
    uint64_t started_ns;
    ob_noise_sampler *noise; /* NULL = the kernel says nothing of it */
    double foreign, steal;   /* see ob_job_get_load */
    bool has_begun;          /* the header is written */
    ob_shard shard;          /* if params has one, as is its text */
    char shard_text[48];
    /* How long the rest takes. */
    const ob_job_part *parts; /* of a source of configs; NULL = another one */
    const ob_part_cases *part_cases;
    size_t part_count;
    ob_outlook *outlook; /* NULL = nothing is known of the cases */
    ob_eta eta;
    double case_began_s; /* after the run */
};

/* As ob_job_open for a source that the job destroys, also when this fails. */
ob_status ob__job_open_own(ob_context *context, const ob_job_source *source,
                           void (*destroy)(void *source), const ob_job_params *params, ob_job **out,
                           ob_err *err);
/* Appends a record to the file, if there is one. */
ob_status ob__job_append(ob_job *job, const ob_record *record, ob_err *err);
ob_status ob__job_write_header(ob_job *job, const ob_json *properties, ob_err *err);
ob_status ob__job_write_finish(ob_job *job, ob_err *err);
/* Reads the file that is resumed: what is done, and whether it was measured as this job measures. */
ob_status ob__job_read_old(ob_job *job, ob_err *err);
/* The same of files that others wrote, and stay as they are. */
ob_status ob__job_read_earlier(ob_job *job, ob_err *err);
/* Of two headers' options by their names: the first row that affects what is measured and differs, with both values; NULL = none. */
const ob_option *ob__job_compare_arguments(const ob_option *rows, const ob_json *then,
                                           const ob_json *now, char *old, char *new, size_t size);
/* A result came, or the step of a trace is further; the other is NULL. */
void ob__job_tell_progress(ob_job *job, const ob_record *record, const ob_run_progress *step);
void ob__job_note_result(ob_job *job); /* before it is counted among the finished ones */
/* An old or a new result to on_record. */
ob_status ob__job_show(ob_job *job, const ob_job_event *event, ob_err *err);

/* ---- profilers ---- */

typedef struct ob_profiler_runs_params {
    const ob_job_part *part;
    const char *output, *prefix; /* of the records */
    const char *worker_program;
} ob_profiler_runs_params;

/* *out is NULL when no profiler is wanted. */
ob_status ob__profiler_runs_open(const ob_job_batches *batches,
                                 const ob_profiler_runs_params *params, ob_profiler_runs **out,
                                 ob_err *err);
void ob__profiler_runs_close(ob_profiler_runs *runs); /* NULL is allowed */
/* Before the first of the calls below. NULL is allowed. */
void ob__profiler_runs_set_job(ob_profiler_runs *runs, ob_job *job);
/* Programs and arguments into the header record; runs may be NULL. */
void ob__profiler_runs_describe(const ob_profiler_runs *runs, const ob_job_batches *batches,
                                ob_record_options *out);
/* How many of the cases, from the first on, belong to one batch. */
ob_status ob__profiler_runs_measure(const ob_profiler_runs *runs, const ob_case_range *cases,
                                    uint64_t *count, ob_err *err);
/* Queues a case that ran; others are passed over. NULL is allowed. */
ob_status ob__profiler_runs_add(ob_profiler_runs *runs, const ob_record_result *result,
                                ob_err *err);
/* Runs the queue under each profiler, hands the job their records, empties the queue. OB_END: the user wants to stop. */
ob_status ob__profiler_runs_run(ob_profiler_runs *runs, ob_err *err);

#endif
