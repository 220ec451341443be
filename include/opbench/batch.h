/* SPDX-License-Identifier: Apache-2.0
 *
 * Batches under a profiler: cases that were measured are run once more inside ncu or nsys, many per start
 * of the tool. The batch is handed over as JSON in shared memory; the command under the profiler
 * (`opbench worker -s NAME`) runs it with ob_batch_serve.
 */
#ifndef OPBENCH_BATCH_H
#define OPBENCH_BATCH_H

#include "opbench/job.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ob_profiler_kind {
    OB_PROFILER_NCU,
    OB_PROFILER_NSYS,
    OB_PROFILER_COUNT
} ob_profiler_kind;

const char *ob_profiler_name(ob_profiler_kind kind); /* "ncu", "nsys" */
/* The profiler's program: `program` if it is not NULL, else from PATH, else from where NVIDIA's installer
 * puts it. *path is malloc'ed. OB_ERR_NOT_FOUND says where it was looked for and which option helps. */
ob_status ob_profiler_find(ob_profiler_kind kind, const char *program, char **path, ob_err *err);

typedef struct ob_profiler {
    ob_profiler_kind kind;
    const char *program;       /* as ob_profiler_find gave it */
    const char *args;          /* more arguments, in a shell's notation; NULL = none */
    int64_t warmup, iteration; /* instead of the run's */
} ob_profiler;

/* OB_ERR_SYNTAX when its arguments cannot be split. */
ob_status ob_profiler_check(const ob_profiler *profiler, ob_err *err);

typedef struct ob_batch_params {
    const ob_config *config;       /* for the generators' names */
    const ob_run_options *options; /* of the run */
    const char *command; /* what the profiler starts, in a shell's notation; -s NAME is added */
    const char *prefix;  /* of the profiler's files: "<prefix>_<pid>_<time>_ncu.log" */
    int64_t cuda_device; /* CUDA_VISIBLE_DEVICES of the child */
    bool verbose;        /* the command gets -v */
    /* A line that the profiler or the command printed, without its newline; blank ones are left out. May be
     * NULL. */
    void (*on_output)(void *ctx, const char *line, size_t length);
    int (*stop)(void *ctx); /* asked often: 2 = end the profiler at once. May be NULL */
    void *ctx;
} ob_batch_params;

typedef struct ob_batch ob_batch;

/* params and what it points to must outlive the batch. OB_ERR_INVALID for a command that cannot be
 * split. */
ob_status ob_batch_create(const ob_batch_params *params, ob_batch **out, ob_err *err);
void ob_batch_destroy(ob_batch *batch); /* NULL is allowed */

/* Queues a case by its result. All of a queue have one operator and one build (OB_ERR_INVALID). */
ob_status ob_batch_add(ob_batch *batch, const ob_record_result *result, ob_err *err);
size_t ob_batch_count(const ob_batch *batch);
void ob_batch_clear(ob_batch *batch);

/* Runs the queue, which stays, under the profiler and fills a batch record; it borrows from the batch until the
 * next call. A child that fails is a record with exit_code and error, and OB_OK. OB_END: `stop` said so. */
ob_status ob_batch_run(ob_batch *batch, const ob_profiler *profiler, ob_record *record,
                       ob_err *err);

/* ---- of a job (opbench/job.h) ---- */

/* One of ncu and nsys. */
typedef struct ob_job_profiler {
    bool wanted;
    const char *program, *args_file; /* NULL = from PATH; no more arguments */
    int64_t warmup, iteration;
} ob_job_profiler;

/* The measured cases once more under profilers, in batches between which nothing is measured. One part only. */
struct ob_job_batches {
    size_t size; /* sizeof(ob_job_batches) */
    ob_job_profiler profilers[OB_PROFILER_COUNT];
    int64_t batch_size, cuda_device;
    const char *command; /* what profilers start; NULL = the worker program */
    bool verbose;
    void (*on_output)(void *ctx, const char *line, size_t length); /* see ob_batch_params */
    void (*on_failed)(void *ctx, const ob_record_batch *batch); /* a profiler's run; may be NULL */
    void *ctx;
};
/* Its rows, and their defaults: no profiler. */
const ob_option *ob_job_batch_rows(void);
void ob_job_batches_init(ob_job_batches *batches);

/* ---- inside the profiler ---- */

typedef struct ob_batch_source {
    const char *shared_memory; /* its name, or NULL */
    const char *file;          /* the same JSON in a file, "-" = standard input */
} ob_batch_source;

/* Runs the cases in this process, with ranges for the profiler (NVTX, where libnvToolsExt is there).
 * on_record gets every result, with the ids of the queue; nothing is written. */
ob_status ob_batch_serve(ob_context *context, const ob_batch_source *source,
                         ob_status (*on_record)(void *ctx, const ob_record *record, ob_err *err),
                         void *ctx, ob_err *err);

#ifdef __cplusplus
}
#endif
#endif
