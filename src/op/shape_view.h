/* SPDX-License-Identifier: Apache-2.0
 *
 * View arithmetic that others need too (the graph layer asks whether a reshape copies).
 */
#ifndef OB_OP_SHAPE_VIEW_H
#define OB_OP_SHAPE_VIEW_H

#include "opbench/tensor.h"

/* Replaces one -1 in sizes by what numel leaves for it. False when that is not possible, or when
 * the product is not numel. */
bool ob__view_infer(int64_t numel, int64_t *sizes, int ndim);
/* Strides with which the tensor's memory can be read as sizes (same number of elements); false
 * when it takes a copy. */
bool ob__view_strides(const ob_tensor *tensor, const int64_t *sizes, int ndim, int64_t *strides);

#endif
