/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading and writing at places that index tensors say.
 */
#include "reference_formula.h"
#include "reference_update.h"

#include <stdlib.h>

static int64_t contiguous_place(const int64_t *sizes, int ndim, const int64_t *index)
{
    int64_t place = 0;
    for (int d = 0; d < ndim; d++)
        place = place * sizes[d] + index[d];
    return place;
}

static void unravel(const ref_tensor *t, int64_t place, int64_t *index)
{
    for (int d = t->ndim - 1; d >= 0; d--) {
        index[d] = place % t->sizes[d];
        place /= t->sizes[d];
    }
}

/* An index as it is meant: negative ones count from the end. -1: outside. */
static int64_t index_value(const ref_tensor *t, int64_t offset, int64_t size)
{
    const int64_t x = ref_get_whole(t, offset);
    const int64_t at = x < 0 ? x + size : x;
    return at >= 0 && at < size ? at : -1;
}

/* ---- along one dimension ---- */

typedef struct along {
    const ref_tensor *self, *index, *source; /* source NULL = the number */
    int dim;
    ball number, alpha;
    int64_t whole_number, whole_alpha;
    bool scaled;
} along;

static along take_along(const ref_call *call)
{
    along a = {.self = ref_arg(call, "self"), .index = ref_arg(call, "index")};
    a.source = ref_arg(call, "src") != NULL ? ref_arg(call, "src") : ref_arg(call, "source");
    a.dim = ob_kit_dim(ob_kit_arg_int(&call->kit, "dim", 0), a.self->ndim);
    a.number = ref_arg_number(call, "value", 0);
    a.whole_number = ob_kit_arg_int(&call->kit, "value", 0);
    a.alpha = ref_arg_number(call, "alpha", 1);
    a.whole_alpha = ob_kit_arg_int(&call->kit, "alpha", 1);
    a.scaled = a.alpha.v != 1;
    return a;
}

enum { GATHER, SELECT };

/* gather: an index for every element. index_select: one for a whole slice. */
static ob_status run_read(ref_call *call, ob_err *err)
{
    const along a = take_along(call);
    ref_out *out = call->outs;
    ref_walk w;
    int64_t *chosen, count;
    ref_walk_start(&w, out->t.sizes, out->t.ndim);
    OB_TRY(ref_choose_elements(call, out, 30, &chosen, &count, err));
    for (int64_t i = 0; i < count; i++) {
        int64_t from[OB_MAX_DIMS] = {0};
        ref_walk_seek(&w, chosen != NULL ? chosen[i] : i);
        const bool line = call->variant == SELECT && a.index->ndim > 0;
        const int64_t at = line ? a.index->offset + w.index[a.dim] * a.index->strides[0]
                                : ref_offset_at(a.index, w.index);
        for (int d = 0; d < a.self->ndim; d++)
            from[d] = w.index[d];
        const int64_t size = a.self->ndim > 0 ? a.self->sizes[a.dim] : 1;
        if (a.self->ndim > 0)
            from[a.dim] = index_value(a.index, at, size);
        if (ref_is_doubtful(a.index, at) || from[a.dim] < 0)
            ref_put(call, out, w.place, (ball){0, INFINITY});
        else
            ref_put_copy(call, out, w.place, a.self, ref_offset_at(a.self, from));
    }
    free(chosen);
    return OB_OK;
}

static void take_value(const ref_updates *u, const along *a, int64_t offset, ref_update *out)
{
    const ball_rules *r = &u->call->rules;
    const bool whole = ref_is_whole(a->self->dtype);
    if (a->source == NULL) {
        out->value = a->number;
        out->whole = a->whole_number;
    } else {
        out->value = ref_get(a->source, offset);
        out->whole = whole ? ref_get_whole(a->source, offset) : 0;
    }
    if (whole)
        out->value = ball_of(0);
    if (a->scaled) {
        out->value = MUL(a->alpha, out->value);
        out->whole = (int64_t)((uint64_t)out->whole * (uint64_t)a->whole_alpha);
    }
}

static void scatter_at(const ref_updates *u, int64_t number, ref_update *out)
{
    const along *a = u->data;
    int64_t index[OB_MAX_DIMS] = {0};
    unravel(a->index, number, index);
    const int64_t at = ref_offset_at(a->index, index);
    const int64_t target =
        index_value(a->index, at, a->self->ndim > 0 ? a->self->sizes[a->dim] : 1);
    take_value(u, a, a->source != NULL ? ref_offset_at(a->source, index) : 0, out);
    if (a->self->ndim > 0)
        index[a->dim] = target;
    out->place = target < 0 ? -1 : contiguous_place(a->self->sizes, a->self->ndim, index);
    if (!ref_is_doubtful(a->index, at) || target < 0 || a->self->ndim == 0)
        return;
    out->step = 1;
    for (int d = a->dim + 1; d < a->self->ndim; d++)
        out->step *= a->self->sizes[d];
    out->first = out->place - target * out->step;
    out->reach = a->self->sizes[a->dim];
}

/* One index for a whole slice: index_add, index_fill. */
static void line_at(const ref_updates *u, int64_t number, ref_update *out)
{
    const along *a = u->data;
    int64_t index[OB_MAX_DIMS] = {0};
    ref_tensor shape = *a->self;
    if (shape.ndim > 0)
        shape.sizes[a->dim] = ref_numel(a->index);
    unravel(&shape, number, index);
    const int64_t k = shape.ndim > 0 ? index[a->dim] : 0;
    const int64_t at = a->index->offset + (a->index->ndim > 0 ? k * a->index->strides[0] : 0);
    const int64_t target =
        index_value(a->index, at, a->self->ndim > 0 ? a->self->sizes[a->dim] : 1);
    take_value(u, a, a->source != NULL ? ref_offset_at(a->source, index) : 0, out);
    if (shape.ndim > 0)
        index[a->dim] = target;
    out->place = target < 0 ? -1 : contiguous_place(a->self->sizes, a->self->ndim, index);
}

enum { SCATTER, SCATTER_ADD, INDEX_ADD, INDEX_FILL };

static ob_status run_write(ref_call *call, ob_err *err)
{
    const along a = take_along(call);
    const bool lines = call->variant >= INDEX_ADD;
    ref_updates u = {.count = ref_numel(a.index),
                     .adds = call->variant == SCATTER_ADD || call->variant == INDEX_ADD,
                     .self = a.self,
                     .at = lines ? line_at : scatter_at,
                     .call = call,
                     .data = &a};
    for (int d = 0; lines && d < a.self->ndim; d++)
        u.count *= d == a.dim ? 1 : a.self->sizes[d];
    return ref_update_run(call, &u, err);
}

/* ---- several index tensors ---- */

typedef struct advanced {
    const ref_tensor *self, *values;
    const ref_value *indices;
    int count;                      /* of index tensors that are there */
    int first;                      /* where their dimensions stand in the result */
    int wide;                       /* how many dimensions they have together */
    ref_tensor spread[OB_MAX_DIMS]; /* each index tensor, broadcast to all of them */
    bool there[OB_MAX_DIMS];
    ref_tensor result; /* sizes of what is indexed */
} advanced;

/* The sizes that the index tensors broadcast to. */
static void broadcast_sizes(const advanced *a, int64_t *sizes, int *ndim)
{
    *ndim = 0;
    for (size_t i = 0; i < a->indices->count; i++)
        if (a->indices->items[i].store != NULL && a->indices->items[i].ndim > *ndim)
            *ndim = a->indices->items[i].ndim;
    for (int d = 0; d < *ndim; d++) {
        sizes[d] = 1;
        for (size_t i = 0; i < a->indices->count; i++) {
            const ref_tensor *t = &a->indices->items[i];
            const int from = d - (*ndim - t->ndim);
            if (t->store != NULL && from >= 0 && t->sizes[from] != 1)
                sizes[d] = t->sizes[from];
        }
    }
}

static void spread_indices(advanced *a, const int64_t *sizes)
{
    for (size_t i = 0; i < a->indices->count; i++) {
        const ref_tensor *t = &a->indices->items[i];
        ref_tensor *to = &a->spread[i];
        a->there[i] = t->store != NULL;
        if (!a->there[i])
            continue;
        *to = *t;
        to->ndim = a->wide;
        for (int d = 0; d < a->wide; d++) {
            const int from = d - (a->wide - t->ndim);
            to->sizes[d] = sizes[d];
            to->strides[d] = from >= 0 && t->sizes[from] > 1 ? t->strides[from] : 0;
        }
    }
}

static ob_status take_advanced(const ref_call *call, advanced *a, ob_err *err)
{
    int64_t sizes[OB_MAX_DIMS] = {0};
    int last = -1;
    bool apart = false;
    *a = (advanced){.self = ref_arg(call, "self"),
                    .values = ref_arg(call, "values"),
                    .indices = ref_arg_list(call, "indices"),
                    .first = -1};
    for (size_t i = 0; i < a->indices->count; i++) {
        const ref_tensor *t = &a->indices->items[i];
        if (t->store == NULL)
            continue;
        if (t->dtype == OB_DTYPE_BOOL || t->dtype == OB_DTYPE_U8)
            return ref_unsupported(call, "with masks", err);
        apart = apart || (last >= 0 && (int)i != last + 1);
        a->first = a->first < 0 ? (int)i : a->first;
        last = (int)i;
        a->count++;
    }
    if (apart)
        a->first = 0;
    broadcast_sizes(a, sizes, &a->wide);
    spread_indices(a, sizes);
    /* The result: dimensions without an index, with those of the indices in between or in front. */
    int n = 0;
    for (int d = 0; d <= a->self->ndim; d++) {
        if (n == a->first)
            for (int k = 0; k < a->wide; k++)
                a->result.sizes[n++] = sizes[k];
        if (d < a->self->ndim && !((size_t)d < a->indices->count && a->there[d]))
            a->result.sizes[n++] = a->self->sizes[d];
    }
    a->result.ndim = n;
    return OB_OK;
}

/* The element of self that an element of the result is; -1 in one of them: outside. */
static bool source_index(const advanced *a, const int64_t *index, int64_t *out)
{
    bool inside = true;
    int plain = a->first == 0 ? a->wide : 0;
    for (int d = 0; d < a->self->ndim; d++) {
        if ((size_t)d < a->indices->count && a->there[d]) {
            const ref_tensor *t = &a->spread[d];
            const int64_t at = ref_offset_at(t, index + a->first);
            out[d] = index_value(t, at, a->self->sizes[d]);
            inside = inside && out[d] >= 0 && !ref_is_doubtful(t, at);
            continue;
        }
        if (plain == a->first && a->first > 0)
            plain += a->wide;
        out[d] = index[plain++];
    }
    return inside;
}

static ob_status run_index(ref_call *call, ob_err *err)
{
    advanced a;
    ref_out *out = call->outs;
    ref_walk w;
    int64_t *chosen, count;
    OB_TRY(take_advanced(call, &a, err));
    ref_walk_start(&w, out->t.sizes, out->t.ndim);
    OB_TRY(ref_choose_elements(call, out, 60, &chosen, &count, err));
    for (int64_t i = 0; i < count; i++) {
        int64_t from[OB_MAX_DIMS];
        ref_walk_seek(&w, chosen != NULL ? chosen[i] : i);
        if (source_index(&a, w.index, from))
            ref_put_copy(call, out, w.place, a.self, ref_offset_at(a.self, from));
        else
            ref_put(call, out, w.place, (ball){0, INFINITY});
    }
    free(chosen);
    return OB_OK;
}

static void put_at(const ref_updates *u, int64_t number, ref_update *out)
{
    const advanced *a = u->data;
    int64_t index[OB_MAX_DIMS] = {0}, to[OB_MAX_DIMS];
    unravel(&a->result, number, index);
    const int missing = a->result.ndim - a->values->ndim;
    int64_t at = a->values->offset;
    for (int d = 0; d < a->values->ndim; d++)
        at += a->values->sizes[d] > 1 ? index[missing + d] * a->values->strides[d] : 0;
    const bool whole = ref_is_whole(a->self->dtype);
    out->value = whole ? ball_of(0) : ref_get(a->values, at);
    out->whole = whole ? ref_get_whole(a->values, at) : 0;
    if (source_index(a, index, to))
        out->place = contiguous_place(a->self->sizes, a->self->ndim, to);
}

static ob_status run_put(ref_call *call, ob_err *err)
{
    advanced a;
    OB_TRY(take_advanced(call, &a, err));
    const ref_updates u = {.count = ref_numel(&a.result),
                           .adds = ob_kit_arg_bool(&call->kit, "accumulate", false),
                           .self = a.self,
                           .at = put_at,
                           .call = call,
                           .data = &a};
    return ref_update_run(call, &u, err);
}

const ref_row ref_rows_index[] = {
    {.name = "aten::gather", .run = run_read, .variant = GATHER},
    {.name = "aten::index_select", .run = run_read, .variant = SELECT},
    {.name = "aten::scatter", .run = run_write, .variant = SCATTER},
    {.name = "aten::scatter_add", .run = run_write, .variant = SCATTER_ADD},
    {.name = "aten::index_add", .run = run_write, .variant = INDEX_ADD},
    {.name = "aten::index_fill", .run = run_write, .variant = INDEX_FILL},
    {.name = "aten::index", .run = run_index},
    {.name = "aten::index_put", .run = run_put},
    {.name = NULL},
};
