/* SPDX-License-Identifier: Apache-2.0
 *
 * Elementwise operators, all that kit/elementwise.def has.
 */
#include "native_elementwise.h"

static ob_status setup(ob_kit_call *call, ob_err *err)
{
    ob_kit_elementwise_args args;
    ob_value defaults[4];
    void *work;
    OB_TRY(ob_kit_elementwise_read(call, &args, defaults, err));
    OB_TRY(ob_kit_state(call, sizeof(native_elementwise), &work, err));
    return native_elementwise_init(call->env, &args, work, err);
}

static ob_status run(const ob_kit_call *call, ob_err *err)
{
    return native_elementwise_run(call->env, call->state, err);
}

const ob_kit_kernel native_kernels_elementwise[] = {
#define OB_KIT_EW(op, types, loop, operands, scalars)                                              \
    {.name = (op),                                                                                 \
     .dtypes = OB_KIT_##types,                                                                     \
     .setup = setup,                                                                               \
     .run = run,                                                                                   \
     .in_place = true,                                                                             \
     .data = &(const ob_kit_elementwise_row){OB_KIT_LOOP_##loop, operands, scalars}},
#include "kit/elementwise.def"
#undef OB_KIT_EW
    {.name = NULL},
};
