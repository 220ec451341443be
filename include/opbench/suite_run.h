/* SPDX-License-Identifier: Apache-2.0
 *
 * Running a suite: every snippet is counted or timed in its own process. Counts do not depend on
 * load, so they run side by side, as many at a time as there are cores; times do, so they are taken
 * one after the other.
 */
#ifndef OPBENCH_SUITE_RUN_H
#define OPBENCH_SUITE_RUN_H

#include "opbench/snippet_run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ob_suite_result {
    const ob_snippet *snippet;
    size_t index;       /* of the snippet */
    int64_t round;      /* from 0 */
    size_t done, total; /* progress of the run, including this result */
    double mean_s;      /* mean time of a snippet so far */
    int cores;          /* how many run at a time */
    int attempts;       /* 1 = it worked, or failed, the first time */
    double seconds;     /* all attempts together */
    /* One of these, or neither if it failed. Valid only during the call. */
    ob_count_stats **stats; /* `repeats` counts */
    size_t stats_count;
    const ob_measurement *measurement;
    ob_status status; /* OB_OK, or why it failed */
    bool died;        /* it failed because its process was killed or ended by itself */
    const char *reason;
    /* How a comparison names it: the first part of the snippet's label, the rest of it as
     * sub_label, and how it runs as description. */
    const ob_task_spec *task;
} ob_suite_result;

typedef struct ob_suite_run_params {
    size_t size;                          /* sizeof(ob_suite_run_params) */
    const ob_snippet_options *options;    /* NULL = defaults */
    const ob_snippet_count_params *count; /* NULL = defaults */
    /* Not NULL: take times instead of counts. */
    ob_snippet_take take;
    void *take_ctx;
    int64_t jobs;    /* at a time; 0 = as many as the cores allow */
    int64_t retries; /* of a snippet that fails or takes too long, but not if it does not compile */
    int64_t rounds;  /* over all snippets; 0 = 1 */
    /* Called for each snippet and round before anything runs: false leaves it out. NULL = keep
     * all. */
    bool (*wants)(void *ctx, const ob_snippet *snippet, int64_t round);
    /* One call at a time, in the order in which snippets end. Not OB_OK ends the run with that
     * status. */
    ob_status (*on_result)(void *ctx, const ob_suite_result *result, ob_err *err);
    void *ctx;
} ob_suite_run_params;

/* Measures all snippets. One that fails is a result like any other. OB_ERR_STATE: options.stop
 * ended it before the last one. The TorchScript models must be there (ob_snippets_make_models). The
 * task of a count has the snippet's key as its label. */
ob_status ob_suite_run(const ob_snippets *snippets, const ob_suite_run_params *params, ob_err *err);

/* The folder for TorchScript models of a suite, in the cache, to expand it with; made if it is not
 * there. "" when the suite has no models. options may be NULL. */
ob_status ob_suite_models_dir(const ob_suite *suite, const ob_snippet_options *options, char *dir,
                              size_t size, ob_err *err);
/* Makes the TorchScript models of the snippets where they expect them, in one Python process. A
 * model that cannot be made is reported by a notice and left out; its snippets then fail. Nothing
 * to do is OB_OK. */
ob_status ob_snippets_make_models(const ob_snippets *snippets, const ob_snippet_options *options,
                                  ob_err *err);

#ifdef __cplusplus
}
#endif
#endif
