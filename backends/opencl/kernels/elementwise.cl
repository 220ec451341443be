/* SPDX-License-Identifier: Apache-2.0
 *
 * One elementwise operator over strided operands: out = EXPRESSION of x, y and z.
 *
 * Given by the build: EXPRESSION, as kit/loops.def has it; C, the compute type, WHOLE when it is an integer; TO,
 * TX, TY, TZ, the dtypes (without one, the operand is a number), TM of the mask; I, the type of indices;
 * OUTER, how many dimensions there are besides the innermost; SO, SX, SY, SZ, SM, the innermost strides
 * where they are 0 or 1; CHECKED when y is a whole divisor. Files of kit/ that are included are put in by embed.cmake.
 */

/* ---- what expressions call ---- */

#define T C
#define M(function) function
#define CLASS _of_c
#define LOOP_FUNCTION inline
#ifdef WHOLE
#define U CAT(u, C)
#define ZERO_DIVISOR zero /* of the loop below, which leaves a fault then */
#include "loops_integer_functions.h"
#else
#include "loops_real_functions.h"
#endif

/* ---- the loop ---- */

/* opencl_elementwise.c fills the same struct. Operands: out, x, y, z, mask. */
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
    bool zero = false;
    STORE(TO, out, io + column * SO, EXPRESSION);
#ifdef CHECKED
    if (zero)
        leave_fault(faults, site, FAULT_ZERO_DIVISOR, (long)x, 0);
#endif
}
