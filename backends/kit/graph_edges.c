/* SPDX-License-Identifier: Apache-2.0
 *
 * Edges and calls of graphs; see graphs.h.
 */
#include "kit/prepared_case.h"

#include <stdio.h>
#include <string.h>

const char *ob_kit_op_name(const ob_op *op, char *out, size_t size)
{
    const bool overload = op->schema->overload[0] != '\0';
    snprintf(out, size, "%s%s%s", op->schema->name, overload ? "." : "", op->schema->overload);
    return out;
}

const char *ob_kit_usual_name(const ob_op *op, char *out, size_t size)
{
    const ob_schema *schema = op->schema;
    const size_t length = strlen(schema->name);
    if (schema->arg_count == 0 || !schema->args[0].writes || schema->name[length - 1] != '_')
        return NULL;
    snprintf(out, size, "%.*s%s%s", (int)length - 1, schema->name,
             schema->overload[0] != '\0' ? "." : "", schema->overload);
    return out;
}

size_t ob_kit_tensor_count(const ob_value *meta)
{
    if (meta->kind == OB_VALUE_TENSOR)
        return 1;
    return ob_value_is_list(meta) ? meta->as.list.count : 0;
}

const ob_tensor *ob_kit_tensor_at(const ob_value *meta, size_t index)
{
    const ob_value *item = meta->kind == OB_VALUE_TENSOR ? meta : &meta->as.list.items[index];
    return item->kind == OB_VALUE_TENSOR ? item->as.tensor : NULL;
}

size_t ob_kit_item_of(const ob_operand *operand)
{
    return operand->kind == OB_OPERAND_ITEM ? operand->index : 0;
}

const ob_operand *ob_kit_first_tensor(const ob_graph *graph, const ob_graph_node *node)
{
    for (size_t i = 0; i < node->op->schema->arg_count; i++) {
        const ob_operand *operand = &node->args[i];
        if (operand->kind == OB_OPERAND_ITEM ||
            (operand->kind == OB_OPERAND_EDGE &&
             graph->edges[operand->edge].meta.kind == OB_VALUE_TENSOR))
            return operand;
    }
    return NULL;
}

static bool same_layout(const ob_tensor *a, const ob_tensor *b)
{
    bool same = a->dtype == b->dtype && a->ndim == b->ndim;
    for (int d = 0; same && d < a->ndim; d++)
        same = a->sizes[d] == b->sizes[d] && (a->strides[d] == b->strides[d] || a->sizes[d] == 1);
    return same;
}

static bool asks_for_copy(const ob_host *host, const ob_graph_node *node)
{
    const int index = host->schema_find_arg(node->op->schema, "copy");
    return index >= 0 && node->args[index].kind == OB_OPERAND_VALUE &&
           node->args[index].value.kind == OB_VALUE_BOOL && node->args[index].value.as.boolean;
}

bool ob_kit_is_view(const ob_host *host, ob_kit_kind kind, const ob_graph *graph,
                    const ob_graph_node *node)
{
    if (kind != OB_KIT_VIEW_OR_COMPUTE)
        return kind == OB_KIT_VIEW;
    const ob_operand *operand = ob_kit_first_tensor(graph, node);
    const ob_value *out = &graph->edges[node->outputs[0]].meta;
    return operand != NULL && out->kind == OB_VALUE_TENSOR && !asks_for_copy(host, node) &&
           same_layout(ob_kit_tensor_at(&graph->edges[operand->edge].meta, ob_kit_item_of(operand)),
                       out->as.tensor);
}

/* The text of a type's alias annotation up to its end or "!". */
static const char *alias_of(const ob_type *type, size_t *length)
{
    while (type != NULL && type->alias == NULL &&
           (type->kind == OB_TYPE_LIST || type->kind == OB_TYPE_OPTIONAL))
        type = type->element;
    const char *alias = type != NULL ? type->alias : NULL;
    *length = alias != NULL ? strcspn(alias, "! |-") : 0;
    return alias;
}

int ob_kit_changed_argument(const ob_schema *schema, size_t k)
{
    size_t length, other_length;
    const char *alias = alias_of(schema->returns[k].type, &length);
    for (size_t i = 0; length > 0 && i < schema->arg_count; i++) {
        const char *other = alias_of(schema->args[i].type, &other_length);
        if (schema->args[i].writes && other_length == length && strncmp(alias, other, length) == 0)
            return (int)i;
    }
    return -1;
}

static ob_status operand_value(const ob_host *host, const ob_graph *graph, const ob_value *values,
                               const ob_operand *operand, ob_value *out, int depth, ob_err *err)
{
    if (operand->kind == OB_OPERAND_VALUE)
        return host->value_copy(out, &operand->value, err);
    if (operand->kind != OB_OPERAND_LIST) {
        const ob_value *edge =
            values != NULL ? &values[operand->edge] : &graph->edges[operand->edge].meta;
        const bool item = operand->kind == OB_OPERAND_ITEM;
        return host->value_copy(out, item ? &edge->as.list.items[operand->index] : edge, err);
    }
    if (depth == 0)
        return host->err_set(err, OB_ERR_LIMIT, "lists of operands are nested too deeply");
    OB_TRY(host->value_init_list(out, OB_VALUE_LIST, operand->count, err));
    for (size_t i = 0; i < operand->count; i++)
        OB_TRY(operand_value(host, graph, values, &operand->items[i], &out->as.list.items[i],
                             depth - 1, err));
    return OB_OK;
}

ob_status ob_kit_operand_value(const ob_host *host, const ob_graph *graph, const ob_value *values,
                               const ob_operand *operand, ob_value *out, ob_err *err)
{
    enum { MOST_NESTED = 4 };
    return operand_value(host, graph, values, operand, out, MOST_NESTED, err);
}
