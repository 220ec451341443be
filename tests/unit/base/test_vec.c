/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"
#include "opbench/vec.h"

#include <stdint.h>
#include <stdlib.h>

/* One by one: what is there stays, and room is made seldom. */
static void appending(void)
{
    enum { ITEMS = 100000 };
    uint32_t *items = NULL;
    size_t capacity = 0, grown = 0;
    for (size_t i = 0; i < ITEMS; i++) {
        const size_t before = capacity;
        CHECK(OB_RESERVE(items, capacity, i + 1));
        CHECK(capacity > i);
        grown += capacity != before;
        items[i] = (uint32_t)i;
    }
    CHECK(grown < 20);
    size_t wrong = 0;
    for (size_t i = 0; i < ITEMS; i++)
        wrong += items[i] != i;
    CHECK_INT(wrong, 0);
    free(items);
}

static void as_wanted(void)
{
    double *items = NULL;
    size_t capacity = 0;
    CHECK(OB_RESERVE(items, capacity, 1000));
    CHECK(capacity >= 1000);
    const double *same = items;
    const size_t before = capacity;
    CHECK(OB_RESERVE(items, capacity, 0) && OB_RESERVE(items, capacity, 1000));
    CHECK(items == same && capacity == before);
    free(items);
}

/* Bytes that cannot be counted, and those that no machine has, change nothing. */
static void too_many(void)
{
    uint64_t *items = NULL;
    size_t capacity = 0;
    CHECK(OB_RESERVE(items, capacity, 3));
    uint64_t *const same = items;
    const size_t before = capacity;
    items[2] = 7;
    CHECK(!OB_RESERVE(items, capacity, SIZE_MAX));
    CHECK(!OB_RESERVE(items, capacity, SIZE_MAX / sizeof *items + 1));
    CHECK(!OB_RESERVE(items, capacity, SIZE_MAX / sizeof *items));
    CHECK(items == same && capacity == before && items[2] == 7);
    free(items);
}

int main(void)
{
    RUN(appending);
    RUN(as_wanted);
    RUN(too_many);
    return ob_test_end();
}
