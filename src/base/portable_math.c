/* SPDX-License-Identifier: Apache-2.0
 *
 * Logarithm and exponential that give the same bits everywhere: IEEE additions, multiplications and
 * divisions in a fixed order, no fused operations, no table. The argument is brought near 1 (or 0)
 * by a power of two; there a series is summed, long enough that what is left out does not count.
 * The error is below 1 ulp.
 */
#include "base/portable_math.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* log(2) in two parts: HIGH has 21 zero bits at its end, so that k * HIGH is exact for every
 * exponent k of a double. */
static const double LN2_HIGH = 0x1.62e42feep-1;
static const double LN2_LOW = 0x1.a39ef35793c76p-33;
static const double INV_LN2 = 0x1.71547652b82fep+0;

static uint64_t to_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* f - log(1 + f) for f in [sqrt(1/2) - 1, sqrt(2) - 1]. With s = f / (2 + f), log(1 + f) is
 * 2 atanh(s) = 2s + 2s^3/3 + 2s^5/5 + ..., and 2s = f - s f; f itself is exact and stays outside,
 * so that only the small difference is rounded. */
static double log_deficit(double f)
{
    static const double TERMS[] = {/* 2 / (2i + 3) */
                                   2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9,  2.0 / 11, 2.0 / 13,
                                   2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21, 2.0 / 23};
    const double s = f / (2 + f);
    const double z = s * s;
    double sum = 0;
    for (int i = (int)(sizeof TERMS / sizeof TERMS[0]) - 1; i >= 0; i--)
        sum = (sum + TERMS[i]) * z;
    return s * (f - sum);
}

double ob__portable_log(double x)
{
    if (!(x > 0))
        return x == 0 ? -INFINITY : NAN;
    if (isinf(x))
        return x;
    int exponent = 0;
    if (x < 0x1p-1022) { /* subnormal */
        x *= 0x1p54;
        exponent = -54;
    }
    const uint64_t bits = to_bits(x);
    double m = from_bits((bits & 0xfffffffffffffu) | 0x3ff0000000000000u); /* [1, 2) */
    exponent += (int)(bits >> 52) - 1023;
    if (m > 0x1.6a09e667f3bcdp+0) { /* sqrt(2) */
        m /= 2;
        exponent++;
    }
    const double k = exponent;
    const double f = m - 1;
    return k * LN2_HIGH + (f - (log_deficit(f) - k * LN2_LOW));
}

double ob__portable_log1p(double x)
{
    if (x > -0.25 && x < 0.4)
        return x - log_deficit(x);
    return ob__portable_log(1 + x); /* far from 0: the rounding of 1 + x does no harm */
}

/* exp(high - low) - 1 - high for |high| <= 0.36 and a low that is tiny: Taylor's series. high is
 * left to the caller, who can add it last and lose nothing. */
static double exp_tail(double high, double low)
{
    static const double TERMS[] = {
        /* 1 / (i + 2)! */
        1.0 / 2,         1.0 / 6,          1.0 / 24,         1.0 / 120,     1.0 / 720,
        1.0 / 5040,      1.0 / 40320,      1.0 / 362880,     1.0 / 3628800, 1.0 / 39916800,
        1.0 / 479001600, 1.0 / 6227020800, 1.0 / 87178291200};
    const double r = high - low;
    double sum = 0;
    for (int i = (int)(sizeof TERMS / sizeof TERMS[0]) - 1; i >= 0; i--)
        sum = sum * r + TERMS[i];
    return r * r * sum - low;
}

double ob__portable_exp(double x)
{
    if (isnan(x))
        return x;
    if (x > 0x1.62e42fefa39efp+9) /* log of the largest double */
        return INFINITY;
    if (x < -0x1.74910d52d3052p+9) /* log of half the smallest subnormal: 2^-1075 */
        return 0;
    const double k = floor(x * INV_LN2 + 0.5);
    const double high = x - k * LN2_HIGH;
    const double near = 1 + high;
    const double lost = high - (near - 1); /* what rounding took from 1 + high */
    const double y = near + (lost + exp_tail(high, k * LN2_LOW));

    int exponent = (int)k;
    double scale = 1;
    if (exponent > 1023) {
        scale = 2;
        exponent -= 1;
    } else if (exponent <
               -1022) { /* the result may be subnormal: round once, in the last product */
        scale = 0x1p-100;
        exponent += 100;
    }
    return y * from_bits((uint64_t)(exponent + 1023) << 52) * scale;
}

double ob__portable_expm1(double x)
{
    if (x > -0.35 && x < 0.35)
        return x + exp_tail(x, 0);
    return ob__portable_exp(x) - 1;
}
