/* SPDX-License-Identifier: Apache-2.0
 *
 * Centres and spreads that a few wild numbers do not move: what nodes of a fleet are judged by. Pure functions;
 * docs/nodes.md has the formulas.
 */
#ifndef OB_VERDICT_ROBUST_H
#define OB_VERDICT_ROBUST_H

#include <stddef.h>

/* A variance, and how many degrees of freedom its estimate has. */
typedef struct ob_variance {
    double value, degrees;
} ob_variance;

/* The median distance from the median, scaled so that of so many normal numbers its mean is their standard deviation. Its square
 * and degrees of freedom; of fewer than two numbers both are 0. scratch holds `count` doubles. */
ob_variance ob__robust_variance(const double *values, size_t count, double *scratch);
/* Pulls a variance towards what is known before, which is worth `worth` degrees of freedom. */
ob_variance ob__variance_moderated(ob_variance seen, double before, double worth);
/* Of independent errors together: Satterthwaite's degrees of freedom. */
ob_variance ob__variance_sum(ob_variance a, ob_variance b);
/* Half the width of an interval that misses with this chance. */
double ob__variance_half_width(ob_variance of, double miss);

/* A number that a case says, and how far nodes usually are apart in it. */
typedef struct ob_reading {
    double value;
    double scale;    /* above 0 */
    double variance; /* of its own, as repeats tell; 0 = not known */
} ob_reading;

typedef struct ob_robust_centre {
    double value;
    ob_variance error; /* of value */
} ob_robust_centre;

/* Huber's estimate of the common value: a mean weighted by 1 / scale^2, in which those that are farther off than 1.345 scales count
 * less. The error is the larger of what the readings' scatter says, moderated by their scales, and of what their own
 * variances say. count > 0; scratch holds `count` doubles. */
ob_robust_centre ob__robust_centre(const ob_reading *readings, size_t count, double *scratch);

#endif
