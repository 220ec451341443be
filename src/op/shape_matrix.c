/* SPDX-License-Identifier: Apache-2.0
 *
 * Shapes of the matrix family. All tensors must have one dtype; nothing is promoted (outer and addr
 * excepted, which are elementwise in PyTorch).
 */
#include "op/promote.h"
#include "op/shape_rules.h"
#include "op/shape_util.h"

#include <inttypes.h>

typedef struct named {
    const char *name;
    const ob_tensor *t;
} named;

static ob_status take(const ob_op_call *call, const char *name, int ndim, named *out, ob_err *err)
{
    out->name = name;
    OB_TRY(ob__arg_tensor(call, name, &out->t, err));
    return ob__want_ndim(call, name, out->t, ndim, err);
}

/* Size i of a must equal size j of b. */
static ob_status want_equal(const ob_op_call *call, named a, int i, named b, int j, ob_err *err)
{
    char x[OB__SHAPE_TEXT], y[OB__SHAPE_TEXT];
    if (a.t->sizes[i] == b.t->sizes[j])
        return OB_OK;
    return ob__shape_fail(
        call, err, "%s is %s and %s is %s; the %" PRId64 " and the %" PRId64 " must be equal",
        a.name, ob__tensor_text(a.t, x), b.name, ob__tensor_text(b.t, y), a.t->sizes[i],
        b.t->sizes[j]);
}

/* [.., n, k] x [.., k, m] with the same leading size when there is one. */
static ob_status product(const ob_op_call *call, const char *a_name, const char *b_name, int ndim,
                         ob__shape *shape, ob_err *err)
{
    named a, b;
    OB_TRY(take(call, a_name, ndim, &a, err));
    OB_TRY(take(call, b_name, ndim, &b, err));
    OB_TRY(ob__want_same_dtype(call, a.name, a.t, b.name, b.t, err));
    if (ndim == 3)
        OB_TRY(want_equal(call, a, 0, b, 0, err));
    OB_TRY(want_equal(call, a, ndim - 1, b, ndim - 2, err));
    *shape = ob__shape_dense(a.t);
    shape->sizes[ndim - 1] = b.t->sizes[ndim - 1];
    return OB_OK;
}

ob_status ob__shape_mm(const ob_op_call *call, ob_value *out, ob_err *err)
{
    ob__shape shape;
    OB_TRY(product(call, "self", "mat2", 2, &shape, err));
    return ob__give(call, out, &shape, err);
}

ob_status ob__shape_bmm(const ob_op_call *call, ob_value *out, ob_err *err)
{
    ob__shape shape;
    OB_TRY(product(call, "self", "mat2", 3, &shape, err));
    return ob__give(call, out, &shape, err);
}

/* self is the term that is added: it expands to the product's shape. In place it already has it. */
static ob_status add_to(const ob_op_call *call, const ob__shape *shape, ob_value *out, ob_err *err)
{
    const ob_tensor *self;
    char a[OB__SHAPE_TEXT], b[OB__SHAPE_TEXT];
    OB_TRY(ob__arg_tensor(call, "self", &self, err));
    if (self->dtype != shape->dtype)
        return ob__shape_fail(call, err, "self is %s and the product is %s; use one dtype",
                              ob__dtype_text(self->dtype), ob__dtype_text(shape->dtype));
    OB_TRY(ob__want_expandable(call, "self", self, shape, err));
    if (!call->schema->args[0].writes)
        return ob__give(call, out, shape, err);
    ob__shape own = ob__shape_of(self);
    bool same = own.ndim == shape->ndim;
    for (int i = 0; same && i < own.ndim; i++)
        same = own.sizes[i] == shape->sizes[i];
    if (!same)
        return ob__shape_fail(
            call, err, "self is %s and the product is %s; in place both must be equal",
            ob__tensor_text(self, a), ob__sizes_text(shape->sizes, shape->ndim, b));
    return ob__give(call, out, &own, err);
}

ob_status ob__shape_addmm(const ob_op_call *call, ob_value *out, ob_err *err)
{
    ob__shape shape;
    OB_TRY(product(call, "mat1", "mat2", 2, &shape, err));
    return add_to(call, &shape, out, err);
}

ob_status ob__shape_baddbmm(const ob_op_call *call, ob_value *out, ob_err *err)
{
    ob__shape shape;
    OB_TRY(product(call, "batch1", "batch2", 3, &shape, err));
    return add_to(call, &shape, out, err);
}

ob_status ob__shape_addbmm(const ob_op_call *call, ob_value *out, ob_err *err)
{
    ob__shape shape;
    OB_TRY(product(call, "batch1", "batch2", 3, &shape, err));
    const ob__shape flat = ob__shape_make(shape.dtype, shape.sizes + 1, 2);
    return add_to(call, &flat, out, err);
}

static ob_status matrix_vector(const ob_op_call *call, const char *matrix, ob__shape *shape,
                               ob_err *err)
{
    named a, b;
    OB_TRY(take(call, matrix, 2, &a, err));
    OB_TRY(take(call, "vec", 1, &b, err));
    OB_TRY(ob__want_same_dtype(call, a.name, a.t, b.name, b.t, err));
    OB_TRY(want_equal(call, a, 1, b, 0, err));
    *shape = ob__shape_make(a.t->dtype, a.t->sizes, 1);
    return OB_OK;
}

ob_status ob__shape_mv(const ob_op_call *call, ob_value *out, ob_err *err)
{
    ob__shape shape;
    OB_TRY(matrix_vector(call, "self", &shape, err));
    return ob__give(call, out, &shape, err);
}

ob_status ob__shape_addmv(const ob_op_call *call, ob_value *out, ob_err *err)
{
    ob__shape shape;
    OB_TRY(matrix_vector(call, "mat", &shape, err));
    return add_to(call, &shape, out, err);
}

ob_status ob__shape_dot(const ob_op_call *call, ob_value *out, ob_err *err)
{
    named a, b;
    OB_TRY(take(call, "self", 1, &a, err));
    OB_TRY(take(call, "tensor", 1, &b, err));
    OB_TRY(ob__want_same_dtype(call, a.name, a.t, b.name, b.t, err));
    OB_TRY(want_equal(call, a, 0, b, 0, err));
    const ob__shape shape = ob__shape_make(a.t->dtype, NULL, 0);
    return ob__give(call, out, &shape, err);
}

static ob_status outer(const ob_op_call *call, const char *a_name, const char *b_name,
                       ob__promotion *promotion, ob__shape *shape, ob_err *err)
{
    named a, b;
    OB_TRY(take(call, a_name, 1, &a, err));
    OB_TRY(take(call, b_name, 1, &b, err));
    ob__promotion_add_tensor(promotion, a.t);
    ob__promotion_add_tensor(promotion, b.t);
    const int64_t sizes[] = {a.t->sizes[0], b.t->sizes[0]};
    *shape = ob__shape_make(ob__promotion_result(promotion), sizes, 2);
    return OB_OK;
}

ob_status ob__shape_outer(const ob_op_call *call, ob_value *out, ob_err *err)
{
    ob__shape shape;
    ob__promotion promotion = ob__promotion_start();
    OB_TRY(outer(call, "self", "vec2", &promotion, &shape, err));
    return ob__give(call, out, &shape, err);
}

ob_status ob__shape_addr(const ob_op_call *call, ob_value *out, ob_err *err)
{
    ob__shape shape;
    const ob_tensor *self;
    ob__promotion promotion = ob__promotion_start();
    OB_TRY(ob__arg_tensor(call, "self", &self, err));
    ob__promotion_add_tensor(&promotion, self);
    OB_TRY(outer(call, "vec1", "vec2", &promotion, &shape, err));
    OB_TRY(ob__want_expandable(call, "self", self, &shape, err));
    return ob__give(call, out, &shape, err);
}

/* Leading dimensions broadcast; a vector is a row on the left and a column on the right. */
static ob_status matmul_shape(const ob_op_call *call, named a, named b, ob__shape *shape,
                              ob_err *err)
{
    char x[OB__SHAPE_TEXT], y[OB__SHAPE_TEXT];
    if (a.t->ndim == 0 || b.t->ndim == 0)
        return ob__shape_fail(call, err, "%s is %s and %s is %s; both need at least 1 dimension",
                              a.name, ob__tensor_text(a.t, x), b.name, ob__tensor_text(b.t, y));
    OB_TRY(ob__want_same_dtype(call, a.name, a.t, b.name, b.t, err));
    OB_TRY(want_equal(call, a, a.t->ndim - 1, b, b.t->ndim == 1 ? 0 : b.t->ndim - 2, err));
    ob_tensor batch = {.ndim = b.t->ndim > 2 ? b.t->ndim - 2 : 0};
    for (int i = 0; i < batch.ndim; i++)
        batch.sizes[i] = b.t->sizes[i];
    *shape = ob__shape_make(a.t->dtype, a.t->sizes, a.t->ndim > 2 ? a.t->ndim - 2 : 0);
    OB_TRY(ob__shape_widen(call, shape, "the batch of self", &batch, "that of other", err));
    if (a.t->ndim > 1)
        shape->sizes[shape->ndim++] = a.t->sizes[a.t->ndim - 2];
    if (b.t->ndim > 1)
        shape->sizes[shape->ndim++] = b.t->sizes[b.t->ndim - 1];
    return OB_OK;
}

ob_status ob__shape_matmul(const ob_op_call *call, ob_value *out, ob_err *err)
{
    named a = {.name = "self"}, b = {.name = "other"};
    ob__shape shape;
    OB_TRY(ob__arg_tensor(call, a.name, &a.t, err));
    OB_TRY(ob__arg_tensor(call, b.name, &b.t, err));
    OB_TRY(matmul_shape(call, a, b, &shape, err));
    return ob__give(call, out, &shape, err);
}

ob_status ob__shape_linear(const ob_op_call *call, ob_value *out, ob_err *err)
{
    named input = {.name = "input"}, weight = {.name = "weight"};
    const ob_tensor *bias;
    char text[OB__SHAPE_TEXT];
    OB_TRY(ob__arg_tensor(call, input.name, &input.t, err));
    OB_TRY(ob__arg_tensor(call, weight.name, &weight.t, err));
    OB_TRY(ob__arg_maybe_tensor(call, "bias", &bias, err));
    if (input.t->ndim == 0 || weight.t->ndim == 0 || weight.t->ndim > 2)
        return ob__shape_fail(call, err,
                              "weight is %s; it must be [out_features, in_features], and input "
                              "must have at least 1 dimension",
                              ob__tensor_text(weight.t, text));
    OB_TRY(ob__want_same_dtype(call, "input", input.t, "weight", weight.t, err));
    OB_TRY(want_equal(call, input, input.t->ndim - 1, weight, weight.t->ndim - 1, err));
    ob__shape shape = ob__shape_dense(input.t);
    shape.ndim--;
    if (weight.t->ndim == 2)
        shape.sizes[shape.ndim++] = weight.t->sizes[0];
    if (bias != NULL) {
        OB_TRY(ob__want_same_dtype(call, "input", input.t, "bias", bias, err));
        OB_TRY(ob__want_expandable(call, "bias", bias, &shape, err));
    }
    return ob__give(call, out, &shape, err);
}

ob_status ob__shape_attention(const ob_op_call *call, ob_value *out, ob_err *err)
{
    named q = {.name = "query"}, k = {.name = "key"}, v = {.name = "value"};
    OB_TRY(ob__arg_tensor(call, q.name, &q.t, err));
    OB_TRY(ob__arg_tensor(call, k.name, &k.t, err));
    OB_TRY(ob__arg_tensor(call, v.name, &v.t, err));
    if (q.t->ndim < 3 || q.t->ndim != k.t->ndim || q.t->ndim != v.t->ndim)
        return ob__shape_fail(call, err,
                              "query, key and value have %d, %d and %d dimensions; all need the "
                              "same number, at least 3",
                              q.t->ndim, k.t->ndim, v.t->ndim);
    OB_TRY(ob__want_same_dtype(call, q.name, q.t, k.name, k.t, err));
    OB_TRY(ob__want_same_dtype(call, q.name, q.t, v.name, v.t, err));
    const int last = q.t->ndim - 1;
    for (int i = 0; i < last - 1; i++) {
        OB_TRY(want_equal(call, q, i, k, i, err));
        OB_TRY(want_equal(call, q, i, v, i, err));
    }
    OB_TRY(want_equal(call, q, last, k, last, err));
    OB_TRY(want_equal(call, k, last - 1, v, last - 1, err));
    ob__shape shapes[] = {ob__shape_dense(q.t), ob__shape_dense(q.t)};
    shapes[0].sizes[last] = v.t->sizes[last];
    shapes[1].sizes[last] = k.t->sizes[last - 1];
    return ob__give_all(call, out, shapes, 2, err);
}
