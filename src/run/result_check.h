/* SPDX-License-Identifier: Apache-2.0
 *
 * --check: the results of a case, compared with what the reference says that they must be. The case runs once before and once
 * after it is measured, the second time with other inputs; nothing of it is timed.
 */
#ifndef OB_RUN_RESULT_CHECK_H
#define OB_RUN_RESULT_CHECK_H

#include "run/setup.h"

/* What came out. Zero: nothing was compared. */
typedef struct ob_check_result {
    const char *verdict; /* "same", "differs", "not checked" */
    double worst;        /* largest difference in units of its bound; NaN = none was taken */
    uint64_t checked;    /* elements that were compared */
    uint64_t elements;   /* of all results */
    char reason[512];    /* of the last two verdicts */
} ob_check_result;

/* Of the backend that has one; NULL = it is not there. */
const ob_reference_desc *ob__find_reference(const ob_context *context);
/* Runs the prepared case once, forward and, if it has one, backward, and compares. Fails when the backend does; a
 * difference is no failure here. reference NULL: there is none. */
ob_status ob__check_case(const ob_setup *setup, ob_backend *backend,
                         const ob_reference_desc *reference, ob_check_result *out, ob_err *err);
/* After the first check: the worse of two verdicts, and what both compared. */
void ob__check_join(ob_check_result *to, const ob_check_result *later);

/* ---- comparing ---- */

typedef struct ob_results_given {
    const ob_value *outputs, *gradients;
    size_t output_count, gradient_count;
    const char *const *gradient_names; /* "" = it is left out */
} ob_results_given;
/* What a backend gave, with the reference's results. targets: the names of the reference's gradients. */
void ob__results_compare(const ob_results_given *given, const ob_reference_desc *desc,
                         const ob_reference *reference, const char *const *targets,
                         ob_check_result *out);

#endif
