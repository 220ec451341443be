/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"
#include "gen/element.h"
#include "gen/fill.h"
#include "tensor/half.h"

#include <float.h>
#include <stdlib.h>

enum { N = 10007 }; /* odd, and more than one chunk */

/* Element i as a double; of complex ones part i. */
static double at(ob_dtype dtype, const void *data, size_t i)
{
    switch (dtype) {
    case OB_DTYPE_BOOL:
    case OB_DTYPE_U8:
        return ((const uint8_t *)data)[i];
    case OB_DTYPE_I8:
        return ((const int8_t *)data)[i];
    case OB_DTYPE_I16:
        return ((const int16_t *)data)[i];
    case OB_DTYPE_I32:
        return ((const int32_t *)data)[i];
    case OB_DTYPE_I64:
        return (double)((const int64_t *)data)[i];
    case OB_DTYPE_F16:
        return (double)ob__f16_to_float(((const uint16_t *)data)[i]);
    case OB_DTYPE_BF16:
        return (double)ob__bf16_to_float(((const uint16_t *)data)[i]);
    case OB_DTYPE_F32:
    case OB_DTYPE_C64:
        return (double)((const float *)data)[i];
    default:
        return ((const double *)data)[i];
    }
}

/* Guard bytes behind the end show a write too far. */
typedef struct buffer {
    ob_dtype dtype;
    size_t count, parts;
    unsigned char *data;
} buffer;

static buffer make(ob_dtype dtype, size_t count)
{
    const size_t bytes = ob_dtype_size(dtype) * count;
    const bool complex = ob_dtype_get_info(dtype)->cls == OB_DTYPE_CLASS_COMPLEX;
    buffer b = {.dtype = dtype, .count = count, .parts = complex ? 2 * count : count};
    b.data = aligned_alloc(64, (bytes + 16 + 63) / 64 * 64);
    memset(b.data, 0xa5, bytes + 16);
    return b;
}

static void drop(buffer *b)
{
    for (size_t i = 0; i < 16; i++)
        CHECK_INT(b->data[ob_dtype_size(b->dtype) * b->count + i], 0xa5);
    free(b->data);
}

static void check_uniform(const buffer *b, double lo, double hi, bool closed)
{
    double sum = 0;
    int outside = 0;
    for (size_t i = 0; i < b->parts; i++) {
        const double x = at(b->dtype, b->data, i);
        outside += !(x >= lo && (closed ? x <= hi : x < hi));
        sum += x;
    }
    CHECK_INT(outside, 0);
    /* Six sigma, and half of the coarsest grid's step (bf16: 2^-8). */
    const double n = (double)b->parts, width = hi - lo + closed;
    CHECK_NEAR(sum / n, (lo + hi) / 2, width * (6 / sqrt(12 * n) + 0x1p-9));
}

static void unit(void)
{
    static const ob_dtype DTYPES[] = {OB_DTYPE_F16, OB_DTYPE_BF16, OB_DTYPE_F32,
                                      OB_DTYPE_F64, OB_DTYPE_C64,  OB_DTYPE_C128};
    static const double STEPS[] = {0x1p-11, 0x1p-8, 0x1p-24, 0x1p-53, 0x1p-24, 0x1p-53};
    for (size_t d = 0; d < sizeof DTYPES / sizeof DTYPES[0]; d++) {
        ob_rng rng;
        buffer b = make(DTYPES[d], N);
        ob_rng_init(&rng, 1, d);
        ob__fill_unit(&rng, DTYPES[d], b.data, N);
        check_uniform(&b, 0, 1, false);
        double highest = 0;
        int off_grid = 0;
        for (size_t i = 0; i < b.parts; i++) {
            const double x = at(b.dtype, b.data, i);
            highest = x > highest ? x : highest;
            off_grid += x / STEPS[d] != floor(x / STEPS[d]);
        }
        CHECK_INT(off_grid, 0);
        CHECK(highest > 0.99);
        drop(&b);
    }
}

/* The words in order: what a seed gives is fixed. */
static void unit_words(void)
{
    ob_rng rng, words;
    float f32[5];
    double f64[3];
    uint16_t half[5];
    ob_rng_init(&rng, 8, 0);
    words = rng;
    ob__fill_unit(&rng, OB_DTYPE_F32, f32, 5);
    for (int i = 0; i < 5; i++)
        CHECK_REAL((double)f32[i], (ob_rng_u32(&words) >> 8) * 0x1p-24);
    ob__fill_unit(&rng, OB_DTYPE_F64, f64, 3);
    for (int i = 0; i < 3; i++)
        CHECK_REAL(f64[i], ob_rng_double(&words));
    ob__fill_unit(&rng, OB_DTYPE_F16, half, 5);
    for (int i = 0; i < 5; i += 2) {
        const uint32_t word = ob_rng_u32(&words);
        CHECK_REAL((double)ob__f16_to_float(half[i]), ((word & 0xffffu) >> 5) * 0x1p-11);
        if (i + 1 < 5)
            CHECK_REAL((double)ob__f16_to_float(half[i + 1]), (word >> 21) * 0x1p-11);
    }
    CHECK_INT(ob_rng_u32(&rng), ob_rng_u32(&words));
    half[0] = 0xffff; /* alone it has a word too */
    ob__fill_unit(&rng, OB_DTYPE_F16, half, 1);
    CHECK_REAL((double)ob__f16_to_float(half[0]), ((ob_rng_u32(&words) & 0xffffu) >> 5) * 0x1p-11);
}

static void ints(void)
{
    static const struct {
        ob_dtype dtype;
        int64_t lo, hi;
    } CASES[] = {
        {OB_DTYPE_BOOL, 0, 1},
        {OB_DTYPE_BOOL, 1, 1},
        {OB_DTYPE_U8, 0, 9},
        {OB_DTYPE_U8, 0, 255},
        {OB_DTYPE_I8, -10, 9},
        {OB_DTYPE_I8, -128, 127},
        {OB_DTYPE_I16, -10, 9},
        {OB_DTYPE_I16, INT16_MIN, INT16_MAX},
        {OB_DTYPE_I32, -10, 9},
        {OB_DTYPE_I32, INT32_MIN, INT32_MAX},
        {OB_DTYPE_I32, 0, INT32_MAX},
        {OB_DTYPE_I64, -10, 9},
        {OB_DTYPE_I64, 0, UINT32_MAX},
        {OB_DTYPE_I64, -1, UINT32_MAX},
        {OB_DTYPE_I64, INT64_MIN / 2, INT64_MAX / 2},
        {OB_DTYPE_I64, INT64_MAX, INT64_MAX},
    };
    for (size_t c = 0; c < sizeof CASES / sizeof CASES[0]; c++) {
        ob_rng rng;
        buffer b = make(CASES[c].dtype, N);
        ob_rng_init(&rng, 2, c);
        ob__fill_ints(&rng, b.dtype, CASES[c].lo, CASES[c].hi, b.data, N);
        check_uniform(&b, (double)CASES[c].lo, (double)CASES[c].hi, true);
        if (CASES[c].hi - CASES[c].lo < 20) { /* every value comes */
            int seen[20] = {0};
            for (size_t i = 0; i < N; i++)
                seen[(int)(at(b.dtype, b.data, i) - (double)CASES[c].lo)]++;
            for (int64_t v = 0; v <= CASES[c].hi - CASES[c].lo; v++)
                CHECK(seen[v] > 0);
        }
        drop(&b);
    }
    int64_t all[N];
    ob_rng rng;
    int negative = 0;
    ob_rng_init(&rng, 3, 0);
    ob__fill_ints(&rng, OB_DTYPE_I64, INT64_MIN, INT64_MAX, all, N);
    for (int i = 0; i < N; i++)
        negative += all[i] < 0;
    CHECK_NEAR(negative, N / 2.0, 5 * sqrt(N) / 2);
}

static void reals(void)
{
    static const struct {
        ob_dtype dtype;
        double lo, hi;
    } CASES[] = {
        {OB_DTYPE_F16, 0, 1},      {OB_DTYPE_F16, 0.1, 0.3},     {OB_DTYPE_F16, -65504, 65504},
        {OB_DTYPE_BF16, 0.1, 0.3}, {OB_DTYPE_BF16, -1e30, 1e30}, {OB_DTYPE_F32, 0, 1},
        {OB_DTYPE_F32, 0.1, 0.2},  {OB_DTYPE_F32, -5, 5},        {OB_DTYPE_F64, -5, 5},
        {OB_DTYPE_F64, 1e-320, 1}, {OB_DTYPE_C64, -2, 2},        {OB_DTYPE_C128, 3, 4},
        {OB_DTYPE_F16, 1, 1.002},  {OB_DTYPE_BF16, 1, 1.016},
    };
    for (size_t c = 0; c < sizeof CASES / sizeof CASES[0]; c++) {
        ob_rng rng;
        buffer b = make(CASES[c].dtype, N);
        const double lo = CASES[c].lo, hi = CASES[c].hi;
        ob_rng_init(&rng, 4, c);
        ob__fill_reals(&rng, b.dtype, lo, hi, b.data, N);
        int outside = 0;
        double sum = 0;
        for (size_t i = 0; i < b.parts; i++) {
            const double x = at(b.dtype, b.data, i);
            outside += !(x >= lo && x < hi);
            sum += x;
        }
        CHECK_INT(outside, 0);
        CHECK_NEAR(sum / (double)b.parts, (lo + hi) / 2, (hi - lo) * 0.5);
        drop(&b);
    }
    ob_rng rng;
    double wide[64];
    ob_rng_init(&rng, 5, 0);
    ob__fill_reals(&rng, OB_DTYPE_F64, -DBL_MAX, DBL_MAX, wide, 64);
    int finite = 0, negative = 0;
    for (int i = 0; i < 64; i++) {
        finite += isfinite(wide[i]) != 0;
        negative += wide[i] < 0;
    }
    CHECK_INT(finite, 64);
    CHECK(negative > 10 && negative < 54);
}

static void narrow_reals(void)
{
    uint16_t half[100];
    ob_rng rng;
    ob_rng_init(&rng, 6, 0);
    /* No float16 between 1.0001 and 1.0002: the nearest to the lower end. */
    ob__fill_reals(&rng, OB_DTYPE_F16, 1.0001, 1.0002, half, 100);
    for (int i = 0; i < 100; i++)
        CHECK_INT(half[i], 0x3c00);
    ob__fill_reals(&rng, OB_DTYPE_F16, 0.5, 0.5, half, 100);
    CHECK_INT(half[99], 0x3800);
    /* Exactly two: 1 and its successor. */
    int seen[2] = {0};
    ob__fill_reals(&rng, OB_DTYPE_F16, 1, 1 + 0x1p-9, half, 100);
    for (int i = 0; i < 100; i++)
        seen[half[i] == 0x3c01] += half[i] == 0x3c00 || half[i] == 0x3c01;
    CHECK_INT(seen[0] + seen[1], 100);
    CHECK(seen[0] > 0 && seen[1] > 0);
    /* Ends between two values: only the one inside. */
    ob__fill_reals(&rng, OB_DTYPE_F16, 1.0001, 1.0015, half, 100);
    for (int i = 0; i < 100; i++)
        CHECK_INT(half[i], 0x3c01);
    ob__fill_reals(&rng, OB_DTYPE_F16, -1.0015, -1.0001, half, 100);
    for (int i = 0; i < 100; i++)
        CHECK_INT(half[i], 0xbc01);
    /* Negative ends, and a range that ends at zero. */
    ob__fill_reals(&rng, OB_DTYPE_F16, -0x1p-24, 0, half, 100);
    for (int i = 0; i < 100; i++)
        CHECK_INT(half[i], 0x8001);
    ob__fill_reals(&rng, OB_DTYPE_BF16, -1.001, -1, half, 100);
    for (int i = 0; i < 100; i++)
        CHECK_INT(half[i], 0xbf80); /* none in between: -1.001 is nearest to -1 */
}

static void copies(void)
{
    for (int d = 0; d < OB_DTYPE_COUNT; d++) {
        for (size_t count = 0; count < 9; count++) {
            buffer b = make((ob_dtype)d, count);
            ob_element e;
            const size_t size = ob_dtype_size(b.dtype);
            for (size_t i = 0; i < sizeof e.bytes; i++)
                e.bytes[i] = (unsigned char)(i + 1);
            ob__fill_copies(b.dtype, &e, b.data, count);
            for (size_t i = 0; i < size * count; i++)
                CHECK_INT(b.data[i], i % size + 1);
            drop(&b);
        }
    }
}

static void limits(void)
{
    static const struct {
        ob_dtype dtype;
        int64_t lo, hi;
    } CASES[] = {{OB_DTYPE_BOOL, 0, 1},
                 {OB_DTYPE_U8, 0, 255},
                 {OB_DTYPE_I8, INT8_MIN, INT8_MAX},
                 {OB_DTYPE_I16, INT16_MIN, INT16_MAX},
                 {OB_DTYPE_I32, INT32_MIN, INT32_MAX},
                 {OB_DTYPE_I64, INT64_MIN, INT64_MAX}};
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        int64_t lo, hi;
        ob__int_limits(CASES[i].dtype, &lo, &hi);
        CHECK_INT(lo, CASES[i].lo);
        CHECK_INT(hi, CASES[i].hi);
    }
    CHECK_REAL(ob__real_limit(OB_DTYPE_F16), (double)ob__f16_to_float(0x7bff));
    CHECK_REAL(ob__real_limit(OB_DTYPE_BF16), (double)ob__bf16_to_float(0x7f7f));
    CHECK_REAL(ob__real_limit(OB_DTYPE_C64), (double)FLT_MAX);
    CHECK_REAL(ob__real_limit(OB_DTYPE_F64), DBL_MAX);
}

int main(void)
{
    RUN(unit);
    RUN(unit_words);
    RUN(ints);
    RUN(reals);
    RUN(narrow_reals);
    RUN(copies);
    RUN(limits);
    return ob_test_end();
}
