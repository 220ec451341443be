/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensors made from nothing: constants, sequences, and those that stay as they are found.
 */
#include "work.h"

#include <stdio.h>

static ob_status setup_constant(plan_call *call, ob_err *err)
{
    const ob_value value = ob_value_int(call->kernel->variant);
    ocl_maker m;
    OB_TRY(ocl_maker_open(call, &m, err));
    return ocl_fill_add(&m, plan_output(call, 0), &value, err);
}

static ob_status setup_given(plan_call *call, ob_err *err)
{
    static const char *const names[] = {"fill_value", "value", "s"};
    const ob_value *value = NULL;
    ocl_maker m;
    for (size_t i = 0; value == NULL && i < sizeof names / sizeof *names; i++)
        value = plan_arg(call, names[i]);
    OB_TRY(ocl_maker_open(call, &m, err));
    return ocl_fill_add(&m, plan_output(call, 0), value, err);
}

static ob_status setup_fill_tensor(plan_call *call, ob_err *err)
{
    ocl_maker m;
    OB_TRY(ocl_maker_open(call, &m, err));
    return ocl_copy_add(&m, call->args[0].as.tensor, call->args[1].as.tensor, err);
}

/* ---- sequences ---- */

/* variant 1: linspace, of which each half is counted from its own end, so that both ends are exact. */
static ob_status setup_sequence(plan_call *call, ob_err *err)
{
    const ob_tensor *out = plan_output(call, 0);
    const int64_t count = ocl_numel(out);
    const bool line = call->kernel->variant == 1;
    const double start = plan_arg_double(call, "start", 0), end = plan_arg_double(call, "end", 0);
    double step = plan_arg_double(call, "step", 1);
    if (line)
        step = count > 1 ? (end - start) / (double)(count - 1) : 0;
    const bool whole = ocl_is_whole(out->dtype) && !line;
    /* In the widest type: each number is computed from its place. */
    const ob_dtype compute = whole ? OB_DTYPE_I64 : OB_DTYPE_F64;
    char options[160];
    ocl_maker m;
    ocl_builder builder;
    OB_TRY(ocl_maker_open(call, &m, err));
    if (count == 0)
        return OB_OK;
    const bool wide = whole || m.env->device.has_fp64;
    const ob_dtype real = wide ? compute : OB_DTYPE_F32;
    snprintf(options, sizeof options, "-DC=%s -DTO=%s%s", ocl_compute_type(real),
             ocl_dtype_name(&m, out->dtype), line ? " -DLINE" : "");
    const ocl_spec spec = {"sequence", options, NULL, "sequence"};
    OB_TRY(ocl_begin(&m, &spec, &builder, err));
    ocl_put_tensor(&builder, out);
    ocl_put_long(&builder, out->offset);
    ocl_put_long(&builder, out->strides[0]);
    ocl_put_long(&builder, count);
    ocl_put_number(&builder, real, start, plan_arg_int(call, "start", 0));
    ocl_put_number(&builder, real, end, 0);
    ocl_put_number(&builder, real, step, plan_arg_int(call, "step", 1));
    const ocl_range range = ocl_range_of(m.env, count);
    return ocl_end(&builder, &range, err);
}

#define CONSTANT(op, number)                                                                       \
    {                                                                                              \
        .name = (op), .dtypes = PLAN_REALS, .setup = setup_constant, .run = ocl_run,               \
        .variant = (number)                                                                        \
    }
#define GIVEN(op)                                                                                  \
    {                                                                                              \
        .name = (op), .dtypes = PLAN_REALS, .setup = setup_given, .run = ocl_run                   \
    }
#define EMPTY(op)                                                                                  \
    {                                                                                              \
        .name = (op), .dtypes = PLAN_REALS, .run = ocl_run                                         \
    }
#define SEQUENCE(op, what)                                                                         \
    {                                                                                              \
        .name = (op), .dtypes = PLAN_NUMBERS, .setup = setup_sequence, .run = ocl_run,             \
        .variant = (what)                                                                          \
    }

const plan_kernel ocl_kernels_create[] = {
    CONSTANT("aten::zeros", 0),
    CONSTANT("aten::ones", 1),
    CONSTANT("aten::zeros_like", 0),
    CONSTANT("aten::ones_like", 1),
    CONSTANT("aten::new_zeros", 0),
    CONSTANT("aten::new_ones", 1),
    CONSTANT("aten::zero_", 0),
    GIVEN("aten::full"),
    GIVEN("aten::full_like"),
    GIVEN("aten::new_full"),
    GIVEN("aten::scalar_tensor"),
    GIVEN("aten::fill_.Scalar"),
    {.name = "aten::fill_.Tensor",
     .dtypes = PLAN_REALS,
     .setup = setup_fill_tensor,
     .run = ocl_run},
    EMPTY("aten::empty.memory_format"),
    EMPTY("aten::empty_strided"),
    EMPTY("aten::empty_like"),
    EMPTY("aten::new_empty"),
    EMPTY("aten::new_empty_strided"),
    SEQUENCE("aten::arange", 0),
    SEQUENCE("aten::arange.start", 0),
    SEQUENCE("aten::arange.start_step", 0),
    SEQUENCE("aten::linspace", 1),
    {.name = NULL},
};
