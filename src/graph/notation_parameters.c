/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions of the notation that modules need: parameters, buffers and requirements on
 * arguments.
 */
#include "graph/notation_functions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    ob_init_kind kind;
    bool takes_bound;
} INITS[] = {
    {"zeros", OB_INIT_ZEROS, false},      {"ones", OB_INIT_ONES, false},
    {"constant", OB_INIT_CONSTANT, true}, {"uniform", OB_INIT_UNIFORM, true},
    {"normal", OB_INIT_NORMAL, true},
};

static const char *take_str(const ob__function_args *args, size_t i)
{
    const ob_operand *operand = &args->args[i];
    return operand->kind == OB_OPERAND_VALUE && operand->value.kind == OB_VALUE_STR
               ? operand->value.as.str.text
               : NULL;
}

static ob_status take_init(const ob__function_args *args, ob_init_kind *kind, bool *takes_bound,
                           ob_err *err)
{
    const char *name = take_str(args, 0);
    for (size_t i = 0; name != NULL && i < sizeof INITS / sizeof INITS[0]; i++) {
        if (strcmp(INITS[i].name, name) == 0) {
            *kind = INITS[i].kind;
            *takes_bound = INITS[i].takes_bound;
            return OB_OK;
        }
    }
    return ob_err_set(
        err, OB_ERR_INVALID,
        "@%s needs \"zeros\", \"ones\", \"constant\", \"uniform\" or \"normal\" first", args->name);
}

typedef struct parameter {
    bool is_buffer;
    ob_init_kind init;
    double a;
    ob_dtype dtype;
} parameter;

static ob_status add(const ob__function_args *args, const parameter *what, ob_operand *out,
                     ob_err *err)
{
    const ob__scope *scope = args->scope;
    if (!scope->makes_parameters || args->target == NULL)
        return ob_err_set(err, OB_ERR_INVALID, "@%s only works in the set-up of modules",
                          args->name);
    ob__int_list sizes;
    ob_tensor meta;
    OB_TRY(ob__take_ints(args, 1, &sizes, err));
    ob_status status =
        sizes.count > OB_MAX_DIMS
            ? ob_err_set(err, OB_ERR_INVALID, "a tensor cannot have %zu dimensions", sizes.count)
            : ob_tensor_init_meta(&meta, what->dtype, sizes.items, (int)sizes.count, NULL, err);
    free(sizes.items);
    OB_TRY(status);
    if (scope->parameter_device.type[0] != '\0')
        meta.device = scope->parameter_device;
    char name[320];
    snprintf(name, sizeof name, "%s%s", scope->prefix != NULL ? scope->prefix : "", args->target);
    ob_edge_id edge = OB_NO_EDGE;
    status = ob_graph_add_parameter(scope->graph, name, &meta, what->is_buffer, what->init, what->a,
                                    &edge, err);
    ob_tensor_fini(&meta);
    *out = ob__operand_edge(edge);
    return status;
}

ob_status ob__fn_parameter(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    parameter what = {.dtype = args->scope->parameter_dtype};
    bool takes_bound = false;
    OB_TRY(take_init(args, &what.init, &takes_bound, err));
    if (takes_bound != (args->count == 3))
        return ob_err_set(err, OB_ERR_INVALID, "@parameter(\"%s\", ...) takes %s",
                          take_str(args, 0), takes_bound ? "sizes and a bound" : "sizes alone");
    if (takes_bound)
        OB_TRY(ob__take_real(args, 2, &what.a, err));
    return add(args, &what, out, err);
}

ob_status ob__fn_buffer(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    parameter what = {.is_buffer = true, .dtype = args->scope->parameter_dtype};
    bool takes_bound = false;
    OB_TRY(take_init(args, &what.init, &takes_bound, err));
    if (takes_bound != (args->count == 4))
        return ob_err_set(err, OB_ERR_INVALID, "@buffer(\"%s\", ...) takes %s", take_str(args, 0),
                          takes_bound ? "sizes, a dtype and a bound" : "sizes and a dtype alone");
    if (takes_bound)
        OB_TRY(ob__take_real(args, 3, &what.a, err));
    if (args->count >= 3 && !ob__operand_is_none(&args->args[2])) {
        const char *name = take_str(args, 2);
        what.dtype = name != NULL ? ob_dtype_from_name(name, strlen(name)) : OB_DTYPE_INVALID;
        if (what.dtype == OB_DTYPE_INVALID)
            return ob_err_set(err, OB_ERR_INVALID,
                              "argument 3 of @buffer must name an element type (\"int64\")");
    }
    return add(args, &what, out, err);
}

ob_status ob__fn_require(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    (void)out;
    const char *message = take_str(args, 1);
    if (args->args[0].kind != OB_OPERAND_VALUE || message == NULL)
        return ob_err_set(err, OB_ERR_INVALID, "@require takes a condition and a message");
    if (ob__constant_truth(&args->args[0].value))
        return OB_OK;
    return ob_err_set(err, OB_ERR_INVALID, "%s", message);
}
