/* SPDX-License-Identifier: Apache-2.0
 *
 * Sorting entries, in memory and beyond it.
 */
#include "check.h"

#include "job/entry_sort.h"
#include "opbench/rng.h"

#include <stdlib.h>

enum { COUNT = 5000 };

/* Entries by chance, some of them doubled; sorted with room for `most` of them, they come back in order, and all of them. */
static void sort(size_t count, size_t most)
{
    ob_entry_sort *s;
    ob_result_entry entry, before = {0};
    ob_rng rng;
    ob_err err = {.message = ""};
    uint64_t sum = 0, got = 0;
    size_t seen = 0;
    ob_rng_init(&rng, 17, count);
    CHECK_INT(ob__entry_sort_create("/tmp", most, &s, &err), OB_OK);
    for (size_t i = 0; i < count; i++) {
        entry = (ob_result_entry){.part = (uint32_t)(ob_rng_double(&rng) * 3),
                                  .order = (uint64_t)(ob_rng_double(&rng) * (double)count / 2),
                                  .way = (uint32_t)(ob_rng_double(&rng) * 2),
                                  .rank = (uint64_t)(ob_rng_double(&rng) * 4),
                                  .offset = i};
        sum += i;
        CHECK_INT(ob__entry_sort_add(s, &entry, &err), OB_OK);
    }
    CHECK_INT(ob__entry_sort_end(s, &err), OB_OK);
    while (ob__entry_sort_next(s, &entry, &err) == OB_OK) {
        if (seen++ > 0)
            CHECK(ob__result_entry_compare(&before, &entry) < 0);
        before = entry;
        got += entry.offset;
    }
    CHECK_STR(err.message, "");
    CHECK_INT(seen, count);
    CHECK(got == sum);
    CHECK_INT(ob__entry_sort_next(s, &entry, &err), OB_END);
    ob__entry_sort_destroy(s);
}

static void in_memory(void)
{
    sort(0, 0);
    sort(1, 0);
    sort(COUNT, 0);
}

static void beyond_memory(void)
{
    sort(COUNT, 1);
    sort(COUNT, 7);
    sort(COUNT, COUNT - 1);
    sort(COUNT, COUNT);
    sort(2 * 1024 * 3, 2048); /* parts of exactly what is read at once */
}

static void order(void)
{
    const ob_result_entry old = {.order = 3, .rank = 1}, new = {.order = 3, .rank = 2},
                          next = {.order = 4}, other_way = {.order = 3, .way = 1},
                          other_part = {.part = 1};
    CHECK(ob__result_entry_compare(&new, &old) < 0);
    CHECK(ob__result_entry_compare(&old, &next) < 0);
    CHECK(ob__result_entry_compare(&old, &other_way) < 0);
    CHECK(ob__result_entry_compare(&other_way, &next) < 0);
    CHECK(ob__result_entry_compare(&next, &other_part) < 0);
    CHECK_INT(ob__result_entry_compare(&old, &old), 0);
}

static void a_folder_that_cannot_be_written(void)
{
    ob_entry_sort *s;
    ob_err err = {.message = ""};
    const ob_result_entry entry = {.order = 1};
    CHECK_INT(ob__entry_sort_create("/proc/self/no_such", 1, &s, &err), OB_OK);
    CHECK_INT(ob__entry_sort_add(s, &entry, &err), OB_OK);
    CHECK_INT(ob__entry_sort_add(s, &entry, &err), OB_ERR_IO);
    CHECK_STR(err.message,
              "a list of results in /proc/self/no_such cannot be made: No such file or "
              "directory");
    ob__entry_sort_destroy(s);
}

int main(void)
{
    RUN(in_memory);
    RUN(beyond_memory);
    RUN(order);
    RUN(a_folder_that_cannot_be_written);
    return ob_test_end();
}
