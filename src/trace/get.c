/* SPDX-License-Identifier: Apache-2.0
 *
 * Looking at a trace.
 */
#include "trace/trace_model.h"

const char *ob_trace_name(const ob_trace *trace)
{
    return trace->name;
}

const char *ob_trace_schema(const ob_trace *trace)
{
    return trace->schema;
}

size_t ob_trace_node_count(const ob_trace *trace)
{
    return trace->node_count;
}

const ob_trace_node *ob_trace_node_at(const ob_trace *trace, size_t index)
{
    return index < trace->node_count ? &trace->nodes[index] : NULL;
}

uint32_t ob_trace_find_node(const ob_trace *trace, int64_t id)
{
    size_t low = 0, high = trace->node_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (trace->nodes[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < trace->node_count && trace->nodes[low].id == id ? (uint32_t)low : OB_TRACE_NO_NODE;
}

size_t ob_trace_tensor_count(const ob_trace *trace)
{
    return trace->tensor_count;
}

size_t ob_trace_iteration_count(const ob_trace *trace)
{
    return trace->iteration_count;
}

const ob_trace_node *ob_trace_iteration_at(const ob_trace *trace, size_t index)
{
    return index < trace->iteration_count ? &trace->nodes[trace->iterations[index]] : NULL;
}

size_t ob_trace_memory_bytes(const ob_trace *trace)
{
    return trace->arena.used_bytes + ob__intern_bytes(&trace->blobs) +
           ob__intern_bytes(&trace->tensor_index) + trace->node_capacity * sizeof *trace->nodes +
           trace->tensor_capacity * sizeof *trace->tensors;
}

uint64_t ob_trace_text_bytes(const ob_trace *trace)
{
    return trace->text_bytes;
}
