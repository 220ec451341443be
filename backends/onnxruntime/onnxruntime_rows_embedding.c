/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows: embeddings and bags of them. ONNX has no bags: rows are gathered, and added to the bag that they belong to.
 */
#include "translate.h"

static void emit_embedding(ort_call *call)
{
    ort_result(call, 0,
               ort_emit(call->t, "Gather", ort_arg_meta(call, "weight")->dtype,
                        ORT_IN(ort_arg(call, "weight"), ort_arg(call, "indices")),
                        ORT_ATTRS(ORT_I("axis", 0))));
}

/* Adds `rows` [n, width] to zeros [size, width] at `index` [n]. */
static ort_id add_rows(ort_translation *t, ort_id rows, ort_id index, int64_t count, int64_t size,
                       int64_t width)
{
    const ob_dtype dtype = ort_dtype_of(t, rows);
    const ort_id zeros = ort_filled(t, dtype, 0, (const int64_t[]){size, width}, 2);
    const ort_id at =
        ort_reshape(t, ort_cast(t, index, OB_DTYPE_I64), (const int64_t[]){count, 1}, 2);
    return ort_scatter(t, zeros, at, rows, -1, true);
}

static void emit_embedding_backward(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *result = ort_result_meta(call, 0), *indices = ort_arg_meta(call, "indices");
    const int64_t count = ob_kit_numel(indices), width = result->sizes[1],
                  padding = ort_arg_int(call, "padding_idx", -1);
    if (ort_arg_bool(call, "scale_grad_by_freq", false)) {
        ort_refuse(call, "scale_grad_by_freq");
        return;
    }
    ort_id rows = ort_reshape(t, ort_arg(call, "grad_output"), (const int64_t[]){count, width}, 2);
    ort_id index = ort_reshape(t, ort_arg_as(call, "indices", OB_DTYPE_I64), &count, 1);
    if (padding >= 0) {
        const ort_id is =
            ort_emit(t, "Equal", OB_DTYPE_BOOL,
                     ORT_IN(index, ort_number(t, OB_DTYPE_I64, (double)padding)), NULL);
        const ort_id column = ort_reshape(t, is, (const int64_t[]){count, 1}, 2);
        rows = ort_where(t, column, ort_number(t, result->dtype, 0), rows);
    }
    ort_result(call, 0, add_rows(t, rows, index, count, result->sizes[0], width));
}

/* ---- bags ---- */

typedef struct bags {
    ort_call *call;
    ort_translation *t;
    int64_t count, bags, width; /* indices, bags, columns */
    ob_dtype dtype;
    ort_id indices, bag; /* i64 [count]: rows of the table, and the bag of each */
} bags;

/* The bag of each index: how many bags began before it, less one. */
static ort_id bag_of_each(ort_call *call, int64_t count, int64_t offset_count)
{
    ort_translation *t = call->t;
    const int64_t room = count + 1; /* the last offset may be behind all indices */
    const ort_id marks = ort_filled(t, OB_DTYPE_I64, 0, &room, 1);
    const ort_id at = ort_reshape(t, ort_arg_as(call, "offsets", OB_DTYPE_I64),
                                  (const int64_t[]){offset_count, 1}, 2);
    const ort_id ones = ort_filled(t, OB_DTYPE_I64, 1, &offset_count, 1);
    ort_id x = ort_scatter(t, marks, at, ones, -1, true);
    x = ort_emit(t, "CumSum", OB_DTYPE_I64, ORT_IN(x, ort_number(t, OB_DTYPE_I64, 0)), NULL);
    x = ort_slice(t, x, 0, 0, count, 1);
    return ort_binary(t, "Sub", x, ort_number(t, OB_DTYPE_I64, 1));
}

static ort_id bag_sizes(const bags *b, ob_dtype dtype)
{
    const ort_id ones = ort_filled(b->t, dtype, 1, (const int64_t[]){b->count, 1}, 2);
    return add_rows(b->t, ones, b->bag, b->count, b->bags, 1);
}

static void give_extras(const bags *b, int64_t mode)
{
    ort_translation *t = b->t;
    for (size_t k = 1; k < 4; k++) {
        const ob_tensor *meta = ort_result_meta(b->call, k);
        if (meta == NULL)
            continue;
        ort_id id = ORT_NONE;
        if (k == 1 && ob_kit_numel(meta) == b->count)
            id = b->bag;
        else if (k == 2 && mode == 1 && ob_kit_numel(meta) == b->bags)
            id = ort_reshape_like(t, bag_sizes(b, OB_DTYPE_I64), meta);
        else
            id = ort_filled(t, meta->dtype, 0, meta->sizes, meta->ndim);
        ort_result(b->call, k, id);
    }
}

static void emit_bag(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *weight = ort_arg_meta(call, "weight"),
                    *indices = ort_arg_meta(call, "indices"),
                    *offsets = ort_arg_meta(call, "offsets"), *result = ort_result_meta(call, 0);
    const int64_t mode = ort_arg_int(call, "mode", 0);
    bags b = {.call = call,
              .t = t,
              .count = ob_kit_numel(indices),
              .bags = result->sizes[0],
              .width = result->sizes[1],
              .dtype = weight->dtype};
    if (mode == 2 || ort_arg_int(call, "padding_idx", -1) >= 0 || offsets == NULL ||
        indices->ndim != 1 || b.count == 0) {
        ort_refuse(call, mode == 2 ? "this opset adds where indices coincide, and has no maximum"
                                   : "padding_idx, or no indices");
        return;
    }
    b.indices = ort_arg_as(call, "indices", OB_DTYPE_I64);
    b.bag = bag_of_each(call, b.count, ob_kit_numel(offsets));
    ort_id rows = ort_emit(t, "Gather", b.dtype, ORT_IN(ort_arg(call, "weight"), b.indices),
                           ORT_ATTRS(ORT_I("axis", 0)));
    const ort_id factors = ort_arg(call, "per_sample_weights");
    if (factors != ORT_NONE)
        rows =
            ort_binary(t, "Mul", rows, ort_reshape(t, factors, (const int64_t[]){b.count, 1}, 2));
    ort_id sum = add_rows(t, rows, b.bag, b.count, b.bags, b.width);
    if (mode == 1)
        sum = ort_binary(t, "Div", sum,
                         ort_binary(t, "Max", bag_sizes(&b, b.dtype), ort_number(t, b.dtype, 1)));
    ort_result(call, 0, sum);
    give_extras(&b, mode);
}

const ort_row ort_rows_embedding[] = {
    {.name = "aten::embedding", .emit = emit_embedding},
    {.name = "aten::embedding_dense_backward", .emit = emit_embedding_backward},
    {.name = "aten::_embedding_bag", .emit = emit_bag},
    {.name = "aten::_embedding_bag_forward_only", .emit = emit_bag},
    {.name = NULL},
};
