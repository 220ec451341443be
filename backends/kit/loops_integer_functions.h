/* SPDX-License-Identifier: Apache-2.0
 *
 * What the expressions of loops.def call for integers T and their unsigned kin U. Arithmetic wraps, as PyTorch's
 * does. A zero divisor is told by ZERO_DIVISOR, a place for a bool, and gives 0. For each type included once,
 * with CAT and CLASS; LOOP_FUNCTION begins a function.
 */

LOOP_FUNCTION T CAT(truncate_divide, CLASS)(T x, T y, bool *zero)
{
    if (y == 0) {
        *zero = true;
        return 0;
    }
    return y == -1 ? (T)(0u - (U)x) : (T)(x / y); /* the smallest number has no opposite */
}

LOOP_FUNCTION T CAT(truncate_modulo, CLASS)(T x, T y, bool *zero)
{
    if (y == 0) {
        *zero = true;
        return 0;
    }
    return y == -1 ? 0 : (T)(x % y);
}

LOOP_FUNCTION T CAT(floor_divide, CLASS)(T x, T y, bool *zero)
{
    const T quotient = CAT(truncate_divide, CLASS)(x, y, zero);
    const T rest = CAT(truncate_modulo, CLASS)(x, y, zero);
    return rest != 0 && (rest < 0) != (y < 0) ? quotient - 1 : quotient;
}

LOOP_FUNCTION T CAT(floor_modulo, CLASS)(T x, T y, bool *zero)
{
    const T rest = CAT(truncate_modulo, CLASS)(x, y, zero);
    return rest != 0 && (rest < 0) != (y < 0) ? (T)(rest + y) : rest;
}

/* Negative exponents give what is left of the fraction: 1 for 1, 1 or -1 for -1, else 0. */
LOOP_FUNCTION T CAT(power, CLASS)(T x, T y)
{
    if (y < 0)
        return x == 1 ? 1 : x == -1 ? ((y & 1) != 0 ? -1 : 1) : 0;
    U result = 1, base = (U)x;
    for (U rest = (U)y; rest != 0; rest >>= 1, base *= base) {
        if ((rest & 1) != 0)
            result *= base;
    }
    return (T)result;
}

#ifndef INT_FLOOR_DIV
#define INT_FLOOR_DIV(x, y) CAT(floor_divide, CLASS)(x, y, &ZERO_DIVISOR)
#define INT_TRUNC_DIV(x, y) CAT(truncate_divide, CLASS)(x, y, &ZERO_DIVISOR)
#define INT_REMAINDER(x, y) CAT(floor_modulo, CLASS)(x, y, &ZERO_DIVISOR)
#define INT_FMOD(x, y) CAT(truncate_modulo, CLASS)(x, y, &ZERO_DIVISOR)
#define INT_POW(x, y) CAT(power, CLASS)(x, y)
#endif
