/* SPDX-License-Identifier: Apache-2.0
 *
 * Random words in bulk, for filling tensors.
 */
#ifndef OB_BASE_RNG_FILL_H
#define OB_BASE_RNG_FILL_H

#include "opbench/rng.h"

/* The same words, and the same position afterwards, as `count` calls of ob_rng_u32. */
void ob__rng_fill(ob_rng *rng, uint32_t *words, size_t count);

/* The rare part of ob__rng_bounded. */
uint32_t ob__rng_bounded_again(ob_rng *rng, uint64_t product, uint32_t range);

/* Uniform in [0, range), range >= 1, from a word drawn before; draws more only when that word has to
 * be rejected. Multiplication maps the word to [0, range); the low half tells whether the word falls
 * into the part that would make some results more likely (Lemire, "Fast Random Integer Generation in
 * an Interval", 2019). */
static inline uint32_t ob__rng_bounded(ob_rng *rng, uint32_t word, uint32_t range)
{
    const uint64_t product = (uint64_t)word * range;
    if ((uint32_t)product < range)
        return ob__rng_bounded_again(rng, product, range);
    return (uint32_t)(product >> 32);
}

#endif
