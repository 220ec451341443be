/* SPDX-License-Identifier: Apache-2.0
 *
 * How long a pass takes in units of the same pass on another backend.
 */
#ifndef OB_RUN_RATIO_H
#define OB_RUN_RATIO_H

#include "opbench/record.h"

/* Samples of the same case by two backends that took turns, in the order of time; or, independent, the
 * medians of processes, one after the other. Times are positive. */
typedef struct ob_ratio_args {
    const double *reference, *subject;
    size_t reference_count, subject_count;
    bool independent; /* medians of processes, or passes over a whole step */
} ob_ratio_args;

/* Whether each sample of the pass is such a step. */
bool ob__pass_is_of_steps(const ob_record_pass *pass);
/* Everything NaN without samples; without an interval when there are too few. */
ob_status ob__ratio_compute(const ob_ratio_args *args, ob_record_ratio *out, ob_err *err);

#endif
