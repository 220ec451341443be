/* SPDX-License-Identifier: Apache-2.0
 *
 * Workers under valgrind: how they are started, and what the dumps that a case leaves come to. What goes wrong in such a
 * process never costs more than the count.
 */
#ifndef OB_RUN_COUNTING_H
#define OB_RUN_COUNTING_H

#include "count/valgrind.h"
#include "run/worker_start.h"

typedef struct ob_counting {
    ob_run_options options; /* of the workers */
    ob_run_params params;   /* of a run that counts: its records have instructions */
    ob_worker_start_params place;
    const ob_run_params *outer;
    ob_valgrind valgrind;
    int64_t repeats; /* counts of each case, all of one preparation */
    int64_t pid;     /* of the worker that wrote the dumps */
    int64_t dumped;  /* how many it wrote for cases before */
    /* What the last record points to. */
    ob_text line;
    double *counts;
    const char **variables; /* valgrind's and the side's */
} ob_counting;

/* Starts nothing. OB_ERR_UNSUPPORTED: valgrind is missing. `outer` must outlive it; of its options, what changes which
 * instructions are executed is used, and count_number, count_repeats and count_timeout_s. */
ob_status ob__counting_open(ob_counting *counting, const ob_run_params *outer, ob_err *err);
/* The same for one of several sides; NULL = there are none. What it points to must outlive it. */
ob_status ob__counting_open_side(ob_counting *counting, const ob_run_params *outer,
                                 const ob_side *side, ob_err *err);
void ob__counting_close(ob_counting *counting); /* zero is allowed */

/* What one case gave. */
typedef struct ob_case_count {
    ob_record_status status;
    char reason[1024]; /* why there are no counts; "" = there are */
    int64_t repeats;   /* how many counts there are: 0 = none */
    /* Of count_number iterations; the second is NULL without a backward. */
    ob_count_stats **forward, **backward;
} ob_case_count;

/* Makes tables of what the case left, whose record came from a worker or says how it was lost. */
ob_status ob__counting_take(ob_counting *counting, const ob_record_result *result,
                            ob_case_count *out, ob_err *err);
void ob__case_count_give_up(ob_case_count *count, ob_record_status status, const char *why);
void ob__case_count_fini(ob_case_count *count);

/* What no worker could be started for, in words that say under what. */
ob_status ob__counting_explain(ob_status status, ob_err *err);

#endif
