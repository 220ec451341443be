/* SPDX-License-Identifier: Apache-2.0
 *
 * Counting what a prepared case executes, by callgrind or by the processor's own counters. Nothing here is
 * timed, and it never runs between timed samples.
 */
#ifndef OB_RUN_COUNTED_H
#define OB_RUN_COUNTED_H

#include "measure/perf_event.h"
#include "run/executor.h"

/* Told right before and right after what is counted. */
typedef struct ob_count_switch {
    void (*begin)(void *ctx);
    void (*end)(void *ctx);
    void *ctx;
} ob_count_switch;

/* n iterations of the pass, each between begin and end; what it needs besides (restored inputs, the forward
 * before a backward, gradients) stands outside. */
ob_status ob__counted_block(const ob_exec_target *target, const ob_count_switch *count,
                            ob_pass pass, uint64_t n, ob_err *err);
/* The same with nothing in between: what the switching itself costs. */
ob_status ob__counted_nothing_block(const ob_exec_target *target, const ob_count_switch *count,
                                    uint64_t n, ob_err *err);

typedef struct ob_count_request {
    ob_pass pass;     /* BACKWARD: both */
    uint64_t number;  /* iterations that a count is of */
    unsigned repeats; /* counts */
} ob_count_request;
/* Functions of ours that are around what is counted have this in their name. */
#define OB_COUNTED_PREFIX "ob__counted_"

/* In a process under valgrind: warms up, then writes a dump with nothing in it, and for every repeat one of the
 * forward and, if there is one, one of the backward. */
ob_status ob__count_by_callgrind(const ob_exec_target *target, const ob_count_request *plan,
                                 ob_err *err);
/* Fills in one iteration's counts. */
ob_status ob__count_by_hardware(const ob_exec_target *target, const ob_perf *perf, ob_pass pass,
                                uint64_t number, ob_record_counters *out, ob_err *err);

#endif
