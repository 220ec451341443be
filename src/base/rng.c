/* SPDX-License-Identifier: Apache-2.0
 *
 * The random number generator and its draws. The counter's low half is the block's number, its high
 * half the stream; the key is the seed. How many words a draw takes is part of the sequence that
 * users rely on: changing it changes everybody's data.
 */
#include "base/philox.h"
#include "base/portable_math.h"
#include "base/rng_fill.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* x87 arithmetic keeps more bits than a double has and would give other draws. */
_Static_assert(FLT_EVAL_METHOD == 0, "needs plain IEEE doubles: on i386 use -msse2 -mfpmath=sse");

enum { BLOCK_WORDS = 4 };

static void make_block(const ob_rng *rng, uint64_t block, uint32_t *out)
{
    const uint32_t counter[4] = {(uint32_t)block, (uint32_t)(block >> 32), rng->stream[0],
                                 rng->stream[1]};
    ob__philox(counter, rng->key, out);
}

static void refill(ob_rng *rng)
{
    make_block(rng, rng->block, rng->buffer);
    rng->block++;
    rng->used = 0;
}

void ob_rng_init(ob_rng *rng, uint64_t seed, uint64_t stream)
{
    *rng = (ob_rng){.key = {(uint32_t)seed, (uint32_t)(seed >> 32)},
                    .stream = {(uint32_t)stream, (uint32_t)(stream >> 32)},
                    .used = BLOCK_WORDS};
}

void ob_rng_seek(ob_rng *rng, uint64_t words)
{
    rng->block = words / BLOCK_WORDS;
    rng->used = BLOCK_WORDS;
    if (words % BLOCK_WORDS != 0) {
        refill(rng);
        rng->used = (uint32_t)(words % BLOCK_WORDS);
    }
}

uint32_t ob_rng_u32(ob_rng *rng)
{
    if (rng->used >= BLOCK_WORDS)
        refill(rng);
    return rng->buffer[rng->used++];
}

uint64_t ob_rng_u64(ob_rng *rng)
{
    const uint64_t low = ob_rng_u32(rng);
    return low | (uint64_t)ob_rng_u32(rng) << 32;
}

void ob__rng_fill(ob_rng *rng, uint32_t *words, size_t count)
{
    while (count > 0 && rng->used < BLOCK_WORDS) {
        *words++ = rng->buffer[rng->used++];
        count--;
    }
    for (; count >= BLOCK_WORDS; count -= BLOCK_WORDS, words += BLOCK_WORDS)
        make_block(rng, rng->block++, words);
    while (count-- > 0)
        *words++ = ob_rng_u32(rng);
}

double ob_rng_double(ob_rng *rng)
{
    return (double)(ob_rng_u64(rng) >> 11) * 0x1p-53;
}

uint32_t ob__rng_bounded_again(ob_rng *rng, uint64_t product, uint32_t range)
{
    const uint32_t threshold = (0u - range) % range;
    while ((uint32_t)product < threshold)
        product = (uint64_t)ob_rng_u32(rng) * range;
    return (uint32_t)(product >> 32);
}

/* In [0, range); range above 2^32, where a 128-bit product is not to be had everywhere. */
static uint64_t bounded_wide(ob_rng *rng, uint64_t range)
{
    const uint64_t threshold = (0u - range) % range; /* 2^64 mod range */
    uint64_t word;
    do {
        word = ob_rng_u64(rng);
    } while (word < threshold);
    return word % range;
}

int64_t ob_rng_int(ob_rng *rng, int64_t lo, int64_t hi)
{
    const uint64_t distance = (uint64_t)hi - (uint64_t)lo;
    uint64_t step;
    if (distance < UINT32_MAX)
        step = ob__rng_bounded(rng, ob_rng_u32(rng), (uint32_t)distance + 1);
    else if (distance == UINT32_MAX)
        step = ob_rng_u32(rng);
    else if (distance == UINT64_MAX)
        step = ob_rng_u64(rng);
    else
        step = bounded_wide(rng, distance + 1);

    const uint64_t bits = (uint64_t)lo + step;
    int64_t result;
    memcpy(&result, &bits, sizeof result); /* two's complement, without an undefined overflow */
    return result;
}

double ob_rng_uniform(ob_rng *rng, double lo, double hi)
{
    const double u = ob_rng_double(rng);
    const double width = hi - lo;
    double result = lo + width * u;
    if (!isfinite(width)) /* the two ends are further apart than the largest double */
        result = lo * (1 - u) + hi * u;
    if (lo < hi ? result >= hi : result <= hi) /* rounded up to the open end */
        result = nextafter(hi, lo);
    return result;
}

/* Marsaglia's polar method. The second number of the pair is dropped: keeping it would be state
 * that ob_rng_seek cannot restore. */
double ob_rng_normal(ob_rng *rng)
{
    double x, square;
    do {
        x = 2 * ob_rng_double(rng) - 1;
        const double y = 2 * ob_rng_double(rng) - 1;
        square = x * x + y * y;
    } while (square >= 1 || square == 0);
    return x * sqrt(-2 * ob__portable_log(square) / square);
}

double ob_rng_loguniform(ob_rng *rng, double lo, double hi)
{
    const double from = ob__portable_log(lo), to = ob__portable_log(hi);
    const double result = ob__portable_exp(ob_rng_uniform(rng, from, to));
    return result < lo ? lo : result > hi ? hi : result; /* the logarithms are rounded */
}
