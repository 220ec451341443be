/* SPDX-License-Identifier: Apache-2.0
 *
 * Quantiles of Student's t distribution, for intervals over few batches.
 *
 * P(|T| > t) is the regularised incomplete beta function at x = v / (v + t^2) with a = v/2, b = 1/2. It
 * is computed by its continued fraction, on the side where that converges quickly. The quantile is
 * found by Newton's method inside a bracket that always shrinks, so it ends for every input.
 */
#include "opbench/measure.h"

#include <math.h>

/* From here on the quantile is the normal one with a small correction. */
#define NEARLY_NORMAL 1e5

/* ln B(a, 1/2), without the global variable that lgamma() writes. */
static double log_beta_half(double a)
{
    /* For large a the two logarithms cancel; the series of ln(Gamma(a) / Gamma(a + 1/2)) does not. */
    if (a > 100)
        return 0.5 * log(M_PI) - 0.5 * log(a) + 1 / (8 * a) - 1 / (192 * a * a * a) +
               1 / (640 * a * a * a * a * a);
    int sign = 0;
    return lgamma_r(a, &sign) + lgamma_r(0.5, &sign) - lgamma_r(a + 0.5, &sign);
}

/* The continued fraction of I_x(a, b) a B(a, b) / (x^a (1-x)^b), by Lentz's method. Converges within
 * about sqrt(max(a, b)) steps for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
    enum { MAX_STEPS = 100000 };
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double value = d;
    for (int m = 1; m < MAX_STEPS; m++) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        const double steps[] = {even, odd};
        double change = 1;
        for (int i = 0; i < 2; i++) {
            d = 1 + steps[i] * d;
            c = 1 + steps[i] / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = fabs(c) < tiny ? tiny : c;
            change = c * d;
            value *= change;
        }
        if (fabs(change - 1) < 1e-16)
            break;
    }
    return value;
}

/* P(T > t) for t >= 0. */
static double upper_tail(double t, double v, double log_beta)
{
    if (v > NEARLY_NORMAL)
        return 0.5 * erfc(t * M_SQRT1_2);
    const double a = 0.5 * v, b = 0.5;
    const double square = t * t;
    if (square == 0)
        return 0.5;
    const double x = v / (v + square), y = square / (v + square);
    /* x^a (1-x)^b / B(a, b); log1p keeps the digits that 1 - x would lose. */
    const double log_x = -log1p(square / v);
    const double front = exp(a * log_x + b * log(y) - log_beta);
    if (x < (a + 1) / (a + b + 2))
        return 0.5 * front * beta_fraction(a, b, x) / a;
    return 0.5 * (1 - front * beta_fraction(b, a, y) / b);
}

static double density(double t, double v, double log_beta)
{
    if (v > NEARLY_NORMAL)
        return exp(-0.5 * t * t) / sqrt(2 * M_PI);
    return exp(-0.5 * (v + 1) * log1p(t * t / v) - 0.5 * log(v) - log_beta);
}

/* The t > 0 with upper_tail(t) = tail < 1/2. */
static double solve(double tail, double v)
{
    const double log_beta = log_beta_half(0.5 * v);
    double low = 0, high = 2;
    while (high < 1e150 && upper_tail(high, v, log_beta) > tail) {
        low = high;
        high *= 4;
    }
    double t = low + 0.5 * (high - low);
    for (int step = 0; step < 200; step++) {
        const double excess = upper_tail(t, v, log_beta) - tail;
        if (excess > 0)
            low = t;
        else
            high = t;
        double next = t + excess / density(t, v, log_beta);
        if (!(next > low && next < high))
            next = low + 0.5 * (high - low);
        if (fabs(next - t) <= 1e-15 * t)
            return next;
        t = next;
    }
    return t;
}

double ob_student_t_quantile(double q, double degrees)
{
    if (!(q > 0 && q < 1) || !(degrees > 0) || !isfinite(degrees))
        return NAN;
    if (q == 0.5)
        return 0;
    double t = solve(q < 0.5 ? q : 1 - q, degrees);
    if (degrees > NEARLY_NORMAL) {
        /* The first terms of the expansion in 1 / degrees. */
        const double z = t, z3 = z * z * z, z5 = z3 * z * z;
        t += (z3 + z) / (4 * degrees);
        t += (5 * z5 + 16 * z3 + 3 * z) / (96 * degrees * degrees);
    }
    return q < 0.5 ? -t : t;
}
