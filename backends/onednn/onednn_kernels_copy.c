/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies and conversions, as reorders.
 */
#include "emit.h"

static ob_status plan_copy(dnn_call *call, ob_err *err)
{
    const dnn_view from = dnn_arg_view(call, "self"), to = dnn_output(call, 0);
    return dnn_emit_copy(call->plan, &to, &from, err);
}

static ob_status plan_assign(dnn_call *call, ob_err *err)
{
    const dnn_view from = dnn_arg_view(call, "src"), to = dnn_output(call, 0);
    return dnn_emit_copy(call->plan, &to, &from, err);
}

#define MAYBE(op)                                                                                  \
    {                                                                                              \
        .name = "aten::" op, .plan = plan_copy, .kind = OB_KIT_VIEW_OR_COMPUTE                     \
    }

const dnn_kernel dnn_kernels_copy[] = {
    {.name = "aten::clone", .plan = plan_copy},
    {.name = "aten::_to_copy", .plan = plan_copy},
    {.name = "aten::copy_", .plan = plan_assign},
    MAYBE("contiguous"),
    MAYBE("to.dtype"),
    MAYBE("to.device"),
    MAYBE("to.other"),
    MAYBE("to.dtype_layout"),
    {.name = NULL},
};
