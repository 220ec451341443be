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

static ob_status no_module(const ob_op_table *table, const char *name, ob_err *err)
{
    char nearest[160];
    const char *cure = ob__module_missing(name);
    if (cure != NULL)
        return ob_err_set(err, OB_ERR_NOT_FOUND, "'%s' is not available as a module; %s", name,
                          cure);
    if (ob__name_nearest(table, name, nearest, sizeof nearest))
        return ob_err_set(
            err, OB_ERR_NOT_FOUND,
            "there is no module '%s', did you mean '%s'? `opbench list ops` lists them", name,
            nearest);
    return ob_err_set(err, OB_ERR_NOT_FOUND,
                      "there is no module '%s'; `opbench list ops` lists them", name);
}

bool ob__module_needs_build(const char *name)
{
    const ob__module_row *row = ob__module_find(name);
    bool needs = row != NULL;
    for (; needs && row < MODULES + MODULE_COUNT && strcmp(row->name, name) == 0; row++) {
        const char *first = strchr(row->signature, '(') + 1;
        needs = first[strcspn(first, "=,)")] != '=' && *first != ')';
    }
    return needs;
}

/* The row of that name whose constructor takes the call; its arguments are in the scope then. The
 * error is that of the first row: the later ones are variants of it. */
static ob_status choose_row(ob__scope *scope, const ob__module_call_args *args,
                            const ob__module_row **out, ob_err *err)
{
    const ob__module_row *row = ob__module_find(args->name);
    if (row == NULL)
        return no_module(scope->graph->table, args->name, err);
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

/* dtype and device are taken by every module of torch.nn, as its .to() does; where there are no
 * parameters they change nothing. */
enum { MOST_KWARGS = 32 };
typedef struct plain_build {
    const char *names[MOST_KWARGS];
    ob_operand kwargs[MOST_KWARGS]; /* borrowed */
    ob__operand_call call;
} plain_build;

static const ob__operand_call *without_factory(const char *name, const ob__operand_call *call,
                                               plain_build *out)
{
    const ob__module_row *row = ob__module_find(name);
    if (row == NULL || strncmp(name, "torch.nn.", 9) != 0 || call->kwarg_count > MOST_KWARGS ||
        strstr(row->signature, "ScalarType? dtype") != NULL)
        return call;
    out->call = *call;
    out->call.kwarg_count = 0;
    for (size_t i = 0; i < call->kwarg_count; i++) {
        if (strcmp(call->kwarg_names[i], "dtype") == 0 ||
            strcmp(call->kwarg_names[i], "device") == 0)
            continue;
        out->names[out->call.kwarg_count] = call->kwarg_names[i];
        out->kwargs[out->call.kwarg_count++] = call->kwargs[i];
    }
    out->call.kwarg_names = out->names;
    out->call.kwargs = out->kwargs;
    return &out->call;
}

/* The first input's dtype if it is real and not that of the parameters; else -1. */
static ob_dtype other_dtype(const ob_graph *graph, const ob__operand_call *input, ob_dtype dtype)
{
    const ob_tensor *tensor =
        input->arg_count > 0 ? ob__operand_tensor(graph, &input->args[0]) : NULL;
    return tensor != NULL && ob_dtype_is_floating(tensor->dtype) && tensor->dtype != dtype
               ? tensor->dtype
               : OB_DTYPE_INVALID;
}

/* Parameters of another type than the input are the most common reason for a refusal. */
static void add_dtype_hint(const ob_graph *graph, const ob__operand_call *input, ob_dtype dtype,
                           ob_err *err)
{
    const ob_dtype other = other_dtype(graph, input, dtype);
    if (err == NULL || other == OB_DTYPE_INVALID)
        return;
    const size_t length = strlen(err->message);
    snprintf(err->message + length, sizeof err->message - length,
             "; the input is %s and the module's parameters are %s: give the build "
             "\"kwargs\": {\"dtype\": {\"type\": \"ScalarType\", \"value\": \"%s\"}}",
             ob_dtype_get_info(other)->torch_name, ob_dtype_get_info(dtype)->torch_name,
             ob_dtype_get_info(other)->torch_name);
}

static ob_status run_module(ob__scope *scope, const ob__module_row *row,
                            const ob__module_call_args *args, ob_operand *result, ob_err *err)
{
    OB_TRY(ob__scope_run_text(scope, row->setup, row->name, err));
    scope->makes_parameters = false;
    OB_TRY(bind_forward(scope, row, args->input, err));
    const ob_status status = ob__scope_run_text(scope, row->text, row->name, err);
    if (status == OB_ERR_INVALID && row->setup[0] != '\0')
        add_dtype_hint(scope->graph, args->input, scope->parameter_dtype, err);
    OB_TRY(status);
    return ob__scope_result(scope, row->name, result, err);
}

ob_status ob__module_call(ob_graph *graph, const ob__module_call_args *args, ob_operand *result,
                          ob_err *err)
{
    *result = ob__operand_none();
    ob__scope scope = {.graph = graph,
                       .prefix = args->prefix,
                       .makes_parameters = true,
                       .parameter_dtype = ob__graph_get_owner(graph)->parameter_dtype,
                       .parameter_device = ob__graph_get_owner(graph)->parameter_device,
                       .hints = args->hints};
    const ob__module_row *row = NULL;
    plain_build plain;
    ob__module_call_args own = *args;
    own.build = without_factory(args->name, args->build, &plain);
    OB_TRY(ob__graph_enter(graph, args->name, err));
    ob_status status = choose_row(&scope, &own, &row, err);
    const ob_operand *dtype = ob__scope_find(&scope, "dtype");
    if (status == OB_OK && dtype != NULL && dtype->value.kind == OB_VALUE_DTYPE)
        scope.parameter_dtype = dtype->value.as.dtype;
    const ob_operand *device = ob__scope_find(&scope, "device");
    if (status == OB_OK && device != NULL && device->value.kind == OB_VALUE_DEVICE)
        scope.parameter_device = device->value.as.device;
    if (status == OB_OK)
        status = run_module(&scope, row, args, result, err);
    ob__scope_fini(&scope);
    ob__graph_leave(graph);
    return status;
}
