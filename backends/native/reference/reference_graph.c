/* SPDX-License-Identifier: Apache-2.0
 *
 * Walking the graphs of a case: first without computing, for what it would take, then for real.
 *
 * Results that no other call looks at need not be computed as a whole. All others must be, and where that would take too long
 * there is no reference.
 */
#include "reference_node.h"

#include <stdlib.h>
#include <string.h>

/* One step of a cost is about this long. */
static const double STEP_S = 1e-9;
/* From so many calls that round on, their bounds are added for their squares. */
enum { DEEP = 8 };

static ob_status no_memory(const ref_state *s, ob_err *err)
{
    return s->host->err_set(err, OB_ERR_NOMEM, "out of memory for the reference");
}

/* ---- values from outside ---- */

/* Tensors that share memory share a store. */
static ref_store *find_store(const ref_pass *pass, const char *raw)
{
    for (size_t i = 0; i < pass->graph->edge_count; i++)
        for (size_t k = 0; k < pass->values[i].count; k++) {
            ref_store *store = pass->values[i].items[k].store;
            if (store != NULL && store->raw == raw && raw != NULL)
                return store;
        }
    return NULL;
}

static ob_status take_tensor(const ref_state *s, const ref_pass *pass, const ob_tensor *given,
                             ref_tensor *out, ob_err *err)
{
    *out = (ref_tensor){.dtype = given->dtype, .ndim = given->ndim, .offset = given->offset};
    for (int d = 0; d < given->ndim; d++) {
        out->sizes[d] = given->sizes[d];
        out->strides[d] = given->strides[d];
    }
    const bool dense = !ob_layout_is_sparse(given->layout) && given->storage != NULL;
    const char *raw = dense ? s->host->storage_data(given->storage) : NULL;
    ref_store *store = find_store(pass, raw);
    if (store != NULL && store->dtype == given->dtype) {
        store->uses++;
        out->store = store;
        return OB_OK;
    }
    out->store = ref_store_empty(given->dtype);
    if (out->store == NULL)
        return no_memory(s, err);
    out->store->raw = raw;
    if (dense)
        out->store->count = (int64_t)(s->host->storage_size(given->storage) /
                                      s->host->dtype_get_info(given->dtype)->size_bytes);
    else
        out->store->why_unknown = "there is no reference for sparse tensors";
    return OB_OK;
}

static ob_status take_value(const ref_state *s, ref_pass *pass, size_t edge, const ob_value *given,
                            ob_err *err)
{
    ref_value *to = &pass->values[edge];
    const size_t count = ob_kit_tensor_count(given);
    if (count == 0 || ob_kit_tensor_at(given, 0) == NULL)
        return OB_OK;
    to->items = calloc(count, sizeof *to->items);
    if (to->items == NULL)
        return no_memory(s, err);
    to->is_list = given->kind != OB_VALUE_TENSOR;
    for (size_t i = 0; i < count; i++) {
        const ob_tensor *tensor = ob_kit_tensor_at(given, i);
        if (tensor != NULL)
            OB_TRY(take_tensor(s, pass, tensor, &to->items[i], err));
        to->count = i + 1;
    }
    return OB_OK;
}

static ob_status take_inputs(const ref_state *s, ref_pass *pass, ob_err *err)
{
    size_t inputs = 0, parameters = 0;
    for (size_t i = 0; i < pass->graph->edge_count; i++) {
        const ob_graph_edge *edge = &pass->graph->edges[i];
        const ob_reference_args *a = s->args;
        if (edge->producer != UINT32_MAX)
            continue;
        const bool input = edge->role == OB_EDGE_INPUT;
        const size_t at = input ? inputs++ : parameters++;
        if (at >= (input ? a->input_count : a->parameter_count))
            continue;
        OB_TRY(take_value(s, pass, i, input ? &a->inputs[at] : &a->parameters[at], err));
    }
    return OB_OK;
}

/* Gradients of outputs are ones. */
static ob_status make_ones(const ref_state *s, const ob_tensor *meta, ref_tensor *out, ob_err *err)
{
    ref_call call = {.kit = {.host = s->host}};
    ref_out ones = {.t = {.dtype = meta->dtype, .ndim = meta->ndim}};
    for (int d = 0; d < meta->ndim; d++) {
        ones.t.sizes[d] = meta->sizes[d];
        ones.t.strides[d] = meta->strides[d];
    }
    const ob_status status = ref_out_make(&call, &ones, 0, false, err);
    for (int64_t i = 0; status == OB_OK && i < ref_numel(&ones.t); i++)
        ref_put(&call, &ones, i, ball_of(1));
    *out = ones.t;
    return status;
}

static ob_status take_backward_inputs(const ref_state *s, ref_pass *pass, bool dry, ob_err *err)
{
    for (size_t i = 0; i < pass->graph->edge_count; i++) {
        const ob_graph_edge *edge = &pass->graph->edges[i];
        const bool ones = edge->role == OB_EDGE_GRAD_OUTPUT;
        if (!ones && edge->role != OB_EDGE_SAVED)
            continue;
        const ref_value *saved = ones ? NULL : &s->passes[0].values[s->map[edge->forward_edge]];
        const size_t count = ones ? ob_kit_tensor_count(&edge->meta) : saved->count;
        ref_value *to = &pass->values[i];
        to->items = calloc(count + 1, sizeof *to->items);
        if (to->items == NULL)
            return no_memory(s, err);
        to->is_list = edge->meta.kind != OB_VALUE_TENSOR;
        for (size_t k = 0; k < count; k++) {
            const ob_tensor *meta = ones ? ob_kit_tensor_at(&edge->meta, k) : NULL;
            to->count = k + 1;
            if (!ones)
                to->items[k] = ref_tensor_share(&saved->items[k]);
            else if (meta != NULL && dry)
                OB_TRY(take_tensor(s, pass, meta, &to->items[k], err));
            else if (meta != NULL)
                OB_TRY(make_ones(s, meta, &to->items[k], err));
        }
    }
    return OB_OK;
}

/* ---- views ---- */

static ob_status look(const ref_state *s, ref_pass *pass, const ob_graph_node *node, ob_err *err)
{
    const ob_operand *operand = ob_kit_first_tensor(pass->graph, node);
    if (operand == NULL)
        return s->host->err_set(err, OB_ERR_INVALID, "%s has no tensor to view",
                                node->op->schema->name);
    const size_t item = ob_kit_item_of(operand);
    const ref_tensor *from = &pass->values[operand->edge].items[item];
    const ob_tensor *from_meta = ob_kit_tensor_at(&pass->graph->edges[operand->edge].meta, item);
    for (size_t k = 0; k < node->output_count; k++) {
        const ob_value *meta = &pass->graph->edges[node->outputs[k]].meta;
        ref_value *to = &pass->values[node->outputs[k]];
        const size_t count = ob_kit_tensor_count(meta);
        to->items = calloc(count + 1, sizeof *to->items);
        if (to->items == NULL)
            return no_memory(s, err);
        to->is_list = meta->kind != OB_VALUE_TENSOR;
        to->count = count;
        for (size_t i = 0; i < count; i++) {
            const ob_tensor *t = ob_kit_tensor_at(meta, i);
            to->items[i] = ref_tensor_share(from);
            to->items[i].ndim = t->ndim;
            to->items[i].offset = from->offset + t->offset - from_meta->offset;
            for (int d = 0; d < t->ndim; d++) {
                to->items[i].sizes[d] = t->sizes[d];
                to->items[i].strides[d] = t->strides[d];
            }
        }
    }
    return OB_OK;
}

/* ---- what must be whole ---- */

static bool uses(const ob_operand *operand, ob_edge_id edge)
{
    if (operand->kind == OB_OPERAND_LIST)
        for (size_t i = 0; i < operand->count; i++)
            if (uses(&operand->items[i], edge))
                return true;
    return (operand->kind == OB_OPERAND_EDGE || operand->kind == OB_OPERAND_ITEM) &&
           operand->edge == edge;
}

static bool is_saved(const ref_state *s, ob_edge_id edge)
{
    const ob_graph *backward = s->passes[1].graph;
    for (size_t i = 0; backward != NULL && i < backward->edge_count; i++)
        if (backward->edges[i].role == OB_EDGE_SAVED &&
            s->map[backward->edges[i].forward_edge] == edge)
            return true;
    return false;
}

/* A view that numbers the same elements in the same order. */
static bool keeps_order(const ob_graph *graph, const ob_graph_node *node)
{
    const ob_operand *operand = ob_kit_first_tensor(graph, node);
    const ob_value *meta = node->output_count == 1 ? &graph->edges[node->outputs[0]].meta : NULL;
    if (ref_kind(node->op) != OB_KIT_VIEW || operand == NULL || operand->kind != OB_OPERAND_EDGE ||
        meta == NULL || meta->kind != OB_VALUE_TENSOR)
        return false;
    const ob_tensor *from = graph->edges[operand->edge].meta.as.tensor, *to = meta->as.tensor;
    return ob_kit_numel(from) == ob_kit_numel(to) && ob_kit_is_contiguous(from) &&
           ob_kit_is_contiguous(to);
}

/* Whether no call computes with an edge, itself or seen through views. */
static bool is_last(const ref_state *s, int pass, ob_edge_id edge)
{
    const ob_graph *graph = s->passes[pass].graph;
    if (pass == OB_PASS_FORWARD && is_saved(s, edge))
        return false;
    for (size_t n = 0; n < graph->node_count; n++) {
        const ob_graph_node *node = &graph->nodes[n];
        for (size_t a = 0; a < node->op->schema->arg_count; a++)
            if (uses(&node->args[a], edge) &&
                !(keeps_order(graph, node) && is_last(s, pass, node->outputs[0])))
                return false;
    }
    return true;
}

static bool changes_something(const ob_schema *schema)
{
    for (size_t i = 0; i < schema->arg_count; i++)
        if (schema->args[i].writes)
            return true;
    return false;
}

static bool may_sample(const ref_state *s, int pass, const ob_graph_node *node)
{
    if (changes_something(node->op->schema) &&
        (s->passes[0].graph->node_count > 1 || s->passes[1].graph != NULL))
        return false;
    for (size_t k = 0; k < node->output_count; k++)
        if (!is_last(s, pass, node->outputs[k]))
            return false;
    return true;
}

static size_t count_sampled(const ref_state *s)
{
    size_t count = 0;
    for (int pass = 0; pass < 2; pass++) {
        const ob_graph *graph = s->passes[pass].graph;
        for (size_t n = 0; graph != NULL && n < graph->node_count; n++)
            if (ref_kind(graph->nodes[n].op) != OB_KIT_VIEW &&
                may_sample(s, pass, &graph->nodes[n]))
                count += graph->nodes[n].output_count;
    }
    return count > 0 ? count : 1;
}

/* ---- walking ---- */

static bool is_view(const ref_state *s, const ob_graph *graph, const ob_graph_node *node)
{
    return ob_kit_is_view(s->host, ref_kind(node->op), graph, node);
}

static ob_status walk(ref_state *s, int which, bool dry, ob_err *err)
{
    ref_pass *pass = &s->passes[which];
    const double steps = s->args->seconds / STEP_S / (double)count_sampled(s);
    for (size_t i = 0; i < pass->graph->node_count; i++) {
        const ob_graph_node *node = &pass->graph->nodes[i];
        if (is_view(s, pass->graph, node)) {
            OB_TRY(look(s, pass, node, err));
            continue;
        }
        ref_node n = {.s = s,
                      .pass = pass,
                      .node = node,
                      .steps = steps,
                      .may_sample = may_sample(s, which, node),
                      .dry = dry,
                      .seed = s->args->seed + i * 1000003 + (uint64_t)which};
        OB_TRY(ref_node_run(&n, err));
    }
    return OB_OK;
}

static void free_values(ref_pass *pass)
{
    for (size_t i = 0; pass->values != NULL && i < pass->graph->edge_count; i++)
        ref_value_release(&pass->values[i]);
    free(pass->values);
    pass->values = NULL;
}

static ob_status walk_both(ref_state *s, bool dry, ob_err *err)
{
    for (int which = 0; which < 2; which++) {
        ref_pass *pass = &s->passes[which];
        if (pass->graph == NULL)
            continue;
        pass->values = calloc(pass->graph->edge_count + 1, sizeof *pass->values);
        if (pass->values == NULL)
            return no_memory(s, err);
        OB_TRY(which == 0 ? take_inputs(s, pass, err) : take_backward_inputs(s, pass, dry, err));
        OB_TRY(walk(s, which, dry, err));
    }
    return OB_OK;
}

static size_t count_calls(const ref_state *s)
{
    size_t count = 0;
    for (int which = 0; which < 2; which++)
        for (size_t i = 0; s->passes[which].graph != NULL && i < s->passes[which].graph->node_count;
             i++)
            count += ref_kind(s->passes[which].graph->nodes[i].op) == OB_KIT_COMPUTE;
    return count;
}

static bool any_overwrites(const ref_state *s)
{
    for (int which = 0; which < 2; which++)
        for (size_t i = 0; s->passes[which].graph != NULL && i < s->passes[which].graph->node_count;
             i++)
            if (changes_something(s->passes[which].graph->nodes[i].op->schema))
                return true;
    return false;
}

ob_status ref_graph_run(ref_state *s, ob_err *err)
{
    const size_t calls = count_calls(s);
    s->deep = calls > DEEP;
    s->overwrites = any_overwrites(s);
    if (calls > 1) {
        const ob_status status = walk_both(s, true, err);
        free_values(&s->passes[0]);
        free_values(&s->passes[1]);
        OB_TRY(status);
        if (s->cost * STEP_S > s->args->most_seconds)
            return s->host->err_set(err, OB_ERR_LIMIT,
                                    "the reference would take about %.0f s, because all of %zu "
                                    "calls must be computed; use smaller shapes",
                                    s->cost * STEP_S, calls);
    }
    s->cost = 0;
    return walk_both(s, false, err);
}

void ref_graph_free(ref_state *s)
{
    for (int which = 0; which < 2; which++) {
        free_values(&s->passes[which]);
        s->host->graph_destroy(s->passes[which].own);
    }
    free(s->map);
}
