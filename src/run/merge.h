/* SPDX-License-Identifier: Apache-2.0
 *
 * Several processes' records of one case into one.
 */
#ifndef OB_RUN_MERGE_H
#define OB_RUN_MERGE_H

#include "opbench/record.h"
#include "run/executor.h"
#include "run/warnings.h"

/* One pass. All lists are in the order of the processes. */
typedef struct ob_merged_pass {
    ob_series warmup_time_ms, warmup_memory_mib, measure_time_ms, measure_memory_mib;
    ob_series medians_ms; /* of each process */
    ob_series disturbed, process_samples;
    const char *disturbed_by;
    bool undisturbed_unknown; /* some process does not know which samples were disturbed */
    ob_series scratch;
    uint64_t allocator_peak_bytes;
    bool present; /* some process has it */
} ob_merged_pass;

/* Zero is empty. */
typedef struct ob_merge {
    ob_merged_pass forward, backward;
    ob_series raw_times_s;
    uint64_t processes;
    int64_t number_per_run; /* of the first process */
    bool gave_up;           /* some process's stopping rule did */
    double seconds;
    uint64_t process_peak_bytes;
    const char *warnings[OB_MOST_WARNINGS + 1]; /* of the record, with one of ours */
} ob_merge;

/* Empty again, keeps its memory. */
void ob__merge_reset(ob_merge *merge);
void ob__merge_fini(ob_merge *merge);
/* A record that ran to its end. */
ob_status ob__merge_add(ob_merge *merge, const ob_record_result *r, ob_err *err);
/* The lists of samples so far, which point into the merge; the rest of both is left as it is. */
void ob__merge_show(const ob_merge *merge, ob_record_pass *forward, ob_record_pass *backward);
/* Puts what all processes gave into the record of the last of them; it points into the merge. */
ob_status ob__merge_finish(ob_merge *merge, ob_record_result *r, ob_err *err);

#endif
