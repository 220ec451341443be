/* SPDX-License-Identifier: Apache-2.0
 *
 * Meta values: what an edge knows about the value that will flow along it.
 */
#include "graph/graph_internal.h"

#include <stdlib.h>

bool ob__value_has_tensor(const ob_value *value)
{
    if (value->kind == OB_VALUE_TENSOR)
        return true;
    for (size_t i = 0; ob_value_is_list(value) && i < value->as.list.count; i++) {
        if (ob__value_has_tensor(&value->as.list.items[i]))
            return true;
    }
    return false;
}

bool ob__value_is_differentiable(const ob_value *value, bool flagged)
{
    if (value->kind == OB_VALUE_TENSOR)
        return ob_dtype_is_floating(value->as.tensor->dtype) &&
               (!flagged || value->as.tensor->requires_grad);
    for (size_t i = 0; ob_value_is_list(value) && i < value->as.list.count; i++) {
        if (ob__value_is_differentiable(&value->as.list.items[i], flagged))
            return true;
    }
    return false;
}

/* Drops the storage in place; a sparse tensor's parts too. */
static void strip_storage(ob_tensor *tensor)
{
    ob_storage_release(tensor->storage);
    tensor->storage = NULL;
    if (tensor->indices != NULL)
        strip_storage(tensor->indices);
    if (tensor->values != NULL)
        strip_storage(tensor->values);
}

static void strip_value(ob_value *value)
{
    if (value->kind == OB_VALUE_TENSOR)
        strip_storage(value->as.tensor);
    for (size_t i = 0; ob_value_is_list(value) && i < value->as.list.count; i++)
        strip_value(&value->as.list.items[i]);
}

ob_status ob__value_to_meta(ob_value *out, const ob_value *in, ob_err *err)
{
    OB_TRY(ob_value_copy(out, in, err));
    strip_value(out);
    return OB_OK;
}

void ob__values_free(ob_value *values, size_t count)
{
    for (size_t i = 0; values != NULL && i < count; i++)
        ob_value_fini(&values[i]);
    free(values);
}

static ob_status arg_value(const ob_graph *graph, const ob_operand *operand, ob_value *out,
                           ob_err *err)
{
    switch (operand->kind) {
    case OB_OPERAND_VALUE:
        return ob_value_copy(out, &operand->value, err);
    case OB_OPERAND_EDGE:
        return ob_value_copy(out, &graph->edges[operand->edge].meta, err);
    case OB_OPERAND_ITEM:
        return ob_value_copy(out, &graph->edges[operand->edge].meta.as.list.items[operand->index],
                             err);
    case OB_OPERAND_LIST:
        break;
    }
    OB_TRY(ob_value_init_list(out, OB_VALUE_LIST, operand->count, err));
    for (size_t i = 0; i < operand->count; i++)
        OB_TRY(arg_value(graph, &operand->items[i], &out->as.list.items[i], err));
    return OB_OK;
}

ob_status ob__graph_arg_values(const ob_graph *graph, const ob_operand *args, size_t count,
                               ob_value **values, ob_err *err)
{
    ob_value *made = calloc(count ? count : 1, sizeof *made);
    *values = NULL;
    if (made == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for %zu arguments", count);
    for (size_t i = 0; i < count; i++) {
        const ob_status status = arg_value(graph, &args[i], &made[i], err);
        if (status != OB_OK) {
            ob__values_free(made, count);
            return status;
        }
    }
    *values = made;
    return OB_OK;
}
