/* SPDX-License-Identifier: Apache-2.0
 *
 * Operands through binding: edges go in as tagged meta tensors and come out as edges again,
 * wherever the binding (or an adapter of the name mapping) has put them.
 */
#include "graph/operand.h"

#include <stdlib.h>

/* A tag is TAG_BIT | edge << ITEM_BITS | index in the list (0 for an edge that is a tensor). */
enum { ITEM_BITS = 24 };
static const int64_t TAG_BIT = INT64_C(1) << 62;
static const int64_t ITEM_MASK = (INT64_C(1) << ITEM_BITS) - 1;

static ob_status tag_value(ob_value *value, ob_edge_id edge, int64_t index, ob_err *err)
{
    if (value->kind == OB_VALUE_TENSOR) {
        value->as.tensor->offset = TAG_BIT | ((int64_t)edge << ITEM_BITS) | index;
        return OB_OK;
    }
    if (!ob_value_is_list(value))
        return OB_OK;
    if (value->as.list.count > (size_t)ITEM_MASK)
        return ob_err_set(err, OB_ERR_LIMIT, "a list of %zu tensors is too long for one call",
                          value->as.list.count);
    for (size_t i = 0; i < value->as.list.count; i++) {
        if (value->as.list.items[i].kind == OB_VALUE_TENSOR)
            value->as.list.items[i].as.tensor->offset =
                TAG_BIT | ((int64_t)edge << ITEM_BITS) | (int64_t)i;
    }
    return OB_OK;
}

static ob_status list_to_tagged(const ob_graph *graph, const ob_operand *operand, ob_value *out,
                                ob_err *err)
{
    OB_TRY(ob_value_init_list(out, OB_VALUE_LIST, operand->count, err));
    for (size_t i = 0; i < operand->count; i++) {
        const ob_status status =
            ob__operand_to_tagged(graph, &operand->items[i], &out->as.list.items[i], err);
        if (status != OB_OK) {
            ob_value_fini(out);
            return status;
        }
    }
    return OB_OK;
}

ob_status ob__operand_to_tagged(const ob_graph *graph, const ob_operand *operand, ob_value *out,
                                ob_err *err)
{
    *out = ob_value_none();
    switch (operand->kind) {
    case OB_OPERAND_VALUE:
        return ob_value_copy(out, &operand->value, err);
    case OB_OPERAND_LIST:
        return list_to_tagged(graph, operand, out, err);
    case OB_OPERAND_EDGE: {
        OB_TRY(ob_value_copy(out, &graph->edges[operand->edge].meta, err));
        const ob_status status = tag_value(out, operand->edge, 0, err);
        if (status != OB_OK)
            ob_value_fini(out);
        return status;
    }
    case OB_OPERAND_ITEM: {
        const ob_value *list = &graph->edges[operand->edge].meta;
        OB_TRY(ob_value_copy(out, &list->as.list.items[operand->index], err));
        return tag_value(out, operand->edge, (int64_t)operand->index, err);
    }
    }
    return ob_err_set(err, OB_ERR_INVALID, "operand of unknown kind %d", (int)operand->kind);
}

static ob_status tensor_from_tagged(const ob_graph *graph, ob_tensor *tensor, ob_operand *out,
                                    ob_err *err)
{
    const int64_t tag = tensor->offset & ~TAG_BIT;
    const uint64_t edge = (uint64_t)(tag >> ITEM_BITS);
    if ((tensor->offset & TAG_BIT) == 0 || edge >= graph->edge_count)
        return ob_err_set(err, OB_ERR_INVALID,
                          "a tensor is used as a constant; add it as an input of the graph");
    const ob_value *meta = &graph->edges[edge].meta;
    if (meta->kind == OB_VALUE_TENSOR)
        *out = ob__operand_edge((ob_edge_id)edge);
    else
        *out = ob__operand_item((ob_edge_id)edge, (size_t)(tag & ITEM_MASK));
    tensor->offset = ob__operand_tensor(graph, out)->offset;
    return OB_OK;
}

/* A list that is item by item one list edge is that edge. */
static void join_items(const ob_graph *graph, ob_operand *list)
{
    if (list->kind != OB_OPERAND_LIST)
        return;
    const ob_edge_id edge = list->items[0].edge;
    for (size_t i = 0; i < list->count; i++) {
        const ob_operand *item = &list->items[i];
        if (item->kind != OB_OPERAND_ITEM || item->edge != edge || item->index != i)
            return;
    }
    if (graph->edges[edge].meta.as.list.count != list->count)
        return;
    ob__operand_fini(list);
    *list = ob__operand_edge(edge);
}

ob_status ob__operand_from_tagged(const ob_graph *graph, ob_value *tagged, ob_operand *out,
                                  ob_err *err)
{
    *out = ob__operand_none();
    if (tagged->kind == OB_VALUE_TENSOR)
        return tensor_from_tagged(graph, tagged->as.tensor, out, err);
    if (!ob_value_is_list(tagged))
        return ob_value_copy(&out->value, tagged, err);

    const size_t count = tagged->as.list.count;
    ob_operand *items = calloc(count ? count : 1, sizeof *items);
    if (items == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a list of %zu operands", count);
    ob_status status = OB_OK;
    size_t made = 0;
    for (; made < count && status == OB_OK; made++)
        status = ob__operand_from_tagged(graph, &tagged->as.list.items[made], &items[made], err);
    if (status == OB_OK) {
        status = ob__operand_init_list(out, items, count, err);
        made = 0;
    }
    ob__operands_free(items, made);
    if (status == OB_OK)
        join_items(graph, out);
    return status;
}

ob_status ob__tagged_init(const ob_graph *graph, const ob__operand_call *call, ob__tagged_call *out,
                          ob_err *err)
{
    const size_t count = call->arg_count + call->kwarg_count;
    *out =
        (ob__tagged_call){.values = calloc(count ? count : 1, sizeof *out->values), .count = count};
    if (out->values == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a call of %zu arguments", count);
    for (size_t i = 0; i < count; i++) {
        const ob_operand *operand =
            i < call->arg_count ? &call->args[i] : &call->kwargs[i - call->arg_count];
        const ob_status status = ob__operand_to_tagged(graph, operand, &out->values[i], err);
        if (status != OB_OK) {
            ob__tagged_fini(out);
            return status;
        }
    }
    out->call = (ob_call){.args = out->values,
                          .arg_count = call->arg_count,
                          .kwarg_names = call->kwarg_names,
                          .kwargs = out->values + call->arg_count,
                          .kwarg_count = call->kwarg_count};
    return OB_OK;
}

void ob__tagged_fini(ob__tagged_call *tagged)
{
    for (size_t i = 0; i < tagged->count && tagged->values != NULL; i++)
        ob_value_fini(&tagged->values[i]);
    free(tagged->values);
    *tagged = (ob__tagged_call){.values = NULL};
}

ob_status ob__operands_bind(const ob_graph *graph, const ob_schema *schema,
                            const ob__operand_call *call, ob_operand **bound, ob_err *err)
{
    const size_t count = schema->arg_count;
    ob__tagged_call tagged = {.values = NULL};
    ob_value *values = calloc(count ? count : 1, sizeof *values);
    ob_operand *operands = calloc(count ? count : 1, sizeof *operands);
    ob_status status = OB_OK;
    size_t made = 0;
    *bound = NULL;
    if (values == NULL || operands == NULL) {
        status = ob_err_set(err, OB_ERR_NOMEM, "out of memory for %zu arguments", count);
        goto done;
    }
    status = ob__tagged_init(graph, call, &tagged, err);
    if (status == OB_OK)
        status = ob_schema_bind(schema, &tagged.call, values, err);
    for (; status == OB_OK && made < count; made++)
        status = ob__operand_from_tagged(graph, &values[made], &operands[made], err);
    if (status == OB_OK) {
        *bound = operands;
        operands = NULL;
    }
done:
    ob__operands_free(operands, made);
    for (size_t i = 0; values != NULL && i < count; i++)
        ob_value_fini(&values[i]);
    free(values);
    ob__tagged_fini(&tagged);
    return status;
}
