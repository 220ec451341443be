/* SPDX-License-Identifier: Apache-2.0
 *
 * Elementwise operators, all that kit/elementwise.def has, and those that are two of their loops.
 */
#include "work.h"

#include "kit/elementwise_calls.h"

static bool is_test(ob_kit_loop_id loop)
{
    const ob_kit_loop_kind kind = ob_kit_loop_kind_of(loop);
    return kind == OB_KIT_KIND_TEST1 || kind == OB_KIT_KIND_TEST2;
}

static bool divides(ob_kit_loop_id loop)
{
    return loop == OB_KIT_LOOP_div_floor || loop == OB_KIT_LOOP_div_trunc ||
           loop == OB_KIT_LOOP_remainder || loop == OB_KIT_LOOP_fmod;
}

static ob_status add_loop(ocl_maker *m, const ob_kit_elementwise_args *args, ob_err *err)
{
    ob_dtype dtype = args->out->dtype;
    if (is_test(args->loop) || args->in_place)
        dtype = ob_kit_promote(m->env->host, args->inputs, 3);
    if (ob_kit_loop_text(args->loop, ocl_is_whole(dtype)) ==
        NULL) /* integers in a function of reals */
        dtype = args->out->dtype == OB_DTYPE_F64 ? OB_DTYPE_F64 : OB_DTYPE_F32;
    const bool whole = ocl_is_whole(dtype);
    ocl_elementwise work = {.expression = ob_kit_loop_text(args->loop, whole),
                            .out = args->out,
                            .mask = args->mask,
                            .compute = dtype,
                            .divisor = whole && divides(args->loop) ? "other" : NULL};
    for (int k = 0; k < ob_kit_loop_operands(args->loop); k++)
        work.inputs[k] = args->inputs[k];
    for (int k = 0; k < 4; k++)
        work.scalars[k] = args->scalars[k];
    return ocl_elementwise_add(m, &work, err);
}

static ob_status setup(ob_kit_call *call, ob_err *err)
{
    ob_kit_elementwise_args args;
    ob_value defaults[4];
    ocl_maker m;
    OB_TRY(ob_kit_elementwise_read(call, &args, defaults, err));
    OB_TRY(ocl_maker_open(call, &m, err));
    return add_loop(&m, &args, err);
}

/* A mask that is none is refused when the call is read. */
static ob_status check(ob_kit_call *call, ob_err *err)
{
    ob_kit_elementwise_args args;
    ob_value defaults[4];
    return ob_kit_elementwise_read(call, &args, defaults, err);
}

/* ---- log_sigmoid_forward: the result, and exp(-|x|) for the backward ---- */

static ob_status setup_log_sigmoid(ob_kit_call *call, ob_err *err)
{
    static const ob_kit_loop_id loops[2] = {OB_KIT_LOOP_log_sigmoid,
                                            OB_KIT_LOOP_log_sigmoid_buffer};
    ocl_maker m;
    OB_TRY(ocl_maker_open(call, &m, err));
    for (size_t k = 0; k < 2; k++) {
        const ob_kit_elementwise_args args = {
            .loop = loops[k], .out = ob_kit_output(call, k), .inputs = {&call->args[0]}};
        OB_TRY(add_loop(&m, &args, err));
    }
    return OB_OK;
}

const ob_kit_kernel ocl_kernels_elementwise[] = {
#define OB_KIT_EW(op, types, loop, operands, scalars)                                              \
    {.name = (op),                                                                                 \
     .dtypes = OB_KIT_##types,                                                                     \
     .setup = setup,                                                                               \
     .run = ocl_run,                                                                               \
     .check = check,                                                                               \
     .in_place = true,                                                                             \
     .data = &(const ob_kit_elementwise_row){OB_KIT_LOOP_##loop, operands, scalars}},
#include "kit/elementwise.def"
#undef OB_KIT_EW
    {.name = "aten::log_sigmoid_forward",
     .dtypes = OB_KIT_FLOATS,
     .setup = setup_log_sigmoid,
     .run = ocl_run},
    {.name = NULL},
};
