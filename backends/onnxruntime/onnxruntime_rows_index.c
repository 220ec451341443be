/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows: gathering and scattering by index.
 */
#include "translate.h"

#include <string.h>

static void emit_gather(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *self = ort_arg_meta(call, "self");
    if (self->ndim == 0) {
        ort_result(call, 0, ort_arg(call, "self"));
        return;
    }
    ort_result(
        call, 0,
        ort_emit(t, "GatherElements", self->dtype,
                 ORT_IN(ort_arg(call, "self"), ort_arg(call, "index")),
                 ORT_ATTRS(ORT_I("axis", ob_kit_dim(ort_arg_int(call, "dim", 0), self->ndim)))));
}

static void emit_index_select(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *self = ort_arg_meta(call, "self"), *index = ort_arg_meta(call, "index");
    const int64_t count = ob_kit_numel(index);
    ort_id at = ort_arg(call, "index"), x = ort_arg(call, "self");
    if (index->ndim != 1)
        at = ort_reshape(t, at, &count, 1);
    if (self->ndim == 0)
        x = ort_reshape(t, x, (const int64_t[]){1}, 1);
    x = ort_emit(t, "Gather", self->dtype, ORT_IN(x, at),
                 ORT_ATTRS(ORT_I("axis", ob_kit_dim(ort_arg_int(call, "dim", 0), self->ndim))));
    ort_result(call, 0, self->ndim == 0 ? ort_reshape_like(t, x, ort_result_meta(call, 0)) : x);
}

/* ---- scatter ---- */

/* src may be larger than index: the rest is not looked at. */
static void emit_scatter(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *self = ort_arg_meta(call, "self"), *index = ort_arg_meta(call, "index"),
                    *src = ort_arg_meta(call, "src");
    const bool add = call->row->onnx != NULL;
    if (self->ndim == 0 || index->ndim == 0) {
        ort_refuse(call, "a tensor without dimensions");
        return;
    }
    if (ob_kit_numel(index) ==
        0) { /* nothing is written; ONNX Runtime compares the sizes all the same */
        ort_result(call, 0,
                   ort_emit(t, "Identity", self->dtype, ORT_IN(ort_arg(call, "self")), NULL));
        return;
    }
    ort_id from;
    if (src != NULL) {
        from = ort_arg(call, "src");
        for (int d = 0; d < src->ndim; d++)
            if (src->sizes[d] > index->sizes[d])
                from = ort_slice(t, from, d, 0, index->sizes[d], 1);
    } else {
        from = ort_expand(t, ort_number_from(t, self->dtype, ort_arg_value(call, "value")),
                          index->sizes, index->ndim);
    }
    ort_result(call, 0,
               ort_scatter(call->t, ort_arg(call, "self"), ort_arg(call, "index"), from,
                           ob_kit_dim(ort_arg_int(call, "dim", 0), self->ndim), add));
}

/* The same index for all of a row. */
static void emit_index_rows(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *self = ort_arg_meta(call, "self"), *index = ort_arg_meta(call, "index");
    const int dim = ob_kit_dim(ort_arg_int(call, "dim", 0), self->ndim);
    const bool add = ort_arg_meta(call, "source") != NULL;
    int64_t narrow[OB_MAX_DIMS], wide[OB_MAX_DIMS];
    if (self->ndim == 0) {
        ort_refuse(call, "a tensor without dimensions");
        return;
    }
    for (int d = 0; d < self->ndim; d++) {
        narrow[d] = d == dim ? ob_kit_numel(index) : 1;
        wide[d] = d == dim ? ob_kit_numel(index) : self->sizes[d];
    }
    const ort_id at =
        ort_expand(t, ort_reshape(t, ort_arg(call, "index"), narrow, self->ndim), wide, self->ndim);
    ort_id from;
    if (add) {
        from = ort_reshape(t, ort_arg_as(call, "source", self->dtype), wide, self->ndim);
        if (ort_arg_double(call, "alpha", 1) != 1)
            from = ort_binary(t, "Mul", from,
                              ort_number_from(t, self->dtype, ort_arg_value(call, "alpha")));
    } else {
        from = ort_expand(t, ort_number_from(t, self->dtype, ort_arg_value(call, "value")), wide,
                          self->ndim);
    }
    ort_result(call, 0, ort_scatter(call->t, ort_arg(call, "self"), at, from, dim, add));
}

/* ---- x[i, j, ...] ---- */

/* Indices that stand side by side from the first dimension on, or one alone. */
typedef struct indices {
    ort_id ids[OB_MAX_DIMS];
    const ob_tensor *metas[OB_MAX_DIMS];
    int first, count;           /* dimensions that are indexed */
    int64_t shape[OB_MAX_DIMS]; /* what the indices broadcast to */
    int ndim;
} indices;

static bool read_indices(ort_call *call, indices *out)
{
    *out = (indices){.first = -1};
    const size_t given = ort_arg_list(call, "indices", out->ids, out->metas, (size_t)OB_MAX_DIMS);
    for (size_t i = 0; i < given && i < (size_t)OB_MAX_DIMS; i++) {
        const ob_tensor *meta = out->metas[i];
        if (meta == NULL)
            continue;
        if (out->first >= 0 && out->first + out->count != (int)i) {
            ort_refuse(call, "indices that are not adjacent");
            return false;
        }
        if (meta->dtype != OB_DTYPE_I64 && meta->dtype != OB_DTYPE_I32) {
            ort_refuse(call, "a mask instead of indices");
            return false;
        }
        out->first = out->first < 0 ? (int)i : out->first;
        out->count++;
        const int more = meta->ndim - out->ndim;
        if (more > 0) {
            memmove(out->shape + more, out->shape, (size_t)out->ndim * sizeof *out->shape);
            for (int d = 0; d < more; d++)
                out->shape[d] = 1;
            out->ndim = meta->ndim;
        }
        for (int d = 0; d < meta->ndim; d++)
            if (meta->sizes[d] != 1)
                out->shape[out->ndim - meta->ndim + d] = meta->sizes[d];
    }
    if (out->count == 0)
        ort_refuse(call, "no indices");
    return out->count > 0;
}

/* [..., count] for GatherND and ScatterND. */
static ort_id stack_indices(ort_call *call, const indices *x)
{
    ort_translation *t = call->t;
    ort_id parts[OB_MAX_DIMS];
    int64_t sizes[OB_MAX_DIMS];
    memcpy(sizes, x->shape, sizeof sizes);
    sizes[x->ndim] = 1;
    for (int i = 0; i < x->count; i++) {
        const ort_id wide =
            ort_expand(t, ort_cast(t, x->ids[x->first + i], OB_DTYPE_I64), x->shape, x->ndim);
        parts[i] = ort_reshape(t, wide, sizes, x->ndim + 1);
    }
    return x->count == 1 ? parts[0]
                         : ort_emit(t, "Concat", OB_DTYPE_I64, parts, (size_t)x->count,
                                    ORT_ATTRS(ORT_I("axis", -1)));
}

static void emit_index(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *self = ort_arg_meta(call, "self");
    indices x;
    if (!read_indices(call, &x))
        return;
    if (x.count == 1) {
        ort_result(call, 0,
                   ort_emit(t, "Gather", self->dtype, ORT_IN(ort_arg(call, "self"), x.ids[x.first]),
                            ORT_ATTRS(ORT_I("axis", x.first))));
    } else if (x.first == 0) {
        ort_result(call, 0,
                   ort_emit(t, "GatherND", self->dtype,
                            ORT_IN(ort_arg(call, "self"), stack_indices(call, &x)), NULL));
    } else {
        ort_refuse(call, "several indices after a dimension that is not indexed");
    }
}

static void emit_index_put(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *self = ort_arg_meta(call, "self");
    const bool add = ort_arg_bool(call, "accumulate", false);
    int64_t shape[2 * OB_MAX_DIMS];
    indices x;
    if (!read_indices(call, &x))
        return;
    if (x.first != 0) {
        ort_refuse(call, "indices after a dimension that is not indexed");
        return;
    }
    memcpy(shape, x.shape, sizeof x.shape);
    int ndim = x.ndim;
    for (int d = x.count; d < self->ndim; d++)
        shape[ndim++] = self->sizes[d];
    const ort_id values = ort_expand(t, ort_arg_as(call, "values", self->dtype), shape, ndim);
    ort_result(call, 0,
               ort_scatter(t, ort_arg(call, "self"), stack_indices(call, &x), values, -1, add));
}

static void emit_one_hot(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *self = ort_arg_meta(call, "self"), *result = ort_result_meta(call, 0);
    int64_t sizes[OB_MAX_DIMS];
    memcpy(sizes, self->sizes, sizeof sizes);
    sizes[self->ndim] = 1;
    const ort_id column = ort_reshape(t, ort_arg(call, "self"), sizes, self->ndim + 1);
    ort_result(call, 0,
               ort_emit(t, "Equal", OB_DTYPE_BOOL,
                        ORT_IN(column, ort_range(t, result->sizes[self->ndim])), NULL));
}

const ort_row ort_rows_index[] = {
    {.name = "aten::gather", .emit = emit_gather},
    {.name = "aten::index_select", .emit = emit_index_select},
    {.name = "aten::index.Tensor", .emit = emit_index},
    {.name = "aten::index_put", .emit = emit_index_put},
    {.name = "aten::index_add", .emit = emit_index_rows},
    {.name = "aten::index_fill.int_Scalar", .emit = emit_index_rows},
    {.name = "aten::one_hot", .emit = emit_one_hot},
    {.name = "aten::scatter.src", .emit = emit_scatter},
    {.name = "aten::scatter.value", .emit = emit_scatter},
    {.name = "aten::scatter_add", .emit = emit_scatter, .onnx = "add"},
    {.name = NULL},
};
