/* SPDX-License-Identifier: Apache-2.0
 *
 * Walking a graph; see translate.h.
 */
#include "translate.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- slots ---- */

void ort_fail(ort_translation *t, ob_status status, const char *format, ...)
{
    char text[400];
    va_list list;
    if (t->status != OB_OK)
        return;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    t->status = t->host->err_set(&t->err, status, "%s", text);
}

static ob_status make_slots(ort_translation *t)
{
    const ob_graph *graph = t->graph;
    uint32_t count = 0;
    t->first = calloc(graph->edge_count + 1, sizeof *t->first);
    for (size_t i = 0; t->first != NULL && i < graph->edge_count; i++) {
        t->first[i] = count;
        const size_t more = ob_kit_tensor_count(&graph->edges[i].meta);
        if (more > UINT32_MAX / 2 - count)
            return t->host->err_set(&t->err, OB_ERR_LIMIT, "the graph has too many tensors");
        count += (uint32_t)more;
    }
    t->slots = calloc((size_t)count + 1, sizeof *t->slots);
    t->outside = calloc(graph->edge_count + 1, sizeof *t->outside);
    if (t->first == NULL || t->slots == NULL || t->outside == NULL)
        return t->host->err_set(&t->err, OB_ERR_NOMEM, "out of memory for the ONNX model");
    for (uint32_t i = 0; i < count; i++)
        t->slots[i] = (ort_slot){.id = ORT_NONE, .same = i, .memory = i};
    t->slot_count = count;
    return OB_OK;
}

void ort_translation_fini(ort_translation *t)
{
    ort_model_fini(&t->model);
    free(t->first);
    free(t->slots);
    free(t->outside);
    t->first = NULL;
    t->slots = NULL;
    t->outside = NULL;
}

/* ---- what comes from outside ---- */

static bool word_in(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; at != NULL && *at != '\0';) {
        const size_t size = strcspn(at, " ");
        if (size == length && strncmp(at, word, length) == 0)
            return true;
        at += size + (at[size] == ' ');
    }
    return false;
}

static void mark_written(ort_translation *t, const ob_operand *operand)
{
    if (operand->kind == OB_OPERAND_EDGE)
        for (size_t i = 0; i < ob_kit_tensor_count(&t->graph->edges[operand->edge].meta); i++)
            ort_slot_at(t, operand->edge, i)->written = true;
    else if (operand->kind == OB_OPERAND_LIST)
        for (size_t i = 0; i < operand->count; i++)
            if (operand->items[i].kind == OB_OPERAND_EDGE)
                ort_slot_at(t, operand->items[i].edge, 0)->written = true;
}

/* Which tensors from outside are changed by an operator: they cannot be constants. */
static void mark_all_written(ort_translation *t)
{
    for (size_t n = 0; n < t->graph->node_count; n++) {
        const ob_graph_node *node = &t->graph->nodes[n];
        const ort_row *row = ort_row_find(node->op);
        for (size_t i = 0; i < node->op->schema->arg_count; i++)
            if (node->op->schema->args[i].writes ||
                (row != NULL && word_in(row->writes, node->op->schema->args[i].name)))
                mark_written(t, &node->args[i]);
    }
}

static void add_outside(ort_translation *t, ob_edge_id edge)
{
    const ob_graph_edge *e = &t->graph->edges[edge];
    const bool parameter = e->role == OB_EDGE_PARAMETER || e->role == OB_EDGE_BUFFER;
    for (size_t i = 0; i < ob_kit_tensor_count(&e->meta); i++) {
        const ob_tensor *meta = ob_kit_tensor_at(&e->meta, i);
        ort_slot *slot = ort_slot_at(t, edge, i);
        if (meta == NULL)
            continue;
        slot->id = parameter && !t->parameters_as_inputs && !slot->written
                       ? ort_model_parameter(&t->model, meta->dtype, meta->sizes, meta->ndim)
                       : ort_model_input(&t->model, meta->dtype, meta->sizes, meta->ndim);
        slot->set = true;
        t->outside[edge] = slot->id;
    }
}

static ob_status check_tensor(ort_translation *t, const ob_tensor *tensor, const char *name)
{
    const ob_host *host = t->host;
    if (tensor->layout != OB_LAYOUT_STRIDED)
        return host->err_set(&t->err, OB_ERR_UNSUPPORTED,
                             "ONNX has no sparse tensors (%.60s); make it dense", name);
    if (tensor->device.type[0] != '\0' && strcmp(tensor->device.type, "cpu") != 0)
        return host->err_set(&t->err, OB_ERR_UNSUPPORTED,
                             "the tensor '%.60s' should be on the device %s, but the onnxruntime "
                             "backend only has the CPU; write \"cpu\"",
                             name, tensor->device.type);
    if (ort_dtype_number(tensor->dtype) == 0)
        return host->err_set(
            &t->err, OB_ERR_UNSUPPORTED,
            "ONNX Runtime has no operators for the element type %s (%.60s); use another one",
            host->dtype_get_info(tensor->dtype)->name, name);
    return OB_OK;
}

static ob_status check_edge(ort_translation *t, const ob_graph_edge *edge)
{
    for (size_t i = 0; i < ob_kit_tensor_count(&edge->meta); i++) {
        const ob_tensor *tensor = ob_kit_tensor_at(&edge->meta, i);
        if (tensor != NULL)
            OB_TRY(check_tensor(t, tensor, edge->name));
    }
    return OB_OK;
}

/* ---- calls ---- */

/* The first tensor argument's slot: what views are views of. */
static const ort_slot *viewed_slot(const ort_translation *t, const ob_graph_node *node)
{
    for (size_t i = 0; i < node->op->schema->arg_count; i++) {
        const ob_operand *operand = &node->args[i];
        if (operand->kind == OB_OPERAND_ITEM)
            return ort_slot_at(t, operand->edge, operand->index);
        if (operand->kind == OB_OPERAND_EDGE &&
            t->graph->edges[operand->edge].meta.kind == OB_VALUE_TENSOR)
            return ort_slot_at(t, operand->edge, 0);
    }
    return NULL;
}

static bool has_alias(const ob_type *type)
{
    while (type != NULL && type->alias == NULL &&
           (type->kind == OB_TYPE_LIST || type->kind == OB_TYPE_OPTIONAL))
        type = type->element;
    return type != NULL && type->alias != NULL;
}

/* Views share the memory of what they view; where that is changed later, a value cannot follow. */
static void note_views(ort_translation *t, const ob_graph_node *node)
{
    const ort_slot *viewed = viewed_slot(t, node);
    for (size_t k = 0; viewed != NULL && k < node->output_count; k++) {
        if (!has_alias(node->op->schema->returns[k].type))
            continue;
        for (size_t i = 0; i < ob_kit_tensor_count(&t->graph->edges[node->outputs[k]].meta); i++)
            ort_slot_at(t, node->outputs[k], i)->memory = viewed->memory;
    }
}

static void check_results(ort_translation *t, const ob_graph_node *node)
{
    for (size_t k = 0; t->status == OB_OK && k < node->output_count; k++) {
        const ob_value *meta = &t->graph->edges[node->outputs[k]].meta;
        for (size_t i = 0; i < ob_kit_tensor_count(meta); i++)
            if (ob_kit_tensor_at(meta, i) != NULL && !ort_slot_at(t, node->outputs[k], i)->set)
                ort_fail(t, OB_ERR_UNSUPPORTED,
                         "the onnxruntime backend cannot return result %zu of %s", k,
                         node->op->schema->name);
    }
}

static ob_status translate(ort_translation *t)
{
    const ob_graph *graph = t->graph;
    OB_TRY(make_slots(t));
    for (size_t i = 0; i < graph->edge_count; i++)
        OB_TRY(check_edge(t, &graph->edges[i]));
    mark_all_written(t);
    for (size_t i = 0; i < graph->edge_count; i++)
        if (graph->edges[i].producer == UINT32_MAX)
            add_outside(t, (ob_edge_id)i);
    for (size_t n = 0; t->status == OB_OK && n < graph->node_count; n++) {
        ort_call call = {.t = t, .node = &graph->nodes[n], .schema = graph->nodes[n].op->schema};
        const ort_row *row = call.row = ort_row_find(call.node->op);
        if (row == NULL)
            return t->host->err_set(
                &t->err, OB_ERR_UNSUPPORTED, "the onnxruntime backend has no translation of %s%s%s",
                call.schema->name, call.schema->overload[0] ? "." : "", call.schema->overload);
        note_views(t, call.node);
        if (row->emit != NULL)
            row->emit(&call);
        else
            ort_follow_recipe(&call, row);
        check_results(t, call.node);
    }
    if (t->status == OB_OK && t->model.failed)
        return t->host->err_set(&t->err, OB_ERR_NOMEM, "out of memory for the ONNX model");
    return t->status;
}

ob_status ort_translate(ort_translation *t, ob_err *err)
{
    const ob_status status = translate(t);
    return status == OB_OK ? OB_OK : t->host->err_set(err, status, "%s", t->err.message);
}

/* ---- rows ---- */

static bool keep(void *ctx, const ob_op *op)
{
    (void)ctx;
    return ort_row_find(op) != NULL || op->row->decomposition == NULL;
}

ob_status ort_resolve(const ob_host *host, const ob_graph *graph, ob_graph **own, ob_err *err)
{
    bool all = true;
    *own = NULL;
    for (size_t i = 0; i < graph->node_count; i++)
        all = all && keep(NULL, graph->nodes[i].op);
    return all ? OB_OK : host->graph_decompose(graph, keep, NULL, own, err);
}
