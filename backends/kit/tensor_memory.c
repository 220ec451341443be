/* SPDX-License-Identifier: Apache-2.0
 *
 * Places of tensors: which share memory, and how long each piece is needed; see places.h.
 */
#include "kit/tensor_memory.h"

#include "opbench/vec.h"

#include <stdlib.h>
#include <string.h>

static ob_status out_of_memory(const ob_kit_locations *places, ob_err *err)
{
    return places->engine->host->err_set(err, OB_ERR_NOMEM,
                                         "out of memory for the plan of the case");
}

ob_status ob_kit_locations_start(ob_kit_locations *places, ob_pass pass, const ob_graph *graph,
                                 ob_err *err)
{
    size_t count = 0;
    places->first[pass] = calloc(graph->edge_count + 1, sizeof *places->first[pass]);
    if (places->first[pass] == NULL)
        return out_of_memory(places, err);
    for (size_t i = 0; i < graph->edge_count; i++) {
        places->first[pass][i] = (uint32_t)count;
        count += ob_kit_tensor_count(&graph->edges[i].meta);
        if (count >= OB_KIT_NO_BLOCK)
            return places->engine->host->err_set(err, OB_ERR_LIMIT,
                                                 "the graph has too many tensors");
    }
    places->places[pass] = calloc(count + 1, sizeof *places->places[pass]);
    if (places->places[pass] == NULL)
        return out_of_memory(places, err);
    for (size_t i = 0; i < count; i++)
        places->places[pass][i].block = OB_KIT_NO_BLOCK;
    return OB_OK;
}

void ob_kit_locations_fini(ob_kit_locations *places)
{
    for (size_t i = 0; i < places->block_count; i++)
        places->engine->host->storage_release(places->blocks[i].storage);
    free(places->blocks);
    for (int pass = 0; pass < 2; pass++) {
        free(places->first[pass]);
        free(places->places[pass]);
    }
}

static ob_status add_block(ob_kit_locations *places, const ob_kit_block *block, uint32_t *id,
                           ob_err *err)
{
    if (!OB_RESERVE(places->blocks, places->block_capacity, places->block_count + 1))
        return out_of_memory(places, err);
    *id = (uint32_t)places->block_count;
    places->blocks[places->block_count++] = *block;
    return OB_OK;
}

static int64_t element_size(const ob_kit_locations *places, const ob_tensor *tensor)
{
    return (int64_t)places->engine->host->dtype_get_info(tensor->dtype)->size_bytes;
}

/* A block for each tensor of an edge, as large as its elements span. */
static ob_status put_fresh(ob_kit_locations *places, ob_pass pass, ob_edge_id edge,
                           const ob_value *meta, const ob_kit_block *like, ob_err *err)
{
    const ob_host *host = places->engine->host;
    ob_kit_location *to = &places->places[pass][places->first[pass][edge]];
    for (size_t i = 0; i < ob_kit_tensor_count(meta); i++) {
        const ob_tensor *tensor = ob_kit_tensor_at(meta, i);
        ob_kit_block block = *like;
        int64_t bytes;
        if (tensor == NULL)
            continue;
        OB_TRY(host->shape_span_bytes(tensor->sizes, tensor->strides, tensor->ndim, tensor->dtype,
                                      &bytes, err));
        block.size = (size_t)bytes;
        OB_TRY(add_block(places, &block, &to[i].block, err));
    }
    return OB_OK;
}

ob_status ob_kit_locations_put_external(ob_kit_locations *places, ob_pass pass, ob_edge_id edge,
                                        const ob_value *value, ob_err *err)
{
    const ob_host *host = places->engine->host;
    ob_kit_location *to = &places->places[pass][places->first[pass][edge]];
    for (size_t i = 0; i < ob_kit_tensor_count(value); i++) {
        const ob_tensor *tensor = ob_kit_tensor_at(value, i);
        if (tensor == NULL)
            continue;
        const ob_kit_block block = {.kind = OB_KIT_BLOCK_EXTERNAL,
                                    .pass = pass,
                                    .size = host->storage_size(tensor->storage),
                                    .storage = host->storage_retain(tensor->storage),
                                    .source = tensor->storage};
        const ob_status status = add_block(places, &block, &to[i].block, err);
        if (status != OB_OK) {
            host->storage_release(block.storage);
            return status;
        }
        to[i].offset = tensor->offset * element_size(places, tensor);
    }
    return OB_OK;
}

ob_status ob_kit_locations_put_kept(ob_kit_locations *places, ob_pass pass, ob_edge_id edge,
                                    const ob_value *meta, ob_err *err)
{
    const ob_kit_block like = {.kind = OB_KIT_BLOCK_KEPT, .pass = pass};
    return put_fresh(places, pass, edge, meta, &like, err);
}

static void keep_block(ob_kit_locations *places, uint32_t block)
{
    if (block != OB_KIT_NO_BLOCK && places->blocks[block].kind == OB_KIT_BLOCK_TEMPORARY)
        places->blocks[block].kind = OB_KIT_BLOCK_KEPT;
}

void ob_kit_locations_put_saved(ob_kit_locations *places, ob_edge_id edge, const ob_value *meta,
                                ob_edge_id forward_edge)
{
    ob_kit_location *to = &places->places[OB_PASS_BACKWARD][places->first[OB_PASS_BACKWARD][edge]];
    const ob_kit_location *from =
        &places->places[OB_PASS_FORWARD][places->first[OB_PASS_FORWARD][forward_edge]];
    for (size_t i = 0; i < ob_kit_tensor_count(meta); i++) {
        to[i] = from[i];
        keep_block(places, from[i].block);
    }
}

/* ---- what shares memory ---- */

/* An operand's place and meta; NULL when it is no tensor. For a list, the item at `index`. */
typedef struct source {
    const ob_kit_location *place;
    const ob_tensor *meta;
} source;

static source source_of(const ob_kit_locations *places, ob_pass pass, const ob_graph *graph,
                        const ob_operand *operand, size_t index)
{
    if (operand->kind == OB_OPERAND_LIST) {
        if (index >= operand->count || operand->items[index].kind == OB_OPERAND_LIST)
            return (source){NULL, NULL};
        return source_of(places, pass, graph, &operand->items[index], 0);
    }
    if (operand->kind == OB_OPERAND_VALUE)
        return (source){NULL, NULL};
    const ob_value *meta = &graph->edges[operand->edge].meta;
    const size_t item = operand->kind == OB_OPERAND_ITEM ? operand->index : index;
    if (item >= ob_kit_tensor_count(meta) || ob_kit_tensor_at(meta, item) == NULL)
        return (source){NULL, NULL};
    return (source){&places->places[pass][places->first[pass][operand->edge] + item],
                    ob_kit_tensor_at(meta, item)};
}

bool ob_kit_node_is_view(const ob_kit_engine *engine, const ob_graph *graph,
                         const ob_graph_node *node)
{
    const ob_kit_kernel *kernel = ob_kit_kernel_find(engine, node->op);
    return kernel != NULL && ob_kit_is_view(engine->host, kernel->kind, graph, node);
}

static ob_status place_views(ob_kit_locations *places, ob_pass pass, const ob_graph *graph,
                             const ob_graph_node *node, ob_err *err)
{
    const ob_operand *operand = ob_kit_first_tensor(graph, node);
    const source from =
        operand != NULL ? source_of(places, pass, graph, operand, 0) : (source){NULL, NULL};
    if (from.place == NULL)
        return places->engine->host->err_set(err, OB_ERR_INVALID, "%s has no tensor to view",
                                             node->op->schema->name);
    for (size_t k = 0; k < node->output_count; k++) {
        const ob_value *meta = &graph->edges[node->outputs[k]].meta;
        ob_kit_location *to = &places->places[pass][places->first[pass][node->outputs[k]]];
        for (size_t i = 0; i < ob_kit_tensor_count(meta); i++) {
            const ob_tensor *tensor = ob_kit_tensor_at(meta, i);
            if (tensor != NULL)
                to[i] = (ob_kit_location){.block = from.place->block,
                                          .offset = from.place->offset +
                                                    (tensor->offset - from.meta->offset) *
                                                        element_size(places, tensor)};
        }
    }
    return OB_OK;
}

static ob_status place_results(ob_kit_locations *places, ob_pass pass, const ob_graph *graph,
                               uint32_t n, ob_err *err)
{
    const ob_graph_node *node = &graph->nodes[n];
    const ob_kit_block like = {.kind = OB_KIT_BLOCK_TEMPORARY, .pass = pass, .first = n, .last = n};
    for (size_t k = 0; k < node->output_count; k++) {
        const ob_edge_id edge = node->outputs[k];
        const int changed = ob_kit_changed_argument(node->op->schema, k);
        if (changed < 0) {
            OB_TRY(put_fresh(places, pass, edge, &graph->edges[edge].meta, &like, err));
            continue;
        }
        ob_kit_location *to = &places->places[pass][places->first[pass][edge]];
        for (size_t i = 0; i < ob_kit_tensor_count(&graph->edges[edge].meta); i++) {
            const source from = source_of(places, pass, graph, &node->args[changed], i);
            if (from.place != NULL)
                to[i] = *from.place;
        }
    }
    return OB_OK;
}

/* ---- how long ---- */

static void use_operand(ob_kit_locations *places, ob_pass pass, const ob_graph *graph,
                        const ob_operand *operand, uint32_t n, bool written)
{
    if (operand->kind == OB_OPERAND_LIST) {
        for (size_t i = 0; i < operand->count; i++) {
            if (operand->items[i].kind != OB_OPERAND_LIST)
                use_operand(places, pass, graph, &operand->items[i], n, written);
        }
        return;
    }
    if (operand->kind == OB_OPERAND_VALUE)
        return;
    for (size_t i = 0; i < ob_kit_tensor_count(&graph->edges[operand->edge].meta); i++) {
        const source from = source_of(places, pass, graph, operand, i);
        if (from.place == NULL || from.place->block == OB_KIT_NO_BLOCK)
            continue;
        ob_kit_block *block = &places->blocks[from.place->block];
        if (block->pass == pass)
            block->last = n;
        block->written = block->written || written;
    }
}

ob_status ob_kit_locations_walk(ob_kit_locations *places, ob_pass pass, const ob_graph *graph,
                                ob_err *err)
{
    for (uint32_t n = 0; n < graph->node_count; n++) {
        const ob_graph_node *node = &graph->nodes[n];
        for (size_t i = 0; i < node->op->schema->arg_count; i++)
            use_operand(places, pass, graph, &node->args[i], n, node->op->schema->args[i].writes);
        if (ob_kit_node_is_view(places->engine, graph, node))
            OB_TRY(place_views(places, pass, graph, node, err));
        else
            OB_TRY(place_results(places, pass, graph, n, err));
    }
    for (size_t i = 0; i < graph->output_count; i++) {
        const ob_edge_id edge = graph->outputs[i];
        for (size_t t = 0; t < ob_kit_tensor_count(&graph->edges[edge].meta); t++)
            keep_block(places, places->places[pass][places->first[pass][edge] + t].block);
    }
    return OB_OK;
}
