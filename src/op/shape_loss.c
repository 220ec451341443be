/* SPDX-License-Identifier: Apache-2.0
 *
 * Shapes of loss functions. reduction: 0 none, 1 mean, 2 sum.
 */
#include "op/promote.h"
#include "op/shape_layout.h"
#include "op/shape_rules.h"

#include <inttypes.h>
#include <string.h>

static ob_status read_reduction(const ob_op_call *call, int64_t *reduction, ob_err *err)
{
    *reduction = ob__arg_int(call, "reduction", 1);
    if (*reduction >= 0 && *reduction <= 2)
        return OB_OK;
    return ob__shape_fail(call, err,
                          "reduction is %" PRId64 "; it must be 0 (none), 1 (mean) or 2 (sum)",
                          *reduction);
}

static ob_status give_reduced(const ob_op_call *call, ob__shape *shape, int64_t reduction,
                              ob_value *out, ob_err *err)
{
    if (reduction != 0)
        *shape = ob__shape_make(shape->dtype, NULL, 0);
    return ob__give(call, out, shape, err);
}

typedef struct nll {
    const ob_tensor *self, *target;
    int class_dim;
    int64_t reduction;
} nll;

/* target is self without its class dimension. */
static ob_status want_target(const ob_op_call *call, const nll *n, ob_err *err)
{
    char a[OB__SHAPE_TEXT], b[OB__SHAPE_TEXT];
    bool fits = n->target->ndim == n->self->ndim - 1;
    for (int d = 0; fits && d < n->target->ndim; d++)
        fits = n->target->sizes[d] == n->self->sizes[d < n->class_dim ? d : d + 1];
    if (fits)
        return OB_OK;
    return ob__shape_fail(call, err,
                          "self is %s and target is %s; target must be like self without its "
                          "class dimension %d",
                          ob__tensor_text(n->self, a), ob__tensor_text(n->target, b), n->class_dim);
}

static ob_status want_class_weight(const ob_op_call *call, const nll *n, ob_err *err)
{
    const ob_tensor *weight;
    char text[OB__SHAPE_TEXT];
    const int64_t classes = n->self->sizes[n->class_dim];
    OB_TRY(ob__arg_maybe_tensor(call, "weight", &weight, err));
    if (weight == NULL || (weight->ndim == 1 && weight->sizes[0] == classes))
        return OB_OK;
    return ob__shape_fail(call, err, "weight is %s; it must be [%" PRId64 "], one per class",
                          ob__tensor_text(weight, text), classes);
}

static ob_status read_nll(const ob_op_call *call, nll *n, ob_err *err)
{
    OB_TRY(ob__arg_tensor(call, "self", &n->self, err));
    OB_TRY(ob__arg_tensor(call, "target", &n->target, err));
    OB_TRY(ob__want_floating(call, "self", n->self->dtype, err)); /* means divide */
    OB_TRY(read_reduction(call, &n->reduction, err));
    if (n->self->ndim == 0)
        return ob__shape_fail(call, err, "self has no class dimension");
    n->class_dim = n->self->ndim > 1 ? 1 : 0;
    return want_class_weight(call, n, err);
}

static ob_status nll_shape(const ob_op_call *call, nll *n, ob__shape *shape, ob_err *err)
{
    OB_TRY(read_nll(call, n, err));
    OB_TRY(want_target(call, n, err));
    OB_TRY(ob__want_index(call, "target", n->target, false, err));
    *shape = ob__shape_dense(n->target);
    shape->dtype = n->self->dtype;
    return OB_OK;
}

/* nll_loss takes 1 or 2 dimensions, nll_loss2d takes 4. */
static ob_status want_rank(const ob_op_call *call, const ob_tensor *self, ob_err *err)
{
    char text[OB__SHAPE_TEXT];
    const bool two = strstr(ob__op_label(call), "2d") != NULL;
    if (two ? self->ndim == 4 : self->ndim == 1 || self->ndim == 2)
        return OB_OK;
    return ob__shape_fail(call, err, "self is %s; it must have %s dimensions (see nll_loss_nd)",
                          ob__tensor_text(self, text), two ? "4" : "1 or 2");
}

ob_status ob__shape_nll_loss(const ob_op_call *call, ob_value *out, ob_err *err)
{
    nll n;
    ob__shape shape;
    OB_TRY(nll_shape(call, &n, &shape, err));
    OB_TRY(want_rank(call, n.self, err));
    return give_reduced(call, &shape, n.reduction, out, err);
}

ob_status ob__shape_nll_loss_forward(const ob_op_call *call, ob_value *out, ob_err *err)
{
    nll n;
    ob__shape shape;
    OB_TRY(nll_shape(call, &n, &shape, err));
    OB_TRY(want_rank(call, n.self, err));
    const ob__shape scalar = ob__shape_make(shape.dtype, NULL, 0);
    const ob__shape shapes[] = {n.reduction == 0 ? shape : scalar, scalar};
    return ob__give_all(call, out, shapes, 2, err);
}

ob_status ob__shape_nll_loss_nd(const ob_op_call *call, ob_value *out, ob_err *err)
{
    nll n;
    ob__shape shape;
    OB_TRY(nll_shape(call, &n, &shape, err));
    return give_reduced(call, &shape, n.reduction, out, err);
}

/* target holds classes, or probabilities when it has the shape of self. */
ob_status ob__shape_cross_entropy(const ob_op_call *call, ob_value *out, ob_err *err)
{
    nll n;
    OB_TRY(read_nll(call, &n, err));
    const bool alike =
        n.self->ndim == n.target->ndim &&
        memcmp(n.self->sizes, n.target->sizes, (size_t)n.self->ndim * sizeof n.self->sizes[0]) == 0;
    if (!alike) {
        OB_TRY(want_target(call, &n, err));
        OB_TRY(ob__want_index(call, "target", n.target, false, err));
    } else if (!ob_dtype_is_floating(n.target->dtype)) {
        return ob__shape_fail(call, err,
                              "target has the shape of self, so it holds probabilities; "
                              "it must have a floating dtype, not %s",
                              ob__dtype_text(n.target->dtype));
    }
    ob__shape shape = {.dtype = n.self->dtype};
    for (int d = 0; d < n.self->ndim; d++) {
        if (d != n.class_dim)
            shape.sizes[shape.ndim++] = n.self->sizes[d];
    }
    return give_reduced(call, &shape, n.reduction, out, err);
}

static ob_status pair(const ob_op_call *call, const ob_tensor **self, const ob_tensor **target,
                      ob__shape *shape, ob_err *err)
{
    ob__promotion promotion = ob__promotion_start();
    OB_TRY(ob__arg_tensor(call, "self", self, err));
    OB_TRY(ob__arg_tensor(call, "target", target, err));
    ob__promotion_add_tensor(&promotion, *self);
    ob__promotion_add_tensor(&promotion, *target);
    *shape = ob__shape_dense(*self);
    shape->dtype = ob__promotion_result(&promotion);
    OB_TRY(ob__shape_widen(call, shape, "self", *target, "target", err));
    const ob_tensor *operands[] = {*self, *target};
    ob__set_elementwise_strides(shape, operands, 2);
    return OB_OK;
}

ob_status ob__shape_loss(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self, *target;
    int64_t reduction;
    ob__shape shape;
    OB_TRY(read_reduction(call, &reduction, err));
    OB_TRY(pair(call, &self, &target, &shape, err));
    if (strcmp(ob__op_label(call), "huber_loss") == 0)
        shape.dtype = self->dtype; /* PyTorch writes it into a tensor like self */
    if (reduction == 1 && !ob_dtype_is_floating(shape.dtype))
        return ob__shape_fail(call, err, "there is no mean of %s; use a floating dtype",
                              ob__dtype_text(shape.dtype));
    return give_reduced(call, &shape, reduction, out, err);
}

ob_status ob__shape_loss_alike(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self, *target, *weight;
    int64_t reduction;
    ob__shape shape;
    char a[OB__SHAPE_TEXT], b[OB__SHAPE_TEXT];
    OB_TRY(read_reduction(call, &reduction, err));
    OB_TRY(pair(call, &self, &target, &shape, err));
    if (self->ndim != target->ndim ||
        memcmp(self->sizes, target->sizes, (size_t)self->ndim * sizeof self->sizes[0]) != 0)
        return ob__shape_fail(call, err, "self is %s and target is %s; both must be equal",
                              ob__tensor_text(self, a), ob__tensor_text(target, b));
    OB_TRY(ob__arg_maybe_tensor(call, "weight", &weight, err));
    if (weight != NULL)
        OB_TRY(ob__want_expandable(call, "weight", weight, &shape, err));
    OB_TRY(ob__arg_maybe_tensor(call, "pos_weight", &weight, err));
    if (weight != NULL)
        OB_TRY(ob__want_expandable(call, "pos_weight", weight, &shape, err));
    return give_reduced(call, &shape, reduction, out, err);
}

/* grad_output is like the loss: one number, or one per element. */
static ob_status nll_backward(const ob_op_call *call, ob__shape *shape, ob_err *err)
{
    nll n;
    OB_TRY(nll_shape(call, &n, shape, err));
    if (n.reduction == 0)
        OB_TRY(ob__want_sizes(call, "grad_output", shape, err));
    else
        OB_TRY(ob__want_numel(call, "grad_output", 1, err));
    OB_TRY(ob__want_numel(call, "total_weight", 1, err));
    *shape = ob__shape_dense(n.self);
    return OB_OK;
}

ob_status ob__shape_loss_backward(const ob_op_call *call, ob_value *out, ob_err *err)
{
    static const char *const EXPANDED[] = {"grad_output", "weight", "pos_weight"};
    const ob_tensor *self, *target, *other;
    ob__shape shape;
    if (strncmp(ob__op_label(call), "nll_loss", 8) == 0) {
        OB_TRY(nll_backward(call, &shape, err));
        return ob__give(call, out, &shape, err);
    }
    OB_TRY(pair(call, &self, &target, &shape, err));
    for (size_t i = 0; i < sizeof EXPANDED / sizeof EXPANDED[0]; i++) {
        OB_TRY(ob__arg_maybe_tensor(call, EXPANDED[i], &other, err));
        if (other != NULL)
            OB_TRY(ob__want_expandable(call, EXPANDED[i], other, &shape, err));
    }
    return ob__give(call, out, &shape, err);
}
