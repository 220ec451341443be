/* SPDX-License-Identifier: Apache-2.0 */
#include "run/best_side.h"

#include "check.h"

#include <math.h>

static double one_time[] = {1};

static ob_record_pass pass(double median, double low, double high)
{
    return (ob_record_pass){.measure_time_ms = {.items = one_time, .count = 1},
                            .time_ms = {.median = median},
                            .ratio = {.value = (low + high) / 2, .low = low, .high = high}};
}

static size_t best_of(const ob_record_pass *a, const ob_record_pass *b, const ob_record_pass *c)
{
    const ob_record_pass *const passes[] = {a, b, c};
    return ob__best_side(passes, 3);
}

static void told_by_intervals(void)
{
    const ob_record_pass first = pass(10, NAN, NAN), slow = pass(20, 1.9, 2.1),
                         fast = pass(5, 0.4, 0.6), near = pass(6, 0.55, 0.7),
                         unsure = pass(5, NAN, NAN), equal = pass(9, 0.9, 1.1);
    CHECK_INT(best_of(&first, &slow, &fast), 2);
    CHECK_INT(best_of(&first, &fast, &slow), 1);
    CHECK_INT(best_of(&first, &slow, &slow), 0);
    CHECK_INT(best_of(&first, &near, &fast), 3); /* their intervals meet */
    CHECK_INT(best_of(&first, &slow, &equal), 3);
    CHECK_INT(best_of(&first, &slow, &unsure), 3);
    CHECK_INT(best_of(&first, &unsure, &fast), 3);
}

static void without_times(void)
{
    const ob_record_pass first = pass(10, NAN, NAN), fast = pass(5, 0.4, 0.6);
    ob_record_pass none = pass(NAN, NAN, NAN);
    none.measure_time_ms.count = 0;
    CHECK_INT(best_of(&first, NULL, &fast), 2);
    CHECK_INT(best_of(&first, &none, &fast), 2);
    CHECK_INT(best_of(NULL, &fast, &fast), 3); /* ratios are to the first */
    CHECK_INT(best_of(&first, NULL, &none), 3);
    CHECK_INT(best_of(NULL, NULL, NULL), 3);
}

int main(void)
{
    RUN(told_by_intervals);
    RUN(without_times);
    return ob_test_end();
}
