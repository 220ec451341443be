/* SPDX-License-Identifier: Apache-2.0
 *
 * Results as bytes: a head with what the bound depends on, then one item per tensor, elements row-major.
 * Lists are flat, numbers are tensors of one element. The text comes from another process that an operator may have
 * damaged, so a reader trusts none of its sizes.
 */
#include "run/result_check_int.h"

#include "base/text_append.h"

#include <stdio.h>
#include <string.h>

static ob_status no_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the results that are compared");
}

/* ---- writing ---- */

/* Elements in row-major order, whatever the strides. */
static bool append_elements(ob_text *out, const ob_tensor *tensor)
{
    const size_t size = ob_dtype_size(tensor->dtype);
    const int64_t count = ob_tensor_numel(tensor);
    const char *data = ob_tensor_data(tensor);
    if (count == 0)
        return true;
    if (ob_tensor_is_contiguous(tensor))
        return ob_text_append(out, data, (size_t)count * size);
    if (!ob_text_reserve(out, (size_t)count * size + 1))
        return false;
    int64_t index[OB_MAX_DIMS] = {0}, offset = 0;
    for (int64_t i = 0; i < count; i++) {
        if (!ob_text_append(out, data + offset * (int64_t)size, size))
            return false;
        for (int d = tensor->ndim - 1; d >= 0; d--) {
            offset += tensor->strides[d];
            if (++index[d] < tensor->sizes[d])
                break;
            offset -= index[d] * tensor->strides[d];
            index[d] = 0;
        }
    }
    return true;
}

static bool append_item(ob_text *out, const char *name, const ob_tensor *tensor)
{
    ob_item item = {.dtype = (int32_t)tensor->dtype, .ndim = tensor->ndim};
    memccpy(item.name, name, '\0', sizeof item.name - 1);
    for (int d = 0; d < tensor->ndim; d++)
        item.sizes[d] = tensor->sizes[d];
    static const char ZEROS[8] = {0};
    const size_t from = out->size;
    return ob_text_append(out, (const char *)&item, sizeof item) && append_elements(out, tensor) &&
           ob_text_append(out, ZEROS, (8 - (out->size - from) % 8) % 8);
}

/* Numbers have no storage of their own. */
static bool append_number(ob_text *out, const char *name, ob_dtype dtype, const void *value)
{
    ob_item item = {.dtype = (int32_t)dtype};
    memccpy(item.name, name, '\0', sizeof item.name - 1);
    return ob_text_append(out, (const char *)&item, sizeof item) && ob_text_append(out, value, 8);
}

typedef struct counter {
    uint64_t items;
    int depth;
} counter;

static bool append_value(ob_text *out, const char *name, const ob_value *value, counter *count)
{
    const int64_t truth = value->kind == OB_VALUE_BOOL && value->as.boolean;
    switch (value->kind) {
    case OB_VALUE_LIST:
    case OB_VALUE_TUPLE:
        if (count->depth == OB_VALUE_MAX_DEPTH)
            return true;
        count->depth++;
        for (size_t i = 0; i < value->as.list.count; i++)
            if (!append_value(out, name, &value->as.list.items[i], count))
                return false;
        count->depth--;
        return true;
    case OB_VALUE_TENSOR: {
        const ob_tensor *t = value->as.tensor;
        if (ob_layout_is_sparse(t->layout)) {
            count->items += 2;
            return append_item(out, name, t->indices) && append_item(out, name, t->values);
        }
        if (ob_tensor_data(t) == NULL && ob_tensor_numel(t) > 0)
            return true;
        count->items++;
        return append_item(out, name, t);
    }
    case OB_VALUE_BOOL:
        count->items++;
        return append_number(out, name, OB_DTYPE_I64, &truth);
    case OB_VALUE_INT:
        count->items++;
        return append_number(out, name, OB_DTYPE_I64, &value->as.integer);
    case OB_VALUE_DOUBLE:
        count->items++;
        return append_number(out, name, OB_DTYPE_F64, &value->as.real);
    default:
        return true;
    }
}

ob_status ob__results_pack(const ob_pack_args *args, ob_text *out, ob_err *err)
{
    const size_t mark = out->size;
    ob_pack_head head = {.mark = OB_PACK_MARK, .facts = *args->facts};
    counter outputs = {0}, gradients = {0};
    if (!ob_text_append(out, (const char *)&head, sizeof head))
        return no_memory(err);
    for (size_t i = 0; i < args->output_count; i++) {
        char name[32];
        snprintf(name, sizeof name, "output %zu", i);
        if (!append_value(out, name, &args->outputs[i], &outputs))
            return no_memory(err);
    }
    for (size_t i = 0; i < args->gradient_count; i++)
        if (args->gradient_names[i][0] != '\0' &&
            !append_value(out, args->gradient_names[i], &args->gradients[i], &gradients))
            return no_memory(err);
    head.outputs = outputs.items;
    head.gradients = gradients.items;
    memcpy(out->data + mark, &head, sizeof head);
    return OB_OK;
}

/* ---- reading ---- */

static bool is_item(const ob_item *item)
{
    if (item->dtype < 0 || item->dtype >= OB_DTYPE_COUNT || item->ndim < 0 ||
        item->ndim > OB_MAX_DIMS || memchr(item->name, '\0', sizeof item->name) == NULL)
        return false;
    return true;
}

bool ob__pack_open(ob_packed packed, ob_pack_cursor *out)
{
    if (packed.size < sizeof out->head)
        return false;
    memcpy(&out->head, packed.data, sizeof out->head);
    out->at = packed.data + sizeof out->head;
    out->left = packed.size - sizeof out->head;
    return out->head.mark == OB_PACK_MARK && out->head.facts.kind <= OB_TOL_UNDEFINED &&
           (int)out->head.facts.kind >= 0;
}

bool ob__pack_next(ob_pack_cursor *cursor, ob_pack_item *out)
{
    int64_t numel;
    if (cursor->left < sizeof out->item)
        return false;
    memcpy(&out->item, cursor->at, sizeof out->item);
    if (!is_item(&out->item) ||
        ob_shape_numel(out->item.sizes, out->item.ndim, &numel, NULL) != OB_OK)
        return false;
    const size_t element = ob_dtype_size((ob_dtype)out->item.dtype);
    const size_t left = cursor->left - sizeof out->item;
    if ((uint64_t)numel > left / element)
        return false;
    const size_t bytes = ((size_t)numel * element + 7) / 8 * 8;
    if (bytes > left)
        return false;
    out->data = cursor->at + sizeof out->item;
    out->count = (uint64_t)numel;
    cursor->at = out->data + bytes;
    cursor->left = left - bytes;
    return true;
}
