/* SPDX-License-Identifier: Apache-2.0
 *
 * Convolutions on raw contiguous memory: the patches under the window become the columns of a
 * matrix (im2col), and the rest is matrix products. The columns are made a tile at a time, so the
 * workspace stays small whatever the batch and the image.
 *
 * One geometry serves both directions. A convolution reads the wide side and writes the narrow one;
 * a transposed convolution, and the gradient of a convolution's input, go the other way. The weight
 * is [groups * narrow_channels, wide_channels, kernel...].
 */
#ifndef OB_NATIVE_CONV_H
#define OB_NATIVE_CONV_H

#include "blas.h"
#include "native_rows.h"
#include "window.h"

typedef struct native_conv {
    native_window window;
    int64_t images, groups;
    int64_t wide_channels, narrow_channels; /* per group */
    int64_t places;                         /* threads that have a workspace */
} native_conv;

/* How many of these threads work on items of their own; before native_conv_workspace. */
void native_conv_set_places(native_conv *conv, int64_t threads);
/* Elements of workspace that each function below needs, for all places. */
int64_t native_conv_workspace(const native_conv *conv);

/* One call: what it is given depends on the function; bias may be NULL. All are contiguous. */
typedef struct native_conv_data {
    const native_env *env;
    const native_blas *blas;
    const native_rows *rows;
    void *wide, *narrow, *weight;
    const void *bias; /* of the side that is written */
    void *workspace;
    bool alone; /* for the functions themselves: one of several that run at the same time */
} native_conv_data;

/* X(suffix, type) for each type there is a version for. */
#define NATIVE_CONV_TYPES(X)                                                                       \
    X(f32, float)                                                                                  \
    X(f64, double)

#define NATIVE_CONV_DECLARE(suffix, type)                                                          \
    /* narrow = bias + weight * patches of wide */                                                 \
    void native_conv_narrow_##suffix(const native_conv *conv, const native_conv_data *data);       \
    /* wide = bias + what each narrow element spreads over its patch */                            \
    void native_conv_wide_##suffix(const native_conv *conv, const native_conv_data *data);         \
    /* weight = sum over images and positions of narrow x patch of wide */                         \
    void native_conv_weight_##suffix(const native_conv *conv, const native_conv_data *data);       \
    /* out[c] = sum of grad over images and positions; grad is [images, channels, length] */       \
    void native_conv_bias_##suffix(const type *grad, int64_t images, int64_t channels,             \
                                   int64_t length, type *out);
NATIVE_CONV_TYPES(NATIVE_CONV_DECLARE)
#undef NATIVE_CONV_DECLARE

#endif
