/* SPDX-License-Identifier: Apache-2.0
 *
 * Preparing a case: graphs are resolved, places planned, memory allocated, tensors made and kernels set up,
 * in that order. Nothing here is timed.
 */
#include "kit/tensor_memory.h"

#include "kit/case_steps.h"

#include <stdlib.h>

ob_status ob_kit_allocate(ob_prepared *prepared, size_t size, ob_storage **out, ob_err *err)
{
    ob_kit_engine *engine = prepared->engine;
    if (engine->device->allocate != NULL)
        OB_TRY(engine->device->allocate(engine->env, size, out, err));
    else
        OB_TRY(engine->host->storage_create(size, out, err));
    prepared->bytes += size;
    engine->used_bytes += size;
    if (engine->peak_bytes < engine->used_bytes)
        engine->peak_bytes = engine->used_bytes;
    return OB_OK;
}

/* ---- graphs ---- */

static ob_status resolve(void *ctx, const ob_graph *graph, ob_graph **own, ob_err *err)
{
    return ob_kit_resolve(ctx, graph, own, err);
}

static ob_status resolve_backward(ob_prepared *prepared, const ob_prepare_args *args, ob_err *err)
{
    ob_kit_pass *backward = &prepared->passes[OB_PASS_BACKWARD];
    OB_TRY(ob_kit_resolve(prepared->engine, args->backward->graph, &backward->own, err));
    backward->graph = backward->own != NULL ? backward->own : args->backward->graph;
    return OB_OK;
}

/* ---- what comes from outside ---- */

static ob_status put_inputs(ob_prepared *prepared, const ob_prepare_args *args,
                            ob_kit_locations *places, ob_err *err)
{
    const ob_graph *graph = prepared->passes[OB_PASS_FORWARD].graph;
    const ob_host *host = prepared->engine->host;
    size_t inputs = 0, parameters = 0;
    for (size_t i = 0; i < graph->edge_count; i++) {
        const ob_graph_edge *edge = &graph->edges[i];
        if (edge->producer != UINT32_MAX)
            continue;
        const bool input = edge->role == OB_EDGE_INPUT;
        const size_t at = input ? inputs++ : parameters++;
        if (at >= (input ? args->input_count : args->parameter_count))
            continue;
        const ob_value *given = input ? &args->inputs[at] : &args->parameters[at];
        OB_TRY(ob_kit_check_input(host, edge, given, err));
        if (edge->meta.kind == OB_VALUE_TENSOR)
            OB_TRY(
                ob_kit_locations_put_external(places, OB_PASS_FORWARD, (ob_edge_id)i, given, err));
    }
    if (inputs != args->input_count || parameters != args->parameter_count)
        return host->err_set(
            err, OB_ERR_INVALID,
            "the graph has %zu inputs and %zu parameters, but %zu and %zu were given", inputs,
            parameters, args->input_count, args->parameter_count);
    return OB_OK;
}

static ob_status put_backward_inputs(ob_prepared *prepared, ob_kit_locations *places,
                                     const ob_edge_id *map, ob_err *err)
{
    const ob_graph *graph = prepared->passes[OB_PASS_BACKWARD].graph;
    for (size_t i = 0; i < graph->edge_count; i++) {
        const ob_graph_edge *edge = &graph->edges[i];
        if (edge->role == OB_EDGE_SAVED)
            ob_kit_locations_put_saved(places, (ob_edge_id)i, &edge->meta, map[edge->forward_edge]);
        else if (edge->role == OB_EDGE_GRAD_OUTPUT)
            OB_TRY(ob_kit_locations_put_kept(places, OB_PASS_BACKWARD, (ob_edge_id)i, &edge->meta,
                                             err));
    }
    return OB_OK;
}

/* ---- memory ---- */

/* The device's copy of an input's storage: of the one that an earlier input with the same storage has. */
static ob_status bring(ob_prepared *prepared, const ob_kit_locations *places, ob_kit_block *block,
                       ob_err *err)
{
    const ob_kit_engine *engine = prepared->engine;
    ob_storage *copy = NULL;
    for (const ob_kit_block *other = places->blocks; other < block && copy == NULL; other++) {
        if (other->kind == OB_KIT_BLOCK_EXTERNAL && other->source == block->source)
            copy = engine->host->storage_retain(other->storage);
    }
    const bool is_new = copy == NULL;
    if (is_new) {
        OB_TRY(ob_kit_allocate(prepared, block->size, &copy, err));
        const ob_status status =
            engine->device->upload(engine->env, copy, block->source, block->size, err);
        if (status != OB_OK) {
            engine->host->storage_release(copy);
            return status;
        }
    }
    /* The block's own reference to the input goes on as that of the upload. */
    if (is_new)
        prepared->uploads[prepared->upload_count++] = (ob_kit_upload){
            .from = block->storage, .to = engine->host->storage_retain(copy), .size = block->size};
    else
        engine->host->storage_release(block->storage);
    block->storage = copy;
    return OB_OK;
}

static ob_status allocate(ob_prepared *prepared, ob_kit_locations *places, ob_err *err)
{
    const ob_host *host = prepared->engine->host;
    OB_TRY(ob_kit_allocate(prepared, places->arena_bytes, &prepared->arena, err));
    prepared->uploads = calloc(places->block_count + 1, sizeof *prepared->uploads);
    if (prepared->uploads == NULL)
        return host->err_set(err, OB_ERR_NOMEM, "out of memory");
    for (size_t b = 0; b < places->block_count; b++) {
        ob_kit_block *block = &places->blocks[b];
        if (block->kind == OB_KIT_BLOCK_KEPT)
            OB_TRY(ob_kit_allocate(prepared, block->size, &block->storage, err));
        else if (block->kind == OB_KIT_BLOCK_TEMPORARY)
            block->storage = host->storage_retain(prepared->arena);
        else if (prepared->engine->device->upload != NULL)
            OB_TRY(bring(prepared, places, block, err));
    }
    return OB_OK;
}

static ob_status plan(ob_prepared *prepared, const ob_prepare_args *args, ob_kit_locations *places,
                      ob_edge_id *map, ob_err *err)
{
    const bool both = args->backward != NULL && args->pass == OB_PASS_BACKWARD;
    const ob_kit_pass *passes = prepared->passes;
    ob_kit_pass *forward = &prepared->passes[OB_PASS_FORWARD];
    OB_TRY(ob_kit_resolve_forward(prepared->engine->host, args, resolve, prepared->engine,
                                  &forward->graph, &forward->own, map, err));
    if (passes[0].graph == NULL)
        return prepared->engine->host->err_set(err, OB_ERR_STATE, "there is no graph to run");
    OB_TRY(ob_kit_locations_start(places, OB_PASS_FORWARD, passes[0].graph, err));
    OB_TRY(put_inputs(prepared, args, places, err));
    OB_TRY(ob_kit_locations_walk(places, OB_PASS_FORWARD, passes[0].graph, err));
    if (both) {
        OB_TRY(resolve_backward(prepared, args, err));
        OB_TRY(ob_kit_locations_start(places, OB_PASS_BACKWARD, passes[1].graph, err));
        OB_TRY(put_backward_inputs(prepared, places, map, err));
        OB_TRY(ob_kit_locations_walk(places, OB_PASS_BACKWARD, passes[1].graph, err));
    }
    OB_TRY(ob_kit_locations_pack(places, OB_PASS_FORWARD, passes[0].graph->node_count, err));
    if (both)
        OB_TRY(ob_kit_locations_pack(places, OB_PASS_BACKWARD, passes[1].graph->node_count, err));
    OB_TRY(allocate(prepared, places, err));
    OB_TRY(ob_kit_steps_make(prepared, OB_PASS_FORWARD, places, err));
    if (both)
        OB_TRY(ob_kit_steps_make(prepared, OB_PASS_BACKWARD, places, err));
    return ob_kit_steps_finish(prepared, args, places, err);
}

ob_status ob_kit_prepare(ob_kit_engine *engine, const ob_prepare_args *args, ob_prepared **out,
                         ob_err *err)
{
    const ob_host *host = engine->host;
    *out = NULL;
    ob_prepared *prepared = calloc(1, sizeof *prepared);
    ob_edge_id *map = calloc(args->graph->edge_count + 1, sizeof *map);
    if (prepared == NULL || map == NULL) {
        free(prepared);
        free(map);
        return host->err_set(err, OB_ERR_NOMEM, "out of memory");
    }
    prepared->engine = engine;
    prepared->pass = args->pass;
    ob_kit_locations places = {.engine = engine};
    const ob_status status = plan(prepared, args, &places, map, err);
    ob_kit_locations_fini(&places);
    free(map);
    if (status != OB_OK) {
        ob_kit_release(prepared);
        return status;
    }
    *out = prepared;
    return OB_OK;
}

static void release_pass(const ob_kit_engine *engine, ob_kit_pass *pass)
{
    const ob_host *host = engine->host;
    for (size_t i = 0; i < pass->step_count; i++) {
        ob_kit_step *step = &pass->steps[i];
        if (step->call.state != NULL && engine->device->clear_state != NULL)
            engine->device->clear_state(&step->call);
        free(step->call.state);
        ob_kit_values_free(host, step->args, step->arg_count);
        ob_kit_values_free(host, step->call.outputs, step->call.op->schema->return_count);
    }
    free(pass->steps);
    if (pass->graph != NULL)
        ob_kit_values_free(host, pass->values, pass->graph->edge_count);
    host->graph_destroy(pass->own);
}

void ob_kit_release(ob_prepared *prepared)
{
    if (prepared == NULL)
        return;
    const ob_host *host = prepared->engine->host;
    prepared->engine->used_bytes -= prepared->bytes;
    for (int p = 0; p < 2; p++)
        release_pass(prepared->engine, &prepared->passes[p]);
    ob_kit_values_free(host, prepared->outputs, prepared->output_count);
    ob_kit_values_free(host, prepared->grads, prepared->grad_count);
    for (size_t i = 0; i < prepared->grad_output_count; i++)
        host->tensor_fini(&prepared->grad_outputs[i]);
    free(prepared->grad_outputs);
    for (size_t i = 0; i < prepared->saved_count; i++) {
        host->tensor_fini(&prepared->saved[i].live);
        host->tensor_fini(&prepared->saved[i].copy);
    }
    free(prepared->saved);
    for (size_t i = 0; i < prepared->upload_count; i++) {
        host->storage_release(prepared->uploads[i].from);
        host->storage_release(prepared->uploads[i].to);
    }
    free(prepared->uploads);
    host->storage_release(prepared->arena);
    host->storage_release(prepared->scratch);
    free(prepared);
}

ob_kit_env *ob_kit_env_of(const ob_prepared *prepared)
{
    return prepared->engine->env;
}
