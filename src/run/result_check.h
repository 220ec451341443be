/* SPDX-License-Identifier: Apache-2.0
 *
 * --check: the results of a case, compared with those of the reference backend. Both are computed once before
 * anything is measured; the reference leaves its own in a file, packed, and the others read it.
 */
#ifndef OB_RUN_RESULT_CHECK_H
#define OB_RUN_RESULT_CHECK_H

#include "graph/bound.h"
#include "opbench/text.h"
#include "run/setup.h"

/* Where the results are and whose they are. fd < 0: nothing is checked. */
typedef struct ob_check_place {
    int fd;
    bool is_reference;
    const char *reference; /* its backend's name, for messages */
} ob_check_place;

/* What came out. Zero: nothing was compared. */
typedef struct ob_check_result {
    const char *verdict; /* "same", "differs", "not checked"; NULL for the reference itself */
    double worst;        /* largest difference in units of its bound; NaN = none was taken */
    char reason[512];    /* of the last two */
} ob_check_result;

/* Runs the prepared case once, forward and, if it has one, backward; then packs or compares. Fails
 * when the backend does; a difference is no failure here. */
ob_status ob__check_case(const ob_setup *setup, ob_backend *backend, const ob_check_place *place,
                         ob_check_result *out, ob_err *err);

/* ---- packed results ---- */

/* Appends the results of both passes in a form that has no pointers. */
typedef struct ob_pack_args {
    const ob_bound_facts *facts;
    const ob_value *outputs, *gradients;
    size_t output_count, gradient_count;
    const char *const *gradient_names; /* "" = it is left out */
} ob_pack_args;
ob_status ob__results_pack(const ob_pack_args *args, ob_text *out, ob_err *err);
/* Compares two packed texts. OB_ERR_SYNTAX when one of them is none. */
typedef struct ob_packed {
    const char *data;
    size_t size;
} ob_packed;
ob_status ob__results_compare(ob_packed got, ob_packed want, const char *reference,
                              ob_check_result *out, ob_err *err);

#endif
