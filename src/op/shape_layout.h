/* SPDX-License-Identifier: Apache-2.0
 *
 * Which strides PyTorch gives to an output that is not a view: the order of dimensions in memory
 * follows the inputs, so that a channels-last network stays channels-last.
 */
#ifndef OB_OP_SHAPE_LAYOUT_H
#define OB_OP_SHAPE_LAYOUT_H

#include "op/shape_util.h"

/* 4 dimensions in the memory order N, H, W, C (or 5: N, D, H, W, C). */
bool ob__is_channels_last(const ob_tensor *tensor);
/* Strides of that memory order for shape (4 or 5 dimensions). */
void ob__set_channels_last(ob__shape *shape);
/* Gives shape (4 or 5 dimensions) the memory order of like: channels last or contiguous. */
void ob__follow_channels_last(ob__shape *shape, const ob_tensor *like);

/* Strides of an elementwise result over operands that broadcast to shape. */
void ob__set_elementwise_strides(ob__shape *shape, const ob_tensor *const *operands, size_t count);
/* What empty_like and clone give without a memory format: the tensor's own order, made dense. */
void ob__set_preserved_strides(ob__shape *shape, const ob_tensor *tensor);
/* The memory_format argument of the call (absent, None: preserve) for a result with the sizes of
 * tensor. */
ob_status ob__set_memory_format(const ob_op_call *call, ob__shape *shape, const ob_tensor *tensor,
                                ob_err *err);

#endif
