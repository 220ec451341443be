/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables of kernels, and the arguments of calls.
 */
#include "onednn_kernel.h"

#include <stdio.h>
#include <string.h>

static const dnn_kernel *const GROUPS[] = {
#define DNN_GROUP(group) dnn_kernels_##group,
#include "onednn_kernel_groups.def"
#undef DNN_GROUP
};

/* Only while planning: a walk over some two hundred rows is nothing beside making a primitive. */
static const dnn_kernel *find(const char *name)
{
    for (size_t g = 0; g < sizeof GROUPS / sizeof *GROUPS; g++) {
        for (const dnn_kernel *kernel = GROUPS[g]; kernel->name != NULL; kernel++) {
            if (strcmp(kernel->name, name) == 0)
                return kernel;
        }
    }
    return NULL;
}

const dnn_kernel *dnn_kernel_find(const ob_op *op)
{
    char name[192];
    const dnn_kernel *kernel = find(ob_kit_op_name(op, name, sizeof name));
    if (kernel != NULL || ob_kit_usual_name(op, name, sizeof name) == NULL)
        return kernel;
    kernel = find(name);
    return kernel != NULL && kernel->in_place ? kernel : NULL;
}

ob_status dnn_refuse(const dnn_call *call, ob_err *err, const char *reason)
{
    char name[192];
    return call->host->err_set(err, OB_ERR_UNSUPPORTED, "%s: %s; use another backend",
                               ob_kit_op_name(call->node->op, name, sizeof name), reason);
}

ob_status dnn_refuse_inexact(const dnn_call *call, ob_err *err)
{
    return call->plan->inexact
               ? OB_OK
               : dnn_refuse(call, err,
                            "oneDNN's float32 logarithm is off by 2e-6, more than the operator "
                            "allows; the backend's option inexact=on accepts it");
}

static const ob_operand *find_operand(const dnn_call *call, const char *name)
{
    const int index = call->host->schema_find_arg(call->node->op->schema, name);
    return index >= 0 ? &call->node->args[index] : NULL;
}

const ob_value *dnn_arg_value(const dnn_call *call, const char *name)
{
    const ob_operand *operand = find_operand(call, name);
    if (operand == NULL)
        return NULL;
    if (operand->kind == OB_OPERAND_EDGE)
        return &call->graph->edges[operand->edge].meta;
    return operand->kind == OB_OPERAND_VALUE ? &operand->value : NULL;
}

static dnn_view operand_view(const dnn_call *call, const ob_operand *operand)
{
    if (operand != NULL && operand->kind == OB_OPERAND_EDGE &&
        call->graph->edges[operand->edge].meta.kind == OB_VALUE_TENSOR)
        return call->views[operand->edge][0];
    if (operand != NULL && operand->kind == OB_OPERAND_ITEM)
        return call->views[operand->edge][operand->index];
    return (dnn_view){.group = DNN_NONE_ID};
}

dnn_view dnn_arg_view(const dnn_call *call, const char *name)
{
    return operand_view(call, find_operand(call, name));
}

size_t dnn_arg_views(const dnn_call *call, const char *name, dnn_view *out, size_t capacity)
{
    const ob_operand *operand = find_operand(call, name);
    if (operand == NULL)
        return 0;
    if (operand->kind == OB_OPERAND_LIST) {
        for (size_t i = 0; i < operand->count && i < capacity; i++)
            out[i] = operand_view(call, &operand->items[i]);
        return operand->count;
    }
    if (operand->kind != OB_OPERAND_EDGE)
        return 0;
    const ob_value *meta = &call->graph->edges[operand->edge].meta;
    if (meta->kind != OB_VALUE_LIST)
        return 0;
    for (size_t i = 0; i < meta->as.list.count && i < capacity; i++)
        out[i] = call->views[operand->edge][i];
    return meta->as.list.count;
}

double dnn_arg_double(const dnn_call *call, const char *name, double otherwise)
{
    return ob_kit_value_double(dnn_arg_value(call, name), otherwise);
}

int64_t dnn_arg_int(const dnn_call *call, const char *name, int64_t otherwise)
{
    return ob_kit_value_int(dnn_arg_value(call, name), otherwise);
}

bool dnn_arg_bool(const dnn_call *call, const char *name, bool otherwise)
{
    return dnn_arg_int(call, name, otherwise) != 0;
}

bool dnn_arg_is_none(const dnn_call *call, const char *name)
{
    const ob_operand *operand = find_operand(call, name);
    const ob_value *value = dnn_arg_value(call, name);
    return operand == NULL || (value != NULL && value->kind == OB_VALUE_NONE);
}

size_t dnn_arg_ints(const dnn_call *call, const char *name, int64_t *out, size_t capacity)
{
    return ob_kit_value_ints(dnn_arg_value(call, name), out, capacity);
}

dnn_view dnn_output(const dnn_call *call, size_t k)
{
    if (k < call->node->output_count &&
        call->graph->edges[call->node->outputs[k]].meta.kind == OB_VALUE_TENSOR)
        return call->views[call->node->outputs[k]][0];
    return (dnn_view){.group = DNN_NONE_ID};
}

static bool refers_to(const ob_operand *operand, ob_edge_id edge)
{
    if (operand->kind == OB_OPERAND_EDGE || operand->kind == OB_OPERAND_ITEM)
        return operand->edge == edge;
    bool found = false;
    for (size_t i = 0; operand->kind == OB_OPERAND_LIST && !found && i < operand->count; i++)
        found = refers_to(&operand->items[i], edge);
    return found;
}

bool dnn_output_is_used(const dnn_call *call, size_t k)
{
    const ob_edge_id edge = call->node->outputs[k];
    bool used = false;
    for (size_t i = 0; !used && i < call->graph->output_count; i++)
        used = call->graph->outputs[i] == edge;
    for (size_t n = 0; !used && n < call->graph->node_count; n++) {
        const ob_graph_node *node = &call->graph->nodes[n];
        for (size_t i = 0; !used && i < node->op->schema->arg_count; i++)
            used = refers_to(&node->args[i], edge);
    }
    return used;
}
