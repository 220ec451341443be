/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a row of numbers has its centre, and how sure that is.
 */
#ifndef OB_VERDICT_CENTRE_H
#define OB_VERDICT_CENTRE_H

#include <stdbool.h>
#include <stddef.h>

/* The estimated standard deviation of a centre, NaN for fewer than two numbers, and its degrees of freedom. */
typedef struct ob_centre_error {
    double error, degrees;
} ob_centre_error;

/* A weighted mean. Its error is estimated twice. */
typedef struct ob_centre {
    double mean;
    ob_centre_error by_weights; /* if the numbers scatter as their weights say */
    ob_centre_error by_scatter; /* whatever the weights say */
} ob_centre;

/* variances: what is known of each number's own error, squared; NULL = all are alike. count > 0. */
ob_centre ob__centre_of(const double *values, const double *variances, size_t count);
/* The difference of two independent ones: b - a. */
ob_centre ob__centre_difference(const ob_centre *a, const ob_centre *b);
/* Half the width of an interval around it that misses with this chance; infinite where that is not known. The sure one is the
 * wider of those by both errors. */
double ob__centre_half_width(const ob_centre *centre, double miss);
double ob__centre_sure_half_width(const ob_centre *centre, double miss);
/* An interval around the weighted mean of numbers that lie symmetrically around it, whatever else is true of them: Hartigan's
 * typical values. false: there are too few for it. */
bool ob__centre_typical(const double *values, const double *variances, size_t count, double miss,
                        double *low, double *high);

#endif
