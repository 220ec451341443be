/* SPDX-License-Identifier: Apache-2.0
 *
 * Inner loops, compiled once per instruction set (NATIVE_ISA). Everything here is a plain loop over
 * dense arrays that the compiler vectorises. Functions of libm become calls of libmvec where the compiler
 * knows how; its results are within 4 ulp.
 */
#include "loops.h"

#include "kit/loops_math.h"
#include "vectors.h"

#include <math.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#if defined(__GNUC__) && !defined(__clang__)
#define LOOP_PRAGMA _Pragma("GCC ivdep")
#else
#define LOOP_PRAGMA _Pragma("clang loop vectorize(assume_safety)")
#endif

#define LOOP_FUNCTION static inline
#define ZERO_DIVISOR args->zero_divisor
#define CAT_(a, b) a##_##b
#define CAT(a, b) CAT_(a, b)

#if defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#include "loops_libmvec.h"
#endif

/* ---- elementwise ---- */

#define SCALARS_REAL()                                                                             \
    const T s0 = (T)args->real[0], s1 = (T)args->real[1], s2 = (T)args->real[2],                   \
            s3 = (T)args->real[3]
#define SCALARS_INTEGER()                                                                          \
    const T s0 = (T)args->integer[0], s1 = (T)args->integer[1], s2 = (T)args->integer[2],          \
            s3 = (T)args->integer[3]
#define DEFINE_LOOP(name, scalars, declare, to, expression)                                        \
    static void CAT(name, CLASS)(native_loop_args * args)                                          \
    {                                                                                              \
        scalars();                                                                                 \
        (void)s0, (void)s1, (void)s2, (void)s3;                                                    \
        to *out = args->out;                                                                       \
        const int64_t count = args->count;                                                         \
        const T *a = args->in[0];                                                                  \
        declare(LOAD_ARRAY) LOOP_PRAGMA for (int64_t i = 0; i < count; i++)                        \
        {                                                                                          \
            const T x = a[i];                                                                      \
            declare(LOAD_ELEMENT) out[i] = (to)(expression);                                       \
        }                                                                                          \
    }
#define LOAD_ARRAY(type, array, element, index) const type *array = args->in[index];
#define LOAD_ELEMENT(type, array, element, index) const type element = array[i];
#define OPERANDS_1(load)
#define OPERANDS_2(load) load(T, b, y, 1)
#define OPERANDS_3(load) load(T, b, y, 1) load(T, c, z, 2)
#define OPERANDS_1M(load) load(uint8_t, d, m, 1)
#define OPERANDS_2M(load) load(T, b, y, 1) load(uint8_t, d, m, 2)

#define DEFINE_LOOP1(name, scalars, e) DEFINE_LOOP(name, scalars, OPERANDS_1, T, e)
#define DEFINE_LOOP2(name, scalars, e) DEFINE_LOOP(name, scalars, OPERANDS_2, T, e)
#define DEFINE_LOOP3(name, scalars, e) DEFINE_LOOP(name, scalars, OPERANDS_3, T, e)
#define DEFINE_TEST1(name, scalars, e) DEFINE_LOOP(name, scalars, OPERANDS_1, uint8_t, e)
#define DEFINE_TEST2(name, scalars, e) DEFINE_LOOP(name, scalars, OPERANDS_2, uint8_t, e)
#define DEFINE_MASK1(name, scalars, e) DEFINE_LOOP(name, scalars, OPERANDS_1M, T, e)
#define DEFINE_MASK2(name, scalars, e) DEFINE_LOOP(name, scalars, OPERANDS_2M, T, e)

/* Sums in double, as many at a time as a vector has. */
enum { SUMS = VECTOR_BYTES / 8 };
typedef double vector_sums __attribute__((vector_size(VECTOR_BYTES)));
typedef int64_t vector_bits __attribute__((vector_size(VECTOR_BYTES)));

static inline vector_sums load_doubles(const double *from)
{
    vector_sums v;
    memcpy(&v, from, sizeof v);
    return v;
}

/* One instruction, which compilers do not find. */
static inline vector_sums load_floats(const float *from)
{
#if defined(__AVX512F__)
    return (vector_sums)_mm512_cvtps_pd(_mm256_loadu_ps(from));
#elif defined(__AVX2__)
    return (vector_sums)_mm256_cvtps_pd(_mm_loadu_ps(from));
#elif defined(__x86_64__)
    return (vector_sums)_mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64((const void *)from)));
#elif defined(__aarch64__)
    return (vector_sums)vcvt_f64_f32(vld1_f32(from));
#else
    typedef float floats __attribute__((vector_size(VECTOR_BYTES / 2)));
    floats v;
    memcpy(&v, from, sizeof v);
    return __builtin_convertvector(v, vector_sums);
#endif
}

#define LOAD_VECTOR(from)                                                                          \
    _Generic((from), const float * : load_floats, const double * : load_doubles)(from)

#define T float
#define M(name) name##f
#define CLASS f32
#include "loops_real.h"
#undef T
#undef M
#undef CLASS

#define T double
#define M(name) name
#define CLASS f64
#include "loops_real.h"
#undef T
#undef M
#undef CLASS

#define T int32_t
#define U uint32_t
#define CLASS i32
#include "loops_integer.h"
#undef T
#undef U
#undef CLASS

#define T int64_t
#define U uint64_t
#define CLASS i64
#include "loops_integer.h"
#undef T
#undef U
#undef CLASS

#include "loops_convert.h"
#include "loops_random.h"

#define DEFINE_ADD_SCALED(name, type)                                                              \
    static void name(type *to, const type *const *in, const type *factors, int64_t count)          \
    {                                                                                              \
        const type *a = in[0], *b = in[1], *c = in[2], *d = in[3];                                 \
        const type p = factors[0], q = factors[1], r = factors[2], s = factors[3];                 \
        LOOP_PRAGMA for (int64_t i = 0; i < count; i++) to[i] +=                                   \
            a[i] * p + b[i] * q + c[i] * r + d[i] * s;                                             \
    }
DEFINE_ADD_SCALED(add_scaled_i64, uint64_t)
DEFINE_ADD_SCALED(add_scaled_i32, uint32_t)

/* ---- the table ---- */

#define PICK_BOTH(f32, f64, i32, i64) f32, f64, i32, i64
#define PICK_FLOAT(f32, f64, i32, i64) f32, f64, NULL, NULL
#define PICK_INT(f32, f64, i32, i64) NULL, NULL, i32, i64
#define REDUCE(name)                                                                               \
    [NATIVE_REDUCE_##name] = {reduce_##name##_f32, reduce_##name##_f64, reduce_##name##_i32,       \
                              reduce_##name##_i64}
#define STRING_(text) #text
#define STRING(text) STRING_(text)

const native_loops CAT(native_loops, NATIVE_ISA);
const native_loops CAT(native_loops, NATIVE_ISA) = {
    .isa = STRING(NATIVE_ISA),
    .set = CAT(NATIVE_SET, NATIVE_ISA),
    .loop =
        {
#define OB_KIT_LOOP(name, kind, types, real, integer)                                              \
    [OB_KIT_LOOP_##name] = {                                                                       \
        PICK_##types(loop_##name##_f32, loop_##name##_f64, loop_##name##_i32, loop_##name##_i64)},
#include "kit/loops.def"
#undef OB_KIT_LOOP
        },
    .reduce = {REDUCE(sum), REDUCE(sum_abs), REDUCE(sum_squares), REDUCE(prod), REDUCE(max),
               REDUCE(min)},
    .add_scaled_i64 = add_scaled_i64,
    .add_scaled_i32 = add_scaled_i32,
    .random_words = random_words,
    .random_mask = random_mask,
    .random_doubles = random_doubles,
    .random_normals = random_normals,
    .add_rows = {add_rows_f32, add_rows_f64, add_rows_i32, add_rows_i64},
#define CONVERT_ROW(id, short, type, read, write)                                                  \
    [OB_DTYPE_##                                                                                   \
        id] = {load_##short##_f32, load_##short##_f64, load_##short##_i32, load_##short##_i64},
    .load = {CONVERT_DTYPES(CONVERT_ROW)},
#undef CONVERT_ROW
#define CONVERT_ROW(id, short, type, read, write)                                                  \
    [OB_DTYPE_##id] = {store_##short##_f32, store_##short##_f64, store_##short##_i32,              \
                       store_##short##_i64},
    .store = {CONVERT_DTYPES(CONVERT_ROW)},
#undef CONVERT_ROW
};
