/* SPDX-License-Identifier: Apache-2.0
 *
 * Elements in host memory: what happens outside of models.
 */
#include "onnxruntime_backend.h"

#include <string.h>

static void copy_dim(const ob_tensor *to, const ob_tensor *from, size_t size, int dim, char *out,
                     const char *in)
{
    if (dim == to->ndim) {
        memcpy(out, in, size);
        return;
    }
    const int64_t step = (int64_t)size;
    for (int64_t i = 0; i < to->sizes[dim]; i++)
        copy_dim(to, from, size, dim + 1, out + i * to->strides[dim] * step,
                 in + i * from->strides[dim] * step);
}

void ort_copy_elements(const ob_host *host, const ob_tensor *to, const ob_tensor *from)
{
    const size_t size = host->dtype_get_info(to->dtype)->size_bytes;
    const int64_t count = host->tensor_numel(to);
    char *out = host->tensor_data(to);
    const char *in = host->tensor_data(from);
    if (count == 0 || out == in)
        return;
    if (host->tensor_is_contiguous(to) && host->tensor_is_contiguous(from))
        memmove(out, in, (size_t)count * size);
    else
        copy_dim(to, from, size, 0, out, in);
}

void ort_fill_ones(const ob_host *host, const ob_tensor *tensor)
{
    static const float f32 = 1;
    static const double f64 = 1;
    static const uint16_t f16 = 0x3c00, bf16 = 0x3f80;
    const size_t size = host->dtype_get_info(tensor->dtype)->size_bytes;
    const void *one = tensor->dtype == OB_DTYPE_F64    ? (const void *)&f64
                      : tensor->dtype == OB_DTYPE_F16  ? (const void *)&f16
                      : tensor->dtype == OB_DTYPE_BF16 ? (const void *)&bf16
                                                       : (const void *)&f32;
    char *data = host->tensor_data(tensor);
    const int64_t count = host->tensor_numel(tensor);
    for (int64_t i = 0; i < count; i++)
        memcpy(data + (size_t)i * size, one, size);
}
