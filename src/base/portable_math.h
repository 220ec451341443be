/* SPDX-License-Identifier: Apache-2.0
 *
 * Elementary functions that give the same bits on every machine, for random draws; correct to about 1 ulp.
 */
#ifndef OB_BASE_PORTABLE_MATH_H
#define OB_BASE_PORTABLE_MATH_H

double ob__portable_log(double x);
double ob__portable_exp(double x);
double ob__portable_log1p(double x); /* log(1 + x) */
double ob__portable_expm1(double x); /* exp(x) - 1 */

#endif
