/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a row of numbers has its centre, and how sure that is.
 */
#ifndef OB_VERDICT_CENTRE_H
#define OB_VERDICT_CENTRE_H

#include <stddef.h>

/* A trimmed mean: of ten numbers the least and the greatest do not count, and so on. */
typedef struct ob_trimmed {
    double mean;
    double error;   /* of the mean: its estimated standard deviation; NaN for fewer than two */
    double degrees; /* of freedom of the error */
} ob_trimmed;

/* values are sorted by it. count > 0. */
ob_trimmed ob__trimmed_mean(double *values, size_t count);
/* The difference of two independent ones: b - a. */
ob_trimmed ob__trimmed_difference(const ob_trimmed *a, const ob_trimmed *b);

#endif
