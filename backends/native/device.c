/* SPDX-License-Identifier: Apache-2.0
 *
 * What plans need of the native backend beside its kernels. Its memory is the host's.
 */
#include "native.h"

#include "elementwise.h"

static ob_status copy(plan_env *env, const ob_tensor *to, const ob_tensor *from, ob_err *err)
{
    return native_copy(env, to, from, err);
}

static ob_status fill(plan_env *env, const ob_tensor *to, double value, ob_err *err)
{
    (void)err;
    native_fill(env, to, value);
    return OB_OK;
}

static ob_status add(plan_env *env, const ob_tensor *to, const ob_tensor *from, ob_err *err)
{
    ob_tensor sum = *to, more = *from;
    const ob_value left = {.kind = OB_VALUE_TENSOR, .as.tensor = &sum};
    const ob_value right = {.kind = OB_VALUE_TENSOR, .as.tensor = &more};
    const ob_value one = ob_value_int(1);
    const plan_elementwise_args args = {.loop = PLAN_LOOP_add,
                                        .out = &sum,
                                        .inputs = {&left, &right},
                                        .scalars = {&one},
                                        .name = "the sum of gradients"};
    native_elementwise work;
    OB_TRY(native_elementwise_init(env, &args, &work, err));
    return native_elementwise_run(env, &work, err);
}

const plan_device native_device = {
    .name = "native",
    .device_types = "cpu",
    .tables = native_kernel_tables,
    .has_functions = true,
    .copy = copy,
    .fill = fill,
    .add = add,
};
