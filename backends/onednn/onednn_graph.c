/* SPDX-License-Identifier: Apache-2.0
 *
 * Planning whole graphs: what has no kernel is decomposed, then each call is planned, then results are brought
 * to where they can be looked at.
 */
#include "onednn_graph.h"

#include "emit_bytes.h"

#include <stdlib.h>
#include <string.h>

/* ---- graphs ---- */

static bool keep(void *ctx, const ob_op *op)
{
    (void)ctx;
    return dnn_kernel_find(op) != NULL || op->row->decomposition == NULL;
}

static ob_status resolve(void *ctx, const ob_graph *graph, ob_graph **own, ob_err *err)
{
    const dnn_program *program = ctx;
    bool all = true;
    *own = NULL;
    for (size_t i = 0; i < graph->node_count; i++)
        all = all && keep(NULL, graph->nodes[i].op);
    return all ? OB_OK : program->plan.host->graph_decompose(graph, keep, NULL, own, err);
}

/* ---- calls ---- */

static bool has_empty_argument(const dnn_call *call)
{
    for (size_t i = 0; i < call->node->op->schema->arg_count; i++) {
        const dnn_view in = dnn_arg_view(call, call->node->op->schema->args[i].name);
        if (dnn_view_is(&in) && dnn_view_numel(&in) == 0)
            return true;
    }
    return false;
}

/* Whether the backend computes with the dtype of the first tensor, and may so say what nothing gives. */
static bool computes(const dnn_call *call)
{
    const ob_schema *schema = call->node->op->schema;
    dnn_view first = {.group = DNN_NONE_ID};
    for (size_t i = 0; !dnn_view_is(&first) && i < schema->arg_count; i++)
        first = dnn_arg_view(call, schema->args[i].name);
    return dnn_view_is(&first) && dnn_lib_computes(call->plan->lib, first.dtype);
}

/* Whether there is nothing to compute; then the results are there already. */
static bool gives_nothing(const dnn_call *call)
{
    const size_t count = computes(call) ? call->node->output_count : 0;
    for (size_t k = 0; k < count; k++) {
        const dnn_view out = dnn_output(call, k);
        if (dnn_view_is(&out) && dnn_view_numel(&out) > 0)
            return false;
    }
    for (size_t k = 0; k < count; k++) {
        const dnn_view out = dnn_output(call, k);
        if (dnn_view_is(&out))
            call->plan->groups[out.group].plain_valid = true;
    }
    return count > 0;
}

static ob_status plan_one_call(dnn_call *call, ob_err *err)
{
    const dnn_view out = dnn_output(call, 0);
    if (gives_nothing(call))
        return OB_OK;
    /* Further results may be empty: batch_norm has no statistics to keep when it only applies some. */
    if (dnn_view_is(&out) && dnn_view_numel(&out) == 0)
        return dnn_refuse(call, err, "the result is empty");
    if (!has_empty_argument(call))
        return call->kernel->plan(call, err);
    return call->kernel->sums && computes(call) ? dnn_emit_fill(call->plan, &out, 0, err)
                                                : dnn_refuse(call, err, "an argument is empty");
}

static ob_status plan_nodes(dnn_program *program, dnn_pass *pass, ob_err *err)
{
    dnn_plan *plan = &program->plan;
    char name[192];
    for (size_t n = 0; n < pass->graph->node_count; n++) {
        const ob_graph_node *node = &pass->graph->nodes[n];
        const dnn_kernel *kernel = dnn_kernel_find(node->op);
        dnn_call call = {.plan = plan,
                         .host = plan->host,
                         .kernel = kernel,
                         .graph = pass->graph,
                         .node = node,
                         .views = (const dnn_view *const *)pass->views};
        if (kernel == NULL)
            return plan->host->err_set(err, OB_ERR_UNSUPPORTED,
                                       "oneDNN has nothing for %s; see docs/onednn.md for what the "
                                       "backend supports, or use another one",
                                       ob_kit_op_name(node->op, name, sizeof name));
        if (dnn_node_is_view(program, pass->graph, node))
            continue;
        plan->op = node->op;
        OB_TRY(plan_one_call(&call, err));
    }
    plan->op = NULL;
    return OB_OK;
}

/* Results in their plain form, in memory that stays. */
static ob_status keep_results(dnn_program *program, const dnn_pass *pass, size_t count,
                              dnn_list list, ob_err *err)
{
    dnn_plan *plan = &program->plan;
    plan->list = list;
    for (size_t i = 0; i < count; i++) {
        const ob_edge_id edge = pass->graph->outputs[i];
        for (size_t t = 0; t < ob_kit_tensor_count(&pass->graph->edges[edge].meta); t++) {
            const dnn_view *view = &pass->views[edge][t];
            if (!dnn_view_is(view) || dnn_view_numel(view) == 0)
                continue;
            OB_TRY(dnn_plan_want_plain(plan, view, err));
            plan->buffers[plan->groups[view->group].plain].kept = true;
        }
    }
    return OB_OK;
}

/* ---- gradients ---- */

static ob_status plan_make_grad(dnn_program *program, ob_err *err)
{
    const dnn_pass *pass = &program->passes[OB_PASS_BACKWARD];
    program->plan.list = DNN_LIST_MAKE_GRAD;
    for (size_t e = 0; e < pass->graph->edge_count; e++) {
        if (pass->graph->edges[e].role != OB_EDGE_GRAD_OUTPUT)
            continue;
        for (size_t t = 0; t < ob_kit_tensor_count(&pass->graph->edges[e].meta); t++) {
            if (dnn_view_is(&pass->views[e][t]))
                OB_TRY(dnn_emit_fill(&program->plan, &pass->views[e][t], 1, err));
        }
    }
    return OB_OK;
}

static ob_status plan_backward(dnn_program *program, const ob_prepare_args *args,
                               const ob_edge_id *map, ob_err *err)
{
    dnn_pass *pass = &program->passes[OB_PASS_BACKWARD];
    dnn_plan *plan = &program->plan;
    OB_TRY(resolve(program, args->backward->graph, &pass->own, err));
    pass->graph = pass->own != NULL ? pass->own : args->backward->graph;
    OB_TRY(dnn_storage_backward(program, map, err));
    OB_TRY(plan_make_grad(program, err));
    plan->list = DNN_LIST_BACKWARD;
    OB_TRY(plan_nodes(program, pass, err));
    program->grad_count = pass->graph->output_count;
    return keep_results(program, pass, program->grad_count,
                        plan->reorders_outside ? DNN_LIST_BACKWARD_END : DNN_LIST_BACKWARD, err);
}

static ob_status plan_all(dnn_program *program, const ob_prepare_args *args, ob_edge_id *map,
                          ob_err *err)
{
    dnn_plan *plan = &program->plan;
    dnn_pass *forward = &program->passes[OB_PASS_FORWARD];
    const bool both =
        args->backward != NULL && args->backward->graph != NULL && args->pass == OB_PASS_BACKWARD;
    plan->training = both;
    OB_TRY(ob_kit_resolve_forward(plan->host, args, resolve, program, &forward->graph,
                                  &forward->own, map, err));
    OB_TRY(dnn_storage_forward(program, args, err));
    plan->list = DNN_LIST_FORWARD;
    OB_TRY(plan_nodes(program, forward, err));
    OB_TRY(keep_results(program, forward, args->graph->output_count,
                        plan->reorders_outside ? DNN_LIST_FORWARD_END : DNN_LIST_FORWARD, err));
    return both ? plan_backward(program, args, map, err) : OB_OK;
}

ob_status dnn_program_make(dnn_program *program, const ob_prepare_args *args, ob_err *err)
{
    ob_edge_id *map = calloc(args->graph->edge_count + 1, sizeof *map);
    if (map == NULL)
        return program->plan.host->err_set(err, OB_ERR_NOMEM, "out of memory");
    const ob_status status = plan_all(program, args, map, err);
    free(map);
    return status;
}

void dnn_program_fini(dnn_program *program)
{
    for (int p = 0; p < 2; p++) {
        dnn_pass *pass = &program->passes[p];
        for (size_t e = 0; pass->views != NULL && e < pass->graph->edge_count; e++)
            free(pass->views[e]);
        free(pass->views);
        program->plan.host->graph_destroy(pass->own);
    }
    dnn_plan_fini(&program->plan);
}
