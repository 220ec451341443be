/* SPDX-License-Identifier: Apache-2.0
 *
 * Shapes of reductions, scans and orderings.
 */
#include "op/promote.h"
#include "op/shape_layout.h"
#include "op/shape_rules.h"

#include <inttypes.h>
#include <string.h>

typedef struct reduction {
    const ob_tensor *self;
    ob__shape shape; /* of the result, contiguous */
    int64_t terms;   /* elements per result */
} reduction;

/* dim may be an int, a list, None or [] (all dimensions), or no argument at all. */
static ob_status reduce(const ob_op_call *call, reduction *out, ob_err *err)
{
    ob__ints dims;
    bool reduced[OB_MAX_DIMS] = {false};
    const bool keepdim = ob__arg_flag(call, "keepdim", false);
    OB_TRY(ob__arg_tensor(call, "self", &out->self, err));
    OB_TRY(ob__arg_ints(call, "dim", &dims, err));
    const bool all = dims.count == 0;
    for (int i = 0; i < dims.count; i++) {
        int dim;
        OB_TRY(ob__norm_dim(call, "dim", dims.v[i], out->self->ndim, &dim, err));
        if (reduced[dim])
            return ob__shape_fail(call, err, "dimension %d is in dim twice; name it once", dim);
        reduced[dim] = true;
    }
    out->shape = (ob__shape){.dtype = out->self->dtype};
    out->terms = 1;
    for (int i = 0; i < out->self->ndim; i++) {
        if (!all && !reduced[i]) {
            out->shape.sizes[out->shape.ndim++] = out->self->sizes[i];
            continue;
        }
        out->terms *= out->self->sizes[i];
        if (keepdim)
            out->shape.sizes[out->shape.ndim++] = 1;
    }
    return OB_OK;
}

ob_status ob__shape_sum(const ob_op_call *call, ob_value *out, ob_err *err)
{
    reduction r;
    OB_TRY(reduce(call, &r, err));
    const ob_dtype natural = ob_dtype_is_integral(r.self->dtype) ? OB_DTYPE_I64 : r.self->dtype;
    r.shape.dtype = ob__arg_dtype(call, "dtype", natural);
    return ob__give(call, out, &r.shape, err);
}

ob_status ob__shape_mean(const ob_op_call *call, ob_value *out, ob_err *err)
{
    reduction r;
    OB_TRY(reduce(call, &r, err));
    r.shape.dtype = ob__arg_dtype(call, "dtype", r.self->dtype);
    OB_TRY(ob__want_floating(call, "self", r.shape.dtype, err));
    return ob__give(call, out, &r.shape, err);
}

ob_status ob__shape_reduce_float(const ob_op_call *call, ob_value *out, ob_err *err)
{
    reduction r;
    OB_TRY(reduce(call, &r, err));
    OB_TRY(ob__want_floating(call, "self", r.self->dtype, err));
    r.shape.dtype = ob__dtype_to_real(r.self->dtype);
    return ob__give(call, out, &r.shape, err);
}

ob_status ob__shape_reduce_two(const ob_op_call *call, ob_value *out, ob_err *err)
{
    reduction r;
    OB_TRY(reduce(call, &r, err));
    OB_TRY(ob__want_floating(call, "self", r.self->dtype, err));
    ob__shape shapes[] = {r.shape, r.shape};
    shapes[0].dtype = ob__dtype_to_real(r.self->dtype);
    return ob__give_all(call, out, shapes, 2, err);
}

ob_status ob__shape_norm(const ob_op_call *call, ob_value *out, ob_err *err)
{
    reduction r;
    OB_TRY(reduce(call, &r, err));
    OB_TRY(ob__want_floating(call, "self", r.self->dtype, err));
    r.shape.dtype = ob__dtype_to_real(ob__arg_dtype(call, "dtype", r.self->dtype));
    OB_TRY(ob__want_floating(call, "dtype", r.shape.dtype, err));
    return ob__give(call, out, &r.shape, err);
}

ob_status ob__shape_logsumexp(const ob_op_call *call, ob_value *out, ob_err *err)
{
    reduction r;
    OB_TRY(reduce(call, &r, err));
    r.shape.dtype = ob__dtype_to_float(r.self->dtype);
    return ob__give(call, out, &r.shape, err);
}

ob_status ob__shape_cosine_similarity(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *a, *b;
    int dim;
    ob__promotion promotion = ob__promotion_start();
    OB_TRY(ob__arg_tensor(call, "x1", &a, err));
    OB_TRY(ob__arg_tensor(call, "x2", &b, err));
    ob__promotion_add_tensor(&promotion, a);
    ob__promotion_add_tensor(&promotion, b);
    ob__shape shape = ob__shape_dense(a);
    shape.dtype = ob__promotion_result(&promotion);
    OB_TRY(ob__want_floating(call, "the common dtype", shape.dtype, err));
    OB_TRY(ob__shape_widen(call, &shape, "x1", b, "x2", err));
    OB_TRY(ob__arg_dim(call, "dim", 1, shape.ndim, &dim, err));
    for (int i = dim; i + 1 < shape.ndim; i++)
        shape.sizes[i] = shape.sizes[i + 1];
    shape.ndim -= shape.ndim > 0;
    return ob__give(call, out, &shape, err);
}

/* Without a term there is nothing to choose from. */
static ob_status want_terms(const ob_op_call *call, const reduction *r, ob_err *err)
{
    char text[OB__SHAPE_TEXT];
    if (r->terms > 0)
        return OB_OK;
    return ob__shape_fail(call, err,
                          "self is %s; the dimensions that are reduced must not be empty",
                          ob__tensor_text(r->self, text));
}

ob_status ob__shape_extremum(const ob_op_call *call, ob_value *out, ob_err *err)
{
    reduction r;
    OB_TRY(reduce(call, &r, err));
    OB_TRY(want_terms(call, &r, err));
    return ob__give(call, out, &r.shape, err);
}

ob_status ob__shape_extremum_dim(const ob_op_call *call, ob_value *out, ob_err *err)
{
    reduction r;
    OB_TRY(reduce(call, &r, err));
    OB_TRY(want_terms(call, &r, err));
    ob__shape shapes[] = {r.shape, r.shape};
    shapes[1].dtype = OB_DTYPE_I64;
    return ob__give_all(call, out, shapes, 2, err);
}

ob_status ob__shape_arg_extremum(const ob_op_call *call, ob_value *out, ob_err *err)
{
    reduction r;
    OB_TRY(reduce(call, &r, err));
    OB_TRY(want_terms(call, &r, err));
    r.shape.dtype = OB_DTYPE_I64;
    return ob__give(call, out, &r.shape, err);
}

ob_status ob__shape_any_all(const ob_op_call *call, ob_value *out, ob_err *err)
{
    reduction r;
    OB_TRY(reduce(call, &r, err));
    r.shape.dtype = r.self->dtype == OB_DTYPE_U8 ? OB_DTYPE_U8 : OB_DTYPE_BOOL;
    return ob__give(call, out, &r.shape, err);
}

static ob_status self_and_dim(const ob_op_call *call, const ob_tensor **self, int *dim, ob_err *err)
{
    OB_TRY(ob__arg_tensor(call, "self", self, err));
    return ob__arg_dim(call, "dim", -1, (*self)->ndim, dim, err);
}

ob_status ob__shape_cumulate(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self;
    int dim;
    OB_TRY(self_and_dim(call, &self, &dim, err));
    ob__shape shape = ob__shape_dense(self);
    shape.dtype = ob__arg_dtype(call, "dtype",
                                ob_dtype_is_integral(self->dtype) ? OB_DTYPE_I64 : self->dtype);
    return ob__give(call, out, &shape, err);
}

ob_status ob__shape_topk(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self;
    int dim;
    const int64_t k = ob__arg_int(call, "k", 0);
    char text[OB__SHAPE_TEXT];
    OB_TRY(self_and_dim(call, &self, &dim, err));
    if (k < 0 || k > (self->ndim > 0 ? self->sizes[dim] : 1))
        return ob__shape_fail(call, err,
                              "k is %" PRId64 " and self is %s; k must be from 0 to the size of "
                              "dimension %d",
                              k, ob__tensor_text(self, text), dim);
    ob__shape values = ob__shape_dense(self);
    if (self->ndim > 0)
        values.sizes[dim] = k;
    ob__shape shapes[] = {values, values};
    shapes[1].dtype = OB_DTYPE_I64;
    return ob__give_all(call, out, shapes, 2, err);
}

ob_status ob__shape_sort(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self;
    int dim;
    OB_TRY(self_and_dim(call, &self, &dim, err));
    ob__shape shapes[] = {ob__shape_dense(self), ob__shape_dense(self)};
    ob__set_preserved_strides(&shapes[0], self);
    shapes[1] = shapes[0];
    shapes[1].dtype = OB_DTYPE_I64;
    return ob__give_all(call, out, shapes, 2, err);
}

ob_status ob__shape_argsort(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self;
    int dim;
    OB_TRY(self_and_dim(call, &self, &dim, err));
    ob__shape shape = ob__shape_dense(self);
    ob__set_preserved_strides(&shape, self);
    shape.dtype = OB_DTYPE_I64;
    return ob__give(call, out, &shape, err);
}

static ob_dtype bucket_dtype(const ob_op_call *call)
{
    return ob__arg_flag(call, "out_int32", false) ? OB_DTYPE_I32 : OB_DTYPE_I64;
}

ob_status ob__shape_bucketize(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self = NULL, *boundaries;
    const ob_value *v = ob__arg(call, "self");
    OB_TRY(ob__arg_tensor(call, "boundaries", &boundaries, err));
    OB_TRY(ob__want_ndim(call, "boundaries", boundaries, 1, err));
    if (v != NULL && v->kind == OB_VALUE_TENSOR)
        OB_TRY(ob__arg_tensor(call, "self", &self, err));
    ob__shape shape = self != NULL ? ob__shape_dense(self) : (ob__shape){.ndim = 0};
    shape.dtype = bucket_dtype(call);
    return ob__give(call, out, &shape, err);
}

/* sorter says where each element of sorted_sequence stands in its line. */
static ob_status check_sorter(const ob_op_call *call, const ob_tensor *sorted, ob_err *err)
{
    const ob_tensor *sorter;
    const char *side = ob__arg_str(call, "side", NULL);
    const ob__shape shape = ob__shape_dense(sorted);
    OB_TRY(ob__arg_maybe_tensor(call, "sorter", &sorter, err));
    if (sorter != NULL)
        OB_TRY(ob__want_index(call, "sorter", sorter, false, err));
    if (side != NULL && strcmp(side, "left") != 0 && strcmp(side, "right") != 0)
        return ob__shape_fail(call, err, "side is \"%s\"; it must be \"left\" or \"right\"", side);
    return ob__want_sizes(call, "sorter", &shape, err);
}

ob_status ob__shape_searchsorted(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *sorted, *self = NULL;
    const ob_value *v = ob__arg(call, "self");
    char a[OB__SHAPE_TEXT], b[OB__SHAPE_TEXT];
    OB_TRY(ob__arg_tensor(call, "sorted_sequence", &sorted, err));
    OB_TRY(check_sorter(call, sorted, err));
    if (v != NULL && v->kind == OB_VALUE_TENSOR)
        OB_TRY(ob__arg_tensor(call, "self", &self, err));
    bool fits = sorted->ndim == 1 || (self != NULL && self->ndim == sorted->ndim);
    for (int i = 0; fits && sorted->ndim != 1 && i < sorted->ndim - 1; i++)
        fits = sorted->sizes[i] == self->sizes[i];
    if (!fits)
        return ob__shape_fail(call, err,
                              "sorted_sequence is %s and self is %s; sorted_sequence must have 1 "
                              "dimension, or all sizes but the last must be equal",
                              ob__tensor_text(sorted, a),
                              self != NULL ? ob__tensor_text(self, b) : "a number");
    ob__shape shape = self != NULL ? ob__shape_dense(self) : (ob__shape){.ndim = 0};
    shape.dtype = bucket_dtype(call);
    return ob__give(call, out, &shape, err);
}
