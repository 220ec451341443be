/* SPDX-License-Identifier: Apache-2.0
 *
 * Convolutions for f32 and f64, from one text (conv_real.h).
 */
#include "conv.h"

#include <string.h>

/* Elements of the column matrix that are made at a time: what a second-level cache holds. */
enum { TILE_ELEMENTS = 1 << 18, TILE_MIN_LENGTH = 32 };

/* The column matrix would be the wide image itself. */
static bool is_pointwise(const native_window *w)
{
    for (int d = 0; d < NATIVE_SPATIAL; d++)
        if (w->kernel[d] != 1 || w->stride[d] != 1 || w->padding[d] != 0 ||
            w->wide[d] != w->narrow[d])
            return false;
    return true;
}

/* Positions per tile. */
static int64_t tile_length(const native_conv *conv)
{
    const int64_t depth = conv->wide_channels * native_window_product(conv->window.kernel);
    const int64_t length = native_window_product(conv->window.narrow);
    int64_t tile = depth > 0 ? TILE_ELEMENTS / depth : TILE_ELEMENTS;
    if (tile < TILE_MIN_LENGTH)
        tile = TILE_MIN_LENGTH;
    return tile < length ? tile : length > 0 ? length : 1;
}

int64_t native_conv_workspace(const native_conv *conv)
{
    const int64_t depth = conv->wide_channels * native_window_product(conv->window.kernel);
    return is_pointwise(&conv->window) ? 0 : depth * tile_length(conv);
}

#define PUBLIC(name) native_conv_##name##_f32
#define NAME(name) name##_f32
#define REAL float
#define GEMM native_gemm_f32
#include "conv_real.h"
#undef PUBLIC
#undef NAME
#undef REAL
#undef GEMM

#define PUBLIC(name) native_conv_##name##_f64
#define NAME(name) name##_f64
#define REAL double
#define GEMM native_gemm_f64
#include "conv_real.h"
