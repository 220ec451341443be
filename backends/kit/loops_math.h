/* SPDX-License-Identifier: Apache-2.0
 *
 * Constants and parts of the expressions of loops.def. Plain macros over T and M, so that a device's compiler
 * takes them too.
 */
#ifndef OB_KIT_LOOPS_MATH_H
#define OB_KIT_LOOPS_MATH_H

#define SQRT1_2 0.70710678118654752440
#define SQRT_1_2PI 0.39894228040143267794 /* 1 / sqrt(2 pi) */
#define SQRT_2_PI 0.79788456080286535588  /* sqrt(2 / pi) */
#define SIGMOID(v) (1 / (1 + M(exp)(-(v))))
/* log(1 + exp(v)) without overflow. */
#define SOFTPLUS(v) (((v) > 0 ? (v) : 0) + M(log1p)(M(exp)(-M(fabs)(v))))
#define MISH_SLOPE(v, t) ((t) + (v)*SIGMOID(v) * (1 - (t) * (t)))
#define CLIP6(v) ((v) < 0 ? 0 : (v) > 6 ? 6 : (v))
#define GELU_INNER(v) ((T)SQRT_2_PI * ((v) + (T)0.044715 * (v) * (v) * (v)))
#define GELU_TANH_SLOPE(v, g)                                                                      \
    ((g) + (v)*2 * (g) * (1 - (g)) * (T)SQRT_2_PI * (1 + (T)0.134145 * (v) * (v)))
/* From the nearer end, so that both ends are met exactly. */
#define LERP(a, b, w)                                                                              \
    (M(fabs)(w) < (T)0.5 ? (a) + (w) * ((b) - (a)) : (b) - ((b) - (a)) * (1 - (w)))

/* A NaN wins. Where functions can be had, loops_real_functions.h has a faster one. */
#define CLAMP(v, low, high)                                                                        \
    ((v) != (v)         ? (v)                                                                      \
     : (low) != (low)   ? (low)                                                                    \
     : (high) != (high) ? (high)                                                                   \
     : (v) < (low)      ? ((low) > (high) ? (high) : (low))                                        \
     : (v) > (high)     ? (high)                                                                   \
                        : (v))

#endif
