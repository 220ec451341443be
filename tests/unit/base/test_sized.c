/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sized.h"
#include "check.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* One struct as three versions of a header have it. */
typedef struct older {
    size_t size;
    int64_t count;
} older;
typedef struct sample {
    size_t size;
    int64_t count;
    const char *name;
} sample;
typedef struct newer {
    size_t size;
    int64_t count;
    const char *name;
    bool later;
} newer;

static void an_older_struct_has_zeros_for_the_rest(void)
{
    const older from = {.size = sizeof from, .count = 7};
    sample to;
    memset(&to, 0xff, sizeof to);
    CHECK_INT(OB__TAKE(sample, &to, &from, NULL), OB_OK);
    CHECK_INT(to.size, sizeof to);
    CHECK_INT(to.count, 7);
    CHECK(to.name == NULL);
}

static void a_newer_struct_is_taken_while_nothing_new_is_set(void)
{
    newer from;
    memset(&from, 0, sizeof from);
    from.size = sizeof from;
    from.count = 7;
    from.name = "x";
    sample to;
    CHECK_INT(OB__TAKE(sample, &to, &from, NULL), OB_OK);
    CHECK_INT(to.size, sizeof to);
    CHECK_INT(to.count, 7);
    CHECK_STR(to.name, "x");
    from.later = true;
    ob_err err;
    CHECK_INT(OB__TAKE(sample, &to, &from, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "sample has members set beyond its first 24 bytes, which is all that "
                           "this opbench knows; leave them out, or use a newer opbench");
}

static void sizes_that_cannot_be_are_refused(void)
{
    sample from = {.size = 0}, to;
    ob_err err;
    CHECK_INT(OB__TAKE(sample, &to, &from, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "sample.size is not set; set it to sizeof(sample)");
    from.size = sizeof(size_t) - 1;
    CHECK_INT(OB__TAKE(sample, &to, &from, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "sample.size is not set; set it to sizeof(sample)");
    CHECK_INT(OB__TAKE(sample, &to, NULL, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "sample.size is not set; set it to sizeof(sample)");
    from.size = sizeof from + 4097;
    CHECK_INT(OB__TAKE(sample, &to, &from, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "sample.size is 4121, which is impossible: this opbench has 24; set it "
                           "to sizeof(sample), and initialise all other members");
    from.size = SIZE_MAX;
    CHECK_INT(OB__GIVE(sample, &from, &to, &err), OB_ERR_INVALID);
    CHECK_INT(ob__take_element(&to, sizeof to, &from, 0, "sample", &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "sample.size is not set; set it to sizeof(sample)");
}

static void none_can_stand_for_zeros(void)
{
    sample to;
    memset(&to, 0xff, sizeof to);
    CHECK_INT(OB__TAKE_OPTIONAL(sample, &to, NULL, NULL), OB_OK);
    CHECK_INT(to.size, sizeof to);
    CHECK_INT(to.count, 0);
    CHECK(to.name == NULL);
    const sample from = {.size = sizeof from, .count = 3};
    CHECK_INT(OB__TAKE_OPTIONAL(sample, &to, &from, NULL), OB_OK);
    CHECK_INT(to.count, 3);
}

static void elements_have_the_size_that_is_told(void)
{
    static const struct {
        int64_t first;
    } ITEMS[] = {{1}, {2}};
    struct {
        int64_t first, second;
    } to;
    memset(&to, 0xff, sizeof to);
    CHECK_INT(ob__take_element(&to, sizeof to, &ITEMS[1], sizeof ITEMS[1], "item", NULL), OB_OK);
    CHECK_INT(to.first, 2);
    CHECK_INT(to.second, 0);
}

static void structs_with_others_inside_have_one_size(void)
{
    ob_err err;
    CHECK_INT(ob__check_same_size(24, 24, "sample", &err), OB_OK);
    CHECK_INT(ob__check_same_size(16, 24, "sample", &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "sample.size is 16, but 24 in this opbench: the program was built with "
                           "other headers, or the struct was not initialised");
}

static void a_result_fills_what_there_is_of_it(void)
{
    const sample from = {.size = sizeof from, .count = 7, .name = "x"};
    older small[2] = {{.size = sizeof small[0]}, {.size = 1, .count = 2}};
    CHECK_INT(OB__GIVE(sample, &small[0], &from, NULL), OB_OK);
    CHECK_INT(small[0].size, sizeof small[0]);
    CHECK_INT(small[0].count, 7);
    CHECK_INT(small[1].size, 1);
    CHECK_INT(small[1].count, 2);
    newer large;
    memset(&large, 0xff, sizeof large);
    large.size = sizeof large;
    CHECK_INT(OB__GIVE(sample, &large, &from, NULL), OB_OK);
    CHECK_INT(large.size, sizeof large);
    CHECK_STR(large.name, "x");
    CHECK(!large.later);
    ob_err err;
    large.size = 0;
    CHECK_INT(OB__GIVE(sample, &large, &from, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "sample.size is not set; set it to sizeof(sample)");
}

int main(void)
{
    RUN(an_older_struct_has_zeros_for_the_rest);
    RUN(a_newer_struct_is_taken_while_nothing_new_is_set);
    RUN(sizes_that_cannot_be_are_refused);
    RUN(none_can_stand_for_zeros);
    RUN(elements_have_the_size_that_is_told);
    RUN(structs_with_others_inside_have_one_size);
    RUN(a_result_fills_what_there_is_of_it);
    return ob_test_end();
}
