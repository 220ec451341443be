/* SPDX-License-Identifier: Apache-2.0
 *
 * The walk behind gather, scatter, index_select, index and their kin: for every position of a
 * space, an element of a "small" tensor meets an element of a "big" one, whose place depends on
 * index tensors.
 *     place in big = sum over dims of position * big stride + sum over indices of index * step
 */
#ifndef OB_NATIVE_INDEX_WALK_H
#define OB_NATIVE_INDEX_WALK_H

#include "indices.h"

typedef struct native_walk_index {
    const int64_t *values;
    int64_t strides[OB_MAX_DIMS];
    int64_t step;  /* of big, per unit of the index */
    int64_t limit; /* size of the dimension that is indexed */
} native_walk_index;

typedef struct native_walk {
    int ndim; /* at least 1 */
    int64_t sizes[OB_MAX_DIMS];
    int64_t big[OB_MAX_DIMS], small[OB_MAX_DIMS]; /* strides in elements */
    int index_count;
    bool wraps; /* negative indices count from the end */
    native_walk_index index[OB_MAX_DIMS];
} native_walk;

typedef enum native_walk_action {
    NATIVE_WALK_READ,  /* small = big; spread over the threads */
    NATIVE_WALK_WRITE, /* big = small */
    NATIVE_WALK_ADD,   /* big += small * factor: f32, f64 or i64 elements */
} native_walk_action;

typedef struct native_walk_data {
    native_walk_action action;
    void *big, *small;
    size_t size;      /* of an element */
    native_class cls; /* ADD */
    double factor;    /* ADD */
    int64_t factor_integer;
} native_walk_data;

/* A bad index ends the walk and is noted. */
void native_walk_run(const native_env *env, const native_walk *walk, const native_walk_data *data,
                     native_bad_index *bad);

#endif
