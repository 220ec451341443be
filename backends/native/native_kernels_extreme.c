/* SPDX-License-Identifier: Apache-2.0
 *
 * Extremes with their positions: argmax, argmin and the two results of max and min along a dimension. The
 * first NaN wins, else the first of equals.
 */
#include "reduce.h"

#include <math.h>

typedef struct work {
    native_reduction r;
    const native_env *env;
    bool largest;
    ob_dtype values, indices; /* values: OB_DTYPE_INVALID when they are not asked for */
} work;

typedef struct search {
    const work *w;
    native_reduce_fn reduce;
    native_accumulator best;
    int64_t index;
    bool any;
} search;

#define FIND(type)                                                                                 \
    for (int64_t i = 0; i < count; i++) {                                                          \
        const double x = (double)((const type *)chunk)[i];                                         \
        if (x == value || (isnan(x) && isnan(value)))                                              \
            return i;                                                                              \
    }                                                                                              \
    break

#define FIND_WHOLE(type)                                                                           \
    for (int64_t i = 0; i < count; i++) {                                                          \
        if (((const type *)chunk)[i] == whole)                                                     \
            return i;                                                                              \
    }                                                                                              \
    break

static int64_t find(native_class cls, const void *chunk, int64_t count, double value, int64_t whole)
{
    switch (cls) {
    case NATIVE_F32:
        FIND(float);
    case NATIVE_F64:
        FIND(double);
    case NATIVE_I32:
        FIND_WHOLE(int32_t);
    default:
        FIND_WHOLE(int64_t);
    }
    return 0;
}

/* Each chunk is first searched for its best value, and again only when that is a new best. */
static void search_chunk(void *ctx, const void *chunk, int64_t at, int64_t count)
{
    search *s = ctx;
    const native_class cls = s->w->r.cls;
    const bool whole = cls == NATIVE_I32 || cls == NATIVE_I64;
    native_accumulator best = s->best;
    s->reduce(&best, chunk, count, 0);
    const bool better =
        whole ? best.integer != s->best.integer : best.real != s->best.real && !isnan(s->best.real);
    if (s->any && !better)
        return;
    s->any = true;
    s->best = best;
    s->index = at + find(cls, chunk, count, best.real, best.integer);
}

static void search_one(void *ctx, const native_reduction *r, char *base, char *const *results)
{
    const work *w = ctx;
    const native_loops *loops = w->env->loops;
    search s = {
        .w = w,
        .reduce = loops->reduce[w->largest ? NATIVE_REDUCE_max : NATIVE_REDUCE_min][r->cls],
        .best = {.real = w->largest ? -INFINITY : INFINITY,
                 .integer = w->largest ? INT64_MIN : INT64_MAX},
    };
    native_reduction_each(r, loops, base, search_chunk, &s);
    const bool whole = r->cls == NATIVE_I32 || r->cls == NATIVE_I64;
    char *const *index = results;
    if (w->values != OB_DTYPE_INVALID) {
        if (whole)
            loops->store[w->values][NATIVE_I64](results[0], 0, &s.best.integer, 1);
        else
            loops->store[w->values][NATIVE_F64](results[0], 0, &s.best.real, 1);
        index++;
    }
    loops->store[w->indices][NATIVE_I64](*index, 0, &s.index, 1);
}

static ob_status setup(ob_kit_call *call, ob_err *err)
{
    const ob_tensor *in = ob_kit_arg_tensor(call, "self");
    const ob_tensor *outs[] = {ob_kit_output(call, 0), ob_kit_output(call, 1)};
    const bool both = outs[1] != NULL;
    void *state;
    OB_TRY(ob_kit_state(call, sizeof(work), &state, err));
    work *w = state;
    w->env = call->env;
    w->largest = call->kernel->variant != 0;
    w->values = both ? outs[0]->dtype : OB_DTYPE_INVALID;
    w->indices = outs[both]->dtype;
    native_reduction_init(&w->r, in, native_reduced_dims(call, "dim", in->ndim), outs, both ? 2 : 1,
                          native_class_of(in->dtype), true);
    return OB_OK;
}

static ob_status run(const ob_kit_call *call, ob_err *err)
{
    const work *w = call->state;
    (void)err;
    native_reduction_run(call->env, &w->r, search_one, call->state);
    return OB_OK;
}

#define EXTREME(op, largest)                                                                       \
    {                                                                                              \
        .name = (op), .dtypes = OB_KIT_REALS, .setup = setup, .run = run, .variant = (largest)     \
    }

const ob_kit_kernel native_kernels_extreme[] = {
    EXTREME("aten::max.dim", 1),
    EXTREME("aten::min.dim", 0),
    EXTREME("aten::argmax", 1),
    EXTREME("aten::argmin", 0),
    {.name = NULL},
};
