/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensors beside each other, and one inside another: concat, stack, padding and the gradients of slices.
 */
#include "emit.h"
#include "plain_loops.h"

#include "kit/tensor_pieces.h"

#include <stdlib.h>
#include <string.h>

/* ---- concat ---- */

/* Copies into the parts of the result, for what the library does not concatenate. */
static ob_status copy_parts(dnn_plan *plan, const dnn_view *views, size_t count, int dim,
                            const dnn_view *out, ob_err *err)
{
    int64_t at = 0;
    for (size_t i = 0; i < count; i++) {
        const dnn_view part = dnn_view_part(plan, out, dim, at, views[i].sizes[dim], 1);
        OB_TRY(dnn_emit_copy(plan, &part, &views[i], err));
        at += views[i].sizes[dim];
    }
    return OB_OK;
}

/* The library's simple code moves one element after the other; reorders of the parts take a tenth of its time. */
static bool is_fast(const dnn_plan *plan, const dnn_request *request, ob_err *err)
{
    dnn_desc *desc;
    if (dnn_describe(plan->lib, request, &desc, err) != OB_OK)
        return false;
    const bool simple = strncmp(dnn_desc_implementation(plan->lib, desc), "simple", 6) == 0;
    dnn_desc_destroy(plan->lib, desc);
    return !simple;
}

static ob_status concat(dnn_plan *plan, const dnn_view *views, size_t count, int dim,
                        const dnn_view *out, ob_err *err)
{
    const dnn_layout **layouts = calloc(count + 1, sizeof *layouts);
    dnn_binding *bindings = calloc(count + 1, sizeof *bindings);
    ob_status status = layouts != NULL && bindings != NULL ? OB_OK : OB_ERR_NOMEM;
    bool blocked = false;
    for (size_t i = 0; status == OB_OK && i < count; i++) {
        blocked = blocked || dnn_plan_is_blocked(plan, &views[i]);
        layouts[i] =
            dnn_view_is_expanded(&views[i]) ? NULL : dnn_plan_current(plan, &views[i], err);
        bindings[i] = (dnn_binding){DNN_MULTIPLE_SRC + (int)i, &views[i], false, false};
        status = layouts[i] != NULL ? OB_OK : OB_ERR_UNSUPPORTED;
    }
    if (status == OB_OK) {
        bindings[count] = (dnn_binding){DNN_DST, out, true, false};
        const dnn_request request = {.kind = DNN_CONCAT,
                                     .sources = layouts,
                                     .source_count = (int)count,
                                     .axis = dim,
                                     .dst = blocked ? dnn_plan_any(plan, out, err)
                                                    : dnn_plan_plain(plan, out, err)};
        status = request.dst != NULL && is_fast(plan, &request, err)
                     ? dnn_plan_emit(plan, &request, bindings, (int)count + 1, NULL, err)
                     : OB_ERR_UNSUPPORTED;
    }
    free(layouts);
    free(bindings);
    if (status == OB_ERR_NOMEM)
        return plan->host->err_set(err, OB_ERR_NOMEM, "out of memory for a concatenation");
    return status == OB_ERR_UNSUPPORTED ? copy_parts(plan, views, count, dim, out, err) : status;
}

static ob_status plan_join(dnn_call *call, ob_err *err)
{
    const bool stack = call->kernel->variant != 0;
    const dnn_view out = dnn_output(call, 0);
    const int dim = ob_kit_dim(dnn_arg_int(call, "dim", 0), out.ndim);
    const size_t total = dnn_arg_views(call, "tensors", NULL, 0);
    size_t count = 0;
    dnn_view *views = calloc(total + 1, sizeof *views);
    if (views == NULL)
        return call->host->err_set(err, OB_ERR_NOMEM, "out of memory for a concatenation");
    dnn_arg_views(call, "tensors", views, total);
    ob_status status = OB_OK;
    for (size_t i = 0; status == OB_OK && i < total; i++) {
        if (dnn_view_numel(&views[i]) == 0)
            continue;
        views[count] = stack ? dnn_view_insert_dim(&views[i], dim) : views[i];
        if (views[count++].dtype != out.dtype)
            status = dnn_refuse(call, err, "the tensors have different dtypes");
    }
    if (status == OB_OK)
        status = concat(call->plan, views, count, dim, &out, err);
    free(views);
    return status;
}

/* ---- one tensor inside another ---- */

/* Zeros, and the gradient in its part of them, where it may be repeated. */
static ob_status fill_and_copy(dnn_call *call, const dnn_view *part, const dnn_view *grad,
                               ob_err *err)
{
    const dnn_view out = dnn_output(call, 0);
    OB_TRY(dnn_emit_fill(call->plan, &out, 0, err));
    return dnn_view_numel(part) == 0 ? OB_OK : dnn_emit_copy(call->plan, part, grad, err);
}

static ob_status plan_slice_backward(dnn_call *call, ob_err *err)
{
    dnn_view grad = dnn_arg_view(call, "grad_output");
    const dnn_view out = dnn_output(call, 0);
    const int dim = ob_kit_dim(dnn_arg_int(call, "dim", 0), out.ndim);
    const ob_kit_slice slice =
        ob_kit_slice_of(dnn_arg_int(call, "start", 0), dnn_arg_int(call, "end", INT64_MAX),
                        dnn_arg_int(call, "step", 1), out.sizes[dim]);
    const dnn_view part = dnn_view_part(call->plan, &out, dim, slice.start, slice.count,
                                        slice.count > 1 ? slice.step : 1);
    dnn_view_pad_dims(&grad, out.ndim);
    return fill_and_copy(call, &part, &grad, err);
}

static ob_status plan_select_backward(dnn_call *call, ob_err *err)
{
    const dnn_view out = dnn_output(call, 0);
    dnn_view grad = dnn_arg_view(call, "grad_output");
    const int dim = ob_kit_dim(dnn_arg_int(call, "dim", 0), out.ndim);
    const int64_t index = dnn_arg_int(call, "index", 0);
    const dnn_view part =
        dnn_view_part(call->plan, &out, dim, index < 0 ? index + out.sizes[dim] : index, 1, 1);
    dnn_view_pad_dims(&grad, out.ndim - 1);
    grad = dnn_view_insert_dim(&grad, dim);
    return fill_and_copy(call, &part, &grad, err);
}

/* Negative padding cuts off. */
static ob_status plan_pad(dnn_call *call, ob_err *err)
{
    dnn_view in = dnn_arg_view(call, "self");
    const dnn_view out = dnn_output(call, 0);
    dnn_view part = out;
    int64_t pad[2 * OB_MAX_DIMS];
    const size_t count = dnn_arg_ints(call, "pad", pad, 2 * OB_MAX_DIMS);
    for (size_t i = 0; i + 1 < count && i + 1 < 2 * OB_MAX_DIMS; i += 2) {
        const int dim = out.ndim - 1 - (int)(i / 2);
        const int64_t before = pad[i], after = pad[i + 1];
        const int64_t cut_before = before < 0 ? -before : 0, cut_after = after < 0 ? -after : 0;
        const int64_t size = in.sizes[dim] - cut_before - cut_after;
        in = dnn_view_part(call->plan, &in, dim, cut_before, size, 1);
        part = dnn_view_part(call->plan, &part, dim, before > 0 ? before : 0, size, 1);
    }
    if (dnn_view_numel(&part) <= 0)
        return dnn_refuse(call, err, "nothing is left of the argument");
    OB_TRY(dnn_emit_fill(call->plan, &out, dnn_arg_double(call, "value", 0), err));
    return dnn_emit_copy(call->plan, &part, &in, err);
}

/* ---- new tensors ---- */

static ob_status plan_fill(dnn_call *call, ob_err *err)
{
    const char *name = call->kernel->data;
    const dnn_view out = dnn_output(call, 0);
    if (!dnn_plain_can_fill(out.dtype))
        return dnn_refuse(call, err, "the backend does not fill complex tensors");
    return dnn_emit_fill(
        call->plan, &out,
        name != NULL ? dnn_arg_double(call, name, 0) : (double)call->kernel->variant, err);
}

/* Memory is all that is asked for. */
static ob_status plan_empty(dnn_call *call, ob_err *err)
{
    (void)err;
    const dnn_view out = dnn_output(call, 0);
    call->plan->groups[out.group].plain_valid = true;
    return OB_OK;
}

#define FILL(op, number)                                                                           \
    {                                                                                              \
        .name = "aten::" op, .plan = plan_fill, .variant = (number)                                \
    }
#define FILL_WITH(op, argument)                                                                    \
    {                                                                                              \
        .name = "aten::" op, .plan = plan_fill, .data = (argument)                                 \
    }
#define EMPTY(op)                                                                                  \
    {                                                                                              \
        .name = "aten::" op, .plan = plan_empty                                                    \
    }

const dnn_kernel dnn_kernels_join[] = {
    {.name = "aten::cat", .plan = plan_join},
    {.name = "aten::stack", .plan = plan_join, .variant = 1},
    {.name = "aten::slice_backward", .plan = plan_slice_backward},
    {.name = "aten::select_backward", .plan = plan_select_backward},
    {.name = "aten::constant_pad_nd", .plan = plan_pad},
    FILL("zeros", 0),
    FILL("ones", 1),
    FILL("zeros_like", 0),
    FILL("ones_like", 1),
    FILL("new_zeros", 0),
    FILL("new_ones", 1),
    FILL("zero_", 0),
    FILL_WITH("full", "fill_value"),
    FILL_WITH("full_like", "fill_value"),
    FILL_WITH("new_full", "fill_value"),
    FILL_WITH("scalar_tensor", "s"),
    FILL_WITH("fill_.Scalar", "value"),
    EMPTY("empty.memory_format"),
    EMPTY("empty_strided"),
    EMPTY("empty_like"),
    EMPTY("new_empty"),
    EMPTY("new_empty_strided"),
    {.name = NULL},
};
