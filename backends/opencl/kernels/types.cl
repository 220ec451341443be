/* SPDX-License-Identifier: Apache-2.0
 *
 * Element types: how each dtype lies in memory and becomes a number of the compute type C. In front of
 * every other file here. f16 and bf16 are memory formats only; arithmetic is done in float.
 */
#ifdef FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define MEMORY(T) CAT(MEMORY_, T)
#define LOAD(T, p, i) ((C)CAT(LOAD_, T)(p, i))
#define STORE(T, p, i, v) CAT(STORE_, T)(p, i, v)

#define MEMORY_bool uchar
#define MEMORY_u8 uchar
#define MEMORY_i8 char
#define MEMORY_i16 short
#define MEMORY_i32 int
#define MEMORY_i64 long
#define MEMORY_f16 half
#define MEMORY_bf16 ushort
#define MEMORY_f32 float
#define MEMORY_f64 double

#define LOAD_bool(p, i) ((p)[i] != 0)
#define LOAD_u8(p, i) (p)[i]
#define LOAD_i8(p, i) (p)[i]
#define LOAD_i16(p, i) (p)[i]
#define LOAD_i32(p, i) (p)[i]
#define LOAD_i64(p, i) (p)[i]
#define LOAD_f16(p, i) vload_half((size_t)(i), p)
#define LOAD_bf16(p, i) as_float((uint)(p)[i] << 16)
#define LOAD_f32(p, i) (p)[i]
#define LOAD_f64(p, i) (p)[i]

/* To the nearest, ties to even; a NaN stays one. */
inline ushort to_bf16(float value)
{
    const uint bits = as_uint(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return (ushort)(bits >> 16 | 0x40u);
    return (ushort)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

#define STORE_bool(p, i, v) ((p)[i] = (uchar)((v) != 0))
#define STORE_u8(p, i, v) ((p)[i] = (uchar)(long)(v))
#define STORE_i8(p, i, v) ((p)[i] = (char)(long)(v))
#define STORE_i16(p, i, v) ((p)[i] = (short)(long)(v))
#define STORE_i32(p, i, v) ((p)[i] = (int)(v))
#define STORE_i64(p, i, v) ((p)[i] = (long)(v))
#define STORE_f16(p, i, v) vstore_half_rte((float)(v), (size_t)(i), p)
#define STORE_bf16(p, i, v) ((p)[i] = to_bf16((float)(v)))
#define STORE_f32(p, i, v) ((p)[i] = (float)(v))
#define STORE_f64(p, i, v) ((p)[i] = (double)(v))

/* What a kernel leaves when it meets a value that it cannot work with; opencl.h has the same struct. The first
 * one stays. */
typedef struct fault {
    int site, kind;
    long value, limit;
} fault;
#define FAULT_INDEX 1
#define FAULT_ZERO_DIVISOR 2
#define FAULT_OFFSETS 3

inline void leave_fault(volatile __global fault *to, int site, int kind, long value, long limit)
{
    if (atomic_cmpxchg(&to->site, 0, site) != 0)
        return;
    to->kind = kind;
    to->value = value;
    to->limit = limit;
}
