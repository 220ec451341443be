/* SPDX-License-Identifier: Apache-2.0
 *
 * Elementwise operators: from a row of elementwise.def and a call to what is to be computed of what, in which
 * type. What depends on an argument's value (a rounding mode, an approximation, a missing bound) is chosen here.
 */
#include "kit/elementwise_calls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct loop_row {
    ob_kit_loop_kind kind;
    const char *real, *integer; /* NULL: not for such numbers */
} LOOPS[] = {
#define TEXT_BOTH(r, i) r, i
#define TEXT_FLOAT(r, i) r, NULL
#define TEXT_INT(r, i) NULL, i
#define OB_KIT_LOOP(name, kind, types, real, integer)                                              \
    [OB_KIT_LOOP_##name] = {OB_KIT_KIND_##kind, TEXT_##types(#real, #integer)},
#include "kit/loops.def"
#undef OB_KIT_LOOP
};

ob_kit_loop_kind ob_kit_loop_kind_of(ob_kit_loop_id id)
{
    return LOOPS[id].kind;
}

const char *ob_kit_loop_text(ob_kit_loop_id id, bool integer)
{
    return integer ? LOOPS[id].integer : LOOPS[id].real;
}

int ob_kit_loop_operands(ob_kit_loop_id id)
{
    switch (ob_kit_loop_kind_of(id)) {
    case OB_KIT_KIND_LOOP1:
    case OB_KIT_KIND_TEST1:
    case OB_KIT_KIND_MASK1:
        return 1;
    case OB_KIT_KIND_LOOP2:
    case OB_KIT_KIND_TEST2:
    case OB_KIT_KIND_MASK2:
        return 2;
    case OB_KIT_KIND_LOOP3:
        break;
    }
    return 3;
}

/* ---- numbers ---- */

double ob_kit_value_real(const ob_value *value)
{
    return ob_kit_value_double(value, 0);
}

int64_t ob_kit_value_integer(const ob_value *value)
{
    return ob_kit_value_int(value, 0);
}

/* ---- promotion ---- */

static ob_dtype both(const ob_host *host, ob_dtype a, ob_dtype b)
{
    if (a == OB_DTYPE_INVALID || b == OB_DTYPE_INVALID)
        return a == OB_DTYPE_INVALID ? b : a;
    return host->dtype_promote(a, b);
}

/* bool, integer, real or complex. */
static int category(const ob_host *host, ob_dtype dtype)
{
    switch (host->dtype_get_info(dtype)->cls) {
    case OB_DTYPE_CLASS_BOOL:
        return 0;
    case OB_DTYPE_CLASS_UINT:
    case OB_DTYPE_CLASS_INT:
        return 1;
    case OB_DTYPE_CLASS_FLOAT:
        return 2;
    default:
        return 3;
    }
}

/* A lower rank counts only when its category is higher. */
static ob_dtype combine(const ob_host *host, ob_dtype higher, ob_dtype lower)
{
    if (higher == OB_DTYPE_INVALID || lower == OB_DTYPE_INVALID)
        return higher == OB_DTYPE_INVALID ? lower : higher;
    return category(host, lower) > category(host, higher) ? both(host, higher, lower) : higher;
}

ob_dtype ob_kit_promote(const ob_host *host, const ob_value *const *values, int count)
{
    ob_dtype dim = OB_DTYPE_INVALID, zero_dim = OB_DTYPE_INVALID, number = OB_DTYPE_INVALID;
    for (int i = 0; i < count; i++) {
        const ob_value *value = values[i];
        if (value == NULL)
            continue;
        switch (value->kind) {
        case OB_VALUE_TENSOR:
            if (value->as.tensor->ndim > 0)
                dim = both(host, dim, value->as.tensor->dtype);
            else
                zero_dim = both(host, zero_dim, value->as.tensor->dtype);
            break;
        case OB_VALUE_BOOL:
            number = both(host, number, OB_DTYPE_BOOL);
            break;
        case OB_VALUE_INT:
            number = both(host, number, OB_DTYPE_I64);
            break;
        case OB_VALUE_DOUBLE:
            number = both(host, number, OB_DTYPE_F32);
            break;
        default:
            break;
        }
    }
    return combine(host, dim, combine(host, zero_dim, number));
}

/* ---- calls ---- */

/* The next word of a list; false at its end. */
static bool next_word(const char **list, char *word, size_t size)
{
    *list += strspn(*list, " ");
    const size_t length = strcspn(*list, " ");
    if (length == 0 || length >= size)
        return false;
    memcpy(word, *list, length);
    word[length] = '\0';
    *list += length;
    return true;
}

/* The loop for what the arguments say. */
static ob_kit_loop_id choose_loop(const ob_kit_call *call, ob_kit_loop_id loop)
{
    const char *mode = ob_kit_arg_str(call, "rounding_mode");
    const char *approximate = ob_kit_arg_str(call, "approximate");
    if (loop == OB_KIT_LOOP_div && strcmp(mode, "floor") == 0)
        return OB_KIT_LOOP_div_floor;
    if (loop == OB_KIT_LOOP_div && strcmp(mode, "trunc") == 0)
        return OB_KIT_LOOP_div_trunc;
    if (loop == OB_KIT_LOOP_gelu && strcmp(approximate, "tanh") == 0)
        return OB_KIT_LOOP_gelu_tanh;
    if (loop == OB_KIT_LOOP_gelu_backward && strcmp(approximate, "tanh") == 0)
        return OB_KIT_LOOP_gelu_tanh_backward;
    if (loop == OB_KIT_LOOP_elu_backward && ob_kit_arg_bool(call, "is_result", false))
        return OB_KIT_LOOP_elu_backward_result;
    if (loop == OB_KIT_LOOP_bitwise_not && ob_kit_output(call, 0)->dtype == OB_DTYPE_BOOL)
        return OB_KIT_LOOP_logical_not;
    return loop;
}

/* Powers that PyTorch computes by other functions too. Integers have the whole ones only. */
static void simplify_power(const ob_host *host, ob_kit_elementwise_args *args)
{
    static const struct {
        double exponent;
        ob_kit_loop_id loop;
        bool whole;
    } POWERS[] = {
        {1, OB_KIT_LOOP_copy, true},
        {2, OB_KIT_LOOP_square, true},
        {3, OB_KIT_LOOP_cube, true},
        {0.5, OB_KIT_LOOP_sqrt, false},
        {-0.5, OB_KIT_LOOP_rsqrt, false},
        {-1, OB_KIT_LOOP_reciprocal, false},
        {-2, OB_KIT_LOOP_inverse_square, false},
    };
    const ob_value *self = args->inputs[0], *exponent = args->inputs[1];
    if (args->loop != OB_KIT_LOOP_pow || self == NULL || exponent == NULL ||
        self->kind != OB_VALUE_TENSOR ||
        (exponent->kind != OB_VALUE_INT && exponent->kind != OB_VALUE_DOUBLE))
        return;
    const bool real = host->dtype_get_info(args->out->dtype)->cls == OB_DTYPE_CLASS_FLOAT;
    for (size_t i = 0; i < sizeof POWERS / sizeof POWERS[0]; i++) {
        if (ob_kit_value_real(exponent) != POWERS[i].exponent || !(real || POWERS[i].whole))
            continue;
        args->loop = POWERS[i].loop;
        args->inputs[1] = NULL;
        return;
    }
}

/* A clamp with one bound is the maximum or minimum with it. */
static void drop_missing_bound(ob_kit_elementwise_args *args)
{
    const ob_value *low = args->inputs[1], *high = args->inputs[2];
    if (args->loop != OB_KIT_LOOP_clamp || low == NULL || high == NULL)
        return;
    if (low->kind == OB_VALUE_NONE) {
        args->loop = OB_KIT_LOOP_minimum;
        args->inputs[1] = high;
        args->inputs[2] = NULL;
    } else if (high->kind == OB_VALUE_NONE) {
        args->loop = OB_KIT_LOOP_maximum;
        args->inputs[2] = NULL;
    }
}

static bool writes_self(const ob_kit_call *call)
{
    return call->op->schema->arg_count > 0 && call->op->schema->args[0].writes;
}

ob_status ob_kit_elementwise_read(const ob_kit_call *call, ob_kit_elementwise_args *args,
                                  ob_value *defaults, ob_err *err)
{
    const ob_kit_elementwise_row *row = call->kernel->data;
    char word[32];
    *args = (ob_kit_elementwise_args){.loop = choose_loop(call, row->loop),
                                      .out = ob_kit_output(call, 0),
                                      .in_place = writes_self(call),
                                      .name = call->op->schema->name};
    const ob_kit_loop_kind kind = ob_kit_loop_kind_of(args->loop);
    const bool has_mask = kind == OB_KIT_KIND_MASK1 || kind == OB_KIT_KIND_MASK2;
    const int inputs = ob_kit_loop_operands(args->loop);
    const char *list = row->operands;
    for (int k = 0; next_word(&list, word, sizeof word); k++) {
        const ob_value *value = ob_kit_arg(call, word);
        if (has_mask && k == inputs)
            args->mask = value->kind == OB_VALUE_TENSOR ? value->as.tensor : NULL;
        else
            args->inputs[k] = value;
    }
    if (has_mask && (args->mask == NULL ||
                     (args->mask->dtype != OB_DTYPE_BOOL && args->mask->dtype != OB_DTYPE_U8)))
        return call->host->err_set(err, OB_ERR_UNSUPPORTED,
                                   "%s: the %s backend only takes bool masks",
                                   call->op->schema->name, call->device->name);
    drop_missing_bound(args);
    simplify_power(call->host, args);
    list = row->scalars;
    for (int k = 0; next_word(&list, word, sizeof word); k++) {
        char *otherwise = strchr(word, '=');
        if (otherwise != NULL)
            *otherwise = '\0';
        args->scalars[k] = ob_kit_arg(call, word);
        if (args->scalars[k] == NULL || args->scalars[k]->kind == OB_VALUE_NONE) {
            defaults[k] = ob_value_int(otherwise != NULL ? strtol(otherwise + 1, NULL, 10) : 0);
            args->scalars[k] = &defaults[k];
        }
    }
    return OB_OK;
}
