/* SPDX-License-Identifier: Apache-2.0
 *
 * Operands as dense arrays; see dense.h.
 */
#include "dense.h"

#include "iterate.h"

enum { ALIGNMENT = 64 };

native_class native_wide_class(ob_dtype dtype)
{
    switch (native_class_of(dtype)) {
    case NATIVE_F64:
        return NATIVE_F64;
    case NATIVE_F32:
        return NATIVE_F32;
    default:
        return NATIVE_I64;
    }
}

ob_status native_scratch_reserve(ob_kit_call *call, int64_t count, size_t size, size_t *offset,
                                 ob_err *err)
{
    const size_t start = (call->scratch_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    size_t bytes;
    if (count < 0 || __builtin_mul_overflow((size_t)count, size, &bytes) ||
        __builtin_add_overflow(bytes, start, &bytes) || bytes > SIZE_MAX / 2)
        return call->env->host->err_set(err, OB_ERR_OVERFLOW,
                                        "%s needs a workspace of %lld elements of %zu bytes, which "
                                        "does not fit in memory; use smaller tensors",
                                        call->kernel->name, (long long)count, size);
    *offset = start;
    call->scratch_bytes = bytes;
    return OB_OK;
}

ob_status native_dense_plan(ob_kit_call *call, const ob_tensor *tensor, native_class cls,
                            native_dense *out, ob_err *err)
{
    *out = (native_dense){.present = tensor != NULL, .cls = cls};
    if (tensor == NULL)
        return OB_OK;
    out->tensor = *tensor;
    if (tensor->dtype == native_class_dtype(cls) && ob_kit_is_contiguous(tensor)) {
        out->is_direct = true;
        out->direct = native_data(tensor);
        return OB_OK;
    }
    return native_scratch_reserve(call, ob_kit_numel(tensor), native_class_size(cls), &out->offset,
                                  err);
}

ob_tensor native_broadcast(const ob_tensor *tensor, const ob_tensor *like)
{
    ob_tensor out = *tensor;
    out.ndim = like->ndim;
    for (int d = 0; d < like->ndim; d++) {
        const int from = d - (like->ndim - tensor->ndim);
        const bool repeated = from < 0 || tensor->sizes[from] != like->sizes[d];
        out.sizes[d] = like->sizes[d];
        out.strides[d] = repeated ? 0 : tensor->strides[from];
    }
    return out;
}

ob_status native_dense_plan_like(ob_kit_call *call, const ob_tensor *tensor, const ob_tensor *like,
                                 native_class cls, native_dense *out, ob_err *err)
{
    if (tensor == NULL)
        return native_dense_plan(call, NULL, cls, out, err);
    const ob_tensor wide = native_broadcast(tensor, like);
    return native_dense_plan(call, &wide, cls, out, err);
}

void *native_dense_place(const ob_kit_call *call, const native_dense *dense)
{
    if (!dense->present)
        return NULL;
    return dense->is_direct ? dense->direct : native_scratch_at(call, dense->offset);
}

void *native_dense_read(const ob_kit_call *call, const native_dense *dense)
{
    void *array = native_dense_place(call, dense);
    if (dense->present && !dense->is_direct)
        native_gather(call->env, &dense->tensor, dense->cls, array);
    return array;
}

void native_dense_write(const ob_kit_call *call, const native_dense *dense)
{
    if (dense->present && !dense->is_direct)
        native_scatter(call->env, &dense->tensor, dense->cls,
                       native_scratch_at(call, dense->offset));
}
