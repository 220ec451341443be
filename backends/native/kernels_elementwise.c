/* SPDX-License-Identifier: Apache-2.0
 *
 * Elementwise operators: from the rows of elementwise.def to the engine. What depends on an
 * argument's value (a rounding mode, an approximation, a missing bound) is chosen in setup.
 */
#include "elementwise.h"

#include <stdlib.h>
#include <string.h>

typedef struct spec {
    native_loop_id loop;
    const char *operands;
    const char *scalars;
} spec;

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
static native_loop_id choose_loop(const plan_call *call, native_loop_id loop)
{
    const char *mode = plan_arg_str(call, "rounding_mode");
    const char *approximate = plan_arg_str(call, "approximate");
    if (loop == NATIVE_LOOP_div && strcmp(mode, "floor") == 0)
        return NATIVE_LOOP_div_floor;
    if (loop == NATIVE_LOOP_div && strcmp(mode, "trunc") == 0)
        return NATIVE_LOOP_div_trunc;
    if (loop == NATIVE_LOOP_gelu && strcmp(approximate, "tanh") == 0)
        return NATIVE_LOOP_gelu_tanh;
    if (loop == NATIVE_LOOP_gelu_backward && strcmp(approximate, "tanh") == 0)
        return NATIVE_LOOP_gelu_tanh_backward;
    if (loop == NATIVE_LOOP_elu_backward && plan_arg_bool(call, "is_result", false))
        return NATIVE_LOOP_elu_backward_result;
    if (loop == NATIVE_LOOP_bitwise_not && plan_output(call, 0)->dtype == OB_DTYPE_BOOL)
        return NATIVE_LOOP_logical_not;
    return loop;
}

/* Powers that PyTorch computes by other functions too. Integers have the whole ones only. */
static void simplify_power(native_elementwise_args *args)
{
    static const struct {
        double exponent;
        native_loop_id loop;
        bool whole;
    } POWERS[] = {
        {1, NATIVE_LOOP_copy, true},
        {2, NATIVE_LOOP_square, true},
        {3, NATIVE_LOOP_cube, true},
        {0.5, NATIVE_LOOP_sqrt, false},
        {-0.5, NATIVE_LOOP_rsqrt, false},
        {-1, NATIVE_LOOP_reciprocal, false},
        {-2, NATIVE_LOOP_inverse_square, false},
    };
    const ob_value *self = args->inputs[0], *exponent = args->inputs[1];
    if (args->loop != NATIVE_LOOP_pow || self == NULL || exponent == NULL ||
        self->kind != OB_VALUE_TENSOR ||
        (exponent->kind != OB_VALUE_INT && exponent->kind != OB_VALUE_DOUBLE))
        return;
    const native_class cls = native_class_of(args->out->dtype);
    const bool real = cls == NATIVE_F32 || cls == NATIVE_F64;
    for (size_t i = 0; i < sizeof POWERS / sizeof POWERS[0]; i++) {
        if (native_value_real(exponent) != POWERS[i].exponent || !(real || POWERS[i].whole))
            continue;
        args->loop = POWERS[i].loop;
        args->inputs[1] = NULL;
        return;
    }
}

/* A clamp with one bound is the maximum or minimum with it. */
static void drop_missing_bound(native_elementwise_args *args)
{
    const ob_value *low = args->inputs[1], *high = args->inputs[2];
    if (args->loop != NATIVE_LOOP_clamp || low == NULL || high == NULL)
        return;
    if (low->kind == OB_VALUE_NONE) {
        args->loop = NATIVE_LOOP_minimum;
        args->inputs[1] = high;
        args->inputs[2] = NULL;
    } else if (high->kind == OB_VALUE_NONE) {
        args->loop = NATIVE_LOOP_maximum;
        args->inputs[2] = NULL;
    }
}

static bool writes_self(const plan_call *call)
{
    return call->op->schema->arg_count > 0 && call->op->schema->args[0].writes;
}

static ob_status read_args(const plan_call *call, native_elementwise_args *args, ob_value *defaults,
                           ob_err *err)
{
    const spec *row = call->kernel->data;
    char word[32];
    *args = (native_elementwise_args){.loop = choose_loop(call, row->loop),
                                      .out = plan_output(call, 0),
                                      .in_place = writes_self(call),
                                      .name = call->op->schema->name};
    const native_loop_kind kind = native_loop_kind_of(args->loop);
    const bool has_mask = kind == NATIVE_KIND_MASK1 || kind == NATIVE_KIND_MASK2;
    const int inputs = native_loop_operands(args->loop);
    const char *list = row->operands;
    for (int k = 0; next_word(&list, word, sizeof word); k++) {
        const ob_value *value = plan_arg(call, word);
        if (has_mask && k == inputs)
            args->mask = value->kind == OB_VALUE_TENSOR ? value->as.tensor : NULL;
        else
            args->inputs[k] = value;
    }
    if (has_mask && (args->mask == NULL ||
                     (args->mask->dtype != OB_DTYPE_BOOL && args->mask->dtype != OB_DTYPE_U8)))
        return call->env->host->err_set(err, OB_ERR_UNSUPPORTED,
                                        "%s: the native backend takes masks of bool only",
                                        call->op->schema->name);
    drop_missing_bound(args);
    simplify_power(args);
    list = row->scalars;
    for (int k = 0; next_word(&list, word, sizeof word); k++) {
        char *otherwise = strchr(word, '=');
        if (otherwise != NULL)
            *otherwise = '\0';
        args->scalars[k] = plan_arg(call, word);
        if (args->scalars[k] == NULL || args->scalars[k]->kind == OB_VALUE_NONE) {
            defaults[k] = ob_value_int(otherwise != NULL ? strtol(otherwise + 1, NULL, 10) : 0);
            args->scalars[k] = &defaults[k];
        }
    }
    return OB_OK;
}

static ob_status setup(plan_call *call, ob_err *err)
{
    native_elementwise_args args;
    ob_value defaults[4];
    void *work;
    OB_TRY(read_args(call, &args, defaults, err));
    OB_TRY(plan_state(call, sizeof(native_elementwise), &work, err));
    return native_elementwise_init(call->env, &args, work, err);
}

static ob_status run(const plan_call *call, ob_err *err)
{
    return native_elementwise_run(call->env, call->state, err);
}

#define PLAN_WHOLES (PLAN_INTS | PLAN_BOOL)

const plan_kernel native_kernels_elementwise[] = {
#define NATIVE_EW(op, types, loop, operands, scalars)                                              \
    {.name = (op),                                                                                 \
     .dtypes = PLAN_##types,                                                                       \
     .setup = setup,                                                                               \
     .run = run,                                                                                   \
     .data = &(const spec){NATIVE_LOOP_##loop, operands, scalars}},
#include "elementwise.def"
#undef NATIVE_EW
    {.name = NULL},
};
