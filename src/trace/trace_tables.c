/* SPDX-License-Identifier: Apache-2.0
 *
 * Putting a trace together: tables in which everything stands once.
 */
#include "trace/trace_model.h"

#include "opbench/vec.h"

#include <stdlib.h>
#include <string.h>

const char *ob__trace_text(ob_trace *trace, const char *text, size_t length)
{
    return ob__intern(&trace->blobs, text, length, NULL);
}

const int64_t *ob__trace_sizes(ob_trace *trace, const int64_t *sizes, size_t count)
{
    return ob__intern(&trace->blobs, sizes, count * sizeof *sizes, NULL);
}

const ob_trace_value *ob__trace_values(ob_trace *trace, const ob_trace_value *values, size_t count)
{
    return ob__intern(&trace->blobs, values, count * sizeof *values, NULL);
}

const ob_trace_tensor *ob__trace_tensor(ob_trace *trace, const ob_trace_tensor *tensor)
{
    uint32_t ordinal;
    const ob_trace_tensor *stored =
        ob__intern(&trace->tensor_index, tensor, sizeof *tensor, &ordinal);
    if (stored == NULL || ordinal < trace->tensor_count)
        return stored;
    if (!OB_RESERVE(trace->tensors, trace->tensor_capacity, trace->tensor_count + 1))
        return NULL;
    trace->tensors[trace->tensor_count++] = stored;
    return stored;
}

bool ob__trace_add_node(ob_trace *trace, const ob_trace_node *node)
{
    if (trace->node_count >= OB_TRACE_NO_NODE || ob_trace_memory_bytes(trace) > trace->max_memory ||
        !OB_RESERVE(trace->nodes, trace->node_capacity, trace->node_count + 1))
        return false;
    trace->nodes[trace->node_count++] = *node;
    return true;
}

ob_status ob__trace_out_of_memory(const ob_trace *trace, uint32_t line, ob_err *err)
{
    return ob_err_set_at(err, OB_ERR_LIMIT, trace->name, line, 0, NULL,
                         "the trace needs more memory than the limit of %zu MiB, or than is "
                         "available; record fewer steps",
                         trace->max_memory >> 20);
}

ob_dtype ob__trace_dtype(const char *text, size_t length)
{
    /* Names of C++ types that are no names of dtypes, and the names that nearly all tensors have. */
    static const struct {
        const char *text;
        ob_dtype dtype;
    } ROWS[] = {
        {"float", OB_DTYPE_F32},
        {"long int", OB_DTYPE_I64},
        {"long", OB_DTYPE_I64},
        {"bool", OB_DTYPE_BOOL},
        {"long long", OB_DTYPE_I64},
        {"signed char", OB_DTYPE_I8},
        {"unsigned char", OB_DTYPE_U8},
        {"c10::Half", OB_DTYPE_F16},
        {"c10::BFloat16", OB_DTYPE_BF16},
        {"c10::complex<float>", OB_DTYPE_C64},
        {"c10::complex<double>", OB_DTYPE_C128},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        if (strlen(ROWS[i].text) == length && memcmp(ROWS[i].text, text, length) == 0)
            return ROWS[i].dtype;
    return ob_dtype_from_name(text, length);
}

static bool starts(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool ob__trace_is_compiled_graph(const char *name)
{
    return strcmp(name, "CompiledFunction") == 0 || strcmp(name, "CompiledFunctionBackward") == 0 ||
           starts(name, "## Call CompiledFxGraph");
}

ob_trace_node_kind ob__trace_classify(const char *name, const char *schema,
                                      const char *kernel_backend)
{
    if (strcmp(name, "record_param_comms") == 0 || starts(name, "c10d::") ||
        starts(name, "nccl:") || starts(name, "_c10d_functional::") ||
        starts(name, "c10d_functional::"))
        return OB_TRACE_COMM;
    if (schema[0] != '\0')
        return OB_TRACE_OPERATOR;
    if (kernel_backend[0] != '\0' || starts(name, "triton_") || strstr(name, "cpp_fused_") != NULL)
        return OB_TRACE_FUSED;
    return ob__trace_is_compiled_graph(name) || starts(name, "Torch-Compiled Region")
               ? OB_TRACE_COMPILED
               : OB_TRACE_LABEL;
}
