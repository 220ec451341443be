/* SPDX-License-Identifier: Apache-2.0
 *
 * Values from metadata: zeros of the same shape, and how many bytes a value spans.
 */
#include "null.h"

#include <string.h>

/* Deeper lists than any operator has; a bound for the recursion. */
enum { MAX_DEPTH = 32 };

static ob_status too_deep(const ob_host *host, ob_err *err)
{
    return host->err_set(err, OB_ERR_LIMIT, "a list is nested more than %d deep", (int)MAX_DEPTH);
}

static ob_status strided_zeros(const ob_host *host, const ob_tensor *meta, ob_tensor *out,
                               ob_err *err)
{
    OB_TRY(host->tensor_init(out, meta->dtype, meta->sizes, meta->ndim, meta->strides, err));
    const size_t size = host->storage_size(out->storage);
    if (size > 0)
        memset(host->storage_data(out->storage), 0, size);
    return OB_OK;
}

static ob_status tensor_zeros(const ob_host *host, const ob_tensor *meta, ob_tensor *out,
                              ob_err *err)
{
    if (!ob_layout_is_sparse(meta->layout))
        return strided_zeros(host, meta, out, err);
    ob_tensor indices, values;
    OB_TRY(strided_zeros(host, meta->indices, &indices, err));
    ob_status status = strided_zeros(host, meta->values, &values, err);
    if (status == OB_OK) {
        status = host->tensor_init_sparse(out, meta->sizes, meta->ndim, &indices, &values, err);
        host->tensor_fini(&values);
    }
    host->tensor_fini(&indices);
    return status;
}

static ob_status zeros_at_depth(const ob_host *host, const ob_value *meta, ob_value *out, int depth,
                                ob_err *err)
{
    if (meta->kind == OB_VALUE_TENSOR) {
        ob_tensor tensor;
        OB_TRY(tensor_zeros(host, meta->as.tensor, &tensor, err));
        const ob_status status = host->value_init_tensor(out, &tensor, err);
        host->tensor_fini(&tensor);
        return status;
    }
    if (!ob_value_is_list(meta))
        return host->value_copy(out, meta, err);
    if (depth == MAX_DEPTH)
        return too_deep(host, err);
    OB_TRY(host->value_init_list(out, meta->kind, meta->as.list.count, err));
    for (size_t i = 0; i < meta->as.list.count; i++) {
        const ob_status status =
            zeros_at_depth(host, &meta->as.list.items[i], &out->as.list.items[i], depth + 1, err);
        if (status != OB_OK) {
            host->value_fini(out);
            return status;
        }
    }
    return OB_OK;
}

ob_status null_value_zeros(const ob_host *host, const ob_value *meta, ob_value *out, ob_err *err)
{
    return zeros_at_depth(host, meta, out, 0, err);
}

static ob_status add_tensor_bytes(const ob_host *host, const ob_tensor *tensor, uint64_t *bytes,
                                  ob_err *err)
{
    if (ob_layout_is_sparse(tensor->layout)) {
        OB_TRY(add_tensor_bytes(host, tensor->indices, bytes, err));
        return add_tensor_bytes(host, tensor->values, bytes, err);
    }
    int64_t span;
    OB_TRY(host->shape_span_bytes(tensor->sizes, tensor->strides, tensor->ndim, tensor->dtype,
                                  &span, err));
    if (__builtin_add_overflow(*bytes, (uint64_t)span, bytes))
        return host->err_set(err, OB_ERR_OVERFLOW, "the case's tensors exceed 2^64 bytes");
    return OB_OK;
}

static ob_status add_bytes_at_depth(const ob_host *host, const ob_value *value, uint64_t *bytes,
                                    int depth, ob_err *err)
{
    if (value->kind == OB_VALUE_TENSOR)
        return add_tensor_bytes(host, value->as.tensor, bytes, err);
    if (!ob_value_is_list(value))
        return OB_OK;
    if (depth == MAX_DEPTH)
        return too_deep(host, err);
    for (size_t i = 0; i < value->as.list.count; i++)
        OB_TRY(add_bytes_at_depth(host, &value->as.list.items[i], bytes, depth + 1, err));
    return OB_OK;
}

ob_status null_value_bytes(const ob_host *host, const ob_value *value, uint64_t *bytes, ob_err *err)
{
    return add_bytes_at_depth(host, value, bytes, 0, err);
}
