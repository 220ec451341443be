/* SPDX-License-Identifier: Apache-2.0
 *
 * One element of a tensor from a number. A number that the dtype cannot hold is refused, not
 * wrapped: a config that says 300 for an uint8 does not mean 44.
 */
#include "gen/element.h"

#include "base/number.h"

#include "tensor/half.h"

#include <float.h>
#include <math.h>
#include <string.h>

void ob__int_limits(ob_dtype dtype, int64_t *lo, int64_t *hi)
{
    const ob_dtype_info *info = ob_dtype_get_info(dtype);
    if (info->cls == OB_DTYPE_CLASS_INT) {
        *hi = INT64_MAX >> (64 - 8 * info->size_bytes);
        *lo = -*hi - 1;
    } else {
        *lo = 0;
        *hi = info->cls == OB_DTYPE_CLASS_BOOL ? 1 : UINT8_MAX;
    }
}

double ob__real_limit(ob_dtype dtype)
{
    switch (dtype) {
    case OB_DTYPE_F16:
        return 65504;
    case OB_DTYPE_BF16:
        return 0x1.fep+127;
    case OB_DTYPE_F32:
    case OB_DTYPE_C64:
        return (double)FLT_MAX;
    default:
        return DBL_MAX;
    }
}

static ob_element from_int(ob_dtype dtype, int64_t value)
{
    ob_element e = {.bytes = {0}};
    const int32_t i32 = (int32_t)value;
    const int16_t i16 = (int16_t)value;
    switch (ob_dtype_size(dtype)) {
    case 1:
        e.bytes[0] = (unsigned char)value;
        break;
    case 2:
        memcpy(e.bytes, &i16, sizeof i16);
        break;
    case 4:
        memcpy(e.bytes, &i32, sizeof i32);
        break;
    default:
        memcpy(e.bytes, &value, sizeof value);
        break;
    }
    return e;
}

ob_element ob__element_from_real(ob_dtype dtype, double real, double imag)
{
    ob_element e = {.bytes = {0}};
    const float pair32[2] = {(float)real, (float)imag};
    const double pair64[2] = {real, imag};
    uint16_t half;
    switch (dtype) {
    case OB_DTYPE_BOOL:
        return from_int(dtype, real != 0);
    case OB_DTYPE_F16:
        half = ob__f16_from_float(pair32[0]);
        memcpy(e.bytes, &half, sizeof half);
        return e;
    case OB_DTYPE_BF16:
        half = ob__bf16_from_float(pair32[0]);
        memcpy(e.bytes, &half, sizeof half);
        return e;
    case OB_DTYPE_F32:
    case OB_DTYPE_C64:
        memcpy(e.bytes, pair32, ob_dtype_size(dtype));
        return e;
    case OB_DTYPE_F64:
    case OB_DTYPE_C128:
        memcpy(e.bytes, pair64, ob_dtype_size(dtype));
        return e;
    default:
        return from_int(dtype, (int64_t)real);
    }
}

static bool get_real(ob_dtype dtype, const ob_json *node, double *out)
{
    if (ob__named_real(ob_json_string(node, NULL), out))
        return true;
    const ob_json_kind kind = ob_json_get_kind(node);
    *out = ob_json_real(node, NAN);
    return (kind == OB_JSON_INT || kind == OB_JSON_REAL) && fabs(*out) <= ob__real_limit(dtype);
}

static bool real_from_json(ob_dtype dtype, const ob_json *node, ob_element *out,
                           const char **wanted)
{
    double real, imag = 0;
    bool good;
    if (dtype == OB_DTYPE_C64 || dtype == OB_DTYPE_C128) {
        *wanted = "a number, or [real, imaginary], in the range of the dtype";
        good = ob_json_get_kind(node) == OB_JSON_ARRAY
                   ? ob_json_count(node) == 2 && get_real(dtype, ob_json_item(node, 0), &real) &&
                         get_real(dtype, ob_json_item(node, 1), &imag)
                   : get_real(dtype, node, &real);
    } else {
        *wanted = "a number in the range of the dtype, or \"inf\", \"-inf\", \"nan\"";
        good = get_real(dtype, node, &real);
    }
    if (good)
        *out = ob__element_from_real(dtype, real, imag);
    return good;
}

bool ob__element_from_json(ob_dtype dtype, const ob_json *node, ob_element *out,
                           const char **wanted)
{
    if (ob_dtype_is_floating(dtype))
        return real_from_json(dtype, node, out, wanted);
    int64_t lo, hi, value;
    *wanted =
        dtype == OB_DTYPE_BOOL ? "true, false, 0 or 1" : "a whole number in the range of the dtype";
    ob__int_limits(dtype, &lo, &hi);
    if (ob_json_get_kind(node) == OB_JSON_BOOL)
        value = ob_json_bool(node, false);
    else if (ob_json_get_kind(node) == OB_JSON_INT)
        value = ob_json_int(node, 0);
    else
        return false;
    if (value < lo || value > hi)
        return false;
    *out = from_int(dtype, value);
    return true;
}
