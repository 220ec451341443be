/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensors made from nothing: constants, sequences, and those that stay as they are found.
 */
#include "work.h"

#include "kit/tensor_pieces.h"

#include <stdio.h>

static ob_status setup_constant(ob_kit_call *call, ob_err *err)
{
    const ob_value value = ob_value_int(call->kernel->variant);
    ocl_maker m;
    OB_TRY(ocl_maker_open(call, &m, err));
    return ocl_fill_add(&m, ob_kit_output(call, 0), &value, err);
}

static ob_status setup_given(ob_kit_call *call, ob_err *err)
{
    ocl_maker m;
    OB_TRY(ocl_maker_open(call, &m, err));
    return ocl_fill_add(&m, ob_kit_output(call, 0), ob_kit_given_number(call), err);
}

static ob_status setup_fill_tensor(ob_kit_call *call, ob_err *err)
{
    ocl_maker m;
    OB_TRY(ocl_maker_open(call, &m, err));
    return ocl_copy_add(&m, call->args[0].as.tensor, call->args[1].as.tensor, err);
}

/* ---- sequences ---- */

/* variant 1: linspace, of which each half is counted from its own end, so that both ends are exact. */
static ob_status setup_sequence(ob_kit_call *call, ob_err *err)
{
    const ob_tensor *out = ob_kit_output(call, 0);
    const int64_t count = ob_kit_numel(out);
    const bool line = call->kernel->variant == 1;
    const double start = ob_kit_arg_double(call, "start", 0),
                 end = ob_kit_arg_double(call, "end", 0);
    double step = ob_kit_arg_double(call, "step", 1);
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
    ocl_put_number(&builder, real, start, ob_kit_arg_int(call, "start", 0));
    ocl_put_number(&builder, real, end, 0);
    ocl_put_number(&builder, real, step, ob_kit_arg_int(call, "step", 1));
    const ocl_range range = ocl_range_of(m.env, count);
    return ocl_end(&builder, &range, err);
}

#define OB_KIT_CONSTANT(op, number)                                                                \
    {.name = (op),                                                                                 \
     .dtypes = OB_KIT_REALS,                                                                       \
     .setup = setup_constant,                                                                      \
     .run = ocl_run,                                                                               \
     .variant = (number)},
#define OB_KIT_GIVEN(op)                                                                           \
    {.name = (op), .dtypes = OB_KIT_REALS, .setup = setup_given, .run = ocl_run},
#define OB_KIT_EMPTY(op) {.name = (op), .dtypes = OB_KIT_REALS, .run = ocl_run},
#define SEQUENCE(op, what)                                                                         \
    {                                                                                              \
        .name = (op), .dtypes = OB_KIT_NUMBERS, .setup = setup_sequence, .run = ocl_run,           \
        .variant = (what)                                                                          \
    }

const ob_kit_kernel ocl_kernels_create[] = {
    {.name = "aten::fill_.Tensor",
     .dtypes = OB_KIT_REALS,
     .setup = setup_fill_tensor,
     .run = ocl_run},
    SEQUENCE("aten::arange", 0),
    SEQUENCE("aten::arange.start", 0),
    SEQUENCE("aten::arange.start_step", 0),
    SEQUENCE("aten::linspace", 1),
#include "kit/create.def"
    {.name = NULL},
};
