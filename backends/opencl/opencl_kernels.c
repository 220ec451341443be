/* SPDX-License-Identifier: Apache-2.0
 *
 * All kernel tables, and what plans need of the device beside them.
 */
#include "work.h"

#include "kit/elementwise_calls.h"

static const ob_kit_kernel *const TABLES[] = {
#define OCL_GROUP(group) ocl_kernels_##group,
#include "opencl_kernel_groups.def"
#undef OCL_GROUP
    ob_kit_kernels_view,
    NULL,
};

/* ---- what is not a call: made, enqueued and forgotten; the queue keeps what it still needs ---- */

static ob_status finish(ocl_work *work, ob_status status, ob_err *err)
{
    if (status == OB_OK)
        status = ocl_work_enqueue(work, err);
    ocl_work_clear(work);
    return status;
}

static ob_status copy(ob_kit_env *env, const ob_tensor *to, const ob_tensor *from, ob_err *err)
{
    ocl_work work = {.env = env};
    ocl_maker m = {.env = env, .work = &work, .op = "a copy"};
    return finish(&work, ocl_copy_add(&m, to, from, err), err);
}

static ob_status fill(ob_kit_env *env, const ob_tensor *to, double value, ob_err *err)
{
    ocl_work work = {.env = env};
    ocl_maker m = {.env = env, .work = &work, .op = "a fill"};
    const ob_value number = ob_value_double(value);
    return finish(&work, ocl_fill_add(&m, to, &number, err), err);
}

static void clear_state(ob_kit_call *call)
{
    if (call->state != NULL)
        ocl_work_clear(call->state);
}

const ob_kit_device ocl_plan_device = {
    .name = "OpenCL",
    .device_types = "opencl cpu",
    .dtypes = OB_KIT_REALS,
    .tables = TABLES,
    .allocate = ocl_storage_create,
    .upload = ocl_storage_copy,
    .download = ocl_storage_copy,
    .copy = copy,
    .fill = fill,
    .clear_state = clear_state,
};
