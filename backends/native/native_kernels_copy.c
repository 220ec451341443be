/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies and conversions, joins, reorderings that copy, and the backwards of views.
 */
#include "iterate.h"

#include "kit/tensor_pieces.h"

#include <string.h>

static size_t size_of(const ob_kit_call *call, const ob_tensor *tensor)
{
    return call->env->host->dtype_get_info(tensor->dtype)->size_bytes;
}

/* ---- whole copies ---- */

static ob_status check_conversion(ob_kit_call *call, ob_err *err)
{
    const ob_host *host = call->env->host;
    const ob_tensor *from = ob_kit_arg_tensor(call, "src");
    const ob_tensor *to = ob_kit_output(call, 0);
    if (from == NULL)
        from = ob_kit_arg_tensor(call, "self");
    if (!native_can_copy(to->dtype, from->dtype))
        return host->err_set(
            err, OB_ERR_UNSUPPORTED, "the native backend does not convert %s to %s",
            host->dtype_get_info(from->dtype)->name, host->dtype_get_info(to->dtype)->name);
    return OB_OK;
}

static ob_status run_copy(const ob_kit_call *call, ob_err *err)
{
    return native_copy(call->env, ob_kit_output(call, 0), call->args[0].as.tensor, err);
}

static ob_status run_assign(const ob_kit_call *call, ob_err *err)
{
    return native_copy(call->env, call->args[0].as.tensor, call->args[1].as.tensor, err);
}

/* ---- joins ---- */

static ob_status run_cat(const ob_kit_call *call, ob_err *err)
{
    const ob_tensor *out = ob_kit_output(call, 0);
    const ob_value *list = &call->args[0];
    const int dim = ob_kit_dim(call->args[1].as.integer, out->ndim);
    int64_t start = 0;
    for (size_t i = 0; i < list->as.list.count; i++) {
        const ob_tensor *part = list->as.list.items[i].as.tensor;
        if (ob_kit_numel(part) ==
            0) /* an empty list of numbers joins with anything, in any dimension */
            continue;
        const ob_tensor to = ob_kit_narrow(out, dim, start, part->sizes[dim]);
        OB_TRY(native_copy(call->env, &to, part, err));
        start += part->sizes[dim];
    }
    return OB_OK;
}

static ob_status run_stack(const ob_kit_call *call, ob_err *err)
{
    const ob_tensor *out = ob_kit_output(call, 0);
    const ob_value *list = &call->args[0];
    const int dim = ob_kit_dim(call->args[1].as.integer, out->ndim);
    for (size_t i = 0; i < list->as.list.count; i++) {
        const ob_tensor to = ob_kit_remove_dim(out, dim, (int64_t)i);
        OB_TRY(native_copy(call->env, &to, list->as.list.items[i].as.tensor, err));
    }
    return OB_OK;
}

/* ---- reorderings ---- */

static ob_status run_flip(const ob_kit_call *call, ob_err *err)
{
    (void)err;
    const ob_tensor *out = ob_kit_output(call, 0), *self = call->args[0].as.tensor;
    int64_t dims[OB_MAX_DIMS];
    const size_t count = ob_kit_arg_ints(call, "dims", dims, OB_MAX_DIMS);
    native_iter iter;
    native_iter_init(&iter, out);
    native_iter_add(&iter, self);
    if (iter.count == 0)
        return OB_OK;
    for (size_t i = 0; i < count && self->ndim > 0; i++) {
        native_operand *from = &iter.operands[1];
        const int d = ob_kit_dim(dims[i], self->ndim);
        from->data += (self->sizes[d] - 1) * from->strides[d];
        from->strides[d] = -from->strides[d];
    }
    native_iter_finish(&iter, false);
    native_move(call->env, &iter, size_of(call, out));
    return OB_OK;
}

/* The two parts of each rolled dimension change places: 2^count copies. */
static ob_status roll_dims(const ob_kit_call *call, const ob_tensor *out, const ob_tensor *self,
                           const int64_t *shifts, const int *dims, size_t count, ob_err *err)
{
    if (count == 0)
        return native_copy(call->env, out, self, err);
    const int dim = dims[0];
    const int64_t size = self->sizes[dim];
    if (size == 0)
        return OB_OK;
    const int64_t shift = (shifts[0] % size + size) % size;
    const ob_tensor head = ob_kit_narrow(self, dim, 0, size - shift);
    const ob_tensor tail = ob_kit_narrow(self, dim, size - shift, shift);
    const ob_tensor to_head = ob_kit_narrow(out, dim, 0, shift);
    const ob_tensor to_tail = ob_kit_narrow(out, dim, shift, size - shift);
    OB_TRY(roll_dims(call, &to_tail, &head, shifts + 1, dims + 1, count - 1, err));
    return roll_dims(call, &to_head, &tail, shifts + 1, dims + 1, count - 1, err);
}

/* Without dimensions the elements are rolled in row-major order, whatever the strides. */
static ob_status roll_flat(const ob_kit_call *call, const ob_tensor *out, const ob_tensor *self,
                           int64_t shift)
{
    const size_t size = size_of(call, out);
    native_iter from, to;
    native_iter_init(&from, self);
    native_iter_finish(&from, true);
    native_iter_init(&to, out);
    native_iter_finish(&to, true);
    if (from.count == 0)
        return OB_OK;
    const int64_t count = from.count, start = (shift % count + count) % count;
    char buffer[NATIVE_CHUNK * 16];
    native_cursor source, target;
    native_cursor_seek(&source, &from, 0);
    for (int64_t at = 0; at < count;) {
        const int64_t place = (at + start) % count;
        const int64_t room = count - place, left = count - at;
        const int64_t step = native_cursor_chunk(&source, room < left ? room : left);
        native_cursor_seek(&target, &to, place);
        native_cursor_store_raw(&target, 0, size,
                                native_cursor_load_raw(&source, 0, size, buffer, step), step);
        native_cursor_advance(&source, step);
        at += step;
    }
    return OB_OK;
}

static ob_status run_roll(const ob_kit_call *call, ob_err *err)
{
    const ob_tensor *out = ob_kit_output(call, 0), *self = call->args[0].as.tensor;
    int64_t shifts[OB_MAX_DIMS], given[OB_MAX_DIMS];
    int dims[OB_MAX_DIMS];
    const size_t shift_count = ob_kit_arg_ints(call, "shifts", shifts, OB_MAX_DIMS);
    const size_t count = ob_kit_arg_ints(call, "dims", given, OB_MAX_DIMS);
    if (count == 0 && shift_count > 0)
        return roll_flat(call, out, self, shifts[0]);
    for (size_t i = 0; i < count; i++)
        dims[i] = ob_kit_dim(given[i], self->ndim);
    return roll_dims(call, out, self, shifts, dims, self->ndim > 0 ? count : 0, err);
}

static ob_status run_repeat(const ob_kit_call *call, ob_err *err)
{
    ob_tensor to, from;
    ob_kit_repeat_shape(call, &to, &from);
    return native_copy(call->env, &to, &from, err);
}

static void zero_row(char *row, int64_t stride_bytes, size_t size, int64_t begin, int64_t end)
{
    for (int64_t j = begin; j < end; j++)
        memset(row + j * stride_bytes, 0, size);
}

/* variant: 1 keeps what is above the diagonal (triu), 0 what is below (tril). */
static ob_status run_triangle(const ob_kit_call *call, ob_err *err)
{
    const ob_tensor *out = ob_kit_output(call, 0);
    const int64_t diagonal = ob_kit_arg_int(call, "diagonal", 0);
    const size_t size = size_of(call, out);
    OB_TRY(native_copy(call->env, out, call->args[0].as.tensor, err));
    if (ob_kit_numel(out) == 0)
        return OB_OK;
    const ob_tensor heads = ob_kit_remove_dim(out, out->ndim - 1, 0);
    const int64_t columns = out->sizes[out->ndim - 1], rows = out->sizes[out->ndim - 2];
    const int64_t stride = out->strides[out->ndim - 1] * (int64_t)size;
    native_iter iter;
    native_iter_init(&iter, &heads);
    native_iter_finish(&iter, true);
    native_cursor cursor;
    native_cursor_seek(&cursor, &iter, 0);
    for (int64_t at = 0; at < iter.count; at++) {
        char *row = iter.operands[0].data + cursor.offsets[0];
        /* The first column right of the diagonal, without overflow for any diagonal. */
        const int64_t i = at % rows;
        int64_t edge = diagonal > columns ? columns : diagonal < -rows ? -1 : i + diagonal;
        if (call->kernel->variant == 0)
            edge++;
        edge = edge < 0 ? 0 : edge > columns ? columns : edge;
        if (call->kernel->variant == 1)
            zero_row(row, stride, size, 0, edge);
        else
            zero_row(row, stride, size, edge, columns);
        native_cursor_advance(&cursor, 1);
    }
    return OB_OK;
}

/* ---- backwards of views: zeros, and the gradient where the view looked ---- */

static ob_status zeros_and_copy(const ob_kit_call *call, const ob_tensor *to, ob_err *err)
{
    native_fill(call->env, ob_kit_output(call, 0), 0);
    return native_copy(call->env, to, call->args[0].as.tensor, err);
}

static ob_status run_select_backward(const ob_kit_call *call, ob_err *err)
{
    const ob_tensor to = ob_kit_select_target(call);
    return zeros_and_copy(call, &to, err);
}

static ob_status run_slice_backward(const ob_kit_call *call, ob_err *err)
{
    const ob_tensor to = ob_kit_slice_target(call);
    return zeros_and_copy(call, &to, err);
}

static ob_status run_diagonal_backward(const ob_kit_call *call, ob_err *err)
{
    const ob_tensor to = ob_kit_diagonal_target(call);
    return zeros_and_copy(call, &to, err);
}

#define COPY(op)                                                                                   \
    {                                                                                              \
        .name = (op), .dtypes = OB_KIT_ALL, .run = run_copy, .check = check_conversion             \
    }
#define MAYBE(op)                                                                                  \
    {                                                                                              \
        .name = (op), .dtypes = OB_KIT_ALL, .run = run_copy, .check = check_conversion,            \
        .kind = OB_KIT_VIEW_OR_COMPUTE                                                             \
    }
#define MOVE(op, function)                                                                         \
    {                                                                                              \
        .name = (op), .dtypes = OB_KIT_ALL, .run = (function)                                      \
    }

const ob_kit_kernel native_kernels_copy[] = {
    {.name = "aten::copy_", .dtypes = OB_KIT_ALL, .run = run_assign, .check = check_conversion},
    COPY("aten::clone"),
    COPY("aten::_to_copy"),
    MAYBE("aten::contiguous"),
    MAYBE("aten::to.dtype"),
    MAYBE("aten::to.device"),
    MAYBE("aten::to.other"),
    MAYBE("aten::to.dtype_layout"),
    {.name = "aten::cat", .dtypes = OB_KIT_ALL, .run = run_cat},
    {.name = "aten::stack", .dtypes = OB_KIT_ALL, .run = run_stack},
    MOVE("aten::flip", run_flip),
    MOVE("aten::roll", run_roll),
    {.name = "aten::repeat", .dtypes = OB_KIT_ALL, .run = run_repeat, .check = ob_kit_check_repeat},
    {.name = "aten::tril", .dtypes = OB_KIT_ALL, .run = run_triangle, .variant = 0},
    {.name = "aten::triu", .dtypes = OB_KIT_ALL, .run = run_triangle, .variant = 1},
    MOVE("aten::select_backward", run_select_backward),
    MOVE("aten::slice_backward", run_slice_backward),
    MOVE("aten::diagonal_backward", run_diagonal_backward),
    {.name = NULL},
};
