/* SPDX-License-Identifier: Apache-2.0
 *
 * From a config's operator to a graph: which of operator, composite function, module and model a
 * name is, and how its inputs become edges.
 */
#include "graph/graph_internal.h"
#include "graph/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- inputs ---- */

static ob_status push_value(const ob_value *value, ob_value *values, size_t capacity, size_t *count,
                            ob_err *err)
{
    if (*count >= capacity)
        return ob_err_set(err, OB_ERR_LIMIT, "there are more inputs than the %zu slots for them",
                          capacity);
    OB_TRY(ob_value_copy(&values[*count], value, err));
    (*count)++;
    return OB_OK;
}

/* Lists with tensors in them give their tensors, in order; anything else gives itself. */
static ob_status flatten(const ob_value *value, ob_value *values, size_t capacity, size_t *count,
                         ob_err *err)
{
    if (!ob_value_is_list(value) || !ob__value_has_tensor(value))
        return push_value(value, values, capacity, count, err);
    for (size_t i = 0; i < value->as.list.count; i++) {
        if (ob__value_has_tensor(&value->as.list.items[i]))
            OB_TRY(flatten(&value->as.list.items[i], values, capacity, count, err));
    }
    return OB_OK;
}

ob_status ob_graph_flatten_inputs(const ob_call *input, ob_value *values, size_t *count,
                                  ob_err *err)
{
    const size_t capacity = *count;
    ob_status status = OB_OK;
    *count = 0;
    for (size_t i = 0; status == OB_OK && i < input->arg_count; i++)
        status = flatten(&input->args[i], values, capacity, count, err);
    for (size_t i = 0; status == OB_OK && i < input->kwarg_count; i++)
        status = flatten(&input->kwargs[i], values, capacity, count, err);
    for (size_t i = 0; status != OB_OK && i < *count; i++)
        ob_value_fini(&values[i]);
    if (status != OB_OK)
        *count = 0;
    return status;
}

/* How a tensor becomes an edge: as an input, or as what was given to build. */
typedef ob_status (*add_tensor)(ob_graph *graph, const char *name, const ob_value *value,
                                ob_edge_id *edge, ob_err *err);

static ob_status add_build_tensor(ob_graph *graph, const char *name, const ob_value *value,
                                  ob_edge_id *edge, ob_err *err)
{
    const ob_tensor *tensor = value->as.tensor;
    return ob_graph_add_parameter(graph, name, tensor, !tensor->requires_grad, OB_INIT_NONE, 0.0,
                                  edge, err);
}

static ob_status add_operand(ob_graph *graph, const char *name, const ob_value *value,
                             add_tensor add, ob_operand *out, ob_err *err)
{
    *out = ob__operand_none();
    if (value->kind == OB_VALUE_TENSOR) {
        ob_edge_id edge = OB_NO_EDGE;
        OB_TRY(add(graph, name, value, &edge, err));
        *out = ob__operand_edge(edge);
        return OB_OK;
    }
    if (!ob__value_has_tensor(value))
        return ob_value_copy(&out->value, value, err);
    const size_t count = value->as.list.count;
    ob_operand *items = calloc(count, sizeof *items);
    if (items == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a list of %zu inputs", count);
    ob_status status = OB_OK;
    size_t made = 0;
    for (; status == OB_OK && made < count; made++) {
        char item_name[160];
        snprintf(item_name, sizeof item_name, "%.128s_%zu", name, made);
        status = add_operand(graph, item_name, &value->as.list.items[made], add, &items[made], err);
    }
    if (status == OB_OK) {
        status = ob__operand_init_list(out, items, count, err);
        made = 0;
    }
    ob__operands_free(items, made);
    return status;
}

/* Operands of a call whose tensors have become edges. */
typedef struct edge_call {
    ob_operand *operands;
    size_t count;
    ob__operand_call call;
} edge_call;

static void free_edge_call(edge_call *made)
{
    ob__operands_free(made->operands, made->count);
    made->operands = NULL;
}

/* Inputs without tensors are edges too, so that the inputs of a graph are those of its config;
 * their values go into the calls as constants, where binding may convert them. */
static ob_status add_edges(ob_graph *graph, const ob_call *call, bool is_build, edge_call *out,
                           ob_err *err)
{
    const size_t count = call != NULL ? call->arg_count + call->kwarg_count : 0;
    *out = (edge_call){.operands = calloc(count + 1, sizeof *out->operands)};
    if (out->operands == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for %zu inputs", count);
    ob_status status = OB_OK;
    for (size_t i = 0; status == OB_OK && i < count; i++) {
        const bool positional = i < call->arg_count;
        const size_t at = positional ? i : i - call->arg_count;
        const ob_value *value = positional ? &call->args[at] : &call->kwargs[at];
        char name[160];
        if (positional)
            snprintf(name, sizeof name, "%s_%zu", is_build ? "build" : "input", at);
        else
            snprintf(name, sizeof name, "%.128s", call->kwarg_names[at]);
        if (!is_build && !ob__value_has_tensor(value))
            status = ob_graph_add_input(graph, name, value, NULL, err);
        if (status == OB_OK)
            status =
                add_operand(graph, name, value, is_build ? add_build_tensor : ob_graph_add_input,
                            &out->operands[i], err);
        out->count++;
    }
    if (status != OB_OK) {
        free_edge_call(out);
        return status;
    }
    if (call != NULL)
        out->call = (ob__operand_call){.args = out->operands,
                                       .arg_count = call->arg_count,
                                       .kwarg_names = call->kwarg_names,
                                       .kwargs = out->operands + call->arg_count,
                                       .kwarg_count = call->kwarg_count};
    return OB_OK;
}

/* ---- kinds of operators ---- */

/* A model's "dtype" and "device" are those of all its modules. */
static void set_factory(ob_graph *graph, const ob_schema *schema, const ob_operand *bound)
{
    const int dtype = ob_schema_find_arg(schema, "dtype");
    const int device = ob_schema_find_arg(schema, "device");
    if (dtype >= 0 && bound[dtype].value.kind == OB_VALUE_DTYPE)
        ob__graph_get_owner(graph)->parameter_dtype = bound[dtype].value.as.dtype;
    if (device >= 0 && bound[device].value.kind == OB_VALUE_DEVICE)
        ob__graph_get_owner(graph)->parameter_device = bound[device].value.as.device;
}

static ob_status build_model(ob_graph *graph, const ob__model_row *model,
                             const ob__operand_call *build, const ob__operand_call *input,
                             ob_operand *result, ob_err *err)
{
    ob_schema *schema = NULL, *forward = NULL;
    ob_operand *bound = NULL, *args = NULL;
    ob_status status = ob__signature_parse(model->name, model->signature, &schema, err);
    if (status == OB_OK)
        status = ob__signature_parse(model->name, "(Tensor x)", &forward, err);
    if (status == OB_OK)
        status = ob__operands_bind(graph, schema, build, &bound, err);
    if (status == OB_OK)
        status = ob__operands_bind(graph, forward, input, &args, err);
    if (status == OB_OK)
        set_factory(graph, schema, bound);
    if (status == OB_OK)
        status = model->build(graph, schema, bound, &args[0], result, err);
    if (schema != NULL)
        ob__operands_free(bound, schema->arg_count);
    ob__operands_free(args, 1);
    ob_schema_destroy(schema);
    ob_schema_destroy(forward);
    return status;
}

/* A schema string: which operator it means, with its overload. One without an overload means the one that has no
 * name (".default"); where there is none, somebody left the overload out, and the arguments choose it. */
static ob_status schema_operator(const ob_op_table *table, const char *text, size_t length,
                                 char *out, size_t size, ob_err *err)
{
    ob_schema *schema = NULL;
    OB_TRY(ob_schema_parse(text, length, &schema, err));
    const bool overload = schema->overload[0] != '\0';
    snprintf(out, size, "%s%s%s", schema->name, overload ? "." : "", schema->overload);
    ob_status status = OB_OK;
    ob_op_name name;
    const ob_op *op = ob_op_table_find(table, out);
    if (op == NULL &&
        (overload || ob_op_resolve_name(table, out, &name, NULL) != OB_OK || !name.known))
        status = ob_err_set(err, OB_ERR_NOT_FOUND,
                            "the schema's operator '%s' is not known; `opbench list ops` lists the "
                            "known ones, and a backend may add more",
                            out);
    else if (op != NULL && !overload)
        snprintf(out, size, "%s.default", schema->name);
    ob_schema_destroy(schema);
    return status;
}

/* ["Tensor", "Tensor", "int", "Tensor"] */
static bool lists_words(const ob_value *value)
{
    if (!ob_value_is_list(value))
        return false;
    for (size_t i = 0; i < value->as.list.count; i++)
        if (value->as.list.items[i].kind != OB_VALUE_STR)
            return false;
    return value->as.list.count > 0;
}

static bool is_known(const ob_op_table *table, const char *name)
{
    ob_op_name resolved;
    return ob__function_find(name) != NULL ||
           (ob_op_resolve_name(table, name, &resolved, NULL) == OB_OK && resolved.known);
}

/* An operator that is built first, as a backend's own may be: its schema has arguments build_0, build_1 ... for what build is
 * given by its place, and build_NAME for what it is given by a name. */
static const char BUILD[] = "build_";

static bool takes_build(const ob_op_table *table, const char *name)
{
    ob_op_name resolved;
    const ob_op *op = ob_op_resolve_name(table, name, &resolved, NULL) == OB_OK && resolved.known
                          ? ob_op_table_find(table, resolved.base)
                          : NULL;
    for (size_t i = 0; op != NULL && op->schema != NULL && i < op->schema->arg_count; i++)
        if (op->schema->args[i].keyword_only &&
            strncmp(op->schema->args[i].name, BUILD, sizeof BUILD - 1) == 0)
            return true;
    return false;
}

static ob_status call_with_build(ob_graph *graph, const char *name, const ob__operand_call *build,
                                 const ob__operand_call *input, ob_operand *result, ob_err *err)
{
    typedef char text[160];
    const size_t own = build->arg_count + build->kwarg_count, count = own + input->kwarg_count;
    text *texts = calloc(own + 1, sizeof *texts);
    const char **names = calloc(count + 1, sizeof *names);
    ob_operand *values = calloc(count + 1, sizeof *values); /* borrowed */
    const bool ok = texts != NULL && names != NULL && values != NULL;
    for (size_t i = 0; ok && i < own; i++) {
        const bool positional = i < build->arg_count;
        const size_t at = positional ? i : i - build->arg_count;
        if (positional)
            snprintf(texts[i], sizeof *texts, "%s%zu", BUILD, at);
        else
            snprintf(texts[i], sizeof *texts, "%s%.128s", BUILD, build->kwarg_names[at]);
        names[i] = texts[i];
        values[i] = positional ? build->args[at] : build->kwargs[at];
    }
    for (size_t i = 0; ok && i < input->kwarg_count; i++) {
        names[own + i] = input->kwarg_names[i];
        values[own + i] = input->kwargs[i];
    }
    const ob__operand_call whole = {.args = input->args,
                                    .arg_count = input->arg_count,
                                    .kwarg_names = names,
                                    .kwargs = values,
                                    .kwarg_count = count};
    const ob_status status = ok ? ob__graph_call(graph, name, &whole, NULL, result, err)
                                : ob_err_set(err, OB_ERR_NOMEM, "out of memory for a call");
    free(texts);
    free((void *)names);
    free(values);
    return status;
}

static ob_status build_operator(ob_graph *graph, const char *op_name, const ob_call *build,
                                const ob__operand_call *input, ob_operand *result, ob_err *err)
{
    char name[256];
    const size_t build_count = build != NULL ? build->arg_count + build->kwarg_count : 0;
    snprintf(name, sizeof name, "%.250s", op_name);
    if (build_count > 0) {
        const bool takes_schema = strncmp(op_name, "aten::", 6) == 0;
        if (!takes_schema && !is_known(graph->table, op_name))
            return ob_err_set(err, OB_ERR_NOT_FOUND, "there is no operator, module or model '%s'",
                              op_name);
        if (!takes_schema)
            return ob_err_set(
                err, OB_ERR_INVALID,
                "'%s' is an operator, so it takes no build arguments; remove the build", op_name);
        /* PARAM's older configs list the types instead; the arguments themselves say as much. */
        if (build->arg_count == 1 && build->kwarg_count == 0 && lists_words(&build->args[0]))
            return ob__graph_call(graph, name, input, NULL, result, err);
        if (build->arg_count != 1 || build->kwarg_count != 0 || build->args[0].kind != OB_VALUE_STR)
            return ob_err_set(err, OB_ERR_INVALID,
                              "the build of '%s' must be one positional string, a schema such as "
                              "'aten::neg(Tensor self) -> Tensor'",
                              op_name);
        const ob_value *schema = &build->args[0]; /* the config's own name is a label */
        OB_TRY(schema_operator(graph->table, schema->as.str.text, schema->as.str.length, name,
                               sizeof name, err));
    } else if (strstr(op_name, "::") != NULL && strchr(op_name, '(') != NULL) {
        OB_TRY(schema_operator(graph->table, op_name, strlen(op_name), name, sizeof name, err));
    }
    return ob__graph_call(graph, name, input, NULL, result, err);
}

/* The result's tensors become the graph's outputs. */
static ob_status set_result(ob_graph *graph, const ob_operand *result, ob_err *err)
{
    ob_edge_id edges[OB__GRAPH_MAX_RETURNS];
    const bool several = result->kind == OB_OPERAND_LIST;
    const size_t count = several ? result->count : ob__operand_is_none(result) ? 0 : 1;
    if (count > OB__GRAPH_MAX_RETURNS)
        return ob_err_set(err, OB_ERR_LIMIT, "%zu outputs; a graph can have at most %d", count,
                          OB__GRAPH_MAX_RETURNS);
    for (size_t i = 0; i < count; i++)
        OB_TRY(ob__graph_operand_edge(graph, several ? &result->items[i] : result, "an output",
                                      &edges[i], err));
    return ob_graph_set_outputs(graph, edges, count, err);
}

/* torch.nn.Something, also one that does not exist, unless an operator has that name. */
static bool names_module(const ob_op_table *table, const char *name)
{
    ob_op_name resolved;
    if (ob__module_find(name) != NULL)
        return true;
    return strncmp(name, "torch.nn.", 9) == 0 && name[9] >= 'A' && name[9] <= 'Z' &&
           ob_op_resolve_name(table, name, &resolved, NULL) != OB_OK;
}

/* An unknown name's message says which known one is meant, unless it says so already. */
static void add_nearest(const ob_op_table *table, const char *name, ob_err *err)
{
    char nearest[160];
    if (err == NULL || strstr(err->message, "nearest name") != NULL ||
        !ob__name_nearest(table, name, nearest, sizeof nearest) || strcmp(nearest, name) == 0)
        return;
    const size_t length = strlen(err->message);
    snprintf(err->message + length, sizeof err->message - length, "; did you mean '%s'?", nearest);
}

static ob_status build_into(ob_graph *graph, const char *op_name, const ob_call *build,
                            const ob_call *input, ob_err *err)
{
    const ob__model_row *model = ob__model_find(op_name);
    const bool is_text = ob__names_text_model(op_name);
    const bool is_module = model == NULL && names_module(graph->table, op_name);
    edge_call inputs, builds = {.operands = NULL};
    ob_operand result = ob__operand_none();
    OB_TRY(add_edges(graph, input, false, &inputs, err));
    ob_status status = OB_OK;
    const bool is_built =
        model == NULL && !is_module && !is_text && takes_build(graph->table, op_name);
    if (model != NULL || is_module || is_text || is_built)
        status = add_edges(graph, build, true, &builds, err);
    if (status == OB_OK && model != NULL) {
        status = build_model(graph, model, &builds.call, &inputs.call, &result, err);
    } else if (status == OB_OK && is_text) {
        status = ob__text_model_build(graph, &builds.call, &inputs.call, &result, err);
    } else if (status == OB_OK && is_module) {
        const ob__module_call_args args = {
            .name = op_name, .prefix = "", .build = &builds.call, .input = &inputs.call};
        status = ob__module_call(graph, &args, &result, err);
    } else if (status == OB_OK && is_built) {
        status = call_with_build(graph, op_name, &builds.call, &inputs.call, &result, err);
    } else if (status == OB_OK) {
        status = build_operator(graph, op_name, build, &inputs.call, &result, err);
    }
    if (status == OB_ERR_NOT_FOUND && !is_module)
        add_nearest(graph->table, op_name, err);
    if (status == OB_OK)
        status = set_result(graph, &result, err);
    ob__operand_fini(&result);
    free_edge_call(&inputs);
    free_edge_call(&builds);
    return status;
}

ob_status ob_graph_build(const ob_op_table *table, const char *op_name, const ob_call *build,
                         const ob_call *input, ob_graph **out, ob_err *err)
{
    ob_graph *graph = NULL;
    *out = NULL;
    OB_TRY(ob_graph_create(table, &graph, err));
    const ob_status status = build_into(graph, op_name, build, input, err);
    if (status != OB_OK) {
        ob_graph_destroy(graph);
        return status;
    }
    *out = graph;
    return OB_OK;
}
