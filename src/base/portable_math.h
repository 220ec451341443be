/* SPDX-License-Identifier: Apache-2.0
 *
 * Companions of ob_portable_log and ob_portable_exp that keep their digits near zero.
 */
#ifndef OB_BASE_PORTABLE_MATH_H
#define OB_BASE_PORTABLE_MATH_H

#include "opbench/rng.h"

double ob__portable_log1p(double x); /* log(1 + x) */
double ob__portable_expm1(double x); /* exp(x) - 1 */

#endif
