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
    return (ob_verdict_unit){.low = time, .median = time, .tail = time, .samples = 100};
}

/* ---- centres ---- */

static void centre_of_equals(void)
{
    const double ten[] = {1, 10, 3, 4, 9, 6, 7, 8, 5, 2}, one[] = {4};
    const ob_centre a = ob__centre_of(ten, NULL, 10), b = ob__centre_of(one, NULL, 1);
    CHECK_REAL(a.mean, 5.5);
    CHECK_NEAR(a.by_weights.error, 0.9574271077563381, 1e-15); /* sqrt(82.5 / 90) */
    CHECK_NEAR(a.by_scatter.error, a.by_weights.error, 1e-15);
    CHECK_REAL(a.by_weights.degrees, 9);
    CHECK_NEAR(a.by_scatter.degrees, 9, 1e-12);
    CHECK_NEAR(ob__centre_half_width(&a, 0.05), 2.2621571627409915 * a.by_weights.error, 1e-9);
    CHECK_REAL(b.mean, 4);
    CHECK(isinf(ob__centre_half_width(&b, 0.05)));
}

/* What is sure counts, however far off the rest is; and one that is sure is not enough. */
static void centre_by_weights(void)
{
    const double values[] = {0.001, 0.002, 0.003, 0.002, 0.002, 0.9},
                 variances[] = {0, 0, 0, 0, 0, 0.81};
    const ob_centre c = ob__centre_of(values, variances, 6);
    const double w = 5e-4 * 5e-4 / (0.81 + 5e-4 * 5e-4); /* that of the last beside 1 */
    CHECK_NEAR(c.mean, (0.01 + w * 0.9) / (5 + w), 1e-15);
    CHECK_NEAR(c.by_scatter.degrees, 4, 1e-5);
    CHECK_REAL(c.by_weights.degrees, 5);
    const double lone[] = {0, 0.1, -0.1, 0.1, -0.1}, wide[] = {0, 0.01, 0.01, 0.01, 0.01};
    const ob_centre d = ob__centre_of(lone, wide, 5);
    CHECK(d.by_scatter.degrees > 1.99);
    CHECK(ob__centre_half_width(&d, 0.05) > 0.05);
}

/* Six numbers have 63 choices, of which one lies outside at each end: the least and the greatest. */
static void typical_values(void)
{
    const double six[] = {5, 1, 3, 2, 9, 4}, eight[] = {1, 2, 3, 4, 5, 6, 7, 8};
    const double two_alike[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1}, certain[12] = {0},
                 uncertain[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1};
    double low, high;
    CHECK(!ob__centre_typical(six, NULL, 5, 0.05, &low, &high));
    CHECK(ob__centre_typical(six, NULL, 6, 0.05, &low, &high));
    CHECK_REAL(low, 1);
    CHECK_REAL(high, 9);
    CHECK(ob__centre_typical(eight, NULL, 8, 0.05, &low, &high));
    CHECK_NEAR(low, 7.0 / 3, 1e-12); /* the sixth of 1, 1.5, 2, 2, 2, 2 1/3, 2.5, ... */
    CHECK_NEAR(high, 20.0 / 3, 1e-12);
    CHECK(ob__centre_typical(two_alike, certain, 12, 0.05, &low, &high));
    CHECK(low == 0 && high > 0.2);
    CHECK(ob__centre_typical(two_alike, uncertain, 12, 0.05, &low, &high));
    CHECK(low == 0 && high < 1e-3);
}

static void difference(void)
{
    const double x[] = {1, 2, 3}, y[] = {11, 12, 13, 14}, z[] = {11, 13, 15};
    const ob_centre a = ob__centre_of(x, NULL, 3), b = ob__centre_of(y, NULL, 4),
                    c = ob__centre_of(z, NULL, 3);
    ob_centre d = ob__centre_difference(&a, &b);
    CHECK_REAL(d.mean, 10.5);
    CHECK_NEAR(d.by_weights.error, 0.8660254037844386, 1e-15); /* sqrt(1/3 + 5/12) */
    CHECK_NEAR(d.by_weights.degrees, 2, 1e-12);                /* those of the smaller group */
    d = ob__centre_difference(&a, &c);
    CHECK_NEAR(d.by_weights.degrees, 2.9411764705882353,
               1e-12); /* Welch and Satterthwaite: 50/17 */
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
    CHECK_REAL(u.low, 5.06);
    CHECK_NEAR(u.scatter, log(6.0 / 5) / 2, 1e-15); /* the two lowest */
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
    CHECK(isnan(u[0].scatter)); /* of a single sample */
}

static void scatter_of_the_lowest(void)
{
    double values[101];
    for (size_t i = 0; i < 101; i++)
        values[i] = 100 + (double)((i * 37) % 101);
    ob_verdict_samples s = {.size = sizeof s, .values = values, .count = 101};
    ob_verdict_unit u;
    CHECK_INT(ob_verdict_unit_of(&s, &u, NULL), OB_OK);
    CHECK_REAL(u.low, 103);
    CHECK_NEAR(u.scatter, log(1.08) / 2, 1e-15);
    CHECK_REAL(u.tick, 0); /* no two are equal: noise keeps them apart */
}

/* The clock's step is what the samples show, at most what is known of it, or that where they show none. If many samples hardly
 * repeat, its rounding averages out. */
static void ticks(void)
{
    const double equal[] = {4, 4, 4, 4, 4, 4}, steps[] = {4, 4, 5, 6, 7, 8}, noise[] = {4, 5, 7};
    ob_verdict_samples s = {.size = sizeof s, .values = equal, .count = 6, .resolution = 0.5};
    ob_verdict_unit u;
    CHECK_INT(ob_verdict_unit_of(&s, &u, NULL), OB_OK);
    CHECK_REAL(u.tick, 0.125);
    s.resolution = 0;
    CHECK_INT(ob_verdict_unit_of(&s, &u, NULL), OB_OK);
    CHECK_REAL(u.tick, 0);
    s.values = steps;
    CHECK_INT(ob_verdict_unit_of(&s, &u, NULL), OB_OK);
    CHECK_NEAR(u.tick, 1 / u.low, 1e-15);
    s.resolution = 0.5;
    CHECK_INT(ob_verdict_unit_of(&s, &u, NULL), OB_OK);
    CHECK_NEAR(u.tick, 0.5 / u.low, 1e-15);
    s.values = noise;
    s.count = 3;
    CHECK_INT(ob_verdict_unit_of(&s, &u, NULL), OB_OK);
    CHECK_NEAR(u.tick, 0.5 / u.low, 1e-15);
    double apart[20];
    for (size_t i = 0; i < 20; i++)
        apart[i] = 4 + (double)i;
    s.values = apart;
    s.count = 20;
    CHECK_INT(ob_verdict_unit_of(&s, &u, NULL), OB_OK);
    CHECK_REAL(u.tick, 0);
    apart[1] = apart[0]; /* one of ten neighbours */
    CHECK_INT(ob_verdict_unit_of(&s, &u, NULL), OB_OK);
    CHECK_NEAR(u.tick, 0.5 / u.low, 1e-15);
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
    CHECK_INT(decide_on(1.05, 0, 4).kind, OB_VERDICT_UNDECIDED); /* placement may do that */
    CHECK_INT(decide_on(1.05, 0, 5).kind, OB_VERDICT_SLOWER);
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

/* However well the processes agree, the clock does not know better. */
static void a_coarse_clock_widens_the_interval(void)
{
    ob_verdict_unit a[5], b[5];
    const ob_verdict_params params = params_of();
    for (size_t i = 0; i < 5; i++) {
        a[i] = b[i] = flat(100);
        a[i].tick = b[i].tick = 0.001;
    }
    const ob_verdict v = decide(a, b, 5, &params);
    CHECK_NEAR(log(v.high), 1.959963984540054 * 0.001 * sqrt(2.0 / 12), 1e-8); /* not Student's */
    CHECK_NEAR(log(v.sure_high), 0.001, 1e-12); /* half a tick of each: it is never more */
}

/* Five undisturbed pairs of twenty decide: one choice in thirty leaves them all out, which must not hold the verdict up. */
static void undisturbed_pairs_decide(void)
{
    ob_verdict_unit a[20], b[20];
    const ob_verdict_params params = params_of();
    for (size_t i = 0; i < 20; i++) {
        const bool clean = i % 4 == 0;
        const double off = i % 2 == 0 ? 0.02 : -0.03;
        a[i] = flat(100);
        b[i] = flat(100.3 + (clean ? 0.001 * (double)(i % 8) : 100 * off));
        a[i].scatter = b[i].scatter = clean ? 0 : 0.03;
    }
    const ob_verdict v = decide(a, b, 20, &params);
    CHECK_INT(v.kind, OB_VERDICT_SLOWER);
    CHECK(v.sure_low <= v.low && v.high <= v.sure_high);
    CHECK(v.low < 1.003 && 1.003 < v.high);
}

/* Two close samples of a process are luck, unless there are many beside them. */
static void few_samples_do_not_outweigh_others(void)
{
    ob_verdict_unit a[9], b[9];
    const ob_verdict_params params = params_of();
    for (uint64_t samples = 3; samples <= 300; samples *= 100) {
        for (size_t i = 0; i < 9; i++) {
            a[i] = flat(100);
            b[i] = flat(i < 3 ? 100 : 101);
            a[i].samples = b[i].samples = samples;
            a[i].scatter = b[i].scatter = i < 3 ? 0 : 0.01;
        }
        const ob_verdict v = decide(a, b, 9, &params);
        CHECK(samples == 3 ? v.ratio > 1.004 : v.ratio < 1.001);
    }
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

/* Samples that all agree say nothing of where the next process would be placed. */
static void one_process_does_not_see_placement(void)
{
    double a[40], b[40];
    ob_verdict v = {.size = sizeof v};
    ob_verdict_params p = params_of();
    for (size_t i = 0; i < 40; i++) {
        a[i] = 100;
        b[i] = 109;
    }
    ob_verdict_samples sa = {.size = sizeof sa, .values = a, .count = 40};
    ob_verdict_samples sb = {.size = sizeof sb, .values = b, .count = 40};
    CHECK_INT(ob_verdict_of_samples(&sa, &sb, NULL, &v, NULL), OB_OK);
    CHECK_NEAR(v.low, 1.09 / 1.0015, 1e-12);
    CHECK_NEAR(v.high, 1.09 * 1.0015, 1e-12);
    CHECK_NEAR(v.sure_low, 1.09 / 1.0015, 1e-12);
    CHECK_NEAR(v.sure_high, 1.09 * 1.0015, 1e-12);
    p.floor = 0.004; /* what a self-test found */
    CHECK_INT(ob_verdict_of_samples(&sa, &sb, &p, &v, NULL), OB_OK);
    CHECK_NEAR(v.high, 1.09 * 1.004, 1e-12);
    for (size_t i = 0; i < 40; i++)
        b[i] = 100.9; /* with placement it may be beyond the threshold */
    CHECK_INT(ob_verdict_of_samples(&sa, &sb, NULL, &v, NULL), OB_OK);
    CHECK_INT(v.kind, OB_VERDICT_UNDECIDED);
    CHECK(isnan(v.more));
    CHECK_STR(v.why, "no more samples of one process would decide it: measure with --processes 10");
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
    CHECK_NEAR(ob_verdict_look_share(9, 20), 50.0 / 66, 1e-15); /* instead of 12, 18 and 20 */
    CHECK_NEAR(ob_verdict_look_share(4, 20), 63.0 / 66, 1e-15);
    CHECK_NEAR(ob_verdict_look_share(1, 20), 1, 1e-15);
    CHECK_REAL(ob_verdict_look_share(0, 20), 0);
    CHECK_REAL(ob_verdict_look_share(21, 20), 0);
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

/* ---- intervals of trials ---- */

static void intervals_of_shares(void)
{
    const ob_verdict_range none = ob_verdict_share_interval(0, 20),
                           some = ob_verdict_share_interval(3, 20),
                           all = ob_verdict_share_interval(12, 12);
    CHECK_REAL(none.low, 0);
    CHECK_NEAR(none.high, 0.16843347098308536, 1e-12); /* 1 - 0.025^(1/20) */
    CHECK_NEAR(some.low, 0.03207094, 1e-8);
    CHECK_NEAR(some.high, 0.37892683, 1e-8);
    CHECK_NEAR(all.low, 0.7353515, 1e-6);
    CHECK_REAL(all.high, 1);
}

static void intervals_of_quantiles(void)
{
    double values[100];
    for (int i = 0; i < 100; i++)
        values[i] = 100 - i;
    const ob_verdict_range median = ob_verdict_quantile_interval(values, 100, 0.5);
    CHECK_REAL(median.low, 40); /* P(B < 40) = 0.0176, P(B < 41) = 0.0284 */
    CHECK_REAL(median.high, 61);
    const ob_verdict_range high = ob_verdict_quantile_interval(values, 100, 0.95);
    CHECK_REAL(high.low, 90);
    CHECK_REAL(high.high, 100); /* P(B >= 99) = 0.037, P(B = 100) = 0.006 */
    const ob_verdict_range few = ob_verdict_quantile_interval(values, 5, 0.95);
    CHECK(isinf(few.high) && few.high > 0);
    CHECK_REAL(few.low, 4);
}

/* ---- error rates ---- */

typedef enum luck { CALM, WILD, CROWDED, PLACED } luck;

/* One process. Placed: it lands at one of two places, which differ by 2 %, and its samples agree. Wild: one in twenty is 20 times as noisy, and nothing says so. Crowded: a neighbour slows three in ten down by some
 * per cent, and their samples scatter. */
static ob_verdict_unit process(ob_rng *rng, double log_time, luck kind)
{
    const double wild = kind == WILD && ob_rng_double(rng) < 0.05 ? 20 : 1;
    const bool slowed = kind == CROWDED && ob_rng_double(rng) < 0.3;
    const double by = kind == PLACED ? (ob_rng_double(rng) < 0.5 ? 0.02 : 0)
                      : slowed       ? 0.04 * fabs(ob_rng_normal(rng))
                                     : 0;
    const double usual = kind == PLACED ? 0 : kind == CROWDED ? 0.0002 : 0.001;
    ob_verdict_unit out = flat(exp(log_time + by + usual * wild * ob_rng_normal(rng)));
    out.scatter = slowed ? by * (0.5 + ob_rng_double(rng)) : kind == CROWDED ? 0.0001 : 0;
    return out;
}

typedef struct rates {
    int slower, faster, covered, runs;
} rates;

typedef struct plan {
    double truth;
    uint64_t cases,
        most; /* time is up after `most` pairs of the 20 that were planned; 0 = after all */
    luck kind;
    double floor;
} plan;

/* A comparison that looks as it goes on. */
static void play(ob_rng *rng, const plan *of, rates *got)
{
    ob_verdict_unit a[MOST_UNITS], b[MOST_UNITS];
    ob_verdict_params p = params_of();
    ob_verdict v = {.size = sizeof v};
    uint64_t done = 0;
    const uint64_t most = of->most > 0 ? of->most : 20;
    p.cases = of->cases;
    p.floor = of->floor;
    for (uint64_t look; done < most && (look = ob_verdict_next_look(done, 20)) > 0;) {
        look = look < most ? look : most;
        for (; done < look; done++) {
            const double shared = ob_rng_normal(rng) * 0.05;
            a[done] = process(rng, shared, of->kind);
            b[done] = process(rng, shared + log(of->truth), of->kind);
        }
        p.look_share = ob_verdict_look_share(look, 20);
        v = decide(a, b, done, &p);
        if (ob_verdict_is_final(&v, &p))
            break;
    }
    got->runs++;
    got->slower += v.kind == OB_VERDICT_SLOWER;
    got->faster += v.kind == OB_VERDICT_FASTER;
    got->covered += v.low <= of->truth && of->truth <= v.high;
}

static rates play_plan(const plan *of, int runs)
{
    rates got = {0};
    ob_rng rng;
    ob_rng_init(&rng, 17, of->cases + of->kind);
    for (int i = 0; i < runs; i++)
        play(&rng, of, &got);
    return got;
}

static rates play_often(double truth, uint64_t cases, luck kind, int runs)
{
    return play_plan(&(plan){.truth = truth, .cases = cases, .kind = kind}, runs);
}

/* The floor is below the noise here, so that it is the interval that decides. */
static void error_rates(void)
{
    const rates same = play_often(1, 1, CALM, 4000);
    CHECK(same.slower + same.faster <= 20); /* 1 % of 4000 is what is promised */
    CHECK(same.covered >= 3720 && same.covered <= 3880);
    const rates wild = play_often(1, 1, WILD, 4000);
    CHECK(wild.slower + wild.faster <= 40);
    const rates one = play_often(1.01, 1, CALM, 1000);
    CHECK(one.slower >= 995);
    CHECK(one.faster == 0);
    CHECK(one.covered >= 930 &&
          one.covered <= 970); /* although it ends early when it looks clear */
    const rates many = play_often(1, 500, CALM, 20000); /* 40 suites of 500: 0.4 cry wolf */
    CHECK(many.slower + many.faster <= 1);
}

/* Without a floor, so that the interval alone decides. */
static void error_rates_of_slow_cases(void)
{
    plan of = {.truth = 1, .cases = 1, .floor = 1e-10};
    for (of.most = 5; of.most <= 21; of.most += 4)
        for (of.kind = CALM; of.kind <= CROWDED; of.kind++) {
            const rates same = play_plan(&of, 1000);
            CHECK(same.slower + same.faster <= 10); /* what is promised */
        }
    const rates found = play_plan(&(plan){.truth = 1.005, .cases = 1, .most = 9}, 1000);
    CHECK(found.slower >= 990);
    CHECK(found.faster == 0);
}

/* Two groups that did not run in turns, of unequal size: as two files may be. */
static void error_rates_of_unequal_groups(void)
{
    ob_verdict_unit a[5], b[MOST_UNITS];
    const ob_verdict_params p = {.size = sizeof p, .floor = 1e-10};
    int called = 0, covered = 0;
    ob_rng rng;
    ob_rng_init(&rng, 17, 5);
    for (int run = 0; run < 4000; run++) {
        ob_verdict v = {.size = sizeof v};
        for (int i = 0; i < 20; i++)
            b[i] = process(&rng, 0, CALM);
        for (int i = 0; i < 5; i++)
            a[i] = process(&rng, 0, CALM);
        CHECK_INT(ob_verdict_decide(a, 5, b, 20, &p, &v, NULL), OB_OK);
        called += v.kind == OB_VERDICT_SLOWER || v.kind == OB_VERDICT_FASTER;
        covered += v.low <= 1 && 1 <= v.high;
    }
    CHECK(called <= 40); /* what is promised; by Welch's degrees of freedom there are more */
    CHECK(covered >= 3800);
}

static void error_rates_of_two_places(void)
{
    const rates same = play_often(1, 1, PLACED, 4000);
    CHECK(same.slower + same.faster <= 40);
    const rates twice = play_often(2, 1, PLACED, 100);
    CHECK(twice.slower == 100);
}

static void error_rates_beside_neighbours(void)
{
    const rates same = play_often(1, 1, CROWDED, 4000);
    CHECK(same.slower + same.faster <= 40);
    CHECK(same.covered >= 3720 && same.covered <= 3880);
    const rates one = play_often(1.01, 1, CROWDED, 1000),
                third = play_often(1.003, 1, CROWDED, 1000);
    CHECK(one.slower >= 990);
    CHECK(third.slower >= 900);
    CHECK(one.faster + third.faster == 0);
}

int main(void)
{
    RUN(centre_of_equals);
    RUN(centre_by_weights);
    RUN(typical_values);
    RUN(difference);
    RUN(disturbed_samples_are_set_aside);
    RUN(fast_samples_are_not_clean_for_being_fast);
    RUN(all_disturbed_is_none_disturbed);
    RUN(batches);
    RUN(scatter_of_the_lowest);
    RUN(ticks);
    RUN(bad_samples);
    RUN(four_verdicts);
    RUN(interval_of_pairs);
    RUN(a_coarse_clock_widens_the_interval);
    RUN(undisturbed_pairs_decide);
    RUN(few_samples_do_not_outweigh_others);
    RUN(reasons);
    RUN(only_the_tail_differs);
    RUN(one_process_needs_the_threshold);
    RUN(one_process_does_not_see_placement);
    RUN(bad_parameters);
    RUN(looks);
    RUN(when_it_is_final);
    RUN(intervals_of_shares);
    RUN(intervals_of_quantiles);
    RUN(error_rates);
    RUN(error_rates_of_slow_cases);
    RUN(error_rates_of_unequal_groups);
    RUN(error_rates_of_two_places);
    RUN(error_rates_beside_neighbours);
    return ob_test_end();
}
