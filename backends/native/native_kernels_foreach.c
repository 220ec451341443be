/* SPDX-License-Identifier: Apache-2.0
 *
 * The same elementwise call on every tensor of a list. Arguments that are lists give one item to each call,
 * others are the same for all.
 */
#include "native_elementwise.h"

typedef struct spec {
    ob_kit_loop_id loop;
    const char *inputs[3];
    const char *scalar;
} spec;

typedef struct work {
    size_t count;
    native_elementwise calls[];
} work;

static const ob_value *pick(const ob_value *value, size_t index)
{
    if (value != NULL && value->kind == OB_VALUE_LIST)
        return &value->as.list.items[index];
    return value;
}

static ob_status setup(ob_kit_call *call, ob_err *err)
{
    const spec *row = call->kernel->data;
    const ob_value *self = ob_kit_arg(call, "self");
    const bool in_place = call->op->schema->return_count == 0;
    const size_t count = self->as.list.count;
    const ob_value one = ob_value_int(1);
    void *state;
    OB_TRY(ob_kit_state(call, sizeof(work) + count * sizeof(native_elementwise), &state, err));
    work *w = state;
    for (size_t i = 0; i < count; i++) {
        ob_kit_elementwise_args args = {
            .loop = row->loop,
            .out = (in_place ? pick(self, i) : pick(&call->outputs[0], i))->as.tensor,
            .scalars = {row->scalar != NULL ? pick(ob_kit_arg(call, row->scalar), i) : &one},
            .in_place = in_place,
            .name = call->op->schema->name};
        for (size_t k = 0; k < 3 && row->inputs[k] != NULL; k++)
            args.inputs[k] = pick(ob_kit_arg(call, row->inputs[k]), i);
        OB_TRY(native_elementwise_init(call->env, &args, &w->calls[i], err));
        w->count++;
    }
    return OB_OK;
}

static ob_status run(const ob_kit_call *call, ob_err *err)
{
    const work *w = call->state;
    for (size_t i = 0; i < w->count; i++)
        OB_TRY(native_elementwise_run(call->env, &w->calls[i], err));
    return OB_OK;
}

static ob_status run_zero(const ob_kit_call *call, ob_err *err)
{
    const ob_value *self = &call->args[0];
    (void)err;
    for (size_t i = 0; i < self->as.list.count; i++)
        native_fill(call->env, self->as.list.items[i].as.tensor, 0);
    return OB_OK;
}

#define EACH_ROW(op, types, word, number, ...)                                                     \
    {                                                                                              \
        .name = (op), .dtypes = OB_KIT_##types, .setup = setup, .run = run, .data = &(const spec)  \
        {                                                                                          \
            .loop = OB_KIT_LOOP_##word, .inputs = {__VA_ARGS__}, .scalar = (number)                \
        }                                                                                          \
    }
#define BOTH_WAYS(name, overload, types, word, number, ...)                                        \
    EACH_ROW("aten::_foreach_" name overload, types, word, number, __VA_ARGS__),                   \
        EACH_ROW("aten::_foreach_" name "_" overload, types, word, number, __VA_ARGS__)
#define BINARY(name, types, word, alpha)                                                           \
    BOTH_WAYS(name, ".List", types, word, alpha, "self", "other"),                                 \
        BOTH_WAYS(name, ".Scalar", types, word, NULL, "self", "scalar"),                           \
        BOTH_WAYS(name, ".ScalarList", types, word, NULL, "self", "scalars")
#define TERNARY(name, types, word)                                                                 \
    BOTH_WAYS(name, ".Scalar", types, word, "value", "self", "tensor1", "tensor2"),                \
        BOTH_WAYS(name, ".ScalarList", types, word, "scalars", "self", "tensor1", "tensor2")

const ob_kit_kernel native_kernels_foreach[] = {
    BINARY("add", REALS, add, "alpha"),
    BINARY("sub", NUMBERS, sub, "alpha"),
    BINARY("mul", REALS, mul, NULL),
    BINARY("div", REALS, div, NULL),
    TERNARY("addcmul", NUMBERS, addcmul),
    TERNARY("addcdiv", FLOATS, addcdiv),
    BOTH_WAYS("sqrt", "", REALS, sqrt, NULL, "self"),
    BOTH_WAYS("neg", "", NUMBERS, neg, NULL, "self"),
    {.name = "aten::_foreach_zero_", .dtypes = OB_KIT_REALS, .run = run_zero},
    {.name = NULL},
};
