/* SPDX-License-Identifier: Apache-2.0
 *
 * The check of interval parameters, which the stopping rules share.
 */
#ifndef OB_MEASURE_INTERVAL_H
#define OB_MEASURE_INTERVAL_H

#include "opbench/measure.h"

/* Fills the defaults in; given may be NULL. */
ob_status ob__interval_params_check(const ob_interval_params *given, ob_interval_params *out,
                                    ob_err *err);

#endif
