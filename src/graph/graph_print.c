/* SPDX-License-Identifier: Apache-2.0
 *
 * Graphs as text: edges without a producer as comments, then one statement per call, in notation
 * that its reader takes back.
 */
#include "graph/graph_internal.h"

#include "base/number.h"
#include "base/text_append.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool print_list(ob_text *text, const ob_value *list);

static bool print_string(ob_text *text, const char *bytes, size_t length)
{
    bool ok = ob_text_append_str(text, "\"");
    for (size_t i = 0; ok && i < length; i++) {
        const char c = bytes[i];
        const char *escape = c == '"'    ? "\\\""
                             : c == '\\' ? "\\\\"
                             : c == '\n' ? "\\n"
                             : c == '\t' ? "\\t"
                             : c == '\r' ? "\\r"
                                         : NULL;
        ok = escape != NULL ? ob_text_append_str(text, escape) : ob_text_append(text, &c, 1);
    }
    return ok && ob_text_append_str(text, "\"");
}

static bool print_real(ob_text *text, double value)
{
    char number[32];
    ob__format_double(value, number);
    return ob_text_append_str(text, number);
}

static bool print_tensor(ob_text *text, const ob_tensor *tensor)
{
    const ob_dtype_info *info = ob_dtype_get_info(tensor->dtype);
    bool ok = ob_text_printf(text, "%s[", info != NULL ? info->name : "?");
    for (int i = 0; ok && i < tensor->ndim; i++)
        ok = ob_text_printf(text, "%s%lld", i > 0 ? ", " : "", (long long)tensor->sizes[i]);
    return ok && ob_text_append_str(text, "]");
}

/* Kinds that the notation has no word for are written as what binding makes them from. */
static bool print_value(ob_text *text, const ob_value *value)
{
    char device[32];
    switch (value->kind) {
    case OB_VALUE_BOOL:
        return ob_text_append_str(text, value->as.boolean ? "True" : "False");
    case OB_VALUE_INT:
        return ob__text_append_i64(text, value->as.integer);
    case OB_VALUE_DOUBLE:
        return print_real(text, value->as.real);
    case OB_VALUE_STR:
        return print_string(text, value->as.str.text, value->as.str.length);
    case OB_VALUE_DTYPE: {
        const ob_dtype_info *info = ob_dtype_get_info(value->as.dtype);
        return ob_text_printf(text, "\"%s\"", info != NULL ? info->torch_name : "?");
    }
    case OB_VALUE_DEVICE:
        return ob_text_printf(text, "\"%s\"",
                              ob_device_format(&value->as.device, device, sizeof device));
    case OB_VALUE_LAYOUT:
        return ob__text_append_i64(text, value->as.layout);
    case OB_VALUE_MEMORY_FORMAT:
        return ob__text_append_i64(text, value->as.memory_format);
    case OB_VALUE_TENSOR:
        return print_tensor(text, value->as.tensor);
    case OB_VALUE_LIST:
    case OB_VALUE_TUPLE:
        return print_list(text, value);
    case OB_VALUE_COMPLEX:
        return print_real(text, value->as.complex.real) && ob_text_append_str(text, " + ") &&
               print_real(text, value->as.complex.imag) && ob_text_append_str(text, "j");
    case OB_VALUE_GENERATOR:
        return ob__text_append_i64(text, (int64_t)value->as.seed);
    default:
        return ob_text_append_str(text, "None");
    }
}

static bool print_list(ob_text *text, const ob_value *list)
{
    bool ok = ob_text_append_str(text, "[");
    for (size_t i = 0; ok && i < list->as.list.count; i++)
        ok = (i == 0 || ob_text_append_str(text, ", ")) &&
             print_value(text, &list->as.list.items[i]);
    return ok && ob_text_append_str(text, "]");
}

static bool print_operand(ob_text *text, const ob_graph *graph, const ob_operand *operand)
{
    switch (operand->kind) {
    case OB_OPERAND_EDGE:
        return ob_text_append_str(text, graph->edges[operand->edge].name);
    case OB_OPERAND_ITEM:
        return ob_text_printf(text, "%s[%zu]", graph->edges[operand->edge].name, operand->index);
    case OB_OPERAND_VALUE:
        return print_value(text, &operand->value);
    case OB_OPERAND_LIST:
        break;
    }
    bool ok = ob_text_append_str(text, "[");
    for (size_t i = 0; ok && i < operand->count; i++)
        ok = (i == 0 || ob_text_append_str(text, ", ")) &&
             print_operand(text, graph, &operand->items[i]);
    return ok && ob_text_append_str(text, "]");
}

static const char *role_name(ob_edge_role role)
{
    static const char *const NAMES[] = {
        [OB_EDGE_INPUT] = "input",   [OB_EDGE_PARAMETER] = "parameter",
        [OB_EDGE_BUFFER] = "buffer", [OB_EDGE_INTERMEDIATE] = "intermediate",
        [OB_EDGE_SAVED] = "saved",   [OB_EDGE_GRAD_OUTPUT] = "gradient",
    };
    return NAMES[role];
}

static bool print_init(ob_text *text, const ob_graph_edge *edge)
{
    static const char *const NAMES[] = {
        [OB_INIT_NONE] = NULL,        [OB_INIT_ZEROS] = " zeros",
        [OB_INIT_ONES] = " ones",     [OB_INIT_UNIFORM] = " uniform",
        [OB_INIT_NORMAL] = " normal", [OB_INIT_CONSTANT] = " constant",
    };
    if (NAMES[edge->init] == NULL)
        return true;
    if (!ob_text_append_str(text, NAMES[edge->init]))
        return false;
    if (edge->init == OB_INIT_ZEROS || edge->init == OB_INIT_ONES)
        return true;
    return ob_text_append_str(text, "(") && print_real(text, edge->init_a) &&
           ob_text_append_str(text, ")");
}

/* # weight: f32[8, 4], parameter uniform(0.5) */
static bool print_leaf(ob_text *text, const ob_graph_edge *edge)
{
    return ob_text_printf(text, "# %s: ", edge->name) && print_value(text, &edge->meta) &&
           ob_text_printf(text, ", %s", role_name(edge->role)) && print_init(text, edge) &&
           ob_text_append_str(text, edge->role == OB_EDGE_INPUT && edge->requires_grad
                                        ? " requires_grad\n"
                                        : "\n");
}

/* y = aten::relu(x); keyword-only arguments are written with their names. */
static bool print_node(ob_text *text, const ob_graph *graph, const ob_graph_node *node)
{
    const ob_schema *schema = node->op->schema;
    bool ok = true;
    for (size_t i = 0; ok && i < node->output_count; i++)
        ok = ob_text_printf(text, "%s%s", i > 0 ? ", " : "", graph->edges[node->outputs[i]].name);
    ok = ok &&
         ob_text_printf(text, "%s%s%s%s(", node->output_count > 0 ? " = " : "_ = ", schema->name,
                        schema->overload[0] != '\0' ? "." : "", schema->overload);
    for (size_t i = 0; ok && i < schema->arg_count; i++) {
        ok = i == 0 || ob_text_append_str(text, ", ");
        if (ok && schema->args[i].keyword_only)
            ok = ob_text_printf(text, "%s=", schema->args[i].name);
        ok = ok && print_operand(text, graph, &node->args[i]);
    }
    return ok && ob_text_append_str(text, ");\n");
}

static bool print_graph(ob_text *text, const ob_graph *graph)
{
    bool ok = true;
    for (size_t i = 0; ok && i < graph->edge_count; i++) {
        if (graph->edges[i].producer == UINT32_MAX)
            ok = print_leaf(text, &graph->edges[i]);
    }
    for (size_t i = 0; ok && i < graph->node_count; i++)
        ok = print_node(text, graph, &graph->nodes[i]);
    ok = ok && ob_text_append_str(text, "# return");
    for (size_t i = 0; ok && i < graph->output_count; i++)
        ok = ob_text_printf(text, "%s%s", i > 0 ? ", " : " ", graph->edges[graph->outputs[i]].name);
    return ok && ob_text_append(text, "\n", 2); /* with its NUL */
}

ob_status ob_graph_print(const ob_graph *graph, char **out, ob_err *err)
{
    ob_text text = {.data = NULL};
    *out = NULL;
    if (!print_graph(&text, graph)) {
        ob_text_fini(&text);
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the text of a graph");
    }
    *out = text.data;
    return OB_OK;
}
