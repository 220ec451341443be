/* SPDX-License-Identifier: Apache-2.0
 *
 * Constraints: what expressions come to, what is refused, and that hostile ones do no harm.
 */
#include "check.h"
#include "fuzz/expression.h"

#include <stdlib.h>

static ptrdiff_t find(const void *ctx, const char *name, size_t length)
{
    const char *const *names = ctx;
    for (ptrdiff_t i = 0; names[i] != NULL; i++)
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0)
            return i;
    return -1;
}

static ob_err err;

/* The value with a = 7, b = -3, zero = 0, t = true; -12345 when it failed. */
static int64_t eval(const char *text)
{
    static const char *const NAMES[] = {"a", "b", "zero", "t", "text", "big", NULL};
    const ob_value values[] = {ob_value_int(7),        ob_value_int(-3),
                               ob_value_int(0),        ob_value_bool(true),
                               {.kind = OB_VALUE_STR}, ob_value_int(INT64_MAX)};
    const ob__expression_names names = {.find = find, .ctx = NAMES};
    ob_arena arena;
    ob__expression e;
    int64_t out = -12345;
    ob__arena_init(&arena, 0);
    ob_err_clear(&err);
    if (ob__expression_compile(text, &names, &arena, &e, &err) == OB_OK &&
        ob__expression_eval(&e, values, &out, &err) != OB_OK)
        out = -12345;
    ob__arena_fini(&arena);
    return out;
}

static void arithmetic(void)
{
    CHECK_INT(eval("1 + 2 * 3"), 7);
    CHECK_INT(eval("(1 + 2) * 3"), 9);
    CHECK_INT(eval("10 - 4 - 3"), 3);
    CHECK_INT(eval("-a"), -7);
    CHECK_INT(eval("- - a"), 7);
    CHECK_INT(eval("2 - -a"), 9);
    CHECK_INT(eval("a / 2"), 3);
    CHECK_INT(eval("a // 2"), 3);
    CHECK_INT(eval("b / 2"), -2); /* down, not towards 0 */
    CHECK_INT(eval("b % 2"), 1);
    CHECK_INT(eval("a % b"), -2);
    CHECK_INT(eval("a / b"), -3);
    CHECK_INT(eval("-6 % 3"), 0);
    CHECK_INT(eval("9223372036854775807 / -1"), -INT64_MAX);
    CHECK_INT(eval("(-9223372036854775807 - 1) % -1"), 0);
    CHECK_INT(eval("t + t"), 2);
}

static void comparisons(void)
{
    CHECK_INT(eval("a == 7"), 1);
    CHECK_INT(eval("a != 7"), 0);
    CHECK_INT(eval("a<=7"), 1);
    CHECK_INT(eval("a >= 8"), 0);
    CHECK_INT(eval("1 + 1 < 3"), 1);
    CHECK_INT(eval("b < zero < a"), 1);
    CHECK_INT(eval("b < zero < a < 5"), 0);
    CHECK_INT(eval("5 > 4 > 3 > 2"), 1);
    CHECK_INT(eval("1 < 2 > 3 < 9"), 0); /* every link counts, not the last alone */
    CHECK_INT(eval("(3 > 2) == true"), 1);
}

static void logic(void)
{
    CHECK_INT(eval("a and b"), 1);
    CHECK_INT(eval("a and zero"), 0);
    CHECK_INT(eval("zero or a"), 1);
    CHECK_INT(eval("zero or zero"), 0);
    CHECK_INT(eval("not a"), 0);
    CHECK_INT(eval("not not a"), 1);
    CHECK_INT(eval("not a == 8"), 1);
    CHECK_INT(eval("1 or 1 and 0"), 1);
    CHECK_INT(eval("(1 or 1) and 0"), 0);
    CHECK_INT(eval("0 and 1 or 1"), 1);
    CHECK_INT(eval("False or True"), 1);
    /* The right side is left alone when the left one decides. */
    CHECK_INT(eval("zero != 0 and a / zero > 1"), 0);
    CHECK_INT(eval("true or a / zero > 1"), 1);
    CHECK_INT(eval("1 and 1 and 0 and 1 / 0"), 0);
}

static void refused(void)
{
    static const struct {
        const char *text;
        ob_status code;
        const char *message;
    } ROWS[] = {
        {"", OB_ERR_SYNTAX, "character 1: a number, a parameter or '(' is missing"},
        {"a +", OB_ERR_SYNTAX, "character 4: a number"},
        {"a b", OB_ERR_SYNTAX, "character 3: expected an operator or the end"},
        {"(a", OB_ERR_SYNTAX, "character 3: ')' is missing"},
        {"a)", OB_ERR_SYNTAX, "character 2: expected an operator or the end"},
        {"a = 7", OB_ERR_SYNTAX, "character 3: expected an operator or the end"},
        {"1.5 < a", OB_ERR_SYNTAX, "only whole numbers"},
        {"7x", OB_ERR_SYNTAX, "only whole numbers"},
        {"a and or b", OB_ERR_SYNTAX, "character 7: a number"},
        {"nothing > 1", OB_ERR_NOT_FOUND, "there is no parameter of this name"},
        {"99999999999999999999", OB_ERR_OVERFLOW, "does not fit 64 bits"},
        {"a / zero", OB_ERR_INVALID, "divides by 0"},
        {"a % zero", OB_ERR_INVALID, "divides by 0"},
        {"big + 1", OB_ERR_OVERFLOW, "does not fit 64 bits"},
        {"big * 2", OB_ERR_OVERFLOW, "does not fit 64 bits"},
        {"-(-big - 1)", OB_ERR_OVERFLOW, "does not fit 64 bits"},
        {"(-big - 1) / -1", OB_ERR_OVERFLOW, "does not fit 64 bits"},
        {"text == 1", OB_ERR_INVALID, "whose value is a str"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        CHECK_INT(eval(ROWS[i].text), -12345);
        CHECK_INT(err.code, ROWS[i].code);
        CHECK_HAS(err.message, ROWS[i].message);
    }
}

/* part repeated count times, then tail. */
static const char *repeat(const char *part, size_t count, const char *tail)
{
    static char text[1 << 16];
    text[0] = '\0';
    char *at = text;
    for (size_t i = 0; i < count; i++)
        at = stpcpy(at, part);
    strcpy(at, tail);
    return text;
}

static void hostile(void)
{
    CHECK_INT(eval(repeat("(", 2000, "a")), -12345);
    CHECK_INT(err.code, OB_ERR_LIMIT);
    CHECK_HAS(err.message, "too many nested parentheses");
    CHECK_INT(eval(repeat("-", 4000, "a")), 7);
    CHECK_INT(eval(repeat("not ", 1001, "a")), 0);
    CHECK_INT(eval(repeat("1+", 2000, "1")), 2001);
    CHECK_INT(eval(repeat("1<", 2000, "1")), 0);
    CHECK_INT(eval(repeat("0 or ", 800, "1")), 1);
    CHECK_INT(eval(repeat("1+(", 60, "1")), -12345);
    CHECK_INT(eval(repeat("1+", 5000, "1")), -12345);
    CHECK_HAS(err.message, "at most 4096 are read");
}

int main(void)
{
    RUN(arithmetic);
    RUN(comparisons);
    RUN(logic);
    RUN(refused);
    RUN(hostile);
    return ob_test_end();
}
