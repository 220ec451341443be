/* SPDX-License-Identifier: Apache-2.0
 *
 * Zipf numbers by rejection-inversion (Hoermann and Derflinger, "Rejection-inversion to generate
 * variates from monotone discrete distributions", 1996). The histogram of k^-q lies under the area
 * of the continuous x^-q, whose integral H has an inverse: draw a point of the area, round its x to
 * k, keep it when the point is inside k's bar. Fewer than 1.2 tries per number on average, no
 * table.
 *
 * H(x) = (x^(1-q) - 1) / (1-q) is written with expm1 and log1p, so that exponents near 1, where it
 * turns into log(x), need no case of their own.
 */
#include "base/portable_math.h"
#include "opbench/rng.h"

#include <math.h>

static double expm1_over_x(double x)
{
    return x == 0 ? 1 : ob__portable_expm1(x) / x;
}

static double log1p_over_x(double x)
{
    return x == 0 ? 1 : ob__portable_log1p(x) / x;
}

/* The bar: x^-q. */
static double bar(double x, double exponent)
{
    return ob__portable_exp(-exponent * ob__portable_log(x));
}

static double area(double x, double exponent)
{
    const double log_x = ob__portable_log(x);
    return expm1_over_x((1 - exponent) * log_x) * log_x;
}

static double area_inverse(double y, double exponent)
{
    const double t = y * (1 - exponent);
    if (t <= -1) /* y is at the limit of the area for x to infinity, but for rounding */
        return INFINITY;
    return ob__portable_exp(log1p_over_x(t) * y);
}

ob_status ob_zipf_init(ob_zipf *zipf, uint64_t count, double exponent, ob_err *err)
{
    *zipf = (ob_zipf){.count = 1, .exponent = 1};
    if (count == 0)
        return ob_err_set(err, OB_ERR_INVALID,
                          "a Zipf distribution over nothing; give it a count of 1 or more");
    if (!(exponent > 0) || isinf(exponent))
        return ob_err_set(err, OB_ERR_INVALID,
                          "the Zipf exponent %g is not a positive finite number", exponent);
    *zipf = (ob_zipf){
        .count = count,
        .exponent = exponent,
        .h_x1 = area(1.5, exponent) - 1, /* the first bar's area starts where it holds exactly 1 */
        .h_n = area((double)count + 0.5, exponent),
        .s = 2 - area_inverse(area(2.5, exponent) - bar(2, exponent), exponent),
    };
    return OB_OK;
}

uint64_t ob_zipf_draw(const ob_zipf *zipf, ob_rng *rng)
{
    for (;;) {
        const double y = zipf->h_n + ob_rng_double(rng) * (zipf->h_x1 - zipf->h_n);
        const double x = area_inverse(y, zipf->exponent);
        uint64_t k = 1;
        if (x + 0.5 >= (double)zipf->count)
            k = zipf->count;
        else if (x >= 1)
            k = (uint64_t)(x + 0.5);
        /* Close enough to the bar's middle (true for all k when it is for 2), or tested exactly. */
        if ((double)k - x <= zipf->s ||
            y >= area((double)k + 0.5, zipf->exponent) - bar((double)k, zipf->exponent))
            return k;
    }
}
