/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies and conversions, joins, reorderings that copy, and the backwards of views: one elementwise copy, or
 * one for each part.
 */
#include "work.h"

#include "kit/tensor_pieces.h"

/* ---- whole copies ---- */

static ob_status setup_copy(ob_kit_call *call, ob_err *err)
{
    ocl_maker m;
    OB_TRY(ocl_maker_open(call, &m, err));
    return ocl_copy_add(&m, ob_kit_output(call, 0), call->args[0].as.tensor, err);
}

static ob_status setup_assign(ob_kit_call *call, ob_err *err)
{
    ocl_maker m;
    OB_TRY(ocl_maker_open(call, &m, err));
    return ocl_copy_add(&m, call->args[0].as.tensor, call->args[1].as.tensor, err);
}

/* ---- joins ---- */

static ob_status setup_cat(ob_kit_call *call, ob_err *err)
{
    const ob_tensor *out = ob_kit_output(call, 0);
    const ob_value *list = &call->args[0];
    const int dim = ob_kit_dim(ob_kit_arg_int(call, "dim", 0), out->ndim);
    int64_t start = 0;
    ocl_maker m;
    OB_TRY(ocl_maker_open(call, &m, err));
    for (size_t i = 0; i < list->as.list.count; i++) {
        const ob_tensor *part = list->as.list.items[i].as.tensor;
        if (ob_kit_numel(part) ==
            0) /* an empty list of numbers joins with anything, in any dimension */
            continue;
        const ob_tensor to = ob_kit_narrow(out, dim, start, part->sizes[dim]);
        OB_TRY(ocl_copy_add(&m, &to, part, err));
        start += part->sizes[dim];
    }
    return OB_OK;
}

static ob_status setup_stack(ob_kit_call *call, ob_err *err)
{
    const ob_tensor *out = ob_kit_output(call, 0);
    const ob_value *list = &call->args[0];
    const int dim = ob_kit_dim(ob_kit_arg_int(call, "dim", 0), out->ndim);
    ocl_maker m;
    OB_TRY(ocl_maker_open(call, &m, err));
    for (size_t i = 0; i < list->as.list.count; i++) {
        const ob_tensor to = ob_kit_remove_dim(out, dim, (int64_t)i);
        OB_TRY(ocl_copy_add(&m, &to, list->as.list.items[i].as.tensor, err));
    }
    return OB_OK;
}

/* ---- reorderings: views of self that only a copy may have ---- */

static ob_status setup_flip(ob_kit_call *call, ob_err *err)
{
    int64_t dims[OB_MAX_DIMS];
    const size_t count = ob_kit_arg_ints(call, "dims", dims, OB_MAX_DIMS);
    ob_tensor from = *call->args[0].as.tensor;
    ocl_maker m;
    OB_TRY(ocl_maker_open(call, &m, err));
    if (ob_kit_numel(&from) == 0)
        return OB_OK;
    for (size_t i = 0; i < count && from.ndim > 0; i++) {
        const int d = ob_kit_dim(dims[i], from.ndim);
        from.offset += (from.sizes[d] - 1) * from.strides[d];
        from.strides[d] = -from.strides[d];
    }
    return ocl_copy_add(&m, ob_kit_output(call, 0), &from, err);
}

static ob_status setup_repeat(ob_kit_call *call, ob_err *err)
{
    ob_tensor to, from;
    ocl_maker m;
    OB_TRY(ocl_maker_open(call, &m, err));
    ob_kit_repeat_shape(call, &to, &from);
    return ocl_copy_add(&m, &to, &from, err);
}

/* ---- backwards of views: zeros, and the gradient where the view looked ---- */

static ob_status zeros_and_copy(ob_kit_call *call, const ob_tensor *to, ob_err *err)
{
    const ob_value zero = ob_value_int(0);
    ocl_maker m;
    OB_TRY(ocl_maker_open(call, &m, err));
    OB_TRY(ocl_fill_add(&m, ob_kit_output(call, 0), &zero, err));
    return ocl_copy_add(&m, to, call->args[0].as.tensor, err);
}

static ob_status setup_select_backward(ob_kit_call *call, ob_err *err)
{
    const ob_tensor to = ob_kit_select_target(call);
    return zeros_and_copy(call, &to, err);
}

static ob_status setup_slice_backward(ob_kit_call *call, ob_err *err)
{
    const ob_tensor to = ob_kit_slice_target(call);
    return zeros_and_copy(call, &to, err);
}

static ob_status setup_diagonal_backward(ob_kit_call *call, ob_err *err)
{
    const ob_tensor to = ob_kit_diagonal_target(call);
    return zeros_and_copy(call, &to, err);
}

#define COPY(op, function, what)                                                                   \
    {                                                                                              \
        .name = (op), .dtypes = OB_KIT_REALS, .setup = (function), .run = ocl_run, .kind = (what)  \
    }
#define MOVE(op, function)                                                                         \
    {                                                                                              \
        .name = (op), .dtypes = OB_KIT_REALS, .setup = (function), .run = ocl_run                  \
    }

const ob_kit_kernel ocl_kernels_copy[] = {
    COPY("aten::copy_", setup_assign, OB_KIT_COMPUTE),
    COPY("aten::clone", setup_copy, OB_KIT_COMPUTE),
    COPY("aten::_to_copy", setup_copy, OB_KIT_COMPUTE),
    COPY("aten::contiguous", setup_copy, OB_KIT_VIEW_OR_COMPUTE),
    COPY("aten::to.dtype", setup_copy, OB_KIT_VIEW_OR_COMPUTE),
    COPY("aten::to.device", setup_copy, OB_KIT_VIEW_OR_COMPUTE),
    COPY("aten::to.other", setup_copy, OB_KIT_VIEW_OR_COMPUTE),
    COPY("aten::to.dtype_layout", setup_copy, OB_KIT_VIEW_OR_COMPUTE),
    MOVE("aten::cat", setup_cat),
    MOVE("aten::stack", setup_stack),
    MOVE("aten::flip", setup_flip),
    {.name = "aten::repeat",
     .dtypes = OB_KIT_REALS,
     .setup = setup_repeat,
     .run = ocl_run,
     .check = ob_kit_check_repeat},
    MOVE("aten::select_backward", setup_select_backward),
    MOVE("aten::slice_backward", setup_slice_backward),
    MOVE("aten::diagonal_backward", setup_diagonal_backward),
    {.name = NULL},
};
