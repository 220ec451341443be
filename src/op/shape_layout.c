/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory order of outputs; see shape_layout.h.
 */
#include "op/shape_layout.h"

#include <string.h>

/* Dimensions that hold data, by rising stride; the rest (size 0 or 1) comes last. */
static void order_by_stride(const ob_tensor *t, int *order)
{
    for (int i = 0; i < t->ndim; i++) {
        int at = i;
        for (; at > 0; at--) {
            const int other = order[at - 1];
            const bool other_later =
                t->sizes[i] > 1 && (t->sizes[other] < 2 || t->strides[other] > t->strides[i]);
            if (!other_later)
                break;
            order[at] = other;
        }
        order[at] = i;
    }
}

/* No gaps, no overlap: the elements fill their span in some order of the dimensions. */
static bool is_dense(const ob_tensor *tensor)
{
    int order[OB_MAX_DIMS];
    int64_t expected = 1;
    order_by_stride(tensor, order);
    for (int i = 0; i < tensor->ndim; i++) {
        const int d = order[i];
        if (tensor->sizes[d] < 2)
            continue;
        if (tensor->strides[d] != expected)
            return false;
        expected *= tensor->sizes[d];
    }
    return true;
}

/* Memory order of channels last, fastest dimension first. */
static const int ORDER_4D[] = {1, 3, 2, 0};
static const int ORDER_5D[] = {1, 4, 3, 2, 0};

bool ob__is_channels_last(const ob_tensor *tensor)
{
    if (tensor->ndim != 4 && tensor->ndim != 5)
        return false;
    const int *order = tensor->ndim == 4 ? ORDER_4D : ORDER_5D;
    int64_t least = 0;
    if (tensor->strides[1] == 0)
        return false;
    for (int i = 0; i < tensor->ndim; i++) {
        const int d = order[i];
        const int64_t stride = tensor->strides[d];
        if (tensor->sizes[d] == 0 || stride < least)
            return false;
        /* N x 1 x 1 x 1 and the like fit both orders: they count as contiguous. */
        if (d == 0 && least == tensor->strides[1])
            return false;
        least = tensor->sizes[d] > 1 ? stride * tensor->sizes[d] : stride;
    }
    return true;
}

/* The same without gaps, whatever the strides of dimensions of size 1. */
static bool fills_channels_last(const ob_tensor *tensor)
{
    int64_t expected = 1;
    if (tensor->ndim != 4)
        return false;
    for (int i = 0; i < 4; i++) {
        const int d = ORDER_4D[i];
        if (tensor->sizes[d] == 1)
            continue;
        if (tensor->strides[d] != expected)
            return false;
        expected *= tensor->sizes[d];
    }
    return true;
}

/* Sizes whose strides are too large stay without: whoever makes a tensor of them refuses it. */
void ob__set_channels_last(ob__shape *shape)
{
    const int *order = shape->ndim == 4 ? ORDER_4D : ORDER_5D;
    int64_t stride = 1;
    bool fits = true;
    for (int i = 0; i < shape->ndim && fits; i++) {
        const int64_t size = shape->sizes[order[i]];
        shape->strides[order[i]] = stride;
        fits = !__builtin_mul_overflow(stride, size > 0 ? size : 1, &stride);
    }
    shape->strided = fits;
}

void ob__follow_channels_last(ob__shape *shape, const ob_tensor *like)
{
    if (shape->ndim == like->ndim && ob__is_channels_last(like))
        ob__set_channels_last(shape);
}

/* Stride of the operand along dimension d of the (larger) shape; 0 where it broadcasts. */
static int64_t stride_in(const ob__shape *shape, const ob_tensor *t, int d)
{
    const int own = d - (shape->ndim - t->ndim);
    if (own < 0 || (t->sizes[own] == 1 && shape->sizes[d] != 1))
        return 0;
    return t->strides[own];
}

/* > 0: b belongs before a in memory order, < 0: a does, 0: the operands do not say. */
static int compare_dims(const ob__shape *shape, const ob_tensor *const *operands, size_t count,
                        int a, int b)
{
    for (size_t i = 0; i < count; i++) {
        const int64_t x = stride_in(shape, operands[i], a);
        const int64_t y = stride_in(shape, operands[i], b);
        if (x == 0 || y == 0)
            continue;
        if (x != y)
            return x < y ? -1 : 1;
        if (shape->sizes[a] > shape->sizes[b])
            return 1;
    }
    return 0;
}

/* True if every operand has the result's sizes and the first one's strides, without gaps. */
static bool same_dense(const ob__shape *shape, const ob_tensor *const *operands, size_t count)
{
    const size_t bytes = (size_t)shape->ndim * sizeof shape->sizes[0];
    for (size_t i = 0; i < count; i++) {
        if (operands[i]->ndim != shape->ndim || !is_dense(operands[i]))
            return false;
        if (memcmp(operands[i]->sizes, shape->sizes, bytes) != 0 ||
            memcmp(operands[i]->strides, operands[0]->strides, bytes) != 0)
            return false;
    }
    return count > 0;
}

static bool all_fit(const ob__shape *shape, const ob_tensor *const *operands, size_t count,
                    bool (*fits)(const ob_tensor *))
{
    const size_t bytes = (size_t)shape->ndim * sizeof shape->sizes[0];
    for (size_t i = 0; i < count; i++) {
        if (operands[i]->ndim != shape->ndim ||
            memcmp(operands[i]->sizes, shape->sizes, bytes) != 0 || !fits(operands[i]))
            return false;
    }
    return true;
}

void ob__set_elementwise_strides(ob__shape *shape, const ob_tensor *const *operands, size_t count)
{
    int order[OB_MAX_DIMS]; /* fastest dimension first */
    shape->strided = false;
    for (int d = 0; d < shape->ndim; d++) {
        if (shape->sizes[d] == 0)
            return;
    }
    if (count == 0 || shape->ndim < 2 || all_fit(shape, operands, count, ob_tensor_is_contiguous))
        return;
    if (all_fit(shape, operands, count, fills_channels_last)) {
        ob__set_channels_last(shape);
        return;
    }
    shape->strided = true;
    if (same_dense(shape, operands, count)) {
        memcpy(shape->strides, operands[0]->strides, sizeof shape->strides);
        return;
    }
    for (int i = 0; i < shape->ndim; i++)
        order[i] = shape->ndim - 1 - i;
    for (int i = 1; i < shape->ndim; i++) {
        for (int at = i, before = i - 1; before >= 0; before--) {
            const int sign = compare_dims(shape, operands, count, order[before], order[at]);
            if (sign < 0)
                break;
            if (sign > 0) {
                const int swap = order[before];
                order[before] = order[at];
                order[at] = swap;
                at = before;
            }
        }
    }
    int64_t stride = 1;
    for (int i = 0; i < shape->ndim; i++) {
        shape->strides[order[i]] = stride;
        stride *= shape->sizes[order[i]];
    }
}

void ob__set_preserved_strides(ob__shape *shape, const ob_tensor *tensor)
{
    if (is_dense(tensor)) {
        memcpy(shape->strides, tensor->strides, sizeof shape->strides);
        shape->strided = true;
        return;
    }
    ob__set_elementwise_strides(shape, &tensor, 1);
}

ob_status ob__set_memory_format(const ob_op_call *call, ob__shape *shape, const ob_tensor *tensor,
                                ob_err *err)
{
    const ob_value *v = ob__arg(call, "memory_format");
    ob_memory_format format = OB_MEMORY_FORMAT_PRESERVE;
    if (v != NULL && v->kind == OB_VALUE_MEMORY_FORMAT)
        format = v->as.memory_format;
    else if (v != NULL && v->kind == OB_VALUE_INT)
        format = (ob_memory_format)(v->as.integer & 3);
    shape->strided = false;
    if (format == OB_MEMORY_FORMAT_PRESERVE && tensor != NULL)
        ob__set_preserved_strides(shape, tensor);
    if (format == OB_MEMORY_FORMAT_CHANNELS_LAST || format == OB_MEMORY_FORMAT_CHANNELS_LAST_3D) {
        const int ndim = format == OB_MEMORY_FORMAT_CHANNELS_LAST ? 4 : 5;
        char text[OB__SHAPE_TEXT];
        if (shape->ndim != ndim)
            return ob__shape_fail(call, err,
                                  "memory_format channels_last%s needs %d dimensions, and the "
                                  "tensor is %s",
                                  ndim == 5 ? "_3d" : "", ndim,
                                  ob__sizes_text(shape->sizes, shape->ndim, text));
        ob__set_channels_last(shape);
    }
    return OB_OK;
}
