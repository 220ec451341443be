/* SPDX-License-Identifier: Apache-2.0
 *
 * The parent's side of batches under a profiler: who starts ncu or nsys, with which cases, and the record of it.
 */
#ifndef OB_RUN_PROFILER_BATCH_H
#define OB_RUN_PROFILER_BATCH_H

#include "opbench/batch.h"

/* The profiler's program: `program` if it is not NULL, else from PATH, else from where NVIDIA's installer
 * puts it. *path is malloc'ed. OB_ERR_NOT_FOUND says where it was looked for and which option helps. */
ob_status ob__profiler_find(ob_profiler_kind kind, const char *program, char **path, ob_err *err);

typedef struct ob_profiler {
    ob_profiler_kind kind;
    const char *program;       /* as ob__profiler_find gave it */
    const char *args;          /* more arguments, in a shell's notation; NULL = none */
    int64_t warmup, iteration; /* instead of the run's */
} ob_profiler;

/* OB_ERR_SYNTAX when its arguments cannot be split. */
ob_status ob__profiler_check(const ob_profiler *profiler, ob_err *err);

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
ob_status ob__batch_create(const ob_batch_params *params, ob_batch **out, ob_err *err);
void ob__batch_destroy(ob_batch *batch); /* NULL is allowed */

/* Queues a case by its result. All of a queue have one operator and one build (OB_ERR_INVALID). */
ob_status ob__batch_add(ob_batch *batch, const ob_record_result *result, ob_err *err);
size_t ob__batch_count(const ob_batch *batch);
void ob__batch_clear(ob_batch *batch);

/* Runs the queue, which stays, under the profiler and fills a batch record; it borrows from the batch until the
 * next call. A child that fails is a record with exit_code and error, and OB_OK. OB_END: `stop` said so. */
ob_status ob__batch_run(ob_batch *batch, const ob_profiler *profiler, ob_record *record,
                        ob_err *err);

#endif
