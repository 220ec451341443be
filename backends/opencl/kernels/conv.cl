/* SPDX-License-Identifier: Apache-2.0
 *
 * Convolutions over three spatial dimensions (fewer are ones in front), directly: a work-item computes one element of
 * what comes out, or some of them. "wide" is the side that the window slides over: the input, or the output of a transposed
 * convolution; "narrow" has one element per place of the window. All dense. Given by the build: C; TX, the dtype of
 * everything; BIAS where there is one; I, the type of indices.
 */
typedef struct conv {
    long images, groups, narrow_channels, wide_channels; /* channels of a group */
    long wide_size[3], narrow_size[3], kernel_size[3], stride[3], padding[3], dilation[3];
    long narrow, wide, weight, bias; /* where they start */
    long count;                      /* of work-items */
} conv;

#ifdef BIAS
#define SHIFT(channel) LOAD(TX, bias, c.bias + (channel))
#else
#define SHIFT(channel) ((C)0)
#endif

#define PLANE(size) ((size)[0] * (size)[1] * (size)[2])

/* A work-item computes BLOCK channels of one place: what it reads of the wide side serves all of them. Places outside
 * are read as 0 without a branch, so that work-items can be computed side by side. */
#define BLOCK 8

__kernel void to_narrow(__global MEMORY(TX) *out, __global const MEMORY(TX) *wide,
                        __global const MEMORY(TX) *weight, __global const MEMORY(TX) *bias, conv c)
{
    const I places = (I)PLANE(c.narrow_size), blocks = (I)((c.narrow_channels + BLOCK - 1) / BLOCK);
    const I place = (I)get_global_id(0);
    if (place >= places)
        return;
    I rest = (I)get_global_id(1);
    const I first = rest % blocks * BLOCK, group = rest / blocks % (I)c.groups,
            image = rest / blocks / (I)c.groups;
    const I x = place % (I)c.narrow_size[2], y = place / (I)c.narrow_size[2] % (I)c.narrow_size[1],
            z = place / (I)c.narrow_size[2] / (I)c.narrow_size[1];
    const I wide_x = (I)c.wide_size[2], wide_y = (I)c.wide_size[1], wide_z = (I)c.wide_size[0];
    const I size_x = (I)c.kernel_size[2], size_y = (I)c.kernel_size[1], size_z = (I)c.kernel_size[0];
    const I taps = size_x * size_y * size_z, channels = (I)c.wide_channels;
    /* Of channels that are too many the last is computed again, and not written. */
    I at[BLOCK];
    C sums[BLOCK];
    for (int n = 0; n < BLOCK; n++) {
        const I channel = group * (I)c.narrow_channels + min(first + n, (I)c.narrow_channels - 1);
        at[n] = (I)c.weight + channel * channels * taps;
        sums[n] = 0;
    }
    for (I channel = 0; channel < channels; channel++) {
        const I from =
            (I)c.wide + ((image * (I)c.groups + group) * channels + channel) * wide_x * wide_y * wide_z;
        C parts[BLOCK];
        for (int n = 0; n < BLOCK; n++)
            parts[n] = 0;
        for (I tap = 0; tap < taps; tap++) {
            const I wz = z * (I)c.stride[0] + tap / size_x / size_y * (I)c.dilation[0] - (I)c.padding[0];
            const I wy = y * (I)c.stride[1] + tap / size_x % size_y * (I)c.dilation[1] - (I)c.padding[1];
            const I wx = x * (I)c.stride[2] + tap % size_x * (I)c.dilation[2] - (I)c.padding[2];
            const bool inside = wz >= 0 && wz < wide_z && wy >= 0 && wy < wide_y && wx >= 0 && wx < wide_x;
            const I place_in = inside ? (wz * wide_y + wy) * wide_x + wx : 0;
            const C value = inside ? LOAD(TX, wide, from + place_in) : (C)0;
            for (int n = 0; n < BLOCK; n++)
                parts[n] += value * LOAD(TX, weight, at[n] + channel * taps + tap);
        }
        for (int n = 0; n < BLOCK; n++)
            sums[n] += parts[n];
    }
    for (int n = 0; n < BLOCK; n++) {
        const I channel = group * (I)c.narrow_channels + first + n;
        if (first + n < (I)c.narrow_channels)
            STORE(TX, out, (I)c.narrow + (image * (I)(c.groups * c.narrow_channels) + channel) * places + place,
                  sums[n] + SHIFT(channel));
    }
}

/* The place of the window that has its element k at w; -1 when there is none. */
inline long place_of(long w, long k, long stride, long padding, long dilation, long size)
{
    const long t = w + padding - k * dilation;
    return t < 0 || t % stride != 0 || t / stride >= size ? -1 : t / stride;
}

__kernel void to_wide(__global MEMORY(TX) *out, __global const MEMORY(TX) *narrow,
                      __global const MEMORY(TX) *weight, __global const MEMORY(TX) *bias, conv c)
{
    const long index = (long)get_global_id(0);
    if (index >= c.count)
        return;
    long rest = index, x, y, z;
    x = rest % c.wide_size[2], rest /= c.wide_size[2];
    y = rest % c.wide_size[1], rest /= c.wide_size[1];
    z = rest % c.wide_size[0], rest /= c.wide_size[0];
    const long channels = c.groups * c.wide_channels, w = rest % channels, image = rest / channels;
    const long group = w / c.wide_channels, channel = w % c.wide_channels;
    const long plane = PLANE(c.narrow_size), kernel_plane = PLANE(c.kernel_size);
    C sum = 0;
    for (long k = 0; k < c.narrow_channels; k++) {
        const long n = group * c.narrow_channels + k;
        const long from = c.narrow + (image * c.groups * c.narrow_channels + n) * plane;
        const long at = c.weight + (n * c.wide_channels + channel) * kernel_plane;
        C part = 0;
        for (long i = 0; i < c.kernel_size[0]; i++) {
            const long nz = place_of(z, i, c.stride[0], c.padding[0], c.dilation[0], c.narrow_size[0]);
            if (nz < 0)
                continue;
            for (long j = 0; j < c.kernel_size[1]; j++) {
                const long ny = place_of(y, j, c.stride[1], c.padding[1], c.dilation[1], c.narrow_size[1]);
                if (ny < 0)
                    continue;
                const long row = from + (nz * c.narrow_size[1] + ny) * c.narrow_size[2];
                const long weights = at + (i * c.kernel_size[1] + j) * c.kernel_size[2];
                for (long l = 0; l < c.kernel_size[2]; l++) {
                    const long nx =
                        place_of(x, l, c.stride[2], c.padding[2], c.dilation[2], c.narrow_size[2]);
                    if (nx >= 0)
                        part += LOAD(TX, narrow, row + nx) * LOAD(TX, weight, weights + l);
                }
            }
        }
        sum += part;
    }
    STORE(TX, out, c.wide + index, sum + SHIFT(w));
}

/* The gradient of a weight: over all images and places of the window; sums of rows are added up. */
__kernel void to_weight(__global MEMORY(TX) *out, __global const MEMORY(TX) *narrow,
                        __global const MEMORY(TX) *wide, conv c)
{
    const long index = (long)get_global_id(0);
    if (index >= c.count)
        return;
    long rest = index, i, j, k;
    k = rest % c.kernel_size[2], rest /= c.kernel_size[2];
    j = rest % c.kernel_size[1], rest /= c.kernel_size[1];
    i = rest % c.kernel_size[0], rest /= c.kernel_size[0];
    const long channel = rest % c.wide_channels, n = rest / c.wide_channels;
    const long group = n / c.narrow_channels;
    const long wide_plane = PLANE(c.wide_size), narrow_plane = PLANE(c.narrow_size);
    C sum = 0;
    for (long image = 0; image < c.images; image++) {
        const long from = c.wide + ((image * c.groups + group) * c.wide_channels + channel) * wide_plane;
        const long at = c.narrow + (image * c.groups * c.narrow_channels + n) * narrow_plane;
        for (long z = 0; z < c.narrow_size[0]; z++) {
            const long wz = z * c.stride[0] + i * c.dilation[0] - c.padding[0];
            if (wz < 0 || wz >= c.wide_size[0])
                continue;
            for (long y = 0; y < c.narrow_size[1]; y++) {
                const long wy = y * c.stride[1] + j * c.dilation[1] - c.padding[1];
                if (wy < 0 || wy >= c.wide_size[1])
                    continue;
                const long row = from + (wz * c.wide_size[1] + wy) * c.wide_size[2];
                const long narrow_row = at + (z * c.narrow_size[1] + y) * c.narrow_size[2];
                C part = 0;
                for (long x = 0; x < c.narrow_size[2]; x++) {
                    const long wx = x * c.stride[2] + k * c.dilation[2] - c.padding[2];
                    if (wx >= 0 && wx < c.wide_size[2])
                        part += LOAD(TX, wide, row + wx) * LOAD(TX, narrow, narrow_row + x);
                }
                sum += part;
            }
        }
    }
    STORE(TX, out, c.weight + index, sum);
}

/* The gradient of the bias: sums over images and places of channel after channel. c.narrow_size is the gradient's. */
__kernel void to_bias(__global MEMORY(TX) *out, __global const MEMORY(TX) *grad, conv c)
{
    const long channel = (long)get_global_id(0);
    if (channel >= c.count)
        return;
    const long rows = c.narrow_size[0] * c.narrow_size[1], width = c.narrow_size[2];
    C sum = 0;
    for (long image = 0; image < c.images; image++) {
        const long from = c.narrow + (image * c.count + channel) * rows * width;
        for (long row = 0; row < rows; row++) {
            C part = 0;
            for (long x = 0; x < width; x++)
                part += LOAD(TX, grad, from + row * width + x);
            sum += part;
        }
    }
    STORE(TX, out, c.bias + channel, sum);
}
