/* SPDX-License-Identifier: Apache-2.0
 *
 * The loops of conv.c for one element type: conv.c defines REAL, NAME(x) and GEMM and includes
 * this file once per type; so there is no include guard.
 */

/* A run of output positions in one line of the narrow image. */
typedef struct NAME(run) {
    int64_t d, h;        /* the line */
    int64_t first, last; /* positions in it */
} NAME(run);

/* The part of the flat positions [at, end) that lies in one line. */
static NAME(run) NAME(next_run)(const native_window *w, int64_t at, int64_t end)
{
    const int64_t line = at / w->narrow[2], first = at % w->narrow[2];
    const int64_t length = w->narrow[2] - first < end - at ? w->narrow[2] - first : end - at;
    return (NAME(run)){
        .d = line / w->narrow[1], .h = line % w->narrow[1], .first = first, .last = first + length};
}

/* Where the line of the wide image starts that kernel element (kd, kh) meets; NULL in the
 * padding. */
static REAL *NAME(wide_line)(const native_window *w, REAL *channel, const NAME(run) * run,
                             int64_t kd, int64_t kh)
{
    const int64_t d = run->d * w->stride[0] + kd * w->dilation[0] - w->padding[0];
    const int64_t h = run->h * w->stride[1] + kh * w->dilation[1] - w->padding[1];
    if (d < 0 || d >= w->wide[0] || h < 0 || h >= w->wide[1])
        return NULL;
    return channel + (d * w->wide[1] + h) * w->wide[2];
}

static int64_t NAME(clip)(int64_t x, int64_t lo, int64_t hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

/* Every second of them, as most convolutions that stride do, in a loop that compilers have vectors for. */
static void NAME(copy_strided)(REAL *restrict to, const REAL *restrict from, int64_t stride,
                               int64_t count)
{
    if (stride == 2)
        for (int64_t i = 0; i < count; i++)
            to[i] = from[2 * i];
    else
        for (int64_t i = 0; i < count; i++)
            to[i] = from[i * stride];
}

/* One line of the column matrix: what kernel element k of one channel sees at [at, end). */
static void NAME(gather_line)(const native_window *w, REAL *channel, const int64_t k[3], int64_t at,
                              int64_t end, REAL *out)
{
    int64_t inside, outside;
    native_window_inside(w, 2, k[2], &inside, &outside);
    const int64_t shift = k[2] * w->dilation[2] - w->padding[2], stride = w->stride[2];
    while (at < end) {
        const NAME(run) run = NAME(next_run)(w, at, end);
        const int64_t length = run.last - run.first;
        const REAL *line = NAME(wide_line)(w, channel, &run, k[0], k[1]);
        const int64_t lo = NAME(clip)(inside, run.first, run.last) - run.first;
        const int64_t hi = line == NULL ? lo : NAME(clip)(outside, run.first, run.last) - run.first;
        memset(out, 0, (size_t)lo * sizeof *out);
        if (hi > lo && stride == 1)
            memcpy(out + lo, line + run.first + lo + shift, (size_t)(hi - lo) * sizeof *out);
        else if (hi > lo)
            NAME(copy_strided)
        (out + lo, line + (run.first + lo) * stride + shift, stride, hi - lo);
        memset(out + hi, 0, (size_t)(length - hi) * sizeof *out);
        out += length;
        at += length;
    }
}

/* The reverse: adds a line of the column matrix to where it came from. */
static void NAME(scatter_line)(const native_window *w, REAL *channel, const int64_t k[3],
                               int64_t at, int64_t end, const REAL *in)
{
    int64_t inside, outside;
    native_window_inside(w, 2, k[2], &inside, &outside);
    const int64_t shift = k[2] * w->dilation[2] - w->padding[2], stride = w->stride[2];
    while (at < end) {
        const NAME(run) run = NAME(next_run)(w, at, end);
        REAL *line = NAME(wide_line)(w, channel, &run, k[0], k[1]);
        const int64_t lo = NAME(clip)(inside, run.first, run.last);
        const int64_t hi = line == NULL ? lo : NAME(clip)(outside, run.first, run.last);
        for (int64_t i = lo; i < hi; i++)
            line[i * stride + shift] += in[i - run.first];
        in += run.last - run.first;
        at += run.last - run.first;
    }
}

typedef void (*NAME(line_fn))(const native_window *, REAL *, const int64_t[3], int64_t, int64_t,
                              REAL *);

static void NAME(scatter_line_any)(const native_window *w, REAL *channel, const int64_t k[3],
                                   int64_t at, int64_t end, REAL *in)
{
    NAME(scatter_line)(w, channel, k, at, end, in);
}

typedef struct NAME(lines) {
    const native_conv *conv;
    REAL *wide, *columns;
    int64_t at, end;
    NAME(line_fn) fn;
} NAME(lines);

static void NAME(lines_of_channels)(void *ctx, int64_t begin, int64_t last)
{
    const NAME(lines) *all = ctx;
    const native_window *w = &all->conv->window;
    const int64_t plane = native_window_product(w->wide), width = all->end - all->at;
    REAL *columns = all->columns + begin * native_window_product(w->kernel) * width;
    for (int64_t c = begin; c < last; c++)
        for (int64_t d = 0; d < w->kernel[0]; d++)
            for (int64_t h = 0; h < w->kernel[1]; h++)
                for (int64_t x = 0; x < w->kernel[2]; x++, columns += width)
                    all->fn(w, all->wide + c * plane, (const int64_t[3]){d, h, x}, all->at,
                            all->end, columns);
}

/* Every line of the column matrix [wide_channels * kernel, end - at] of one group. */
static void NAME(each_line)(const native_conv *conv, const native_conv_data *data, REAL *wide,
                            int64_t at, int64_t end, NAME(line_fn) fn)
{
    NAME(lines)
    all = {.conv = conv, .wide = wide, .columns = data->workspace, .at = at, .end = end, .fn = fn};
    const int64_t elements = native_window_product(conv->window.kernel) * (end - at);
    native_parallel(data->env, conv->wide_channels, channel_grain(elements),
                    NAME(lines_of_channels), &all);
}

/* One image and group, seen as matrices. */
typedef struct NAME(part) {
    REAL *wide, *narrow, *weight;
    int64_t depth;  /* wide_channels * kernel: lines of the column matrix */
    int64_t length; /* positions */
} NAME(part);

static NAME(part) NAME(get_part)(const native_conv *conv, const native_conv_data *data,
                                 int64_t image, int64_t group)
{
    const native_window *w = &conv->window;
    const int64_t index = image * conv->groups + group;
    const int64_t length = native_window_product(w->narrow);
    const int64_t depth = conv->wide_channels * native_window_product(w->kernel);
    return (NAME(part)){
        .wide = (REAL *)data->wide + index * conv->wide_channels * native_window_product(w->wide),
        .narrow = (REAL *)data->narrow + index * conv->narrow_channels * length,
        .weight = (REAL *)data->weight + group * conv->narrow_channels * depth,
        .depth = depth,
        .length = length,
    };
}

/* `width` numbers of each channel, the channels `pitch` apart. */
static void NAME(fill)(REAL *out, int64_t channels, int64_t pitch, int64_t width, const REAL *bias)
{
    for (int64_t c = 0; c < channels; c++)
        for (int64_t i = 0; i < width; i++)
            out[c * pitch + i] = bias == NULL ? 0 : bias[c];
}

/* Positions [at, at + width) of one part. */
static void NAME(narrow_tile)(const native_conv *conv, const native_conv_data *data,
                              const NAME(part) * part, const REAL *bias, int64_t at, int64_t width)
{
    const bool direct = is_pointwise(&conv->window);
    if (bias != NULL)
        NAME(fill)(part->narrow + at, conv->narrow_channels, part->length, width, bias);
    if (!direct)
        NAME(each_line)(conv, data, part->wide, at, at + width, NAME(gather_line));
    GEMM(data->blas, &(const native_gemm){
                         .m = conv->narrow_channels,
                         .n = width,
                         .k = part->depth,
                         .a = {part->weight, part->depth, 1},
                         .b = {direct ? part->wide : data->workspace, width, 1},
                         .c = part->narrow + at,
                         .c_row = part->length,
                         .c_column = 1,
                         .alpha = 1,
                         .beta = bias != NULL,
                         .alone = data->alone,
                     });
}

#include "conv_depth_real.h"

static void NAME(narrow_item)(const native_conv *conv, const native_conv_data *data, int64_t item)
{
    const int64_t tiles = items_per_part(conv), tile = item_length(conv);
    const int64_t index = item / tiles, at = item % tiles * tile;
    const int64_t group = index % conv->groups;
    const NAME(part) part = NAME(get_part)(conv, data, index / conv->groups, group);
    const REAL *bias = data->bias;
    if (bias != NULL)
        bias += group * conv->narrow_channels;
    if (is_depthwise(conv))
        NAME(depthwise_part)(conv, data, &part, bias);
    else
        NAME(narrow_tile)
    (conv, data, &part, bias, at, part.length - at < tile ? part.length - at : tile);
}

void PUBLIC(narrow)(const native_conv *conv, const native_conv_data *data)
{
    const int64_t parts = conv->images * conv->groups;
    spread(conv, data, sizeof(REAL), parts * items_per_part(conv), NAME(narrow_item));
}

static void NAME(wide_part)(const native_conv *conv, const native_conv_data *data,
                            const NAME(part) * part)
{
    const bool direct = is_pointwise(&conv->window);
    const int64_t tile = direct ? part->length : tile_length(conv);
    for (int64_t at = 0; at < part->length; at += tile) {
        const int64_t width = part->length - at < tile ? part->length - at : tile;
        GEMM(data->blas, &(const native_gemm){
                             .m = part->depth,
                             .n = width,
                             .k = conv->narrow_channels,
                             .a = {part->weight, 1, part->depth},
                             .b = {part->narrow + at, part->length, 1},
                             .c = direct ? part->wide : data->workspace,
                             .c_row = width,
                             .c_column = 1,
                             .alpha = 1,
                             .beta = direct,
                             .alone = data->alone,
                         });
        if (!direct)
            NAME(each_line)(conv, data, part->wide, at, at + width, NAME(scatter_line_any));
    }
}

static void NAME(wide_item)(const native_conv *conv, const native_conv_data *data, int64_t item)
{
    const int64_t plane = native_window_product(conv->window.wide), group = item % conv->groups;
    const NAME(part) part = NAME(get_part)(conv, data, item / conv->groups, group);
    const REAL *bias = data->bias;
    NAME(fill)
    (part.wide, conv->wide_channels, plane, plane,
     bias == NULL ? NULL : bias + group * conv->wide_channels);
    NAME(wide_part)(conv, data, &part);
}

void PUBLIC(wide)(const native_conv *conv, const native_conv_data *data)
{
    spread(conv, data, sizeof(REAL), conv->images * conv->groups, NAME(wide_item));
}

static void NAME(weight_part)(const native_conv *conv, const native_conv_data *data,
                              const NAME(part) * part)
{
    const bool direct = is_pointwise(&conv->window);
    const int64_t tile = direct ? part->length : tile_length(conv);
    for (int64_t at = 0; at < part->length; at += tile) {
        const int64_t width = part->length - at < tile ? part->length - at : tile;
        if (!direct)
            NAME(each_line)(conv, data, part->wide, at, at + width, NAME(gather_line));
        GEMM(data->blas, &(const native_gemm){
                             .m = conv->narrow_channels,
                             .n = part->depth,
                             .k = width,
                             .a = {part->narrow + at, part->length, 1},
                             .b = {direct ? part->wide : data->workspace, 1, width},
                             .c = part->weight,
                             .c_row = part->depth,
                             .c_column = 1,
                             .alpha = 1,
                             .beta = 1,
                         });
    }
}

void PUBLIC(weight)(const native_conv *conv, const native_conv_data *data)
{
    const int64_t depth = conv->wide_channels * native_window_product(conv->window.kernel);
    memset(data->weight, 0, (size_t)(conv->groups * conv->narrow_channels * depth) * sizeof(REAL));
    for (int64_t i = 0; i < conv->images; i++)
        for (int64_t g = 0; g < conv->groups; g++) {
            const NAME(part) part = NAME(get_part)(conv, data, i, g);
            NAME(weight_part)(conv, data, &part);
        }
}

void PUBLIC(bias)(const REAL *grad, int64_t images, int64_t channels, int64_t length, REAL *out)
{
    for (int64_t c = 0; c < channels; c++) {
        double total = 0;
        for (int64_t i = 0; i < images; i++) {
            const REAL *line = grad + (i * channels + c) * length;
            for (int64_t j = 0; j < length; j++)
                total += (double)line[j];
        }
        out[c] = (REAL)total;
    }
}
