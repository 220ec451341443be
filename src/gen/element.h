/* SPDX-License-Identifier: Apache-2.0
 *
 * One element of a tensor from a number.
 */
#ifndef OB_GEN_ELEMENT_H
#define OB_GEN_ELEMENT_H

#include "opbench/dtype.h"
#include "opbench/json.h"

/* Bytes of one element, aligned for every dtype. */
typedef union ob_element {
    double align;
    unsigned char bytes[16];
} ob_element;

/* Range of an integer dtype; bool is 0..1. */
void ob__int_limits(ob_dtype dtype, int64_t *lo, int64_t *hi);
/* Largest finite value of a floating or complex dtype (of each part). */
double ob__real_limit(ob_dtype dtype);

/* From a number that is in the dtype's range; the fraction is cut for integers, imag is for complex
 * dtypes only, and bool means "not 0". */
ob_element ob__element_from_real(ob_dtype dtype, double real, double imag);

/* From a JSON value. Integers take whole numbers in range and booleans, bool takes true, false, 0
 * and 1, floating dtypes take numbers in range and "inf", "-inf", "nan", complex ones also a list
 * of two of those. False: *wanted says in words what would have been right. */
bool ob__element_from_json(ob_dtype dtype, const ob_json *node, ob_element *out,
                           const char **wanted);

#endif
