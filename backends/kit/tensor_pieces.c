/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of tensors; see pieces.h.
 */
#include "kit/tensor_pieces.h"

ob_tensor ob_kit_narrow(const ob_tensor *tensor, int dim, int64_t start, int64_t size)
{
    ob_tensor view = *tensor;
    view.sizes[dim] = size;
    view.offset += start * tensor->strides[dim];
    return view;
}

ob_tensor ob_kit_remove_dim(const ob_tensor *tensor, int dim, int64_t index)
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

ob_tensor ob_kit_select_target(const ob_kit_call *call)
{
    const ob_tensor *out = ob_kit_output(call, 0);
    const int dim = ob_kit_dim(ob_kit_arg_int(call, "dim", 0), out->ndim);
    const int64_t index = ob_kit_arg_int(call, "index", 0);
    return ob_kit_remove_dim(out, dim, index < 0 ? index + out->sizes[dim] : index);
}

static int64_t clamp(int64_t index, int64_t size)
{
    index = index < 0 ? index + size : index;
    return index < 0 ? 0 : index > size ? size : index;
}

ob_kit_slice ob_kit_slice_of(int64_t start, int64_t end, int64_t step, int64_t size)
{
    start = clamp(start, size);
    end = clamp(end, size);
    return (ob_kit_slice){
        .start = start, .count = end > start ? (end - start - 1) / step + 1 : 0, .step = step};
}

/* From the arguments and not from the gradient, which may have to be repeated to fit. */
ob_tensor ob_kit_slice_target(const ob_kit_call *call)
{
    const ob_tensor *out = ob_kit_output(call, 0);
    const int dim = ob_kit_dim(ob_kit_arg_int(call, "dim", 0), out->ndim);
    const ob_kit_slice slice =
        ob_kit_slice_of(ob_kit_arg_int(call, "start", 0), ob_kit_arg_int(call, "end", INT64_MAX),
                        ob_kit_arg_int(call, "step", 1), out->sizes[dim]);
    ob_tensor to = ob_kit_narrow(out, dim, slice.start, slice.count);
    if (slice.count > 1) /* else it is never taken, and may be any number */
        to.strides[dim] *= slice.step;
    return to;
}

ob_tensor ob_kit_diagonal_target(const ob_kit_call *call)
{
    const ob_tensor *out = ob_kit_output(call, 0);
    const int64_t offset = ob_kit_arg_int(call, "offset", 0);
    const int dim1 = ob_kit_dim(ob_kit_arg_int(call, "dim1", 0), out->ndim);
    const int dim2 = ob_kit_dim(ob_kit_arg_int(call, "dim2", 1), out->ndim);
    const int64_t rows = out->sizes[dim1], columns = out->sizes[dim2];
    ob_tensor to = *out;
    int64_t length = 0;
    int n = 0;
    if (offset >= 0 && offset < columns) {
        length = rows < columns - offset ? rows : columns - offset;
        to.offset += offset * out->strides[dim2];
    } else if (offset < 0 && offset > -rows) {
        length = rows + offset < columns ? rows + offset : columns;
        to.offset += -offset * out->strides[dim1];
    }
    for (int d = 0; d < out->ndim; d++) {
        if (d == dim1 || d == dim2)
            continue;
        to.sizes[n] = out->sizes[d];
        to.strides[n++] = out->strides[d];
    }
    to.sizes[n] = length;
    to.strides[n++] = out->strides[dim1] + out->strides[dim2];
    to.ndim = n;
    return to;
}

const ob_value *ob_kit_given_number(const ob_kit_call *call)
{
    static const char *const NAMES[] = {"fill_value", "value", "s"};
    const ob_value *value = NULL;
    for (size_t i = 0; value == NULL && i < sizeof NAMES / sizeof *NAMES; i++)
        value = ob_kit_arg(call, NAMES[i]);
    return value;
}

bool ob_kit_repeat_shape(const ob_kit_call *call, ob_tensor *to, ob_tensor *from)
{
    const ob_tensor *out = ob_kit_output(call, 0), *self = call->args[0].as.tensor;
    const int lead = out->ndim - self->ndim;
    int64_t repeats[OB_MAX_DIMS];
    int n = 0;
    *to = *out;
    *from = *self;
    ob_kit_arg_ints(call, "repeats", repeats, OB_MAX_DIMS);
    for (int d = 0; d < out->ndim; d++) {
        const int64_t size = d < lead ? 1 : self->sizes[d - lead];
        const int64_t sizes[] = {repeats[d], size};
        const int64_t to_strides[] = {out->strides[d] * size, out->strides[d]};
        const int64_t from_strides[] = {0, d < lead ? 0 : self->strides[d - lead]};
        for (int k = 0; k < 2; k++) {
            if (sizes[k] == 1)
                continue;
            if (n == OB_MAX_DIMS)
                return false;
            to->sizes[n] = from->sizes[n] = sizes[k];
            to->strides[n] = to_strides[k];
            from->strides[n++] = from_strides[k];
        }
    }
    to->ndim = from->ndim = n;
    return true;
}

ob_status ob_kit_check_repeat(ob_kit_call *call, ob_err *err)
{
    ob_tensor to, from;
    if (ob_kit_repeat_shape(call, &to, &from))
        return OB_OK;
    return call->host->err_set(
        err, OB_ERR_UNSUPPORTED,
        "this backend does not have aten::repeat for this many dimensions; repeat fewer at a time");
}
