/* SPDX-License-Identifier: Apache-2.0
 *
 * What a replay leaves behind.
 */
#ifndef OB_TRACE_REPLAY_INT_H
#define OB_TRACE_REPLAY_INT_H

#include "trace/replay_schedule.h"

struct ob_replay {
    const ob_trace *trace;
    const char *backend;
    int64_t iteration;
    uint64_t warmup;
    ob_replay_schedule plan;
    ob_arena arena;       /* texts that outlive a plan */
    const char **reasons; /* per step; NULL = none but its kind */
    const char *
        *replaced;     /* per node of the trace: why its inner calls stand in its place, or NULL */
    uint64_t *step_ns; /* of the last pass */
    double *op_ns;     /* per measured pass, per operator */
    double *times_ns;  /* per measured pass: all calls */
    size_t time_count, time_capacity, op_capacity;
    uint64_t allocator_peak_bytes; /* of the backend's own; 0 = not known */
    uint64_t untouched_bytes;      /* of large tensors, in a pass; memory was short */
    uint64_t peak_bytes;           /* of the process, since it began */
    bool half_to_bfloat16, lacks_half, interrupted;
    bool replaces; /* the pass found calls to replace */
};

#endif
