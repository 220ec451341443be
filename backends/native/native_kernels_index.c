/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading and writing by index. Each operator only describes its walk (index_walk.h).
 *
 * What is read or overwritten is moved as bytes, whatever its dtype. What is added to is computed
 * in a dense array of f32, f64 or i64, so that sums of f16 and bf16 are rounded once, at the end.
 */
#include "dense.h"
#include "index_walk.h"

#include <string.h>

typedef struct indexing {
    native_walk walk;
    native_walk_data data; /* all but the addresses */
    native_dense index[OB_MAX_DIMS];
    native_dense source, target; /* ADD */
    ob_tensor self, small;       /* READ and WRITE: small is the output or the source */
    bool copies_self;            /* the output starts as a copy of self */
    bool fills;                  /* the source is one value */
    double fill;
} indexing;

/* A tensor without dimensions as one with a dimension of size 1. */
static ob_tensor at_least_1d(const ob_tensor *t)
{
    ob_tensor out = *t;
    if (out.ndim == 0) {
        out.ndim = 1;
        out.sizes[0] = out.strides[0] = 1;
    }
    return out;
}

static ob_status start(ob_kit_call *call, native_walk_action action, indexing **out, ob_err *err)
{
    void *state;
    OB_TRY(ob_kit_state(call, sizeof(indexing), &state, err));
    indexing *x = *out = state;
    const ob_tensor *self = ob_kit_arg_tensor(call, "self");
    x->self = at_least_1d(self);
    x->data.action = action;
    x->data.size = call->env->host->dtype_get_info(self->dtype)->size_bytes;
    x->data.factor = 1;
    x->data.factor_integer = 1;
    if (action == NATIVE_WALK_READ) {
        x->small = at_least_1d(ob_kit_output(call, 0));
        return OB_OK;
    }
    x->copies_self = native_data(self) != native_data(ob_kit_output(call, 0));
    if (action == NATIVE_WALK_WRITE)
        return OB_OK;
    x->data.cls = native_wide_class(self->dtype);
    x->data.size = native_class_size(x->data.cls);
    return native_dense_plan(call, ob_kit_output(call, 0), x->data.cls, &x->target, err);
}

/* The tensor that is indexed, as the walk meets it: self when it is read, else the output, or the
 * dense array that becomes the output. */
static ob_tensor big_tensor(const ob_kit_call *call, const indexing *x)
{
    if (x->data.action == NATIVE_WALK_READ)
        return x->self;
    ob_tensor big = at_least_1d(ob_kit_output(call, 0));
    if (x->data.action == NATIVE_WALK_ADD) {
        int64_t stride = 1;
        for (int d = big.ndim - 1; d >= 0; d--) {
            big.strides[d] = stride;
            stride *= big.sizes[d];
        }
    }
    return big;
}

/* Strides of a dense array of t's sizes, broadcast to a space whose last dimensions are t's. */
static void dense_strides(const ob_tensor *t, const int64_t *sizes, int ndim, int64_t *out)
{
    int64_t stride = 1;
    for (int d = 0; d < ndim; d++)
        out[d] = 0;
    for (int d = t->ndim - 1; d >= 0; d--) {
        const int at = ndim - t->ndim + d;
        if (at < 0)
            break;
        out[at] = t->sizes[d] == sizes[at] ? stride : 0;
        stride *= t->sizes[d];
    }
}

static ob_status add_index(ob_kit_call *call, indexing *x, const ob_tensor *index, int64_t step,
                           int64_t limit, ob_err *err)
{
    const int k = x->walk.index_count++;
    x->walk.index[k].step = step;
    x->walk.index[k].limit = limit;
    return native_dense_plan(call, index, NATIVE_I64, &x->index[k], err);
}

/* ---- along one dimension ---- */

/* src of scatter and source of index_add: strides of where it lies, or of the dense array. */
static ob_status plan_source(ob_kit_call *call, indexing *x, const ob_tensor *source, ob_err *err)
{
    native_walk *w = &x->walk;
    if (source == NULL) {
        x->fills = true;
        return native_scratch_reserve(call, 1, 16, &x->source.offset, err);
    }
    const ob_tensor t = at_least_1d(source);
    if (x->data.action == NATIVE_WALK_ADD) {
        int64_t stride = 1;
        for (int d = t.ndim - 1; d >= 0; d--) {
            w->small[d] = stride;
            stride *= t.sizes[d];
        }
        return native_dense_plan(call, source, x->data.cls, &x->source, err);
    }
    x->small = t;
    memcpy(w->small, t.strides, sizeof w->small);
    return OB_OK;
}

enum { GATHER, SCATTER, SCATTER_ADD, INDEX_SELECT, INDEX_ADD, INDEX_FILL };
static const native_walk_action ACTIONS[] = {
    [GATHER] = NATIVE_WALK_READ,     [SCATTER] = NATIVE_WALK_WRITE,
    [SCATTER_ADD] = NATIVE_WALK_ADD, [INDEX_SELECT] = NATIVE_WALK_READ,
    [INDEX_ADD] = NATIVE_WALK_ADD,   [INDEX_FILL] = NATIVE_WALK_WRITE,
};

/* The space is the index's own (gather, scatter), or self's with the index along dim. */
static ob_status setup_along(ob_kit_call *call, ob_err *err)
{
    const int what = call->kernel->variant;
    indexing *x;
    OB_TRY(start(call, ACTIONS[what], &x, err));
    native_walk *w = &x->walk;
    const ob_tensor index = at_least_1d(ob_kit_arg_tensor(call, "index"));
    const ob_tensor big = big_tensor(call, x);
    const int dim = ob_kit_dim(ob_kit_arg_int(call, "dim", 0), big.ndim);
    const bool flat = what >= INDEX_SELECT; /* the index has one dimension */
    const ob_tensor *space = flat ? &big : &index;
    w->ndim = big.ndim;
    w->wraps = what == INDEX_FILL;
    memcpy(w->sizes, space->sizes, sizeof w->sizes);
    if (flat)
        w->sizes[dim] = ob_kit_numel(&index);
    memcpy(w->big, big.strides, sizeof w->big);
    w->big[dim] = 0;
    if (ob_kit_numel(&index) == 0 && index.ndim != big.ndim)
        w->sizes[0] = 0; /* an empty index of any shape: nothing to do */
    OB_TRY(add_index(call, x, ob_kit_arg_tensor(call, "index"), big.strides[dim], big.sizes[dim],
                     err));
    if (flat)
        w->index[0].strides[dim] = 1;
    else
        dense_strides(&index, index.sizes, w->ndim, w->index[0].strides);
    x->data.factor = ob_kit_arg_double(call, "alpha", 1);
    x->data.factor_integer = ob_kit_arg_int(call, "alpha", 1);
    if (x->data.action == NATIVE_WALK_READ) {
        memcpy(w->small, x->small.strides, sizeof w->small);
        return OB_OK;
    }
    x->fill = ob_kit_arg_double(call, "value", 0);
    return plan_source(call, x, ob_kit_arg_tensor(call, what == INDEX_ADD ? "source" : "src"), err);
}

/* ---- by a list of index tensors ---- */

/* Adds the list's tensors; *first and *adjacent tell where the indexed dimensions are, *wide the
 * broadcast of all indices. */
typedef struct advanced {
    int first;
    bool adjacent, indexed[OB_MAX_DIMS];
    ob_tensor wide;
} advanced;

static ob_status read_list(ob_kit_call *call, indexing *x, const ob_tensor *big, advanced *a,
                           ob_err *err)
{
    const ob_value *list = ob_kit_arg(call, "indices");
    int last = -1;
    *a = (advanced){.first = -1, .adjacent = true};
    for (size_t d = 0; d < list->as.list.count && d < OB_MAX_DIMS; d++) {
        const ob_value *item = &list->as.list.items[d];
        if (item->kind != OB_VALUE_TENSOR)
            continue;
        const ob_tensor *t = item->as.tensor;
        if (a->first < 0)
            a->first = (int)d;
        else if (last != (int)d - 1)
            a->adjacent = false;
        last = (int)d;
        a->indexed[d] = true;
        for (int i = 1; i <= t->ndim; i++) {
            int64_t *size = &a->wide.sizes[OB_MAX_DIMS - i];
            if (i > a->wide.ndim || *size == 1)
                *size = t->sizes[t->ndim - i];
        }
        if (t->ndim > a->wide.ndim)
            a->wide.ndim = t->ndim;
        OB_TRY(add_index(call, x, t, big->strides[d], big->sizes[d], err));
    }
    memmove(a->wide.sizes, a->wide.sizes + (OB_MAX_DIMS - a->wide.ndim),
            (size_t)a->wide.ndim * sizeof a->wide.sizes[0]);
    return OB_OK;
}

/* The space is the indices' one in the place of the indexed dimensions (or in front, when those do
 * not stand side by side) and the other dimensions of big. */
static void lay_out(native_walk *w, const indexing *x, const ob_tensor *big, const advanced *a)
{
    const int place = a->adjacent ? a->first : 0;
    for (int d = 0; d <= big->ndim; d++) {
        if (a->first >= 0 && d == place) {
            for (int k = 0; k < w->index_count; k++)
                dense_strides(&x->index[k].tensor, a->wide.sizes, a->wide.ndim,
                              w->index[k].strides + w->ndim);
            for (int i = 0; i < a->wide.ndim; i++)
                w->sizes[w->ndim++] = a->wide.sizes[i];
        }
        if (d < big->ndim && !a->indexed[d]) {
            w->big[w->ndim] = big->strides[d];
            w->sizes[w->ndim++] = big->sizes[d];
        }
    }
}

static ob_status setup_list(ob_kit_call *call, ob_err *err)
{
    const bool writes = call->kernel->variant;
    const bool adds = writes && ob_kit_arg_bool(call, "accumulate", false);
    indexing *x;
    OB_TRY(start(call,
                 !writes ? NATIVE_WALK_READ
                 : adds  ? NATIVE_WALK_ADD
                         : NATIVE_WALK_WRITE,
                 &x, err));
    native_walk *w = &x->walk;
    const ob_tensor big = big_tensor(call, x);
    advanced a;
    w->wraps = true;
    OB_TRY(read_list(call, x, &big, &a, err));
    lay_out(w, x, &big, &a);
    if (!writes) {
        memcpy(w->small, x->small.strides, sizeof w->small);
    } else {
        const ob_tensor *values = ob_kit_arg_tensor(call, "values");
        ob_tensor space = {.ndim = w->ndim};
        memcpy(space.sizes, w->sizes, sizeof space.sizes);
        x->small = native_broadcast(values, &space);
        memcpy(w->small, x->small.strides, sizeof w->small);
        if (adds) {
            OB_TRY(native_dense_plan(call, values, x->data.cls, &x->source, err));
            dense_strides(values, w->sizes, w->ndim, w->small);
        }
    }
    if (w->ndim == 0) { /* one element */
        w->ndim = 1;
        w->sizes[0] = 1;
    }
    return OB_OK;
}

/* ---- run ---- */

static ob_status run(const ob_kit_call *call, ob_err *err)
{
    const indexing *x = call->state;
    native_walk walk = x->walk;
    native_walk_data data = x->data;
    native_bad_index bad = {0};
    const ob_tensor *self = ob_kit_arg_tensor(call, "self"), *out = ob_kit_output(call, 0);
    for (int k = 0; k < walk.index_count; k++)
        walk.index[k].values = native_dense_read(call, &x->index[k]);
    if (data.action == NATIVE_WALK_READ) {
        data.big = native_data(self);
        data.small = native_data(&x->small);
    } else if (data.action == NATIVE_WALK_WRITE) {
        data.big = native_data(out);
        if (x->copies_self)
            OB_TRY(native_copy(call->env, out, self, err));
        if (x->fills) {
            data.small = native_scratch_at(call, x->source.offset);
            native_store(call->env, self->dtype, data.small, 1, NATIVE_F64, &x->fill, 1);
        } else {
            data.small = native_data(&x->small);
        }
    } else {
        data.big = native_dense_place(call, &x->target);
        if (x->copies_self || !x->target.is_direct)
            native_gather(call->env, self, data.cls, data.big);
        data.small = native_dense_read(call, &x->source);
    }
    native_walk_run(call->env, &walk, &data, &bad);
    OB_TRY(native_index_status(call, &bad, ob_kit_arg(call, "index") ? "index" : "indices", err));
    if (data.action == NATIVE_WALK_ADD)
        native_dense_write(call, &x->target);
    return OB_OK;
}

#define ALONG(op_name, types, which)                                                               \
    {                                                                                              \
        .name = "aten::" op_name, .dtypes = (types), .setup = setup_along, .run = run,             \
        .variant = (which)                                                                         \
    }
#define LIST(op_name, writes)                                                                      \
    {                                                                                              \
        .name = "aten::" op_name, .dtypes = OB_KIT_REALS, .setup = setup_list, .run = run,         \
        .variant = (writes)                                                                        \
    }

const ob_kit_kernel native_kernels_index[] = {
    ALONG("gather", OB_KIT_REALS, GATHER),
    ALONG("index_select", OB_KIT_REALS, INDEX_SELECT),
    ALONG("index_add", OB_KIT_NUMBERS, INDEX_ADD),
    ALONG("index_add_", OB_KIT_NUMBERS, INDEX_ADD),
    ALONG("index_fill.int_Scalar", OB_KIT_REALS, INDEX_FILL),
    ALONG("scatter.src", OB_KIT_REALS, SCATTER),
    ALONG("scatter.value", OB_KIT_REALS, SCATTER),
    ALONG("scatter_.src", OB_KIT_REALS, SCATTER),
    ALONG("scatter_.value", OB_KIT_REALS, SCATTER),
    ALONG("scatter_add", OB_KIT_NUMBERS, SCATTER_ADD),
    ALONG("scatter_add_", OB_KIT_NUMBERS, SCATTER_ADD),
    LIST("index.Tensor", 0),
    LIST("index_put", 1),
    LIST("index_put_", 1),
    {.name = NULL},
};
