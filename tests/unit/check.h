/* SPDX-License-Identifier: Apache-2.0
 *
 * A small check header for unit tests. A failed check prints both values and the place, the test
 * goes on; ob_test_end() gives the exit code. A test file is: static functions, a main with one
 * RUN(...) per function, return ob_test_end().
 */
#ifndef OB_TEST_CHECK_H
#define OB_TEST_CHECK_H

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int ob_test_failures;
static int ob_test_checks;
static const char *ob_test_name = "";

#define RUN(function)                                                                              \
    do {                                                                                           \
        ob_test_name = #function;                                                                  \
        function();                                                                                \
    } while (0)

#define OB_TEST_FAIL(...)                                                                          \
    do {                                                                                           \
        ob_test_failures++;                                                                        \
        fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, ob_test_name);                          \
        fprintf(stderr, __VA_ARGS__);                                                              \
        fputc('\n', stderr);                                                                       \
    } while (0)

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        ob_test_checks++;                                                                          \
        if (!(condition))                                                                          \
            OB_TEST_FAIL("false: %s", #condition);                                                 \
    } while (0)

#define CHECK_INT(got, want)                                                                       \
    do {                                                                                           \
        const intmax_t ob_got_ = (intmax_t)(got), ob_want_ = (intmax_t)(want);                     \
        ob_test_checks++;                                                                          \
        if (ob_got_ != ob_want_)                                                                   \
            OB_TEST_FAIL("%s is %" PRIdMAX ", want %" PRIdMAX, #got, ob_got_, ob_want_);           \
    } while (0)

/* Equal to the bit, NaN equal to NaN. */
#define CHECK_REAL(got, want)                                                                      \
    do {                                                                                           \
        const double ob_got_ = (got), ob_want_ = (want);                                           \
        ob_test_checks++;                                                                          \
        if (memcmp(&ob_got_, &ob_want_, sizeof ob_got_) != 0 && !(ob_got_ == ob_want_))            \
            OB_TEST_FAIL("%s is %.17g, want %.17g", #got, ob_got_, ob_want_);                      \
    } while (0)

#define CHECK_NEAR(got, want, tolerance)                                                           \
    do {                                                                                           \
        const double ob_got_ = (got), ob_want_ = (want);                                           \
        ob_test_checks++;                                                                          \
        if (!(fabs(ob_got_ - ob_want_) <= (tolerance)))                                            \
            OB_TEST_FAIL("%s is %.17g, want %.17g +- %g", #got, ob_got_, ob_want_,                 \
                         (double)(tolerance));                                                     \
    } while (0)

#define CHECK_STR(got, want)                                                                       \
    do {                                                                                           \
        const char *ob_got_ = (got), *ob_want_ = (want);                                           \
        ob_test_checks++;                                                                          \
        if (ob_got_ == NULL || ob_want_ == NULL ? ob_got_ != ob_want_                              \
                                                : strcmp(ob_got_, ob_want_) != 0)                  \
            OB_TEST_FAIL("%s is\n  \"%s\", want\n  \"%s\"", #got, ob_got_ ? ob_got_ : "(null)",    \
                         ob_want_ ? ob_want_ : "(null)");                                          \
    } while (0)

/* The text holds the part. */
#define CHECK_HAS(text, part)                                                                      \
    do {                                                                                           \
        const char *ob_text_ = (text), *ob_part_ = (part);                                         \
        ob_test_checks++;                                                                          \
        if (ob_text_ == NULL || strstr(ob_text_, ob_part_) == NULL)                                \
            OB_TEST_FAIL("%s is\n  \"%s\", without\n  \"%s\"", #text,                              \
                         ob_text_ ? ob_text_ : "(null)", ob_part_);                                \
    } while (0)

static inline int ob_test_end(void)
{
    printf("%d checks, %d failed\n", ob_test_checks, ob_test_failures);
    return ob_test_checks == 0 || ob_test_failures != 0;
}

#endif
