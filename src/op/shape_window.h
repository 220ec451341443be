/* SPDX-License-Identifier: Apache-2.0
 *
 * Sliding windows: the arithmetic that convolution and pooling share.
 */
#ifndef OB_OP_SHAPE_WINDOW_H
#define OB_OP_SHAPE_WINDOW_H

#include "op/shape_util.h"

/* An int[n] argument for `dims` spatial dimensions: one entry stands for all, none for `fallback`
 * (NULL: an error). Entries from `least` to INT32_MAX, so that products of two fit into int64. */
ob_status ob__window_arg(const ob_op_call *call, const char *name, int dims, int64_t least,
                         const ob__ints *fallback, ob__ints *out, ob_err *err);

typedef struct ob__window {
    int64_t kernel, stride, padding, dilation;
    bool ceil_mode;
} ob__window;

/* Number of places of the window over size; may be 0 or negative when it does not fit. */
int64_t ob__window_places(int64_t size, const ob__window *window);

#endif
