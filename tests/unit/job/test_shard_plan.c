/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases divided by what they cost: every case in one part, parts alike, and positions that read back as they were written.
 */
#include "check.h"
#include "job/shard_costs.h"
#include "job/shard_plan.h"
#include "result/temp_file.h"

#include <string.h>

static ob_shard part(uint64_t number, uint64_t of)
{
    return (ob_shard){.size = sizeof(ob_shard), .number = number, .of = of, .by_cost = true};
}

/* Adds one to every position that the text names. */
static void mark(const char *text, int *seen, size_t count)
{
    ob_case_range range;
    while (ob__positions_next(&text, &range))
        for (uint64_t k = 0; k < range.count; k++) {
            const uint64_t position = range.first + k * range.step;
            CHECK(position < count);
            if (position < count)
                seen[position]++;
        }
    CHECK_STR(text, "");
}

static void each_case_is_in_one_part(void)
{
    enum { CASES = 500 };
    uint64_t costs[CASES], state = 7;
    for (size_t i = 0; i < CASES; i++) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        costs[i] = 1 + (state >> 33) % (i % 9 == 0 ? 100000 : 50);
    }
    for (uint64_t of = 1; of <= 40; of += 3) {
        int seen[CASES] = {0};
        char hash[17] = "";
        uint64_t total = 0, dearest = 0;
        for (uint64_t number = 1; number <= of; number++) {
            const ob_shard shard = part(number, of);
            ob_shard_plan plan = {0};
            CHECK_INT(ob__shard_plan_make(costs, CASES, &shard, &plan, NULL), OB_OK);
            mark(plan.text.data, seen, CASES);
            for (size_t i = 0; i < CASES; i += 7)
                CHECK(!ob__shard_plan_has(&plan, i) || seen[i] == 1);
            if (number > 1)
                CHECK_STR(plan.hash, hash);
            memcpy(hash, plan.hash, sizeof hash);
            total += plan.own_cost;
            dearest = plan.own_cost > dearest ? plan.own_cost : dearest;
            CHECK(number < of || (total == plan.total_cost && dearest == plan.largest_cost));
            ob__shard_plan_fini(&plan);
        }
        for (size_t i = 0; i < CASES; i++)
            CHECK_INT(seen[i], 1);
        CHECK(dearest <= total / of + 100000); /* by one case at most */
    }
}

static const char *positions_of(const uint64_t *costs, size_t count, uint64_t number, uint64_t of)
{
    static char text[256];
    const ob_shard shard = part(number, of);
    ob_shard_plan plan = {0};
    CHECK_INT(ob__shard_plan_make(costs, count, &shard, &plan, NULL), OB_OK);
    snprintf(text, sizeof text, "%s", plan.text.data);
    ob__shard_plan_fini(&plan);
    return text;
}

/* These are the same on every machine, today and tomorrow. */
static void known_divisions(void)
{
    static const uint64_t EQUAL[] = {5, 5, 5, 5, 5, 5, 5, 5, 5, 5};
    CHECK_STR(positions_of(EQUAL, 10, 1, 3), "0+3*4");
    CHECK_STR(positions_of(EQUAL, 10, 3, 3), "2+3*3");
    static const uint64_t RISING[] = {1, 2, 3, 4, 5, 6, 7, 8};
    CHECK_STR(positions_of(RISING, 8, 1, 2), "0,3,4,7");
    CHECK_STR(positions_of(RISING, 8, 2, 2), "1,2,5,6");
    static const uint64_t ONE_LARGE[] = {1, 1, 100, 1, 1};
    CHECK_STR(positions_of(ONE_LARGE, 5, 1, 2), "2");
    CHECK_STR(positions_of(ONE_LARGE, 5, 2, 2), "0,1,3,4");
    CHECK_STR(positions_of(ONE_LARGE, 1, 2, 2), "");
    static const uint64_t HUGE_COSTS[] = {UINT64_MAX, UINT64_MAX, UINT64_MAX};
    CHECK_STR(positions_of(HUGE_COSTS, 3, 1, 2), "0,2");
}

static void hostile_positions(void)
{
    static const char *const WRONG[] = {"",
                                        "x",
                                        "-1",
                                        "1+",
                                        "1+2",
                                        "1+2*",
                                        "1+0*3",
                                        "1+1*0",
                                        "1x",
                                        "99999999999999999999",
                                        "1+9000000000000000000*9",
                                        "0+9000000000000000000*9000000000000000000"};
    ob_case_range range;
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        const char *at = WRONG[i];
        CHECK(!ob__positions_next(&at, &range));
    }
    const char *at = "3,4+5*6";
    CHECK(ob__positions_next(&at, &range) && range.first == 3 && range.count == 1);
    CHECK(ob__positions_next(&at, &range) && range.first == 4 && range.step == 5 &&
          range.count == 6);
    CHECK(!ob__positions_next(&at, &range));
}

static void too_many_parts(void)
{
    ob_err err;
    const ob_shard many = part(1, 65536), none = part(3, 2);
    CHECK_INT(ob__shard_plan_check(&many, &err), OB_ERR_LIMIT);
    CHECK_STR(err.message, "--shard-by cost: 65536 parts are too many; use at most 65535");
    CHECK_INT(ob__shard_plan_check(&none, &err), OB_ERR_INVALID);
}

/* ---- costs ---- */

/* What was not measured is guessed, in the unit of what was. */
static void guesses_are_scaled(void)
{
    static const uint64_t TEN = 10, THIRTY = 30;
    ob_case_costs costs = {0};
    CHECK_INT(ob__case_costs_add(&costs, 1, &TEN, NULL), OB_OK);
    CHECK_INT(ob__case_costs_add(&costs, 3, &THIRTY, NULL), OB_OK);
    CHECK_INT(ob__case_costs_add(&costs, 4, NULL, NULL), OB_OK);
    CHECK_INT(ob__case_costs_add(&costs, 0, NULL, NULL), OB_OK);
    const ob_shard shard = part(1, 2);
    ob_shard_plan plan = {0};
    ob_shard_division division;
    CHECK_INT(ob__case_costs_divide(&costs, &shard, &plan, &division, NULL), OB_OK);
    CHECK_INT(costs.items[2], 40);
    CHECK_INT(costs.items[3], 10);
    CHECK_STR(division.positions, "2,3");
    CHECK_INT(division.measured, 2);
    CHECK_INT(division.cases, 4);
    ob__shard_plan_fini(&plan);
    ob__case_costs_fini(&costs);
}

static void times_of_a_file(void)
{
    const temp_dir dir = temp_dir_make();
    char path[128];
    ob_stored_costs *costs;
    uint64_t cost = 0;
    ob_err err;
    temp_path(&dir, "a.json", path);
#define TIMED(key, backend, seconds)                                                               \
    "{\"op_name\": \"a\", \"key\": \"" key "\", \"backend\": \"" backend                           \
    "\", \"seconds\": " seconds "}\n"
    write_file(path, TIMED("k", "x", "0.5") TIMED("k", "x", "0.25") TIMED("k", "y", "3")
                         TIMED("l", "y", "1e300") TIMED("m", "y", "-1") "{\"torn");
    CHECK_INT(ob__stored_costs_read(path, &costs, &err), OB_OK);
    CHECK(ob__stored_costs_find(costs, "k", "x", &cost) && cost == 375000);
    CHECK(ob__stored_costs_find(costs, "k", "y", &cost) && cost == 3000000);
    CHECK(ob__stored_costs_find(costs, "k", "z", &cost) && cost == 1250000);
    CHECK(ob__stored_costs_find(costs, "k", NULL, &cost) && cost == 1250000);
    CHECK(ob__stored_costs_find(costs, "l", NULL, &cost) && cost == OB_MOST_COST);
    CHECK(!ob__stored_costs_find(costs, "m", NULL, &cost));
    ob__stored_costs_destroy(costs);
    write_file(path, TIMED("m", "y", "0"));
    CHECK_INT(ob__stored_costs_read(path, &costs, &err), OB_ERR_INVALID);
    CHECK(costs == NULL && strstr(err.message, "has no timed cases;") != NULL);
    temp_dir_remove(&dir);
}

int main(void)
{
    RUN(each_case_is_in_one_part);
    RUN(known_divisions);
    RUN(hostile_positions);
    RUN(too_many_parts);
    RUN(guesses_are_scaled);
    RUN(times_of_a_file);
    return ob_test_end();
}
