/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as graph notation, over a few inputs: what builds must print, the print must be read back
 * to the same text, and decomposing and deriving a backward may fail but not crash. Input: the text;
 * seeds are in corpus/graph_text.
 */
#include "opbench/graph.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUTS = 4 };

static ob_graph *new_graph(const ob_op_table *table)
{
    static const struct {
        const char *name;
        ob_dtype dtype;
        int ndim;
        int64_t sizes[4];
    } inputs[INPUTS] = {
        {"x", OB_DTYPE_F32, 2, {2, 3}},
        {"w", OB_DTYPE_F32, 2, {4, 3}},
        {"i", OB_DTYPE_I64, 1, {5}},
        {"image", OB_DTYPE_F32, 4, {2, 3, 8, 8}},
    };
    ob_graph *graph = NULL;
    if (ob_graph_create(table, &graph, NULL) != OB_OK)
        abort();
    for (int k = 0; k < INPUTS; k++) {
        ob_tensor tensor;
        ob_value value;
        if (ob_tensor_init_meta(&tensor, inputs[k].dtype, inputs[k].sizes, inputs[k].ndim, NULL,
                                NULL) != OB_OK)
            abort();
        tensor.requires_grad = true;
        if (ob_value_init_tensor(&value, &tensor, NULL) != OB_OK ||
            ob_graph_add_input(graph, inputs[k].name, &value, NULL, NULL) != OB_OK)
            abort();
        ob_value_fini(&value);
        ob_tensor_fini(&tensor);
    }
    return graph;
}

/* Parameters that modules made are given to the second graph as they are. */
static void copy_parameters(const ob_graph *from, ob_graph *to)
{
    for (size_t i = INPUTS; i < from->edge_count; i++) {
        const ob_graph_edge *edge = &from->edges[i];
        if (edge->producer == UINT32_MAX &&
            ob_graph_add_parameter(to, edge->name, edge->meta.as.tensor,
                                   edge->role == OB_EDGE_BUFFER, edge->init, edge->init_a, NULL,
                                   NULL) != OB_OK)
            abort();
    }
}

static void print_twice(const ob_op_table *table, const ob_graph *graph)
{
    char *first = NULL, *second = NULL;
    ob_err err;
    ob_graph *again = new_graph(table);
    copy_parameters(graph, again);
    if (ob_graph_print(graph, &first, &err) != OB_OK)
        abort();
    /* Long graphs print to more than a text may have, names may be words of the notation. */
    if (ob_graph_add_text(again, first, NULL, 0, &err) == OB_OK) {
        if (again->node_count != graph->node_count || ob_graph_print(again, &second, &err) != OB_OK)
            abort();
    }
    free(first);
    free(second);
    ob_graph_destroy(again);
}

static void derive(ob_graph *graph)
{
    ob_graph *plain = NULL;
    ob_backward backward;
    ob_err err;
    ob_cost cost;
    const ob_edge_id last = (ob_edge_id)graph->edge_count - 1;
    if (ob_graph_set_outputs(graph, &last, 1, NULL) != OB_OK)
        abort();
    (void)ob_graph_cost(graph, &cost, &err);
    if (ob_graph_decompose(graph, NULL, NULL, &plain, &err) != OB_OK)
        return;
    if (ob_graph_derive_backward(plain, &backward, &err) == OB_OK) {
        if (backward.target_count != backward.graph->output_count)
            abort();
        ob_backward_fini(&backward);
    }
    ob_graph_destroy(plain);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static ob_op_table *table;
    if (table == NULL && ob_op_table_create(&table, NULL) != OB_OK)
        abort();
    char *text = malloc(size + 1);
    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    ob_err err;
    ob_graph *graph = new_graph(table);
    if (ob_graph_add_text(graph, text, NULL, 0, &err) == OB_OK)
        print_twice(table, graph);
    derive(graph);
    ob_graph_destroy(graph);
    free(text);
    return 0;
}
