/* SPDX-License-Identifier: Apache-2.0
 *
 * Decompositions: running a row's text in place of a call, for shapes, for derivatives and for
 * backends that know the simpler operators only; and the public way to add text to a graph.
 */
#include "graph/graph_internal.h"
#include "graph/notation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *op_label(const ob_op *op, const char *what, char *out, size_t size)
{
    const bool overload = op->schema->overload[0] != '\0';
    snprintf(out, size, "%s%s%s%s", what, op->schema->name, overload ? "." : "",
             op->schema->overload);
    return out;
}

/* Distributes a text's result over the operator's returns. result is taken over. */
static ob_status split_result(const ob_graph *graph, const ob_op *op, ob_operand *result,
                              ob_operand *results, ob_err *err)
{
    char label[256];
    const size_t count = op->schema->return_count;
    ob_status status = OB_OK;
    if (count == 1) {
        results[0] = *result;
        *result = ob__operand_none();
    } else if (ob__operand_count(graph, result) != count) {
        status = ob_err_set(err, OB_ERR_INVALID, "%s gives %zu results instead of %zu",
                            op_label(op, "the decomposition of ", label, sizeof label),
                            ob__operand_count(graph, result), count);
    }
    for (size_t i = 0; status == OB_OK && count > 1 && i < count; i++)
        status = ob__operand_get(graph, result, i, &results[i], err);
    ob__operand_fini(result);
    for (size_t i = 0; status == OB_OK && i < count; i++) {
        if (results[i].kind == OB_OPERAND_VALUE)
            status = ob_err_set(err, OB_ERR_INVALID, "%s gives a constant as result %zu",
                                op_label(op, "the decomposition of ", label, sizeof label), i);
    }
    return status;
}

ob_status ob__graph_expand(ob_graph *graph, const ob_op *op, const ob_operand *args,
                           const ob__hints *hints, ob_operand *results, ob_err *err)
{
    const ob_schema *schema = op->schema;
    char label[256];
    op_label(op, "the decomposition of ", label, sizeof label);
    for (size_t i = 0; i < schema->return_count; i++)
        results[i] = ob__operand_none();
    ob_graph_name *names = calloc(schema->arg_count + 1, sizeof *names);
    if (names == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for %s", label);
    for (size_t i = 0; i < schema->arg_count; i++)
        names[i] = (ob_graph_name){.name = schema->args[i].name, .operand = &args[i]};
    ob__scope scope = {
        .graph = graph, .names = names, .name_count = schema->arg_count, .hints = hints};
    ob_operand result = ob__operand_none();
    ob_status status = ob__graph_enter(graph, label, err);
    if (status == OB_OK) {
        status = ob__scope_run_text(&scope, op->row->decomposition, label, err);
        ob__graph_leave(graph);
    }
    if (status == OB_OK)
        status = ob__scope_result(&scope, label, &result, err);
    if (status == OB_OK)
        status = split_result(graph, op, &result, results, err);
    for (size_t i = 0; status != OB_OK && i < schema->return_count; i++)
        ob__operand_fini(&results[i]);
    ob__scope_fini(&scope);
    free(names);
    return status;
}

/* ---- copies with decompositions ---- */

static bool keep_differentiable(void *ctx, const ob_op *op)
{
    (void)ctx;
    return op->row->derivative != NULL || op->row->decomposition == NULL;
}

/* The same operand in the copy; map has what stands for each edge. */
static ob_status map_operand(const ob_graph *to, const ob_operand *map, const ob_operand *in,
                             ob_operand *out, ob_err *err)
{
    *out = ob__operand_none();
    if (in->kind == OB_OPERAND_EDGE)
        return ob__operand_copy(out, &map[in->edge], err);
    if (in->kind == OB_OPERAND_ITEM)
        return ob__operand_get(to, &map[in->edge], in->index, out, err);
    if (in->kind == OB_OPERAND_VALUE)
        return ob__operand_copy(out, in, err);
    ob_operand *items = calloc(in->count + 1, sizeof *items);
    if (items == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for %zu operands", in->count);
    ob_status status = OB_OK;
    size_t made = 0;
    for (; status == OB_OK && made < in->count; made++)
        status = map_operand(to, map, &in->items[made], &items[made], err);
    if (status == OB_OK) {
        status = ob__operand_init_list(out, items, in->count, err);
        made = 0;
    }
    ob__operands_free(items, made);
    return status;
}

/* The call is made again in `to`, whose filter decides whether it is expanded. */
static ob_status copy_node(const ob_graph *from, const ob_graph_node *node, ob_graph *to,
                           ob_operand *map, ob_err *err)
{
    const size_t arg_count = node->op->schema->arg_count;
    const char *names[OB__GRAPH_MAX_RETURNS];
    for (size_t i = 0; i < node->output_count; i++)
        names[i] = from->edges[node->outputs[i]].name;
    const ob__hints hints = {.names = names, .count = node->output_count};
    ob_operand *args = calloc(arg_count + 1, sizeof *args);
    if (args == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for %zu arguments", arg_count);
    for (size_t i = 0; i < arg_count; i++) {
        const ob_status status = map_operand(to, map, &node->args[i], &args[i], err);
        if (status != OB_OK) {
            ob__operands_free(args, i);
            return status;
        }
    }
    ob_operand result;
    OB_TRY(ob__graph_call_op(to, node->op, args, &hints, &result, err));
    if (node->output_count == 1) {
        map[node->outputs[0]] = result;
        return OB_OK;
    }
    ob_status status = OB_OK;
    for (size_t i = 0; status == OB_OK && i < node->output_count; i++)
        status = ob__operand_get(to, &result, i, &map[node->outputs[i]], err);
    ob__operand_fini(&result);
    return status;
}

static ob_status copy_graph(const ob_graph *from, ob_graph *to, ob_operand *map, ob_err *err)
{
    for (size_t i = 0; i < from->edge_count; i++) {
        const ob_graph_edge *edge = &from->edges[i];
        ob_edge_id id = OB_NO_EDGE;
        if (edge->producer != UINT32_MAX)
            continue;
        OB_TRY(ob__graph_add_edge(to, edge->name, true, edge, &id, err));
        map[i] = ob__operand_edge(id);
    }
    for (size_t i = 0; i < from->node_count; i++)
        OB_TRY(copy_node(from, &from->nodes[i], to, map, err));
    ob_edge_id *outputs = calloc(from->output_count + 1, sizeof *outputs);
    if (outputs == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for %zu outputs", from->output_count);
    ob_status status = OB_OK;
    for (size_t i = 0; status == OB_OK && i < from->output_count; i++)
        status = ob__graph_operand_edge(to, &map[from->outputs[i]],
                                        "an output of the decomposition", &outputs[i], err);
    if (status == OB_OK)
        status = ob_graph_set_outputs(to, outputs, from->output_count, err);
    free(outputs);
    return status;
}

ob_status ob_graph_decompose(const ob_graph *graph, ob_op_filter keep, void *ctx, ob_graph **out,
                             ob_err *err)
{
    ob_graph *copy = NULL;
    *out = NULL;
    OB_TRY(ob_graph_create(graph->table, &copy, err));
    ob_operand *map = calloc(graph->edge_count + 1, sizeof *map);
    ob_status status = OB_OK;
    if (map == NULL)
        status = ob_err_set(err, OB_ERR_NOMEM, "out of memory for %zu edges", graph->edge_count);
    if (status == OB_OK) {
        ob__graph_owner *owner = copy->owner;
        owner->keep = keep != NULL ? keep : keep_differentiable;
        owner->keep_ctx = ctx;
        status = copy_graph(graph, copy, map, err);
        owner->keep = NULL;
    }
    ob__operands_free(map, graph->edge_count);
    if (status != OB_OK) {
        ob_graph_destroy(copy);
        return status;
    }
    *out = copy;
    return OB_OK;
}

/* ---- texts from outside ---- */

ob_status ob_graph_add_text(ob_graph *graph, const char *text, const ob_graph_name *names,
                            size_t name_count, ob_err *err)
{
    ob__scope scope = {
        .graph = graph, .names = names, .name_count = name_count, .sees_edges = true};
    const ob_status status = ob__scope_run_text(&scope, text, NULL, err);
    ob__scope_fini(&scope);
    return status;
}
