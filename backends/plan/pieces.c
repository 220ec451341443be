/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of tensors; see pieces.h.
 */
#include "plan/pieces.h"

ob_tensor plan_narrow(const ob_tensor *tensor, int dim, int64_t start, int64_t size)
{
    ob_tensor view = *tensor;
    view.sizes[dim] = size;
    view.offset += start * tensor->strides[dim];
    return view;
}

ob_tensor plan_remove_dim(const ob_tensor *tensor, int dim, int64_t index)
{
    ob_tensor view = *tensor;
    view.ndim--;
    view.offset += index * tensor->strides[dim];
    for (int d = dim; d < view.ndim; d++) {
        view.sizes[d] = tensor->sizes[d + 1];
        view.strides[d] = tensor->strides[d + 1];
    }
    return view;
}

ob_tensor plan_select_place(const plan_call *call)
{
    const ob_tensor *out = plan_output(call, 0);
    const int dim = plan_dim(plan_arg_int(call, "dim", 0), out->ndim);
    const int64_t index = plan_arg_int(call, "index", 0);
    return plan_remove_dim(out, dim, index < 0 ? index + out->sizes[dim] : index);
}

ob_tensor plan_slice_place(const plan_call *call)
{
    const ob_tensor *out = plan_output(call, 0), *grad = call->args[0].as.tensor;
    const int dim = plan_dim(plan_arg_int(call, "dim", 0), out->ndim);
    const int64_t size = out->sizes[dim];
    int64_t start = plan_arg_int(call, "start", 0);
    start = start < 0 ? start + size : start;
    start = start < 0 ? 0 : start > size ? size : start;
    ob_tensor to = plan_narrow(out, dim, start, grad->sizes[dim]);
    to.strides[dim] *= plan_arg_int(call, "step", 1);
    return to;
}

ob_tensor plan_diagonal_place(const plan_call *call)
{
    const ob_tensor *out = plan_output(call, 0), *grad = call->args[0].as.tensor;
    const int64_t offset = plan_arg_int(call, "offset", 0);
    const int dim1 = plan_dim(plan_arg_int(call, "dim1", 0), out->ndim);
    const int dim2 = plan_dim(plan_arg_int(call, "dim2", 1), out->ndim);
    ob_tensor to = *out;
    int n = 0;
    if (call->host->tensor_numel(grad) > 0)
        to.offset += offset > 0 ? offset * out->strides[dim2] : -offset * out->strides[dim1];
    for (int d = 0; d < out->ndim; d++) {
        if (d == dim1 || d == dim2)
            continue;
        to.sizes[n] = out->sizes[d];
        to.strides[n++] = out->strides[d];
    }
    to.sizes[n] = grad->sizes[grad->ndim - 1];
    to.strides[n++] = out->strides[dim1] + out->strides[dim2];
    to.ndim = n;
    return to;
}

const ob_value *plan_given_number(const plan_call *call)
{
    static const char *const NAMES[] = {"fill_value", "value", "s"};
    const ob_value *value = NULL;
    for (size_t i = 0; value == NULL && i < sizeof NAMES / sizeof *NAMES; i++)
        value = plan_arg(call, NAMES[i]);
    return value;
}
