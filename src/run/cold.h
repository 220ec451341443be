/* SPDX-License-Identifier: Apache-2.0
 *
 * A cold cache for backends in host memory that do not empty it themselves, and a look whether it was emptied, for all of them.
 */
#ifndef OB_RUN_COLD_H
#define OB_RUN_COLD_H

#include "opbench/config.h"
#include "opbench/measure.h"

/* Lines of memory that loads are timed on. */
enum { OB_MOST_COLD_LINES = 64 };
typedef struct ob_cold_lines {
    const char *at[OB_MOST_COLD_LINES];
    size_t count;
} ob_cold_lines;

/* Zero is one that was not used yet. */
typedef struct ob_cold {
    char *sweep; /* memory of more than all caches; its last part is looked at */
    size_t sweep_bytes;
    ob_clock clock;
    ob_cold_lines own;  /* in the room behind the sweep, which is never swept itself */
    double memory_ns;   /* what a load from memory takes */
    double overhead_ns; /* of timing */
} ob_cold;

/* What became of a flush. */
typedef struct ob_cold_look {
    double load_ns;   /* a load from what was flushed; NaN = there was nothing to look at */
    double memory_ns; /* a load from memory */
    bool reached;     /* it takes as long as one from memory */
} ob_cold_look;

/* Empties the caches. OB_ERR_NOMEM. */
ob_status ob__cold_open(ob_cold *cold, ob_err *err);
void ob__cold_close(ob_cold *cold);
/* Throws a case's tensors out, and then all that this CPU has: libraries keep copies in memory of their own. *how is the record's
 * word for it. */
void ob__cold_flush(ob_cold *cold, const ob_value *const *lists, const size_t *counts,
                    size_t list_count, const char **how);
/* Some lines of the tensors. */
void ob__cold_lines_of(const ob_value *values, size_t count, ob_cold_lines *lines);
/* Makes the lines hot, flushes, and times loads from them, some times over. */
ob_status ob__cold_look_at(ob_cold *cold, const ob_cold_lines *lines,
                           ob_status (*flush)(void *ctx, ob_err *err), void *ctx, ob_cold_look *out,
                           ob_err *err);
/* Whether a load of that time came from memory. */
bool ob__cold_is_reached(double load_ns, double memory_ns);

#endif
