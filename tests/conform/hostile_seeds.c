/* SPDX-License-Identifier: Apache-2.0
 *
 * Right calls to start from: every node of the goldens' graphs, of their decompositions and of their derived backwards.
 * Inputs of a golden keep its elements, which may be the only ones that are right (offsets of tables).
 */
#include "hostile.h"

#include <stdlib.h>

/* Of one operator; goldens have many calls of a few. */
enum { MOST_PER_OPERATOR = 40 };

/* A graph, and the values of its first edges, which are its inputs. */
typedef struct source {
    const ob_graph *graph;
    const ob_value *inputs;
    size_t input_count;
} source;

static ob_status operand_value(const source *from, const ob_operand *operand, ob_value *out,
                               ob_err *err)
{
    const ob_graph *graph = from->graph;
    switch (operand->kind) {
    case OB_OPERAND_EDGE:
        return ob_value_copy(out,
                             operand->edge < from->input_count ? &from->inputs[operand->edge]
                                                               : &graph->edges[operand->edge].meta,
                             err);
    case OB_OPERAND_ITEM:
        return ob_value_copy(out, &graph->edges[operand->edge].meta.as.list.items[operand->index],
                             err);
    case OB_OPERAND_VALUE:
        return ob_value_copy(out, &operand->value, err);
    case OB_OPERAND_LIST:
        break;
    }
    OB_TRY(ob_value_init_list(out, OB_VALUE_LIST, operand->count, err));
    for (size_t i = 0; i < operand->count; i++)
        OB_TRY(operand_value(from, &operand->items[i], &out->as.list.items[i], err));
    return OB_OK;
}

static size_t index_of(const ob_op_table *table, const ob_op *op)
{
    size_t index = 0;
    while (index < ob_op_table_count(table) && ob_op_table_at(table, index) != op)
        index++;
    return index;
}

static ob_status add_node(hostile_seeds *seeds, const source *from, const ob_graph_node *node,
                          ob_err *err)
{
    const size_t op = index_of(seeds->table, node->op), count = node->op->schema->arg_count;
    if (op == ob_op_table_count(seeds->table) || seeds->ops[op].count == MOST_PER_OPERATOR)
        return OB_OK;
    hostile_op_seeds *of = &seeds->ops[op];
    if (of->calls == NULL)
        of->calls = calloc(MOST_PER_OPERATOR, sizeof *of->calls);
    ob_value *args = calloc(count + 1, sizeof *args);
    if (of->calls == NULL || args == NULL) {
        free(args);
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    }
    of->calls[of->count++] = args;
    for (size_t i = 0; i < count; i++)
        OB_TRY(operand_value(from, &node->args[i], &args[i], err));
    return OB_OK;
}

static ob_status add_nodes(hostile_seeds *seeds, const source *from, ob_err *err)
{
    for (size_t n = 0; n < from->graph->node_count; n++)
        OB_TRY(add_node(seeds, from, &from->graph->nodes[n], err));
    return OB_OK;
}

static ob_status add_with_inputs(hostile_seeds *seeds, const ob_graph *graph, const ob_call *call,
                                 ob_err *err)
{
    size_t count = graph->edge_count;
    ob_value *inputs = calloc(count + 1, sizeof *inputs);
    if (inputs == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    ob_status status = ob_graph_flatten_inputs(call, inputs, &count, err);
    if (status == OB_OK)
        status = add_nodes(seeds, &(source){.graph = graph, .inputs = inputs, .input_count = count},
                           err);
    values_free(inputs, count);
    return status;
}

/* A golden that does not build, or has no derivative, has no more to give. */
static ob_status add_golden(hostile_seeds *seeds, const golden *g, ob_err *err)
{
    const ob_call call = golden_call(g);
    ob_graph *graph = NULL, *plain = NULL;
    ob_backward backward = {.graph = NULL};
    if (ob_graph_build(seeds->table, g->op, NULL, &call, &graph, NULL) != OB_OK)
        return OB_OK;
    ob_status status = add_with_inputs(seeds, graph, &call, err);
    if (status == OB_OK && ob_graph_decompose(graph, NULL, NULL, &plain, NULL) == OB_OK) {
        status = add_nodes(seeds, &(source){.graph = plain}, err);
        if (status == OB_OK && ob_graph_derive_backward(plain, &backward, NULL) == OB_OK &&
            backward.graph != NULL)
            status = add_nodes(seeds, &(source){.graph = backward.graph}, err);
    }
    ob_backward_fini(&backward);
    ob_graph_destroy(plain);
    ob_graph_destroy(graph);
    return status;
}

ob_status hostile_seeds_add(hostile_seeds *seeds, const char *goldens_path, ob_err *err)
{
    goldens file;
    golden g;
    ob_status status = OB_OK;
    if (seeds->ops == NULL)
        seeds->ops = calloc(ob_op_table_count(seeds->table), sizeof *seeds->ops);
    if (seeds->ops == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    OB_TRY(goldens_open(&file, goldens_path, err));
    while (status == OB_OK && goldens_next(&file, OB_DTYPE_F32, &g, err) == OB_OK) {
        golden_require_grad(&g);
        status = add_golden(seeds, &g, err);
        golden_fini(&g);
    }
    goldens_close(&file);
    return status;
}

void hostile_seeds_fini(hostile_seeds *seeds)
{
    for (size_t i = 0; seeds->ops != NULL && i < ob_op_table_count(seeds->table); i++) {
        const hostile_op_seeds *of = &seeds->ops[i];
        for (size_t c = 0; c < of->count; c++) {
            for (size_t a = 0; a < ob_op_table_at(seeds->table, i)->schema->arg_count; a++)
                ob_value_fini(&of->calls[c][a]);
            free(of->calls[c]);
        }
        free(of->calls);
    }
    free(seeds->ops);
    *seeds = (hostile_seeds){.table = seeds->table};
}
