/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of confidence intervals: exact coverages, how much neighbours depend on each other, and the
 * interval of paired differences. The stopping rules and the ratios of backends share them.
 */
#ifndef OB_MEASURE_INTERVAL_H
#define OB_MEASURE_INTERVAL_H

#include "opbench/measure.h"

/* 0 becomes OB_DEFAULT_CONFIDENCE; what is not inside (0, 1) is OB_ERR_INVALID. */
ob_status ob__confidence_check(double *confidence, ob_err *err);

/* A place from both ends of an ascending list, and how often what lies between holds the truth. */
typedef struct ob_rank {
    size_t rank;     /* from 1; 0: not even the ends hold it often enough */
    double coverage; /* exact; for rank 0 that of the ends */
} ob_rank;

/* The innermost order statistics of `count` independent values between which their median lies with at
 * least this confidence: P(rank <= B <= count - rank) for a binomial B of `count` fair coins. */
ob_rank ob__median_rank(size_t count, double confidence);
/* The same for the count * (count + 1) / 2 averages of two values each (with themselves too), and the centre of
 * symmetry of the values' distribution: Wilcoxon's signed ranks. count <= OB_MOST_PAIRS. */
enum { OB_MOST_PAIRS = 30 };
ob_rank ob__signed_rank(size_t count, double confidence);

/* How alike neighbours are, by the sides of `middle` on which they lie: values far off weigh no more
 * than others. */
typedef struct ob_dependence {
    double inflation; /* as many times the samples say as much as independent ones; at least 1 */
    double lag1;      /* correlation of neighbouring batches */
} ob_dependence;
void ob__dependence_measure(const double *samples, size_t count, double middle, ob_dependence *out);

/* The centre of paired differences (Hodges and Lehmann's: the median of the averages of two) and its interval. As for
 * ob_interval: without `enough`, low and high are NaN. */
typedef struct ob_centre {
    bool enough;
    double centre, low, high;
    double confidence;
    double lag1; /* of neighbouring differences; NaN below OB_MIN_SAMPLES, where it says nothing */
} ob_centre;
/* In order of time; 0 < count <= OB_MOST_PAIRS, all finite. independent: neighbours have nothing to do with each other. */
void ob__centre_of_pairs(const double *differences, size_t count, bool independent, ob_centre *out);

#endif
