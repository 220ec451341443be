/* SPDX-License-Identifier: Apache-2.0
 *
 * What the expressions of loops.def call for T = float or double. For each type included once, with CAT, CLASS
 * and M; LOOP_FUNCTION begins a function.
 */

/* The quotient towards minus infinity, as Python's floor division: computed from the exact remainder, so
 * that it is right where x / y rounds up to a whole number. */
LOOP_FUNCTION T CAT(floor_divide, CLASS)(T x, T y)
{
    if (y == 0)
        return x / y;
    const T mod = M(fmod)(x, y);
    T quotient = (x - mod) / y;
    if (mod != 0 && (y < 0) != (mod < 0))
        quotient -= 1;
    if (quotient == 0)
        return M(copysign)((T)0, x / y);
    const T whole = M(floor)(quotient);
    return quotient - whole > (T)0.5 ? whole + 1 : whole;
}

/* Has the sign of the divisor. */
LOOP_FUNCTION T CAT(remainder_of, CLASS)(T x, T y)
{
    const T mod = M(fmod)(x, y);
    return mod != 0 && (y < 0) != (mod < 0) ? mod + y : mod;
}

/* A NaN wins. One choice after the other: of nested ones compilers make no vectors. */
LOOP_FUNCTION T CAT(clamp_to, CLASS)(T x, T low, T high)
{
    T kept = x < low ? low : x;
    kept = kept > high ? high : kept;
    kept = low != low ? low : kept;
    return high != high ? high : kept;
}

#ifndef FLOOR_DIV
#undef CLAMP
#define CLAMP(x, low, high) CAT(clamp_to, CLASS)(x, low, high)
#define FLOOR_DIV(x, y) CAT(floor_divide, CLASS)(x, y)
#define REMAINDER(x, y) CAT(remainder_of, CLASS)(x, y)
#endif
