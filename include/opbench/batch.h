/* SPDX-License-Identifier: Apache-2.0
 *
 * Batches for a profiler: measured cases run once more inside ncu or nsys, many per start of the
 * tool. The batch is handed over as JSON in shared memory; the command under the profiler (`opbench
 * worker -s NAME`) runs it with ob_batch_serve.
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

/* ---- profilers of a job (opbench/job.h) ---- */

/* Settings for ncu or nsys. */
typedef struct ob_job_profiler {
    bool wanted;
    const char *program, *args_file; /* NULL = found in PATH; no extra arguments */
    int64_t warmup, iteration;
} ob_job_profiler;

/* Runs the measured cases once more under profilers, in batches; nothing is measured while a batch
 * runs. Only for jobs with one part. */
struct ob_job_batches {
    size_t size; /* sizeof(ob_job_batches) */
    ob_job_profiler profilers[OB_PROFILER_COUNT];
    int64_t batch_size, cuda_device;
    const char *command; /* what profilers start; NULL = the worker program */
    bool verbose;
    /* Gets each line that a profiler or the command printed, without its newline; may be NULL. */
    void (*on_output)(void *ctx, const char *line, size_t length);
    void (*on_failed)(void *ctx, const ob_record_batch *batch); /* gets failed runs; may be NULL */
    void *ctx;
};
/* The option rows of ob_job_batches, and a struct with their defaults: no profiler. */
const ob_option *ob_job_batch_rows(void);
void ob_job_batches_init(ob_job_batches *batches);

/* ---- inside the profiler ---- */

typedef struct ob_batch_source {
    size_t size;               /* sizeof(ob_batch_source) */
    const char *shared_memory; /* name of the shared memory, or NULL */
    const char *file;          /* the same JSON in a file, "-" = standard input */
} ob_batch_source;

/* Runs the cases in this process, with ranges for the profiler (NVTX, if libnvToolsExt is
 * installed). on_record gets every result, with the ids of the queue; nothing is written. */
ob_status ob_batch_serve(ob_context *context, const ob_batch_source *source,
                         ob_status (*on_record)(void *ctx, const ob_record *record, ob_err *err),
                         void *ctx, ob_err *err);

#ifdef __cplusplus
}
#endif
#endif
