/* SPDX-License-Identifier: Apache-2.0
 *
 * Bulk filling. Random words are made a chunk at a time (it stays in the first-level cache), then a
 * loop without calls turns them into elements. One loop per element type, chosen once per tensor.
 * How many words an element takes is part of the data that users see for a seed.
 */
#include "gen/fill.h"

#include "base/rng_fill.h"
#include "tensor/half.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 2048 }; /* words; even */

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* A complex element is two of its parts. */
static ob_dtype part_of(ob_dtype dtype, size_t *count)
{
    if (dtype != OB_DTYPE_C64 && dtype != OB_DTYPE_C128)
        return dtype;
    *count *= 2;
    return dtype == OB_DTYPE_C64 ? OB_DTYPE_F32 : OB_DTYPE_F64;
}

static double word_pair_to_unit(const uint32_t *words)
{
    return (double)((words[0] | (uint64_t)words[1] << 32) >> 11) * 0x1p-53;
}

static void unit_f32(ob_rng *rng, float *out, size_t count)
{
    uint32_t words[CHUNK];
    for (size_t n; count > 0; count -= n, out += n) {
        n = smaller(count, CHUNK);
        ob__rng_fill(rng, words, n);
        for (size_t i = 0; i < n; i++)
            out[i] = (float)(words[i] >> 8) * 0x1p-24f;
    }
}

static void unit_f64(ob_rng *rng, double *out, size_t count)
{
    uint32_t words[CHUNK];
    for (size_t n; count > 0; count -= n, out += n) {
        n = smaller(count, CHUNK / 2);
        ob__rng_fill(rng, words, 2 * n);
        for (size_t i = 0; i < n; i++)
            out[i] = word_pair_to_unit(&words[2 * i]);
    }
}

static uint16_t half_word(const uint32_t *words, size_t i)
{
    return (uint16_t)(words[i / 2] >> (i % 2 * 16));
}

/* k / 2048 for k < 2048: zero or a normal float16 that needs no rounding, so no case but one. */
static uint16_t unit_f16(uint32_t k)
{
    const uint32_t bits = ob__float_bits((float)k * 0x1p-11f);
    return (uint16_t)(k != 0 ? (bits - 0x38000000u) >> 13 : 0);
}

/* k / 256 for k < 256, likewise. */
static uint16_t unit_bf16(uint32_t k)
{
    return (uint16_t)(ob__float_bits((float)k * 0x1p-8f) >> 16);
}

/* Half a word per element. */
static void unit_half(ob_rng *rng, ob_dtype dtype, uint16_t *out, size_t count)
{
    uint32_t words[CHUNK];
    for (size_t n; count > 0; count -= n, out += n) {
        n = smaller(count, 2 * CHUNK);
        ob__rng_fill(rng, words, (n + 1) / 2);
        if (dtype == OB_DTYPE_F16) {
            for (size_t i = 0; i < n; i++)
                out[i] = unit_f16(half_word(words, i) >> 5);
        } else {
            for (size_t i = 0; i < n; i++)
                out[i] = unit_bf16(half_word(words, i) >> 8);
        }
    }
}

void ob__fill_unit(ob_rng *rng, ob_dtype dtype, void *out, size_t count)
{
    const ob_dtype part = part_of(dtype, &count);
    if (part == OB_DTYPE_F32)
        unit_f32(rng, out, count);
    else if (part == OB_DTYPE_F64)
        unit_f64(rng, out, count);
    else
        unit_half(rng, part, out, count);
}

#define INT_LOOP(name, type)                                                                       \
    static void name(ob_rng *rng, int64_t lo, uint32_t range, type *out, size_t count)             \
    {                                                                                              \
        uint32_t words[CHUNK];                                                                     \
        for (size_t n; count > 0; count -= n, out += n) {                                          \
            n = smaller(count, CHUNK);                                                             \
            ob__rng_fill(rng, words, n);                                                           \
            for (size_t i = 0; i < n; i++)                                                         \
                out[i] = (type)(lo + ob__rng_bounded(rng, words[i], range));                       \
        }                                                                                          \
    }
INT_LOOP(ints_8, uint8_t) /* the bits of int8_t and bool are the same */
INT_LOOP(ints_16, int16_t)
INT_LOOP(ints_32, int32_t)
INT_LOOP(ints_64, int64_t)
#undef INT_LOOP

/* Ranges of 2^32 values and more: only int32 (all of them) and int64 can hold them. */
static void ints_wide(ob_rng *rng, ob_dtype dtype, int64_t lo, int64_t hi, void *out, size_t count)
{
    if (dtype == OB_DTYPE_I32) {
        ob__rng_fill(rng, out, count);
        return;
    }
    int64_t *const elements = out;
    for (size_t i = 0; i < count; i++)
        elements[i] = ob_rng_int(rng, lo, hi);
}

void ob__fill_ints(ob_rng *rng, ob_dtype dtype, int64_t lo, int64_t hi, void *out, size_t count)
{
    const uint64_t distance = (uint64_t)hi - (uint64_t)lo;
    const uint32_t range = (uint32_t)distance + 1;
    if (distance >= UINT32_MAX)
        ints_wide(rng, dtype, lo, hi, out, count);
    else if (ob_dtype_size(dtype) == 1)
        ints_8(rng, lo, range, out, count);
    else if (ob_dtype_size(dtype) == 2)
        ints_16(rng, lo, range, out, count);
    else if (ob_dtype_size(dtype) == 4)
        ints_32(rng, lo, range, out, count);
    else
        ints_64(rng, lo, range, out, count);
}

/* ---- a range of reals: rounded to the type, then kept inside ---- */

static double half_value(ob_dtype dtype, uint16_t bits)
{
    return (double)(dtype == OB_DTYPE_F16 ? ob__f16_to_float(bits) : ob__bf16_to_float(bits));
}

static uint16_t half_bits(ob_dtype dtype, double x)
{
    return dtype == OB_DTYPE_F16 ? ob__f16_from_float((float)x) : ob__bf16_from_float((float)x);
}

static double round_to(ob_dtype part, double x)
{
    if (part == OB_DTYPE_F64)
        return x;
    return part == OB_DTYPE_F32 ? (double)(float)x : half_value(part, half_bits(part, x));
}

/* The neighbour of x, a value of the type, upwards or downwards. */
static double neighbour(ob_dtype part, double x, bool up)
{
    const double to = up ? INFINITY : -INFINITY;
    if (part == OB_DTYPE_F64)
        return nextafter(x, to);
    if (part == OB_DTYPE_F32)
        return (double)nextafterf((float)x, (float)to);
    if (x == 0)
        return half_value(part, up ? 0x0001 : 0x8001);
    const uint16_t bits = half_bits(part, x);
    const bool away_from_zero = up == (x > 0);
    return half_value(part, (uint16_t)(away_from_zero ? bits + 1 : bits - 1));
}

typedef struct real_range {
    double lo, hi;      /* as asked for */
    double first, last; /* the values of the type that it holds */
} real_range;

static real_range make_range(ob_dtype part, double lo, double hi)
{
    real_range r = {.lo = lo, .hi = hi, .first = round_to(part, lo), .last = round_to(part, hi)};
    const double nearest = r.first;
    if (r.first < lo)
        r.first = neighbour(part, r.first, true);
    if (r.last >= hi)
        r.last = neighbour(part, r.last, false);
    if (r.first > r.last)
        r.first = r.last = nearest;
    return r;
}

static double draw_in(const real_range *r, const uint32_t *words)
{
    const double u = word_pair_to_unit(words);
    const double width = r->hi - r->lo;
    return isfinite(width) ? r->lo + width * u : r->lo * (1 - u) + r->hi * u;
}

static double keep_in(const real_range *r, double x)
{
    return x < r->first ? r->first : x > r->last ? r->last : x;
}

void ob__fill_reals(ob_rng *rng, ob_dtype dtype, double lo, double hi, void *out, size_t count)
{
    const ob_dtype part = part_of(dtype, &count);
    const real_range r = make_range(part, lo, hi);
    uint32_t words[CHUNK];
    for (size_t done = 0, n; done < count; done += n) {
        n = smaller(count - done, CHUNK / 2);
        ob__rng_fill(rng, words, 2 * n);
        for (size_t i = 0; i < n; i++) {
            const double x = keep_in(&r, draw_in(&r, &words[2 * i]));
            if (part == OB_DTYPE_F64)
                ((double *)out)[done + i] = x;
            else if (part == OB_DTYPE_F32)
                ((float *)out)[done + i] = (float)x; /* the ends are floats: stays inside */
            else
                ((uint16_t *)out)[done + i] = half_bits(part, x);
        }
    }
}

void ob__fill_copies(ob_dtype dtype, const void *element, void *out, size_t count)
{
    const size_t size = ob_dtype_size(dtype);
    const size_t total = size * count;
    if (count == 0)
        return;
    memcpy(out, element, size);
    for (size_t done = size, n; done < total; done += n) { /* doubles what is there */
        n = smaller(done, total - done);
        memcpy((char *)out + done, out, n);
    }
}
