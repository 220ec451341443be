/* SPDX-License-Identifier: Apache-2.0
 *
 * Instructions of a config's cases: each runs in a worker under valgrind's callgrind, which collects around the
 * backend's call alone. What `opbench run --count` and `opbench count --op` do.
 */
#ifndef OPBENCH_CASE_COUNT_H
#define OPBENCH_CASE_COUNT_H

#include "opbench/count.h"
#include "opbench/run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ob_case_counter ob_case_counter;

typedef struct ob_case_counter_params {
    /* One backend. Of the rest, what changes which instructions are executed is used, and count_number and
     * count_timeout_s. */
    const ob_run_options *options;
    const char *worker_program; /* as in ob_run_params, and required */
    int64_t repeats;            /* counts of each case, all of one preparation; 0 = 1 */
    int (*stop)(void *ctx);     /* 2 = end at once. May be NULL */
    void *ctx;
} ob_case_counter_params;

/* Starts nothing yet. OB_ERR_UNSUPPORTED: valgrind is missing. params may go; what it points to, context and
 * config must outlive the counter. */
ob_status ob_case_counter_open(ob_context *context, const ob_config *config,
                               const ob_case_counter_params *params, ob_case_counter **out,
                               ob_err *err);
void ob_case_counter_close(ob_case_counter *counter); /* NULL is allowed */

/* What one case gave. */
typedef struct ob_case_count {
    ob_record_status status;
    char reason[1024]; /* why there are no counts; "" = there are */
    ob_status
        refusal; /* why no worker starts at all, such as wrong options of the backend; OB_OK = one did */
    int64_t repeats; /* how many counts there are: 0 = none */
    /* Of count_number iterations; the second is NULL without a backward. */
    ob_count_stats **forward, **backward;
} ob_case_count;

/* Counts the case with this index. A case that fails, crashes, takes too long or cannot run under valgrind has
 * a status and a reason, and OB_OK. The worker stays for the next case. */
ob_status ob_case_counter_count(ob_case_counter *counter, uint64_t index, ob_case_count *out,
                                ob_err *err);
void ob_case_count_fini(ob_case_count *count);

#ifdef __cplusplus
}
#endif
#endif
