/* SPDX-License-Identifier: Apache-2.0
 *
 * One elementwise operator over strided operands: out = EXPRESSION of x, y and z.
 *
 * Given by the build: EXPRESSION, as plan/loops.def has it; C, the compute type, WHOLE when it is an integer; TO,
 * TX, TY, TZ, the dtypes (without one, the operand is a number), TM of the mask; I, the type of indices;
 * OUTER, how many dimensions there are besides the innermost; SO, SX, SY, SZ, SM, the innermost strides
 * where they are 0 or 1; CHECKED when y is a whole divisor.
 */

/* ---- what expressions call ---- */

#define T C
#define M(function) function

#ifdef WHOLE
/* Integers wrap, as PyTorch's do. A zero divisor leaves a fault and gives 0. */
#define U CAT(u, C)
#define INT_TRUNC_DIV(x, y) truncate_divide(x, y)
#define INT_FMOD(x, y) truncate_modulo(x, y)
#define INT_FLOOR_DIV(x, y) floor_divide(x, y)
#define INT_REMAINDER(x, y) floor_modulo(x, y)
#define INT_POW(x, y) power(x, y)

/* The smallest number has no opposite. */
inline C truncate_divide(C x, C y)
{
    return y == 0 ? 0 : y == -1 ? (C)((U)0 - (U)x) : x / y;
}
inline C truncate_modulo(C x, C y)
{
    return y == 0 || y == -1 ? 0 : x % y;
}
inline C floor_divide(C x, C y)
{
    const C rest = truncate_modulo(x, y);
    return truncate_divide(x, y) - (rest != 0 && (rest < 0) != (y < 0) ? 1 : 0);
}
inline C floor_modulo(C x, C y)
{
    const C rest = truncate_modulo(x, y);
    return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}
/* Negative exponents give what is left of the fraction. */
inline C power(C x, C y)
{
    if (y < 0)
        return x == 1 ? 1 : x == -1 ? ((y & 1) != 0 ? -1 : 1) : 0;
    U result = 1, base = (U)x;
    for (U rest = (U)y; rest != 0; rest >>= 1, base *= base)
        result = (rest & 1) != 0 ? result * base : result;
    return (C)result;
}

#else
#define FLOOR_DIV(x, y) floor_divide(x, y)
#define REMAINDER(x, y) remainder_of(x, y)

/* The quotient towards minus infinity: from the exact remainder, so that it is right where x / y rounds up
 * to a whole number. */
inline C floor_divide(C x, C y)
{
    if (y == 0)
        return x / y;
    const C mod = fmod(x, y);
    C quotient = (x - mod) / y;
    if (mod != 0 && (y < 0) != (mod < 0))
        quotient -= 1;
    if (quotient == 0)
        return copysign((C)0, x / y);
    const C whole = floor(quotient);
    return quotient - whole > (C)0.5 ? whole + 1 : whole;
}
/* Has the sign of the divisor. */
inline C remainder_of(C x, C y)
{
    const C mod = fmod(x, y);
    return mod != 0 && (y < 0) != (mod < 0) ? mod + y : mod;
}
#endif

/* ---- the loop ---- */

/* elementwise.c fills the same struct. Operands: out, x, y, z, mask. */
typedef struct layout {
    long columns;
    long offset[5];
    long inner[5];
    long size[15];
    long outer[5][15];
} layout;

typedef struct numbers {
    C operand[3];
    C s[4];
} numbers;

#ifndef SO
#define SO (I)l.inner[0]
#endif
#ifndef SX
#define SX (I)l.inner[1]
#endif
#ifndef SY
#define SY (I)l.inner[2]
#endif
#ifndef SZ
#define SZ (I)l.inner[3]
#endif
#ifndef SM
#define SM (I)l.inner[4]
#endif

__kernel void apply(__global MEMORY(TO) *out
#ifdef TX
                    , __global const MEMORY(TX) *px
#endif
#ifdef TY
                    , __global const MEMORY(TY) *py
#endif
#ifdef TZ
                    , __global const MEMORY(TZ) *pz
#endif
#ifdef TM
                    , __global const uchar *pm
#endif
                    , layout l, numbers n
#ifdef CHECKED
                    , volatile __global fault *faults, int site
#endif
)
{
    const I column = (I)get_global_id(0);
    if (column >= (I)l.columns)
        return;
    I rest = (I)get_global_id(1), io = (I)l.offset[0], ix = (I)l.offset[1], iy = (I)l.offset[2],
      iz = (I)l.offset[3], im = (I)l.offset[4];
#pragma unroll
    for (int d = OUTER - 1; d >= 0; d--) {
        const I at = d == 0 ? rest : rest % (I)l.size[d];
        rest = d == 0 ? 0 : rest / (I)l.size[d];
        io += at * (I)l.outer[0][d];
        ix += at * (I)l.outer[1][d];
        iy += at * (I)l.outer[2][d];
        iz += at * (I)l.outer[3][d];
        im += at * (I)l.outer[4][d];
    }
#ifdef TX
    const C x = LOAD(TX, px, ix + column * SX);
#else
    const C x = n.operand[0];
#endif
#ifdef TY
    const C y = LOAD(TY, py, iy + column * SY);
#else
    const C y = n.operand[1];
#endif
#ifdef TZ
    const C z = LOAD(TZ, pz, iz + column * SZ);
#else
    const C z = n.operand[2];
#endif
#ifdef TM
    const bool m = pm[im + column * SM] != 0;
#endif
    const C s0 = n.s[0], s1 = n.s[1], s2 = n.s[2], s3 = n.s[3];
#ifdef CHECKED
    if (y == 0)
        leave_fault(faults, site, FAULT_ZERO_DIVISOR, (long)x, 0);
#endif
    STORE(TO, out, io + column * SO, EXPRESSION);
}
