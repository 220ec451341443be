/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops over rows, compiled once per instruction set (NATIVE_ISA).
 */
#include "native_rows.h"

#include "vectors.h"

#include <math.h>
#include <string.h>

#if defined(__GNUC__) && !defined(__clang__)
#define LOOP_PRAGMA _Pragma("GCC ivdep")
#else
#define LOOP_PRAGMA _Pragma("clang loop vectorize(assume_safety)")
#endif

#if defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#include "loops_libmvec.h"
#endif

#define CAT_(a, b) a##_##b
#define CAT(a, b) CAT_(a, b)

/* Numbers side by side are in as many vectors as the set needs for them; longer vectors than it has, and arrays of numbers,
 * would go through memory at every step. */
#define ACROSS ((int)(VECTOR_BYTES / sizeof(T)))
#define PIECES (LANES / ACROSS)

/* Elements that are summed in the row's own type before double takes over. */
enum { BLOCK = 512 };

#define T float
#define CLASS f32
#define LANES 16
#define BITS int32_t
#define M(function) function##f
#include "rows_real.h"
#undef T
#undef CLASS
#undef LANES
#undef BITS
#undef M

#define T double
#define CLASS f64
#define LANES 8
#define BITS int64_t
#define M(function) function
#include "rows_real.h"

extern const native_rows *const CAT(native_rows, NATIVE_ISA)[2];
const native_rows *const CAT(native_rows, NATIVE_ISA)[2] = {&rows_f32, &rows_f64};
