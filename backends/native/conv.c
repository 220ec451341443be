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

static int64_t divide_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* Positions per tile. Where images and groups do not give every thread as much, there is a tile more for some. */
static int64_t tile_length(const native_conv *conv)
{
    enum { VECTOR = 8 };
    const int64_t depth = conv->wide_channels * native_window_product(conv->window.kernel);
    const int64_t length = native_window_product(conv->window.narrow);
    int64_t tile = depth > 0 ? TILE_ELEMENTS / depth : TILE_ELEMENTS;
    if (tile < TILE_MIN_LENGTH)
        tile = TILE_MIN_LENGTH;
    if (conv->images * conv->groups % conv->places != 0) {
        const int64_t tiles = divide_up(divide_up(length, tile), conv->places) * conv->places;
        const int64_t even = divide_up(divide_up(length, tiles), VECTOR) * VECTOR;
        tile = even < TILE_MIN_LENGTH ? TILE_MIN_LENGTH : even;
    }
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

static int64_t place_workspace(const native_conv *conv)
{
    const int64_t depth = conv->wide_channels * native_window_product(conv->window.kernel);
    const int64_t columns = is_pointwise(&conv->window) ? 0 : depth * tile_length(conv);
    const native_frame f = frame_of(&conv->window);
    const int64_t frames = is_depthwise(conv) ? 2 * (f.rows * f.pitch + NATIVE_TAP_SLACK) : 0;
    return columns > frames ? columns : frames;
}

int64_t native_conv_workspace(const native_conv *conv)
{
    return place_workspace(conv) * conv->places;
}

/* ---- threads ---- */

/* What a convolution computes at once: a whole image of a group, or a tile of it. */
static int64_t item_length(const native_conv *conv)
{
    const int64_t length = native_window_product(conv->window.narrow);
    return is_pointwise(&conv->window) || is_depthwise(conv) ? length : tile_length(conv);
}

static int64_t items_per_part(const native_conv *conv)
{
    return divide_up(native_window_product(conv->window.narrow), item_length(conv));
}

void native_conv_set_places(native_conv *conv, int64_t threads)
{
    conv->places = threads > 1 ? threads : 1;
    if (native_window_product(conv->window.narrow) == 0 ||
        conv->images * conv->groups * items_per_part(conv) < threads)
        conv->places = 1;
}

/* Computes one item, with a workspace of its own. */
typedef void (*item_fn)(const native_conv *conv, const native_conv_data *data, int64_t item);

typedef struct share_out {
    const native_conv *conv;
    const native_conv_data *data;
    size_t size; /* of an element */
    int64_t items, places;
    item_fn fn;
} share_out;

static void run_share(void *ctx, int64_t begin, int64_t end)
{
    const share_out *all = ctx;
    for (int64_t place = begin; place < end; place++) {
        native_conv_data own = *all->data;
        own.alone = all->places > 1;
        own.workspace =
            (char *)all->data->workspace + (size_t)(place * place_workspace(all->conv)) * all->size;
        for (int64_t i = all->items * place / all->places;
             i < all->items * (place + 1) / all->places; i++)
            all->fn(all->conv, &own, i);
    }
}

/* Each thread gets its share of the items at once. With fewer items than threads the loops inside are spread instead. */
static void spread(const native_conv *conv, const native_conv_data *data, size_t size,
                   int64_t items, item_fn fn)
{
    share_out all = {
        .conv = conv, .data = data, .size = size, .items = items, .places = conv->places, .fn = fn};
    if (all.places > data->env->threads)
        all.places = data->env->threads;
    if (items < all.places)
        all.places = 1;
    native_parallel(data->env, all.places, 1, run_share, &all);
}

/* Channels whose patches are worth a thread. */
static int64_t channel_grain(int64_t elements)
{
    enum { GRAIN = 1 << 14 };
    return elements > 0 ? GRAIN / elements + 1 : GRAIN;
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
