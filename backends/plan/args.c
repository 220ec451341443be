/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments of a call by their names in the schema. Lookups belong into setup.
 */
#include "plan/call.h"

#include <math.h>
#include <stdlib.h>

const ob_value *plan_arg(const plan_call *call, const char *name)
{
    const int index = call->host->schema_find_arg(call->op->schema, name);
    return index < 0 ? NULL : &call->args[index];
}

bool plan_arg_is_none(const plan_call *call, const char *name)
{
    const ob_value *value = plan_arg(call, name);
    return value == NULL || value->kind == OB_VALUE_NONE;
}

ob_tensor *plan_arg_tensor(const plan_call *call, const char *name)
{
    const ob_value *value = plan_arg(call, name);
    return value != NULL && value->kind == OB_VALUE_TENSOR ? value->as.tensor : NULL;
}

int64_t plan_value_int(const ob_value *value, int64_t otherwise)
{
    if (value == NULL)
        return otherwise;
    switch (value->kind) {
    case OB_VALUE_INT:
        return value->as.integer;
    case OB_VALUE_BOOL:
        return value->as.boolean;
    case OB_VALUE_DOUBLE: /* outside the range, C does not say what a conversion gives */
        return fabs(value->as.real) < 9223372036854775808.0 ? (int64_t)value->as.real : 0;
    default:
        return otherwise;
    }
}

double plan_value_double(const ob_value *value, double otherwise)
{
    if (value != NULL && value->kind == OB_VALUE_DOUBLE)
        return value->as.real;
    if (value == NULL || (value->kind != OB_VALUE_INT && value->kind != OB_VALUE_BOOL))
        return otherwise;
    return (double)plan_value_int(value, 0);
}

const char *plan_value_str(const ob_value *value)
{
    return value != NULL && value->kind == OB_VALUE_STR ? value->as.str.text : "";
}

size_t plan_value_ints(const ob_value *value, int64_t *out, size_t capacity)
{
    if (value == NULL)
        return 0;
    if (value->kind == OB_VALUE_INT || value->kind == OB_VALUE_BOOL) {
        if (capacity > 0)
            out[0] = plan_value_int(value, 0);
        return 1;
    }
    if (value->kind != OB_VALUE_LIST && value->kind != OB_VALUE_TUPLE)
        return 0;
    for (size_t i = 0; i < value->as.list.count && i < capacity; i++) {
        const ob_value *item = &value->as.list.items[i];
        out[i] = item->kind == OB_VALUE_DOUBLE ? 0 : plan_value_int(item, 0);
    }
    return value->as.list.count;
}

int64_t plan_arg_int(const plan_call *call, const char *name, int64_t otherwise)
{
    return plan_value_int(plan_arg(call, name), otherwise);
}

double plan_arg_double(const plan_call *call, const char *name, double otherwise)
{
    return plan_value_double(plan_arg(call, name), otherwise);
}

bool plan_arg_bool(const plan_call *call, const char *name, bool otherwise)
{
    return plan_arg_int(call, name, otherwise) != 0;
}

const char *plan_arg_str(const plan_call *call, const char *name)
{
    return plan_value_str(plan_arg(call, name));
}

size_t plan_arg_ints(const plan_call *call, const char *name, int64_t *out, size_t capacity)
{
    return plan_value_ints(plan_arg(call, name), out, capacity);
}

ob_tensor *plan_output(const plan_call *call, size_t k)
{
    return k < call->op->schema->return_count && call->outputs[k].kind == OB_VALUE_TENSOR
               ? call->outputs[k].as.tensor
               : NULL;
}

int plan_dim(int64_t dim, int ndim)
{
    const int64_t dims = ndim > 0 ? ndim : 1;
    return (int)(dim < 0 ? dim + dims : dim);
}

ob_status plan_state(plan_call *call, size_t size, void **state, ob_err *err)
{
    call->state = calloc(1, size > 0 ? size : 1);
    *state = call->state;
    if (call->state == NULL)
        return call->host->err_set(err, OB_ERR_NOMEM, "out of memory for the state of %s",
                                   call->op->schema->name);
    return OB_OK;
}
