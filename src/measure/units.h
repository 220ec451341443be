/* SPDX-License-Identifier: Apache-2.0
 *
 * The logarithm that decides units, digits and figures.
 */
#ifndef OB_MEASURE_UNITS_H
#define OB_MEASURE_UNITS_H

/* log10 in single precision, as the original takes it: 9.9999999e-7 counts as 1e-6 by it. x > 0; what
 * single precision cannot hold is taken in double. */
double ob__log10_single(double x);

#endif
