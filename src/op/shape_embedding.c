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
        return ob__shape_fail(call, err, "%s must have at least 1 dimension", grad_name);
    const int64_t sizes[] = {rows, grad->sizes[grad->ndim - 1]};
    *shape = ob__shape_make(grad->dtype, sizes, 2);
    return OB_OK;
}

ob_status ob__shape_embedding_backward(const ob_op_call *call, ob_value *out, ob_err *err)
{
    ob__shape shape;
    const char *name = ob__arg(call, "grad_output") != NULL ? "grad_output" : "grad";
    OB_TRY(weight_gradient(call, name, &shape, err));
    return ob__give(call, out, &shape, err);
}

ob_status ob__shape_embedding_bag_backward(const ob_op_call *call, ob_value *out, ob_err *err)
{
    ob__shape shape;
    OB_TRY(weight_gradient(call, "grad", &shape, err));
    return ob__give(call, out, &shape, err);
}

ob_status ob__shape_embedding_bag_weights_backward(const ob_op_call *call, ob_value *out,
                                                   ob_err *err)
{
    const ob_tensor *grad, *indices;
    OB_TRY(ob__arg_tensor(call, "grad", &grad, err));
    OB_TRY(ob__arg_tensor(call, "indices", &indices, err));
    const int64_t count = ob_tensor_numel(indices);
    const ob__shape shape = ob__shape_make(grad->dtype, &count, 1);
    return ob__give(call, out, &shape, err);
}

enum { MODE_SUM = 0, MODE_MEAN = 1, MODE_MAX = 2 };

static ob_status check_bag(const ob_op_call *call, const ob_tensor *indices, int64_t mode,
                           ob_err *err)
{
    const ob_tensor *weights;
    char a[OB__SHAPE_TEXT], b[OB__SHAPE_TEXT];
    if (mode < MODE_SUM || mode > MODE_MAX)
        return ob__shape_fail(call, err,
                              "mode is %" PRId64 "; it must be 0 (sum), 1 (mean) or 2 (max)", mode);
    OB_TRY(ob__arg_maybe_tensor(call, "per_sample_weights", &weights, err));
    if (weights == NULL)
        return OB_OK;
    if (mode != MODE_SUM)
        return ob__shape_fail(call, err, "per_sample_weights goes with mode 0 (sum) only");
    if (weights->ndim != 1 || weights->sizes[0] != indices->sizes[0])
        return ob__shape_fail(call, err,
                              "indices is %s and per_sample_weights is %s; both must be equal",
                              ob__tensor_text(indices, a), ob__tensor_text(weights, b));
    return OB_OK;
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
    OB_TRY(check_bag(call, indices, mode, err));
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
