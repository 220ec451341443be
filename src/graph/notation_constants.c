/* SPDX-License-Identifier: Apache-2.0
 *
 * Arithmetic and comparisons on constants, as Python does them: true division gives a real, // and
 * % round towards minus infinity. Whole numbers that overflow are an error.
 */
#include "graph/notation.h"

#include <math.h>
#include <string.h>

static bool as_int(const ob_value *value, int64_t *out)
{
    if (value->kind != OB_VALUE_INT && value->kind != OB_VALUE_BOOL)
        return false;
    *out = value->kind == OB_VALUE_BOOL ? value->as.boolean : value->as.integer;
    return true;
}

static bool as_real(const ob_value *value, double *out)
{
    int64_t integer;
    if (as_int(value, &integer)) {
        *out = (double)integer;
        return true;
    }
    *out = value->kind == OB_VALUE_DOUBLE ? value->as.real : 0.0;
    return value->kind == OB_VALUE_DOUBLE;
}

bool ob__constant_truth(const ob_value *value)
{
    double number;
    if (as_real(value, &number))
        return number != 0.0;
    if (ob_value_is_list(value))
        return value->as.list.count > 0;
    if (value->kind == OB_VALUE_STR)
        return value->as.str.length > 0;
    return value->kind != OB_VALUE_NONE;
}

/* As Python has it: 1 == 1.0 == True; lists item by item. */
static bool are_equal(const ob_value *a, const ob_value *b)
{
    int64_t i, j;
    double x, y;
    if (as_int(a, &i) && as_int(b, &j))
        return i == j;
    if (as_real(a, &x) && as_real(b, &y))
        return x == y;
    if (ob_value_is_list(a) && ob_value_is_list(b)) {
        bool equal = a->as.list.count == b->as.list.count;
        for (size_t k = 0; equal && k < a->as.list.count; k++)
            equal = are_equal(&a->as.list.items[k], &b->as.list.items[k]);
        return equal;
    }
    return ob_value_equal(a, b);
}

static ob_status fail_overflow(ob_err *err)
{
    return ob_err_set(err, OB_ERR_OVERFLOW, "the result does not fit 64 bits; use smaller numbers");
}

static ob_status int_binary(ob__token_kind op, int64_t a, int64_t b, ob_value *out, ob_err *err)
{
    int64_t result = 0;
    bool overflow = false;
    switch (op) {
    case OB__TOKEN_PLUS:
        overflow = __builtin_add_overflow(a, b, &result);
        break;
    case OB__TOKEN_MINUS:
        overflow = __builtin_sub_overflow(a, b, &result);
        break;
    case OB__TOKEN_STAR:
        overflow = __builtin_mul_overflow(a, b, &result);
        break;
    case OB__TOKEN_SLASH:
        *out = ob_value_double((double)a / (double)b);
        return OB_OK;
    default:           /* // and %: the remainder has the divisor's sign */
        if (b == -1) { /* INT64_MIN / -1 does not fit, INT64_MIN % -1 traps */
            overflow = op == OB__TOKEN_FLOORDIV && __builtin_sub_overflow(0, a, &result);
            break;
        }
        result = op == OB__TOKEN_FLOORDIV ? a / b : a % b;
        if (a % b != 0 && (a % b < 0) != (b < 0))
            result += op == OB__TOKEN_FLOORDIV ? -1 : b;
        break;
    }
    if (overflow)
        return fail_overflow(err);
    *out = ob_value_int(result);
    return OB_OK;
}

static double real_binary(ob__token_kind op, double a, double b)
{
    switch (op) {
    case OB__TOKEN_PLUS:
        return a + b;
    case OB__TOKEN_MINUS:
        return a - b;
    case OB__TOKEN_STAR:
        return a * b;
    case OB__TOKEN_SLASH:
        return a / b;
    case OB__TOKEN_FLOORDIV:
        return floor(a / b);
    default:
        return a - b * floor(a / b);
    }
}

static bool compare(ob__token_kind op, int order)
{
    switch (op) {
    case OB__TOKEN_LT:
        return order < 0;
    case OB__TOKEN_LE:
        return order <= 0;
    case OB__TOKEN_GT:
        return order > 0;
    default:
        return order >= 0;
    }
}

ob_status ob__constant_binary(ob__token_kind op, const ob_value *a, const ob_value *b,
                              ob_value *out, ob_err *err)
{
    int64_t i = 0, j = 0;
    double x = 0, y = 0;
    if (op == OB__TOKEN_EQ || op == OB__TOKEN_NE) {
        *out = ob_value_bool(are_equal(a, b) == (op == OB__TOKEN_EQ));
        return OB_OK;
    }
    if (!as_real(a, &x) || !as_real(b, &y))
        return ob_err_set(err, OB_ERR_INVALID, "'%s' needs two numbers, not %s and %s",
                          ob__token_name(op), ob_value_kind_name(a->kind),
                          ob_value_kind_name(b->kind));
    const bool whole = as_int(a, &i) && as_int(b, &j);
    if (op == OB__TOKEN_LT || op == OB__TOKEN_LE || op == OB__TOKEN_GT || op == OB__TOKEN_GE) {
        const int order = whole ? (i > j) - (i < j) : (x > y) - (x < y);
        *out = ob_value_bool((whole || !(isnan(x) || isnan(y))) && compare(op, order));
        return OB_OK;
    }
    const bool divides =
        op == OB__TOKEN_SLASH || op == OB__TOKEN_FLOORDIV || op == OB__TOKEN_PERCENT;
    if (divides && y == 0.0)
        return ob_err_set(err, OB_ERR_INVALID, "division by zero");
    if (whole)
        return int_binary(op, i, j, out, err);
    *out = ob_value_double(real_binary(op, x, y));
    return OB_OK;
}

ob_status ob__constant_negate(const ob_value *a, ob_value *out, ob_err *err)
{
    int64_t i;
    if (as_int(a, &i)) {
        if (i == INT64_MIN)
            return fail_overflow(err);
        *out = ob_value_int(-i);
        return OB_OK;
    }
    if (a->kind != OB_VALUE_DOUBLE)
        return ob_err_set(err, OB_ERR_INVALID, "'-' needs a number, not %s",
                          ob_value_kind_name(a->kind));
    *out = ob_value_double(-a->as.real);
    return OB_OK;
}
