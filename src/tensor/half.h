/* SPDX-License-Identifier: Apache-2.0
 *
 * float16 and bfloat16 to and from float, rounding to nearest even as the hardware does. Written
 * with integer operations only, so that results do not depend on compiler or machine.
 */
#ifndef OB_TENSOR_HALF_H
#define OB_TENSOR_HALF_H

#include <stdint.h>
#include <string.h>

static inline uint32_t ob__float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float ob__float_from_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* value / 2^shift, to nearest, ties to even; 1 <= shift <= 31. */
static inline uint32_t ob__shift_round(uint32_t value, uint32_t shift)
{
    const uint32_t kept = value >> shift;
    const uint32_t lost = value & ((1u << shift) - 1);
    const uint32_t half = 1u << (shift - 1);
    return kept + (lost > half || (lost == half && (kept & 1u)));
}

static inline uint16_t ob__f16_from_float(float value)
{
    const uint32_t bits = ob__float_bits(value);
    const uint32_t sign = (bits >> 16) & 0x8000u;
    const uint32_t magnitude = bits & 0x7fffffffu;
    uint32_t result;
    if (magnitude > 0x7f800000u) { /* NaN: stays one, quiet, with what fits of its payload */
        result = 0x7e00u | ((magnitude >> 13) & 0x3ffu);
    } else if (magnitude >= 0x477ff000u) { /* 65520 and above round to infinity */
        result = 0x7c00u;
    } else if (magnitude >= 0x38800000u) { /* normal: exponent bias goes from 127 to 15 */
        result = ob__shift_round(magnitude - 0x38000000u, 13);
    } else if (magnitude >= 0x33000000u) { /* subnormal, in units of 2^-24 */
        const uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
        result = ob__shift_round(mantissa, 126u - (magnitude >> 23));
    } else {
        result = 0;
    }
    return (uint16_t)(sign | result);
}

static inline float ob__f16_to_float(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
    const uint32_t magnitude = half & 0x7fffu;
    if (magnitude >= 0x7c00u) /* infinity, NaN */
        return ob__float_from_bits(sign | 0x7f800000u | ((magnitude & 0x3ffu) << 13));
    if (magnitude >= 0x0400u)
        return ob__float_from_bits(sign | ((magnitude << 13) + 0x38000000u));
    const float tiny = (float)magnitude * 0x1p-24f; /* exact */
    return sign ? -tiny : tiny;
}

static inline uint16_t ob__bf16_from_float(float value)
{
    const uint32_t bits = ob__float_bits(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) /* rounding could turn a NaN into infinity */
        return (uint16_t)((bits >> 16) | 0x40u);
    return (uint16_t)ob__shift_round(bits, 16);
}

static inline float ob__bf16_to_float(uint16_t bf16)
{
    return ob__float_from_bits((uint32_t)bf16 << 16);
}

#endif
