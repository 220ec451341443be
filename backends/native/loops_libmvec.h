/* SPDX-License-Identifier: Apache-2.0
 *
 * Tells the compiler which functions of libm have vector forms in glibc's libmvec. glibc's own headers
 * do so only with -ffast-math, which would change the meaning of everything else too.
 */
#ifndef OB_NATIVE_LOOPS_LIBMVEC_H
#define OB_NATIVE_LOOPS_LIBMVEC_H

#include <math.h>

#define LIBMVEC_FIRST(X) X(exp) X(log) X(sin) X(cos)
#define LIBMVEC_LATER(X)                                                                           \
    X(exp2) X(expm1) X(log2) X(log10) X(log1p) X(tan) X(atan) X(tanh) X(erf) X(erfc)
#define LIBMVEC_DECLARE(name)                                                                      \
    LIBMVEC_SIMD(2) double name(double);                                                           \
    LIBMVEC_SIMD(4) float name##f(float);
#define LIBMVEC_DECLARE2(name)                                                                     \
    LIBMVEC_SIMD(2) double name(double, double);                                                   \
    LIBMVEC_SIMD(4) float name##f(float, float);

#if defined(__x86_64__)
#define LIBMVEC_SIMD(lanes) __attribute__((simd("notinbranch"), const)) /* of every length */
#if __GLIBC_PREREQ(2, 22)
#define LIBMVEC_HAS_FIRST
#endif
#if __GLIBC_PREREQ(2, 35)
#define LIBMVEC_HAS_LATER
#endif
#elif defined(__aarch64__) && __GLIBC_PREREQ(2, 40)
/* Whole vectors of NEON only: 2.38 has the first four of these, 2.40 all, none of them for half a vector. */
#define LIBMVEC_PRAGMA(text) _Pragma(#text)
#define LIBMVEC_SIMD(lanes)                                                                        \
    LIBMVEC_PRAGMA(omp declare simd simdlen(lanes) notinbranch) __attribute__((const))
#define LIBMVEC_HAS_FIRST
#define LIBMVEC_HAS_LATER
#endif

#if defined(LIBMVEC_HAS_FIRST)
LIBMVEC_FIRST(LIBMVEC_DECLARE)
LIBMVEC_DECLARE2(pow)
#endif
#if defined(LIBMVEC_HAS_LATER)
LIBMVEC_LATER(LIBMVEC_DECLARE)
LIBMVEC_DECLARE2(atan2)
#endif

#endif
