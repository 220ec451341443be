/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments of a call by their names in the schema. Lookups belong into setup.
 */
#include "opbench/kit.h"

#include <math.h>
#include <stdlib.h>

const ob_value *ob_kit_arg(const ob_kit_call *call, const char *name)
{
    const int index = call->host->schema_find_arg(call->op->schema, name);
    return index < 0 ? NULL : &call->args[index];
}

bool ob_kit_arg_is_none(const ob_kit_call *call, const char *name)
{
    const ob_value *value = ob_kit_arg(call, name);
    return value == NULL || value->kind == OB_VALUE_NONE;
}

ob_tensor *ob_kit_arg_tensor(const ob_kit_call *call, const char *name)
{
    const ob_value *value = ob_kit_arg(call, name);
    return value != NULL && value->kind == OB_VALUE_TENSOR ? value->as.tensor : NULL;
}

int64_t ob_kit_value_int(const ob_value *value, int64_t otherwise)
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

double ob_kit_value_double(const ob_value *value, double otherwise)
{
    if (value != NULL && value->kind == OB_VALUE_DOUBLE)
        return value->as.real;
    if (value == NULL || (value->kind != OB_VALUE_INT && value->kind != OB_VALUE_BOOL))
        return otherwise;
    return (double)ob_kit_value_int(value, 0);
}

const char *ob_kit_value_str(const ob_value *value)
{
    return value != NULL && value->kind == OB_VALUE_STR ? value->as.str.text : "";
}

size_t ob_kit_value_ints(const ob_value *value, int64_t *out, size_t capacity)
{
    if (value == NULL)
        return 0;
    if (value->kind == OB_VALUE_INT || value->kind == OB_VALUE_BOOL) {
        if (capacity > 0)
            out[0] = ob_kit_value_int(value, 0);
        return 1;
    }
    if (!ob_value_is_list(value))
        return 0;
    for (size_t i = 0; i < value->as.list.count && i < capacity; i++) {
        const ob_value *item = &value->as.list.items[i];
        out[i] = item->kind == OB_VALUE_DOUBLE ? 0 : ob_kit_value_int(item, 0);
    }
    return value->as.list.count;
}

void ob_kit_values_free(const ob_host *host, ob_value *values, size_t count)
{
    for (size_t i = 0; values != NULL && i < count; i++)
        host->value_fini(&values[i]);
    free(values);
}

int64_t ob_kit_arg_int(const ob_kit_call *call, const char *name, int64_t otherwise)
{
    return ob_kit_value_int(ob_kit_arg(call, name), otherwise);
}

double ob_kit_arg_double(const ob_kit_call *call, const char *name, double otherwise)
{
    return ob_kit_value_double(ob_kit_arg(call, name), otherwise);
}

bool ob_kit_arg_bool(const ob_kit_call *call, const char *name, bool otherwise)
{
    return ob_kit_arg_int(call, name, otherwise) != 0;
}

const char *ob_kit_arg_str(const ob_kit_call *call, const char *name)
{
    return ob_kit_value_str(ob_kit_arg(call, name));
}

size_t ob_kit_arg_ints(const ob_kit_call *call, const char *name, int64_t *out, size_t capacity)
{
    return ob_kit_value_ints(ob_kit_arg(call, name), out, capacity);
}

ob_tensor *ob_kit_output(const ob_kit_call *call, size_t k)
{
    return k < call->op->schema->return_count && call->outputs[k].kind == OB_VALUE_TENSOR
               ? call->outputs[k].as.tensor
               : NULL;
}

int ob_kit_dim(int64_t dim, int ndim)
{
    const int64_t dims = ndim > 0 ? ndim : 1;
    return (int)(dim < 0 ? dim + dims : dim);
}

ob_status ob_kit_state(ob_kit_call *call, size_t size, void **state, ob_err *err)
{
    call->state = calloc(1, size > 0 ? size : 1);
    *state = call->state;
    if (call->state == NULL)
        return call->host->err_set(err, OB_ERR_NOMEM, "out of memory for the state of %s",
                                   call->op->schema->name);
    return OB_OK;
}
