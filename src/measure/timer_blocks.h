/* SPDX-License-Identifier: Apache-2.0
 *
 * The Timer's inside: a way to measure as data, so that a run can carry it in its options, and the blocks
 * as they are taken.
 */
#ifndef OB_MEASURE_TIMER_BLOCKS_H
#define OB_MEASURE_TIMER_BLOCKS_H

#include "opbench/timer.h"

typedef enum ob_timer_kind {
    OB_TIMER_TIMEIT,
    OB_TIMER_BLOCKED,
    OB_TIMER_ADAPTIVE,
} ob_timer_kind;

/* Which fields count follows from the kind; see timer.h. */
typedef struct ob_timer_way {
    ob_timer_kind kind;
    uint64_t number;
    double min_run_time_s, max_run_time_s, threshold;
} ob_timer_way;

typedef struct ob_timing {
    uint64_t number_per_run;
    double *raw_times_s; /* of whole blocks */
    size_t count, capacity;
    double total_s;
    double *sorted; /* adaptive: times of one iteration, ascending */
    size_t sorted_capacity;
} ob_timing;

/* out is the caller's, to be freed also after a failure: it holds the blocks so far. */
ob_status ob__timer_measure(const ob_timer *timer, const ob_timer_way *way, ob_timing *out,
                            ob_err *err);
void ob__timing_fini(ob_timing *timing);

#endif
