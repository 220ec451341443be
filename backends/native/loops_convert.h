/* SPDX-License-Identifier: Apache-2.0
 *
 * Conversions between every real dtype and the four types of arithmetic, dense or strided; included
 * by loops.c. Halves are converted with integer operations and selections only, so that the loops vectorise
 * on every instruction set, but where all processors have instructions for them; rounding is to nearest even.
 */

typedef uint16_t half_bits;
typedef uint16_t bfloat_bits;

static inline uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#if defined(__aarch64__)
static inline float read_f16(half_bits half)
{
    __fp16 value;
    memcpy(&value, &half, sizeof value);
    return (float)value;
}
#else
/* The exponent's bias is corrected by a multiplication, which makes subnormal numbers normal too. */
static inline float read_f16(half_bits half)
{
    const uint32_t magnitude = half & 0x7fffu, sign = (half & 0x8000u) << 16;
    const float scaled = float_of(magnitude << 13) * 0x1p112f;
    const uint32_t special = magnitude >= 0x7c00u ? 0x7f800000u : 0;
    return float_of(bits_of(scaled) | special | sign);
}
#endif

/* Adding a number 2^13 times as large as the value's leading bit leaves its first 11 bits, rounded, at the low
 * end of the sum. */
static inline half_bits write_f16(float value)
{
    const uint32_t bits = bits_of(value), sign = (bits >> 16) & 0x8000u;
    const uint32_t magnitude = bits & 0x7fffffffu;
    const uint32_t capped = magnitude < 0x47800000u ? magnitude : 0x47800000u; /* 65536 */
    const uint32_t exponent = capped & 0x7f800000u;
    const uint32_t leading = exponent > 0x38800000u ? exponent : 0x38800000u; /* 2^-14 */
    const uint32_t large = leading + (13u << 23);
    const uint32_t rounded = bits_of(float_of(capped) + float_of(large)) - large;
    const uint32_t finite = (((leading >> 23) - 113u) << 10) + rounded;
    const uint32_t limited = finite < 0x7c00u ? finite : 0x7c00u;
    const uint32_t result = magnitude > 0x7f800000u ? 0x7e00u : limited;
    return (half_bits)(sign | result);
}

static inline float read_bf16(bfloat_bits value)
{
    return float_of((uint32_t)value << 16);
}

static inline bfloat_bits write_bf16(float value)
{
    const uint32_t bits = bits_of(value);
    const uint32_t rounded = bits + 0x7fffu + ((bits >> 16) & 1u);
    const bool nan = (bits & 0x7fffffffu) > 0x7f800000u; /* rounding could make it infinite */
    return (bfloat_bits)((nan ? bits | 0x400000u : rounded) >> 16);
}

/* Reals outside the range of int64_t become its nearest end, and NaN 0: C leaves them undefined. */
static inline int64_t whole(double value)
{
    const double high = value < 0x1p63 ? value : 0x1.fffffffffffffp62;
    const double low = high > -0x1p63 ? high : -0x1p63;
    return (int64_t)(value == value ? low : 0);
}

#define READ(value) (value)
#define TO_F32(type, value) ((float)(value))
#define TO_F64(type, value) ((double)(value))
#define WHOLE(value)                                                                               \
    _Generic((value), float                                                                        \
             : whole((double)(value)), double                                                      \
             : whole((double)(value)), default                                                     \
             : (int64_t)(value))
#define WRITE_BOOL(value) ((uint8_t)((value) != 0))
#define WRITE_INT(type, value) ((type)WHOLE(value))
#define WRITE_U8(value) WRITE_INT(uint8_t, value)
#define WRITE_I8(value) WRITE_INT(int8_t, value)
#define WRITE_I16(value) WRITE_INT(int16_t, value)
#define WRITE_I32(value) WRITE_INT(int32_t, value)
#define WRITE_I64(value) WRITE_INT(int64_t, value)
#define WRITE_F16(value) write_f16((float)(value))
#define WRITE_BF16(value) write_bf16((float)(value))
#define WRITE_F32(value) ((float)(value))
#define WRITE_F64(value) ((double)(value))
#define READ_BOOL(value) ((value) != 0)

/* dtype, word in function names, type in memory, reader, writer */
#define CONVERT_DTYPES(X)                                                                          \
    X(BOOL, bool, uint8_t, READ_BOOL, WRITE_BOOL)                                                  \
    X(U8, u8, uint8_t, READ, WRITE_U8)                                                             \
    X(I8, i8, int8_t, READ, WRITE_I8)                                                              \
    X(I16, i16, int16_t, READ, WRITE_I16)                                                          \
    X(I32, i32, int32_t, READ, WRITE_I32)                                                          \
    X(I64, i64, int64_t, READ, WRITE_I64)                                                          \
    X(F16, f16, half_bits, read_f16, WRITE_F16)                                                    \
    X(BF16, bf16, bfloat_bits, read_bf16, WRITE_BF16)                                              \
    X(F32, f32, float, READ, WRITE_F32)                                                            \
    X(F64, f64, double, READ, WRITE_F64)

#define CLASS_F32(value) ((float)(value))
#define CLASS_F64(value) ((double)(value))
#define CLASS_I32(value) ((int32_t)WHOLE(value))
#define CLASS_I64(value) (WHOLE(value))

#define DEFINE_LOAD(name, type, class_type, read, convert)                                         \
    static void name(const void *from, int64_t stride_bytes, void *to, int64_t count)              \
    {                                                                                              \
        class_type *out = to;                                                                      \
        if (stride_bytes == (int64_t)sizeof(type)) {                                               \
            const type *in = from;                                                                 \
            LOOP_PRAGMA for (int64_t i = 0; i < count; i++) out[i] = convert(read(in[i]));         \
            return;                                                                                \
        }                                                                                          \
        if (stride_bytes == 0) { /* broadcast along the row */                                     \
            const class_type value = convert(read(*(const type *)from));                           \
            LOOP_PRAGMA for (int64_t i = 0; i < count; i++) out[i] = value;                        \
            return;                                                                                \
        }                                                                                          \
        const char *in = from;                                                                     \
        for (int64_t i = 0; i < count; i++)                                                        \
            out[i] = convert(read(*(const type *)(in + i * stride_bytes)));                        \
    }
#define DEFINE_STORE(name, type, class_type, write)                                                \
    static void name(void *to, int64_t stride_bytes, const void *from, int64_t count)              \
    {                                                                                              \
        const class_type *in = from;                                                               \
        if (stride_bytes == (int64_t)sizeof(type)) {                                               \
            type *out = to;                                                                        \
            LOOP_PRAGMA for (int64_t i = 0; i < count; i++) out[i] = write(in[i]);                 \
            return;                                                                                \
        }                                                                                          \
        char *out = to;                                                                            \
        for (int64_t i = 0; i < count; i++)                                                        \
            *(type *)(out + i * stride_bytes) = write(in[i]);                                      \
    }
#define DEFINE_CONVERSIONS(id, short, type, read, write)                                           \
    DEFINE_LOAD(load_##short##_f32, type, float, read, CLASS_F32)                                  \
    DEFINE_LOAD(load_##short##_f64, type, double, read, CLASS_F64)                                 \
    DEFINE_LOAD(load_##short##_i32, type, int32_t, read, CLASS_I32)                                \
    DEFINE_LOAD(load_##short##_i64, type, int64_t, read, CLASS_I64)                                \
    DEFINE_STORE(store_##short##_f32, type, float, write)                                          \
    DEFINE_STORE(store_##short##_f64, type, double, write)                                         \
    DEFINE_STORE(store_##short##_i32, type, int32_t, write)                                        \
    DEFINE_STORE(store_##short##_i64, type, int64_t, write)

CONVERT_DTYPES(DEFINE_CONVERSIONS)

#if defined(__aarch64__)
/* gcc knows the instruction for one number only. */
static void convert_f16_f32(void *to, int64_t stride_bytes, const void *from, int64_t count)
{
    const float *in = from;
    half_bits *out = to;
    int64_t i = 0;
    for (; stride_bytes == (int64_t)sizeof *out && i + 8 <= count; i += 8) {
        const float16x4_t first = vcvt_f16_f32(vld1q_f32(in + i));
        const float16x8_t both = vcvt_high_f16_f32(first, vld1q_f32(in + i + 4));
        vst1q_u16(out + i, vreinterpretq_u16_f16(both));
    }
    store_f16_f32((char *)to + i * stride_bytes, stride_bytes, in + i, count - i);
}
#define store_f16_f32 convert_f16_f32 /* in the table */
#endif
