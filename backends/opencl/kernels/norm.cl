/* SPDX-License-Identifier: Apache-2.0
 *
 * Layer and batch normalisation. Layer: rows of `width` dense elements; a work-item has one row, or for the gradients of weight
 * and bias one column. Given by the build: C; TX, the dtype of input, gradients and results; TS of mean and rstd;
 * WEIGHT and BIAS where there is one, TW their dtype.
 */
typedef struct norm {
    long rows, width, channels;
    long x, out, mean, rstd, weight, bias, grad; /* where they start */
} norm;

#ifdef WEIGHT
#define SCALE(k) LOAD(TW, weight, n.weight + (k))
#else
#define SCALE(k) ((C)1)
#endif
#ifdef BIAS
#define SHIFT(k) LOAD(TW, bias, n.bias + (k))
#else
#define SHIFT(k) ((C)0)
#endif

#define LANES 16

inline C add_lanes(__private C *lanes)
{
    for (int width = LANES / 2; width > 0; width /= 2) {
        for (int k = 0; k < width; k++)
            lanes[k] += lanes[k + width];
    }
    return lanes[0];
}

/* The sum of `term` of i over the row, in several sums at a time. */
#define SUM_ROW(to, term)                                                                          \
    {                                                                                              \
        C lanes[LANES];                                                                            \
        long i = 0;                                                                                \
        for (int k = 0; k < LANES; k++)                                                            \
            lanes[k] = 0;                                                                          \
        for (; i + LANES <= n.width; i += LANES) {                                                 \
            for (int k = 0; k < LANES; k++)                                                        \
                lanes[k] += term(i + k);                                                           \
        }                                                                                          \
        for (int k = 0; i < n.width; i++, k++)                                                     \
            lanes[k] += term(i);                                                                   \
        to = add_lanes(lanes);                                                                     \
    }

#define ELEMENT(i) LOAD(TX, x, from + (i))
#define SQUARE(i) ((ELEMENT(i) - middle) * (ELEMENT(i) - middle))

__kernel void forward(__global MEMORY(TX) *out, __global MEMORY(TS) *mean, __global MEMORY(TS) *rstd,
                      __global const MEMORY(TX) *x, __global const MEMORY(TW) *weight,
                      __global const MEMORY(TW) *bias, norm n, C eps)
{
    const long row = (long)get_global_id(0);
    if (row >= n.rows)
        return;
    const long from = n.x + row * n.width, to = n.out + row * n.width;
    C sum, squares;
    SUM_ROW(sum, ELEMENT)
    const C middle = sum / (C)n.width;
    SUM_ROW(squares, SQUARE)
    const C scale = 1 / sqrt(squares / (C)n.width + eps);
    for (long k = 0; k < n.width; k++)
        STORE(TX, out, to + k, (ELEMENT(k) - middle) * scale * SCALE(k) + SHIFT(k));
    STORE(TS, mean, n.mean + row, middle);
    STORE(TS, rstd, n.rstd + row, scale);
}

__kernel void backward(__global MEMORY(TX) *out, __global const MEMORY(TX) *grad,
                       __global const MEMORY(TX) *x, __global const MEMORY(TS) *mean,
                       __global const MEMORY(TS) *rstd, __global const MEMORY(TW) *weight, norm n)
{
    const long row = (long)get_global_id(0);
    if (row >= n.rows)
        return;
    const long from = n.x + row * n.width, at = n.grad + row * n.width, to = n.out + row * n.width;
    const C middle = LOAD(TS, mean, n.mean + row), scale = LOAD(TS, rstd, n.rstd + row);
    C sum, product;
#define GRADIENT(k) (LOAD(TX, grad, at + (k)) * SCALE(k))
#define NORMAL(k) ((LOAD(TX, x, from + (k)) - middle) * scale)
#define BOTH(k) (GRADIENT(k) * NORMAL(k))
    SUM_ROW(sum, GRADIENT)
    SUM_ROW(product, BOTH)
    sum /= (C)n.width;
    product /= (C)n.width;
    for (long k = 0; k < n.width; k++)
        STORE(TX, out, to + k, scale * (GRADIENT(k) - sum - NORMAL(k) * product));
}

/* Column sums: of the gradient (bias) or of the gradient times the normalised input (weight). */
__kernel void columns(__global MEMORY(TW) *out, __global const MEMORY(TX) *grad,
                      __global const MEMORY(TX) *x, __global const MEMORY(TS) *mean,
                      __global const MEMORY(TS) *rstd, norm n, int with_input)
{
    const long k = (long)get_global_id(0);
    if (k >= n.width)
        return;
    C sum = 0;
    for (long row = 0; row < n.rows; row++) {
        const C g = LOAD(TX, grad, n.grad + row * n.width + k);
        sum += with_input == 0 ? g
                               : g * (LOAD(TX, x, n.x + row * n.width + k) - LOAD(TS, mean, n.mean + row)) *
                                     LOAD(TS, rstd, n.rstd + row);
    }
    STORE(TW, out, n.out + k, sum);
}

/* ---- batch norm ----
 *
 * A channel is `rows` rows of `width` elements, one of each image; `channels` of them. Statistics are of the type
 * of C. EVAL: mean and rstd are the running mean and variance. */

#define CHANNEL_ROW(image) (((image)*n.channels + channel) * n.width)

/* One work-item per channel: its mean and rstd, and the running ones moved towards them where there are any. */
__kernel void batch_statistics(__global C *mean, __global C *rstd, __global C *running_mean,
                               __global C *running_var, __global const MEMORY(TX) *x, norm n, C eps,
                               C momentum, long running_mean_at, long running_var_at)
{
    const long channel = (long)get_global_id(0);
    if (channel >= n.channels)
        return;
    const C count = (C)(n.rows * n.width);
    C sum = 0, squares = 0, part;
    for (long image = 0; image < n.rows; image++) {
        const long from = n.x + CHANNEL_ROW(image);
        SUM_ROW(part, ELEMENT)
        sum += part;
    }
    const C middle = sum / count;
    for (long image = 0; image < n.rows; image++) {
        const long from = n.x + CHANNEL_ROW(image);
        SUM_ROW(part, SQUARE)
        squares += part;
    }
    mean[n.mean + channel] = middle;
    rstd[n.rstd + channel] = 1 / sqrt(squares / count + eps);
    if (running_mean_at >= 0)
        running_mean[running_mean_at + channel] =
            (1 - momentum) * running_mean[running_mean_at + channel] + momentum * middle;
    if (running_var_at >= 0)
        running_var[running_var_at + channel] =
            (1 - momentum) * running_var[running_var_at + channel] + momentum * squares / (count - 1);
}

#ifdef EVAL
#define CHANNEL_SCALE(channel) (1 / sqrt(rstd[n.rstd + (channel)] + eps))
#else
#define CHANNEL_SCALE(channel) rstd[n.rstd + (channel)]
#endif

/* One work-item per element. */
__kernel void batch_forward(__global MEMORY(TX) *out, __global const C *mean, __global const C *rstd,
                            __global const MEMORY(TX) *x, __global const MEMORY(TW) *weight,
                            __global const MEMORY(TW) *bias, norm n, C eps)
{
    const long i = (long)get_global_id(0);
    if (i >= n.rows * n.channels * n.width)
        return;
    const long channel = i / n.width % n.channels;
    const C normal = (LOAD(TX, x, n.x + i) - mean[n.mean + channel]) * CHANNEL_SCALE(channel);
    STORE(TX, out, n.out + i, normal * SCALE(channel) + SHIFT(channel));
}

/* One work-item per channel: the sums of the gradient, and of it times the normalised input. */
__kernel void batch_sums(__global C *sums, __global C *products, __global const MEMORY(TX) *grad,
                         __global const MEMORY(TX) *x, __global const C *mean,
                         __global const C *rstd, norm n, C eps)
{
    const long channel = (long)get_global_id(0);
    if (channel >= n.channels)
        return;
    const C middle = mean[n.mean + channel];
    C sum = 0, product = 0, part;
    for (long image = 0; image < n.rows; image++) {
        const long from = n.x + CHANNEL_ROW(image), at = n.grad + CHANNEL_ROW(image);
#define PLAIN(k) LOAD(TX, grad, at + (k))
#define WITH_INPUT(k) (PLAIN(k) * (ELEMENT(k) - middle))
        SUM_ROW(part, PLAIN)
        sum += part;
        SUM_ROW(part, WITH_INPUT)
        product += part;
    }
    sums[channel] = sum;
    products[channel] = product * CHANNEL_SCALE(channel);
}

/* One work-item per element. Outside of training the statistics do not depend on the input. */
__kernel void batch_backward(__global MEMORY(TX) *out, __global const C *sums,
                             __global const C *products, __global const MEMORY(TX) *grad,
                             __global const MEMORY(TX) *x, __global const C *mean,
                             __global const C *rstd, __global const MEMORY(TW) *weight, norm n, C eps)
{
    const long i = (long)get_global_id(0);
    if (i >= n.rows * n.channels * n.width)
        return;
    const long channel = i / n.width % n.channels;
    const C scale = CHANNEL_SCALE(channel);
    C slope = LOAD(TX, grad, n.grad + i);
#ifndef EVAL
    const C count = (C)(n.rows * n.width);
    const C normal = (LOAD(TX, x, n.x + i) - mean[n.mean + channel]) * scale;
    slope -= (sums[channel] + normal * products[channel]) / count;
#endif
    STORE(TX, out, n.out + i, slope * scale * SCALE(channel));
}
