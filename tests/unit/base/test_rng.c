/* SPDX-License-Identifier: Apache-2.0 */
#include "base/philox.h"
#include "base/rng_fill.h"
#include "check.h"

/* The vectors that the authors of Philox publish with their library. */
static void philox_known_answers(void)
{
    static const struct {
        uint32_t counter[4], key[2], out[4];
    } CASES[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        uint32_t out[4];
        ob__philox(CASES[i].counter, CASES[i].key, out);
        for (int j = 0; j < 4; j++)
            CHECK_INT(out[j], CASES[i].out[j]);
    }
}

static void words(void)
{
    ob_rng rng;
    ob_rng_init(&rng, 0, 0);
    CHECK_INT(ob_rng_u32(&rng), 0x6627e8d5);
    CHECK_INT(ob_rng_u32(&rng), 0xe169c58d);
    CHECK_INT(ob_rng_u64(&rng), 0x9b00dbd8bc57ac4c);
    /* Seed is the key, stream the counter's high half, the block's number its low half. */
    ob_rng_init(&rng, 0x299f31d0a4093822, 0x0370734413198a2e);
    rng.block = 0x85a308d3243f6a88;
    CHECK_INT(ob_rng_u32(&rng), 0xd16cfe09);
}

static void seek(void)
{
    ob_rng straight, jumping;
    ob_rng_init(&straight, 42, 7);
    for (uint64_t i = 0; i < 23; i++) {
        ob_rng_init(&jumping, 42, 7);
        (void)ob_rng_u32(&jumping);
        ob_rng_seek(&jumping, i);
        CHECK_INT(ob_rng_u32(&jumping), ob_rng_u32(&straight));
    }
    ob_rng_seek(&straight, UINT64_MAX);
    (void)ob_rng_u64(&straight);
}

static void fill(void)
{
    for (size_t start = 0; start < 6; start++) {
        for (size_t count = 0; count < 15; count++) {
            ob_rng one, bulk;
            uint32_t got[15];
            ob_rng_init(&one, 5, 6);
            ob_rng_seek(&one, start);
            bulk = one;
            ob__rng_fill(&bulk, got, count);
            for (size_t i = 0; i < count; i++)
                CHECK_INT(got[i], ob_rng_u32(&one));
            CHECK_INT(ob_rng_u32(&bulk), ob_rng_u32(&one));
        }
    }
}

static void ints_in_range(void)
{
    static const int64_t RANGES[][2] = {
        {0, 0},
        {-10, 9},
        {5, 5},
        {INT64_MIN, INT64_MIN},
        {0, UINT32_MAX},
        {-1, UINT32_MAX},
        {0, (int64_t)UINT32_MAX - 1},
        {INT64_MIN, 0},
        {-3, INT64_MAX},
        {INT64_MIN, INT64_MAX},
        {INT64_MAX, INT64_MAX},
        {INT64_MIN + 1, INT64_MAX - 1},
    };
    ob_rng rng;
    ob_rng_init(&rng, 1, 0);
    for (size_t i = 0; i < sizeof RANGES / sizeof RANGES[0]; i++) {
        const int64_t lo = RANGES[i][0], hi = RANGES[i][1];
        int outside = 0;
        for (int j = 0; j < 2000; j++) {
            const int64_t v = ob_rng_int(&rng, lo, hi);
            outside += v < lo || v > hi;
        }
        CHECK_INT(outside, 0);
    }
}

/* Every value of a small range comes, about equally often: the bound is five sigma. */
static void ints_are_uniform(void)
{
    enum { DRAWS = 200000, VALUES = 20 };
    int counts[VALUES] = {0};
    ob_rng rng;
    ob_rng_init(&rng, 9, 0);
    for (int i = 0; i < DRAWS; i++)
        counts[ob_rng_int(&rng, -10, 9) + 10]++;
    for (int i = 0; i < VALUES; i++)
        CHECK_NEAR(counts[i], DRAWS / VALUES, 5 * sqrt((double)DRAWS / VALUES));

    /* Three quarters of 2^64: a plain modulo would give the low third twice as often. */
    const int64_t lo = INT64_MIN, hi = INT64_MIN / 2 * -1;
    int low = 0;
    for (int i = 0; i < DRAWS; i++)
        low += ob_rng_int(&rng, lo, hi) < INT64_MIN / 2;
    CHECK_NEAR(low, DRAWS / 3.0, 5 * sqrt(DRAWS * 2.0 / 9));
    /* The same for 32 bits. */
    low = 0;
    for (int i = 0; i < DRAWS; i++)
        low += ob_rng_int(&rng, 0, 0xbfffffff) < 0x40000000;
    CHECK_NEAR(low, DRAWS / 3.0, 5 * sqrt(DRAWS * 2.0 / 9));
}

/* A rejected word draws the next one: 0 is below the threshold of every range that is no power of
 * two. */
static void bounded_rejects(void)
{
    ob_rng rng, copy;
    ob_rng_init(&rng, 3, 0);
    copy = rng;
    const uint64_t next = ob_rng_u32(&copy);
    CHECK_INT(ob__rng_bounded(&rng, 0, 3), (next * 3) >> 32);
    CHECK_INT(ob_rng_u32(&rng), ob_rng_u32(&copy));
    copy = rng;
    CHECK_INT(ob__rng_bounded(&rng, 0, 4), 0); /* a power of two rejects nothing */
    CHECK_INT(ob__rng_bounded(&rng, 0xffffffff, 3), 2);
    CHECK_INT(ob_rng_u32(&rng), ob_rng_u32(&copy));
}

static void reals(void)
{
    enum { DRAWS = 100000 };
    double sum = 0, square = 0;
    int outside = 0;
    ob_rng rng;
    ob_rng_init(&rng, 4, 0);
    for (int i = 0; i < DRAWS; i++) {
        const double u = ob_rng_double(&rng);
        outside += !(u >= 0 && u < 1);
        sum += u;
        square += u * u;
    }
    CHECK_INT(outside, 0);
    CHECK_NEAR(sum / DRAWS, 0.5, 5 * sqrt(1.0 / 12 / DRAWS));
    CHECK_NEAR(square / DRAWS, 1.0 / 3, 5 * sqrt(4.0 / 45 / DRAWS));
    static const double RANGES[][2] = {
        {-10, 10}, {1, 0x1.0000000000001p+0},       {-1.7e308, 1.7e308}, {0, 0x1p-1074},
        {3, -3},   {1e300, 1.0000000000000002e300},
    };
    for (size_t i = 0; i < sizeof RANGES / sizeof RANGES[0]; i++) {
        const double lo = RANGES[i][0], hi = RANGES[i][1];
        for (int j = 0; j < 2000; j++) {
            const double x = ob_rng_uniform(&rng, lo, hi);
            outside += lo < hi ? !(x >= lo && x < hi) : !(x <= lo && x > hi);
        }
    }
    CHECK_INT(outside, 0);
    CHECK_REAL(ob_rng_uniform(&rng, 2.5, 2.5), 2.5);
}

static void normals(void)
{
    enum { DRAWS = 100000 };
    double m1 = 0, m2 = 0, m3 = 0, m4 = 0;
    int inside = 0;
    ob_rng rng;
    ob_rng_init(&rng, 11, 0);
    for (int i = 0; i < DRAWS; i++) {
        const double x = ob_rng_normal(&rng);
        m1 += x;
        m2 += x * x;
        m3 += x * x * x;
        m4 += x * x * x * x;
        inside += fabs(x) < 1;
    }
    const double sigma = 5 / sqrt(DRAWS);
    CHECK_NEAR(m1 / DRAWS, 0, sigma);
    CHECK_NEAR(m2 / DRAWS, 1, sigma * sqrt(2));
    CHECK_NEAR(m3 / DRAWS, 0, sigma * sqrt(15));
    CHECK_NEAR(m4 / DRAWS, 3, sigma * sqrt(96));
    CHECK_NEAR(inside / (double)DRAWS, 0.6826894921370859, sigma * 0.47);
}

static void loguniforms(void)
{
    enum { DRAWS = 50000 };
    int counts[4] = {0}, outside = 0;
    ob_rng rng;
    ob_rng_init(&rng, 12, 0);
    for (int i = 0; i < DRAWS; i++) {
        const double x = ob_rng_loguniform(&rng, 1, 10000);
        outside += !(x >= 1 && x <= 10000);
        counts[x < 10 ? 0 : x < 100 ? 1 : x < 1000 ? 2 : 3]++;
    }
    CHECK_INT(outside, 0);
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(counts[i], DRAWS / 4, 5 * sqrt(DRAWS * 3.0 / 16));
    for (int i = 0; i < 1000; i++)
        CHECK_REAL(ob_rng_loguniform(&rng, 0.1, 0.1), 0.1);
}

/* The sequences themselves: the same bits on every platform, compiler and optimisation. */
static void golden(void)
{
    static const double UNIFORM[] = {0x1.509b2428f9bf4p+1,  -0x1.9827c981c1749p+2,
                                     -0x1.3b6d7c9c418b3p+3, -0x1.2cf0945d8e18ap+2,
                                     -0x1.791415db19e48p+0, -0x1.098bfbf4ecfb8p+1};
    static const double NORMAL[] = {-0x1.d9f147fdd90e1p+0, 0x1.64eee109d33b2p-2,
                                    -0x1.c1fa443c8287ap-1, 0x1.106a37cbd1922p+0,
                                    -0x1.6a16ee61b3ff2p-1, -0x1.e3300bedb109ap-2};
    static const double LOGUNIFORM[] = {0x1.aa7520811c8d1p+4,  0x1.092b10118a2ep+16,
                                        0x1.59b022f428ebap+15, 0x1.ef8be10a0f506p+10,
                                        0x1.ebaaf2f1a5356p+15, 0x1.024f89c67673p+2};
    static const int64_t INTS[] = {-9, 2589152939195331550, 0,  2485738413751505051,
                                   -9, 1014714409904615223, -5, 2044555040488566183};
    ob_rng rng;
    ob_rng_init(&rng, 2024, 1);
    for (size_t i = 0; i < sizeof UNIFORM / sizeof UNIFORM[0]; i++)
        CHECK_REAL(ob_rng_uniform(&rng, -10, 10), UNIFORM[i]);
    ob_rng_init(&rng, 2024, 2);
    for (size_t i = 0; i < sizeof NORMAL / sizeof NORMAL[0]; i++)
        CHECK_REAL(ob_rng_normal(&rng), NORMAL[i]);
    ob_rng_init(&rng, 2024, 3);
    for (size_t i = 0; i < sizeof LOGUNIFORM / sizeof LOGUNIFORM[0]; i++)
        CHECK_REAL(ob_rng_loguniform(&rng, 1, 1e6), LOGUNIFORM[i]);
    ob_rng_init(&rng, 2024, 4);
    for (size_t i = 0; i < sizeof INTS / sizeof INTS[0]; i++)
        CHECK_INT(ob_rng_int(&rng, i % 2 ? INT64_MIN / 3 : -10, i % 2 ? INT64_MAX : 9), INTS[i]);
    /* Many draws in one number, so that a rare difference shows too. */
    uint64_t hash = 0xcbf29ce484222325;
    ob_rng_init(&rng, 2024, 5);
    for (int i = 0; i < 300000; i++) {
        const double x = i % 2 ? ob_rng_normal(&rng) : ob_rng_loguniform(&rng, 1e-300, 1e300);
        uint64_t bits;
        memcpy(&bits, &x, sizeof bits);
        hash = (hash ^ bits) * 0x100000001b3;
    }
    CHECK_INT(hash, 0x787ee4fbb1dcafa2);
}

int main(void)
{
    RUN(philox_known_answers);
    RUN(words);
    RUN(seek);
    RUN(fill);
    RUN(ints_in_range);
    RUN(ints_are_uniform);
    RUN(bounded_rejects);
    RUN(reals);
    RUN(normals);
    RUN(loguniforms);
    RUN(golden);
    return ob_test_end();
}
