/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the tensors of a graph lie: views and results of in-place operators share the group of what they
 * look at, all others have one of their own.
 */
#include "onednn_graph.h"

#include <stdlib.h>
#include <string.h>

static int64_t element_size(const dnn_program *program, ob_dtype dtype)
{
    return (int64_t)program->plan.host->dtype_get_info(dtype)->size_bytes;
}

static dnn_view view_of(const ob_tensor *tensor, uint32_t group, int64_t offset)
{
    dnn_view view = {
        .group = group, .offset = offset, .dtype = tensor->dtype, .ndim = tensor->ndim};
    memcpy(view.sizes, tensor->sizes, sizeof view.sizes);
    memcpy(view.strides, tensor->strides, sizeof view.strides);
    return view;
}

static ob_status start_pass(dnn_program *program, dnn_pass *pass, ob_err *err)
{
    const ob_graph *graph = pass->graph;
    const ob_host *host = program->plan.host;
    pass->views = calloc(graph->edge_count + 1, sizeof *pass->views);
    if (pass->views == NULL)
        return host->err_set(err, OB_ERR_NOMEM, "out of memory for the plan of the case");
    for (size_t e = 0; e < graph->edge_count; e++) {
        const size_t count = ob_kit_tensor_count(&graph->edges[e].meta);
        pass->views[e] = calloc(count + 1, sizeof *pass->views[e]);
        if (pass->views[e] == NULL)
            return host->err_set(err, OB_ERR_NOMEM, "out of memory for the plan of the case");
        for (size_t i = 0; i < count; i++)
            pass->views[e][i].group = DNN_NONE_ID;
    }
    return OB_OK;
}

/* Memory of its own for each tensor of an edge. */
static ob_status place_fresh(dnn_program *program, const ob_value *meta, dnn_view *to, ob_err *err)
{
    for (size_t i = 0; i < ob_kit_tensor_count(meta); i++) {
        const ob_tensor *tensor = ob_kit_tensor_at(meta, i);
        int64_t bytes;
        if (tensor == NULL)
            continue;
        OB_TRY(program->plan.host->shape_span_bytes(tensor->sizes, tensor->strides, tensor->ndim,
                                                    tensor->dtype, &bytes, err));
        to[i] = view_of(tensor, 0, 0);
        OB_TRY(dnn_plan_add_group(&program->plan, &to[i], (size_t)bytes, &to[i].group, err));
    }
    return OB_OK;
}

/* ---- what shares memory ---- */

bool dnn_node_is_view(const dnn_program *program, const ob_graph *graph, const ob_graph_node *node)
{
    const dnn_kernel *kernel = dnn_kernel_find(node->op);
    return kernel != NULL && ob_kit_is_view(program->plan.host, kernel->kind, graph, node);
}

static ob_status place_views(dnn_program *program, dnn_pass *pass, const ob_graph_node *node,
                             ob_err *err)
{
    const ob_graph *graph = pass->graph;
    const ob_operand *operand = ob_kit_first_tensor(graph, node);
    if (operand == NULL)
        return program->plan.host->err_set(err, OB_ERR_INVALID, "%s has no tensor to view",
                                           node->op->schema->name);
    const dnn_view *from = &pass->views[operand->edge][ob_kit_item_of(operand)];
    const ob_tensor *source =
        ob_kit_tensor_at(&graph->edges[operand->edge].meta, ob_kit_item_of(operand));
    for (size_t k = 0; k < node->output_count; k++) {
        const ob_value *meta = &graph->edges[node->outputs[k]].meta;
        for (size_t i = 0; i < ob_kit_tensor_count(meta); i++) {
            const ob_tensor *tensor = ob_kit_tensor_at(meta, i);
            if (tensor != NULL)
                pass->views[node->outputs[k]][i] =
                    view_of(tensor, from->group,
                            from->offset + (tensor->offset - source->offset) *
                                               element_size(program, tensor->dtype));
        }
    }
    return OB_OK;
}

static ob_status place_results(dnn_program *program, dnn_pass *pass, const ob_graph_node *node,
                               ob_err *err)
{
    for (size_t k = 0; k < node->output_count; k++) {
        const ob_edge_id edge = node->outputs[k];
        const int changed = ob_kit_changed_argument(node->op->schema, k);
        if (changed < 0) {
            OB_TRY(place_fresh(program, &pass->graph->edges[edge].meta, pass->views[edge], err));
            continue;
        }
        const ob_operand *operand = &node->args[changed];
        if (operand->kind == OB_OPERAND_EDGE || operand->kind == OB_OPERAND_ITEM)
            pass->views[edge][0] = pass->views[operand->edge][ob_kit_item_of(operand)];
        else
            return program->plan.host->err_set(err, OB_ERR_UNSUPPORTED,
                                               "%s changes a list of tensors; use another backend",
                                               node->op->schema->name);
    }
    /* running_mean and its like are written without being returned. */
    for (size_t i = 0; i < node->op->schema->arg_count; i++) {
        const ob_operand *operand = &node->args[i];
        if (!node->op->schema->args[i].writes ||
            (operand->kind != OB_OPERAND_EDGE && operand->kind != OB_OPERAND_ITEM))
            continue;
        const uint32_t group = pass->views[operand->edge][ob_kit_item_of(operand)].group;
        if (group != DNN_NONE_ID)
            program->plan.groups[group].written = true;
    }
    return OB_OK;
}

static ob_status place_nodes(dnn_program *program, dnn_pass *pass, ob_err *err)
{
    for (size_t n = 0; n < pass->graph->node_count; n++) {
        const ob_graph_node *node = &pass->graph->nodes[n];
        OB_TRY(dnn_node_is_view(program, pass->graph, node)
                   ? place_views(program, pass, node, err)
                   : place_results(program, pass, node, err));
    }
    return OB_OK;
}

/* ---- what comes from outside ---- */

static ob_status check_edge(const ob_host *host, const ob_graph_edge *edge, ob_err *err)
{
    for (size_t i = 0; i < ob_kit_tensor_count(&edge->meta); i++) {
        const ob_tensor *tensor = ob_kit_tensor_at(&edge->meta, i);
        if (tensor != NULL)
            OB_TRY(ob_kit_check_device(host, "onednn", "cpu", tensor, edge->name, err));
    }
    return OB_OK;
}

/* given: NULL while only `supports` asks. */
static ob_status place_given(dnn_program *program, const ob_graph_edge *edge, const ob_value *given,
                             dnn_view *to, ob_err *err)
{
    dnn_plan *plan = &program->plan;
    if (edge->meta.kind != OB_VALUE_TENSOR)
        return OB_OK;
    const ob_tensor *tensor = edge->meta.as.tensor;
    int64_t bytes = 0;
    if (given != NULL) {
        OB_TRY(ob_kit_check_input(plan->host, edge, given, err));
        tensor = given->as.tensor;
        bytes = (int64_t)plan->host->storage_size(tensor->storage);
    }
    *to = view_of(tensor, 0, tensor->offset * element_size(program, tensor->dtype));
    OB_TRY(dnn_plan_add_group(plan, to, (size_t)bytes, &to->group, err));
    dnn_group *group = &plan->groups[to->group];
    group->origin = DNN_LIST_SETUP;
    group->plain_valid = true;
    group->parameter = edge->role != OB_EDGE_INPUT;
    dnn_buffer *buffer = &plan->buffers[group->plain];
    buffer->kept = true;
    if (given != NULL)
        buffer->storage = plan->host->storage_retain(tensor->storage);
    return OB_OK;
}

ob_status dnn_storage_forward(dnn_program *program, const ob_prepare_args *args, ob_err *err)
{
    dnn_pass *pass = &program->passes[OB_PASS_FORWARD];
    const ob_graph *graph = pass->graph;
    const ob_host *host = program->plan.host;
    const bool dry = args->inputs == NULL && args->parameters == NULL;
    size_t inputs = 0, parameters = 0;
    OB_TRY(start_pass(program, pass, err));
    for (size_t e = 0; e < graph->edge_count; e++) {
        const ob_graph_edge *edge = &graph->edges[e];
        OB_TRY(check_edge(host, edge, err));
        if (edge->producer != UINT32_MAX)
            continue;
        const bool input = edge->role == OB_EDGE_INPUT;
        const size_t at = input ? inputs++ : parameters++;
        const ob_value *given = NULL;
        if (!dry) {
            if (at >= (input ? args->input_count : args->parameter_count))
                return host->err_set(err, OB_ERR_INVALID,
                                     "the graph has more inputs or parameters than were given");
            given = input ? &args->inputs[at] : &args->parameters[at];
        }
        OB_TRY(place_given(program, edge, given, pass->views[e], err));
    }
    return place_nodes(program, pass, err);
}

ob_status dnn_storage_backward(dnn_program *program, const ob_edge_id *map, ob_err *err)
{
    const dnn_pass *forward = &program->passes[OB_PASS_FORWARD];
    dnn_pass *pass = &program->passes[OB_PASS_BACKWARD];
    const ob_graph *graph = pass->graph;
    OB_TRY(start_pass(program, pass, err));
    for (size_t e = 0; e < graph->edge_count; e++) {
        const ob_graph_edge *edge = &graph->edges[e];
        const size_t count = ob_kit_tensor_count(&edge->meta);
        OB_TRY(check_edge(program->plan.host, edge, err));
        if (edge->role == OB_EDGE_SAVED)
            memcpy(pass->views[e], forward->views[map[edge->forward_edge]],
                   count * sizeof **pass->views);
        if (edge->role != OB_EDGE_GRAD_OUTPUT)
            continue;
        OB_TRY(place_fresh(program, &edge->meta, pass->views[e], err));
        for (size_t i = 0; i < count; i++) {
            if (!dnn_view_is(&pass->views[e][i]))
                continue;
            dnn_group *group = &program->plan.groups[pass->views[e][i].group];
            group->origin = DNN_LIST_MAKE_GRAD;
            program->plan.buffers[group->plain].kept = true;
        }
    }
    return place_nodes(program, pass, err);
}
