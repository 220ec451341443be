/* SPDX-License-Identifier: Apache-2.0
 *
 * Change points of series whose truth is known: exact places, kinds and sizes; what is too short, too even or wrong.
 */
#include "check.h"
#include "opbench/rng.h"
#include "verdict/change_int.h"

#include <stdlib.h>

enum { MOST = 200 };

static double values[MOST];

/* Noise of 1 % around 100, the same each time. */
static void make_noise(size_t count)
{
    ob_rng rng;
    ob_rng_init(&rng, 7, 0);
    for (size_t i = 0; i < count; i++)
        values[i] = 100 * (1 + 0.01 * ob_rng_normal(&rng));
}

static ob_changes *found(size_t count, const ob_change_params *params)
{
    ob_changes *changes = NULL;
    ob_err err = {.message = ""};
    CHECK_INT(ob_changes_find(values, count, params, &changes, &err), OB_OK);
    CHECK_STR(err.message, "");
    return changes;
}

static void test_nothing(void)
{
    make_noise(MOST);
    ob_changes *changes = found(MOST, NULL);
    CHECK_INT(ob_changes_count(changes), 0);
    CHECK(ob_changes_at(changes, 0) == NULL);
    ob_changes_destroy(changes);
    ob_changes_destroy(NULL);
}

static void test_step(void)
{
    make_noise(100);
    for (size_t i = 60; i < 100; i++)
        values[i] *= 1.05;
    ob_changes *changes = found(100, NULL);
    CHECK_INT(ob_changes_count(changes), 1);
    const ob_change *c = ob_changes_at(changes, 0);
    CHECK_INT(c->kind, OB_CHANGE_STEP);
    CHECK_INT(c->first, 0);
    CHECK_INT(c->index, 60);
    CHECK_INT(c->end, 100);
    CHECK_NEAR(c->before, 100, 0.5);
    CHECK_NEAR(c->after, 105, 0.5);
    CHECK_NEAR(c->ratio, 1.05, 0.005);
    CHECK_NEAR(c->spread_before, 0.01, 0.004);
    CHECK(c->p < 1e-4);
    ob_changes_destroy(changes);
}

static void test_up_and_down(void)
{
    make_noise(100);
    for (size_t i = 45; i < 55; i++)
        values[i] *= 1.1;
    ob_changes *changes = found(100, NULL);
    CHECK_INT(ob_changes_count(changes), 2);
    if (ob_changes_count(changes) == 2) {
        CHECK_INT(ob_changes_at(changes, 0)->index, 45);
        CHECK_INT(ob_changes_at(changes, 1)->index, 55);
        CHECK(ob_changes_at(changes, 1)->ratio < 1);
        CHECK_INT(ob_changes_at(changes, 1)->first, 45);
    }
    ob_changes_destroy(changes);
}

static void test_outliers(void)
{
    make_noise(100);
    for (size_t i = 5; i < 100; i += 13)
        values[i] *= 10;
    values[98] = values[99] = 1e6; /* two at the end are no step yet */
    ob_changes *changes = found(100, NULL);
    CHECK_INT(ob_changes_count(changes), 0);
    ob_changes_destroy(changes);
}

static void test_drift(void)
{
    make_noise(100);
    for (size_t i = 0; i < 100; i++)
        values[i] += 0.08 * (double)i;
    ob_changes *changes = found(100, NULL);
    CHECK_INT(ob_changes_count(changes), 1);
    const ob_change *c = ob_changes_at(changes, 0);
    CHECK_INT(c->kind, OB_CHANGE_DRIFT);
    CHECK_INT(c->first, 0);
    CHECK_INT(c->end, 100);
    CHECK_NEAR(c->before, 100, 0.7);
    CHECK_NEAR(c->after, 108, 0.7);
    ob_changes_destroy(changes);
}

static void test_stairs(void)
{
    make_noise(99);
    for (size_t i = 33; i < 99; i++)
        values[i] *= i < 66 ? 1.04 : 1.08;
    ob_changes *changes = found(99, NULL);
    CHECK_INT(ob_changes_count(changes), 2);
    if (ob_changes_count(changes) == 2) {
        CHECK_INT(ob_changes_at(changes, 0)->index, 33);
        CHECK_INT(ob_changes_at(changes, 1)->index, 66);
        CHECK_INT(ob_changes_at(changes, 1)->kind, OB_CHANGE_STEP);
    }
    ob_changes_destroy(changes);
}

static void test_noise_grows(void)
{
    make_noise(120);
    for (size_t i = 60; i < 120; i++)
        values[i] = 100 + 6 * (values[i] - 100);
    ob_changes *changes = found(120, NULL);
    CHECK_INT(ob_changes_count(changes), 1);
    const ob_change *c = ob_changes_at(changes, 0);
    CHECK_INT(c->kind, OB_CHANGE_NOISE);
    CHECK(c->index > 50 && c->index < 75);
    CHECK(c->ratio > 3);
    CHECK(c->spread_after > 3 * c->spread_before);
    ob_changes_destroy(changes);
}

static void test_exact_times(void)
{
    /* A clock of whole numbers: values that are all equal, and a step of one tick. */
    for (size_t i = 0; i < 40; i++)
        values[i] = 700;
    ob_changes *changes = found(40, NULL);
    CHECK_INT(ob_changes_count(changes), 0);
    ob_changes_destroy(changes);
    for (size_t i = 20; i < 40; i++)
        values[i] = 701;
    changes = found(40, NULL);
    CHECK_INT(ob_changes_count(changes), 1);
    CHECK_INT(ob_changes_at(changes, 0)->index, 20);
    CHECK_REAL(ob_changes_at(changes, 0)->before, 700);
    CHECK_REAL(ob_changes_at(changes, 0)->after, 701);
    CHECK_REAL(ob_changes_at(changes, 0)->spread_after, 0);
    ob_changes_destroy(changes);
}

static void test_short(void)
{
    for (size_t i = 0; i < 16; i++)
        values[i] = i < 8 ? 1 + 0.001 * (double)i : 2 + 0.001 * (double)i;
    ob_changes *changes = found(15, NULL);
    CHECK_INT(ob_changes_count(changes), 0);
    ob_changes_destroy(changes);
    changes = found(16, NULL);
    CHECK_INT(ob_changes_count(changes), 1);
    CHECK_INT(ob_changes_at(changes, 0)->index, 8);
    ob_changes_destroy(changes);
    changes = found(0, NULL);
    CHECK_INT(ob_changes_count(changes), 0);
    ob_changes_destroy(changes);
}

static void test_params(void)
{
    const ob_change_params least = {.size = sizeof least, .least = 0.06};
    const ob_change_params sure = {.size = sizeof sure, .p = 1e-30};
    make_noise(100);
    for (size_t i = 60; i < 100; i++)
        values[i] *= 1.05;
    ob_changes *changes = found(100, &least);
    CHECK_INT(ob_changes_count(changes), 0);
    ob_changes_destroy(changes);
    changes = found(100, &sure);
    CHECK_INT(ob_changes_count(changes), 0);
    ob_changes_destroy(changes);
}

static void test_bad_values(void)
{
    ob_changes *changes;
    ob_err err;
    make_noise(20);
    values[3] = NAN;
    CHECK_INT(ob_changes_find(values, 20, NULL, &changes, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "value 3 of the series is not a positive number");
    values[3] = 0;
    CHECK_INT(ob_changes_find(values, 20, NULL, &changes, &err), OB_ERR_INVALID);
    const ob_change_params none = {.size = 0};
    values[3] = 1;
    CHECK_INT(ob_changes_find(values, 20, &none, &changes, &err), OB_ERR_INVALID);
}

/* ---- the parts ---- */

static double plain_statistic(size_t left, size_t count)
{
    double cross = 0, a = 0, b = 0;
    const double n = (double)count, m = (double)left;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++) {
            const double distance = fabs(values[i] - values[k]);
            if (i < left && k < left)
                a += distance;
            else if (i >= left && k >= left)
                b += distance;
            else if (i < left)
                cross += distance;
        }
    return m * (n - m) / n * (2 * cross / (m * (n - m)) - a / (m * m) - b / ((n - m) * (n - m))) /
           n;
}

/* The tree of sums gives what two loops over all pairs give; the values are ranks already, some of them equal. */
static void test_statistic(void)
{
    static const double RANKS[] = {1, 9, 2.5, 2.5, 16, 4, 10, 6, 6, 6, 11.5, 11.5, 13, 14, 15, 8};
    ob_change_room room;
    double best = -1;
    size_t index = 0;
    CHECK(ob__change_room_init(&room, 16));
    memcpy(values, RANKS, sizeof RANKS);
    for (size_t left = 4; left <= 12; left++)
        if (plain_statistic(left, 16) > best) {
            best = plain_statistic(left, 16);
            index = left;
        }
    const ob_split split = ob__best_split(values, 0, 16, &room);
    CHECK_INT(split.index, index);
    CHECK_NEAR(split.statistic, best, 1e-12);
    ob__change_room_order(&room, values, 16);
    CHECK_REAL(ob__best_split(values, 0, 16, &room).statistic, split.statistic);
    ob__change_room_fini(&room);
}

static void test_chance(void)
{
    CHECK_REAL(ob__split_chance(0, 100), 1);
    CHECK_NEAR(ob__split_chance(3.3871, 100), 0.001, 1e-9);
    CHECK_NEAR(ob__split_chance(4.1683, 100), 0.0001, 1e-9);
    CHECK_NEAR(ob__split_chance(1.9220, 100), 0.05, 1e-9);
    CHECK(ob__split_chance(6, 100) < 1e-5);
    CHECK(ob__split_chance(3.4, 120) > 0.001); /* between rows */
    CHECK(ob__split_chance(3.4, 100) < 0.001);
    CHECK_REAL(ob__split_chance(3, 5000), ob__split_chance(3, 1000)); /* beyond the table */
}

static void test_levels(void)
{
    static const double A[] = {1, 2, 3, 4, 5, 6, 7, 8}, B[] = {9, 10, 11, 12, 13, 14, 15, 16};
    static const double WIDE[] = {-90, -60, -30, -1, 10, 40, 70, 100};
    ob_change_room room;
    CHECK(ob__change_room_init(&room, 16));
    CHECK(ob__levels_differ(A, 8, B, 8, 1e-9, &room)); /* nothing overlaps */
    CHECK(!ob__levels_differ(A, 8, A, 8, 0.5, &room));
    CHECK(!ob__levels_differ(A, 8, WIDE, 8, 0.05, &room));
    CHECK(ob__spreads_differ(A, 8, WIDE, 8, 0.05, &room));
    CHECK(!ob__spreads_differ(A, 8, B, 8, 0.05, &room));
    CHECK_REAL(ob__median_of(A, 8, room.one), 4.5);
    CHECK_NEAR(ob__spread_of(A, 8, room.one), 1.4826 * 2, 1e-12);
    ob__change_room_fini(&room);
}

/* Values of which each goes by the one before it wander without a step. A step between them is none of that. */
static void test_dependence(void)
{
    enum { SERIES = 40, POINTS = 100 };
    ob_change_room room;
    size_t called = 0;
    CHECK(ob__change_room_init(&room, POINTS));
    const size_t whole[] = {0, POINTS}, parts[] = {0, 60, POINTS};
    double sum = 0;
    for (size_t n = 0; n < SERIES; n++) {
        ob_rng rng;
        double last = 0;
        ob_rng_init(&rng, 8, n);
        for (size_t i = 0; i < POINTS; i++) {
            last = 0.8 * last + 0.6 * ob_rng_normal(&rng);
            values[i] = 100 + last;
        }
        sum += ob__dependence(values, whole, 2, &room);
        ob_changes *changes = found(POINTS, NULL);
        for (size_t i = 0; i < ob_changes_count(changes); i++)
            if (ob_changes_at(changes, i)->kind == OB_CHANGE_STEP) {
                called++;
                break;
            }
        ob_changes_destroy(changes);
    }
    CHECK_NEAR(sum / SERIES, 0.8, 0.1);
    CHECK(called <= 4); /* bench/changes: 70 % of such series, if nothing were made of it */
    make_noise(POINTS);
    for (size_t i = 60; i < POINTS; i++)
        values[i] *= 1.05;
    CHECK(ob__dependence(values, whole, 2, &room) > 0.3);
    CHECK_NEAR(ob__dependence(values, parts, 3, &room), 0, 0);
    for (size_t i = 0; i < POINTS; i++)
        values[i] = 5; /* even: nothing to go by */
    CHECK_NEAR(ob__dependence(values, whole, 2, &room), 0, 0);
    ob__change_room_fini(&room);
}

static void test_words(void)
{
    CHECK_STR(ob_change_kind_word(OB_CHANGE_STEP), "step");
    CHECK_STR(ob_change_kind_word(OB_CHANGE_DRIFT), "drift");
    CHECK(ob_change_kind_word(OB_CHANGE_KIND_COUNT) == NULL);
}

int main(void)
{
    RUN(test_nothing);
    RUN(test_step);
    RUN(test_up_and_down);
    RUN(test_outliers);
    RUN(test_drift);
    RUN(test_stairs);
    RUN(test_noise_grows);
    RUN(test_exact_times);
    RUN(test_short);
    RUN(test_params);
    RUN(test_bad_values);
    RUN(test_statistic);
    RUN(test_chance);
    RUN(test_levels);
    RUN(test_dependence);
    RUN(test_words);
    return ob_test_end();
}
