/* SPDX-License-Identifier: Apache-2.0
 *
 * Layer normalisation: rows of `width` dense elements; a work-item has one row, or for the gradients of weight
 * and bias one column. Given by the build: C; TX, the dtype of input, gradients and results; TS of mean and rstd;
 * WEIGHT and BIAS where there is one, TW their dtype.
 */
typedef struct norm {
    long rows, width;
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

__kernel void forward(__global MEMORY(TX) *out, __global MEMORY(TS) *mean, __global MEMORY(TS) *rstd,
                      __global const MEMORY(TX) *x, __global const MEMORY(TW) *weight,
                      __global const MEMORY(TW) *bias, norm n, C eps)
{
    const long row = (long)get_global_id(0);
    if (row >= n.rows)
        return;
    const long from = n.x + row * n.width, to = n.out + row * n.width;
    C sum, squares;
#define ELEMENT(i) LOAD(TX, x, from + (i))
    SUM_ROW(sum, ELEMENT)
    const C middle = sum / (C)n.width;
#define SQUARE(i) ((ELEMENT(i) - middle) * (ELEMENT(i) - middle))
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
