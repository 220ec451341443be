/* SPDX-License-Identifier: Apache-2.0
 *
 * What rows are written with: nodes; see translate.h.
 */
#include "translate.h"

#include <math.h>
#include <string.h>

ob_dtype ort_dtype_of(const ort_translation *t, ort_id id)
{
    return id < t->model.value_count ? t->model.values[id].dtype : OB_DTYPE_INVALID;
}

/* The result, but NaN where an operand is. */
static ort_id put_nan_back(ort_translation *t, ort_id result, const ort_id *inputs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const ort_id is_nan = ort_emit(t, "IsNaN", OB_DTYPE_BOOL, &inputs[i], 1, NULL);
        result = ort_where(t, is_nan, inputs[i], result);
    }
    return result;
}

ort_id ort_emit(ort_translation *t, const char *op, ob_dtype dtype, const ort_id *inputs,
                size_t input_count, const ort_attr *attrs)
{
    const ort_id result = ort_model_node(&t->model, op, inputs, input_count, 1, dtype, attrs);
    const bool is_extreme = strcmp(op, "Max") == 0 || strcmp(op, "Min") == 0;
    return t->puts_nan_back && is_extreme && ort_is_float(dtype)
               ? put_nan_back(t, result, inputs, input_count)
               : result;
}

ort_id ort_cast(ort_translation *t, ort_id id, ob_dtype dtype)
{
    if (id == ORT_NONE || ort_dtype_of(t, id) == dtype)
        return id;
    return ort_emit(t, "Cast", dtype, &id, 1, ORT_ATTRS(ORT_I("to", ort_dtype_number(dtype))));
}

/* IEEE half precision, to nearest even. */
static uint16_t to_f16(double value)
{
    const uint16_t sign = signbit(value) ? 0x8000 : 0;
    const double size = fabs(value);
    if (isnan(value))
        return 0x7e00;
    if (size >= 65520)
        return sign | 0x7c00;
    int exponent = size > 0 ? ilogb(size) : -15;
    if (exponent < -14)
        exponent = -14;
    const double steps = nearbyint(ldexp(size, 10 - exponent)); /* 0 .. 2048 */
    return (uint16_t)(sign | (unsigned)((exponent + 14) * 1024 + (int)steps));
}

static uint16_t to_bf16(double value)
{
    const float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    if (isnan(single))
        return 0x7fc0;
    bits += 0x7fff + (bits >> 16 & 1);
    return (uint16_t)(bits >> 16);
}

static ort_id number(ort_translation *t, ob_dtype dtype, double real, int64_t whole)
{
    union {
        float f32;
        double f64;
        uint16_t half;
        int8_t i8;
        int16_t i16;
        int32_t i32;
        int64_t i64;
        uint8_t u8;
    } data = {.i64 = 0};
    switch (dtype) {
    case OB_DTYPE_F32:
        data.f32 = (float)real;
        break;
    case OB_DTYPE_F64:
        data.f64 = real;
        break;
    case OB_DTYPE_F16:
        data.half = to_f16(real);
        break;
    case OB_DTYPE_BF16:
        data.half = to_bf16(real);
        break;
    case OB_DTYPE_BOOL:
        data.u8 = real != 0;
        break;
    default: /* the low bytes come first */
        data.i64 = whole;
        break;
    }
    return ort_model_constant(&t->model, dtype, NULL, 0, &data,
                              t->host->dtype_get_info(dtype)->size_bytes);
}

ort_id ort_number(ort_translation *t, ob_dtype dtype, double value)
{
    return number(t, dtype, value, fabs(value) < 9e18 ? (int64_t)value : 0);
}

ort_id ort_number_from(ort_translation *t, ob_dtype dtype, const ob_value *value)
{
    if (value == NULL)
        return ORT_NONE;
    switch (value->kind) {
    case OB_VALUE_INT:
        return number(t, dtype, (double)value->as.integer, value->as.integer);
    case OB_VALUE_BOOL:
        return ort_number(t, dtype, value->as.boolean);
    case OB_VALUE_DOUBLE:
        return ort_number(t, dtype, value->as.real);
    default:
        return ORT_NONE;
    }
}

ort_id ort_ints(ort_translation *t, const int64_t *values, size_t count)
{
    const int64_t size = (int64_t)count;
    return ort_model_constant(&t->model, OB_DTYPE_I64, &size, 1, values, count * sizeof *values);
}

ort_id ort_filled(ort_translation *t, ob_dtype dtype, double value, const int64_t *sizes, int ndim)
{
    return ort_expand(t, ort_number(t, dtype, value), sizes, ndim);
}

ort_id ort_reshape(ort_translation *t, ort_id id, const int64_t *sizes, int ndim)
{
    const ort_id shape = ort_ints(t, sizes, (size_t)ndim);
    /* allowzero: a size 0 is meant, and not "as it was". */
    return ort_emit(t, "Reshape", ort_dtype_of(t, id), ORT_IN(id, shape),
                    ORT_ATTRS(ORT_I("allowzero", 1)));
}

ort_id ort_reshape_like(ort_translation *t, ort_id id, const ob_tensor *meta)
{
    return ort_reshape(t, id, meta->sizes, meta->ndim);
}

ort_id ort_transpose(ort_translation *t, ort_id id, const int64_t *order, int ndim)
{
    return ort_emit(t, "Transpose", ort_dtype_of(t, id), &id, 1,
                    ORT_ATTRS(ORT_IS("perm", order, (size_t)ndim)));
}

bool ort_is_float(ob_dtype dtype)
{
    return dtype == OB_DTYPE_F16 || dtype == OB_DTYPE_BF16 || dtype == OB_DTYPE_F32 ||
           dtype == OB_DTYPE_F64;
}

ort_id ort_binary(ort_translation *t, const char *op, ort_id a, ort_id b)
{
    return ort_emit(t, op, ort_dtype_of(t, a), ORT_IN(a, b), NULL);
}

ort_id ort_unary(ort_translation *t, const char *op, ort_id a)
{
    return ort_emit(t, op, ort_dtype_of(t, a), &a, 1, NULL);
}

ort_id ort_where(ort_translation *t, ort_id condition, ort_id yes, ort_id no)
{
    return ort_emit(t, "Where", ort_dtype_of(t, yes), ORT_IN(condition, yes, no), NULL);
}

ort_id ort_slice(ort_translation *t, ort_id id, int64_t axis, int64_t start, int64_t end,
                 int64_t step)
{
    const ort_id starts = ort_ints(t, &start, 1), ends = ort_ints(t, &end, 1);
    const ort_id axes = ort_ints(t, &axis, 1), steps = ort_ints(t, &step, 1);
    return ort_emit(t, "Slice", ort_dtype_of(t, id), ORT_IN(id, starts, ends, axes, steps), NULL);
}

ort_id ort_reduce(ort_translation *t, const char *op, ort_id id, const int64_t *axes, size_t count,
                  bool keep)
{
    const ob_dtype dtype = ort_dtype_of(t, id);
    if (strcmp(op, "ReduceSum") == 0) /* the only one whose axes are an input in this opset */
        return ort_emit(t, op, dtype, ORT_IN(id, ort_ints(t, axes, count)),
                        ORT_ATTRS(ORT_I("keepdims", keep)));
    return ort_emit(t, op, dtype, &id, 1,
                    ORT_ATTRS(ORT_I("keepdims", keep), ORT_IS("axes", axes, count)));
}

ort_id ort_range(ort_translation *t, int64_t count)
{
    const ort_id zero = ort_number(t, OB_DTYPE_I64, 0), one = ort_number(t, OB_DTYPE_I64, 1);
    return ort_emit(t, "Range", OB_DTYPE_I64,
                    ORT_IN(zero, ort_number(t, OB_DTYPE_I64, (double)count), one), NULL);
}

ort_id ort_expand(ort_translation *t, ort_id id, const int64_t *sizes, int ndim)
{
    return ort_emit(t, "Expand", ort_dtype_of(t, id), ORT_IN(id, ort_ints(t, sizes, (size_t)ndim)),
                    NULL);
}

/* Adding is done in float32 for float16 and bfloat16: there is no kernel, and ONNX Runtime sees that too late to convert by
 * itself. */
ort_id ort_scatter(ort_translation *t, ort_id self, ort_id index, ort_id from, int64_t axis,
                   bool add)
{
    const ob_dtype dtype = ort_dtype_of(t, self),
                   inner = add && (dtype == OB_DTYPE_F16 || dtype == OB_DTYPE_BF16) ? OB_DTYPE_F32
                                                                                    : dtype;
    const ort_attr reduction = ORT_S("reduction", add ? "add" : "none");
    const ort_attr attrs[] = {reduction, ORT_I("axis", axis), {.name = NULL}};
    const ort_attr plain[] = {reduction, {.name = NULL}};
    const ort_id out = ort_emit(t, axis < 0 ? "ScatterND" : "ScatterElements", inner,
                                ORT_IN(ort_cast(t, self, inner), index, ort_cast(t, from, inner)),
                                axis < 0 ? plain : attrs);
    return ort_cast(t, out, dtype);
}
