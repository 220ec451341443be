/* SPDX-License-Identifier: Apache-2.0
 *
 * Random numbers by vectors; included by loops.c. The words are those of the library's generator at the
 * same counters, so they are the same on every machine; only the logarithms and angles of normal
 * numbers may differ in their last bits.
 */

#define PHILOX_ROUND                                                                               \
    {                                                                                              \
        const uint64_t product0 = (uint64_t)0xD2511F53u * c0;                                      \
        const uint64_t product1 = (uint64_t)0xCD9E8D57u * c2;                                      \
        c0 = (uint32_t)(product1 >> 32) ^ c1 ^ k0;                                                 \
        c1 = (uint32_t)product1;                                                                   \
        c2 = (uint32_t)(product0 >> 32) ^ c3 ^ k1;                                                 \
        c3 = (uint32_t)product0;                                                                   \
        k0 += 0x9E3779B9u;                                                                         \
        k1 += 0xBB67AE85u;                                                                         \
    }

static void random_words(const native_random *random, uint64_t block, uint32_t *words)
{
    enum { BLOCKS = NATIVE_CHUNK / 4 };
    const uint32_t key0 = random->key[0], key1 = random->key[1];
    const uint32_t stream0 = random->stream[0], stream1 = random->stream[1];
    LOOP_PRAGMA for (int i = 0; i < BLOCKS; i++)
    {
        const uint64_t counter = block + (uint64_t)i;
        uint32_t c0 = (uint32_t)counter, c1 = (uint32_t)(counter >> 32), c2 = stream0;
        uint32_t c3 = stream1, k0 = key0, k1 = key1;
        PHILOX_ROUND PHILOX_ROUND PHILOX_ROUND PHILOX_ROUND PHILOX_ROUND PHILOX_ROUND PHILOX_ROUND
            PHILOX_ROUND PHILOX_ROUND PHILOX_ROUND words[i] = c0;
        words[i + BLOCKS] = c1;
        words[i + 2 * BLOCKS] = c2;
        words[i + 3 * BLOCKS] = c3;
    }
}
#undef PHILOX_ROUND

static void random_mask(const uint32_t *words, uint32_t threshold, uint8_t *mask, int64_t count)
{
    LOOP_PRAGMA for (int64_t i = 0; i < count; i++) mask[i] = words[i] >= threshold;
}

static void random_doubles(const uint32_t *words, double *out, int64_t count)
{
    LOOP_PRAGMA for (int64_t i = 0; i < count; i++)
    {
        const uint64_t low = words[i] >> 11, high = words[i + NATIVE_CHUNK];
        out[i] = (double)(int64_t)(low | high << 21) * 0x1p-53;
    }
}

/* Box and Muller. 1 - u is never 0. Sines have a loop of their own: beside cosines of the same angle the
 * compiler would make calls of sincos from them, which has no vectors. */
static void random_normals(double *numbers, int64_t count)
{
    double radius[NATIVE_CHUNK / 2], angle[NATIVE_CHUNK / 2];
    const int64_t half = count / 2;
    LOOP_PRAGMA for (int64_t i = 0; i < half; i++)
    {
        radius[i] = sqrt(-2 * log(1 - numbers[i]));
        angle[i] = 6.283185307179586477 * numbers[half + i];
    }
    LOOP_PRAGMA for (int64_t i = 0; i < half; i++) numbers[i] = radius[i] * cos(angle[i]);
    LOOP_PRAGMA for (int64_t i = 0; i < half; i++) numbers[half + i] = radius[i] * sin(angle[i]);
}
