/* SPDX-License-Identifier: Apache-2.0
 *
 * Random numbers by vectors; included by loops.c. The words are those of the library's generator at the
 * same counters, so they are the same on every machine; only the logarithms and angles of normal
 * numbers may differ in their last bits.
 */

/* On x86 the vectors are written out: compilers do not see that the product of two lower halves is one
 * instruction there, and some then use shorter vectors than they could, or none. A lane has 64 bits, of
 * which the upper half may be anything. Elsewhere a lane is a plain integer, and the loop is the compiler's. */
#if defined(__x86_64__)
enum { LANES = VECTOR_BYTES / 8 };
typedef uint64_t products __attribute__((vector_size(VECTOR_BYTES)));
typedef products lanes;
typedef uint32_t lane_words __attribute__((vector_size(VECTOR_BYTES / 2)));
#define LOWER(x) (x)
#define UPPER(x) ((x) >> 32)
#define LANE_WORDS(x) __builtin_convertvector(x, lane_words)
#if defined(__AVX512F__)
#define PRODUCTS(x, factor) (products) _mm512_mul_epu32((__m512i)(x), _mm512_set1_epi64(factor))
#elif defined(__AVX2__)
#define PRODUCTS(x, factor) (products) _mm256_mul_epu32((__m256i)(x), _mm256_set1_epi64x(factor))
#else
#define PRODUCTS(x, factor) (products) _mm_mul_epu32((__m128i)(x), _mm_set1_epi64x(factor))
#endif
#else
enum { LANES = 1 };
typedef uint64_t products;
typedef uint32_t lanes, lane_words;
#define LOWER(x) (uint32_t)(x)
#define UPPER(x) (uint32_t)((x) >> 32)
#define LANE_WORDS(x) (x)
#define PRODUCTS(x, factor) ((uint64_t)(factor) * (x))
#endif

static inline void store_words(lanes x, uint32_t *words)
{
    const lane_words stored = LANE_WORDS(x);
    memcpy(words, &stored, sizeof stored);
}

#define PHILOX_ROUND                                                                               \
    {                                                                                              \
        const products product0 = PRODUCTS(c0, 0xD2511F53);                                        \
        const products product1 = PRODUCTS(c2, 0xCD9E8D57);                                        \
        c0 = UPPER(product1) ^ c1 ^ k0;                                                            \
        c1 = LOWER(product1);                                                                      \
        c2 = UPPER(product0) ^ c3 ^ k1;                                                            \
        c3 = LOWER(product0);                                                                      \
        k0 += 0x9E3779B9u;                                                                         \
        k1 += 0xBB67AE85u;                                                                         \
    }

static void random_words(const native_random *random, uint64_t block, uint32_t *words)
{
    enum { BLOCKS = NATIVE_CHUNK / 4 };
    const uint32_t key0 = random->key[0], key1 = random->key[1];
    const lanes zero = {0}, stream0 = zero + random->stream[0], stream1 = zero + random->stream[1];
    uint64_t numbers[LANES];
    for (int i = 0; i < LANES; i++)
        numbers[i] = (uint64_t)i;
    products first;
    memcpy(&first, numbers, sizeof first);
    LOOP_PRAGMA for (int i = 0; i < BLOCKS; i += LANES)
    {
        const products counter = first + (block + (uint64_t)i);
        lanes c0 = LOWER(counter), c1 = UPPER(counter), c2 = stream0, c3 = stream1;
        uint32_t k0 = key0, k1 = key1;
        PHILOX_ROUND PHILOX_ROUND PHILOX_ROUND PHILOX_ROUND PHILOX_ROUND PHILOX_ROUND PHILOX_ROUND
            PHILOX_ROUND PHILOX_ROUND PHILOX_ROUND store_words(c0, words + i);
        store_words(c1, words + i + BLOCKS);
        store_words(c2, words + i + 2 * BLOCKS);
        store_words(c3, words + i + 3 * BLOCKS);
    }
}
#undef PRODUCTS
#undef LANE_WORDS
#undef UPPER
#undef LOWER
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
