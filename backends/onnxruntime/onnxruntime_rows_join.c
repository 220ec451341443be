/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows: joining and splitting, and the operators on lists of tensors.
 */
#include "translate.h"

#include <stdlib.h>
#include <string.h>

/* The tensors of a list argument; freed by the caller. NULL with the failure kept when memory is out. */
typedef struct list {
    ort_id *ids;
    const ob_tensor **metas;
    size_t count;
} list;

static void free_list(list *l)
{
    free(l->ids);
    free((void *)l->metas);
}

static bool take_list(ort_call *call, const char *name, list *out)
{
    *out = (list){.count = ort_arg_list(call, name, NULL, NULL, 0)};
    out->ids = calloc(out->count + 1, sizeof *out->ids);
    out->metas = calloc(out->count + 1, sizeof *out->metas);
    if (out->ids == NULL || out->metas == NULL) {
        free_list(out);
        ort_fail(call->t, OB_ERR_NOMEM, "out of memory for a list of %zu tensors", out->count);
        return false;
    }
    ort_arg_list(call, name, out->ids, out->metas, out->count);
    return true;
}

static void concat(ort_call *call, const list *l, size_t count, int64_t axis)
{
    const ob_tensor *result = ort_result_meta(call, 0);
    ort_result(
        call, 0,
        ort_emit(call->t, "Concat", result->dtype, l->ids, count, ORT_ATTRS(ORT_I("axis", axis))));
}

/* Tensors of the shape [0] are left out, as PyTorch does. */
static void emit_cat(ort_call *call)
{
    const ob_tensor *result = ort_result_meta(call, 0);
    list l;
    size_t kept = 0;
    if (!take_list(call, "tensors", &l))
        return;
    for (size_t i = 0; i < l.count; i++) {
        const ob_tensor *meta = l.metas[i];
        if (meta != NULL && !(meta->ndim == 1 && meta->sizes[0] == 0 && result->ndim != 1))
            l.ids[kept++] = ort_cast(call->t, l.ids[i], result->dtype);
    }
    if (kept == 0)
        ort_result(call, 0, l.ids[0]);
    else
        concat(call, &l, kept, ob_kit_dim(ort_arg_int(call, "dim", 0), result->ndim));
    free_list(&l);
}

static void emit_stack(ort_call *call)
{
    const ob_tensor *result = ort_result_meta(call, 0);
    const int dim = ob_kit_dim(ort_arg_int(call, "dim", 0), result->ndim);
    int64_t sizes[OB_MAX_DIMS];
    list l;
    if (!take_list(call, "tensors", &l))
        return;
    memcpy(sizes, result->sizes, sizeof sizes);
    sizes[dim] = 1;
    for (size_t i = 0; i < l.count; i++)
        l.ids[i] =
            ort_reshape(call->t, ort_cast(call->t, l.ids[i], result->dtype), sizes, result->ndim);
    concat(call, &l, l.count, dim);
    free_list(&l);
}

/* Parts as large as the results; unbind's lose the dimension. */
static void emit_split(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *self = ort_arg_meta(call, "self");
    const int dim = ob_kit_dim(ort_arg_int(call, "dim", 0), self->ndim);
    const bool unbind = call->row->onnx != NULL;
    size_t count = 0;
    while (ort_result_meta(call, count) != NULL)
        count++;
    int64_t *sizes = calloc(count + 1, sizeof *sizes);
    if (sizes == NULL) {
        ort_fail(t, OB_ERR_NOMEM, "out of memory for %zu parts", count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        sizes[i] = unbind ? 1 : ort_result_meta(call, i)->sizes[dim];
    if (count == 1) {
        ort_result(call, 0,
                   unbind ? ort_reshape_like(t, ort_arg(call, "self"), ort_result_meta(call, 0))
                          : ort_arg(call, "self"));
    } else if (count > 0) {
        const ort_id first = ort_model_node(
            &t->model, "Split", ORT_IN(ort_arg(call, "self"), ort_ints(t, sizes, count)), count,
            self->dtype, ORT_ATTRS(ORT_I("axis", dim)));
        for (size_t i = 0; i < count; i++) {
            const ort_id part = first + (ort_id)i;
            ort_result(call, i,
                       unbind ? ort_reshape_like(t, part, ort_result_meta(call, i)) : part);
        }
    }
    free(sizes);
}

/* ---- lists ---- */

/* Operand `name` of item i: a tensor of a list, a number, or a number of a list. */
static ort_id item(ort_call *call, const char *name, size_t i, ob_dtype dtype)
{
    ort_translation *t = call->t;
    const ob_value *value = ort_arg_value(call, name);
    list l;
    if (value != NULL && ob_value_is_list(value))
        return i < value->as.list.count ? ort_number_from(t, dtype, &value->as.list.items[i])
                                        : ORT_NONE;
    if (value != NULL)
        return ort_number_from(t, dtype, value);
    if (!take_list(call, name, &l))
        return ORT_NONE;
    const ort_id id = i < l.count ? ort_cast(t, l.ids[i], dtype) : ORT_NONE;
    free_list(&l);
    return id;
}

/* One item: self OP other, self OP tensor1 OP2 tensor2 * value, or OP self. */
static ort_id foreach_item(ort_call *call, size_t i, ort_id self, ob_dtype dtype)
{
    ort_translation *t = call->t;
    const char *op = call->row->onnx;
    const bool has_list = !ort_arg_is_none(call, "other");
    const char *other = has_list                            ? "other"
                        : !ort_arg_is_none(call, "scalar")  ? "scalar"
                        : !ort_arg_is_none(call, "scalars") ? "scalars"
                                                            : "value";
    if (strstr(op, "Div") != NULL && !ort_is_float(dtype)) {
        ort_refuse(call, "whole numbers cannot hold the quotients");
        return ORT_NONE;
    }
    if (strncmp(op, "Addc", 4) == 0) {
        const ort_id p =
            ort_binary(t, op + 4, item(call, "tensor1", i, dtype), item(call, "tensor2", i, dtype));
        return ort_binary(t, "Add", self, ort_binary(t, "Mul", p, item(call, other, i, dtype)));
    }
    if (strcmp(op, "Sqrt") == 0 || strcmp(op, "Neg") == 0)
        return ort_unary(t, op, self);
    ort_id right = item(call, other, i, dtype);
    if (has_list && ort_arg_double(call, "alpha", 1) != 1)
        right =
            ort_binary(t, "Mul", right, ort_number_from(t, dtype, ort_arg_value(call, "alpha")));
    return ort_binary(t, op, self, right);
}

static void emit_foreach(ort_call *call)
{
    ort_translation *t = call->t;
    list self;
    if (!take_list(call, "self", &self))
        return;
    for (size_t i = 0; t->status == OB_OK && i < self.count; i++) {
        const ob_tensor *result = ort_result_meta(call, i);
        const ob_dtype dtype = result != NULL ? result->dtype : self.metas[i]->dtype;
        const bool zero = strcmp(call->row->onnx, "Zero") == 0;
        ort_result(call, i,
                   zero ? ort_filled(t, dtype, 0, self.metas[i]->sizes, self.metas[i]->ndim)
                        : foreach_item(call, i, ort_cast(t, self.ids[i], dtype), dtype));
    }
    free_list(&self);
}

#define FOREACH(text, op)                                                                          \
    {.name = "aten::_foreach_" text ".List", .emit = emit_foreach, .onnx = op},                    \
        {.name = "aten::_foreach_" text ".Scalar", .emit = emit_foreach, .onnx = op},              \
    {                                                                                              \
        .name = "aten::_foreach_" text ".ScalarList", .emit = emit_foreach, .onnx = op             \
    }

const ort_row ort_rows_join[] = {
    {.name = "aten::cat", .emit = emit_cat},
    {.name = "aten::concat", .emit = emit_cat},
    {.name = "aten::stack", .emit = emit_stack},
    {.name = "aten::split.Tensor", .emit = emit_split},
    {.name = "aten::split.sizes", .emit = emit_split},
    {.name = "aten::split_with_sizes", .emit = emit_split},
    {.name = "aten::chunk", .emit = emit_split},
    {.name = "aten::unbind.int", .emit = emit_split, .onnx = "unbind"},
    FOREACH("add", "Add"),
    FOREACH("sub", "Sub"),
    FOREACH("mul", "Mul"),
    FOREACH("div", "Div"),
    FOREACH("addcmul", "AddcMul"),
    FOREACH("addcdiv", "AddcDiv"),
    {.name = "aten::_foreach_sqrt", .emit = emit_foreach, .onnx = "Sqrt"},
    {.name = "aten::_foreach_neg", .emit = emit_foreach, .onnx = "Neg"},
    {.name = "aten::_foreach_zero_", .emit = emit_foreach, .onnx = "Zero"},
    {.name = NULL},
};
