/* SPDX-License-Identifier: Apache-2.0
 *
 * Which edges share memory, and who writes over it: a backward that reads an edge after an in-place
 * operator changed it would be wrong without a word. The schemas' alias annotations tell. Operators
 * that may return a view without saying so (reshape) count as giving new memory.
 */
#include "graph/backward.h"

#include <string.h>

static const char *alias_of(const ob_type *type)
{
    while (type != NULL && type->alias == NULL &&
           (type->kind == OB_TYPE_LIST || type->kind == OB_TYPE_OPTIONAL))
        type = type->element;
    return type != NULL ? type->alias : NULL;
}

/* The same alias set: equal first words of "a", "a!", "a -> *". */
static bool same_alias(const char *a, const char *b)
{
    if (a == NULL || b == NULL)
        return false;
    const size_t length = strcspn(a, "! |-");
    return length > 0 && length == strcspn(b, "! |-") && strncmp(a, b, length) == 0;
}

static ob_edge_id first_edge(const ob_operand *operand)
{
    if (operand->kind == OB_OPERAND_EDGE || operand->kind == OB_OPERAND_ITEM)
        return operand->edge;
    return OB_NO_EDGE;
}

ob_edge_id ob__graph_aliased_argument(const ob_graph_node *node, size_t k)
{
    const ob_schema *schema = node->op->schema;
    const char *alias = alias_of(schema->returns[k].type);
    for (size_t i = 0; alias != NULL && i < schema->arg_count; i++) {
        if (same_alias(alias, alias_of(schema->args[i].type)))
            return first_edge(&node->args[i]);
    }
    return OB_NO_EDGE;
}

static bool is_overwritten(const ob__deriver *d, ob_edge_id edge)
{
    /* Nodes count from 1 here, so that an edge without a producer was made "at 0". */
    const uint32_t producer = d->forward->edges[edge].producer;
    const uint32_t made = producer == UINT32_MAX ? 0 : producer + 1;
    return d->writers[d->roots[edge]] > made;
}

static ob_status check_use(const ob__deriver *d, const ob_operand *operand,
                           const ob_graph_node *node)
{
    for (size_t i = 0; operand->kind == OB_OPERAND_LIST && i < operand->count; i++)
        OB_TRY(check_use(d, &operand->items[i], node));
    const ob_edge_id edge = first_edge(operand);
    if (edge == OB_NO_EDGE || !d->forward->edges[edge].requires_grad || !is_overwritten(d, edge))
        return OB_OK;
    return ob_err_set(
        d->err, OB_ERR_UNSUPPORTED,
        "%s uses '%s' after %s changed it in place, so its gradient is not known; use "
        "the result of the in-place operator",
        node->op->schema->name, d->forward->edges[edge].name,
        ob__derive_overwriter(d, edge)->op->schema->name);
}

ob_status ob__derive_aliases(ob__deriver *d)
{
    const ob_graph *graph = d->forward;
    for (size_t i = 0; i < graph->edge_count; i++)
        d->roots[i] = (ob_edge_id)i;
    for (size_t n = 0; n < graph->node_count; n++) {
        const ob_graph_node *node = &graph->nodes[n];
        const ob_schema *schema = node->op->schema;
        for (size_t i = 0; i < schema->arg_count; i++)
            OB_TRY(check_use(d, &node->args[i], node));
        for (size_t k = 0; k < node->output_count; k++) {
            const ob_edge_id source = ob__graph_aliased_argument(node, k);
            if (source != OB_NO_EDGE)
                d->roots[node->outputs[k]] = d->roots[source];
        }
        for (size_t i = 0; i < schema->arg_count; i++) {
            const ob_edge_id edge = first_edge(&node->args[i]);
            if (schema->args[i].writes && edge != OB_NO_EDGE)
                d->writers[d->roots[edge]] = (uint32_t)n + 1;
        }
    }
    return OB_OK;
}

const ob_graph_node *ob__derive_overwriter(const ob__deriver *d, ob_edge_id edge)
{
    return is_overwritten(d, edge) ? &d->forward->nodes[d->writers[d->roots[edge]] - 1] : NULL;
}
