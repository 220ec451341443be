/* SPDX-License-Identifier: Apache-2.0
 *
 * Making the tensors and calls of a prepared case; see steps.h.
 */
#include "kit/case_steps.h"

#include <stdlib.h>

static ob_status out_of_memory(const ob_prepared *prepared, ob_err *err)
{
    return prepared->engine->host->err_set(err, OB_ERR_NOMEM,
                                           "out of memory for the steps of the case");
}

/* ---- values ---- */

static ob_status make_tensor(const ob_kit_locations *places, const ob_kit_location *place,
                             const ob_tensor *meta, ob_value *out, ob_err *err)
{
    const ob_host *host = places->engine->host;
    const int64_t size = (int64_t)host->dtype_get_info(meta->dtype)->size_bytes;
    const ob_kit_block *block = &places->blocks[place->block];
    const int64_t start = block->kind == OB_KIT_BLOCK_TEMPORARY ? (int64_t)block->offset : 0;
    ob_tensor tensor;
    OB_TRY(host->tensor_init_view(&tensor, block->storage, meta->dtype, meta->sizes, meta->ndim,
                                  meta->strides, (start + place->offset) / size, err));
    const ob_status status = host->value_init_tensor(out, &tensor, err);
    host->tensor_fini(&tensor);
    return status;
}

static ob_status make_value(const ob_kit_locations *places, ob_pass pass, ob_edge_id edge,
                            const ob_value *meta, ob_value *out, ob_err *err)
{
    const ob_host *host = places->engine->host;
    const ob_kit_location *place = &places->places[pass][places->first[pass][edge]];
    if (meta->kind == OB_VALUE_TENSOR)
        return place->block != OB_KIT_NO_BLOCK
                   ? make_tensor(places, place, meta->as.tensor, out, err)
                   : OB_OK;
    OB_TRY(host->value_copy(out, meta, err));
    if (!ob_value_is_list(meta))
        return OB_OK;
    for (size_t i = 0; i < meta->as.list.count; i++) {
        ob_value *item = &out->as.list.items[i];
        if (item->kind != OB_VALUE_TENSOR || place[i].block == OB_KIT_NO_BLOCK)
            continue;
        host->value_fini(item);
        OB_TRY(make_tensor(places, &place[i], meta->as.list.items[i].as.tensor, item, err));
    }
    return OB_OK;
}

/* ---- calls ---- */

static ob_status make_step(ob_prepared *prepared, ob_kit_pass *pass, const ob_graph_node *node,
                           uint64_t number, ob_err *err)
{
    ob_kit_engine *engine = prepared->engine;
    const ob_host *host = engine->host;
    const ob_schema *schema = node->op->schema;
    ob_kit_step *step = &pass->steps[pass->step_count];
    *step = (ob_kit_step){.call = {.host = host,
                                   .device = engine->device,
                                   .env = engine->env,
                                   .kernel = ob_kit_kernel_find(engine, node->op),
                                   .op = node->op,
                                   .number = number},
                          .args = calloc(schema->arg_count + 1, sizeof *step->args),
                          .arg_count = schema->arg_count};
    step->call.outputs = calloc(schema->return_count + 1, sizeof *step->call.outputs);
    step->call.args = step->args;
    if (step->args == NULL || step->call.outputs == NULL) {
        free(step->args);
        free(step->call.outputs);
        return out_of_memory(prepared, err);
    }
    pass->step_count++;
    for (size_t i = 0; i < schema->arg_count; i++)
        OB_TRY(ob_kit_operand_value(host, pass->graph, pass->values, &node->args[i], &step->args[i],
                                    err));
    for (size_t k = 0; k < node->output_count; k++)
        OB_TRY(host->value_copy(&step->call.outputs[k], &pass->values[node->outputs[k]], err));
    const ob_kit_kernel *kernel = step->call.kernel;
    step->run = kernel != NULL ? kernel->run : ob_kit_run_function;
    return kernel != NULL && kernel->setup != NULL ? kernel->setup(&step->call, err) : OB_OK;
}

ob_status ob_kit_steps_make(ob_prepared *prepared, ob_pass pass, const ob_kit_locations *places,
                            ob_err *err)
{
    ob_kit_pass *to = &prepared->passes[pass];
    const ob_graph *graph = to->graph;
    /* Forward and backward draw from different streams. */
    const uint64_t base = pass == OB_PASS_BACKWARD ? UINT64_C(1) << 32 : 0;
    to->values = calloc(graph->edge_count + 1, sizeof *to->values);
    to->steps = calloc(graph->node_count + 1, sizeof *to->steps);
    if (to->values == NULL || to->steps == NULL)
        return out_of_memory(prepared, err);
    for (size_t i = 0; i < graph->edge_count; i++)
        OB_TRY(make_value(places, pass, (ob_edge_id)i, &graph->edges[i].meta, &to->values[i], err));
    for (size_t n = 0; n < graph->node_count; n++) {
        if (!ob_kit_node_is_view(prepared->engine, graph, &graph->nodes[n]))
            OB_TRY(make_step(prepared, to, &graph->nodes[n], base + n, err));
    }
    return OB_OK;
}

/* ---- the rest ---- */

static ob_status copy_edges(ob_prepared *prepared, const ob_kit_pass *pass, size_t count,
                            ob_value **values, size_t *made, ob_err *err)
{
    *values = calloc(count + 1, sizeof **values);
    if (*values == NULL)
        return out_of_memory(prepared, err);
    for (size_t i = 0; i < count; i++) {
        OB_TRY(prepared->engine->host->value_copy(&(*values)[i],
                                                  &pass->values[pass->graph->outputs[i]], err));
        ++*made;
    }
    return OB_OK;
}

static ob_status collect_grad_outputs(ob_prepared *prepared, ob_err *err)
{
    const ob_host *host = prepared->engine->host;
    const ob_kit_pass *pass = &prepared->passes[OB_PASS_BACKWARD];
    size_t count = 0;
    for (size_t i = 0; i < pass->graph->edge_count; i++) {
        const ob_value *value = &pass->values[i];
        count += value->kind == OB_VALUE_LIST ? value->as.list.count : 1;
    }
    prepared->grad_outputs = calloc(count + 1, sizeof *prepared->grad_outputs);
    if (prepared->grad_outputs == NULL)
        return out_of_memory(prepared, err);
    for (size_t i = 0; i < pass->graph->edge_count; i++) {
        const ob_value *value = &pass->values[i];
        const bool list = value->kind == OB_VALUE_LIST;
        if (pass->graph->edges[i].role != OB_EDGE_GRAD_OUTPUT)
            continue;
        for (size_t k = 0; k < (list ? value->as.list.count : 1); k++) {
            const ob_value *item = list ? &value->as.list.items[k] : value;
            if (item->kind != OB_VALUE_TENSOR)
                continue;
            OB_TRY(host->tensor_copy(&prepared->grad_outputs[prepared->grad_output_count],
                                     item->as.tensor, err));
            prepared->grad_output_count++;
        }
    }
    return OB_OK;
}

/* Copies of the inputs whose memory an operator writes to. */
static ob_status save_inputs(ob_prepared *prepared, const ob_kit_locations *places, ob_err *err)
{
    const ob_host *host = prepared->engine->host;
    const ob_kit_pass *pass = &prepared->passes[OB_PASS_FORWARD];
    prepared->saved = calloc(pass->graph->edge_count + 1, sizeof *prepared->saved);
    if (prepared->saved == NULL)
        return out_of_memory(prepared, err);
    for (size_t i = 0; i < pass->graph->edge_count; i++) {
        const ob_value *value = &pass->values[i];
        if (pass->graph->edges[i].producer != UINT32_MAX || value->kind != OB_VALUE_TENSOR)
            continue;
        const uint32_t block =
            places->places[OB_PASS_FORWARD][places->first[OB_PASS_FORWARD][i]].block;
        if (block == OB_KIT_NO_BLOCK || !places->blocks[block].written)
            continue;
        ob_kit_saved_input *saved = &prepared->saved[prepared->saved_count];
        ob_storage *storage = NULL;
        int64_t bytes;
        const ob_tensor *live = value->as.tensor;
        OB_TRY(host->shape_span_bytes(live->sizes, live->strides, live->ndim, live->dtype, &bytes,
                                      err));
        OB_TRY(ob_kit_allocate(prepared, (size_t)bytes, &storage, err));
        ob_status status = host->tensor_init_view(&saved->copy, storage, live->dtype, live->sizes,
                                                  live->ndim, live->strides, 0, err);
        host->storage_release(storage);
        OB_TRY(status);
        status = host->tensor_copy(&saved->live, live, err);
        if (status != OB_OK) {
            host->tensor_fini(&saved->copy);
            return status;
        }
        prepared->saved_count++;
        OB_TRY(
            prepared->engine->device->copy(prepared->engine->env, &saved->copy, &saved->live, err));
    }
    return OB_OK;
}

static ob_status give_scratch(ob_prepared *prepared, ob_err *err)
{
    const ob_host *host = prepared->engine->host;
    size_t most = 0;
    for (int p = 0; p < 2; p++) {
        for (size_t i = 0; i < prepared->passes[p].step_count; i++) {
            const size_t bytes = prepared->passes[p].steps[i].call.scratch_bytes;
            most = bytes > most ? bytes : most;
        }
    }
    if (most == 0)
        return OB_OK;
    OB_TRY(ob_kit_allocate(prepared, most, &prepared->scratch, err));
    for (int p = 0; p < 2; p++) {
        for (size_t i = 0; i < prepared->passes[p].step_count; i++)
            prepared->passes[p].steps[i].call.scratch = host->storage_data(prepared->scratch);
    }
    return OB_OK;
}

ob_status ob_kit_steps_finish(ob_prepared *prepared, const ob_prepare_args *args,
                              const ob_kit_locations *places, ob_err *err)
{
    OB_TRY(give_scratch(prepared, err));
    OB_TRY(copy_edges(prepared, &prepared->passes[OB_PASS_FORWARD], args->graph->output_count,
                      &prepared->outputs, &prepared->output_count, err));
    OB_TRY(save_inputs(prepared, places, err));
    const ob_kit_pass *backward = &prepared->passes[OB_PASS_BACKWARD];
    if (backward->graph == NULL)
        return OB_OK;
    OB_TRY(copy_edges(prepared, backward, backward->graph->output_count, &prepared->grads,
                      &prepared->grad_count, err));
    return collect_grad_outputs(prepared, err);
}
