/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions of the notation: dispatch, and those about tensors, kinds and numbers. Lists and
 * dimensions are in notation_lists.c, what modules need in notation_parameters.c, @einsum in
 * notation_einsum.c.
 */
#include "graph/notation_functions.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct function_row {
    const char *name;
    size_t fewest, most;
    const char *usage;
    ob_status (*eval)(const ob__function_args *args, ob_operand *out, ob_err *err);
} function_row;

static const function_row FUNCTIONS[] = {
#define OB_FUNCTION(name, fewest, most, usage, meaning)                                            \
    {#name, (fewest), (most), (usage), ob__fn_##name},
#include "graph/notation_functions.def"
#undef OB_FUNCTION
};

ob_status ob__function_eval(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    *out = ob__operand_none();
    for (size_t i = 0; i < sizeof FUNCTIONS / sizeof FUNCTIONS[0]; i++) {
        const function_row *row = &FUNCTIONS[i];
        if (strcmp(row->name, args->name) != 0)
            continue;
        if (args->count < row->fewest || args->count > row->most)
            return ob_err_set(err, OB_ERR_INVALID, "%zu arguments; write %s", args->count,
                              row->usage);
        const ob_status status = row->eval(args, out, err);
        if (status != OB_OK)
            ob__operand_fini(out);
        return status;
    }
    return ob_err_set(err, OB_ERR_NOT_FOUND, "there is no function @%s; docs/graphs.md lists them",
                      args->name);
}

/* ---- arguments ---- */

static ob_status fail_kind(const ob__function_args *args, size_t i, const char *wanted, ob_err *err)
{
    return ob_err_set(err, OB_ERR_INVALID, "argument %zu of @%s must be %s", i + 1, args->name,
                      wanted);
}

ob_status ob__take_tensor(const ob__function_args *args, size_t i, const ob_tensor **out,
                          ob_err *err)
{
    *out = ob__operand_tensor(args->scope->graph, &args->args[i]);
    return *out != NULL ? OB_OK : fail_kind(args, i, "a tensor", err);
}

ob_status ob__take_int(const ob__function_args *args, size_t i, int64_t *out, ob_err *err)
{
    const ob_operand *operand = &args->args[i];
    if (operand->kind != OB_OPERAND_VALUE || operand->value.kind != OB_VALUE_INT)
        return fail_kind(args, i, "a whole number", err);
    *out = operand->value.as.integer;
    return OB_OK;
}

ob_status ob__take_real(const ob__function_args *args, size_t i, double *out, ob_err *err)
{
    const ob_operand *operand = &args->args[i];
    if (operand->kind == OB_OPERAND_VALUE && operand->value.kind == OB_VALUE_DOUBLE)
        *out = operand->value.as.real;
    else if (operand->kind == OB_OPERAND_VALUE && operand->value.kind == OB_VALUE_INT)
        *out = (double)operand->value.as.integer;
    else
        return fail_kind(args, i, "a number", err);
    return OB_OK;
}

ob_status ob__take_ints(const ob__function_args *args, size_t i, ob__int_list *out, ob_err *err)
{
    const ob_operand *operand = &args->args[i];
    const ob_value *value = &operand->value;
    *out = (ob__int_list){.items = NULL};
    if (operand->kind != OB_OPERAND_VALUE || (!ob_value_is_list(value)))
        return fail_kind(args, i, "a list of whole numbers", err);
    const size_t count = value->as.list.count;
    for (size_t k = 0; k < count; k++) {
        if (value->as.list.items[k].kind != OB_VALUE_INT)
            return fail_kind(args, i, "a list of whole numbers", err);
    }
    out->items = calloc(count + 1, sizeof *out->items);
    if (out->items == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a list of %zu numbers", count);
    for (size_t k = 0; k < count; k++)
        out->items[k] = value->as.list.items[k].as.integer;
    out->count = count;
    return OB_OK;
}

ob_status ob__give_ints(const int64_t *items, size_t count, ob_operand *out, ob_err *err)
{
    OB_TRY(ob_value_init_list(&out->value, OB_VALUE_LIST, count, err));
    for (size_t i = 0; i < count; i++)
        out->value.as.list.items[i] = ob_value_int(items[i]);
    return OB_OK;
}

/* ---- tensors ---- */

ob_status ob__fn_sizes(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    const ob_tensor *tensor = NULL;
    OB_TRY(ob__take_tensor(args, 0, &tensor, err));
    return ob__give_ints(tensor->sizes, (size_t)tensor->ndim, out, err);
}

ob_status ob__fn_size(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    const ob_tensor *tensor = NULL;
    int64_t dim = 0;
    OB_TRY(ob__take_tensor(args, 0, &tensor, err));
    OB_TRY(ob__take_int(args, 1, &dim, err));
    if (dim < -tensor->ndim || dim >= tensor->ndim)
        return ob_err_set(err, OB_ERR_INVALID, "a tensor of %d dimensions has no dimension %lld",
                          tensor->ndim, (long long)dim);
    out->value = ob_value_int(tensor->sizes[dim < 0 ? dim + tensor->ndim : dim]);
    return OB_OK;
}

ob_status ob__fn_numel(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    const ob_tensor *tensor = NULL;
    OB_TRY(ob__take_tensor(args, 0, &tensor, err));
    out->value = ob_value_int(ob_tensor_numel(tensor));
    return OB_OK;
}

ob_status ob__fn_ndim(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    const ob_tensor *tensor = NULL;
    OB_TRY(ob__take_tensor(args, 0, &tensor, err));
    out->value = ob_value_int(tensor->ndim);
    return OB_OK;
}

ob_status ob__fn_dtype(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    const ob_tensor *tensor = NULL;
    OB_TRY(ob__take_tensor(args, 0, &tensor, err));
    out->value = (ob_value){.kind = OB_VALUE_DTYPE, .as = {.dtype = tensor->dtype}};
    return OB_OK;
}

ob_status ob__fn_is_floating(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    const ob_tensor *tensor = NULL;
    OB_TRY(ob__take_tensor(args, 0, &tensor, err));
    out->value = ob_value_bool(ob_dtype_is_floating(tensor->dtype));
    return OB_OK;
}

ob_status ob__fn_epsilon(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    const ob_tensor *tensor = NULL;
    OB_TRY(ob__take_tensor(args, 0, &tensor, err));
    switch (tensor->dtype) {
    case OB_DTYPE_F16:
        out->value = ob_value_double(0x1p-10);
        return OB_OK;
    case OB_DTYPE_BF16:
        out->value = ob_value_double(0x1p-7);
        return OB_OK;
    case OB_DTYPE_F32:
        out->value = ob_value_double(FLT_EPSILON);
        return OB_OK;
    case OB_DTYPE_F64:
        out->value = ob_value_double(DBL_EPSILON);
        return OB_OK;
    default:
        return ob_err_set(err, OB_ERR_INVALID, "a tensor of real numbers is needed, not of %s",
                          ob_dtype_get_info(tensor->dtype)->torch_name);
    }
}

/* ---- kinds ---- */

ob_status ob__fn_is_none(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    (void)err;
    out->value = ob_value_bool(ob__operand_is_none(&args->args[0]));
    return OB_OK;
}

ob_status ob__fn_is_tensor(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    (void)err;
    out->value = ob_value_bool(ob__operand_tensor(args->scope->graph, &args->args[0]) != NULL);
    return OB_OK;
}

ob_status ob__fn_is_list(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    (void)err;
    out->value = ob_value_bool(ob__operand_is_list(args->scope->graph, &args->args[0]));
    return OB_OK;
}

ob_status ob__fn_is_str(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    (void)err;
    out->value = ob_value_bool(args->args[0].kind == OB_OPERAND_VALUE &&
                               args->args[0].value.kind == OB_VALUE_STR);
    return OB_OK;
}

/* ---- numbers ---- */

ob_status ob__fn_sqrt(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    double x = 0.0;
    OB_TRY(ob__take_real(args, 0, &x, err));
    if (!(x >= 0.0))
        return ob_err_set(err, OB_ERR_INVALID, "@sqrt of %g; the number must not be negative", x);
    out->value = ob_value_double(sqrt(x));
    return OB_OK;
}

ob_status ob__fn_abs(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    double x = 0.0;
    OB_TRY(ob__take_real(args, 0, &x, err));
    const ob_value *value = &args->args[0].value;
    if (value->kind == OB_VALUE_INT && value->as.integer < 0)
        return ob__constant_negate(value, &out->value, err);
    out->value = value->kind == OB_VALUE_INT ? *value : ob_value_double(fabs(x));
    return OB_OK;
}

ob_status ob__fn_int(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    double x = 0.0;
    OB_TRY(ob__take_real(args, 0, &x, err));
    if (args->args[0].value.kind == OB_VALUE_INT) {
        out->value = args->args[0].value;
        return OB_OK;
    }
    if (!(fabs(x) < 0x1p63))
        return ob_err_set(err, OB_ERR_OVERFLOW, "@int of %g does not fit 64 bits", x);
    out->value = ob_value_int((int64_t)x);
    return OB_OK;
}

ob_status ob__fn_float(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    double x = 0.0;
    OB_TRY(ob__take_real(args, 0, &x, err));
    out->value = ob_value_double(x);
    return OB_OK;
}
