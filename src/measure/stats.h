/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums, means and checks that statistics and intervals share.
 */
#ifndef OB_MEASURE_STATS_H
#define OB_MEASURE_STATS_H

#include "opbench/measure.h"

/* A sum with what its roundings lost. */
typedef struct ob_sum {
    double total, rest;
} ob_sum;
void ob__sum_add(ob_sum *sum, double x);

/* count > 0 */
double ob__mean(const double *samples, size_t count);
/* With n - 1; NaN for fewer than two. */
double ob__stddev(const double *samples, size_t count, double mean);
/* OB_ERR_INVALID if one is NaN or infinite; the message has its index. */
ob_status ob__samples_check(const double *samples, size_t count, ob_err *err);
/* The sample that would stand at `place`, from 0, if they were sorted; they are moved so that it stands there, none before
 * it is larger and none behind it smaller. In time proportional to the count; no NaN. */
double ob__stats_select(double *samples, size_t count, size_t place);

#endif
