/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows: sorting, the largest, running sums.
 */
#include "translate.h"

/* Values and places, where the row wants them; all of the dimension when k is negative. */
static void sort(ort_call *call, int64_t k, bool largest, bool values)
{
    ort_translation *t = call->t;
    const ob_tensor *self = ort_arg_meta(call, "self");
    const int dim = ob_kit_dim(ort_arg_int(call, "dim", -1), self->ndim);
    if (ob_kit_numel(self) == 0) {
        ort_refuse(call, "TopK divides by the number of elements, which is 0");
        return;
    }
    ort_id x = ort_arg(call, "self");
    if (self->ndim == 0)
        x = ort_reshape(t, x, (const int64_t[]){1}, 1);
    if (k < 0)
        k = self->ndim == 0 ? 1 : self->sizes[dim];
    const ort_id first = ort_model_node(
        &t->model, "TopK", ORT_IN(x, ort_ints(t, &k, 1)), 2, self->dtype,
        ORT_ATTRS(ORT_I("axis", dim), ORT_I("largest", largest), ORT_I("sorted", 1)));
    ort_model_retype(&t->model, first + 1, OB_DTYPE_I64);
    for (size_t i = 0; i < 2; i++) {
        const size_t place = values ? i : i - 1;
        if (!values && i == 0)
            continue;
        const ort_id id = first + (ort_id)i;
        ort_result(call, place, self->ndim == 0 ? ort_reshape(t, id, NULL, 0) : id);
    }
}

static void emit_topk(ort_call *call)
{
    sort(call, ort_arg_int(call, "k", 1), ort_arg_bool(call, "largest", true), true);
}

static void emit_sort(ort_call *call)
{
    sort(call, -1, ort_arg_bool(call, "descending", false), true);
}

static void emit_argsort(ort_call *call)
{
    sort(call, -1, ort_arg_bool(call, "descending", false), false);
}

static void emit_cumsum(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *self = ort_arg_meta(call, "self"), *result = ort_result_meta(call, 0);
    const ort_id x = ort_arg_as(call, "self", result->dtype);
    const int dim = ob_kit_dim(ort_arg_int(call, "dim", 0), self->ndim);
    ort_result(call, 0,
               self->ndim == 0 ? x
                               : ort_emit(t, "CumSum", result->dtype,
                                          ORT_IN(x, ort_number(t, OB_DTYPE_I64, dim)), NULL));
}

const ort_row ort_rows_order[] = {
    {.name = "aten::topk", .emit = emit_topk},
    {.name = "aten::sort", .emit = emit_sort},
    {.name = "aten::sort.stable", .emit = emit_sort},
    {.name = "aten::argsort", .emit = emit_argsort},
    {.name = "aten::cumsum", .emit = emit_cumsum},
    {.name = NULL},
};
