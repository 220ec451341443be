/* SPDX-License-Identifier: Apache-2.0
 *
 * The profilers of `opbench run --ncu --nsys`: found before the run, started for every batch of cases.
 */
#ifndef OB_CLI_RUN_BATCHES_H
#define OB_CLI_RUN_BATCHES_H

#include "run_options.h"

typedef struct ob_run_batches ob_run_batches;

typedef struct ob_run_batches_params {
    const ob_run_line *line;
    const ob_run_options *options;
    const ob_config *config;
    const char *own_path; /* of this program */
    bool verbose;
    int (*stop)(void *ctx);
} ob_run_batches_params;

/* *out is NULL when no profiler is wanted. params and what it points to must outlive it. */
ob_status ob__run_batches_open(ob_cli *cli, const ob_run_batches_params *params,
                               ob_run_batches **out, ob_err *err);
void ob__run_batches_close(ob_run_batches *batches); /* NULL is allowed */
/* Programs and arguments into the header record. NULL is allowed. */
void ob__run_batches_describe(const ob_run_batches *batches, ob_record_options *out);

/* How many cases from `first` on, before `end`, belong to one batch. */
ob_status ob__run_batches_measure(const ob_run_batches *batches, uint64_t first, uint64_t end,
                                  uint64_t *count, ob_err *err);
/* Queues a case that ran; others are passed over. NULL is allowed. */
ob_status ob__run_batches_add(ob_run_batches *batches, const ob_record_result *result, ob_err *err);
/* Runs the queue under each profiler, appends their records to the file, empties the queue. OB_END: the
 * user wants to stop. */
ob_status ob__run_batches_run(ob_run_batches *batches, ob_result_file *file, ob_err *err);
/* How many profilers' runs failed. NULL is allowed. */
uint64_t ob__run_batches_failed(const ob_run_batches *batches);

#endif
