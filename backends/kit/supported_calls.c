/* SPDX-License-Identifier: Apache-2.0
 *
 * Which graphs can be run: a kernel, or a plug-in's function, for each call; calls without one are
 * replaced by their decomposition. The answer needs no memory: it is about metas.
 */
#include "kit/prepared_case.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first tensor of a value; NULL when there is none. */
static const ob_tensor *first_tensor(const ob_value *value)
{
    if (value->kind == OB_VALUE_TENSOR)
        return value->as.tensor;
    if (!ob_value_is_list(value))
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

/* The kernel's own check, on metas. */
static ob_status ask_kernel(ob_kit_engine *engine, const ob_kit_kernel *kernel,
                            const ob_graph *graph, const ob_graph_node *node, ob_err *err)
{
    const ob_host *host = engine->host;
    const size_t args = node->op->schema->arg_count, outputs = node->output_count;
    ob_value *values = calloc(args + outputs + 1, sizeof *values);
    if (values == NULL)
        return host->err_set(err, OB_ERR_NOMEM, "out of memory");
    ob_status status = OB_OK;
    for (size_t i = 0; status == OB_OK && i < args; i++)
        status = ob_kit_operand_value(host, graph, NULL, &node->args[i], &values[i], err);
    for (size_t k = 0; status == OB_OK && k < outputs; k++)
        status = host->value_copy(&values[args + k], &graph->edges[node->outputs[k]].meta, err);
    ob_kit_call call = {.host = host,
                        .env = engine->env,
                        .device = engine->device,
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

static bool is_complex(ob_dtype dtype)
{
    return dtype == OB_DTYPE_C64 || dtype == OB_DTYPE_C128;
}

/* A complex number, or a tensor of them, whose dtype the kernel does not have. Its row speaks of the leading tensor, and
 * other real dtypes go with each of those; complex ones do not. */
static ob_dtype foreign_complex(const ob_kit_kernel *kernel, const ob_value *value)
{
    const ob_dtype dtype = value->kind == OB_VALUE_TENSOR    ? value->as.tensor->dtype
                           : value->kind == OB_VALUE_COMPLEX ? OB_DTYPE_C64
                                                             : OB_DTYPE_INVALID;
    if (dtype > OB_DTYPE_INVALID && is_complex(dtype) && (kernel->dtypes & (1u << dtype)) == 0)
        return dtype;
    ob_dtype found = OB_DTYPE_INVALID;
    if (ob_value_is_list(value))
        for (size_t i = 0; found == OB_DTYPE_INVALID && i < value->as.list.count; i++)
            found = foreign_complex(kernel, &value->as.list.items[i]);
    return found;
}

static ob_dtype foreign_operand(const ob_kit_kernel *kernel, const ob_graph *graph,
                                const ob_operand *operand)
{
    ob_dtype found = OB_DTYPE_INVALID;
    switch (operand->kind) {
    case OB_OPERAND_EDGE:
        return foreign_complex(kernel, &graph->edges[operand->edge].meta);
    case OB_OPERAND_ITEM:
        return foreign_complex(kernel,
                               &graph->edges[operand->edge].meta.as.list.items[operand->index]);
    case OB_OPERAND_VALUE:
        return foreign_complex(kernel, &operand->value);
    case OB_OPERAND_LIST:
        break;
    }
    for (size_t i = 0; found == OB_DTYPE_INVALID && i < operand->count; i++)
        found = foreign_operand(kernel, graph, &operand->items[i]);
    return found;
}

/* The first dtype that the kernel does not have; OB_DTYPE_INVALID when it has all. */
static ob_dtype foreign_dtype(const ob_kit_kernel *kernel, const ob_graph *graph,
                              const ob_graph_node *node)
{
    const ob_tensor *leading = leading_tensor(graph, node);
    ob_dtype found = OB_DTYPE_INVALID;
    if (leading != NULL && (kernel->dtypes & (1u << leading->dtype)) == 0)
        return leading->dtype;
    for (size_t i = 0; found == OB_DTYPE_INVALID && i < node->op->schema->arg_count; i++)
        found = foreign_operand(kernel, graph, &node->args[i]);
    for (size_t k = 0; found == OB_DTYPE_INVALID && k < node->output_count; k++)
        found = foreign_complex(kernel, &graph->edges[node->outputs[k]].meta);
    return found;
}

static bool can_call(const ob_kit_engine *engine, const ob_op *op)
{
    return engine->device->has_functions && op->row->function != NULL;
}

static ob_status check_node(ob_kit_engine *engine, const ob_graph *graph, const ob_graph_node *node,
                            ob_err *err)
{
    const ob_host *host = engine->host;
    const ob_kit_kernel *kernel = ob_kit_kernel_find(engine, node->op);
    char name[192];
    if (kernel == NULL && can_call(engine, node->op))
        return OB_OK;
    if (kernel == NULL)
        return host->err_set(err, OB_ERR_UNSUPPORTED,
                             "the %s backend has no kernel for %s (%s); use another backend",
                             engine->device->name, ob_kit_op_name(node->op, name, sizeof name),
                             engine->device->has != NULL ? engine->device->has
                                                         : "docs/ops.md lists what it has");
    const ob_dtype foreign = foreign_dtype(kernel, graph, node);
    if (foreign != OB_DTYPE_INVALID)
        return host->err_set(err, OB_ERR_UNSUPPORTED,
                             "the %s backend does not have %s for %s; use another dtype or "
                             "backend",
                             engine->device->name, ob_kit_op_name(node->op, name, sizeof name),
                             host->dtype_get_info(foreign)->name);
    return kernel->check != NULL ? ask_kernel(engine, kernel, graph, node, err) : OB_OK;
}

static ob_status check_tensor(const ob_kit_engine *engine, const ob_tensor *tensor,
                              const char *name, ob_err *err)
{
    const ob_host *host = engine->host;
    const ob_kit_device *device = engine->device;
    if (device->dtypes != 0 && (device->dtypes & 1u << tensor->dtype) == 0)
        return host->err_set(err, OB_ERR_UNSUPPORTED,
                             "the %s backend has no %s (%s); use another dtype or backend",
                             device->name, host->dtype_get_info(tensor->dtype)->name, name);
    /* Inputs are made in host memory: a device brings those of the CPU over. */
    const bool brought = device->upload != NULL && strcmp(tensor->device.type, "cpu") == 0;
    return ob_kit_check_device(host, device->name, brought ? "cpu" : device->device_types, tensor,
                               name, err);
}

static ob_status check_value(const ob_kit_engine *engine, const ob_value *value, const char *name,
                             ob_err *err)
{
    if (value->kind == OB_VALUE_TENSOR)
        return check_tensor(engine, value->as.tensor, name, err);
    if (!ob_value_is_list(value))
        return OB_OK;
    for (size_t i = 0; i < value->as.list.count; i++)
        if (value->as.list.items[i].kind == OB_VALUE_TENSOR)
            OB_TRY(check_tensor(engine, value->as.list.items[i].as.tensor, name, err));
    return OB_OK;
}

static bool keep(void *ctx, const ob_op *op)
{
    const ob_kit_engine *engine = ctx;
    return ob_kit_kernel_find(engine, op) != NULL || can_call(engine, op) ||
           op->row->decomposition == NULL;
}

ob_status ob_kit_resolve(ob_kit_engine *engine, const ob_graph *graph, ob_graph **own, ob_err *err)
{
    const ob_host *host = engine->host;
    bool all = true;
    *own = NULL;
    for (size_t i = 0; i < graph->node_count; i++)
        all = all && keep(engine, graph->nodes[i].op);
    if (!all)
        OB_TRY(host->graph_decompose(graph, keep, engine, own, err));
    const ob_graph *final = all ? graph : *own;
    ob_status status = OB_OK;
    for (size_t i = 0; status == OB_OK && i < final->edge_count; i++)
        status = check_value(engine, &final->edges[i].meta, final->edges[i].name, err);
    for (size_t i = 0; status == OB_OK && i < final->node_count; i++)
        status = check_node(engine, final, &final->nodes[i], err);
    if (status != OB_OK) {
        host->graph_destroy(*own);
        *own = NULL;
    }
    return status;
}

/* What the derived backward calls. */
static ob_status check_backward(ob_kit_engine *engine, const ob_graph *graph, ob_err *err)
{
    const ob_host *host = engine->host;
    if (host->size <= offsetof(ob_host, backward_fini))
        return OB_OK; /* an older host: preparing will tell */
    ob_backward backward = {.graph = NULL};
    ob_graph *own = NULL;
    ob_status status = host->graph_derive_backward(graph, &backward, err);
    if (status == OB_OK && backward.graph != NULL) {
        status = ob_kit_resolve(engine, backward.graph, &own, err);
        host->graph_destroy(own);
    }
    host->backward_fini(&backward);
    return status;
}

ob_status ob_kit_supports(ob_kit_engine *engine, const ob_graph *graph, ob_pass pass,
                          ob_reason *why_not)
{
    ob_graph *own = NULL;
    ob_err err;
    ob_status status = ob_kit_resolve(engine, graph, &own, &err);
    if (status == OB_OK && pass == OB_PASS_BACKWARD)
        status = check_backward(engine, graph, &err);
    if (status != OB_OK && why_not != NULL)
        snprintf(why_not->text, sizeof why_not->text, "%.255s", err.message);
    engine->host->graph_destroy(own);
    return status;
}
