/* SPDX-License-Identifier: Apache-2.0
 *
 * Operands: making, copying and looking into them. See operand_bind.c for their way through
 * binding.
 */
#include "graph/operand.h"

#include <stdlib.h>

ob_operand ob__operand_edge(ob_edge_id edge)
{
    const ob_operand operand = {.kind = OB_OPERAND_EDGE, .edge = edge, .value = ob_value_none()};
    return operand;
}

ob_operand ob__operand_item(ob_edge_id edge, size_t index)
{
    const ob_operand operand = {
        .kind = OB_OPERAND_ITEM, .edge = edge, .index = index, .value = ob_value_none()};
    return operand;
}

ob_operand ob__operand_value(ob_value value)
{
    const ob_operand operand = {.kind = OB_OPERAND_VALUE, .edge = OB_NO_EDGE, .value = value};
    return operand;
}

ob_operand ob__operand_none(void)
{
    return ob__operand_value(ob_value_none());
}

void ob__operand_fini(ob_operand *operand)
{
    ob__operands_free(operand->items, operand->count);
    ob_value_fini(&operand->value);
    *operand = ob__operand_none();
}

void ob__operands_free(ob_operand *operands, size_t count)
{
    if (operands == NULL)
        return;
    for (size_t i = 0; i < count; i++)
        ob__operand_fini(&operands[i]);
    free(operands);
}

ob_status ob__operand_copy(ob_operand *out, const ob_operand *in, ob_err *err)
{
    *out = ob__operand_none();
    ob_operand copy = *in;
    copy.items = NULL;
    copy.value = ob_value_none();
    if (in->kind == OB_OPERAND_VALUE)
        OB_TRY(ob_value_copy(&copy.value, &in->value, err));
    if (in->kind == OB_OPERAND_LIST) {
        copy.items = calloc(in->count ? in->count : 1, sizeof *copy.items);
        if (copy.items == NULL)
            return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a list of %zu operands",
                              in->count);
        for (size_t i = 0; i < in->count; i++)
            copy.items[i] = ob__operand_none();
        for (size_t i = 0; i < in->count; i++) {
            const ob_status status = ob__operand_copy(&copy.items[i], &in->items[i], err);
            if (status != OB_OK) {
                ob__operands_free(copy.items, in->count);
                return status;
            }
        }
    }
    *out = copy;
    return OB_OK;
}

static ob_status init_constant_list(ob_operand *out, ob_operand *items, size_t count, ob_err *err)
{
    ob_value list;
    const ob_status status = ob_value_init_list(&list, OB_VALUE_LIST, count, err);
    for (size_t i = 0; i < count; i++) {
        if (status == OB_OK) {
            list.as.list.items[i] = items[i].value;
            items[i].value = ob_value_none();
        } else {
            ob__operand_fini(&items[i]);
        }
    }
    *out = ob__operand_value(list);
    return status;
}

ob_status ob__operand_init_list(ob_operand *out, ob_operand *items, size_t count, ob_err *err)
{
    bool constant = true;
    *out = ob__operand_none();
    for (size_t i = 0; i < count; i++)
        constant = constant && items[i].kind == OB_OPERAND_VALUE;
    if (constant)
        return init_constant_list(out, items, count, err);

    ob_operand *copy = calloc(count, sizeof *copy);
    for (size_t i = 0; i < count; i++) {
        if (copy != NULL)
            copy[i] = items[i];
        else
            ob__operand_fini(&items[i]);
    }
    if (copy == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a list of %zu operands", count);
    out->kind = OB_OPERAND_LIST;
    out->items = copy;
    out->count = count;
    return OB_OK;
}

bool ob__operand_is_none(const ob_operand *operand)
{
    return operand->kind == OB_OPERAND_VALUE && operand->value.kind == OB_VALUE_NONE;
}

/* The list value behind a constant or an edge; NULL when there is none. */
static const ob_value *list_value(const ob_graph *graph, const ob_operand *operand)
{
    const ob_value *value = operand->kind == OB_OPERAND_VALUE  ? &operand->value
                            : operand->kind == OB_OPERAND_EDGE ? &graph->edges[operand->edge].meta
                                                               : NULL;
    return value != NULL && ob_value_is_list(value) ? value : NULL;
}

bool ob__operand_is_list(const ob_graph *graph, const ob_operand *operand)
{
    return operand->kind == OB_OPERAND_LIST || list_value(graph, operand) != NULL;
}

size_t ob__operand_count(const ob_graph *graph, const ob_operand *operand)
{
    if (operand->kind == OB_OPERAND_LIST)
        return operand->count;
    const ob_value *list = list_value(graph, operand);
    return list != NULL ? list->as.list.count : 0;
}

ob_status ob__operand_get(const ob_graph *graph, const ob_operand *operand, size_t index,
                          ob_operand *out, ob_err *err)
{
    *out = ob__operand_none();
    if (operand->kind == OB_OPERAND_LIST)
        return ob__operand_copy(out, &operand->items[index], err);
    const ob_value *item = &list_value(graph, operand)->as.list.items[index];
    if (operand->kind == OB_OPERAND_EDGE && item->kind == OB_VALUE_TENSOR) {
        *out = ob__operand_item(operand->edge, index);
        return OB_OK;
    }
    return ob_value_copy(&out->value, item, err);
}

const ob_tensor *ob__operand_tensor(const ob_graph *graph, const ob_operand *operand)
{
    if (operand->kind != OB_OPERAND_EDGE && operand->kind != OB_OPERAND_ITEM)
        return NULL;
    const ob_value *value = &graph->edges[operand->edge].meta;
    if (operand->kind == OB_OPERAND_ITEM)
        value = &value->as.list.items[operand->index];
    return value->kind == OB_VALUE_TENSOR ? value->as.tensor : NULL;
}

bool ob__operand_requires_grad(const ob_graph *graph, const ob_operand *operand)
{
    switch (operand->kind) {
    case OB_OPERAND_EDGE:
        return graph->edges[operand->edge].requires_grad;
    case OB_OPERAND_ITEM: {
        const ob_tensor *tensor = ob__operand_tensor(graph, operand);
        return graph->edges[operand->edge].requires_grad && tensor != NULL &&
               ob_dtype_is_floating(tensor->dtype);
    }
    case OB_OPERAND_LIST:
        for (size_t i = 0; i < operand->count; i++) {
            if (ob__operand_requires_grad(graph, &operand->items[i]))
                return true;
        }
        return false;
    case OB_OPERAND_VALUE:
        return false;
    }
    return false;
}
