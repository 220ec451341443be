/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"
#include "tensor/half.h"

static bool f16_is_nan(uint32_t h)
{
    return (h & 0x7fffu) > 0x7c00u;
}

/* Value by the definition of the format, in double. */
static double f16_value(uint32_t h)
{
    const int exponent = (int)((h >> 10) & 31u);
    const double mantissa = (double)(h & 0x3ffu);
    const double magnitude = exponent == 31  ? INFINITY
                             : exponent == 0 ? ldexp(mantissa, -24)
                                             : ldexp(1024 + mantissa, exponent - 25);
    return h & 0x8000u ? -magnitude : magnitude;
}

static void f16_round_trip(void)
{
    int wrong_value = 0, wrong_back = 0;
    for (uint32_t h = 0; h <= 0xffffu; h++) {
        const float f = ob__f16_to_float((uint16_t)h);
        const uint16_t back = ob__f16_from_float(f);
        if (f16_is_nan(h)) {
            wrong_value += !isnan(f);
            wrong_back += back != (h | 0x200u); /* quiet, the payload kept */
        } else {
            wrong_value += (double)f != f16_value(h) || !signbit(f) != !(h & 0x8000u);
            wrong_back += back != h;
        }
    }
    CHECK_INT(wrong_value, 0);
    CHECK_INT(wrong_back, 0);
}

/* Between two neighbours: below the middle down, above it up, the middle itself to the even one. */
static void f16_rounding(void)
{
    int wrong = 0;
    for (uint32_t h = 0; h < 0x7bffu; h++) {
        const double middle = (f16_value(h) + f16_value(h + 1)) / 2; /* fits a float */
        const float exact = (float)middle;
        wrong += ob__f16_from_float(exact) != (h & 1u ? h + 1 : h);
        wrong += ob__f16_from_float(nextafterf(exact, 0.0f)) != h;
        wrong += ob__f16_from_float(nextafterf(exact, 1e9f)) != h + 1;
        wrong += ob__f16_from_float(-exact) != (0x8000u | (h & 1u ? h + 1 : h));
    }
    CHECK_INT(wrong, 0);
}

static void f16_edges(void)
{
    CHECK_INT(ob__f16_from_float(65504.0f), 0x7bff);
    CHECK_INT(ob__f16_from_float(65519.996f), 0x7bff);
    CHECK_INT(ob__f16_from_float(65520.0f), 0x7c00);
    CHECK_INT(ob__f16_from_float(INFINITY), 0x7c00);
    CHECK_INT(ob__f16_from_float(-INFINITY), 0xfc00);
    CHECK_INT(ob__f16_from_float(0x1p-149f), 0);
    CHECK_INT(ob__f16_from_float(-0x1p-149f), 0x8000);
    CHECK_INT(ob__f16_from_float(0x1p-25f), 0); /* half of the smallest: a tie, to even */
    CHECK_INT(ob__f16_from_float(0x1.000002p-25f), 1);
    CHECK_INT(ob__f16_from_float(1.0f), 0x3c00);
    CHECK_INT(ob__f16_from_float(0.1f), 0x2e66);
}

static void bf16_all(void)
{
    int wrong = 0;
    for (uint32_t b = 0; b <= 0xffffu; b++) {
        const float f = ob__bf16_to_float((uint16_t)b);
        const bool nan = (b & 0x7fffu) > 0x7f80u;
        wrong += ob__bf16_from_float(f) != (nan ? b | 0x40u : b);
    }
    for (uint32_t b = 0; b < 0x7f7fu; b++) {
        const uint32_t middle = b << 16 | 0x8000u;
        wrong += ob__bf16_from_float(ob__float_from_bits(middle)) != (b & 1u ? b + 1 : b);
        wrong += ob__bf16_from_float(ob__float_from_bits(middle - 1)) != b;
        wrong += ob__bf16_from_float(ob__float_from_bits(middle + 1)) != b + 1;
    }
    CHECK_INT(wrong, 0);
    CHECK_INT(ob__bf16_from_float(3.4028235e38f), 0x7f80); /* rounds up to infinity */
    CHECK_INT(ob__bf16_from_float(ob__float_from_bits(0x7f800001u)), 0x7fc0); /* NaN stays one */
    CHECK_INT(ob__bf16_from_float(1.0f), 0x3f80);
}

int main(void)
{
    RUN(f16_round_trip);
    RUN(f16_rounding);
    RUN(f16_edges);
    RUN(bf16_all);
    return ob_test_end();
}
