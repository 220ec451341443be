/* SPDX-License-Identifier: Apache-2.0
 *
 * Verdicts: what processes come to, where the interval lies, and how often the decision errs.
 */
#include "check.h"
#include "opbench/rng.h"
#include "opbench/verdict.h"
#include "verdict/centre.h"

enum { MOST_UNITS = 64 };

static ob_verdict_params params_of(void)
{
    return (ob_verdict_params){.size = sizeof(ob_verdict_params), .paired = true};
}

static ob_verdict decide(const ob_verdict_unit *a, const ob_verdict_unit *b, size_t count,
                         const ob_verdict_params *params)
{
    ob_verdict v = {.size = sizeof v};
    CHECK_INT(ob_verdict_decide(a, count, b, count, params, &v, NULL), OB_OK);
    return v;
}

static ob_verdict_unit flat(double time)
{
    return (ob_verdict_unit){.low = time, .median = time, .tail = time, .samples = 10};
}

/* ---- centres ---- */

static void trimmed_mean(void)
{
    double ten[] = {1, 10, 3, 4, 9, 6, 7, 8, 5, 2}, wild[] = {1, 1e9, 3, 4, 9, 6, 7, 8, 5, 2};
    double three[] = {1, 2, 6}, one[] = {4};
    const ob_trimmed a = ob__trimmed_mean(ten, 10), b = ob__trimmed_mean(wild, 10);
    CHECK_REAL(a.mean, 5.5);
    CHECK_NEAR(a.error, 1.08972473588517, 1e-13); /* sqrt(66.5 / 56) */
    CHECK_REAL(a.degrees, 7);
    CHECK_REAL(b.mean, a.mean);
    CHECK_REAL(b.error, a.error);
    const ob_trimmed c = ob__trimmed_mean(three, 3), d = ob__trimmed_mean(one, 1);
    CHECK_REAL(c.mean, 3);
    CHECK_NEAR(c.error, 1.5275252316519468, 1e-15); /* sqrt(14 / 6) */
    CHECK_REAL(d.mean, 4);
    CHECK(isnan(d.error));
}

static void difference(void)
{
    double x[] = {1, 2, 3}, y[] = {11, 12, 13, 14};
    const ob_trimmed a = ob__trimmed_mean(x, 3), b = ob__trimmed_mean(y, 4);
    const ob_trimmed d = ob__trimmed_difference(&a, &b);
    CHECK_REAL(d.mean, 10.5);
    CHECK_NEAR(d.error, 0.8660254037844386, 1e-15);  /* sqrt(1/3 + 5/12) */
    CHECK_NEAR(d.degrees, 4.959183673469388, 1e-12); /* Welch and Satterthwaite */
}

/* ---- units ---- */

static void disturbed_samples_are_set_aside(void)
{
    const double values[] = {10, 99, 10, 10, 99, 10, 10, 10, 10, 10}, disturbed[] = {1, 4};
    ob_verdict_samples s = {.size = sizeof s,
                            .values = values,
                            .count = 10,
                            .disturbed = disturbed,
                            .disturbed_count = 2};
    ob_verdict_unit u;
    CHECK_INT(ob_verdict_unit_of(&s, &u, NULL), OB_OK);
    CHECK_REAL(u.low, 10);
    CHECK_INT(u.set_aside, 2);
    CHECK_INT(u.samples, 10);
    CHECK_REAL(u.tail, 99); /* of all: the tail is shown as it was */
}

static void fast_samples_are_not_clean_for_being_fast(void)
{
    const double values[] = {1, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10}, disturbed[] = {0};
    ob_verdict_samples s = {.size = sizeof s,
                            .values = values,
                            .count = 11,
                            .disturbed = disturbed,
                            .disturbed_count = 1};
    ob_verdict_unit u;
    CHECK_INT(ob_verdict_unit_of(&s, &u, NULL), OB_OK);
    CHECK_REAL(u.low, 10);
}

static void all_disturbed_is_none_disturbed(void)
{
    const double values[] = {5, 6, 7}, disturbed[] = {0, 1, 2};
    ob_verdict_samples s = {.size = sizeof s,
                            .values = values,
                            .count = 3,
                            .disturbed = disturbed,
                            .disturbed_count = 3};
    ob_verdict_unit u;
    CHECK_INT(ob_verdict_unit_of(&s, &u, NULL), OB_OK);
    CHECK_REAL(u.low, 5.2);
    CHECK_INT(u.set_aside, 0);
}

static void batches(void)
{
    const double values[] = {1, 1, 2, 2, 3, 3};
    ob_verdict_samples s = {.size = sizeof s, .values = values, .count = 6};
    ob_verdict_unit u[OB_VERDICT_BATCHES];
    size_t count;
    CHECK_INT(ob_verdict_batches_of(&s, u, 3, &count, NULL), OB_OK);
    CHECK_INT(count, 3);
    CHECK_REAL(u[0].low, 1);
    CHECK_REAL(u[2].median, 3);
    CHECK_INT(ob_verdict_batches_of(&s, u, OB_VERDICT_BATCHES, &count, NULL), OB_OK);
    CHECK_INT(count, 6);
}

static void bad_samples(void)
{
    const double bad[][2] = {{1, 0}, {1, -1}, {NAN, 1}, {1, INFINITY}};
    ob_verdict_unit u;
    ob_err err;
    for (size_t i = 0; i < 4; i++) {
        ob_verdict_samples s = {.size = sizeof s, .values = bad[i], .count = 2};
        CHECK_INT(ob_verdict_unit_of(&s, &u, &err), OB_ERR_INVALID);
        CHECK_HAS(err.message, "positive");
    }
    ob_verdict_samples none = {.size = sizeof none};
    CHECK_INT(ob_verdict_unit_of(&none, &u, &err), OB_ERR_INVALID);
}

/* ---- decisions ---- */

/* Ratios that differ by +-spread around ratio. */
static ob_verdict decide_on(double ratio, double spread, size_t count)
{
    ob_verdict_unit a[MOST_UNITS], b[MOST_UNITS];
    const ob_verdict_params params = params_of();
    for (size_t i = 0; i < count; i++) {
        a[i] = flat(100 + (double)i); /* what all samples of a process share cancels in a pair */
        b[i] = flat((100 + (double)i) * ratio * exp(i % 2 ? spread : -spread));
    }
    return decide(a, b, count, &params);
}

static void four_verdicts(void)
{
    CHECK_INT(decide_on(1.01, 0.001, 20).kind, OB_VERDICT_SLOWER);
    CHECK_INT(decide_on(0.99, 0.001, 20).kind, OB_VERDICT_FASTER);
    CHECK_INT(decide_on(1.001, 0.001, 20).kind, OB_VERDICT_SAME);
    CHECK_INT(decide_on(1.01, 0.03, 20).kind, OB_VERDICT_UNDECIDED);
    /* Below the floor nothing is called different, however narrow the interval. */
    CHECK_INT(decide_on(1.0014, 0, 20).kind, OB_VERDICT_SAME);
    CHECK_INT(decide_on(1.0016, 0, 20).kind, OB_VERDICT_SLOWER);
    CHECK_INT(decide_on(2, 0.01, 3).kind, OB_VERDICT_SLOWER);
    CHECK_INT(decide_on(2, 0.01, 2).kind, OB_VERDICT_UNDECIDED);
}

static void interval_of_pairs(void)
{
    const ob_verdict v = decide_on(1.01, 0.002, 4); /* logs: +-0.002 around log 1.01 */
    const double half = 3.182446305284263 * 0.002 * 2 / sqrt(12); /* t(0.975, 3) */
    CHECK_NEAR(v.ratio, 1.01, 1e-12);
    CHECK_NEAR(v.low, 1.01 * exp(-half), 1e-12);
    CHECK_NEAR(v.high, 1.01 * exp(half), 1e-12);
    CHECK(v.sure_low < v.low && v.sure_high > v.high);
}

static void reasons(void)
{
    CHECK_HAS(decide_on(2, 0.01, 2).why, "too few processes");
    const ob_verdict v = decide_on(1.01, 0.03, 20);
    CHECK_HAS(v.why, "times as long");
    CHECK(v.more > 1 && v.more < 100);
}

static void only_the_tail_differs(void)
{
    ob_verdict_unit a[20], b[20];
    const ob_verdict_params params = params_of();
    for (size_t i = 0; i < 20; i++) {
        a[i] = b[i] = flat(100 + (double)(i % 2) * 0.01);
        b[i].tail *= 1.5;
    }
    const ob_verdict v = decide(a, b, 20, &params);
    CHECK_INT(v.kind, OB_VERDICT_SAME);
    CHECK_NEAR(v.tail_ratio, 1.5, 1e-12);
    CHECK_HAS(v.why, "the slowest tenth is 50 % slower");
}

static void one_process_needs_the_threshold(void)
{
    double a[40], b[40];
    ob_verdict v = {.size = sizeof v};
    for (size_t i = 0; i < 40; i++) {
        a[i] = 100 + (double)(i % 4) * 0.01;
        b[i] = a[i] * 1.008;
    }
    ob_verdict_samples sa = {.size = sizeof sa, .values = a, .count = 40};
    ob_verdict_samples sb = {.size = sizeof sb, .values = b, .count = 40};
    CHECK_INT(ob_verdict_of_samples(&sa, &sb, NULL, &v, NULL), OB_OK);
    CHECK_INT(v.kind, OB_VERDICT_SAME);
    for (size_t i = 0; i < 40; i++)
        b[i] = a[i] * 1.02;
    CHECK_INT(ob_verdict_of_samples(&sa, &sb, NULL, &v, NULL), OB_OK);
    CHECK_INT(v.kind, OB_VERDICT_SLOWER);
}

static void bad_parameters(void)
{
    const ob_verdict_unit u[3] = {flat(1), flat(1), flat(1)}, bad[1] = {flat(0)};
    ob_verdict v = {.size = sizeof v};
    ob_verdict_params p = params_of();
    ob_err err;
    CHECK_INT(ob_verdict_decide(u, 0, u, 3, &p, &v, &err), OB_ERR_INVALID);
    CHECK_INT(ob_verdict_decide(u, 3, bad, 1, &p, &v, &err), OB_ERR_INVALID);
    p.error_rate = 1;
    CHECK_INT(ob_verdict_decide(u, 3, u, 3, &p, &v, &err), OB_ERR_INVALID);
    p = params_of();
    p.threshold = -0.1;
    CHECK_INT(ob_verdict_decide(u, 3, u, 3, &p, &v, &err), OB_ERR_INVALID);
    p = params_of();
    p.size = 0;
    CHECK_INT(ob_verdict_decide(u, 3, u, 3, &p, &v, &err), OB_ERR_INVALID);
}

/* ---- looks ---- */

static void looks(void)
{
    static const uint64_t WANT[] = {3, 5, 8, 12, 18, 20, 0};
    uint64_t look = 0;
    double sum = 0;
    for (size_t i = 0; i < sizeof WANT / sizeof *WANT; i++) {
        look = ob_verdict_next_look(look, 20);
        CHECK_INT(look, WANT[i]);
        sum += ob_verdict_look_share(look, 20);
    }
    CHECK_NEAR(sum, 1, 1e-15);
    CHECK_NEAR(ob_verdict_look_share(3, 20), 3.0 / 66, 1e-15);
    CHECK_INT(ob_verdict_next_look(0, 2), 2);
    CHECK_INT(ob_verdict_next_look(2, 2), 0);
}

static void when_it_is_final(void)
{
    const ob_verdict_params p = params_of();
    ob_verdict v = decide_on(1.01, 0.0001, 20);
    CHECK(ob_verdict_is_final(&v, &p));
    v = decide_on(1.001, 0.0001, 20);
    CHECK(ob_verdict_is_final(&v, &p));
    v = decide_on(1.001, 0.002, 20); /* same, and yet it might turn out slower */
    CHECK_INT(v.kind, OB_VERDICT_SAME);
    CHECK(!ob_verdict_is_final(&v, &p));
    v = decide_on(1.01, 0.03, 20);
    CHECK(!ob_verdict_is_final(&v, &p));
}

/* ---- error rates ---- */

static double noise(ob_rng *rng, bool heavy)
{
    const double wild = heavy && ob_rng_double(rng) < 0.05 ? 20 : 1;
    return 0.001 * wild * ob_rng_normal(rng);
}

typedef struct rates {
    int slower, faster, covered, runs;
} rates;

/* A comparison that looks as it goes on. */
static void play(ob_rng *rng, double truth, uint64_t cases, bool heavy, rates *got)
{
    ob_verdict_unit a[MOST_UNITS], b[MOST_UNITS];
    ob_verdict_params p = params_of();
    ob_verdict v = {.size = sizeof v};
    uint64_t done = 0;
    p.cases = cases;
    for (uint64_t look; (look = ob_verdict_next_look(done, 20)) > 0;) {
        for (; done < look; done++) {
            const double shared = ob_rng_normal(rng) * 0.05;
            a[done] = flat(exp(shared + noise(rng, heavy)));
            b[done] = flat(exp(shared + noise(rng, heavy) + log(truth)));
        }
        p.look_share = ob_verdict_look_share(look, 20);
        v = decide(a, b, done, &p);
        if (ob_verdict_is_final(&v, &p))
            break;
    }
    got->runs++;
    got->slower += v.kind == OB_VERDICT_SLOWER;
    got->faster += v.kind == OB_VERDICT_FASTER;
    got->covered += v.low <= truth && truth <= v.high;
}

static rates play_often(double truth, uint64_t cases, bool heavy, int runs)
{
    rates got = {0};
    ob_rng rng;
    ob_rng_init(&rng, 17, cases + heavy);
    for (int i = 0; i < runs; i++)
        play(&rng, truth, cases, heavy, &got);
    return got;
}

/* The floor is below the noise here, so that it is the interval that decides. */
static void error_rates(void)
{
    const rates same = play_often(1, 1, false, 4000);
    CHECK(same.slower + same.faster <= 20); /* 1 % of 4000 is what is promised */
    CHECK(same.covered >= 3720 && same.covered <= 3880);
    const rates wild = play_often(1, 1, true, 4000);
    CHECK(wild.slower + wild.faster <= 40);
    const rates one = play_often(1.01, 1, false, 1000);
    CHECK(one.slower >= 995);
    CHECK(one.faster == 0);
    const rates many = play_often(1, 500, false, 20000); /* 40 suites of 500: 0.4 cry wolf */
    CHECK(many.slower + many.faster <= 1);
}

int main(void)
{
    RUN(trimmed_mean);
    RUN(difference);
    RUN(disturbed_samples_are_set_aside);
    RUN(fast_samples_are_not_clean_for_being_fast);
    RUN(all_disturbed_is_none_disturbed);
    RUN(batches);
    RUN(bad_samples);
    RUN(four_verdicts);
    RUN(interval_of_pairs);
    RUN(reasons);
    RUN(only_the_tail_differs);
    RUN(one_process_needs_the_threshold);
    RUN(bad_parameters);
    RUN(looks);
    RUN(when_it_is_final);
    RUN(error_rates);
    return ob_test_end();
}
