/* SPDX-License-Identifier: Apache-2.0
 *
 * Preparing a case: graphs become models, models sessions, tensors bound memory. Nothing here is timed.
 */
#include "onnxruntime_backend.h"

#include "opbench/vec.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* One pass on its way. */
typedef struct work {
    ob_prepared *prepared;
    const ob_prepare_args *args;
    ob_graph *own[2]; /* what decomposing made; NULL when nothing had to be */
    ort_translation translations[2];
    ob_edge_id
        *map; /* forward edges of the caller's graph that the backward needs: where they are now */
} work;

static ob_status out_of_memory(const work *w, ob_err *err)
{
    return w->prepared->backend->host->err_set(err, OB_ERR_NOMEM,
                                               "out of memory for the plan of the case");
}

/* ---- graphs ---- */

static ob_status resolve(void *ctx, const ob_graph *graph, ob_graph **own, ob_err *err)
{
    const ob_backend *backend = ctx;
    return ort_resolve(backend->host, graph, own, err);
}

static ob_status translate(work *w, ob_pass pass, ob_err *err)
{
    ort_translation *t = &w->translations[pass];
    const ob_graph *given = pass == OB_PASS_FORWARD ? w->args->graph : w->args->backward->graph;
    t->host = w->prepared->backend->host;
    t->graph = w->own[pass] != NULL ? w->own[pass] : given;
    t->parameters_as_inputs = w->prepared->backend->weights_as_inputs;
    t->puts_nan_back = w->prepared->backend->loses_nan;
    return ort_translate(t, err);
}

/* ---- tensors from outside ---- */

static ob_status add_copy(work *w, ort_copies *list, const ob_tensor *to, const ob_tensor *from,
                          ob_err *err)
{
    const ob_host *host = w->prepared->backend->host;
    if (!OB_RESERVE(list->items, list->capacity, list->count + 1))
        return out_of_memory(w, err);
    ort_copy *copy = &list->items[list->count];
    OB_TRY(host->tensor_copy(&copy->to, to, err));
    const ob_status status = host->tensor_copy(&copy->from, from, err);
    if (status != OB_OK) {
        host->tensor_fini(&copy->to);
        return status;
    }
    list->count++;
    return OB_OK;
}

/* The caller's memory where it is contiguous, else a copy: ONNX has no strides. */
static ob_status add_outside(work *w, ort_id id, const ob_tensor *given, ob_err *err)
{
    const ob_backend *backend = w->prepared->backend;
    const ob_host *host = backend->host;
    ort_session *session = &w->prepared->passes[OB_PASS_FORWARD];
    ob_tensor tensor;
    if (host->tensor_is_contiguous(given)) {
        OB_TRY(host->tensor_copy(&tensor, given, err));
    } else {
        OB_TRY(ort_tensor_make(host, given, &tensor, err));
        ort_copy_elements(host, &tensor, given);
        const ob_status status = add_copy(w, &w->prepared->gathered, &tensor, given, err);
        if (status != OB_OK) {
            host->tensor_fini(&tensor);
            return status;
        }
    }
    return ort_bound_add(backend, &session->inputs, id, id, &tensor, err);
}

/* What a tensor was before the case ran, for the restore phase. */
static ob_status save_for_restore(work *w, const ob_tensor *live, ob_err *err)
{
    const ob_host *host = w->prepared->backend->host;
    ob_tensor copy;
    OB_TRY(ort_tensor_make(host, live, &copy, err));
    ort_copy_elements(host, &copy, live);
    const ob_status status = add_copy(w, &w->prepared->restore, live, &copy, err);
    host->tensor_fini(&copy);
    return status;
}

static bool shares_storage(const work *w, const ob_tensor *tensor)
{
    const ort_session *session = &w->prepared->passes[OB_PASS_FORWARD];
    size_t users = 0;
    for (size_t i = 0; i < session->inputs.count; i++)
        users += session->inputs.items[i].tensor.storage == tensor->storage;
    return users > 1;
}

/* An input that the case changes: the model writes to its memory where nothing else reads it while that goes on, else
 * what it gives is copied there afterwards. */
static ob_status add_written(work *w, const ort_slot *slot, ort_id input, const ob_tensor *given,
                             ob_err *err)
{
    const ob_backend *backend = w->prepared->backend;
    const ob_host *host = backend->host;
    ort_session *session = &w->prepared->passes[OB_PASS_FORWARD];
    ort_model *model = &w->translations[OB_PASS_FORWARD].model;
    const ort_bound *in = ort_bound_find(&session->inputs, input);
    const bool direct = slot->elementwise && model->values[input].readers == 1 &&
                        in->tensor.storage == given->storage && !shares_storage(w, &in->tensor) &&
                        ort_bound_find(&session->outputs, slot->id) == NULL;
    ob_tensor tensor;
    if (!w->args->once) {
        OB_TRY(save_for_restore(w, given, err));
        if (in->tensor.storage != given->storage)
            OB_TRY(save_for_restore(w, &in->tensor, err));
    }
    const ort_id id = ort_model_output(model, slot->id, given->sizes, given->ndim);
    OB_TRY(direct ? host->tensor_copy(&tensor, given, err)
                  : ort_tensor_make(host, given, &tensor, err));
    OB_TRY(ort_bound_add(backend, &session->outputs, id, slot->id, &tensor, err));
    if (direct)
        return OB_OK;
    const ob_tensor *from = &session->outputs.items[session->outputs.count - 1].tensor;
    ob_prepared *p = w->prepared;
    OB_TRY(add_copy(w, &p->after, given, from, err));
    if (in->tensor.storage != given->storage)
        OB_TRY(add_copy(w, &p->after, &in->tensor, from, err));
    return OB_OK;
}

typedef ob_status (*outside_fn)(work *w, ob_edge_id edge, const ob_value *given, ob_err *err);

static ob_status bind_outside(work *w, ob_edge_id edge, const ob_value *given, ob_err *err)
{
    const ort_translation *t = &w->translations[OB_PASS_FORWARD];
    const ob_value *meta = &t->graph->edges[edge].meta;
    if (meta->kind != OB_VALUE_TENSOR)
        return OB_OK;
    OB_TRY(ob_kit_check_input(t->host, &t->graph->edges[edge], given, err));
    return add_outside(w, t->outside[edge], given->as.tensor, err);
}

static ob_status bind_written(work *w, ob_edge_id edge, const ob_value *given, ob_err *err)
{
    const ort_translation *t = &w->translations[OB_PASS_FORWARD];
    if (t->graph->edges[edge].meta.kind != OB_VALUE_TENSOR)
        return OB_OK;
    const ort_slot *slot = ort_slot_at(t, edge, 0);
    return slot->id == t->outside[edge]
               ? OB_OK
               : add_written(w, slot, t->outside[edge], given->as.tensor, err);
}

/* Calls fn for each edge that comes from outside, with its value. */
static ob_status each_outside(work *w, outside_fn fn, ob_err *err)
{
    const ob_graph *graph = w->translations[OB_PASS_FORWARD].graph;
    const ob_prepare_args *args = w->args;
    size_t inputs = 0, parameters = 0;
    for (size_t i = 0; i < graph->edge_count; i++) {
        if (graph->edges[i].producer != UINT32_MAX)
            continue;
        const bool input = graph->edges[i].role == OB_EDGE_INPUT;
        const size_t at = input ? inputs++ : parameters++;
        if (at < (input ? args->input_count : args->parameter_count))
            OB_TRY(fn(w, (ob_edge_id)i, input ? &args->inputs[at] : &args->parameters[at], err));
    }
    if (inputs != args->input_count || parameters != args->parameter_count)
        return w->prepared->backend->host->err_set(
            err, OB_ERR_INVALID,
            "the graph has %zu inputs and %zu parameters, but %zu and %zu were given", inputs,
            parameters, args->input_count, args->parameter_count);
    return OB_OK;
}

/* ---- results ---- */

/* Memory for a value of the model that somebody looks at; the same value is given once. */
static ob_status add_output(work *w, ob_pass pass, ort_id asked, const ob_tensor *meta,
                            const ort_bound **out, ob_err *err)
{
    const ob_backend *backend = w->prepared->backend;
    ort_session *session = &w->prepared->passes[pass];
    ob_tensor tensor;
    *out = ort_bound_find(&session->outputs, asked);
    if (*out != NULL)
        return OB_OK;
    const ort_id id =
        ort_model_output(&w->translations[pass].model, asked, meta->sizes, meta->ndim);
    OB_TRY(ort_tensor_make(backend->host, meta, &tensor, err));
    OB_TRY(ort_bound_add(backend, &session->outputs, id, asked, &tensor, err));
    *out = &session->outputs.items[session->outputs.count - 1];
    return OB_OK;
}

static ob_status add_item(work *w, ob_pass pass, ob_edge_id edge, size_t index, ob_value *out,
                          ob_err *err)
{
    const ort_translation *t = &w->translations[pass];
    const ob_tensor *meta = ob_kit_tensor_at(&t->graph->edges[edge].meta, index);
    const ort_bound *bound = NULL;
    if (meta == NULL)
        return OB_OK;
    OB_TRY(add_output(w, pass, ort_slot_at(t, edge, index)->id, meta, &bound, err));
    t->host->value_fini(out);
    return t->host->value_init_tensor(out, &bound->tensor, err);
}

/* The values of the first `count` outputs of a graph. */
static ob_status add_outputs(work *w, ob_pass pass, size_t count, ob_value **values, size_t *made,
                             ob_err *err)
{
    const ort_translation *t = &w->translations[pass];
    *values = calloc(count + 1, sizeof **values);
    if (*values == NULL)
        return out_of_memory(w, err);
    for (size_t i = 0; i < count; i++) {
        const ob_edge_id edge = t->graph->outputs[i];
        const ob_value *meta = &t->graph->edges[edge].meta;
        ob_value *value = &(*values)[i];
        ++*made;
        OB_TRY(t->host->value_copy(value, meta, err));
        for (size_t k = 0; k < ob_kit_tensor_count(meta); k++)
            OB_TRY(add_item(w, pass, edge, k,
                            meta->kind == OB_VALUE_TENSOR ? value : &value->as.list.items[k], err));
    }
    return OB_OK;
}

/* ---- backward ---- */

/* What a forward edge has left: memory from outside, or an output more. */
static ob_status saved_tensor(work *w, ob_edge_id edge, size_t index, ob_tensor *out, ob_err *err)
{
    const ort_translation *t = &w->translations[OB_PASS_FORWARD];
    const ort_session *session = &w->prepared->passes[OB_PASS_FORWARD];
    const ort_id id = ort_slot_at(t, edge, index)->id;
    const ort_bound *bound = ort_bound_find(&session->inputs, id);
    if (bound == NULL)
        OB_TRY(add_output(w, OB_PASS_FORWARD, id,
                          ob_kit_tensor_at(&t->graph->edges[edge].meta, index), &bound, err));
    return t->host->tensor_copy(out, &bound->tensor, err);
}

static ob_status add_backward_input(work *w, ob_edge_id edge, size_t index, ob_err *err)
{
    const ort_translation *t = &w->translations[OB_PASS_BACKWARD];
    const ob_backend *backend = w->prepared->backend;
    ort_session *session = &w->prepared->passes[OB_PASS_BACKWARD];
    const ob_graph_edge *e = &t->graph->edges[edge];
    const ob_tensor *meta = ob_kit_tensor_at(&e->meta, index);
    const ort_id id = ort_slot_at(t, edge, index)->id;
    ob_tensor tensor;
    if (meta == NULL)
        return OB_OK;
    OB_TRY(e->role == OB_EDGE_SAVED ? saved_tensor(w, w->map[e->forward_edge], index, &tensor, err)
                                    : ort_tensor_make(backend->host, meta, &tensor, err));
    OB_TRY(ort_bound_add(backend, &session->inputs, id, id, &tensor, err));
    session->inputs.items[session->inputs.count - 1].is_seed = e->role == OB_EDGE_GRAD_OUTPUT;
    return OB_OK;
}

static ob_status plan_backward(work *w, ob_err *err)
{
    ob_prepared *p = w->prepared;
    OB_TRY(ort_resolve(p->backend->host, w->args->backward->graph, &w->own[OB_PASS_BACKWARD], err));
    OB_TRY(translate(w, OB_PASS_BACKWARD, err));
    const ob_graph *graph = w->translations[OB_PASS_BACKWARD].graph;
    for (size_t i = 0; i < graph->edge_count; i++)
        if (graph->edges[i].role == OB_EDGE_SAVED || graph->edges[i].role == OB_EDGE_GRAD_OUTPUT)
            for (size_t k = 0; k < ob_kit_tensor_count(&graph->edges[i].meta); k++)
                OB_TRY(add_backward_input(w, (ob_edge_id)i, k, err));
    return add_outputs(w, OB_PASS_BACKWARD, graph->output_count, &p->grads, &p->grad_count, err);
}

/* ---- */

static ob_status plan(work *w, ob_err *err)
{
    ob_prepared *p = w->prepared;
    ob_backend *backend = p->backend;
    const ob_graph *graph;
    p->backward = w->args->backward != NULL && w->args->pass == OB_PASS_BACKWARD;
    p->has_constants = w->args->parameter_count > 0 && !backend->weights_as_inputs;
    OB_TRY(ob_kit_resolve_forward(backend->host, w->args, resolve, backend, &graph,
                                  &w->own[OB_PASS_FORWARD], w->map, err));
    OB_TRY(translate(w, OB_PASS_FORWARD, err));
    OB_TRY(each_outside(w, bind_outside, err));
    OB_TRY(each_outside(w, bind_written, err));
    OB_TRY(add_outputs(w, OB_PASS_FORWARD, w->args->graph->output_count, &p->outputs,
                       &p->output_count, err));
    if (p->backward)
        OB_TRY(plan_backward(w, err));
    OB_TRY(ort_session_open(backend, &w->translations[OB_PASS_FORWARD].model,
                            &p->passes[OB_PASS_FORWARD], err));
    return p->backward ? ort_session_open(backend, &w->translations[OB_PASS_BACKWARD].model,
                                          &p->passes[OB_PASS_BACKWARD], err)
                       : OB_OK;
}

ob_status ort_prepare(ob_backend *backend, const ob_prepare_args *args, ob_prepared **out,
                      ob_err *err)
{
    const ob_host *host = backend->host;
    *out = NULL;
    if (args->graph == NULL)
        return host->err_set(err, OB_ERR_STATE, "there is no graph to run");
    if (ort_is_file_case(args->graph))
        return ort_file_prepare(backend, args, out, err);
    work w = {.args = args,
              .prepared = calloc(1, sizeof *w.prepared),
              .map = calloc(args->graph->edge_count + 1, sizeof *w.map)};
    ob_status status = OB_OK;
    if (w.prepared == NULL || w.map == NULL) {
        status = host->err_set(err, OB_ERR_NOMEM, "out of memory");
    } else {
        w.prepared->backend = backend;
        status = plan(&w, err);
    }
    for (int p = 0; p < 2; p++) {
        ort_translation_fini(&w.translations[p]);
        host->graph_destroy(w.own[p]);
    }
    free(w.map);
    if (status == OB_OK)
        *out = w.prepared;
    else
        ort_release(w.prepared);
    return status;
}

static void free_copies(const ob_host *host, ort_copies *list)
{
    for (size_t i = 0; i < list->count; i++) {
        host->tensor_fini(&list->items[i].to);
        host->tensor_fini(&list->items[i].from);
    }
    free(list->items);
}

void ort_release(ob_prepared *prepared)
{
    if (prepared == NULL)
        return;
    const ob_backend *backend = prepared->backend;
    if (backend != NULL) {
        ort_session_close(backend, &prepared->passes[0]);
        ort_session_close(backend, &prepared->passes[1]);
        ob_kit_values_free(backend->host, prepared->outputs, prepared->output_count);
        ob_kit_values_free(backend->host, prepared->grads, prepared->grad_count);
        free_copies(backend->host, &prepared->after);
        free_copies(backend->host, &prepared->restore);
        free_copies(backend->host, &prepared->gathered);
    }
    free(prepared);
}

/* ---- what can be done ---- */

static ob_status try_graph(ob_backend *backend, const ob_graph *graph, ob_err *err)
{
    ob_graph *own = NULL;
    OB_TRY(ort_resolve(backend->host, graph, &own, err));
    ort_translation t = {.host = backend->host,
                         .graph = own != NULL ? own : graph,
                         .puts_nan_back = backend->loses_nan};
    const ob_status status = ort_translate(&t, err);
    ort_translation_fini(&t);
    backend->host->graph_destroy(own);
    return status;
}

static ob_status try_backward(ob_backend *backend, const ob_graph *graph, ob_err *err)
{
    const ob_host *host = backend->host;
    if (host->size <= offsetof(ob_host, backward_fini))
        return OB_OK; /* an older host: preparing will tell */
    ob_backward backward = {.graph = NULL};
    ob_status status = host->graph_derive_backward(graph, &backward, err);
    if (status == OB_OK && backward.graph != NULL)
        status = try_graph(backend, backward.graph, err);
    host->backward_fini(&backward);
    return status;
}

ob_status ort_supports(ob_backend *backend, const ob_graph *graph, ob_pass pass, ob_reason *why_not)
{
    ob_err err = {.message = ""};
    if (ort_is_file_case(graph) && pass == OB_PASS_FORWARD)
        return OB_OK;
    ob_status status = try_graph(backend, graph, &err);
    if (status == OB_OK && pass == OB_PASS_BACKWARD)
        status = try_backward(backend, graph, &err);
    if (status != OB_OK && why_not != NULL)
        snprintf(why_not->text, sizeof why_not->text, "%.255s", err.message);
    return status;
}
