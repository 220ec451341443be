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
        else
            for (int64_t i = lo; i < hi; i++)
                out[i] = line[(run.first + i) * stride + shift];
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

/* Every line of the column matrix [wide_channels * kernel, end - at] of one group. */
static void NAME(each_line)(const native_conv *conv, REAL *wide, int64_t at, int64_t end,
                            REAL *columns, NAME(line_fn) fn)
{
    const native_window *w = &conv->window;
    const int64_t plane = native_window_product(w->wide);
    for (int64_t c = 0; c < conv->wide_channels; c++)
        for (int64_t d = 0; d < w->kernel[0]; d++)
            for (int64_t h = 0; h < w->kernel[1]; h++)
                for (int64_t x = 0; x < w->kernel[2]; x++, columns += end - at)
                    fn(w, wide + c * plane, (const int64_t[3]){d, h, x}, at, end, columns);
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

static void NAME(fill)(REAL *out, int64_t channels, int64_t length, const REAL *bias)
{
    for (int64_t c = 0; c < channels; c++)
        for (int64_t i = 0; i < length; i++)
            out[c * length + i] = bias == NULL ? 0 : bias[c];
}

static void NAME(narrow_part)(const native_conv *conv, const native_conv_data *data,
                              const NAME(part) * part)
{
    const bool direct = is_pointwise(&conv->window);
    const int64_t tile = direct ? part->length : tile_length(conv);
    for (int64_t at = 0; at < part->length; at += tile) {
        const int64_t width = part->length - at < tile ? part->length - at : tile;
        if (!direct)
            NAME(each_line)
        (conv, part->wide, at, at + width, data->workspace, NAME(gather_line));
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
                             .beta = data->bias != NULL,
                         });
    }
}

#include "conv_depth_real.h"

void PUBLIC(narrow)(const native_conv *conv, const native_conv_data *data)
{
    const bool depthwise = is_depthwise(conv);
    for (int64_t i = 0; i < conv->images; i++)
        for (int64_t g = 0; g < conv->groups; g++) {
            const NAME(part) part = NAME(get_part)(conv, data, i, g);
            const REAL *bias = data->bias;
            if (bias != NULL)
                bias += g * conv->narrow_channels;
            if (depthwise) {
                NAME(depthwise_part)(conv, data, &part, bias);
                continue;
            }
            if (bias != NULL)
                NAME(fill)
            (part.narrow, conv->narrow_channels, part.length, bias);
            NAME(narrow_part)(conv, data, &part);
        }
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
                         });
        if (!direct)
            NAME(each_line)
        (conv, part->wide, at, at + width, data->workspace, NAME(scatter_line_any));
    }
}

void PUBLIC(wide)(const native_conv *conv, const native_conv_data *data)
{
    const int64_t plane = native_window_product(conv->window.wide);
    for (int64_t i = 0; i < conv->images; i++)
        for (int64_t g = 0; g < conv->groups; g++) {
            const NAME(part) part = NAME(get_part)(conv, data, i, g);
            const REAL *bias = data->bias;
            NAME(fill)
            (part.wide, conv->wide_channels, plane,
             bias == NULL ? NULL : bias + g * conv->wide_channels);
            NAME(wide_part)(conv, data, &part);
        }
}

static void NAME(weight_part)(const native_conv *conv, const native_conv_data *data,
                              const NAME(part) * part)
{
    const bool direct = is_pointwise(&conv->window);
    const int64_t tile = direct ? part->length : tile_length(conv);
    for (int64_t at = 0; at < part->length; at += tile) {
        const int64_t width = part->length - at < tile ? part->length - at : tile;
        if (!direct)
            NAME(each_line)
        (conv, part->wide, at, at + width, data->workspace, NAME(gather_line));
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
