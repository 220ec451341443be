/* SPDX-License-Identifier: Apache-2.0
 *
 * Processes differ on purpose: who begins, and the size of the environment.
 */
#include "check.h"

#include "run/process_plan.h"

/* In every block of as many processes as there are sides each is the first once. */
static void each_side_begins_equally_often(void)
{
    for (unsigned sides = 1; sides <= 8; sides++) {
        for (uint64_t block = 0; block < 40; block++) {
            unsigned seen = 0;
            for (unsigned i = 0; i < sides; i++)
                seen |= 1u << ob__process_plan(7, 3, block * sides + i, sides).first;
            CHECK_INT(seen, (1u << sides) - 1);
        }
    }
}

/* Of two sides neither is always the first of a block. */
static void the_order_is_drawn(void)
{
    int first = 0;
    for (uint64_t block = 0; block < 200; block++)
        first += ob__process_plan(0, 0, block * 2, 2).first == 0;
    CHECK(first > 60 && first < 140);
}

static void the_seed_and_the_case_decide(void)
{
    int other_seed = 0, other_case = 0;
    for (uint64_t i = 0; i < 100; i++) {
        const ob_process_plan plan = ob__process_plan(5, 2, i, 2);
        const ob_process_plan again = ob__process_plan(5, 2, i, 2);
        CHECK_INT(plan.first, again.first);
        CHECK_INT(plan.pad, again.pad);
        other_seed += ob__process_plan(6, 2, i, 2).pad != plan.pad;
        other_case += ob__process_plan(5, 3, i, 2).pad != plan.pad;
    }
    CHECK(other_seed > 90);
    CHECK(other_case > 90);
}

static void the_pad_takes_all_lengths(void)
{
    size_t low = OB_MOST_PAD, high = 0;
    for (uint64_t i = 0; i < 5000; i++) {
        const size_t pad = ob__process_plan(1, 1, i, 2).pad;
        low = pad < low ? pad : low;
        high = pad > high ? pad : high;
        CHECK(pad <= OB_MOST_PAD);
    }
    CHECK(low < 10 && high > OB_MOST_PAD - 10);
}

int main(void)
{
    RUN(each_side_begins_equally_often);
    RUN(the_order_is_drawn);
    RUN(the_seed_and_the_case_decide);
    RUN(the_pad_takes_all_lengths);
    return ob_test_end();
}
