/* SPDX-License-Identifier: Apache-2.0
 *
 * Shapes of embedding look-ups and of one_hot.
 */
#include "op/shape_rules.h"
#include "op/shape_util.h"

#include <inttypes.h>

ob_status ob__shape_embedding(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *weight, *indices;
    OB_TRY(ob__arg_tensor(call, "weight", &weight, err));
    OB_TRY(ob__arg_tensor(call, "indices", &indices, err));
    OB_TRY(ob__want_ndim(call, "weight", weight, 2, err));
    OB_TRY(ob__want_index(call, "indices", indices, true, err));
    if (indices->ndim == OB_MAX_DIMS)
        return ob__shape_fail(call, err, "indices has %d dimensions, one too many", OB_MAX_DIMS);
    ob__shape shape = ob__shape_dense(indices);
    shape.dtype = weight->dtype;
    shape.sizes[shape.ndim++] = weight->sizes[1];
    return ob__give(call, out, &shape, err);
}

enum { MODE_SUM = 0, MODE_MEAN = 1, MODE_MAX = 2 };

/* [num_weights, width of grad] for both the plain and the bag form. */
static ob_status weight_gradient(const ob_op_call *call, const char *grad_name, ob__shape *shape,
                                 ob_err *err)
{
    const ob_tensor *grad, *indices;
    const int64_t rows = ob__arg_int(call, "num_weights", -1);
    OB_TRY(ob__arg_tensor(call, grad_name, &grad, err));
    OB_TRY(ob__arg_tensor(call, "indices", &indices, err));
    OB_TRY(ob__want_index(call, "indices", indices, true, err));
    if (rows < 0)
        return ob__shape_fail(call, err, "num_weights is %" PRId64 "; it must not be negative",
                              rows);
    if (grad->ndim == 0)
        return ob__shape_fail(call, err, "%s is []; it must have at least 1 dimension", grad_name);
    const int64_t sizes[] = {rows, grad->sizes[grad->ndim - 1]};
    *shape = ob__shape_make(grad->dtype, sizes, 2);
    return OB_OK;
}

ob_status ob__shape_embedding_backward(const ob_op_call *call, ob_value *out, ob_err *err)
{
    ob__shape shape = {.ndim = 0};
    int64_t numel;
    char text[OB__SHAPE_TEXT];
    const char *name = ob__arg(call, "grad_output") != NULL ? "grad_output" : "grad";
    OB_TRY(weight_gradient(call, name, &shape, err));
    const ob_tensor *grad = ob__arg(call, name)->as.tensor;
    const int64_t sizes[] = {ob_tensor_numel(ob__arg(call, "indices")->as.tensor), shape.sizes[1]};
    if (ob_shape_numel(sizes, 2, &numel, NULL) != OB_OK || numel != ob_tensor_numel(grad))
        return ob__shape_fail(call, err,
                              "%s is %s; it must have a row of %" PRId64 " elements for each of "
                              "the %" PRId64 " indices",
                              name, ob__tensor_text(grad, text), sizes[1], sizes[0]);
    return ob__give(call, out, &shape, err);
}

static ob_status check_mode(const ob_op_call *call, int64_t mode, ob_err *err)
{
    if (mode >= MODE_SUM && mode <= MODE_MAX)
        return OB_OK;
    return ob__shape_fail(call, err, "mode is %" PRId64 "; it must be 0 (sum), 1 (mean) or 2 (max)",
                          mode);
}

/* Weights of the samples go with sums, one per index and of the dtype of what they weigh. */
static ob_status check_sample_weights(const ob_op_call *call, const ob_tensor *indices,
                                      int64_t mode, const char *weighed_name,
                                      const ob_tensor *weighed, ob_err *err)
{
    const ob_tensor *weights;
    char a[OB__SHAPE_TEXT], b[OB__SHAPE_TEXT];
    OB_TRY(ob__arg_maybe_tensor(call, "per_sample_weights", &weights, err));
    if (weights == NULL)
        return OB_OK;
    if (mode != MODE_SUM)
        return ob__shape_fail(call, err, "per_sample_weights only goes with mode 0 (sum)");
    OB_TRY(ob__want_same_dtype(call, weighed_name, weighed, "per_sample_weights", weights, err));
    if (weights->ndim != 1 || weights->sizes[0] != indices->sizes[0])
        return ob__shape_fail(call, err,
                              "indices is %s and per_sample_weights is %s; both must be equal",
                              ob__tensor_text(indices, a), ob__tensor_text(weights, b));
    return OB_OK;
}

/* An index tensor that may be None; of `numel` elements, or of none where `or_empty`. */
static ob_status want_map(const ob_op_call *call, const char *name, int64_t numel, bool or_empty,
                          ob_err *err)
{
    const ob_tensor *t;
    OB_TRY(ob__arg_maybe_tensor(call, name, &t, err));
    if (t == NULL)
        return OB_OK;
    OB_TRY(ob__want_index(call, name, t, true, err));
    return or_empty && ob_tensor_numel(t) == 0 ? OB_OK : ob__want_numel(call, name, numel, err);
}

/* What the forward gave belongs to these indices and bags. Its map from indices to bags may be missing where offsets,
 * which tell the same, are given too. */
static ob_status check_maps(const ob_op_call *call, const ob_tensor *indices, const ob_tensor *grad,
                            int64_t mode, ob_err *err)
{
    const ob_tensor *offsets;
    int64_t numel;
    OB_TRY(ob__want_ndim(call, "grad", grad, 2, err));
    OB_TRY(ob__want_ndim(call, "indices", indices, 1, err));
    OB_TRY(ob__arg_maybe_tensor(call, "offsets", &offsets, err));
    if (offsets != NULL) {
        OB_TRY(ob__want_index(call, "offsets", offsets, true, err));
        OB_TRY(ob__want_ndim(call, "offsets", offsets, 1, err));
    }
    OB_TRY(ob_shape_numel(grad->sizes, 2, &numel, err));
    if (mode != MODE_MAX)
        OB_TRY(want_map(call, "offset2bag", indices->sizes[0], offsets != NULL, err));
    if (mode != MODE_SUM)
        OB_TRY(want_map(call, "bag_size", grad->sizes[0], false, err));
    return mode == MODE_MAX ? want_map(call, "maximum_indices", numel, false, err) : OB_OK;
}

ob_status ob__shape_embedding_bag_backward(const ob_op_call *call, ob_value *out, ob_err *err)
{
    ob__shape shape;
    const int64_t mode = ob__arg_int(call, "mode", MODE_SUM);
    OB_TRY(weight_gradient(call, "grad", &shape, err));
    const ob_tensor *grad = ob__arg(call, "grad")->as.tensor;
    const ob_tensor *indices = ob__arg(call, "indices")->as.tensor;
    OB_TRY(check_mode(call, mode, err));
    OB_TRY(check_maps(call, indices, grad, mode, err));
    OB_TRY(check_sample_weights(call, indices, mode, "grad", grad, err));
    return ob__give(call, out, &shape, err);
}

ob_status ob__shape_embedding_bag_weights_backward(const ob_op_call *call, ob_value *out,
                                                   ob_err *err)
{
    const ob_tensor *grad, *weight, *indices;
    char a[OB__SHAPE_TEXT], b[OB__SHAPE_TEXT];
    const int64_t mode = ob__arg_int(call, "mode", MODE_SUM);
    OB_TRY(ob__arg_tensor(call, "grad", &grad, err));
    OB_TRY(ob__arg_tensor(call, "weight", &weight, err));
    OB_TRY(ob__arg_tensor(call, "indices", &indices, err));
    OB_TRY(ob__want_index(call, "indices", indices, true, err));
    OB_TRY(ob__want_same_dtype(call, "grad", grad, "weight", weight, err));
    OB_TRY(ob__want_ndim(call, "weight", weight, 2, err));
    OB_TRY(check_maps(call, indices, grad, MODE_SUM, err));
    if (mode != MODE_SUM)
        return ob__shape_fail(call, err, "mode is %" PRId64 "; it must be 0 (sum)", mode);
    if (grad->sizes[1] != weight->sizes[1])
        return ob__shape_fail(
            call, err,
            "grad is %s and weight is %s; the %" PRId64 " and the %" PRId64 " must be equal",
            ob__tensor_text(grad, a), ob__tensor_text(weight, b), grad->sizes[1], weight->sizes[1]);
    const ob__shape shape = ob__shape_make(grad->dtype, indices->sizes, 1);
    return ob__give(call, out, &shape, err);
}

/* Outputs: the bags, offset2bag, bag_size, max_indices. PyTorch fills offset2bag only when its
 * fast path for sums does not apply; that path covers f32 weights without padding_idx. */
ob_status ob__shape_embedding_bag(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *weight, *indices, *offsets;
    const int64_t mode = ob__arg_int(call, "mode", MODE_SUM);
    OB_TRY(ob__arg_tensor(call, "weight", &weight, err));
    OB_TRY(ob__arg_tensor(call, "indices", &indices, err));
    OB_TRY(ob__arg_tensor(call, "offsets", &offsets, err));
    OB_TRY(ob__want_ndim(call, "weight", weight, 2, err));
    OB_TRY(ob__want_ndim(call, "indices", indices, 1, err));
    OB_TRY(ob__want_ndim(call, "offsets", offsets, 1, err));
    OB_TRY(ob__want_index(call, "indices", indices, true, err));
    OB_TRY(ob__want_index(call, "offsets", offsets, true, err));
    OB_TRY(check_mode(call, mode, err));
    OB_TRY(check_sample_weights(call, indices, mode, "weight", weight, err));
    int64_t bags = offsets->sizes[0];
    if (ob__arg_flag(call, "include_last_offset", false)) {
        if (bags < 1)
            return ob__shape_fail(call, err, "include_last_offset needs at least one offset");
        bags--;
    }
    const bool fast = mode == MODE_SUM &&
                      (weight->dtype == OB_DTYPE_F32 || weight->dtype == OB_DTYPE_F16) &&
                      weight->strides[1] == 1 && ob__arg_int(call, "padding_idx", -1) < 0;
    const int64_t output[] = {bags, weight->sizes[1]};
    const int64_t mapped = fast ? 0 : indices->sizes[0];
    const ob__shape shapes[] = {
        ob__shape_make(weight->dtype, output, 2),
        ob__shape_make(offsets->dtype, &mapped, 1),
        ob__shape_make(offsets->dtype, &bags, 1),
        ob__shape_make(offsets->dtype, output, mode == MODE_MAX ? 2 : 1),
    };
    return ob__give_all(call, out, shapes, 4, err);
}

ob_status ob__shape_one_hot(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self;
    const int64_t classes = ob__arg_int(call, "num_classes", -1);
    OB_TRY(ob__arg_tensor(call, "self", &self, err));
    OB_TRY(ob__want_index(call, "self", self, false, err));
    if (classes < 1)
        return ob_err_set(err, OB_ERR_UNSUPPORTED,
                          "one_hot: num_classes is %" PRId64 ", so the shape depends on the data; "
                          "give num_classes",
                          classes);
    if (self->ndim == OB_MAX_DIMS)
        return ob__shape_fail(call, err, "self has %d dimensions, one too many", OB_MAX_DIMS);
    ob__shape shape = ob__shape_dense(self);
    shape.sizes[shape.ndim++] = classes;
    return ob__give(call, out, &shape, err);
}
