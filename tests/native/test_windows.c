/* SPDX-License-Identifier: Apache-2.0
 *
 * Depthwise convolutions and pools, whose loops take rows of windows together, against loops that take one
 * window at a time. Numbers are small and whole: results are exact.
 */
#include "native_test.h"

#include <math.h>

typedef struct geometry {
    int64_t height, width;
    int64_t kernel[2], stride[2], padding[2], dilation[2];
} geometry;

static const geometry GEOMETRIES[] = {
    {7, 9, {3, 3}, {1, 1}, {1, 1}, {1, 1}},   {7, 9, {3, 3}, {2, 2}, {1, 1}, {1, 1}},
    {14, 14, {3, 3}, {1, 1}, {0, 0}, {1, 1}}, {9, 40, {1, 5}, {1, 1}, {0, 2}, {1, 1}},
    {9, 40, {5, 2}, {2, 1}, {2, 1}, {1, 2}},  {3, 600, {3, 3}, {1, 2}, {1, 1}, {1, 1}},
    {3, 600, {2, 3}, {1, 1}, {1, 1}, {1, 1}}, {11, 12, {3, 3}, {3, 3}, {1, 1}, {1, 1}},
    {6, 5, {3, 3}, {1, 1}, {1, 1}, {2, 2}},   {1, 1, {1, 1}, {1, 1}, {0, 0}, {1, 1}},
    {10, 33, {7, 7}, {1, 1}, {3, 3}, {1, 1}}, {12, 37, {2, 2}, {2, 2}, {0, 0}, {1, 1}},
    {20, 60, {9, 9}, {2, 2}, {4, 4}, {1, 1}}, {8, 200, {3, 4}, {2, 3}, {1, 2}, {1, 1}},
};
enum { CHANNELS = 3, COUNT = sizeof GEOMETRIES / sizeof *GEOMETRIES };

static native_subject subject;

static int64_t outputs_along(const geometry *g, int d)
{
    const int64_t wide = d == 0 ? g->height : g->width;
    return (wide + 2 * g->padding[d] - g->dilation[d] * (g->kernel[d] - 1) - 1) / g->stride[d] + 1;
}

static float number(int64_t i, int64_t seed)
{
    return (float)((i * 37 + seed * 11) % 23 - 11);
}

static ob_value make_tensor(const int64_t *sizes, int ndim, int64_t seed)
{
    ob_tensor t;
    ob_value value;
    CHECK_INT(ob_tensor_init(&t, OB_DTYPE_F32, sizes, ndim, NULL, NULL), OB_OK);
    for (int64_t i = 0; i < ob_tensor_numel(&t); i++)
        ((float *)ob_tensor_data(&t))[i] = number(i, seed);
    CHECK_INT(ob_value_init_tensor(&value, &t, NULL), OB_OK);
    ob_tensor_fini(&t);
    return value;
}

static ob_value make_ints(const int64_t *values, size_t count)
{
    ob_value list;
    CHECK_INT(ob_value_init_list(&list, OB_VALUE_LIST, count, NULL), OB_OK);
    for (size_t i = 0; i < count; i++)
        list.as.list.items[i] = ob_value_int(values[i]);
    return list;
}

static size_t run_call(const char *op, ob_value *args, size_t count, ob_value outputs[2])
{
    const size_t got = run_operator(&subject, op, args, count, outputs, 2);
    for (size_t i = 0; i < count; i++)
        ob_value_fini(&args[i]);
    return got;
}

/* The input element that a window's element meets; -1 in the padding. */
static int64_t place_of(const geometry *g, int64_t o, int64_t k)
{
    const int64_t columns = outputs_along(g, 1);
    const int64_t h =
        o / columns * g->stride[0] + k / g->kernel[1] * g->dilation[0] - g->padding[0];
    const int64_t x =
        o % columns * g->stride[1] + k % g->kernel[1] * g->dilation[1] - g->padding[1];
    return h < 0 || h >= g->height || x < 0 || x >= g->width ? -1 : h * g->width + x;
}

/* Two outputs per channel. */
static void convolve(const geometry *g)
{
    const int64_t plane = g->height * g->width, taps = g->kernel[0] * g->kernel[1];
    const int64_t length = outputs_along(g, 0) * outputs_along(g, 1);
    ob_value outputs[2];
    ob_value args[] = {
        make_tensor((const int64_t[]){2, CHANNELS, g->height, g->width}, 4, 1),
        make_tensor((const int64_t[]){2 * CHANNELS, 1, g->kernel[0], g->kernel[1]}, 4, 2),
        make_tensor((const int64_t[]){2 * CHANNELS}, 1, 3),
        make_ints(g->stride, 2),
        make_ints(g->padding, 2),
        make_ints(g->dilation, 2),
        ob_value_bool(false),
        make_ints((const int64_t[]){0, 0}, 2),
        ob_value_int(CHANNELS),
    };
    CHECK_INT(run_call("aten::convolution", args, sizeof args / sizeof *args, outputs), 1);
    const float *got = ob_tensor_data(outputs[0].as.tensor);
    CHECK_INT(ob_tensor_numel(outputs[0].as.tensor), 2 * 2 * CHANNELS * length);
    int wrong = 0;
    for (int64_t n = 0; n < 2 * 2 * CHANNELS * length; n++) {
        const int64_t channel = n / length % (2 * CHANNELS), image = n / length / (2 * CHANNELS);
        float want = number(channel, 3);
        for (int64_t k = 0; k < taps; k++) {
            const int64_t at = place_of(g, n % length, k);
            if (at >= 0)
                want += number((image * CHANNELS + channel / 2) * plane + at, 1) *
                        number(channel * taps + k, 2);
        }
        wrong += got[n] != want;
    }
    CHECK_INT(wrong, 0);
    ob_value_fini(&outputs[0]);
}

static void depthwise_convolutions(void)
{
    for (int i = 0; i < COUNT; i++)
        convolve(&GEOMETRIES[i]);
}

/* With a NaN in the middle of the first channel. */
static void pool_max(const geometry *g)
{
    const int64_t plane = g->height * g->width, length = outputs_along(g, 0) * outputs_along(g, 1);
    ob_value outputs[2];
    ob_value args[] = {make_tensor((const int64_t[]){1, CHANNELS, g->height, g->width}, 4, 4),
                       make_ints(g->kernel, 2),
                       make_ints(g->stride, 2),
                       make_ints(g->padding, 2),
                       make_ints(g->dilation, 2),
                       ob_value_bool(false)};
    float in[CHANNELS * 2048];
    memcpy(in, ob_tensor_data(args[0].as.tensor), (size_t)(CHANNELS * plane) * sizeof *in);
    ((float *)ob_tensor_data(args[0].as.tensor))[plane / 2] = in[plane / 2] = NAN;
    CHECK_INT(run_call("aten::max_pool2d_with_indices", args, 6, outputs), 2);
    const float *got = ob_tensor_data(outputs[0].as.tensor);
    const int64_t *places = ob_tensor_data(outputs[1].as.tensor);
    int wrong = 0;
    for (int64_t n = 0; n < CHANNELS * length; n++) {
        const float *channel = in + n / length * plane;
        int64_t best = -1;
        for (int64_t k = 0; k < g->kernel[0] * g->kernel[1]; k++) {
            const int64_t at = place_of(g, n % length, k);
            if (at >= 0 && (best < 0 || channel[at] > channel[best] || isnan(channel[at])))
                best = at;
        }
        wrong += places[n] != best || memcmp(&got[n], &channel[best], sizeof *got) != 0;
    }
    CHECK_INT(wrong, 0);
    ob_value_fini(&outputs[0]);
    ob_value_fini(&outputs[1]);
}

static void pool_average(const geometry *g)
{
    const int64_t plane = g->height * g->width, length = outputs_along(g, 0) * outputs_along(g, 1);
    const int64_t taps = g->kernel[0] * g->kernel[1];
    ob_value outputs[2];
    ob_value args[] = {make_tensor((const int64_t[]){1, CHANNELS, g->height, g->width}, 4, 5),
                       make_ints(g->kernel, 2),
                       make_ints(g->stride, 2),
                       make_ints(g->padding, 2),
                       ob_value_bool(false),
                       ob_value_bool(false)};
    CHECK_INT(run_call("aten::avg_pool2d", args, 6, outputs), 1);
    const float *got = ob_tensor_data(outputs[0].as.tensor);
    int wrong = 0;
    for (int64_t n = 0; n < CHANNELS * length; n++) {
        double total = 0;
        int64_t seen = 0;
        for (int64_t k = 0; k < taps; k++) {
            const int64_t at = place_of(g, n % length, k);
            if (at < 0)
                continue;
            total += (double)number(n / length * plane + at, 5);
            seen++;
        }
        wrong += got[n] != (float)(total / (double)seen);
    }
    CHECK_INT(wrong, 0);
    ob_value_fini(&outputs[0]);
}

/* Padding of a pool is at most half its window, and averages have no dilation. */
static void pools(void)
{
    for (int i = 0; i < COUNT; i++) {
        const geometry *g = &GEOMETRIES[i];
        if (g->padding[0] > g->kernel[0] / 2 || g->padding[1] > g->kernel[1] / 2)
            continue;
        pool_max(g);
        if (g->dilation[0] == 1 && g->dilation[1] == 1)
            pool_average(g);
    }
}

int main(void)
{
    subject_open(&subject, 1);
    RUN(depthwise_convolutions);
    RUN(pools);
    subject_close(&subject);
    return ob_test_end();
}
