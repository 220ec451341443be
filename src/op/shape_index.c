/* SPDX-License-Identifier: Apache-2.0
 *
 * Shapes of reading and writing by index.
 */
#include "op/shape_layout.h"
#include "op/shape_rules.h"

#include <inttypes.h>
#include <string.h>

static ob_status self_dim_index(const ob_op_call *call, const ob_tensor **self, int *dim,
                                const ob_tensor **index, ob_err *err)
{
    OB_TRY(ob__arg_tensor(call, "self", self, err));
    OB_TRY(ob__arg_dim(call, "dim", 0, (*self)->ndim, dim, err));
    return ob__arg_tensor(call, "index", index, err);
}

/* A tensor without dimensions counts as [1]. */
static int ndim_of(const ob_tensor *t)
{
    return t->ndim > 0 ? t->ndim : 1;
}

static int64_t size_of(const ob_tensor *t, int d)
{
    return t->ndim > 0 ? t->sizes[d] : 1;
}

/* index, and what it moves, have as many dimensions as self and are no longer where it is not
 * indexed. */
static ob_status want_covered(const ob_op_call *call, const char *name, const ob_tensor *t,
                              const ob_tensor *self, int free_dim, ob_err *err)
{
    char a[OB__SHAPE_TEXT], b[OB__SHAPE_TEXT];
    bool fits = ndim_of(t) == ndim_of(self);
    for (int d = 0; fits && d < ndim_of(self); d++)
        fits = d == free_dim || size_of(t, d) <= size_of(self, d);
    if (fits)
        return OB_OK;
    return ob__shape_fail(call, err,
                          "self is %s and %s is %s; it needs the same number of dimensions, and "
                          "no size larger than self's except in dimension %d",
                          ob__tensor_text(self, a), name, ob__tensor_text(t, b), free_dim);
}

ob_status ob__shape_gather(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self, *index;
    int dim;
    OB_TRY(self_dim_index(call, &self, &dim, &index, err));
    OB_TRY(ob__want_index(call, "index", index, false, err));
    if (ob_tensor_numel(index) != 0)
        OB_TRY(want_covered(call, "index", index, self, dim, err));
    ob__shape shape = ob__shape_dense(index);
    shape.dtype = self->dtype;
    return ob__give(call, out, &shape, err);
}

/* self again: as it is in place, else a contiguous copy. */
static ob_status give_self(const ob_op_call *call, const ob_tensor *self, ob_value *out,
                           ob_err *err)
{
    const bool in_place = call->schema->args[0].writes;
    const ob__shape shape = in_place ? ob__shape_of(self) : ob__shape_dense(self);
    return ob__give(call, out, &shape, err);
}

/* The same, but a copy keeps the memory order of self. */
static ob_status give_self_in_order(const ob_op_call *call, const ob_tensor *self, ob_value *out,
                                    ob_err *err)
{
    ob__shape shape = ob__shape_of(self);
    if (!call->schema->args[0].writes) {
        shape.offset = 0;
        shape.strided = false;
        ob__set_preserved_strides(&shape, self);
    }
    return ob__give(call, out, &shape, err);
}

ob_status ob__shape_scatter(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self, *index, *src;
    int dim;
    char a[OB__SHAPE_TEXT], b[OB__SHAPE_TEXT];
    OB_TRY(self_dim_index(call, &self, &dim, &index, err));
    OB_TRY(ob__want_index(call, "index", index, false, err));
    OB_TRY(ob__arg_maybe_tensor(call, "src", &src, err));
    if (ob_tensor_numel(index) != 0)
        OB_TRY(want_covered(call, "index", index, self, dim, err));
    if (src != NULL && ob_tensor_numel(index) != 0) {
        OB_TRY(ob__want_same_dtype(call, "self", self, "src", src, err));
        bool fits = ndim_of(index) == ndim_of(src);
        for (int d = 0; fits && d < ndim_of(src); d++)
            fits = size_of(index, d) <= size_of(src, d);
        if (!fits)
            return ob__shape_fail(call, err,
                                  "index is %s and src is %s; index needs the same number of "
                                  "dimensions and no larger size",
                                  ob__tensor_text(index, a), ob__tensor_text(src, b));
    }
    return give_self(call, self, out, err);
}

static ob_status want_flat(const ob_op_call *call, const ob_tensor *index, ob_err *err)
{
    char text[OB__SHAPE_TEXT];
    if (index->ndim <= 1)
        return OB_OK;
    return ob__shape_fail(call, err, "index is %s; it must have 1 dimension",
                          ob__tensor_text(index, text));
}

ob_status ob__shape_index_select(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self, *index;
    int dim;
    OB_TRY(self_dim_index(call, &self, &dim, &index, err));
    OB_TRY(ob__want_index(call, "index", index, true, err));
    OB_TRY(want_flat(call, index, err));
    if (self->ndim == 0 && ob_tensor_numel(index) != 1)
        return ob__shape_fail(
            call, err, "self has no dimensions and index has %" PRId64 " elements; it must have 1",
            ob_tensor_numel(index));
    ob__shape shape = ob__shape_dense(self);
    if (self->ndim > 0)
        shape.sizes[dim] = ob_tensor_numel(index);
    return ob__give(call, out, &shape, err);
}

ob_status ob__shape_index_add(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self, *index, *source;
    int dim;
    char a[OB__SHAPE_TEXT], b[OB__SHAPE_TEXT], c[OB__SHAPE_TEXT];
    OB_TRY(self_dim_index(call, &self, &dim, &index, err));
    OB_TRY(ob__want_index(call, "index", index, true, err));
    OB_TRY(want_flat(call, index, err));
    OB_TRY(ob__arg_tensor(call, "source", &source, err));
    OB_TRY(ob__want_same_dtype(call, "self", self, "source", source, err));
    bool fits = source->ndim == self->ndim;
    for (int d = 0; fits && d < ndim_of(self); d++)
        fits = size_of(source, d) == (d == dim ? ob_tensor_numel(index) : size_of(self, d));
    if (!fits)
        return ob__shape_fail(call, err,
                              "self is %s, index is %s and source is %s; source must be like self "
                              "with one entry per index in dimension %d",
                              ob__tensor_text(self, a), ob__tensor_text(index, b),
                              ob__tensor_text(source, c), dim);
    return give_self(call, self, out, err);
}

ob_status ob__shape_index_fill(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self, *index;
    int dim;
    OB_TRY(self_dim_index(call, &self, &dim, &index, err));
    OB_TRY(ob__want_index(call, "index", index, false, err));
    OB_TRY(want_flat(call, index, err));
    return give_self_in_order(call, self, out, err);
}

typedef struct advanced {
    const ob_tensor *self;
    ob__shape index; /* broadcast of all index tensors */
    int used;        /* entries of the list */
    int first;       /* first indexed dimension */
    bool adjacent;   /* the indexed dimensions stand side by side */
    bool indexed[OB_MAX_DIMS];
} advanced;

static ob_status read_advanced(const ob_op_call *call, advanced *a, ob_err *err)
{
    const ob_value *list = ob__arg(call, "indices");
    char text[OB__SHAPE_TEXT];
    int last = -1;
    *a = (advanced){.first = -1, .adjacent = true};
    OB_TRY(ob__arg_tensor(call, "self", &a->self, err));
    if (list == NULL || list->kind != OB_VALUE_LIST || list->as.list.count > (size_t)a->self->ndim)
        return ob__shape_fail(call, err,
                              "self is %s; indices must be a list with at most one entry per "
                              "dimension",
                              ob__tensor_text(a->self, text));
    a->used = (int)list->as.list.count;
    for (int d = 0; d < a->used; d++) {
        const ob_value *v = &list->as.list.items[d];
        if (v->kind != OB_VALUE_TENSOR)
            continue;
        const ob_tensor *t = v->as.tensor;
        if (t->dtype == OB_DTYPE_BOOL || t->dtype == OB_DTYPE_U8)
            return ob_err_set(err, OB_ERR_UNSUPPORTED,
                              "%s: index %d is a mask, so the shape depends on the data; use "
                              "integer indices, or where",
                              ob__op_label(call), d);
        OB_TRY(ob__want_index(call, "each index", t, false, err));
        if (a->first < 0)
            a->first = d;
        else if (last != d - 1)
            a->adjacent = false;
        last = d;
        a->indexed[d] = true;
        OB_TRY(ob__shape_widen(call, &a->index, "indices", t, "another index", err));
    }
    return OB_OK;
}

/* Where the indexed dimensions stand side by side the result replaces them in place, else the
 * index's dimensions come first. */
static ob_status advanced_shape(const ob_op_call *call, const advanced *a, ob__shape *shape,
                                ob_err *err)
{
    int64_t sizes[2 * OB_MAX_DIMS];
    int ndim = 0;
    const int place = a->adjacent ? a->first : 0;
    for (int d = 0; d <= a->self->ndim; d++) {
        if (a->first >= 0 && d == place) {
            for (int i = 0; i < a->index.ndim; i++)
                sizes[ndim++] = a->index.sizes[i];
        }
        if (d < a->self->ndim && !a->indexed[d])
            sizes[ndim++] = a->self->sizes[d];
    }
    if (ndim > OB_MAX_DIMS)
        return ob__shape_fail(call, err, "the result would have %d dimensions; at most %d", ndim,
                              OB_MAX_DIMS);
    *shape = ob__shape_make(a->self->dtype, sizes, ndim);
    return OB_OK;
}

ob_status ob__shape_index_tensor(const ob_op_call *call, ob_value *out, ob_err *err)
{
    advanced a;
    ob__shape shape;
    OB_TRY(read_advanced(call, &a, err));
    OB_TRY(advanced_shape(call, &a, &shape, err));
    return ob__give(call, out, &shape, err);
}

ob_status ob__shape_index_put(const ob_op_call *call, ob_value *out, ob_err *err)
{
    advanced a;
    ob__shape shape;
    const ob_tensor *values;
    OB_TRY(read_advanced(call, &a, err));
    OB_TRY(advanced_shape(call, &a, &shape, err));
    OB_TRY(ob__arg_tensor(call, "values", &values, err));
    OB_TRY(ob__want_same_dtype(call, "self", a.self, "values", values, err));
    OB_TRY(ob__want_expandable(call, "values", values, &shape, err));
    return give_self_in_order(call, a.self, out, err);
}
