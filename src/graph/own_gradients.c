/* SPDX-License-Identifier: Apache-2.0
 *
 * Gradients in memory of their own, for backends that are measured beside one with autograd. The derivative of an
 * addition is the gradient that came in, and that of a sum a view of it: a backward of such calls would do nothing.
 * PyTorch fills the .grad of each leaf with a tensor of its own layout, and so do these graphs: a gradient that is
 * given from outside, stands for two leaves, or is a view with other strides than its leaf is copied.
 */
#include "graph/backward.h"

#include <stdlib.h>
#include <string.h>

/* Its producer gives a view of an argument, and the view does not lie in memory as the leaf does. */
static bool is_other_view(const ob_graph *graph, const ob_graph_edge *edge, const ob_value *leaf)
{
    const ob_graph_node *node = &graph->nodes[edge->producer];
    const ob_tensor *gradient = edge->meta.as.tensor;
    size_t k = 0;
    while (k < node->output_count && &graph->edges[node->outputs[k]] != edge)
        k++;
    if (k == node->output_count || ob__graph_aliased_argument(node, k) == OB_NO_EDGE)
        return false;
    const size_t bytes = (size_t)gradient->ndim * sizeof *gradient->strides;
    return leaf->kind != OB_VALUE_TENSOR || leaf->as.tensor->ndim != gradient->ndim ||
           memcmp(leaf->as.tensor->strides, gradient->strides, bytes) != 0;
}

static bool needs_copy(const ob_graph *forward, const ob_backward *backward, size_t index)
{
    const ob_graph *graph = backward->graph;
    const ob_graph_edge *edge = &graph->edges[graph->outputs[index]];
    if (edge->meta.kind != OB_VALUE_TENSOR)
        return false;
    if (edge->role != OB_EDGE_INTERMEDIATE || edge->producer == UINT32_MAX)
        return true;
    for (size_t i = 0; i < index; i++)
        if (graph->outputs[i] == graph->outputs[index])
            return true;
    return is_other_view(graph, edge, &forward->edges[backward->targets[index]].meta);
}

static ob_status copy_edge(ob_graph *graph, ob_edge_id from, ob_edge_id *to, ob_err *err)
{
    static const char *const NAMES[] = {"memory_format"};
    ob_operand source = ob__operand_edge(from), result = ob__operand_none(),
               format = ob__operand_none();
    format.value = (ob_value){.kind = OB_VALUE_MEMORY_FORMAT,
                              .as = {.memory_format = OB_MEMORY_FORMAT_CONTIGUOUS}};
    const ob__operand_call call = {
        .args = &source, .arg_count = 1, .kwarg_names = NAMES, .kwargs = &format, .kwarg_count = 1};
    OB_TRY(ob__graph_call(graph, "aten::clone", &call, NULL, &result, err));
    *to = result.edge;
    ob__operand_fini(&result);
    return OB_OK;
}

ob_status ob__backward_own_gradients(const ob_graph *forward, ob_backward *backward, ob_err *err)
{
    ob_graph *graph = backward->graph;
    const size_t count = graph->output_count;
    ob_edge_id *outputs = calloc(count + 1, sizeof *outputs);
    ob_status status = OB_OK;
    if (outputs == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for %zu gradients", count);
    for (size_t i = 0; status == OB_OK && i < count; i++) {
        outputs[i] = graph->outputs[i];
        if (needs_copy(forward, backward, i))
            status = copy_edge(graph, graph->outputs[i], &outputs[i], err);
    }
    if (status == OB_OK)
        status = ob_graph_set_outputs(graph, outputs, count, err);
    free(outputs);
    return status;
}
