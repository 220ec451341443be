/* SPDX-License-Identifier: Apache-2.0
 *
 * Graphs: their memory, edges and names. Calls are added in graph_call.c.
 */
#include "graph/graph_internal.h"

#include "opbench/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ob_status ob_graph_create(const ob_op_table *table, ob_graph **out, ob_err *err)
{
    *out = NULL;
    ob_graph *graph = calloc(1, sizeof *graph);
    ob__graph_owner *owner = calloc(1, sizeof *owner);
    if (graph == NULL || owner == NULL) {
        free(graph);
        free(owner);
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a graph");
    }
    ob__arena_init(&owner->arena, 0);
    owner->parameter_dtype = OB_DTYPE_F32;
    graph->table = table;
    graph->owner = owner;
    *out = graph;
    return OB_OK;
}

void ob_graph_destroy(ob_graph *graph)
{
    if (graph == NULL)
        return;
    ob__graph_owner *owner = graph->owner;
    for (size_t i = 0; i < graph->edge_count; i++)
        ob_value_fini(&graph->edges[i].meta);
    for (size_t i = 0; i < graph->node_count; i++) {
        const size_t count = graph->nodes[i].op->schema->arg_count;
        for (size_t k = 0; k < count; k++)
            ob__operand_fini(&graph->nodes[i].args[k]);
    }
    ob__arena_fini(&owner->arena);
    free(owner->slots);
    free(owner);
    free(graph->edges);
    free(graph->nodes);
    free(graph->outputs);
    free(graph);
}

/* ---- names ---- */

static uint64_t hash_name(const char *name)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    return hash ^ (hash >> 32);
}

/* The slot that holds the name or the free one where it belongs. slot_count > 0. */
static size_t find_slot(const ob_graph *graph, const char *name)
{
    const ob__graph_owner *owner = graph->owner;
    const size_t mask = owner->slot_count - 1;
    size_t slot = (size_t)hash_name(name) & mask;
    while (owner->slots[slot] != OB_NO_EDGE &&
           strcmp(graph->edges[owner->slots[slot]].name, name) != 0)
        slot = (slot + 1) & mask;
    return slot;
}

ob_edge_id ob__graph_find_edge(const ob_graph *graph, const char *name)
{
    const ob__graph_owner *owner = graph->owner;
    return owner->slot_count == 0 ? OB_NO_EDGE : owner->slots[find_slot(graph, name)];
}

void ob__graph_rehash(ob_graph *graph)
{
    ob__graph_owner *owner = graph->owner;
    for (size_t i = 0; i < owner->slot_count; i++)
        owner->slots[i] = OB_NO_EDGE;
    for (size_t i = 0; i < graph->edge_count; i++)
        owner->slots[find_slot(graph, graph->edges[i].name)] = (ob_edge_id)i;
}

static ob_status grow_slots(ob_graph *graph, ob_err *err)
{
    ob__graph_owner *owner = graph->owner;
    if (graph->edge_count * 2 + 2 <= owner->slot_count)
        return OB_OK;
    const size_t count = owner->slot_count == 0 ? 16 : owner->slot_count * 2;
    ob_edge_id *slots = malloc(count * sizeof *slots);
    if (slots == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the names of a graph");
    free(owner->slots);
    owner->slots = slots;
    owner->slot_count = count;
    ob__graph_rehash(graph);
    return OB_OK;
}

/* A free name: the wished one, or with the edge's number (and then any number) behind it. */
static ob_status make_name(ob_graph *graph, const char *wish, bool exact, const char **out,
                           ob_err *err)
{
    ob__graph_owner *owner = graph->owner;
    const size_t length = strlen(wish);
    if (length == 0)
        return ob_err_set(err, OB_ERR_INVALID, "an edge has no name; give it one");
    if (ob__graph_find_edge(graph, wish) == OB_NO_EDGE) {
        *out = ob__arena_strdup(&owner->arena, wish, length);
    } else if (exact) {
        return ob_err_set(err, OB_ERR_DUPLICATE, "the graph already has an edge '%s'; rename one",
                          wish);
    } else {
        const size_t room = length + 24;
        char *name = ob__arena_alloc(&owner->arena, room);
        for (size_t number = graph->edge_count; name != NULL; number++) {
            snprintf(name, room, "%s_%zu", wish, number);
            if (ob__graph_find_edge(graph, name) == OB_NO_EDGE)
                break;
        }
        *out = name;
    }
    return *out != NULL ? OB_OK : ob_err_set(err, OB_ERR_NOMEM, "out of memory for a name");
}

/* ---- edges ---- */

static ob_status grow_edges(ob_graph *graph, ob_err *err)
{
    ob__graph_owner *owner = graph->owner;
    if (graph->edge_count >= OB__GRAPH_MAX_EDGES)
        return ob_err_set(err, OB_ERR_LIMIT, "a graph can have at most %d edges; split it",
                          OB__GRAPH_MAX_EDGES);
    if (!OB_RESERVE(graph->edges, owner->edge_capacity, graph->edge_count + 1))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for %zu edges", graph->edge_count + 1);
    return OB_OK;
}

ob_status ob__graph_add_edge(ob_graph *graph, const char *name, bool exact,
                             const ob_graph_edge *like, ob_edge_id *edge, ob_err *err)
{
    ob_graph_edge made = *like;
    OB_TRY(grow_edges(graph, err));
    OB_TRY(grow_slots(graph, err));
    OB_TRY(make_name(graph, name, exact, &made.name, err));
    OB_TRY(ob__value_to_meta(&made.meta, &like->meta, err));
    const ob_edge_id id = (ob_edge_id)graph->edge_count;
    ob__graph_owner *owner = graph->owner;
    owner->slots[find_slot(graph, made.name)] = id;
    graph->edges[id] = made;
    graph->edge_count++;
    if (edge != NULL)
        *edge = id;
    return OB_OK;
}

ob_status ob_graph_add_input(ob_graph *graph, const char *name, const ob_value *meta,
                             ob_edge_id *edge, ob_err *err)
{
    const ob_graph_edge like = {.role = OB_EDGE_INPUT,
                                .requires_grad = ob__value_is_differentiable(meta, true),
                                .meta = *meta,
                                .producer = UINT32_MAX,
                                .forward_edge = OB_NO_EDGE};
    return ob__graph_add_edge(graph, name, true, &like, edge, err);
}

ob_status ob_graph_add_parameter(ob_graph *graph, const char *name, const ob_tensor *meta,
                                 bool is_buffer, ob_init_kind init, double init_a, ob_edge_id *edge,
                                 ob_err *err)
{
    ob_value value;
    OB_TRY(ob_value_init_tensor(&value, meta, err));
    const bool requires_grad = !is_buffer && ob_dtype_is_floating(meta->dtype);
    value.as.tensor->requires_grad = requires_grad;
    const ob_graph_edge like = {.role = is_buffer ? OB_EDGE_BUFFER : OB_EDGE_PARAMETER,
                                .requires_grad = requires_grad,
                                .meta = value,
                                .init = init,
                                .init_a = init_a,
                                .producer = UINT32_MAX,
                                .forward_edge = OB_NO_EDGE};
    const ob_status status = ob__graph_add_edge(graph, name, true, &like, edge, err);
    ob_value_fini(&value);
    return status;
}

ob_status ob_graph_set_outputs(ob_graph *graph, const ob_edge_id *outputs, size_t count,
                               ob_err *err)
{
    for (size_t i = 0; i < count; i++) {
        if (outputs[i] >= graph->edge_count)
            return ob_err_set(err, OB_ERR_INVALID, "output %zu is edge %u; the graph has %zu edges",
                              i, outputs[i], graph->edge_count);
    }
    ob_edge_id *copy = calloc(count ? count : 1, sizeof *copy);
    if (copy == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for %zu outputs", count);
    if (count > 0)
        memcpy(copy, outputs, count * sizeof *copy);
    free(graph->outputs);
    graph->outputs = copy;
    graph->output_count = count;
    return OB_OK;
}

ob_status ob__graph_enter(ob_graph *graph, const char *what, ob_err *err)
{
    ob__graph_owner *owner = graph->owner;
    if (owner->depth >= OB__GRAPH_MAX_DEPTH)
        return ob_err_set(err, OB_ERR_LIMIT,
                          "%s expands to more than %d levels; does it refer to itself?", what,
                          OB__GRAPH_MAX_DEPTH);
    owner->depth++;
    return OB_OK;
}

void ob__graph_leave(ob_graph *graph)
{
    ob__graph_get_owner(graph)->depth--;
}
