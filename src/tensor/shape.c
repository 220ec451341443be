/* SPDX-License-Identifier: Apache-2.0
 *
 * Arithmetic on sizes and strides. Shapes come from files that anyone may have written, so every
 * product and sum is checked here, once; what passed needs no further check elsewhere.
 */
#include "opbench/tensor.h"

static ob_status check_ndim(int ndim, ob_err *err)
{
    if (ndim < 0)
        return ob_err_set(err, OB_ERR_INVALID, "a shape cannot have %d dimensions", ndim);
    if (ndim > OB_MAX_DIMS)
        return ob_err_set(err, OB_ERR_LIMIT,
                          "the shape has %d dimensions, but tensors have at most %d; merge some",
                          ndim, OB_MAX_DIMS);
    return OB_OK;
}

ob_status ob_shape_numel(const int64_t *sizes, int ndim, int64_t *numel, ob_err *err)
{
    int64_t product = 1; /* zero sizes count as one: contiguous strides are made of this product */
    bool empty = false;
    OB_TRY(check_ndim(ndim, err));
    for (int i = 0; i < ndim; i++) {
        if (sizes[i] < 0)
            return ob_err_set(err, OB_ERR_INVALID,
                              "size %lld of dimension %d is negative; sizes are 0 or more",
                              (long long)sizes[i], i);
        empty |= sizes[i] == 0;
    }
    for (int i = 0; i < ndim; i++) {
        if (sizes[i] != 0 && __builtin_mul_overflow(product, sizes[i], &product))
            return ob_err_set(err, OB_ERR_OVERFLOW,
                              "the product of the %d sizes does not fit 64 bits (dimension %d has "
                              "%lld); use a smaller shape",
                              ndim, i, (long long)sizes[i]);
    }
    *numel = empty ? 0 : product;
    return OB_OK;
}

void ob_shape_contiguous_strides(const int64_t *sizes, int ndim, int64_t *strides)
{
    int64_t stride = 1;
    for (int i = ndim - 1; i >= 0; i--) {
        strides[i] = stride;
        stride *= sizes[i] > 0 ? sizes[i] : 1;
    }
}

ob_status ob_shape_span_bytes(const int64_t *sizes, const int64_t *strides, int ndim,
                              ob_dtype dtype, int64_t *bytes, ob_err *err)
{
    const int64_t item = (int64_t)ob_dtype_size(dtype);
    int64_t numel = 0, last = 0, result = 0;
    if (item == 0)
        return ob_err_set(err, OB_ERR_INVALID, "%d is not a dtype", (int)dtype);
    OB_TRY(ob_shape_numel(sizes, ndim, &numel, err));
    for (int i = 0; i < ndim; i++) {
        if (strides[i] < 0)
            return ob_err_set(err, OB_ERR_INVALID,
                              "stride %lld of dimension %d is negative; strides are 0 or more",
                              (long long)strides[i], i);
    }
    for (int i = 0; i < ndim && numel > 0; i++) {
        int64_t reach;
        if (__builtin_mul_overflow(sizes[i] - 1, strides[i], &reach) ||
            __builtin_add_overflow(last, reach, &last))
            return ob_err_set(err, OB_ERR_OVERFLOW,
                              "size %lld with stride %lld in dimension %d reaches beyond 64 bits; "
                              "use a smaller shape or stride",
                              (long long)sizes[i], (long long)strides[i], i);
    }
    if (numel > 0 && (__builtin_add_overflow(last, (int64_t)1, &last) ||
                      __builtin_mul_overflow(last, item, &result)))
        return ob_err_set(err, OB_ERR_OVERFLOW,
                          "the tensor's elements of %lld bytes span more than 64 bits can address; "
                          "use a smaller shape",
                          (long long)item);
    *bytes = result;
    return OB_OK;
}

ob_status ob_shape_broadcast(const int64_t *a, int a_ndim, const int64_t *b, int b_ndim,
                             int64_t *out, int *out_ndim, ob_err *err)
{
    const int ndim = a_ndim > b_ndim ? a_ndim : b_ndim;
    int64_t result[OB_MAX_DIMS];
    OB_TRY(check_ndim(a_ndim, err));
    OB_TRY(check_ndim(b_ndim, err));
    for (int i = 1; i <= ndim; i++) { /* counted from the last dimension */
        const int64_t left = i <= a_ndim ? a[a_ndim - i] : 1;
        const int64_t right = i <= b_ndim ? b[b_ndim - i] : 1;
        if (left != right && left != 1 && right != 1)
            return ob_err_set(
                err, OB_ERR_INVALID,
                "shapes do not broadcast: dimension -%d is %lld in one and %lld in the "
                "other; make them equal, or one of them 1",
                i, (long long)left, (long long)right);
        result[ndim - i] = left == 1 ? right : left;
    }
    for (int i = 0; i < ndim; i++) /* last: out may be a or b */
        out[i] = result[i];
    *out_ndim = ndim;
    return OB_OK;
}
