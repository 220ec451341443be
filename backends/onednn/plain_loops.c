/* SPDX-License-Identifier: Apache-2.0
 *
 * See plain_loops.h. None of it is where time goes: channels, single numbers, and copies that a view with
 * repeated elements needs.
 */
#include "plain_loops.h"

#include <math.h>
#include <string.h>

static size_t element_bytes(ob_dtype dtype)
{
    switch (dtype) {
#define SIZE_CASE(id, name, torch, param, bytes, cls, number)                                      \
    case OB_DTYPE_##id:                                                                            \
        return bytes;
        OB_DTYPE_MAP(SIZE_CASE)
#undef SIZE_CASE
    default:
        return 0;
    }
}

bool dnn_plain_advance(const dnn_view *const *views, int count, int ndim, int64_t *index,
                       int64_t *offsets)
{
    for (int d = ndim - 1; d >= 0; d--) {
        index[d]++;
        for (int i = 0; i < count; i++)
            offsets[i] += views[i]->strides[d];
        if (index[d] < views[0]->sizes[d])
            return true;
        for (int i = 0; i < count; i++)
            offsets[i] -= views[i]->strides[d] * index[d];
        index[d] = 0;
    }
    return false;
}

/* `count` elements, `step` and `from_step` elements apart. Each width has loops of its own, so that the compiler
 * knows how many bytes an element has: the gradient of a sum is one element everywhere. */
#define DEFINE_ROW(bits)                                                                           \
    static void row_##bits(void *to, int64_t step, const void *from, int64_t from_step,            \
                           int64_t count)                                                          \
    {                                                                                              \
        uint##bits##_t *out = to;                                                                  \
        const uint##bits##_t *in = from;                                                           \
        if (from_step == 0 && step == 1) {                                                         \
            const uint##bits##_t element = *in;                                                    \
            for (int64_t i = 0; i < count; i++)                                                    \
                out[i] = element;                                                                  \
        } else {                                                                                   \
            for (int64_t i = 0; i < count; i++)                                                    \
                out[i * step] = in[i * from_step];                                                 \
        }                                                                                          \
    }
DEFINE_ROW(8)
DEFINE_ROW(16)
DEFINE_ROW(32)
DEFINE_ROW(64)
#undef DEFINE_ROW

static void move_row(void *to, int64_t step, const void *from, int64_t from_step, int64_t count,
                     size_t size)
{
    if (step == 1 && from_step == 1) {
        memcpy(to, from, (size_t)count * size);
        return;
    }
    switch (size) {
    case 1:
        row_8(to, step, from, from_step, count);
        return;
    case 2:
        row_16(to, step, from, from_step, count);
        return;
    case 4:
        row_32(to, step, from, from_step, count);
        return;
    case 8:
        row_64(to, step, from, from_step, count);
        return;
    default:
        for (int64_t i = 0; i < count; i++)
            memcpy((char *)to + i * step * (int64_t)size,
                   (const char *)from + i * from_step * (int64_t)size, size);
    }
}

/* Row by row along the last dimension; from may be one element with steps of 0. */
static void move(const dnn_view *to, char *data, const dnn_view *from, const char *source)
{
    const dnn_view *const views[] = {to, from};
    const size_t size = element_bytes(to->dtype);
    const int last = to->ndim - 1;
    int64_t index[OB_MAX_DIMS] = {0}, offsets[2] = {0, 0};
    if (dnn_view_numel(to) == 0)
        return;
    do {
        move_row(data + offsets[0] * (int64_t)size, last >= 0 ? to->strides[last] : 1,
                 source + offsets[1] * (int64_t)size, last >= 0 ? from->strides[last] : 1,
                 last >= 0 ? to->sizes[last] : 1, size);
    } while (dnn_plain_advance(views, 2, last, index, offsets));
}

void dnn_plain_copy(const dnn_plain_loop *loop)
{
    move(&loop->views[0], loop->data[0], &loop->views[1], loop->data[1]);
}

bool dnn_plain_can_fill(ob_dtype dtype)
{
    return dtype != OB_DTYPE_C64 && dtype != OB_DTYPE_C128;
}

/* Rounds to nearest even, as every conversion to a half does. */
static uint16_t to_bf16(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (isnan(value))
        return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static uint16_t to_f16(float value)
{
    const uint16_t sign = signbit(value) ? 0x8000 : 0;
    const float size = fabsf(value);
    if (isnan(value))
        return sign | 0x7e00;
    if (size >= 65520.0f)
        return sign | 0x7c00;
    if (size < 0x1p-14f) /* denormal: a multiple of 2^-24 */
        return (uint16_t)(sign | (uint16_t)lrintf(size * 0x1p24f));
    int exponent;
    const float fraction = frexpf(size, &exponent); /* [0.5, 1) */
    const long digits = lrintf(fraction * 2048.0f);
    return (uint16_t)(sign | (uint16_t)(((exponent + 14) << 10) + (digits - 1024)));
}

static void make_element(ob_dtype dtype, double value, unsigned char *out)
{
    const float real = (float)value, c64[2] = {real, 0};
    const double c128[2] = {value, 0};
    const int64_t integer = (int64_t)value;
    const int32_t i32 = (int32_t)integer;
    const int16_t i16 = (int16_t)integer;
    const unsigned char byte = dtype == OB_DTYPE_BOOL ? value != 0 : (unsigned char)integer;
    const uint16_t half = dtype == OB_DTYPE_BF16 ? to_bf16(real) : to_f16(real);
    const void *from = &byte;
    switch (dtype) {
    case OB_DTYPE_F32:
        from = &real;
        break;
    case OB_DTYPE_F64:
        from = &value;
        break;
    case OB_DTYPE_C64:
        from = c64;
        break;
    case OB_DTYPE_C128:
        from = c128;
        break;
    case OB_DTYPE_I64:
        from = &integer;
        break;
    case OB_DTYPE_I32:
        from = &i32;
        break;
    case OB_DTYPE_I16:
        from = &i16;
        break;
    case OB_DTYPE_BF16:
    case OB_DTYPE_F16:
        from = &half;
        break;
    default:
        break;
    }
    memcpy(out, from, element_bytes(dtype));
}

void dnn_plain_fill(const dnn_plain_loop *loop)
{
    const dnn_view *to = &loop->views[0];
    const dnn_view one = {.ndim = to->ndim}; /* steps of 0 */
    unsigned char element[16];
    make_element(to->dtype, loop->numbers[0], element);
    move(to, loop->data[0], &one, (const char *)element);
}

/* The mixing of splitmix64, twice 32 bits for two elements. */
void dnn_plain_mask(const dnn_plain_loop *loop)
{
    unsigned char *to = (unsigned char *)loop->data[0];
    const int64_t count = dnn_view_numel(&loop->views[0]);
    const uint64_t limit = (uint64_t)(loop->numbers[0] * 4294967296.0);
    uint64_t state = *loop->random;
    for (int64_t i = 0; i < count; i += 2) {
        uint64_t bits = state += UINT64_C(0x9e3779b97f4a7c15);
        bits = (bits ^ bits >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        bits = (bits ^ bits >> 27) * UINT64_C(0x94d049bb133111eb);
        bits ^= bits >> 31;
        to[i] = (bits & UINT32_MAX) < limit;
        if (i + 1 < count)
            to[i + 1] = bits >> 32 < limit;
    }
    *loop->random = state;
}

void dnn_plain_count(const dnn_plain_loop *loop)
{
    int64_t *to = (int64_t *)(void *)loop->data[0];
    const int64_t count = dnn_view_numel(&loop->views[0]);
    const uint64_t step = (uint64_t)(int64_t)loop->numbers[0];
    for (int64_t i = 0; i < count; i++) /* unsigned: the largest wraps around */
        to[i] = (int64_t)((uint64_t)to[i] + step);
}

void dnn_plain_inverse_deviation(const dnn_plain_loop *loop)
{
    float *to = (float *)(void *)loop->data[0];
    const float *variance = (const float *)(const void *)loop->data[1];
    const int64_t count = dnn_view_numel(&loop->views[0]);
    for (int64_t i = 0; i < count; i++)
        to[i] = (float)(1 / sqrt((double)variance[i] + loop->numbers[0]));
}

void dnn_plain_variance(const dnn_plain_loop *loop)
{
    float *to = (float *)(void *)loop->data[0];
    const float *deviation = (const float *)(const void *)loop->data[1];
    const int64_t count = dnn_view_numel(&loop->views[0]);
    for (int64_t i = 0; i < count; i++)
        to[i] = (float)(1 / ((double)deviation[i] * (double)deviation[i]) - loop->numbers[0]);
}

void dnn_plain_running(const dnn_plain_loop *loop)
{
    float *to = (float *)(void *)loop->data[0];
    const float *now = (const float *)(const void *)loop->data[1];
    const int64_t count = dnn_view_numel(&loop->views[0]);
    const double momentum = loop->numbers[0], factor = loop->numbers[1];
    for (int64_t i = 0; i < count; i++)
        to[i] = (float)((1 - momentum) * (double)to[i] + momentum * factor * (double)now[i]);
}
