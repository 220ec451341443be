/* SPDX-License-Identifier: Apache-2.0
 *
 * Tells the compiler which functions of libm have vector forms in glibc's libmvec. glibc's own headers
 * do so only with -ffast-math, which would change the meaning of everything else too.
 */
#ifndef OB_NATIVE_LOOPS_LIBMVEC_H
#define OB_NATIVE_LOOPS_LIBMVEC_H

#include <math.h>

/* What glibc 2.22 has had from the start, and what 2.35 added. */
#define LIBMVEC_OLD(X) X(exp) X(log) X(sin) X(cos)
#define LIBMVEC_NEW(X)                                                                             \
    X(exp2) X(expm1) X(log2) X(log10) X(log1p) X(tan) X(atan) X(tanh) X(erf) X(erfc)
#define LIBMVEC_DECLARE(name)                                                                      \
    __attribute__((simd("notinbranch"), const)) double name(double);                               \
    __attribute__((simd("notinbranch"), const)) float name##f(float);
#define LIBMVEC_DECLARE2(name)                                                                     \
    __attribute__((simd("notinbranch"), const)) double name(double, double);                       \
    __attribute__((simd("notinbranch"), const)) float name##f(float, float);

LIBMVEC_OLD(LIBMVEC_DECLARE)
LIBMVEC_DECLARE2(pow)
#if __GLIBC_PREREQ(2, 35)
LIBMVEC_NEW(LIBMVEC_DECLARE)
LIBMVEC_DECLARE2(atan2)
#endif

#endif
