/* SPDX-License-Identifier: Apache-2.0
 *
 * The frame around every elementwise expression. The head that comes before it says
 *   T, CLASS (and M(f) for float and double, U for integers)   what is computed in
 *   EXPRESSION                                                 of x, y, z, the mask m and the numbers s0 to s3
 *   REAL                                                       1 for float and double
 *   LOAD_X(i), LOAD_Y(i), LOAD_Z(i), LOAD_MASK(i)              those that the expression has
 *   STORE(i, v)
 * One thread computes every (threads of the grid)-th element. Not more is asked of the compiler than any C++
 * compiler has, so that tests can run the same source on a CPU.
 */

/* The same as cuda_args in cuda_elementwise.c. */
struct ob_args {
    long long count;
    long long ndim;
    long long sizes[16];
    long long strides[5][16]; /* in elements: of the result, x, y, z, the mask */
    void *out;
    const void *in[4]; /* x, y, z, the mask */
    double real[4];
    long long integer[4];
    double number_real[3]; /* operands that are plain numbers */
    long long number_integer[3];
    int *fault;
};

#define CAT_(a, b) a##_##b
#define CAT(a, b) CAT_(a, b)
#define LOOP_FUNCTION static __device__ inline

/* ---- halves ---- */

static __device__ inline unsigned bits_of(float value)
{
    union {
        float real;
        unsigned bits;
    } both;
    both.real = value;
    return both.bits;
}

static __device__ inline float float_of(unsigned bits)
{
    union {
        float real;
        unsigned bits;
    } both;
    both.bits = bits;
    return both.real;
}

static __device__ inline float from_bf16(unsigned short half)
{
    return float_of((unsigned)half << 16);
}

/* To the nearest, ties to even; a NaN stays one. */
static __device__ inline unsigned short to_bf16(float value)
{
    const unsigned bits = bits_of(value);
    if (value != value)
        return (unsigned short)(bits >> 16 | 0x40);
    return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static __device__ inline float from_f16(unsigned short half)
{
#ifdef __CUDA_ARCH__
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half));
    return value;
#else
    const unsigned sign = (unsigned)(half & 0x8000) << 16, rest = half & 0x7fff;
    if (rest >= 0x7c00)
        return float_of(sign | 0x7f800000 | (rest & 0x3ff) << 13);
    /* 2^112 puts the exponent right, for the smallest numbers too. */
    return float_of(sign | bits_of(float_of(rest << 13) * float_of(0x77800000)));
#endif
}

static __device__ inline unsigned short to_f16(float value)
{
#ifdef __CUDA_ARCH__
    unsigned short half;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(value));
    return half;
#else
    const unsigned bits = bits_of(value), sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
    if (rest > 0x7f800000)
        return (unsigned short)(sign | 0x7e00);
    if (rest >= 0x477ff000)
        return (unsigned short)(sign | 0x7c00);
    if (rest < 0x38800000) /* adding 0.5 lets the addition round where the last bit is */
        return (unsigned short)(sign | (bits_of(float_of(rest) + 0.5f) - 0x3f000000));
    return (unsigned short)(sign | (rest - 0x38000000 + 0xfff + (rest >> 13 & 1)) >> 13);
#endif
}

/* ---- elements ---- */

#define LOAD_f16(p, i) ((T)from_f16(((const unsigned short *)(p))[i]))
#define LOAD_bf16(p, i) ((T)from_bf16(((const unsigned short *)(p))[i]))
#define LOAD_f32(p, i) ((T)((const float *)(p))[i])
#define LOAD_f64(p, i) ((T)((const double *)(p))[i])
#define LOAD_u8(p, i) ((T)((const unsigned char *)(p))[i])
#define LOAD_i8(p, i) ((T)((const signed char *)(p))[i])
#define LOAD_i16(p, i) ((T)((const short *)(p))[i])
#define LOAD_i32(p, i) ((T)((const int *)(p))[i])
#define LOAD_i64(p, i) ((T)((const long long *)(p))[i])
#define LOAD_bool(p, i) ((T)(((const unsigned char *)(p))[i] != 0))

#define STORE_f16(p, i, v) (((unsigned short *)(p))[i] = to_f16((float)(v)))
#define STORE_bf16(p, i, v) (((unsigned short *)(p))[i] = to_bf16((float)(v)))
#define STORE_f32(p, i, v) (((float *)(p))[i] = (float)(v))
#define STORE_f64(p, i, v) (((double *)(p))[i] = (double)(v))
#define STORE_u8(p, i, v) (((unsigned char *)(p))[i] = (unsigned char)(v))
#define STORE_i8(p, i, v) (((signed char *)(p))[i] = (signed char)(v))
#define STORE_i16(p, i, v) (((short *)(p))[i] = (short)(v))
#define STORE_i32(p, i, v) (((int *)(p))[i] = (int)(v))
#define STORE_i64(p, i, v) (((long long *)(p))[i] = (long long)(v))
#define STORE_bool(p, i, v) (((unsigned char *)(p))[i] = (v) != 0)

#if REAL
#include "loops_real_functions.h"
#define NUMBER(k) ((T)a.number_real[k])
#define SCALAR(k) ((T)a.real[k])
#else
#define ZERO_DIVISOR zero
#include "loops_integer_functions.h"
#define NUMBER(k) ((T)a.number_integer[k])
#define SCALAR(k) ((T)a.integer[k])
#endif

/* ---- the kernel ---- */

extern "C" __global__ void ob_kernel(const ob_args a)
{
    const T s0 = SCALAR(0), s1 = SCALAR(1), s2 = SCALAR(2), s3 = SCALAR(3);
    const long long step = (long long)gridDim.x * blockDim.x;
    bool zero = false;
    (void)s0, (void)s1, (void)s2, (void)s3;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < a.count; i += step) {
        long long at[5] = {0, 0, 0, 0, 0}, rest = i;
        for (int d = (int)a.ndim - 1; d >= 0; d--) {
            const long long next = d > 0 ? rest / a.sizes[d] : 0, place = rest - next * a.sizes[d];
            for (int k = 0; k < 5; k++)
                at[k] += place * a.strides[k][d];
            rest = next;
        }
#ifdef LOAD_X
        const T x = LOAD_X(at[1]);
#endif
#ifdef LOAD_Y
        const T y = LOAD_Y(at[2]);
#endif
#ifdef LOAD_Z
        const T z = LOAD_Z(at[3]);
#endif
#ifdef LOAD_MASK
        const bool m = ((const unsigned char *)a.in[3])[at[4]] != 0;
#endif
        STORE(at[0], (EXPRESSION));
    }
    if (zero)
        *a.fault = 1;
}
