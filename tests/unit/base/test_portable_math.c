/* SPDX-License-Identifier: Apache-2.0 */
#include "base/portable_math.h"
#include "base/rng_fill.h"
#include "check.h"

/* |got - exact| in units in the last place of the exact value's double. */
static double ulps(double got, long double exact)
{
    const double nearest = (double)exact;
    if (isinf(nearest) || isnan(nearest) || nearest == 0)
        return got == nearest || (isnan(got) && isnan(nearest)) ? 0 : 1e9;
    const double unit = nextafter(fabs(nearest), INFINITY) - fabs(nearest);
    return (double)(fabsl((long double)got - exact) / (long double)unit);
}

static double any_double(ob_rng *rng)
{
    const uint64_t bits = ob_rng_u64(rng);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void log_special(void)
{
    CHECK_REAL(ob__portable_log(0.0), -INFINITY);
    CHECK_REAL(ob__portable_log(-0.0), -INFINITY);
    CHECK_REAL(ob__portable_log(INFINITY), INFINITY);
    CHECK(isnan(ob__portable_log(-1.0)));
    CHECK(isnan(ob__portable_log(-INFINITY)));
    CHECK(isnan(ob__portable_log(NAN)));
    CHECK_REAL(ob__portable_log(1.0), 0.0);
    CHECK_REAL(ob__portable_log(2.0), 0x1.62e42fefa39efp-1);
    CHECK_REAL(ob__portable_log(0x1p-1074), -0x1.74385446d71c3p+9);
    CHECK_REAL(ob__portable_log(0x1.fffffffffffffp+1023), 0x1.62e42fefa39efp+9);
}

static void log_everywhere(void)
{
    ob_rng rng;
    double worst = 0;
    ob_rng_init(&rng, 1, 0);
    for (int i = 0; i < 400000; i++) {
        const double random = fabs(any_double(&rng));
        const double inputs[] = {
            isfinite(random) ? random : 1,
            random * 0,                                       /* 0 or NaN */
            0.5 + ob_rng_double(&rng),                        /* where the result is small */
            1 + (ob_rng_double(&rng) - 0.5) * 0x1p-20,        /* very near 1 */
            (double)ob_rng_int(&rng, 1, 1 << 24) * 0x1p-1074, /* subnormal */
        };
        for (size_t j = 0; j < sizeof inputs / sizeof inputs[0]; j++) {
            const double error = ulps(ob__portable_log(inputs[j]), logl((long double)inputs[j]));
            worst = error > worst ? error : worst;
        }
    }
    CHECK(worst > 0.4); /* the reference is finer than a double */
    CHECK_NEAR(worst, 0.5, 0.5);
}

static void exp_special(void)
{
    CHECK_REAL(ob__portable_exp(0.0), 1.0);
    CHECK_REAL(ob__portable_exp(-0.0), 1.0);
    CHECK_REAL(ob__portable_exp(INFINITY), INFINITY);
    CHECK_REAL(ob__portable_exp(-INFINITY), 0.0);
    CHECK(isnan(ob__portable_exp(NAN)));
    CHECK_REAL(ob__portable_exp(1.0), 0x1.5bf0a8b145769p+1);
    CHECK(isfinite(ob__portable_exp(0x1.62e42fefa39efp+9)));
    CHECK_REAL(ob__portable_exp(0x1.62e42fefa39f0p+9), INFINITY);
    CHECK_REAL(ob__portable_exp(1e308), INFINITY);
    CHECK_REAL(ob__portable_exp(-745.13), 0x1p-1074);
    CHECK_REAL(ob__portable_exp(-745.14), 0.0);
    CHECK_REAL(ob__portable_exp(-1e308), 0.0);
    CHECK_REAL(ob__portable_exp(0x1p-1074), 1.0);
}

static void exp_everywhere(void)
{
    ob_rng rng;
    double worst = 0;
    ob_rng_init(&rng, 2, 0);
    for (int i = 0; i < 400000; i++) {
        const double inputs[] = {
            ob_rng_uniform(&rng, -746, 710),
            ob_rng_uniform(&rng, -1, 1),
            ob_rng_uniform(&rng, -745.2, -708), /* subnormal results */
            any_double(&rng),
        };
        for (size_t j = 0; j < sizeof inputs / sizeof inputs[0]; j++) {
            if (isnan(inputs[j]))
                continue;
            const double error = ulps(ob__portable_exp(inputs[j]), expl((long double)inputs[j]));
            worst = error > worst ? error : worst;
        }
    }
    CHECK(worst > 0.4);
    CHECK_NEAR(worst, 0.5, 0.5);
}

static void companions(void)
{
    ob_rng rng;
    double worst = 0;
    ob_rng_init(&rng, 3, 0);
    for (int i = 0; i < 200000; i++) {
        const double small = ob_rng_uniform(&rng, -1, 1) * ob_rng_loguniform(&rng, 1e-300, 1);
        const double wide = ob_rng_uniform(&rng, -0.999, 50);
        const double errors[] = {
            ulps(ob__portable_log1p(small), log1pl((long double)small)),
            ulps(ob__portable_log1p(wide), log1pl((long double)wide)),
            ulps(ob__portable_expm1(small), expm1l((long double)small)),
            ulps(ob__portable_expm1(wide), expm1l((long double)wide)),
        };
        for (size_t j = 0; j < sizeof errors / sizeof errors[0]; j++)
            worst = errors[j] > worst ? errors[j] : worst;
    }
    CHECK_NEAR(worst, 0, 4);
    CHECK_REAL(ob__portable_log1p(0), 0);
    CHECK_REAL(ob__portable_expm1(0), 0);
    CHECK_REAL(ob__portable_log1p(-1), -INFINITY);
    CHECK_REAL(ob__portable_expm1(-INFINITY), -1);
    CHECK_REAL(ob__portable_expm1(INFINITY), INFINITY);
}

int main(void)
{
    RUN(log_special);
    RUN(log_everywhere);
    RUN(exp_special);
    RUN(exp_everywhere);
    RUN(companions);
    return ob_test_end();
}
