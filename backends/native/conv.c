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

/* The part of a padded plane that the windows see. */
typedef struct native_frame {
    int64_t rows, pitch;
} native_frame;

static native_frame frame_of(const native_window *w)
{
    return (native_frame){
        .rows = (w->narrow[1] - 1) * w->stride[1] + (w->kernel[1] - 1) * w->dilation[1] + 1,
        .pitch = (w->narrow[2] - 1) * w->stride[2] + (w->kernel[2] - 1) * w->dilation[2] + 1};
}

enum { NATIVE_MOST_TAPS = 49, MOST_DEPTH_STRIDE = 2, MOST_FRAME = 1 << 20 };

/* Whether the direct loops are for it: planes that caches hold, windows that see all of them. */
static bool is_depthwise(const native_conv *conv)
{
    const native_window *w = &conv->window;
    if (conv->wide_channels != 1 || w->wide[0] != 1 || w->kernel[0] != 1 || w->padding[0] != 0 ||
        w->narrow[0] != 1 || native_window_product(w->narrow) == 0 ||
        native_window_product(w->kernel) > NATIVE_MOST_TAPS || w->stride[1] > MOST_DEPTH_STRIDE ||
        w->stride[2] > MOST_DEPTH_STRIDE || w->narrow[1] > MOST_FRAME || w->narrow[2] > MOST_FRAME)
        return false;
    const native_frame f = frame_of(w);
    return f.rows <= MOST_FRAME && f.pitch <= MOST_FRAME && f.rows * f.pitch <= MOST_FRAME;
}

int64_t native_conv_workspace(const native_conv *conv)
{
    const int64_t depth = conv->wide_channels * native_window_product(conv->window.kernel);
    const int64_t columns = is_pointwise(&conv->window) ? 0 : depth * tile_length(conv);
    const native_frame f = frame_of(&conv->window);
    const int64_t frames = is_depthwise(conv) ? 2 * (f.rows * f.pitch + NATIVE_TAP_SLACK) : 0;
    return columns > frames ? columns : frames;
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
