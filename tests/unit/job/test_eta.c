/* SPDX-License-Identifier: Apache-2.0
 *
 * How long the rest takes: cases of equal and of unequal sizes.
 */
#include "check.h"
#include "job/outlook.h"

#include <math.h>

static void nothing_known(void)
{
    const ob_eta eta = {.cases = 0};
    CHECK(isnan(ob__eta_left(&eta, 3, 100)));
}

/* Sizes that nobody knows are 0: the mean counts. */
static void without_sizes(void)
{
    ob_eta eta = {.cases = 0};
    ob__eta_add(&eta, 0, 1);
    ob__eta_add(&eta, 0, 3);
    CHECK(ob__eta_left(&eta, 10, 0) == 20);
}

/* 1 s and 1 s per 100 bytes. */
static void unequal_sizes(void)
{
    ob_eta eta = {.cases = 0};
    ob__eta_add(&eta, 100, 2);
    ob__eta_add(&eta, 200, 3);
    ob__eta_add(&eta, 400, 5);
    CHECK(fabs(ob__eta_left(&eta, 2, 3000) - 32) < 1e-9);
    CHECK(fabs(ob__eta_left(&eta, 5, 0) - 5) < 1e-9);
    CHECK(ob__eta_left(&eta, 0, 0) == 0);
}

/* Few cases, or of one size: half of a time is its case's, half its size's. */
static void too_little_to_tell(void)
{
    ob_eta eta = {.cases = 0};
    ob__eta_add(&eta, 100, 2);
    CHECK(ob__eta_left(&eta, 1, 1000) == 11);
    ob__eta_add(&eta, 100, 2);
    ob__eta_add(&eta, 100, 2);
    CHECK(ob__eta_left(&eta, 1, 1000) == 11);
}

/* No case takes less for being larger, and none takes less than nothing. */
static void impossible_lines(void)
{
    ob_eta eta = {.cases = 0};
    ob__eta_add(&eta, 100, 3);
    ob__eta_add(&eta, 200, 2);
    ob__eta_add(&eta, 300, 1);
    CHECK(ob__eta_left(&eta, 2, 5000) == 4);
    eta = (ob_eta){.cases = 0};
    ob__eta_add(&eta, 100, 0);
    ob__eta_add(&eta, 200, 0);
    ob__eta_add(&eta, 300, 6);
    CHECK(fabs(ob__eta_left(&eta, 1, 100) - 1) < 1e-9);
}

int main(void)
{
    RUN(nothing_known);
    RUN(without_sizes);
    RUN(unequal_sizes);
    RUN(too_little_to_tell);
    RUN(impossible_lines);
    return ob_test_end();
}
