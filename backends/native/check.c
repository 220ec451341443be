/* SPDX-License-Identifier: Apache-2.0
 *
 * Which graphs can be run: a kernel, or a plug-in's function, for each call; calls without one are
 * replaced by their decomposition. The answer needs no memory: it is about metas.
 */
#include "native.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first tensor of a value; NULL when there is none. */
static const ob_tensor *first_tensor(const ob_value *value)
{
    if (value->kind == OB_VALUE_TENSOR)
        return value->as.tensor;
    if (value->kind != OB_VALUE_LIST && value->kind != OB_VALUE_TUPLE)
        return NULL;
    for (size_t i = 0; i < value->as.list.count; i++) {
        if (value->as.list.items[i].kind == OB_VALUE_TENSOR)
            return value->as.list.items[i].as.tensor;
    }
    return NULL;
}

static const ob_tensor *first_operand_tensor(const ob_graph *graph, const ob_operand *operand)
{
    switch (operand->kind) {
    case OB_OPERAND_EDGE:
        return first_tensor(&graph->edges[operand->edge].meta);
    case OB_OPERAND_ITEM:
        return first_tensor(&graph->edges[operand->edge].meta.as.list.items[operand->index]);
    case OB_OPERAND_VALUE:
        return NULL;
    case OB_OPERAND_LIST:
        break;
    }
    const ob_tensor *tensor = NULL;
    for (size_t i = 0; tensor == NULL && i < operand->count; i++) {
        if (operand->items[i].kind != OB_OPERAND_LIST)
            tensor = first_operand_tensor(graph, &operand->items[i]);
    }
    return tensor;
}

static const ob_tensor *leading_tensor(const ob_graph *graph, const ob_graph_node *node)
{
    const ob_tensor *tensor = NULL;
    for (size_t i = 0; tensor == NULL && i < node->op->schema->arg_count; i++)
        tensor = first_operand_tensor(graph, &node->args[i]);
    for (size_t k = 0; tensor == NULL && k < node->output_count; k++)
        tensor = first_tensor(&graph->edges[node->outputs[k]].meta);
    return tensor;
}

static ob_status operand_meta(const ob_host *host, const ob_graph *graph, const ob_operand *operand,
                              ob_value *out, int depth, ob_err *err)
{
    switch (operand->kind) {
    case OB_OPERAND_EDGE:
        return host->value_copy(out, &graph->edges[operand->edge].meta, err);
    case OB_OPERAND_ITEM:
        return host->value_copy(
            out, &graph->edges[operand->edge].meta.as.list.items[operand->index], err);
    case OB_OPERAND_VALUE:
        return host->value_copy(out, &operand->value, err);
    case OB_OPERAND_LIST:
        break;
    }
    if (depth == 0)
        return host->err_set(err, OB_ERR_LIMIT, "lists of operands are nested too deeply");
    OB_TRY(host->value_init_list(out, OB_VALUE_LIST, operand->count, err));
    for (size_t i = 0; i < operand->count; i++)
        OB_TRY(
            operand_meta(host, graph, &operand->items[i], &out->as.list.items[i], depth - 1, err));
    return OB_OK;
}

/* The kernel's own check, on metas. */
static ob_status ask_kernel(ob_backend *backend, const native_kernel *kernel, const ob_graph *graph,
                            const ob_graph_node *node, ob_err *err)
{
    const ob_host *host = backend->env.host;
    const size_t args = node->op->schema->arg_count, outputs = node->output_count;
    ob_value *values = calloc(args + outputs + 1, sizeof *values);
    if (values == NULL)
        return host->err_set(err, OB_ERR_NOMEM, "out of memory");
    ob_status status = OB_OK;
    for (size_t i = 0; status == OB_OK && i < args; i++)
        status = operand_meta(host, graph, &node->args[i], &values[i], 4, err);
    for (size_t k = 0; status == OB_OK && k < outputs; k++)
        status = host->value_copy(&values[args + k], &graph->edges[node->outputs[k]].meta, err);
    native_call call = {.env = &backend->env,
                        .kernel = kernel,
                        .op = node->op,
                        .args = values,
                        .outputs = values + args};
    if (status == OB_OK)
        status = kernel->check(&call, err);
    for (size_t i = 0; i < args + outputs; i++)
        host->value_fini(&values[i]);
    free(values);
    return status;
}

static ob_status check_node(ob_backend *backend, const ob_graph *graph, const ob_graph_node *node,
                            ob_err *err)
{
    const ob_host *host = backend->env.host;
    const native_kernel *kernel = native_kernel_find(backend, node->op);
    char name[192];
    if (kernel == NULL && node->op->row->function != NULL)
        return OB_OK;
    if (kernel == NULL)
        return host->err_set(err, OB_ERR_UNSUPPORTED,
                             "the native backend has no kernel for %s; see docs/ops.md for what it "
                             "has, or use another backend",
                             native_op_name(node->op, name, sizeof name));
    const ob_tensor *tensor = leading_tensor(graph, node);
    if (tensor != NULL && (kernel->dtypes & (1u << tensor->dtype)) == 0)
        return host->err_set(err, OB_ERR_UNSUPPORTED,
                             "the native backend does not have %s for %s; use another dtype or "
                             "backend",
                             native_op_name(node->op, name, sizeof name),
                             host->dtype_get_info(tensor->dtype)->name);
    return kernel->check != NULL ? ask_kernel(backend, kernel, graph, node, err) : OB_OK;
}

static ob_status check_tensor(const ob_host *host, const ob_tensor *tensor, const char *name,
                              ob_err *err)
{
    if (tensor->layout != OB_LAYOUT_STRIDED)
        return host->err_set(err, OB_ERR_UNSUPPORTED,
                             "the native backend does not take sparse tensors (%s); make it dense",
                             name);
    if (tensor->device.type[0] != '\0' && strcmp(tensor->device.type, "cpu") != 0)
        return host->err_set(
            err, OB_ERR_UNSUPPORTED,
            "the tensor '%s' is to be on the device %s, and the native backend has "
            "the CPU only; write \"cpu\", or use a backend that has %s",
            name, tensor->device.type, tensor->device.type);
    return OB_OK;
}

static ob_status check_value(const ob_host *host, const ob_value *value, const char *name,
                             ob_err *err)
{
    if (value->kind == OB_VALUE_TENSOR)
        return check_tensor(host, value->as.tensor, name, err);
    if (value->kind != OB_VALUE_LIST && value->kind != OB_VALUE_TUPLE)
        return OB_OK;
    for (size_t i = 0; i < value->as.list.count; i++)
        if (value->as.list.items[i].kind == OB_VALUE_TENSOR)
            OB_TRY(check_tensor(host, value->as.list.items[i].as.tensor, name, err));
    return OB_OK;
}

static bool keep(void *ctx, const ob_op *op)
{
    const ob_backend *backend = ctx;
    return native_kernel_find(backend, op) != NULL || op->row->function != NULL ||
           op->row->decomposition == NULL;
}

ob_status native_resolve(ob_backend *backend, const ob_graph *graph, ob_graph **own, ob_err *err)
{
    const ob_host *host = backend->env.host;
    bool all = true;
    *own = NULL;
    for (size_t i = 0; i < graph->node_count; i++)
        all = all && keep(backend, graph->nodes[i].op);
    if (!all)
        OB_TRY(host->graph_decompose(graph, keep, backend, own, err));
    const ob_graph *final = all ? graph : *own;
    ob_status status = OB_OK;
    for (size_t i = 0; status == OB_OK && i < final->edge_count; i++)
        status = check_value(host, &final->edges[i].meta, final->edges[i].name, err);
    for (size_t i = 0; status == OB_OK && i < final->node_count; i++)
        status = check_node(backend, final, &final->nodes[i], err);
    if (status != OB_OK) {
        host->graph_destroy(*own);
        *own = NULL;
    }
    return status;
}

/* What the derived backward calls. */
static ob_status check_backward(ob_backend *backend, const ob_graph *graph, ob_err *err)
{
    const ob_host *host = backend->env.host;
    if (host->size <= offsetof(ob_host, backward_fini))
        return OB_OK; /* an older host: preparing will tell */
    ob_backward backward = {.graph = NULL};
    ob_graph *own = NULL;
    ob_status status = host->graph_derive_backward(graph, &backward, err);
    if (status == OB_OK && backward.graph != NULL) {
        status = native_resolve(backend, backward.graph, &own, err);
        host->graph_destroy(own);
    }
    host->backward_fini(&backward);
    return status;
}

ob_status native_supports(ob_backend *backend, const ob_graph *graph, ob_pass pass,
                          ob_reason *why_not)
{
    ob_graph *own = NULL;
    ob_err err;
    ob_status status = native_resolve(backend, graph, &own, &err);
    if (status == OB_OK && pass == OB_PASS_BACKWARD)
        status = check_backward(backend, graph, &err);
    if (status != OB_OK && why_not != NULL)
        snprintf(why_not->text, sizeof why_not->text, "%.255s", err.message);
    backend->env.host->graph_destroy(own);
    return status;
}
