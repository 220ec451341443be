/* SPDX-License-Identifier: Apache-2.0
 *
 * Shapes and costs of look-ups in split tables. There may be more tables than a tensor has
 * dimensions, so the lists are read here.
 */
#include "op/cost.h"
#include "op/shape_rules.h"
#include "op/shape_util.h"

#include <inttypes.h>

typedef struct tables {
    int64_t count, batch, width; /* width: sum of dims */
    int64_t elements, rows;      /* of all tables */
    const ob_tensor *weights, *indices, *offsets;
} tables;

/* The lists, and their sums. */
static ob_status read_lists(const ob_op_call *call, tables *t, ob_err *err)
{
    const ob_value *rows = ob__arg(call, "rows"), *dims = ob__arg(call, "dims");
    if (rows == NULL || dims == NULL || rows->kind != OB_VALUE_LIST ||
        dims->kind != OB_VALUE_LIST || rows->as.list.count != dims->as.list.count ||
        rows->as.list.count == 0)
        return ob__shape_fail(call, err, "rows and dims must have one entry per table");
    t->count = (int64_t)rows->as.list.count;
    for (size_t i = 0; i < rows->as.list.count; i++) {
        const int64_t r = rows->as.list.items[i].as.integer, d = dims->as.list.items[i].as.integer;
        int64_t size;
        if (rows->as.list.items[i].kind != OB_VALUE_INT ||
            dims->as.list.items[i].kind != OB_VALUE_INT || r < 1 || d < 1)
            return ob__shape_fail(call, err, "table %zu must have at least one row and one column",
                                  i);
        if (__builtin_mul_overflow(r, d, &size) ||
            __builtin_add_overflow(t->elements, size, &t->elements) ||
            __builtin_add_overflow(t->rows, r, &t->rows) ||
            __builtin_add_overflow(t->width, d, &t->width))
            return ob__shape_fail(call, err, "the tables have more than 2^63 elements");
    }
    return OB_OK;
}

static ob_status read_tables(const ob_op_call *call, tables *t, ob_err *err)
{
    const ob_tensor *momentum, *factors;
    char text[OB__SHAPE_TEXT];
    *t = (tables){0};
    OB_TRY(read_lists(call, t, err));
    OB_TRY(ob__arg_tensor(call, "weights", &t->weights, err));
    OB_TRY(ob__arg_tensor(call, "momentum", &momentum, err));
    OB_TRY(ob__arg_tensor(call, "indices", &t->indices, err));
    OB_TRY(ob__arg_tensor(call, "offsets", &t->offsets, err));
    OB_TRY(ob__arg_maybe_tensor(call, "per_sample_weights", &factors, err));
    OB_TRY(ob__want_index(call, "indices", t->indices, true, err));
    OB_TRY(ob__want_index(call, "offsets", t->offsets, true, err));
    OB_TRY(ob__want_ndim(call, "indices", t->indices, 1, err));
    OB_TRY(ob__want_ndim(call, "offsets", t->offsets, 1, err));
    if (t->weights->ndim != 1 || t->weights->sizes[0] != t->elements || momentum->ndim != 1 ||
        momentum->sizes[0] != t->rows || !ob_tensor_is_contiguous(t->weights) ||
        !ob_tensor_is_contiguous(momentum))
        return ob__shape_fail(call, err,
                              "weights must be [%" PRId64 "] and momentum [%" PRId64
                              "], contiguous: all tables one after the other",
                              t->elements, t->rows);
    if (t->offsets->sizes[0] < 1 || (t->offsets->sizes[0] - 1) % t->count != 0)
        return ob__shape_fail(call, err,
                              "offsets is %s; it must have one entry per bag of each of the "
                              "%" PRId64 " tables, and one more",
                              ob__tensor_text(t->offsets, text), t->count);
    if (factors != NULL && (factors->ndim != 1 || factors->sizes[0] != t->indices->sizes[0]))
        return ob__shape_fail(call, err,
                              "per_sample_weights is %s; it must have one entry per index",
                              ob__tensor_text(factors, text));
    const int64_t pooling = ob__arg_int(call, "pooling", 0);
    if (pooling != 0 && pooling != 1)
        return ob__shape_fail(call, err, "pooling is %" PRId64 "; it must be 0 (sum) or 1 (mean)",
                              pooling);
    t->batch = (t->offsets->sizes[0] - 1) / t->count;
    return OB_OK;
}

ob_status ob__shape_split_table(const ob_op_call *call, ob_value *out, ob_err *err)
{
    tables t;
    OB_TRY(read_tables(call, &t, err));
    const int64_t sizes[] = {t.batch, t.width};
    const ob__shape shape = ob__shape_make(OB_DTYPE_F32, sizes, 2);
    return ob__give(call, out, &shape, err);
}

/* An empty gradient: that of the anchor. */
ob_status ob__shape_split_table_update(const ob_op_call *call, ob_value *out, ob_err *err)
{
    tables t;
    const ob_tensor *grad;
    char text[OB__SHAPE_TEXT];
    OB_TRY(read_tables(call, &t, err));
    OB_TRY(ob__arg_tensor(call, "grad", &grad, err));
    if (grad->ndim != 2 || grad->sizes[0] != t.batch || grad->sizes[1] != t.width)
        return ob__shape_fail(call, err, "grad is %s; it must be [%" PRId64 ", %" PRId64 "]",
                              ob__tensor_text(grad, text), t.batch, t.width);
    const int64_t nothing = 0;
    const ob__shape shape = ob__shape_make(OB_DTYPE_F32, &nothing, 1);
    return ob__give(call, out, &shape, err);
}

/* Tables get equal shares of the indices when nothing else is known. */
static double moved_elements(const tables *t)
{
    return (double)t->indices->sizes[0] / (double)t->count * (double)t->width;
}

static double index_bytes(const ob_op_call *call)
{
    return ob__cost_bytes(ob__arg(call, "indices")) + ob__cost_bytes(ob__arg(call, "offsets")) +
           ob__cost_bytes(ob__arg(call, "per_sample_weights"));
}

ob_status ob__cost_split_table(const ob_op_call *call, const ob_value *outputs, ob_cost *out)
{
    tables t;
    *out = (ob_cost){.flops = -1, .read_bytes = -1, .write_bytes = -1};
    if (read_tables(call, &t, NULL) != OB_OK)
        return OB_OK;
    const double moved = moved_elements(&t);
    *out =
        (ob_cost){.flops = moved,
                  .read_bytes = moved * (double)ob_dtype_size(t.weights->dtype) + index_bytes(call),
                  .write_bytes = ob__cost_bytes(&outputs[0])};
    return OB_OK;
}

/* The gradient is summed, squared and applied; every row that is met is read and written. */
ob_status ob__cost_split_table_update(const ob_op_call *call, const ob_value *outputs, ob_cost *out)
{
    tables t;
    (void)outputs;
    *out = (ob_cost){.flops = -1, .read_bytes = -1, .write_bytes = -1};
    if (read_tables(call, &t, NULL) != OB_OK)
        return OB_OK;
    const double moved = moved_elements(&t);
    const double rows = moved * (double)ob_dtype_size(t.weights->dtype);
    *out = (ob_cost){.flops = 5 * moved,
                     .read_bytes = rows + ob__cost_bytes(ob__arg(call, "grad")) + index_bytes(call),
                     .write_bytes = rows};
    return OB_OK;
}
