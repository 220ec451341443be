/* SPDX-License-Identifier: Apache-2.0
 *
 * What rows are written with: arguments and results of a call, and nodes; see translate.h.
 */
#include "translate.h"

#include <math.h>
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
        index >= ort_tensor_count(value))
        return NULL;
    *meta = ort_tensor_at(value, index);
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
    const size_t count = ort_tensor_count(value);
    for (size_t i = 0; i < count && i < capacity; i++) {
        metas[i] = ort_tensor_at(value, i);
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

static double as_double(const ob_value *value)
{
    return value->kind == OB_VALUE_DOUBLE ? value->as.real
           : value->kind == OB_VALUE_BOOL ? value->as.boolean
                                          : (double)value->as.integer;
}

static bool is_number(const ob_value *value)
{
    return value != NULL && (value->kind == OB_VALUE_INT || value->kind == OB_VALUE_BOOL ||
                             value->kind == OB_VALUE_DOUBLE);
}

int64_t ort_arg_int(const ort_call *call, const char *name, int64_t otherwise)
{
    const ob_value *value = ort_arg_value(call, name);
    if (!is_number(value))
        return otherwise;
    if (value->kind == OB_VALUE_INT)
        return value->as.integer;
    const double real = as_double(value);
    return fabs(real) < 9223372036854775808.0 ? (int64_t)real : 0;
}

double ort_arg_double(const ort_call *call, const char *name, double otherwise)
{
    const ob_value *value = ort_arg_value(call, name);
    return is_number(value) ? as_double(value) : otherwise;
}

bool ort_arg_bool(const ort_call *call, const char *name, bool otherwise)
{
    return ort_arg_int(call, name, otherwise) != 0;
}

const char *ort_arg_str(const ort_call *call, const char *name)
{
    const ob_value *value = ort_arg_value(call, name);
    return value != NULL && value->kind == OB_VALUE_STR ? value->as.str.text : "";
}

size_t ort_arg_ints(const ort_call *call, const char *name, int64_t *out, size_t capacity)
{
    const ob_value *value = ort_arg_value(call, name);
    if (is_number(value)) {
        if (capacity > 0)
            out[0] = ort_arg_int(call, name, 0);
        return 1;
    }
    if (value == NULL || (value->kind != OB_VALUE_LIST && value->kind != OB_VALUE_TUPLE))
        return 0;
    for (size_t i = 0; i < value->as.list.count && i < capacity; i++) {
        const ob_value *item = &value->as.list.items[i];
        out[i] = is_number(item) ? (int64_t)as_double(item) : 0;
        if (item->kind == OB_VALUE_INT)
            out[i] = item->as.integer;
    }
    return value->as.list.count;
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
    return *index < ort_tensor_count(meta) ? meta : NULL;
}

const ob_tensor *ort_result_meta(const ort_call *call, size_t k)
{
    ob_edge_id edge;
    size_t index;
    const ob_value *meta = result_value(call, k, &edge, &index);
    return meta != NULL ? ort_tensor_at(meta, index) : NULL;
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
            ort_refuse(call, "it changes memory that another tensor shares; ONNX has values only");
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
    const ob_tensor *tensor = meta != NULL ? ort_tensor_at(meta, index) : NULL;
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

/* ---- nodes ---- */

ob_dtype ort_dtype_of(const ort_translation *t, ort_id id)
{
    return id < t->model.value_count ? t->model.values[id].dtype : OB_DTYPE_INVALID;
}

ort_id ort_emit(ort_translation *t, const char *op, ob_dtype dtype, const ort_id *inputs,
                size_t input_count, const ort_attr *attrs)
{
    return ort_model_node(&t->model, op, inputs, input_count, 1, dtype, attrs);
}

ort_id ort_cast(ort_translation *t, ort_id id, ob_dtype dtype)
{
    if (id == ORT_NONE || ort_dtype_of(t, id) == dtype)
        return id;
    return ort_emit(t, "Cast", dtype, &id, 1, ORT_ATTRS(ORT_I("to", ort_dtype_number(dtype))));
}

/* IEEE half precision, to nearest even. */
static uint16_t to_f16(double value)
{
    const uint16_t sign = signbit(value) ? 0x8000 : 0;
    const double size = fabs(value);
    if (isnan(value))
        return 0x7e00;
    if (size >= 65520)
        return sign | 0x7c00;
    int exponent = size > 0 ? ilogb(size) : -15;
    if (exponent < -14)
        exponent = -14;
    const double steps = nearbyint(ldexp(size, 10 - exponent)); /* 0 .. 2048 */
    return (uint16_t)(sign | (unsigned)((exponent + 14) * 1024 + (int)steps));
}

static uint16_t to_bf16(double value)
{
    const float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    if (isnan(single))
        return 0x7fc0;
    bits += 0x7fff + (bits >> 16 & 1);
    return (uint16_t)(bits >> 16);
}

static ort_id number(ort_translation *t, ob_dtype dtype, double real, int64_t whole)
{
    union {
        float f32;
        double f64;
        uint16_t half;
        int8_t i8;
        int16_t i16;
        int32_t i32;
        int64_t i64;
        uint8_t u8;
    } data = {.i64 = 0};
    switch (dtype) {
    case OB_DTYPE_F32:
        data.f32 = (float)real;
        break;
    case OB_DTYPE_F64:
        data.f64 = real;
        break;
    case OB_DTYPE_F16:
        data.half = to_f16(real);
        break;
    case OB_DTYPE_BF16:
        data.half = to_bf16(real);
        break;
    case OB_DTYPE_BOOL:
        data.u8 = real != 0;
        break;
    default: /* the low bytes come first */
        data.i64 = whole;
        break;
    }
    return ort_model_constant(&t->model, dtype, NULL, 0, &data,
                              t->host->dtype_get_info(dtype)->size_bytes);
}

ort_id ort_number(ort_translation *t, ob_dtype dtype, double value)
{
    return number(t, dtype, value, fabs(value) < 9e18 ? (int64_t)value : 0);
}

ort_id ort_number_from(ort_translation *t, ob_dtype dtype, const ob_value *value)
{
    if (!is_number(value))
        return ORT_NONE;
    if (value->kind == OB_VALUE_INT)
        return number(t, dtype, (double)value->as.integer, value->as.integer);
    return ort_number(t, dtype, as_double(value));
}

ort_id ort_ints(ort_translation *t, const int64_t *values, size_t count)
{
    const int64_t size = (int64_t)count;
    return ort_model_constant(&t->model, OB_DTYPE_I64, &size, 1, values, count * sizeof *values);
}

ort_id ort_filled(ort_translation *t, ob_dtype dtype, double value, const int64_t *sizes, int ndim)
{
    const ort_id shape = ort_ints(t, sizes, (size_t)ndim);
    return ort_emit(t, "Expand", dtype, ORT_IN(ort_number(t, dtype, value), shape), NULL);
}

ort_id ort_reshape(ort_translation *t, ort_id id, const int64_t *sizes, int ndim)
{
    const ort_id shape = ort_ints(t, sizes, (size_t)ndim);
    /* allowzero: a size 0 is meant, and not "as it was". */
    return ort_emit(t, "Reshape", ort_dtype_of(t, id), ORT_IN(id, shape),
                    ORT_ATTRS(ORT_I("allowzero", 1)));
}

ort_id ort_reshape_like(ort_translation *t, ort_id id, const ob_tensor *meta)
{
    return ort_reshape(t, id, meta->sizes, meta->ndim);
}

ort_id ort_transpose(ort_translation *t, ort_id id, const int64_t *order, int ndim)
{
    return ort_emit(t, "Transpose", ort_dtype_of(t, id), &id, 1,
                    ORT_ATTRS(ORT_IS("perm", order, (size_t)ndim)));
}

int ort_dim(int64_t dim, int ndim)
{
    const int64_t dims = ndim > 0 ? ndim : 1;
    return (int)(dim < 0 ? dim + dims : dim);
}

int64_t ort_numel(const ob_tensor *meta)
{
    int64_t count = 1;
    for (int d = 0; d < meta->ndim; d++)
        count *= meta->sizes[d];
    return count;
}

bool ort_is_float(ob_dtype dtype)
{
    return dtype == OB_DTYPE_F16 || dtype == OB_DTYPE_BF16 || dtype == OB_DTYPE_F32 ||
           dtype == OB_DTYPE_F64;
}
