/* SPDX-License-Identifier: Apache-2.0
 *
 * Stopping rules, each driven block by block.
 */
#include "check.h"
#include "measure/stop.h"

enum { MOST = 4096 };

/* Feeds blocks of block_ns with samples base +- spread until the rule stops; returns how many. */
static uint64_t drive(ob_stop_rule *rule, uint64_t block_ns, double spread,
                      ob_stop_verdict *verdict)
{
    static double samples[MOST];
    ob_stop_progress progress = {.samples = samples};
    for (;;) {
        CHECK_INT(ob__stop_rule_check(rule, &progress, verdict, NULL), OB_OK);
        if (*verdict != OB_STOP_GO_ON || progress.blocks == MOST)
            return progress.blocks;
        samples[progress.blocks] = 100 + (progress.blocks % 2 ? spread : -spread);
        progress.blocks++;
        progress.elapsed_ns += block_ns;
    }
}

static void fixed_count(void)
{
    ob_stop_rule rule;
    ob_stop_verdict verdict;
    CHECK_INT(ob__stop_rule_init(&rule, &(ob_stop_params){.kind = OB_STOP_COUNT, .count = 7}, NULL),
              OB_OK);
    CHECK_INT(drive(&rule, 1, 50, &verdict), 7);
    CHECK_INT(verdict, OB_STOP_DONE);
    CHECK_INT(ob__stop_rule_init(&rule, &(ob_stop_params){.kind = OB_STOP_COUNT}, NULL), OB_OK);
    CHECK_INT(drive(&rule, 1, 50, &verdict), 0);
    CHECK_INT(verdict, OB_STOP_DONE);
}

static void min_time(void)
{
    ob_stop_rule rule;
    ob_stop_verdict verdict;
    ob_stop_params params = {.kind = OB_STOP_MIN_TIME, .min_time_ns = 1000};
    CHECK_INT(ob__stop_rule_init(&rule, &params, NULL), OB_OK);
    CHECK_INT(drive(&rule, 300, 50, &verdict), 4);
    CHECK_INT(verdict, OB_STOP_DONE);
    CHECK_INT(ob__stop_rule_init(&rule, &params, NULL), OB_OK);
    CHECK_INT(drive(&rule, 5000, 50, &verdict), 1);
    params.min_blocks = 6;
    CHECK_INT(ob__stop_rule_init(&rule, &params, NULL), OB_OK);
    CHECK_INT(drive(&rule, 300, 50, &verdict), 6);
    CHECK_INT(verdict, OB_STOP_DONE);
    params.max_time_ns = 1200; /* four blocks, but six are needed */
    CHECK_INT(ob__stop_rule_init(&rule, &params, NULL), OB_OK);
    CHECK_INT(drive(&rule, 300, 50, &verdict), 4);
    CHECK_INT(verdict, OB_STOP_GAVE_UP);
    params = (ob_stop_params){.kind = OB_STOP_MIN_TIME, .min_time_ns = 1000, .max_blocks = 3};
    CHECK_INT(ob__stop_rule_init(&rule, &params, NULL), OB_OK);
    CHECK_INT(drive(&rule, 300, 50, &verdict), 3);
    CHECK_INT(verdict, OB_STOP_GAVE_UP);
}

static void precision(void)
{
    ob_stop_rule rule;
    ob_stop_verdict verdict;
    ob_stop_params params = {.kind = OB_STOP_PRECISION, .precision = 0.01};
    /* No spread: the first look is at 30 blocks, the next, which must agree, at 38. */
    CHECK_INT(ob__stop_rule_init(&rule, &params, NULL), OB_OK);
    CHECK_INT(drive(&rule, 10, 0, &verdict), 38);
    CHECK_INT(verdict, OB_STOP_DONE);
    CHECK_REAL(rule.interval.half_width, 0);
    CHECK_INT(rule.narrow_looks, 2);
    params.min_blocks = 50;
    CHECK_INT(ob__stop_rule_init(&rule, &params, NULL), OB_OK);
    CHECK_INT(drive(&rule, 10, 0, &verdict), 63);
    params.min_time_ns = 800;
    CHECK_INT(ob__stop_rule_init(&rule, &params, NULL), OB_OK);
    CHECK_INT(drive(&rule, 10, 0, &verdict), 101);
}

/* Feeds what `next` makes of the number of a block, and the time that it took. */
static uint64_t feed(ob_stop_rule *rule, double (*next)(uint64_t block), ob_stop_verdict *verdict)
{
    static double samples[MOST];
    ob_stop_progress progress = {.samples = samples};
    for (;;) {
        CHECK_INT(ob__stop_rule_check(rule, &progress, verdict, NULL), OB_OK);
        if (*verdict != OB_STOP_GO_ON || progress.blocks == MOST)
            return progress.blocks;
        samples[progress.blocks] = next(progress.blocks);
        progress.elapsed_ns += (uint64_t)samples[progress.blocks++];
    }
}

/* 96 us, give or take 0.1, and every twelfth sample is preempted for 2 ms. */
static double preempted(uint64_t block)
{
    return block % 12 == 7 ? 2e6 : 96000 + 10 * (double)(block * 37 % 21);
}

/* A mean of such samples is uncertain by more than 5 % after thousands of them; the median is known at once. */
static void rare_long_blocks_do_not_hold_it_up(void)
{
    const ob_stop_params params = {.kind = OB_STOP_PRECISION, .precision = 0.01};
    ob_stop_rule rule;
    ob_stop_verdict verdict;
    CHECK_INT(ob__stop_rule_init(&rule, &params, NULL), OB_OK);
    CHECK_INT(feed(&rule, preempted, &verdict), 38);
    CHECK_INT(verdict, OB_STOP_DONE);
    CHECK(rule.interval.relative_half_width < 0.002);
    CHECK_NEAR(rule.interval.median, 96100, 100);
}

/* The interval goes from the 10th to the 21st of 30 samples, of which 9 are low and 9 high: narrow. Of 38 it goes from the 13th
 * on, and 13 are low: it begins anew. */
static double narrow_by_chance(uint64_t block)
{
    static const double THREE[] = {60, 140, 100};
    return block < 27 ? THREE[block % 3] : block < 30 ? 100 : THREE[block % 2];
}

static void one_look_is_not_believed(void)
{
    const ob_stop_params params = {.kind = OB_STOP_PRECISION, .precision = 0.01, .max_blocks = 70};
    ob_stop_rule rule;
    ob_stop_verdict verdict;
    CHECK_INT(ob__stop_rule_init(&rule, &params, NULL), OB_OK);
    CHECK_INT(feed(&rule, narrow_by_chance, &verdict), 70);
    CHECK_INT(verdict, OB_STOP_GAVE_UP);
    CHECK_INT(rule.narrow_looks, 0);
}

/* Long blocks: at the limit of time fewer than 30 are enough, if their interval is narrow. */
static void the_limit_looks_at_what_there_is(void)
{
    const ob_stop_params params = {
        .kind = OB_STOP_PRECISION, .precision = 0.01, .max_time_ns = 1200};
    ob_stop_rule rule;
    ob_stop_verdict verdict;
    CHECK_INT(ob__stop_rule_init(&rule, &params, NULL), OB_OK);
    CHECK_INT(drive(&rule, 100, 0, &verdict), 12);
    CHECK_INT(verdict, OB_STOP_DONE);
    CHECK_INT(ob__stop_rule_init(&rule, &params, NULL), OB_OK);
    CHECK_INT(drive(&rule, 200, 0, &verdict), 6); /* no interval of six blocks */
    CHECK_INT(verdict, OB_STOP_GAVE_UP);
}

static void precision_gives_up(void)
{
    ob_stop_rule rule;
    ob_stop_verdict verdict;
    const ob_stop_params params = {
        .kind = OB_STOP_PRECISION, .precision = 1e-9, .max_time_ns = 1005};
    CHECK_INT(ob__stop_rule_init(&rule, &params, NULL), OB_OK);
    CHECK_INT(drive(&rule, 10, 50, &verdict), 101);
    CHECK_INT(verdict, OB_STOP_GAVE_UP);
    CHECK(rule.interval.enough); /* the last look was at the end */
    const ob_stop_params blocks = {.kind = OB_STOP_PRECISION, .precision = 1e-9, .max_blocks = 77};
    CHECK_INT(ob__stop_rule_init(&rule, &blocks, NULL), OB_OK);
    CHECK_INT(drive(&rule, 10, 50, &verdict), 77);
    CHECK_INT(verdict, OB_STOP_GAVE_UP);
    /* Wall time counts for the limit, not the time inside the blocks; the default is 60 s. */
    const ob_stop_params unlimited = {.kind = OB_STOP_PRECISION, .precision = 0.5};
    const double samples[] = {1, 2};
    ob_stop_progress progress = {.samples = samples, .blocks = 2, .elapsed_ns = 5};
    CHECK_INT(ob__stop_rule_init(&rule, &unlimited, NULL), OB_OK);
    progress.wall_ns = UINT64_C(59999999999);
    CHECK_INT(ob__stop_rule_check(&rule, &progress, &verdict, NULL), OB_OK);
    CHECK_INT(verdict, OB_STOP_GO_ON);
    progress.wall_ns = UINT64_C(60000000000);
    CHECK_INT(ob__stop_rule_check(&rule, &progress, &verdict, NULL), OB_OK);
    CHECK_INT(verdict, OB_STOP_GAVE_UP);
}

static void bad_samples_are_reported(void)
{
    double samples[30] = {NAN};
    const ob_stop_params params = {.kind = OB_STOP_PRECISION, .precision = 0.1};
    const ob_stop_progress progress = {.samples = samples, .blocks = 30, .elapsed_ns = 1};
    ob_stop_rule rule;
    ob_stop_verdict verdict;
    ob_err err;
    CHECK_INT(ob__stop_rule_init(&rule, &params, NULL), OB_OK);
    CHECK_INT(ob__stop_rule_check(&rule, &progress, &verdict, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "sample 0 of 30 is not a number");
}

static void bad_parameters(void)
{
    static const struct {
        ob_stop_params params;
        const char *message;
    } CASES[] = {
        {{.kind = OB_STOP_MIN_TIME}, "a minimum time of 0 measures nothing"},
        {{.kind = OB_STOP_PRECISION}, "precision is 0; it must be between 0 and 1"},
        {{.kind = OB_STOP_PRECISION, .precision = 1.5}, "precision is 1.5"},
        {{.kind = OB_STOP_PRECISION, .precision = NAN}, "it must be between 0 and 1"},
        {{.kind = OB_STOP_PRECISION, .precision = 0.1, .confidence = 2}, "confidence is 2"},
        {{.kind = OB_STOP_PRECISION, .precision = 0.1, .max_blocks = 9},
         "at most 9 blocks are allowed, but at least 30 are needed"},
        {{.kind = OB_STOP_MIN_TIME, .min_time_ns = 10, .max_time_ns = 9},
         "the time limit of 9 ns is below the minimum time of 10 ns"},
        {{.kind = (ob_stop_rule_kind)99}, "no stopping rule with the number 99"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        ob_stop_rule rule;
        ob_err err;
        CHECK_INT(ob__stop_rule_init(&rule, &CASES[i].params, &err), OB_ERR_INVALID);
        CHECK_HAS(err.message, CASES[i].message);
    }
}

static void names(void)
{
    CHECK_STR(ob__stop_rule_name(OB_STOP_COUNT), "count");
    CHECK_STR(ob__stop_rule_name(OB_STOP_MIN_TIME), "min_time");
    CHECK_STR(ob__stop_rule_name(OB_STOP_PRECISION), "precision");
    CHECK_STR(ob__stop_rule_name(OB_STOP_RULE_COUNT), "");
}

int main(void)
{
    RUN(fixed_count);
    RUN(min_time);
    RUN(precision);
    RUN(rare_long_blocks_do_not_hold_it_up);
    RUN(one_look_is_not_believed);
    RUN(the_limit_looks_at_what_there_is);
    RUN(precision_gives_up);
    RUN(bad_samples_are_reported);
    RUN(bad_parameters);
    RUN(names);
    return ob_test_end();
}
