/* SPDX-License-Identifier: Apache-2.0
 *
 * Dimensions of tensors that are walked together: repeated ones, and those that can be walked as one.
 */
#include "opbench/kit.h"

void ob_kit_broadcast_strides(const ob_tensor *tensor, int ndim, int64_t *strides)
{
    for (int d = 0; d < ndim; d++) {
        const int own = d - (ndim - tensor->ndim);
        strides[d] = own >= 0 && tensor->sizes[own] > 1 ? tensor->strides[own] : 0;
    }
}

static void swap(int64_t *numbers, int a, int b)
{
    const int64_t number = numbers[a];
    numbers[a] = numbers[b];
    numbers[b] = number;
}

void ob_kit_dims_swap(ob_kit_dims *dims, int a, int b)
{
    swap(dims->sizes, a, b);
    for (int k = 0; k < dims->operand_count; k++)
        swap(dims->strides[k], a, b);
}

void ob_kit_dims_drop_ones(ob_kit_dims *dims)
{
    int kept = 0;
    for (int d = 0; d < dims->ndim; d++)
        if (dims->sizes[d] != 1)
            ob_kit_dims_swap(dims, kept++, d);
    dims->ndim = kept;
}

static bool is_one_walk(const ob_kit_dims *dims, int outer, int inner)
{
    for (int k = 0; k < dims->operand_count; k++)
        /* Unsigned: where there are no elements, sizes and strides may be of any magnitude. */
        if ((uint64_t)dims->strides[k][outer] !=
            (uint64_t)dims->strides[k][inner] * (uint64_t)dims->sizes[inner])
            return false;
    return true;
}

void ob_kit_dims_merge(ob_kit_dims *dims)
{
    int last = 0;
    for (int d = 1; d < dims->ndim; d++) {
        if (is_one_walk(dims, last, d)) {
            dims->sizes[last] *= dims->sizes[d];
            for (int k = 0; k < dims->operand_count; k++)
                dims->strides[k][last] = dims->strides[k][d];
        } else {
            ob_kit_dims_swap(dims, ++last, d);
        }
    }
    dims->ndim = dims->ndim > 0 ? last + 1 : 0;
}
