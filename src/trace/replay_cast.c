/* SPDX-License-Identifier: Apache-2.0
 *
 * What is converted is the stretch of memory from a tensor's first element to its last, gaps included: so any
 * strides stay as they are, and since a narrow number is the same one after going to float32 and back, what lies in the gaps
 * does not change.
 */
#include "trace/replay_cast.h"

#include "tensor/half.h"

bool ob__replay_is_narrow(ob_dtype dtype)
{
    return dtype == OB_DTYPE_F16 || dtype == OB_DTYPE_BF16;
}

/* Elements from the first to the last; 0 for what has no memory. */
static size_t stretch_of(const ob_tensor *tensor)
{
    int64_t bytes = 0;
    if (tensor->storage == NULL || ob_shape_span_bytes(tensor->sizes, tensor->strides, tensor->ndim,
                                                       tensor->dtype, &bytes, NULL) != OB_OK)
        return 0;
    return (size_t)bytes / ob_dtype_size(tensor->dtype);
}

static void to_float(ob_dtype dtype, const uint16_t *from, float *to, size_t count)
{
    for (size_t i = 0; dtype == OB_DTYPE_F16 && i < count; i++)
        to[i] = ob__f16_to_float(from[i]);
    for (size_t i = 0; dtype == OB_DTYPE_BF16 && i < count; i++)
        to[i] = ob__bf16_to_float(from[i]);
}

static void from_float(ob_dtype dtype, const float *from, uint16_t *to, size_t count)
{
    for (size_t i = 0; dtype == OB_DTYPE_F16 && i < count; i++)
        to[i] = ob__f16_from_float(from[i]);
    for (size_t i = 0; dtype == OB_DTYPE_BF16 && i < count; i++)
        to[i] = ob__bf16_from_float(from[i]);
}

static ob_status cast_strided(const ob_tensor *from, ob_dtype dtype, ob_tensor *out, ob_err *err)
{
    OB_TRY(ob_tensor_init(out, dtype, from->sizes, from->ndim, from->strides, err));
    const size_t count = stretch_of(from);
    if (count == 0)
        return OB_OK;
    if (dtype == OB_DTYPE_F32)
        to_float(from->dtype, ob_tensor_data(from), ob_tensor_data(out), count);
    else
        from_float(dtype, ob_tensor_data(from), ob_tensor_data(out), count);
    return OB_OK;
}

static ob_status cast_tensor(const ob_tensor *from, ob_dtype dtype, ob_value *out, ob_err *err)
{
    ob_tensor made;
    if (from->layout == OB_LAYOUT_SPARSE_COO) {
        ob_tensor values;
        OB_TRY(cast_strided(from->values, dtype, &values, err));
        const ob_status status =
            ob_tensor_init_sparse(&made, from->sizes, from->ndim, from->indices, &values, err);
        ob_tensor_fini(&values);
        OB_TRY(status);
    } else {
        OB_TRY(cast_strided(from, dtype, &made, err));
    }
    const ob_status status = ob_value_init_tensor(out, &made, err);
    ob_tensor_fini(&made);
    return status;
}

ob_status ob__replay_widen(const ob_value *from, ob_value *out, ob_err *err)
{
    if (from->kind == OB_VALUE_TENSOR && ob__replay_is_narrow(from->as.tensor->dtype))
        return cast_tensor(from->as.tensor, OB_DTYPE_F32, out, err);
    if (!ob_value_is_list(from))
        return ob_value_copy(out, from, err);
    OB_TRY(ob_value_init_list(out, from->kind, from->as.list.count, err));
    for (size_t i = 0; i < from->as.list.count; i++)
        OB_TRY(ob__replay_widen(&from->as.list.items[i], &out->as.list.items[i], err));
    return OB_OK;
}

void ob__replay_put_back(const ob_value *wide, const ob_value *narrow)
{
    if (ob_value_is_list(narrow))
        for (size_t i = 0; i < narrow->as.list.count; i++)
            ob__replay_put_back(&wide->as.list.items[i], &narrow->as.list.items[i]);
    if (narrow->kind != OB_VALUE_TENSOR || !ob__replay_is_narrow(narrow->as.tensor->dtype) ||
        narrow->as.tensor->layout != OB_LAYOUT_STRIDED)
        return;
    const size_t count = stretch_of(narrow->as.tensor);
    if (count > 0)
        from_float(narrow->as.tensor->dtype, ob_tensor_data(wide->as.tensor),
                   ob_tensor_data(narrow->as.tensor), count);
}

ob_status ob__replay_narrow(ob_value *value, ob_dtype dtype, ob_err *err)
{
    ob_value made;
    if (value->kind != OB_VALUE_TENSOR || value->as.tensor->dtype != OB_DTYPE_F32 ||
        (value->as.tensor->storage == NULL && value->as.tensor->layout == OB_LAYOUT_STRIDED &&
         ob_tensor_numel(value->as.tensor) > 0))
        return OB_OK;
    OB_TRY(cast_tensor(value->as.tensor, dtype, &made, err));
    ob_value_fini(value);
    *value = made;
    return OB_OK;
}
