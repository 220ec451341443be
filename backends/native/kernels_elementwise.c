/* SPDX-License-Identifier: Apache-2.0
 *
 * Elementwise operators, all that plan/elementwise.def has.
 */
#include "elementwise.h"

static ob_status setup(plan_call *call, ob_err *err)
{
    plan_elementwise_args args;
    ob_value defaults[4];
    void *work;
    OB_TRY(plan_elementwise_read(call, &args, defaults, err));
    OB_TRY(plan_state(call, sizeof(native_elementwise), &work, err));
    return native_elementwise_init(call->env, &args, work, err);
}

static ob_status run(const plan_call *call, ob_err *err)
{
    return native_elementwise_run(call->env, call->state, err);
}

const plan_kernel native_kernels_elementwise[] = {
#define PLAN_EW(op, types, loop, operands, scalars)                                                \
    {.name = (op),                                                                                 \
     .dtypes = PLAN_##types,                                                                       \
     .setup = setup,                                                                               \
     .run = run,                                                                                   \
     .data = &(const plan_elementwise_row){PLAN_LOOP_##loop, operands, scalars}},
#include "plan/elementwise.def"
#undef PLAN_EW
    {.name = NULL},
};
