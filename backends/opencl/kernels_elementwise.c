/* SPDX-License-Identifier: Apache-2.0
 *
 * Elementwise operators, all that plan/elementwise.def has, and those that are two of their loops.
 */
#include "work.h"

#include "plan/elementwise.h"

static bool is_test(plan_loop_id loop)
{
    const plan_loop_kind kind = plan_loop_kind_of(loop);
    return kind == PLAN_KIND_TEST1 || kind == PLAN_KIND_TEST2;
}

static bool divides(plan_loop_id loop)
{
    return loop == PLAN_LOOP_div_floor || loop == PLAN_LOOP_div_trunc ||
           loop == PLAN_LOOP_remainder || loop == PLAN_LOOP_fmod;
}

static ob_status add_loop(ocl_maker *m, const plan_elementwise_args *args, ob_err *err)
{
    ob_dtype dtype = args->out->dtype;
    if (is_test(args->loop) || args->in_place)
        dtype = plan_promote(m->env->host, args->inputs, 3);
    if (plan_loop_text(args->loop, ocl_is_whole(dtype)) ==
        NULL) /* integers in a function of reals */
        dtype = args->out->dtype == OB_DTYPE_F64 ? OB_DTYPE_F64 : OB_DTYPE_F32;
    const bool whole = ocl_is_whole(dtype);
    ocl_elementwise work = {.expression = plan_loop_text(args->loop, whole),
                            .out = args->out,
                            .mask = args->mask,
                            .compute = dtype,
                            .divisor = whole && divides(args->loop) ? "other" : NULL};
    for (int k = 0; k < plan_loop_operands(args->loop); k++)
        work.inputs[k] = args->inputs[k];
    for (int k = 0; k < 4; k++)
        work.scalars[k] = args->scalars[k];
    return ocl_elementwise_add(m, &work, err);
}

static ob_status setup(plan_call *call, ob_err *err)
{
    plan_elementwise_args args;
    ob_value defaults[4];
    ocl_maker m;
    OB_TRY(plan_elementwise_read(call, &args, defaults, err));
    OB_TRY(ocl_maker_open(call, &m, err));
    return add_loop(&m, &args, err);
}

/* A mask that is none is refused when the call is read. */
static ob_status check(plan_call *call, ob_err *err)
{
    plan_elementwise_args args;
    ob_value defaults[4];
    return plan_elementwise_read(call, &args, defaults, err);
}

/* ---- log_sigmoid_forward: the result, and exp(-|x|) for the backward ---- */

static ob_status setup_log_sigmoid(plan_call *call, ob_err *err)
{
    static const plan_loop_id loops[2] = {PLAN_LOOP_log_sigmoid, PLAN_LOOP_log_sigmoid_buffer};
    ocl_maker m;
    OB_TRY(ocl_maker_open(call, &m, err));
    for (size_t k = 0; k < 2; k++) {
        const plan_elementwise_args args = {
            .loop = loops[k], .out = plan_output(call, k), .inputs = {&call->args[0]}};
        OB_TRY(add_loop(&m, &args, err));
    }
    return OB_OK;
}

const plan_kernel ocl_kernels_elementwise[] = {
#define PLAN_EW(op, types, loop, operands, scalars)                                                \
    {.name = (op),                                                                                 \
     .dtypes = PLAN_##types,                                                                       \
     .setup = setup,                                                                               \
     .run = ocl_run,                                                                               \
     .check = check,                                                                               \
     .data = &(const plan_elementwise_row){PLAN_LOOP_##loop, operands, scalars}},
#include "plan/elementwise.def"
#undef PLAN_EW
    {.name = "aten::log_sigmoid_forward",
     .dtypes = PLAN_FLOATS,
     .setup = setup_log_sigmoid,
     .run = ocl_run},
    {.name = NULL},
};
