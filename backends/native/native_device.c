/* SPDX-License-Identifier: Apache-2.0
 *
 * What plans need of the native backend beside its kernels. Its memory is the host's.
 */
#include "native.h"

static ob_status copy(ob_kit_env *env, const ob_tensor *to, const ob_tensor *from, ob_err *err)
{
    return native_copy(env, to, from, err);
}

static ob_status fill(ob_kit_env *env, const ob_tensor *to, double value, ob_err *err)
{
    (void)err;
    native_fill(env, to, value);
    return OB_OK;
}

const ob_kit_device native_device = {
    .name = "native",
    .device_types = "cpu",
    .tables = native_kernel_tables,
    .has_functions = true,
    .copy = copy,
    .fill = fill,
};
