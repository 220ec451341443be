/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench.graph: a graph that a config writes itself, in graph notation. The build's first argument is the
 * text; its keyword arguments are constants of the text, and `dtype` and `device` those of the modules in
 * it. The inputs have the names of the call: input_0, input_1, ... or their keywords. The text's `result`
 * (or result_0, result_1, ...) are the outputs.
 */
#include "graph/graph_internal.h"
#include "graph/module.h"
#include "graph/notation.h"

#include <stdio.h>
#include <string.h>

bool ob__names_text_model(const char *name)
{
    return strcmp(name, "opbench.graph") == 0;
}

static ob_status set_name(ob__scope *scope, const char *name, const ob_operand *value, ob_err *err)
{
    ob_operand copy;
    OB_TRY(ob__operand_copy(&copy, value, err));
    return ob__scope_set(scope, name, &copy, err);
}

static ob_status set_names(ob__scope *scope, const ob__operand_call *build,
                           const ob__operand_call *input, ob_err *err)
{
    for (size_t i = 0; i < build->kwarg_count; i++)
        OB_TRY(set_name(scope, build->kwarg_names[i], &build->kwargs[i], err));
    for (size_t i = 0; i < input->arg_count; i++) {
        char name[32];
        snprintf(name, sizeof name, "input_%zu", i);
        OB_TRY(set_name(scope, name, &input->args[i], err));
    }
    for (size_t i = 0; i < input->kwarg_count; i++)
        OB_TRY(set_name(scope, input->kwarg_names[i], &input->kwargs[i], err));
    return OB_OK;
}

/* "dtype" and "device" of the build are those of all its modules. */
static void set_factory(ob_graph *graph, const ob__operand_call *build)
{
    for (size_t i = 0; i < build->kwarg_count; i++) {
        const ob_value *value = &build->kwargs[i].value;
        if (build->kwargs[i].kind != OB_OPERAND_VALUE)
            continue;
        if (strcmp(build->kwarg_names[i], "dtype") == 0 && value->kind == OB_VALUE_DTYPE)
            ob__graph_get_owner(graph)->parameter_dtype = value->as.dtype;
        if (strcmp(build->kwarg_names[i], "device") == 0 && value->kind == OB_VALUE_DEVICE)
            ob__graph_get_owner(graph)->parameter_device = value->as.device;
    }
}

ob_status ob__text_model_build(ob_graph *graph, const ob__operand_call *build,
                               const ob__operand_call *input, ob_operand *result, ob_err *err)
{
    const ob_operand *text = build->arg_count == 1 ? &build->args[0] : NULL;
    if (text == NULL || text->kind != OB_OPERAND_VALUE || text->value.kind != OB_VALUE_STR)
        return ob_err_set(err, OB_ERR_INVALID,
                          "the build of opbench.graph is one positional string, the graph's text, "
                          "such as \"result = relu(input_0)\"; constants of the text are keyword "
                          "arguments");
    ob__scope scope = {.graph = graph};
    set_factory(graph, build);
    ob_status status = set_names(&scope, build, input, err);
    if (status == OB_OK)
        status = ob__scope_run_text(&scope, text->value.as.str.text, "the graph", err);
    if (status == OB_OK)
        status = ob__scope_result(&scope, "the graph", result, err);
    ob__scope_fini(&scope);
    return status;
}
