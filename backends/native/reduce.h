/* SPDX-License-Identifier: Apache-2.0
 *
 * Reductions over some dimensions of a tensor: an outer walk over the results, and for each result an inner walk
 * over what is reduced.
 */
#ifndef OB_NATIVE_REDUCE_H
#define OB_NATIVE_REDUCE_H

#include "iterate.h"

typedef struct native_reduction {
    native_iter outer; /* operand 0: the input's first element; 1 and 2: the results */
    native_iter inner; /* operand 0: the input, from the result's first element on */
    native_class cls;  /* what elements are converted to */
    int results;
    bool reverse_walk; /* results are next to each other in memory, reduced elements are not */
} native_reduction;

/* Which dimensions: bit d of `dims`. outs[k] may be NULL; all have the same shape, with or without the
 * reduced dimensions. keep_order: reduced elements are walked in row-major order. */
void native_reduction_init(native_reduction *r, const ob_tensor *in, uint32_t dims,
                           const ob_tensor *const *outs, int count, native_class cls,
                           bool keep_order);
/* Dimensions of the argument `name` (int, int[], None or empty = all). */
uint32_t native_reduced_dims(const ob_kit_call *call, const char *name, int ndim);

/* Calls fn for each chunk of the reduced elements of one result; `base` is its first element. */
typedef void (*native_chunk_fn)(void *ctx, const void *chunk, int64_t at, int64_t count);
void native_reduction_each(const native_reduction *r, const native_loops *loops, char *base,
                           native_chunk_fn fn, void *ctx);
/* The same for elements [begin, end) of the inner walk. */
void native_reduction_part(const native_reduction *r, const native_loops *loops, char *base,
                           int64_t begin, int64_t end, native_chunk_fn fn, void *ctx);

/* Walks results on several threads: fn gets the address of the first input element and of the
 * results. */
typedef void (*native_result_fn)(void *ctx, const native_reduction *r, char *base,
                                 char *const *results);
void native_reduction_run(const native_env *env, const native_reduction *r, native_result_fn fn,
                          void *ctx);

#endif
