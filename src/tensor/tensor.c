/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensors. A tensor that one of the init functions gave is sound: its dtype is known, its sizes
 * multiply without overflow, every element lies inside its storage. Kernels rely on that.
 * A failed init leaves an empty tensor that ob_tensor_fini takes.
 */
#include "opbench/tensor.h"

#include <stdlib.h>
#include <string.h>

#define CPU_INIT                                                                                   \
    {                                                                                              \
        .type = "cpu", .index = -1                                                                 \
    }
static const ob_device CPU = CPU_INIT;
static const ob_tensor EMPTY = {.dtype = OB_DTYPE_INVALID, .device = CPU_INIT};

static ob_status make_meta(ob_tensor *tensor, const int64_t *sizes, const int64_t *strides,
                           ob_err *err)
{
    const int ndim = tensor->ndim;
    int64_t numel, bytes;
    OB_TRY(ob_shape_numel(sizes, ndim, &numel, err));
    for (int i = 0; i < ndim; i++)
        tensor->sizes[i] = sizes[i];
    if (strides == NULL)
        ob_shape_contiguous_strides(sizes, ndim, tensor->strides);
    for (int i = 0; i < ndim && strides != NULL; i++)
        tensor->strides[i] = strides[i];
    return ob_shape_span_bytes(tensor->sizes, tensor->strides, ndim, tensor->dtype, &bytes, err);
}

ob_status ob_tensor_init_meta(ob_tensor *out, ob_dtype dtype, const int64_t *sizes, int ndim,
                              const int64_t *strides, ob_err *err)
{
    /* Made aside: sizes and strides may be those of *out. */
    ob_tensor tensor = {.dtype = dtype, .layout = OB_LAYOUT_STRIDED, .ndim = ndim, .device = CPU};
    const ob_status status = make_meta(&tensor, sizes, strides, err);
    *out = status == OB_OK ? tensor : EMPTY;
    return status;
}

/* Of a tensor that passed init_meta: cannot overflow any more. */
static int64_t span_bytes(const ob_tensor *tensor)
{
    int64_t bytes = 0;
    ob_shape_span_bytes(tensor->sizes, tensor->strides, tensor->ndim, tensor->dtype, &bytes, NULL);
    return bytes;
}

ob_status ob_tensor_init(ob_tensor *out, ob_dtype dtype, const int64_t *sizes, int ndim,
                         const int64_t *strides, ob_err *err)
{
    OB_TRY(ob_tensor_init_meta(out, dtype, sizes, ndim, strides, err));
    const ob_status status = ob_storage_create((size_t)span_bytes(out), &out->storage, err);
    if (status != OB_OK)
        ob_tensor_fini(out);
    return status;
}

/* Elements are read through typed pointers, so host memory must be aligned for them. */
static bool is_misaligned(const ob_storage *storage, ob_dtype dtype)
{
    const size_t size = ob_dtype_size(dtype);
    const size_t alignment = size > sizeof(double) ? sizeof(double) : size;
    const bool on_host = strcmp(ob_storage_device(storage)->type, CPU.type) == 0;
    return on_host && (uintptr_t)ob_storage_data(storage) % alignment != 0;
}

static ob_status check_view(const ob_tensor *view, const ob_storage *storage, int64_t offset,
                            ob_err *err)
{
    int64_t end;
    if (storage == NULL)
        return ob_err_set(err, OB_ERR_INVALID, "a view needs a storage");
    if (offset < 0)
        return ob_err_set(err, OB_ERR_INVALID,
                          "the view's offset %lld is negative; offsets are 0 or more",
                          (long long)offset);
    if (__builtin_mul_overflow(offset, (int64_t)ob_dtype_size(view->dtype), &end) ||
        __builtin_add_overflow(end, span_bytes(view), &end))
        return ob_err_set(err, OB_ERR_OVERFLOW,
                          "the view's end at offset %lld does not fit 64 bits; use a smaller shape",
                          (long long)offset);
    if ((uint64_t)end > ob_storage_size(storage))
        return ob_err_set(err, OB_ERR_INVALID,
                          "the view ends at byte %lld, but its storage has only %zu bytes; use a "
                          "smaller shape, stride or offset",
                          (long long)end, ob_storage_size(storage));
    if (is_misaligned(storage, view->dtype))
        return ob_err_set(err, OB_ERR_INVALID,
                          "the storage's address is not aligned for %s elements; copy it first",
                          ob_dtype_get_info(view->dtype)->torch_name);
    return OB_OK;
}

ob_status ob_tensor_init_view(ob_tensor *out, ob_storage *storage, ob_dtype dtype,
                              const int64_t *sizes, int ndim, const int64_t *strides,
                              int64_t offset, ob_err *err)
{
    ob_tensor view;
    ob_status status = ob_tensor_init_meta(&view, dtype, sizes, ndim, strides, err);
    if (status == OB_OK)
        status = check_view(&view, storage, offset, err);
    if (status != OB_OK) {
        *out = EMPTY;
        return status;
    }
    view.offset = offset;
    view.device = *ob_storage_device(storage);
    view.storage = ob_storage_retain(storage);
    *out = view;
    return OB_OK;
}

/* A copy on the heap, sharing the storage. */
static ob_status clone(struct ob_tensor **out, const ob_tensor *in, ob_err *err)
{
    *out = NULL;
    ob_tensor *copy = malloc(sizeof *copy);
    if (copy == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "no memory for a tensor record");
    const ob_status status = ob_tensor_copy(copy, in, err);
    if (status == OB_OK)
        *out = copy;
    else
        free(copy);
    return status;
}

static ob_status check_sparse_shape(const int64_t *sizes, int ndim, const ob_tensor *indices,
                                    const ob_tensor *values, ob_err *err)
{
    if (indices->layout != OB_LAYOUT_STRIDED || values->layout != OB_LAYOUT_STRIDED)
        return ob_err_set(err, OB_ERR_INVALID,
                          "indices and values of a sparse tensor must be strided tensors");
    if (indices->dtype != OB_DTYPE_I64 || indices->ndim != 2)
        return ob_err_set(err, OB_ERR_INVALID,
                          "indices of a sparse tensor must be int64 of shape [sparse_dim, nnz]");
    if (values->ndim < 1 || values->sizes[0] != indices->sizes[1])
        return ob_err_set(err, OB_ERR_INVALID,
                          "a sparse tensor with %lld index columns needs as many entries in the "
                          "first dimension of its values",
                          (long long)indices->sizes[1]);
    const int dense_dim = values->ndim - 1;
    if (indices->sizes[0] != ndim - dense_dim)
        return ob_err_set(err, OB_ERR_INVALID,
                          "%lld sparse and %d dense dimensions do not make the %d of the shape",
                          (long long)indices->sizes[0], dense_dim, ndim);
    for (int i = 0; i < dense_dim; i++) {
        const int dim = ndim - dense_dim + i;
        if (values->sizes[1 + i] != sizes[dim])
            return ob_err_set(err, OB_ERR_INVALID,
                              "the values have size %lld where dimension %d of the shape has %lld",
                              (long long)values->sizes[1 + i], dim, (long long)sizes[dim]);
    }
    if (strcmp(indices->device.type, values->device.type) != 0 ||
        indices->device.index != values->device.index)
        return ob_err_set(err, OB_ERR_INVALID,
                          "indices and values of a sparse tensor must be on the same device");
    return OB_OK;
}

/* Kernels index without looking, so an index out of range is found here or nowhere. */
static ob_status check_sparse_indices(const int64_t *sizes, const ob_tensor *indices, ob_err *err)
{
    const int64_t *data = ob_tensor_data(indices);
    if (data == NULL || strcmp(indices->device.type, CPU.type) != 0)
        return OB_OK;
    for (int64_t dim = 0; dim < indices->sizes[0]; dim++) {
        for (int64_t i = 0; i < indices->sizes[1]; i++) {
            const int64_t index = data[dim * indices->strides[0] + i * indices->strides[1]];
            if (index < 0 || index >= sizes[dim])
                return ob_err_set(err, OB_ERR_INVALID,
                                  "index %lld (column %lld) is outside dimension %lld of size %lld",
                                  (long long)index, (long long)i, (long long)dim,
                                  (long long)sizes[dim]);
        }
    }
    return OB_OK;
}

ob_status ob_tensor_init_sparse(ob_tensor *out, const int64_t *sizes, int ndim,
                                const ob_tensor *indices, const ob_tensor *values, ob_err *err)
{
    ob_tensor sparse;
    ob_status status = ob_tensor_init_meta(&sparse, values->dtype, sizes, ndim, NULL, err);
    if (status == OB_OK)
        status = check_sparse_shape(sizes, ndim, indices, values, err);
    if (status == OB_OK)
        status = check_sparse_indices(sizes, indices, err);
    if (status == OB_OK)
        status = clone(&sparse.indices, indices, err);
    if (status == OB_OK)
        status = clone(&sparse.values, values, err);
    if (status != OB_OK) {
        ob_tensor_fini(&sparse);
        *out = EMPTY;
        return status;
    }
    memset(sparse.strides, 0, sizeof sparse.strides);
    sparse.layout = OB_LAYOUT_SPARSE_COO;
    sparse.device = values->device;
    *out = sparse;
    return OB_OK;
}

ob_status ob_tensor_copy(ob_tensor *out, const ob_tensor *in, ob_err *err)
{
    ob_tensor copy = *in;
    copy.storage = ob_storage_retain(in->storage);
    copy.indices = NULL;
    copy.values = NULL;
    ob_status status = OB_OK;
    if (in->indices)
        status = clone(&copy.indices, in->indices, err);
    if (status == OB_OK && in->values)
        status = clone(&copy.values, in->values, err);
    if (status != OB_OK) {
        ob_tensor_fini(&copy);
        copy = EMPTY;
    }
    *out = copy;
    return status;
}

void ob_tensor_fini(ob_tensor *tensor)
{
    if (tensor == NULL)
        return;
    struct ob_tensor *const parts[] = {tensor->indices, tensor->values};
    for (int i = 0; i < 2; i++) {
        if (parts[i] == NULL)
            continue;
        ob_storage_release(parts[i]->storage); /* parts are strided: no parts of their own */
        free(parts[i]);
    }
    ob_storage_release(tensor->storage);
    *tensor = EMPTY;
}

int64_t ob_tensor_numel(const ob_tensor *tensor)
{
    int64_t numel = 0;
    ob_shape_numel(tensor->sizes, tensor->ndim, &numel, NULL);
    return numel;
}

bool ob_tensor_is_contiguous(const ob_tensor *tensor)
{
    return tensor->layout == OB_LAYOUT_STRIDED &&
           ob_shape_is_contiguous(tensor->sizes, tensor->strides, tensor->ndim);
}

void *ob_tensor_data(const ob_tensor *tensor)
{
    char *base = ob_storage_data(tensor->storage);
    return base ? base + (size_t)tensor->offset * ob_dtype_size(tensor->dtype) : NULL;
}
