/* SPDX-License-Identifier: Apache-2.0
 *
 * Filling memory with random or equal elements.
 */
#ifndef OB_GEN_FILL_H
#define OB_GEN_FILL_H

#include "opbench/dtype.h"
#include "opbench/rng.h"

/* In [0, 1): every value a multiple of the dtype's epsilon / 2, so that none is rounded up to 1.
 * dtype is floating or complex; complex elements are two draws. */
void ob__fill_unit(ob_rng *rng, ob_dtype dtype, void *out, size_t count);

/* In [lo, hi], both within the range of dtype, which is an integer type or bool. */
void ob__fill_ints(ob_rng *rng, ob_dtype dtype, int64_t lo, int64_t hi, void *out, size_t count);

/* In [lo, hi), lo <= hi, both finite and within the range of dtype, which is floating or complex.
 * When dtype has no value in there, the one nearest to lo. */
void ob__fill_reals(ob_rng *rng, ob_dtype dtype, double lo, double hi, void *out, size_t count);

/* Copies of the element at `element`. */
void ob__fill_copies(ob_dtype dtype, const void *element, void *out, size_t count);

#endif
