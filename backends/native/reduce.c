/* SPDX-License-Identifier: Apache-2.0
 *
 * Walks of reductions; see reduce.h.
 */
#include "reduce.h"

enum { GRAIN = 32768 };

uint32_t native_reduced_dims(const ob_kit_call *call, const char *name, int ndim)
{
    int64_t dims[OB_MAX_DIMS];
    const size_t count = ob_kit_arg_ints(call, name, dims, OB_MAX_DIMS);
    uint32_t mask = 0;
    for (size_t i = 0; i < count && i < OB_MAX_DIMS; i++)
        mask |= 1u << ob_kit_dim(dims[i], ndim);
    return count > 0 ? mask : UINT32_MAX;
}

/* A tensor that has the kept (or the reduced) dimensions of `in` only. */
static ob_tensor some_dims(const ob_tensor *in, uint32_t dims)
{
    ob_tensor view = *in;
    view.ndim = 0;
    for (int d = 0; d < in->ndim; d++) {
        if ((dims & (1u << d)) == 0)
            continue;
        view.sizes[view.ndim] = in->sizes[d];
        view.strides[view.ndim++] = in->strides[d];
    }
    return view;
}

/* The result in the shape of the kept dimensions. */
static ob_tensor kept_result(const ob_tensor *out, const ob_tensor *in, uint32_t dims)
{
    if (out->ndim != in->ndim)
        return *out; /* the reduced dimensions are gone already */
    return some_dims(out, ~dims);
}

void native_reduction_init(native_reduction *r, const ob_tensor *in, uint32_t dims,
                           const ob_tensor *const *outs, int count, native_class cls,
                           bool keep_order)
{
    const ob_tensor kept = some_dims(in, ~dims), reduced = some_dims(in, dims);
    *r = (native_reduction){.cls = cls, .results = count};
    native_iter_init(&r->outer, &kept);
    for (int k = 0; k < count; k++) {
        const ob_tensor result = kept_result(outs[k], in, dims);
        native_iter_add(&r->outer, &result);
    }
    native_iter_finish(&r->outer, false);
    native_iter_init(&r->inner, &reduced);
    native_iter_finish(&r->inner, keep_order);
    const int64_t inner = r->inner.operands[0].strides[r->inner.ndim - 1];
    const int64_t outer = r->outer.operands[0].strides[r->outer.ndim - 1];
    r->reverse_walk = outer > 0 && outer < inner && r->outer.sizes[r->outer.ndim - 1] >= 8;
}

void native_reduction_part(const native_reduction *r, const native_loops *loops, char *base,
                           int64_t begin, int64_t end, native_chunk_fn fn, void *ctx)
{
    _Alignas(64) char buffer[NATIVE_CHUNK * 8];
    native_iter inner = r->inner;
    native_cursor cursor;
    inner.operands[0].data = base;
    native_cursor_seek(&cursor, &inner, begin);
    for (int64_t at = begin; at < end;) {
        const int64_t count = native_cursor_chunk(&cursor, end - at);
        fn(ctx, native_cursor_load(&cursor, loops, 0, r->cls, buffer, count), at, count);
        native_cursor_advance(&cursor, count);
        at += count;
    }
}

void native_reduction_each(const native_reduction *r, const native_loops *loops, char *base,
                           native_chunk_fn fn, void *ctx)
{
    native_reduction_part(r, loops, base, 0, r->inner.count, fn, ctx);
}

typedef struct walk {
    const native_reduction *r;
    native_result_fn fn;
    void *ctx;
} walk;

static void walk_range(void *ctx, int64_t begin, int64_t end)
{
    const walk *w = ctx;
    const native_iter *outer = &w->r->outer;
    native_cursor cursor;
    native_cursor_seek(&cursor, outer, begin);
    for (int64_t at = begin; at < end; at++) {
        char *results[NATIVE_MAX_OPERANDS] = {NULL};
        for (int k = 0; k < w->r->results; k++)
            results[k] = outer->operands[k + 1].data + cursor.offsets[k + 1];
        w->fn(w->ctx, w->r, outer->operands[0].data + cursor.offsets[0], results);
        native_cursor_advance(&cursor, 1);
    }
}

void native_reduction_run(const native_env *env, const native_reduction *r, native_result_fn fn,
                          void *ctx)
{
    walk w = {.r = r, .fn = fn, .ctx = ctx};
    const int64_t length = r->inner.count > 0 ? r->inner.count : 1;
    native_parallel(env, r->outer.count, length < GRAIN ? GRAIN / length : 1, walk_range, &w);
}
