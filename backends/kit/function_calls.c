/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of functions that rows point to: which row takes a call, and what its function is given. A function trusts what
 * its row says of dtypes and shapes, so whatever else comes is refused here, on metas, before there is any data.
 */
#include "kit/function_calls.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_TENSORS = 64, MOST_NUMBERS = 32 };

/* ---- the values of a call ---- */

typedef struct tensors {
    const ob_tensor *at[MOST_TENSORS]; /* NULL: the argument is None */
    const char *names[MOST_TENSORS];
    size_t count;
    bool has_too_many;
} tensors;

static void add_tensor(tensors *to, const ob_tensor *tensor, const char *name)
{
    to->has_too_many = to->has_too_many || to->count == MOST_TENSORS;
    if (to->has_too_many)
        return;
    to->at[to->count] = tensor;
    to->names[to->count++] = name != NULL ? name : "the result";
}

static const ob_type *without_optional(const ob_type *type)
{
    return type->kind == OB_TYPE_OPTIONAL ? type->element : type;
}

/* A None stands where the schema has one tensor, so that the others keep their numbers. */
static void add_value(tensors *to, const ob_value *value, const ob_schema_arg *arg)
{
    if (value->kind == OB_VALUE_TENSOR)
        add_tensor(to, value->as.tensor, arg->name);
    else if (value->kind == OB_VALUE_NONE && without_optional(arg->type)->kind == OB_TYPE_TENSOR)
        add_tensor(to, NULL, arg->name);
    if (!ob_value_is_list(value))
        return;
    for (size_t i = 0; i < value->as.list.count; i++)
        if (value->as.list.items[i].kind == OB_VALUE_TENSOR)
            add_tensor(to, value->as.list.items[i].as.tensor, arg->name);
}

/* The arguments; returns how many there are. The results stand behind them. */
static size_t collect(const ob_kit_call *call, tensors *out)
{
    const ob_schema *schema = call->op->schema;
    for (size_t i = 0; i < schema->arg_count; i++)
        add_value(out, &call->args[i], &schema->args[i]);
    const size_t in_count = out->count;
    for (size_t k = 0; k < schema->return_count; k++)
        add_value(out, &call->outputs[k], &schema->returns[k]);
    return in_count;
}

static const ob_tensor *first_of(const tensors *all)
{
    size_t i = 0;
    while (i < all->count && all->at[i] == NULL)
        i++;
    return i < all->count ? all->at[i] : NULL;
}

/* ---- which row ---- */

static ob_status no(const ob_kit_call *call, ob_err *err, const char *what)
{
    char name[192];
    return call->host->err_set(err, OB_ERR_UNSUPPORTED, "%s's function for %s %s",
                               call->env->backend, ob_kit_op_name(call->op, name, sizeof name),
                               what);
}

static ob_status check_dtype(const ob_kit_call *call, const ob_kit_function_row *row,
                             const ob_tensor *first, const ob_tensor *tensor, const char *name,
                             ob_err *err)
{
    char what[160];
    const ob_host *host = call->host;
    if (tensor->dtype == first->dtype || (row->other_dtypes & 1u << tensor->dtype) != 0)
        return OB_OK;
    snprintf(what, sizeof what,
             "does not take %s of %s together with %s; use one dtype, or another row", name,
             host->dtype_get_info(tensor->dtype)->name, host->dtype_get_info(first->dtype)->name);
    return no(call, err, what);
}

static bool has_sizes_of(const ob_tensor *a, const ob_tensor *b)
{
    return a->ndim == b->ndim &&
           memcmp(a->sizes, b->sizes, (size_t)a->ndim * sizeof *a->sizes) == 0;
}

static ob_status check_shape(const ob_kit_call *call, const ob_kit_function_row *row,
                             const ob_tensor *first, const ob_tensor *tensor, const char *name,
                             ob_err *err)
{
    char what[192];
    if (row->shapes != OB_KIT_ANY_STRIDES && !ob_kit_is_contiguous(tensor)) {
        snprintf(what, sizeof what,
                 "takes contiguous tensors, but %s is not contiguous; a row that handles strides "
                 "sets OB_KIT_ANY_STRIDES",
                 name);
        return no(call, err, what);
    }
    if (row->shapes != OB_KIT_ONE_SHAPE || has_sizes_of(first, tensor))
        return OB_OK;
    snprintf(what, sizeof what,
             "takes tensors of one shape, but %s has a different one; a row that handles sizes "
             "sets OB_KIT_CONTIGUOUS",
             name);
    return no(call, err, what);
}

static ob_status check_row(const ob_kit_call *call, const ob_kit_function_row *row,
                           const tensors *all, ob_err *err)
{
    const ob_tensor *first = first_of(all);
    for (size_t i = 0; i < all->count; i++) {
        if (all->at[i] == NULL)
            continue;
        OB_TRY(check_dtype(call, row, first, all->at[i], all->names[i], err));
        OB_TRY(check_shape(call, row, first, all->at[i], all->names[i], err));
    }
    return OB_OK;
}

/* Whether the row is one of the operator and of the first tensor's dtype: the kit has seen that there is one. */
static bool is_asked(const ob_kit_call *call, const ob_kit_function_row *row, const tensors *all)
{
    const ob_tensor *first = first_of(all);
    return strcmp(row->op, call->kernel->name) == 0 &&
           (first == NULL || (row->dtypes & 1u << first->dtype) != 0);
}

/* The first row that takes the call. Without one err says what the last one lacks. */
static ob_status find_row(const ob_kit_call *call, const tensors *all,
                          const ob_kit_function_row **out, ob_err *err)
{
    ob_status status = OB_ERR_UNSUPPORTED;
    *out = NULL;
    if (all->has_too_many)
        return no(call, err, "takes at most 64 tensors");
    for (const ob_kit_function_row *row = call->kernel->data; row->op != NULL; row++) {
        if (!is_asked(call, row, all))
            continue;
        status = check_row(call, row, all, err);
        if (status == OB_OK) {
            *out = row;
            return OB_OK;
        }
    }
    return status;
}

ob_status ob_kit_function_check(ob_kit_call *call, ob_err *err)
{
    const ob_kit_function_row *row;
    tensors all = {.count = 0};
    collect(call, &all);
    return find_row(call, &all, &row, err);
}

/* ---- what its function is given ---- */

typedef struct state {
    ob_kit_function function;
    ob_kit_function_args args;
    ob_kit_data data[MOST_TENSORS];
    double numbers[MOST_NUMBERS];
} state;

static bool is_number(const ob_type *type)
{
    switch (without_optional(type)->kind) {
    case OB_TYPE_INT:
    case OB_TYPE_SYM_INT:
    case OB_TYPE_FLOAT:
    case OB_TYPE_BOOL:
    case OB_TYPE_SCALAR:
        return true;
    default:
        return false;
    }
}

static size_t collect_numbers(const ob_kit_call *call, double *out)
{
    const ob_schema *schema = call->op->schema;
    size_t count = 0;
    for (size_t i = 0; i < schema->arg_count && count < MOST_NUMBERS; i++)
        if (is_number(schema->args[i].type))
            out[count++] = ob_kit_value_double(&call->args[i], (double)NAN);
    return count;
}

static ob_kit_data data_of(const ob_host *host, const ob_tensor *tensor)
{
    if (tensor == NULL)
        return (ob_kit_data){.data = NULL, .dtype = OB_DTYPE_INVALID};
    return (ob_kit_data){.data = host->tensor_data(tensor),
                         .count = ob_kit_numel(tensor),
                         .dtype = tensor->dtype,
                         .ndim = tensor->ndim,
                         .sizes = tensor->sizes,
                         .strides = tensor->strides};
}

ob_status ob_kit_function_setup(ob_kit_call *call, ob_err *err)
{
    const ob_kit_function_row *row;
    tensors all = {.count = 0};
    void *made;
    const size_t in_count = collect(call, &all);
    OB_TRY(find_row(call, &all, &row, err));
    OB_TRY(ob_kit_state(call, sizeof(state), &made, err));
    state *s = made;
    s->function = row->function;
    for (size_t i = 0; i < all.count; i++)
        s->data[i] = data_of(call->host, all.at[i]);
    s->args = (ob_kit_function_args){.in = s->data,
                                     .in_count = in_count,
                                     .out = s->data + in_count,
                                     .out_count = all.count - in_count,
                                     .numbers = s->numbers,
                                     .number_count = collect_numbers(call, s->numbers)};
    return OB_OK;
}

ob_status ob_kit_function_run(const ob_kit_call *call, ob_err *err)
{
    state *s = call->state;
    (void)err;
    s->args.call = call; /* not before: a list of calls may have moved since setup */
    s->args.threads = call->env->threads;
    s->function(&s->args);
    return OB_OK;
}
