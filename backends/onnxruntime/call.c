/* SPDX-License-Identifier: Apache-2.0
 *
 * What rows are written with: arguments and results of a call, and nodes; see translate.h.
 */
#include "translate.h"

#include <string.h>

/* ---- arguments ---- */

static const ob_operand *operand_of(const ort_call *call, const char *name)
{
    const int index = call->t->host->schema_find_arg(call->schema, name);
    return index < 0 ? NULL : &call->node->args[index];
}

static const ort_slot *operand_slot(const ort_call *call, const ob_operand *operand,
                                    const ob_tensor **meta)
{
    if (operand == NULL || operand->kind == OB_OPERAND_VALUE || operand->kind == OB_OPERAND_LIST)
        return NULL;
    const ob_value *value = &call->t->graph->edges[operand->edge].meta;
    const size_t index = operand->kind == OB_OPERAND_ITEM ? operand->index : 0;
    if ((operand->kind == OB_OPERAND_EDGE && value->kind != OB_VALUE_TENSOR) ||
        index >= ob_kit_tensor_count(value))
        return NULL;
    *meta = ob_kit_tensor_at(value, index);
    return *meta != NULL ? ort_slot_at(call->t, operand->edge, index) : NULL;
}

ort_id ort_arg(const ort_call *call, const char *name)
{
    const ob_tensor *meta = NULL;
    const ort_slot *slot = operand_slot(call, operand_of(call, name), &meta);
    return slot != NULL ? slot->id : ORT_NONE;
}

ort_id ort_arg_as(const ort_call *call, const char *name, ob_dtype dtype)
{
    const ort_id id = ort_arg(call, name);
    return id == ORT_NONE ? id : ort_cast(call->t, id, dtype);
}

const ob_tensor *ort_arg_meta(const ort_call *call, const char *name)
{
    const ob_tensor *meta = NULL;
    return operand_slot(call, operand_of(call, name), &meta) != NULL ? meta : NULL;
}

size_t ort_arg_list(const ort_call *call, const char *name, ort_id *out, const ob_tensor **metas,
                    size_t capacity)
{
    const ob_operand *operand = operand_of(call, name);
    if (operand == NULL)
        return 0;
    if (operand->kind == OB_OPERAND_LIST) {
        for (size_t i = 0; i < operand->count && i < capacity; i++) {
            metas[i] = NULL;
            const ort_slot *slot = operand_slot(call, &operand->items[i], &metas[i]);
            out[i] = slot != NULL ? slot->id : ORT_NONE;
        }
        return operand->count;
    }
    if (operand->kind == OB_OPERAND_VALUE)
        return 0;
    const ob_value *value = &call->t->graph->edges[operand->edge].meta;
    const size_t count = ob_kit_tensor_count(value);
    for (size_t i = 0; i < count && i < capacity; i++) {
        metas[i] = ob_kit_tensor_at(value, i);
        out[i] = metas[i] != NULL ? ort_slot_at(call->t, operand->edge, i)->id : ORT_NONE;
    }
    return count;
}

const ob_value *ort_arg_value(const ort_call *call, const char *name)
{
    const ob_operand *operand = operand_of(call, name);
    if (operand == NULL || operand->kind == OB_OPERAND_LIST || operand->kind == OB_OPERAND_ITEM)
        return NULL;
    if (operand->kind == OB_OPERAND_VALUE)
        return &operand->value;
    const ob_value *meta = &call->t->graph->edges[operand->edge].meta;
    return meta->kind != OB_VALUE_TENSOR ? meta : NULL;
}

bool ort_arg_is_none(const ort_call *call, const char *name)
{
    const ob_operand *operand = operand_of(call, name);
    return operand == NULL ||
           (operand->kind == OB_OPERAND_VALUE && operand->value.kind == OB_VALUE_NONE);
}

int64_t ort_arg_int(const ort_call *call, const char *name, int64_t otherwise)
{
    return ob_kit_value_int(ort_arg_value(call, name), otherwise);
}

double ort_arg_double(const ort_call *call, const char *name, double otherwise)
{
    return ob_kit_value_double(ort_arg_value(call, name), otherwise);
}

bool ort_arg_bool(const ort_call *call, const char *name, bool otherwise)
{
    return ort_arg_int(call, name, otherwise) != 0;
}

const char *ort_arg_str(const ort_call *call, const char *name)
{
    return ob_kit_value_str(ort_arg_value(call, name));
}

size_t ort_arg_ints(const ort_call *call, const char *name, int64_t *out, size_t capacity)
{
    return ob_kit_value_ints(ort_arg_value(call, name), out, capacity);
}

/* ---- results ---- */

void ort_refuse(ort_call *call, const char *why)
{
    ort_fail(call->t, OB_ERR_UNSUPPORTED, "the onnxruntime backend cannot do this %s: %s",
             call->schema->name, why);
}

static const ob_value *result_value(const ort_call *call, size_t k, ob_edge_id *edge, size_t *index)
{
    const ob_graph_node *node = call->node;
    const bool list = node->output_count == 1 &&
                      call->t->graph->edges[node->outputs[0]].meta.kind == OB_VALUE_LIST;
    if ((list ? 0 : k) >= node->output_count)
        return NULL;
    *edge = node->outputs[list ? 0 : k];
    *index = list ? k : 0;
    const ob_value *meta = &call->t->graph->edges[*edge].meta;
    return *index < ob_kit_tensor_count(meta) ? meta : NULL;
}

const ob_tensor *ort_result_meta(const ort_call *call, size_t k)
{
    ob_edge_id edge;
    size_t index;
    const ob_value *meta = result_value(call, k, &edge, &index);
    return meta != NULL ? ob_kit_tensor_at(meta, index) : NULL;
}

/* A tensor has a new value: so have all edges that are the same tensor. A view of it would have to change
 * too, which values cannot. */
static void change(ort_call *call, ort_slot *slot, ort_id id)
{
    ort_translation *t = call->t;
    for (uint32_t i = 0; i < t->slot_count; i++) {
        ort_slot *other = &t->slots[i];
        if (other->same == slot->same) {
            other->id = id;
            other->elementwise = call->row->recipe != NULL;
        } else if (other->set && other->memory == slot->memory) {
            ort_refuse(call,
                       "it changes memory that another tensor shares, but ONNX only has values");
            return;
        }
    }
}

/* The slot that result k is, when the call changes it in place: item k of a list, else the first that is written. */
static ort_slot *changed_slot(const ort_call *call, size_t k)
{
    const ob_tensor *meta;
    size_t seen = 0;
    for (size_t i = 0; i < call->schema->arg_count; i++) {
        const ob_operand *operand = &call->node->args[i];
        if (!call->schema->args[i].writes)
            continue;
        if (operand->kind == OB_OPERAND_LIST)
            return k < operand->count ? (ort_slot *)operand_slot(call, &operand->items[k], &meta)
                                      : NULL;
        if (operand->kind == OB_OPERAND_EDGE &&
            call->t->graph->edges[operand->edge].meta.kind == OB_VALUE_LIST)
            return ort_slot_at(call->t, operand->edge, k);
        if (seen++ == k)
            return (ort_slot *)operand_slot(call, operand, &meta);
    }
    return NULL;
}

void ort_result(ort_call *call, size_t k, ort_id id)
{
    ort_translation *t = call->t;
    ob_edge_id edge = 0;
    size_t index = 0;
    const ob_value *meta = result_value(call, k, &edge, &index);
    ort_slot *changed = changed_slot(call, k);
    const ob_tensor *tensor = meta != NULL ? ob_kit_tensor_at(meta, index) : NULL;
    if (t->status != OB_OK || id == ORT_NONE)
        return;
    const ob_dtype dtype = tensor != NULL    ? tensor->dtype
                           : changed != NULL ? ort_dtype_of(t, changed->id)
                                             : ort_dtype_of(t, id);
    id = ort_cast(t, id, dtype);
    if (changed != NULL)
        change(call, changed, id);
    if (tensor == NULL || t->status != OB_OK)
        return;
    ort_slot *slot = ort_slot_at(t, edge, index);
    slot->id = id;
    slot->set = true;
    if (changed != NULL) {
        slot->same = changed->same;
        slot->memory = changed->memory;
    }
}

void ort_write_arg(ort_call *call, const char *name, ort_id id)
{
    const ob_tensor *meta = NULL;
    ort_slot *slot = (ort_slot *)operand_slot(call, operand_of(call, name), &meta);
    if (slot != NULL && call->t->status == OB_OK)
        change(call, slot, ort_cast(call->t, id, meta->dtype));
}
