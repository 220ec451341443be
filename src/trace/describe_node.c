/* SPDX-License-Identifier: Apache-2.0
 *
 * One node of a trace, as JSON.
 */
#include "trace/describe.h"

#include "trace/trace_model.h"

#include <string.h>

static const char *const NODE_KINDS[] = {
    [OB_TRACE_LABEL] = "label", [OB_TRACE_OPERATOR] = "operator", [OB_TRACE_COMM] = "communication",
    [OB_TRACE_FUSED] = "fused", [OB_TRACE_COMPILED] = "compiled",
};

static ob_json *sizes_array(ob_describe *d, const int64_t *sizes, int count)
{
    ob_json *array = ob_json_new_array(d->doc);
    for (int i = 0; i < count; i++)
        ob__describe_append(d, array, ob_json_new_int(d->doc, sizes[i]));
    return array;
}

static ob_json *describe_tensor(ob_describe *d, const ob_trace_tensor *tensor)
{
    const ob_dtype_info *info = ob_dtype_get_info(tensor->dtype);
    ob_json *object = ob_json_new_object(d->doc);
    ob__describe_int(d, object, "tensor", tensor->id);
    ob__describe_int(d, object, "storage", tensor->storage);
    ob__describe_int(d, object, "offset", tensor->offset);
    ob__describe_text(d, object, "dtype", info != NULL ? info->torch_name : tensor->dtype_text);
    ob__describe_set(d, object, "shape", sizes_array(d, tensor->sizes, tensor->ndim));
    if (tensor->has_strides)
        ob__describe_set(d, object, "strides", sizes_array(d, tensor->strides, tensor->ndim));
    if (tensor->has_range) {
        ob_json *range = ob_json_new_array(d->doc);
        ob__describe_append(d, range, ob_json_new_real(d->doc, tensor->min));
        ob__describe_append(d, range, ob_json_new_real(d->doc, tensor->max));
        ob__describe_set(d, object, "range", range);
    }
    ob__describe_text(d, object, "device", tensor->device);
    return object;
}

static const ob_json *describe_value(ob_describe *d, const ob_trace_value *value)
{
    ob_json *array;
    switch ((ob_trace_value_kind)value->kind) {
    case OB_TRACE_NONE:
    case OB_TRACE_NO_TENSOR:
    case OB_TRACE_UNRECORDED:
        return ob_json_new_null(d->doc);
    case OB_TRACE_BOOL:
        return ob_json_new_bool(d->doc, value->as.integer != 0);
    case OB_TRACE_INT:
        return ob_json_new_int(d->doc, value->as.integer);
    case OB_TRACE_DOUBLE:
        return ob_json_new_real(d->doc, value->as.real);
    case OB_TRACE_GENERATOR:
        return ob_json_new_string(d->doc, "<generator>", 11);
    case OB_TRACE_STR:
    case OB_TRACE_DEVICE:
    case OB_TRACE_OTHER:
        return ob_json_new_string(d->doc, value->as.text, value->count);
    case OB_TRACE_TENSOR:
        return describe_tensor(d, value->as.tensor);
    case OB_TRACE_LIST:
    case OB_TRACE_TUPLE:
        break;
    }
    array = ob_json_new_array(d->doc);
    for (uint32_t i = 0; i < value->count && d->status == OB_OK; i++)
        ob__describe_append(d, array, describe_value(d, &value->as.items[i]));
    return array;
}

static const ob_json *describe_values(ob_describe *d, const ob_trace_value *values, uint32_t count)
{
    ob_json *array = ob_json_new_array(d->doc);
    for (uint32_t i = 0; i < count && d->status == OB_OK; i++)
        ob__describe_append(d, array, describe_value(d, &values[i]));
    return array;
}

ob_status ob_trace_describe_node(const ob_trace *trace, size_t index, ob_json_doc *doc,
                                 const ob_json **out, ob_err *err)
{
    ob_describe d = {.doc = doc, .err = err};
    *out = NULL;
    if (index >= trace->node_count)
        return ob_err_set(err, OB_ERR_INVALID, "there is no node %zu", index);
    const ob_trace_node *node = &trace->nodes[index];
    ob_json *object = ob_json_new_object(doc);
    ob__describe_int(&d, object, "id", node->id);
    ob__describe_text(&d, object, "name", node->name);
    ob__describe_text(&d, object, "kind", NODE_KINDS[node->kind]);
    ob__describe_set(&d, object, "parent",
                     node->parent != OB_TRACE_NO_NODE
                         ? ob_json_new_int(doc, trace->nodes[node->parent].id)
                         : ob_json_new_null(doc));
    ob__describe_int(&d, object, "tid", node->tid);
    ob__describe_int(&d, object, "line", node->line);
    if (node->schema[0] != '\0')
        ob__describe_text(&d, object, "schema", node->schema);
    if (node->duration_us >= 0) {
        ob__describe_real(&d, object, "start_us", node->start_us);
        ob__describe_real(&d, object, "time_us", node->duration_us);
    }
    ob__describe_set(&d, object, "inputs", describe_values(&d, node->inputs, node->input_count));
    ob__describe_set(&d, object, "outputs", describe_values(&d, node->outputs, node->output_count));
    if (d.status == OB_OK)
        *out = object;
    return d.status;
}
