/* SPDX-License-Identifier: Apache-2.0
 *
 * Adding calls: a name is resolved and bound, the outputs' metas are inferred, and a node with its
 * output edges is appended.
 */
#include "graph/graph_internal.h"
#include "graph/module.h"
#include "op/shape_util.h"
#include "opbench/vec.h"

#include <stdlib.h>
#include <string.h>

/* ---- inference ---- */

/* Gives an argument's tensors input edges in the scratch graph. */
static ob_status add_scratch_arg(ob_graph *scratch, const ob_value *value, ob_operand *out,
                                 ob_err *err)
{
    *out = ob__operand_none();
    if (!ob__value_has_tensor(value))
        return ob_value_copy(&out->value, value, err);
    if (value->kind == OB_VALUE_TENSOR) {
        const ob_graph_edge like = {.role = OB_EDGE_INPUT,
                                    .meta = *value,
                                    .producer = UINT32_MAX,
                                    .forward_edge = OB_NO_EDGE};
        ob_edge_id edge = OB_NO_EDGE;
        OB_TRY(ob__graph_add_edge(scratch, "arg", false, &like, &edge, err));
        *out = ob__operand_edge(edge);
        return OB_OK;
    }
    const size_t count = value->as.list.count;
    ob_operand *items = calloc(count, sizeof *items);
    if (items == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a list of %zu operands", count);
    ob_status status = OB_OK;
    size_t made = 0;
    for (; status == OB_OK && made < count; made++)
        status = add_scratch_arg(scratch, &value->as.list.items[made], &items[made], err);
    if (status == OB_OK) {
        status = ob__operand_init_list(out, items, count, err);
        made = 0;
    }
    ob__operands_free(items, made);
    return status;
}

/* Outputs of an operator without a shape rule: its decomposition is run in a graph of its own. */
static ob_status infer_by_decomposition(const ob_graph *graph, const ob_op_call *call,
                                        ob_value *out, ob_err *err)
{
    const size_t arg_count = call->schema->arg_count, return_count = call->schema->return_count;
    ob_graph *scratch = NULL;
    OB_TRY(ob_graph_create(graph->table, &scratch, err));
    ob__graph_get_owner(scratch)->depth = ob__graph_get_owner(graph)->depth;
    ob_operand *args = calloc(arg_count + return_count + 1, sizeof *args);
    size_t made = 0;
    ob_value *metas = NULL;
    ob_status status = OB_OK;
    if (args == NULL) {
        status = ob_err_set(err, OB_ERR_NOMEM, "out of memory for %zu arguments", arg_count);
        goto done;
    }
    for (; status == OB_OK && made < arg_count; made++)
        status = add_scratch_arg(scratch, &call->args[made], &args[made], err);
    if (status == OB_OK)
        status = ob__graph_expand(scratch, call->op, args, NULL, args + arg_count, err);
    if (status == OB_OK) {
        made = arg_count + return_count;
        status = ob__graph_arg_values(scratch, args + arg_count, return_count, &metas, err);
    }
    if (status == OB_OK)
        memcpy(out, metas, return_count * sizeof *out);
done:
    free(metas);
    ob__operands_free(args, made);
    ob_graph_destroy(scratch);
    return status;
}

/* What the layers below say (a size that overflows) does not name the operator. */
static ob_status name_operator(const ob_op_call *call, ob_status status, ob_err *err)
{
    char reason[sizeof((ob_err){0}).message];
    const char *label = ob__op_label(call);
    if (status == OB_OK || err == NULL || strstr(err->message, label) != NULL)
        return status;
    memcpy(reason, err->message, sizeof reason);
    return ob_err_set(err, status, "%s: %s", label, reason);
}

/* Every call passes here before any backend sees it, whoever makes the graph: the shape rule checks sizes, ranges and
 * dtypes of all arguments. */
static ob_status infer(const ob_graph *graph, const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_op_row *row = call->op->row;
    if (row->shape != NULL)
        return name_operator(call, row->shape(call, out, err), err);
    if (row->decomposition != NULL)
        return infer_by_decomposition(graph, call, out, err);
    if (call->schema->return_count == 0)
        return OB_OK;
    return ob_err_set(err, OB_ERR_UNSUPPORTED,
                      "%s%s%s has neither a shape rule nor a decomposition, so its outputs are not "
                      "known; give its row one",
                      call->schema->name, call->schema->overload[0] != '\0' ? "." : "",
                      call->schema->overload);
}

/* ---- nodes ---- */

static ob_status grow_nodes(ob_graph *graph, ob_err *err)
{
    ob__graph_owner *owner = graph->owner;
    if (graph->node_count >= OB__GRAPH_MAX_NODES)
        return ob_err_set(err, OB_ERR_LIMIT, "a graph can have at most %d calls; split it",
                          OB__GRAPH_MAX_NODES);
    if (!OB_RESERVE(graph->nodes, owner->node_capacity, graph->node_count + 1))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for %zu calls", graph->node_count + 1);
    return OB_OK;
}

/* "add" of "aten::add". */
static const char *short_name(const char *name)
{
    const char *colons = strstr(name, "::");
    return colons != NULL && colons[2] != '\0' ? colons + 2 : name;
}

/* False where a gradient ends by nature: the derivative is the empty text, or the operator creates
 * values that do not depend on its tensors' elements (ones_like). */
static bool passes_gradient(const ob_op_row *row)
{
    if (row->derivative != NULL)
        return row->derivative[0] != '\0';
    return row->category == NULL || strcmp(row->category, "create") != 0;
}

/* Appends the node with fresh output edges; args are moved into it. */
static ob_status append_node(ob_graph *graph, const ob_op *op, ob_operand *args,
                             const ob_value *metas, const ob__hints *hints, ob_err *err)
{
    ob__graph_owner *owner = graph->owner;
    const size_t arg_count = op->schema->arg_count, return_count = op->schema->return_count;
    OB_TRY(grow_nodes(graph, err));
    ob_graph_node node = {
        .op = op,
        .args = ob__arena_alloc_array(&owner->arena, arg_count, sizeof *node.args),
        .outputs = ob__arena_alloc_array(&owner->arena, return_count, sizeof *node.outputs),
        .output_count = return_count,
    };
    if (node.args == NULL || node.outputs == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a call of %s", op->schema->name);
    bool requires_grad = false;
    for (size_t i = 0; i < arg_count; i++)
        requires_grad = requires_grad || ob__operand_requires_grad(graph, &args[i]);
    requires_grad = requires_grad && passes_gradient(op->row);
    for (size_t i = 0; i < return_count; i++) {
        const ob_graph_edge like = {.role = OB_EDGE_INTERMEDIATE,
                                    .requires_grad = requires_grad &&
                                                     ob__value_is_differentiable(&metas[i], false),
                                    .meta = metas[i],
                                    .producer = (uint32_t)graph->node_count,
                                    .forward_edge = OB_NO_EDGE};
        const char *hint = hints != NULL && i < hints->count ? hints->names[i] : NULL;
        OB_TRY(ob__graph_add_edge(graph, hint != NULL ? hint : short_name(op->schema->name), false,
                                  &like, &node.outputs[i], err));
    }
    for (size_t i = 0; i < arg_count; i++) {
        node.args[i] = args[i];
        args[i] = ob__operand_none();
    }
    graph->nodes[graph->node_count++] = node;
    return OB_OK;
}

static ob_status node_result(const ob_graph *graph, ob_operand *result, ob_err *err)
{
    const ob_graph_node *node = &graph->nodes[graph->node_count - 1];
    *result = ob__operand_none();
    if (node->output_count == 0)
        return OB_OK;
    if (node->output_count == 1) {
        *result = ob__operand_edge(node->outputs[0]);
        return OB_OK;
    }
    ob_operand items[OB__GRAPH_MAX_RETURNS];
    for (size_t i = 0; i < node->output_count; i++)
        items[i] = ob__operand_edge(node->outputs[i]);
    return ob__operand_init_list(result, items, node->output_count, err);
}

/* The decomposition instead of the call. */
static ob_status call_expanded(ob_graph *graph, const ob_op *op, const ob_operand *args,
                               const ob__hints *hints, ob_operand *result, ob_err *err)
{
    ob_operand results[OB__GRAPH_MAX_RETURNS];
    OB_TRY(ob__graph_expand(graph, op, args, hints, results, err));
    if (op->schema->return_count != 1)
        return ob__operand_init_list(result, results, op->schema->return_count, err);
    *result = results[0];
    return OB_OK;
}

ob_status ob__graph_call_op(ob_graph *graph, const ob_op *op, ob_operand *args,
                            const ob__hints *hints, ob_operand *result, ob_err *err)
{
    const ob__graph_owner *owner = graph->owner;
    const size_t arg_count = op->schema->arg_count, return_count = op->schema->return_count;
    ob_value metas[OB__GRAPH_MAX_RETURNS];
    ob_value *values = NULL;
    *result = ob__operand_none();
    for (size_t i = 0; i < OB__GRAPH_MAX_RETURNS; i++)
        metas[i] = ob_value_none();
    ob_status status = OB_OK;
    if (return_count > OB__GRAPH_MAX_RETURNS)
        status = ob_err_set(err, OB_ERR_LIMIT, "%s returns %zu values; the limit is %d",
                            op->schema->name, return_count, OB__GRAPH_MAX_RETURNS);
    if (status == OB_OK && owner->keep != NULL && op->row->decomposition != NULL &&
        !owner->keep(owner->keep_ctx, op)) {
        status = call_expanded(graph, op, args, hints, result, err);
        goto done;
    }
    if (status == OB_OK)
        status = ob__graph_arg_values(graph, args, arg_count, &values, err);
    if (status == OB_OK) {
        const ob_op_call call = {.op = op, .schema = op->schema, .args = values};
        status = infer(graph, &call, metas, err);
    }
    if (status == OB_OK)
        status = append_node(graph, op, args, metas, hints, err);
    if (status == OB_OK)
        status = node_result(graph, result, err);
done:
    for (size_t i = 0; i < OB__GRAPH_MAX_RETURNS; i++)
        ob_value_fini(&metas[i]);
    ob__values_free(values, arg_count);
    ob__operands_free(args, arg_count);
    return status;
}

static bool has_operator(const ob_graph *graph, const char *name)
{
    ob_op_name resolved;
    return ob_op_resolve_name(graph->table, name, &resolved, NULL) == OB_OK && resolved.known;
}

ob_status ob__graph_call(ob_graph *graph, const char *name, const ob__operand_call *call,
                         const ob__hints *hints, ob_operand *result, ob_err *err)
{
    *result = ob__operand_none();
    const ob__function_row *function = ob__function_find(name);
    if (function != NULL && !has_operator(graph, name))
        return ob__function_call(graph, function, call, hints, result, err);

    ob__tagged_call tagged;
    OB_TRY(ob__tagged_init(graph, call, &tagged, err));
    const ob_op *op = NULL;
    ob_value *bound = NULL;
    ob_status status = ob_op_resolve_call(graph->table, name, &tagged.call, &op, &bound, err);
    ob__tagged_fini(&tagged);
    if (status != OB_OK)
        return status;
    const size_t count = op->schema->arg_count;
    ob_operand *args = calloc(count ? count : 1, sizeof *args);
    size_t made = 0;
    if (args == NULL)
        status = ob_err_set(err, OB_ERR_NOMEM, "out of memory for %zu arguments", count);
    for (; status == OB_OK && made < count; made++)
        status = ob__operand_from_tagged(graph, &bound[made], &args[made], err);
    ob_op_free_bound(op, bound);
    if (status != OB_OK) {
        ob__operands_free(args, made);
        return status;
    }
    return ob__graph_call_op(graph, op, args, hints, result, err);
}

ob_status ob__graph_call1(ob_graph *graph, const char *name, const ob_operand *a,
                          ob_operand *result, ob_err *err)
{
    const ob__operand_call call = {.args = a, .arg_count = 1};
    return ob__graph_call(graph, name, &call, NULL, result, err);
}

ob_status ob__graph_call2(ob_graph *graph, const char *name, const ob_operand *a,
                          const ob_operand *b, ob_operand *result, ob_err *err)
{
    const ob_operand args[] = {*a, *b}; /* borrowed: nothing here frees them */
    const ob__operand_call call = {.args = args, .arg_count = 2};
    return ob__graph_call(graph, name, &call, NULL, result, err);
}

ob_status ob__graph_operand_edge(ob_graph *graph, const ob_operand *operand, const char *what,
                                 ob_edge_id *edge, ob_err *err)
{
    if (operand->kind == OB_OPERAND_EDGE) {
        *edge = operand->edge;
        return OB_OK;
    }
    if (operand->kind == OB_OPERAND_ITEM) {
        ob_operand alias;
        OB_TRY(ob__graph_call1(graph, "aten::alias", operand, &alias, err));
        *edge = alias.edge;
        return OB_OK;
    }
    return ob_err_set(err, OB_ERR_UNSUPPORTED, "%s is a %s; it must be a tensor", what,
                      operand->kind == OB_OPERAND_LIST ? "list of tensors" : "constant");
}

/* ---- public ---- */

/* Caller's operands may name edges that are not there. */
static ob_status check_operands(const ob_graph *graph, const ob_operand *operands, size_t count,
                                ob_err *err)
{
    for (size_t i = 0; i < count; i++) {
        const ob_operand *operand = &operands[i];
        if (operand->kind == OB_OPERAND_LIST) {
            OB_TRY(check_operands(graph, operand->items, operand->count, err));
            continue;
        }
        if (operand->kind == OB_OPERAND_VALUE)
            continue;
        if (operand->edge >= graph->edge_count)
            return ob_err_set(err, OB_ERR_INVALID, "an operand is edge %u; the graph has %zu edges",
                              operand->edge, graph->edge_count);
        const ob_operand whole = ob__operand_edge(operand->edge);
        if (operand->kind == OB_OPERAND_ITEM && operand->index >= ob__operand_count(graph, &whole))
            return ob_err_set(err, OB_ERR_INVALID, "edge '%s' has no item %zu",
                              graph->edges[operand->edge].name, operand->index);
    }
    return OB_OK;
}

ob_status ob_graph_add_call(ob_graph *graph, const char *name, const ob_operand *args,
                            size_t arg_count, const char *const *kwarg_names,
                            const ob_operand *kwargs, size_t kwarg_count, ob_edge_id *outputs,
                            size_t *output_count, ob_err *err)
{
    const ob__operand_call call = {.args = args,
                                   .arg_count = arg_count,
                                   .kwarg_names = kwarg_names,
                                   .kwargs = kwargs,
                                   .kwarg_count = kwarg_count};
    OB_TRY(check_operands(graph, args, arg_count, err));
    OB_TRY(check_operands(graph, kwargs, kwarg_count, err));
    ob_operand result;
    OB_TRY(ob__graph_call(graph, name, &call, NULL, &result, err));
    const bool several = result.kind == OB_OPERAND_LIST;
    const size_t count = several ? result.count : ob__operand_is_none(&result) ? 0 : 1;
    ob_status status = OB_OK;
    if (count > *output_count)
        status = ob_err_set(err, OB_ERR_LIMIT, "%s gives %zu outputs; there is room for %zu", name,
                            count, *output_count);
    for (size_t i = 0; status == OB_OK && i < count; i++)
        status = ob__graph_operand_edge(graph, several ? &result.items[i] : &result,
                                        "the result of the call", &outputs[i], err);
    if (status == OB_OK)
        *output_count = count;
    ob__operand_fini(&result);
    return status;
}
