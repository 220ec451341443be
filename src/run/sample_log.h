/* SPDX-License-Identifier: Apache-2.0
 *
 * Samples in memory that outlives the worker: whoever ends a case in the middle of it still gets those
 * that were finished. The worker copies them after each iteration, outside of what is timed.
 */
#ifndef OB_RUN_SAMPLE_LOG_H
#define OB_RUN_SAMPLE_LOG_H

#include "run/executor.h"

#include <stdatomic.h>

/* Per series; what comes later is not kept. The memory is touched only as far as it is used. */
enum { OB_LOGGED_SAMPLES = 1 << 18 };

typedef struct ob_logged_series {
    _Atomic uint64_t count;
    double values[OB_LOGGED_SAMPLES]; /* ns per iteration */
} ob_logged_series;

typedef struct ob_sample_log {
    _Atomic uint64_t number_per_run; /* iterations behind a measured sample; 0 = not known yet */
    ob_logged_series forward_warmup, forward, backward_warmup, backward;
} ob_sample_log;

void ob__sample_log_reset(ob_sample_log *log);
/* Copies what came since the last call. */
void ob__sample_log_take(ob_sample_log *log, const ob_exec_result *result);
/* All of it; memory peaks are not logged. The log may hold anything: the worker that wrote it may have
 * gone wild. *out is the caller's, to be freed also after a failure. */
ob_status ob__sample_log_read(const ob_sample_log *log, ob_exec_result *out, ob_err *err);

#endif
