/* SPDX-License-Identifier: Apache-2.0
 *
 * What a record points to of a pass, and the statistics of a case that did not come to its end.
 */
#ifndef OB_RUN_PASS_STATISTICS_H
#define OB_RUN_PASS_STATISTICS_H

#include "opbench/op.h"
#include "opbench/record.h"
#include "run/executor.h"

typedef struct ob_pass_statistics {
    double *time_ms[2], *memory_mib[2]; /* warm-up, measure; malloc'ed */
    double *disturbed;
    double *scratch;
} ob_pass_statistics;
void ob__pass_statistics_fini(ob_pass_statistics *statistics);

/* What an interval is made of: what the record calls it, the least number that has one, what is said of fewer. */
typedef enum ob_interval_source {
    OB_OVER_SAMPLES,   /* of one process, in order of time */
    OB_OVER_BLOCKS,    /* the same, taken by the Timer */
    OB_OVER_PROCESSES, /* their medians */
    OB_OVER_PASSES,    /* over a step; each is long, and has little to do with the one before it */
} ob_interval_source;
/* The interval of the pass's median, or why there is none. */
ob_status ob__fill_interval(ob_reals times_ms, ob_interval_source source, ob_record_pass *pass,
                            ob_err *err);

/* GFLOP/s or GB/s of so many operations or bytes; NaN where either is not known. */
double ob__work_rate(double work, double median_ms);

/* What the samples do not say. */
typedef struct ob_pass_facts {
    const ob_cost *cost;       /* of an iteration; NULL = not known */
    ob_interval_source source; /* zero: samples of one process */
    const char *disturbed_by;  /* how disturbed samples are known; NULL = they are not */
} ob_pass_facts;
/* Lists, statistics, interval and rates of one pass. */
ob_status ob__fill_pass(const ob_pass_samples *samples, const ob_pass_facts *facts,
                        ob_pass_statistics *statistics, ob_record_pass *pass, ob_err *err);
/* The whole blocks of the forward pass, in s; *copy is malloc'ed. */
ob_status ob__fill_raw_times(const ob_exec_result *samples, double **copy, ob_record_result *r,
                             ob_err *err);

/* Owns what the record points to. Zero is empty. */
typedef struct ob_unfinished {
    ob_pass_statistics forward, backward;
    double *raw_times_s;
} ob_unfinished;

/* Samples and statistics without what only the worker knew: memory and the cost of the operator. */
ob_status ob__fill_unfinished(const ob_exec_result *samples, ob_unfinished *statistics,
                              ob_record_result *result, ob_err *err);
void ob__unfinished_fini(ob_unfinished *statistics);

#endif
