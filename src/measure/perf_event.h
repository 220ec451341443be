/* SPDX-License-Identifier: Apache-2.0
 *
 * The processor's own counters, through Linux's perf_event: instructions, cycles and misses that the calling thread
 * has outside of the kernel. Many machines have none: virtual ones, and containers that forbid them.
 */
#ifndef OB_MEASURE_PERF_EVENT_H
#define OB_MEASURE_PERF_EVENT_H

#include "opbench/status.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct perf_event_attr;

/* The system's calls, so that tests can stand in for them. Each returns as the system does: -1 and errno. */
typedef struct ob_perf_calls {
    int (*open)(void *ctx, const struct perf_event_attr *attr, int group);
    int (*control)(void *ctx, int fd, unsigned long request);
    ssize_t (*read)(void *ctx, int fd, void *out, size_t size);
    void (*close)(void *ctx, int fd);
    void *ctx;
} ob_perf_calls;

/* In groups of two: those of a group are counted in the same stretches of time. The second may be missing. */
enum {
    OB_PERF_INSTRUCTIONS,
    OB_PERF_CYCLES,
    OB_PERF_CACHE_MISSES,
    OB_PERF_BRANCH_MISSES,
    OB_PERF_EVENTS,
    OB_PERF_GROUP = 2,
    OB_PERF_GROUPS = OB_PERF_EVENTS / OB_PERF_GROUP
};

typedef struct ob_perf {
    ob_perf_calls calls;
    int fds[OB_PERF_EVENTS]; /* the first of a group leads it; -1 = not open */
} ob_perf;
#define OB_NO_PERF ((ob_perf){.fds = {-1, -1, -1, -1}})

/* What was read: since the counters were opened. */
typedef struct ob_perf_reading {
    uint64_t enabled_ns[OB_PERF_GROUPS], running_ns[OB_PERF_GROUPS];
    uint64_t values[OB_PERF_EVENTS];
} ob_perf_reading;

/* Between two readings. */
typedef struct ob_perf_counts {
    /* Scaled to the whole time if others had the counters meanwhile; NaN = that group never counted. */
    double values[OB_PERF_EVENTS];
    double share; /* of the time in which all that have numbers counted for us: 1 = all of it */
} ob_perf_counts;

/* calls NULL = the system's. OB_ERR_UNSUPPORTED says why there are none, and what helps. The counters
 * stand still. */
ob_status ob__perf_open(ob_perf *perf, const ob_perf_calls *calls, ob_err *err);
void ob__perf_close(ob_perf *perf);
/* From here on they count, up to the next line. */
void ob__perf_begin(const ob_perf *perf);
void ob__perf_end(const ob_perf *perf);
ob_status ob__perf_read(const ob_perf *perf, ob_perf_reading *out, ob_err *err);
/* OB_ERR_UNSUPPORTED when the first group never ran in between. */
ob_status ob__perf_between(const ob_perf_reading *first, const ob_perf_reading *last,
                           ob_perf_counts *out, ob_err *err);

/* Whether the processor's counters of instructions and cycles can be read here. OB_ERR_UNSUPPORTED says why not,
 * and what helps. */
ob_status ob__hardware_counters_check(ob_err *err);

#endif
