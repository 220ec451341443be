/* SPDX-License-Identifier: Apache-2.0
 *
 * Pruning: a derived backward computes more than is asked for (the gradient of an input that nobody
 * wants is one output of the operator that gives the wanted one). What no output follows from goes.
 */
#include "graph/graph_internal.h"

#include <stdlib.h>
#include <string.h>

static void mark_operand(const ob_operand *operand, bool *live)
{
    if (operand->kind == OB_OPERAND_EDGE || operand->kind == OB_OPERAND_ITEM)
        live[operand->edge] = true;
    for (size_t i = 0; operand->kind == OB_OPERAND_LIST && i < operand->count; i++)
        mark_operand(&operand->items[i], live);
}

static void remap_operand(ob_operand *operand, const ob_edge_id *map)
{
    if (operand->kind == OB_OPERAND_EDGE || operand->kind == OB_OPERAND_ITEM)
        operand->edge = map[operand->edge];
    for (size_t i = 0; operand->kind == OB_OPERAND_LIST && i < operand->count; i++)
        remap_operand(&operand->items[i], map);
}

/* A node lives when one of its outputs does; then all its outputs stay, and its arguments live. */
static void mark(const ob_graph *graph, bool *live_edges, bool *live_nodes)
{
    for (size_t i = 0; i < graph->output_count; i++)
        live_edges[graph->outputs[i]] = true;
    for (size_t n = graph->node_count; n-- > 0;) {
        const ob_graph_node *node = &graph->nodes[n];
        for (size_t i = 0; i < node->output_count; i++)
            live_nodes[n] = live_nodes[n] || live_edges[node->outputs[i]];
        if (!live_nodes[n])
            continue;
        for (size_t i = 0; i < node->output_count; i++)
            live_edges[node->outputs[i]] = true;
        for (size_t i = 0; i < node->op->schema->arg_count; i++)
            mark_operand(&node->args[i], live_edges);
    }
}

static void sweep_nodes(ob_graph *graph, const bool *live, uint32_t *node_map)
{
    size_t kept = 0;
    for (size_t n = 0; n < graph->node_count; n++) {
        ob_graph_node *node = &graph->nodes[n];
        if (live[n]) {
            node_map[n] = (uint32_t)kept;
            graph->nodes[kept++] = *node;
            continue;
        }
        for (size_t i = 0; i < node->op->schema->arg_count; i++)
            ob__operand_fini(&node->args[i]);
    }
    graph->node_count = kept;
}

static void sweep_edges(ob_graph *graph, const bool *live, const uint32_t *node_map,
                        ob_edge_id *edge_map)
{
    size_t kept = 0;
    for (size_t i = 0; i < graph->edge_count; i++) {
        ob_graph_edge *edge = &graph->edges[i];
        if (!live[i]) {
            ob_value_fini(&edge->meta);
            continue;
        }
        if (edge->producer != UINT32_MAX)
            edge->producer = node_map[edge->producer];
        edge_map[i] = (ob_edge_id)kept;
        graph->edges[kept++] = *edge;
    }
    graph->edge_count = kept;
    for (size_t n = 0; n < graph->node_count; n++) {
        ob_graph_node *node = &graph->nodes[n];
        for (size_t i = 0; i < node->op->schema->arg_count; i++)
            remap_operand(&node->args[i], edge_map);
        for (size_t i = 0; i < node->output_count; i++)
            node->outputs[i] = edge_map[node->outputs[i]];
    }
    for (size_t i = 0; i < graph->output_count; i++)
        graph->outputs[i] = edge_map[graph->outputs[i]];
}

ob_status ob__graph_prune(ob_graph *graph, ob_err *err)
{
    bool *live_edges = calloc(graph->edge_count + 1, sizeof *live_edges);
    bool *live_nodes = calloc(graph->node_count + 1, sizeof *live_nodes);
    ob_edge_id *edge_map = calloc(graph->edge_count + 1, sizeof *edge_map);
    uint32_t *node_map = calloc(graph->node_count + 1, sizeof *node_map);
    ob_status status = OB_OK;
    if (live_edges == NULL || live_nodes == NULL || edge_map == NULL || node_map == NULL) {
        status = ob_err_set(err, OB_ERR_NOMEM, "out of memory for a graph of %zu edges",
                            graph->edge_count);
    } else {
        mark(graph, live_edges, live_nodes);
        sweep_nodes(graph, live_nodes, node_map);
        sweep_edges(graph, live_edges, node_map, edge_map);
        ob__graph_rehash(graph);
    }
    free(live_edges);
    free(live_nodes);
    free(edge_map);
    free(node_map);
    return status;
}
