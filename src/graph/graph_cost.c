/* SPDX-License-Identifier: Apache-2.0
 *
 * Cost of a graph: the sum of its calls' costs. A composite without a cost rule costs what its
 * decomposition costs.
 */
#include "graph/graph_internal.h"

#include <stdlib.h>

static void add_part(double *sum, double part)
{
    *sum = *sum < 0.0 || part < 0.0 ? -1.0 : *sum + part;
}

static void add_cost(ob_cost *sum, const ob_cost *part)
{
    add_part(&sum->flops, part->flops);
    add_part(&sum->read_bytes, part->read_bytes);
    add_part(&sum->write_bytes, part->write_bytes);
}

static ob_status node_cost(const ob_graph *graph, const ob_graph_node *node, ob_cost *out,
                           ob_err *err)
{
    ob_value *values = NULL, *outputs = calloc(node->output_count + 1, sizeof *outputs);
    const size_t arg_count = node->op->schema->arg_count;
    *out = (ob_cost){.flops = -1.0, .read_bytes = -1.0, .write_bytes = -1.0};
    if (outputs == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the cost of a call");
    /* The edges keep their metas: a cost rule only reads. */
    for (size_t i = 0; i < node->output_count; i++)
        outputs[i] = graph->edges[node->outputs[i]].meta;
    ob_status status = ob__graph_arg_values(graph, node->args, arg_count, &values, err);
    if (status == OB_OK) {
        const ob_op_call call = {.op = node->op, .schema = node->op->schema, .args = values};
        if (node->op->row->cost(&call, outputs, out) != OB_OK)
            *out = (ob_cost){.flops = -1.0, .read_bytes = -1.0, .write_bytes = -1.0};
    }
    ob__values_free(values, arg_count);
    free(outputs);
    return status;
}

static bool keep_with_cost(void *ctx, const ob_op *op)
{
    (void)ctx;
    return op->row->cost != NULL || op->row->decomposition == NULL;
}

ob_status ob_graph_cost(const ob_graph *graph, ob_cost *out, ob_err *err)
{
    ob_graph *expanded = NULL;
    ob_status status = OB_OK;
    *out = (ob_cost){.flops = 0.0, .read_bytes = 0.0, .write_bytes = 0.0};
    for (size_t i = 0; expanded == NULL && i < graph->node_count; i++) {
        if (!keep_with_cost(NULL, graph->nodes[i].op))
            OB_TRY(ob_graph_decompose(graph, keep_with_cost, NULL, &expanded, err));
    }
    const ob_graph *counted = expanded != NULL ? expanded : graph;
    for (size_t i = 0; status == OB_OK && i < counted->node_count; i++) {
        ob_cost part = {.flops = -1.0, .read_bytes = -1.0, .write_bytes = -1.0};
        if (counted->nodes[i].op->row->cost != NULL)
            status = node_cost(counted, &counted->nodes[i], &part, err);
        add_cost(out, &part);
    }
    ob_graph_destroy(expanded);
    return status;
}
