/* SPDX-License-Identifier: Apache-2.0
 *
 * Composite functions and modules: finding rows, binding their arguments, running their texts.
 */
#include "graph/module.h"
#include "graph/notation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const ob__function_row FUNCTIONS[] = {
#define OB_COMPOSITE(name, arguments, text) {name, name arguments, text},
#include "graph/functions.def"
#undef OB_COMPOSITE
};

static const ob__module_row MODULES[] = {
#define OB_MODULE(name, arguments, forward, setup, text)                                           \
    {name, name arguments, forward, setup, text},
#include "graph/modules.def"
#undef OB_MODULE
};

enum {
    FUNCTION_COUNT = sizeof FUNCTIONS / sizeof FUNCTIONS[0],
    MODULE_COUNT = sizeof MODULES / sizeof MODULES[0],
};

const ob__function_row *ob__function_find(const char *name)
{
    if (strncmp(name, "torch.", 6) != 0)
        return NULL;
    for (size_t i = 0; i < FUNCTION_COUNT; i++) {
        if (strcmp(FUNCTIONS[i].name, name) == 0)
            return &FUNCTIONS[i];
    }
    return NULL;
}

const ob__module_row *ob__module_find(const char *name)
{
    for (size_t i = 0; i < MODULE_COUNT; i++) {
        if (strcmp(MODULES[i].name, name) == 0)
            return &MODULES[i];
    }
    return NULL;
}

size_t ob_module_count(void)
{
    size_t models;
    ob__models(&models);
    return MODULE_COUNT + FUNCTION_COUNT + models;
}

ob_module_info ob_module_at(size_t index)
{
    if (index < MODULE_COUNT)
        return (ob_module_info){.name = MODULES[index].name,
                                .signature = MODULES[index].signature,
                                .category = "module"};
    index -= MODULE_COUNT;
    if (index < FUNCTION_COUNT)
        return (ob_module_info){.name = FUNCTIONS[index].name,
                                .signature = FUNCTIONS[index].signature,
                                .category = "function"};
    size_t count;
    const ob__model_row *models = ob__models(&count);
    index -= FUNCTION_COUNT;
    if (index >= count)
        return (ob_module_info){.name = NULL};
    return (ob_module_info){
        .name = models[index].name, .signature = models[index].signature, .category = "model"};
}

ob_status ob__signature_parse(const char *name, const char *signature, ob_schema **out, ob_err *err)
{
    char text[1024];
    const int length = snprintf(text, sizeof text, "%s%s", name, strchr(signature, '('));
    if (length < 0 || (size_t)length >= sizeof text)
        return ob_err_set(err, OB_ERR_LIMIT, "the signature '%.80s...' is too long", signature);
    return ob_schema_parse(text, (size_t)length, out, err);
}

/* Binds a call to a signature. On success the schema and its arg_count operands are the
 * caller's. */
static ob_status bind_signature(const ob_graph *graph, const char *name, const char *signature,
                                const ob__operand_call *call, ob_schema **schema,
                                ob_operand **bound, ob_err *err)
{
    OB_TRY(ob__signature_parse(name, signature, schema, err));
    const ob_status status = ob__operands_bind(graph, *schema, call, bound, err);
    if (status != OB_OK) {
        ob_schema_destroy(*schema);
        *schema = NULL;
    }
    return status;
}

/* Moves bound arguments into the scope. */
static ob_status set_args(ob__scope *scope, const ob_schema *schema, ob_operand *bound, ob_err *err)
{
    for (size_t i = 0; i < schema->arg_count; i++) {
        ob_operand value = bound[i];
        bound[i] = ob__operand_none();
        OB_TRY(ob__scope_set(scope, schema->args[i].name, &value, err));
    }
    return OB_OK;
}

static ob_status bind_into(ob__scope *scope, const char *name, const char *signature,
                           const ob__operand_call *call, ob_err *err)
{
    ob_schema *schema = NULL;
    ob_operand *bound = NULL;
    OB_TRY(bind_signature(scope->graph, name, signature, call, &schema, &bound, err));
    const ob_status status = set_args(scope, schema, bound, err);
    ob__operands_free(bound, schema->arg_count);
    ob_schema_destroy(schema);
    return status;
}

/* Messages tell the module's call from its constructor. */
static ob_status bind_forward(ob__scope *scope, const ob__module_row *row,
                              const ob__operand_call *input, ob_err *err)
{
    char name[160];
    snprintf(name, sizeof name, "%.128s.forward", row->name);
    return bind_into(scope, name, row->forward, input, err);
}

ob_status ob__function_call(ob_graph *graph, const ob__function_row *row,
                            const ob__operand_call *call, const ob__hints *hints,
                            ob_operand *result, ob_err *err)
{
    *result = ob__operand_none();
    ob__scope scope = {.graph = graph, .hints = hints};
    OB_TRY(ob__graph_enter(graph, row->name, err));
    ob_status status = bind_into(&scope, row->name, row->signature, call, err);
    if (status == OB_OK)
        status = ob__scope_run_text(&scope, row->text, row->name, err);
    if (status == OB_OK)
        status = ob__scope_result(&scope, row->name, result, err);
    ob__scope_fini(&scope);
    ob__graph_leave(graph);
    return status;
}

/* The row of that name whose constructor takes the call; its arguments are in the scope then. The
 * error is that of the first row: the later ones are variants of it. */
static ob_status choose_row(ob__scope *scope, const ob__module_call_args *args,
                            const ob__module_row **out, ob_err *err)
{
    const ob__module_row *row = ob__module_find(args->name);
    if (row == NULL)
        return ob_err_set(err, OB_ERR_NOT_FOUND,
                          "there is no module '%s'; `opbench list ops` shows those that exist",
                          args->name);
    ob_status status = bind_into(scope, row->name, row->signature, args->build, err);
    *out = row;
    for (row++; status != OB_OK && row < MODULES + MODULE_COUNT; row++) {
        if (strcmp(row->name, args->name) != 0)
            break;
        if (bind_into(scope, row->name, row->signature, args->build, NULL) == OB_OK) {
            *out = row;
            ob_err_clear(err);
            return OB_OK;
        }
    }
    /* Which of its arguments comes first is not what the user wants to know then. */
    if (status == OB_ERR_INVALID && args->build->arg_count + args->build->kwarg_count == 0)
        return ob_err_set(err, status,
                          "%s: the build is missing; it holds the constructor's arguments: %s",
                          args->name, strchr((*out)->signature, '('));
    return status;
}

ob_status ob__module_call(ob_graph *graph, const ob__module_call_args *args, ob_operand *result,
                          ob_err *err)
{
    *result = ob__operand_none();
    ob__scope scope = {.graph = graph,
                       .prefix = args->prefix,
                       .makes_parameters = true,
                       .parameter_dtype = OB_DTYPE_F32,
                       .hints = args->hints};
    const ob__module_row *row = NULL;
    OB_TRY(ob__graph_enter(graph, args->name, err));
    ob_status status = choose_row(&scope, args, &row, err);
    const ob_operand *dtype = ob__scope_find(&scope, "dtype");
    if (status == OB_OK && dtype != NULL && dtype->value.kind == OB_VALUE_DTYPE)
        scope.parameter_dtype = dtype->value.as.dtype;
    if (status == OB_OK)
        status = ob__scope_run_text(&scope, row->setup, row->name, err);
    scope.makes_parameters = false;
    if (status == OB_OK)
        status = bind_forward(&scope, row, args->input, err);
    if (status == OB_OK)
        status = ob__scope_run_text(&scope, row->text, row->name, err);
    if (status == OB_OK)
        status = ob__scope_result(&scope, row->name, result, err);
    ob__scope_fini(&scope);
    ob__graph_leave(graph);
    return status;
}
