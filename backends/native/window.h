/* SPDX-License-Identifier: Apache-2.0
 *
 * Windows that slide over images of 1 to 3 spatial dimensions, for convolutions and pools. Fewer
 * than three are three whose first ones have size 1, so that the loops are written once.
 */
#ifndef OB_NATIVE_WINDOW_H
#define OB_NATIVE_WINDOW_H

#include <stdint.h>

enum { NATIVE_SPATIAL = 3 };

/* "wide" is the side that the windows slide over (a convolution's input, a transposed one's
 * output); "narrow" has one element per position of the window. */
typedef struct native_window {
    int64_t wide[NATIVE_SPATIAL], narrow[NATIVE_SPATIAL];
    int64_t kernel[NATIVE_SPATIAL], stride[NATIVE_SPATIAL], padding[NATIVE_SPATIAL],
        dilation[NATIVE_SPATIAL];
} native_window;

static inline int64_t native_window_product(const int64_t sizes[NATIVE_SPATIAL])
{
    return sizes[0] * sizes[1] * sizes[2];
}

/* First and last + 1 output position along dimension d at which kernel element k lies inside. */
static inline void native_window_inside(const native_window *w, int d, int64_t k, int64_t *first,
                                        int64_t *last)
{
    const int64_t shift = k * w->dilation[d] - w->padding[d]; /* input = output * stride + shift */
    const int64_t stride = w->stride[d];
    int64_t lo = shift < 0 ? (-shift + stride - 1) / stride : 0;
    int64_t hi = w->wide[d] - shift > 0 ? (w->wide[d] - shift - 1) / stride + 1 : 0;
    if (hi > w->narrow[d])
        hi = w->narrow[d];
    *first = lo < hi ? lo : hi;
    *last = hi;
}

#endif
