/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files about measurements share.
 */
#ifndef OB_MEASURE_MEASUREMENT_INT_H
#define OB_MEASURE_MEASUREMENT_INT_H

#include "opbench/measurement.h"

/* The times per run into out, which has room for m->count. */
void ob__measurement_times(const ob_measurement *m, double *out);

#endif
