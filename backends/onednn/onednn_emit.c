/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies, binary and elementwise steps; see emit.h. Where a tensor has a layout that the library chose, the
 * step is done in it; else dimensions are joined, so that the library sees as few as possible.
 */
#include "emit_bytes.h"

#include "plain_loops.h"

#include <string.h>

bool dnn_is_float(ob_dtype dtype)
{
    return dtype == OB_DTYPE_F32 || dtype == OB_DTYPE_BF16 || dtype == OB_DTYPE_F16 ||
           dtype == OB_DTYPE_F64;
}

/* As many dimensions as `whole`; repeated ones have size 1. */
static dnn_view broadcast_view(const dnn_view *view, const dnn_view *whole)
{
    dnn_view out = *view;
    dnn_view_pad_dims(&out, whole->ndim);
    for (int d = 0; d < out.ndim; d++) {
        if (out.strides[d] == 0) {
            out.sizes[d] = 1;
            out.strides[d] = 1;
        }
    }
    return out;
}

/* ---- copies ---- */

ob_status dnn_emit_fill(dnn_plan *plan, const dnn_view *to, double value, ob_err *err)
{
    const dnn_plain_loop fill = {.run = dnn_plain_fill,
                                 .name = "fill",
                                 .count = 1,
                                 .elementwise = true,
                                 .views = {*to},
                                 .numbers = {value}};
    return dnn_plan_plain_loop(plan, &fill, 1, err);
}

ob_status dnn_emit_ones(dnn_plan *plan, const dnn_view *to, ob_err *err)
{
    const dnn_list list = plan->list;
    plan->list = DNN_LIST_SETUP;
    const ob_status status = dnn_emit_fill(plan, to, 1, err);
    plan->list = list;
    return status;
}

static ob_status copy_by_loop(dnn_plan *plan, const dnn_view *to, const dnn_view *from, ob_err *err)
{
    dnn_plain_loop copy = {.run = dnn_plain_copy,
                           .name = "copy",
                           .count = 2,
                           .elementwise = true,
                           .views = {*to, *from}};
    dnn_view_pad_dims(&copy.views[1], to->ndim);
    for (int d = 0; d < to->ndim; d++) {
        if (copy.views[1].sizes[d] != to->sizes[d]) {
            copy.views[1].sizes[d] = to->sizes[d];
            copy.views[1].strides[d] = 0;
        }
    }
    return dnn_plan_plain_loop(plan, &copy, 1, err);
}

static bool same_strides(const dnn_view *a, const dnn_view *b)
{
    bool same = a->dtype == b->dtype && dnn_view_same_sizes(a, b);
    for (int d = 0; same && d < a->ndim; d++)
        same = a->sizes[d] == 1 || a->strides[d] == b->strides[d];
    return same;
}

/* Between two tensors with the same gaps oneDNN 3.7 also copies what lies in the gaps, unless it sees them as
 * different: by the stride of a dimension that has but one element. */
static void make_gaps_differ(dnn_view *target, dnn_view *source)
{
    if (!same_strides(target, source) || dnn_view_is_dense(target) || target->ndim >= OB_MAX_DIMS)
        return;
    dnn_view_pad_dims(source, source->ndim + 1);
    dnn_view_pad_dims(target, target->ndim + 1);
    target->strides[0] *= 2;
}

static ob_status copy_by_reorder(dnn_plan *plan, const dnn_view *to, const dnn_view *from,
                                 ob_err *err)
{
    dnn_view target = *to, source = *from;
    dnn_view *const views[] = {&target, &source};
    const bool blocked = dnn_plan_is_blocked(plan, from);
    if (!blocked && dnn_plan_is_blocked(plan, to) == false)
        dnn_views_collapse(views, 2);
    if (!blocked)
        make_gaps_differ(&target, &source);
    const dnn_request request = {.kind = DNN_REORDER,
                                 .src = dnn_plan_current(plan, &source, err),
                                 .dst = dnn_plan_plain(plan, &target, err)};
    if (request.src == NULL || request.dst == NULL)
        return OB_ERR_UNSUPPORTED;
    const dnn_binding bindings[] = {{DNN_SRC, &source, false, false},
                                    {DNN_DST, &target, true, false}};
    return dnn_plan_emit(plan, &request, bindings, 2, NULL, err);
}

static ob_status copy(dnn_plan *plan, const dnn_view *to, const dnn_view *from, ob_err *err)
{
    const bool same_type = to->dtype == from->dtype;
    const bool repeats = dnn_view_is_expanded(from) || !dnn_view_same_sizes(to, from);
    if (!same_type && repeats) { /* converted first, then repeated */
        const dnn_view small = broadcast_view(from, to);
        dnn_view source;
        OB_TRY(dnn_plan_temporary(plan, to->dtype, small.ndim, small.sizes, &source, err));
        OB_TRY(copy_by_reorder(plan, &source, &small, err));
        return copy_by_loop(plan, to, &source, err);
    }
    if (repeats)
        return copy_by_loop(plan, to, from, err);
    const ob_status status = copy_by_reorder(plan, to, from, err);
    return status == OB_ERR_UNSUPPORTED && same_type ? copy_by_loop(plan, to, from, err) : status;
}

/* Bytes keep their bits; other integers can only become wider. */
static bool converts(ob_dtype to, ob_dtype from)
{
    return to == from || dnn_is_float(to) || (dnn_is_byte(to) && dnn_is_small(from)) ||
           (to == OB_DTYPE_I32 && dnn_is_small(from));
}

ob_status dnn_emit_copy(dnn_plan *plan, const dnn_view *to, const dnn_view *from, ob_err *err)
{
    dnn_view source = *from;
    if (!converts(to->dtype, from->dtype))
        return plan->host->err_set(err, OB_ERR_UNSUPPORTED,
                                   "oneDNN rounds and saturates, but a conversion from %s to %s "
                                   "truncates; use another backend",
                                   plan->host->dtype_get_info(from->dtype)->name,
                                   plan->host->dtype_get_info(to->dtype)->name);
    if (dnn_is_byte(to->dtype))
        source.dtype = to->dtype;
    return copy(plan, to, &source, err);
}

/* A tensor that lies as `like` does: itself, or a copy. */
static ob_status emit_alike(dnn_plan *plan, const dnn_view *view, const dnn_view *like,
                            dnn_view *out, ob_err *err)
{
    *out = *view;
    if (same_strides(view, like))
        return OB_OK;
    if (!dnn_view_is_dense(like))
        return plan->host->err_set(err, OB_ERR_UNSUPPORTED,
                                   "a result with gaps between its elements; use another backend");
    OB_TRY(dnn_plan_temporary(plan, like->dtype, like->ndim, like->sizes, out, err));
    memcpy(out->strides, like->strides, sizeof out->strides);
    plan->groups[out->group].base = *out;
    return dnn_emit_copy(plan, out, view, err);
}

/* ---- binary ---- */

static bool is_commutative(dnn_algorithm algorithm)
{
    return algorithm == DNN_ADD || algorithm == DNN_MUL || algorithm == DNN_MAX ||
           algorithm == DNN_MIN || algorithm == DNN_EQ || algorithm == DNN_NE;
}

/* Whether the result may lie beyond what a byte holds. */
static bool leaves_bytes(dnn_algorithm algorithm)
{
    return algorithm == DNN_ADD || algorithm == DNN_SUB || algorithm == DNN_MUL;
}

typedef struct binary {
    dnn_algorithm algorithm;
    dnn_view a, b, out;
    double scales[2];
} binary;

static ob_status emit_layouts(dnn_plan *plan, const binary *op, const dnn_layout *a,
                              const dnn_layout *b, const dnn_layout *out, ob_err *err)
{
    if (a == NULL || b == NULL || out == NULL)
        return OB_ERR_UNSUPPORTED;
    const dnn_request request = {.kind = DNN_BINARY,
                                 .algorithm = op->algorithm,
                                 .src = a,
                                 .weights = b,
                                 .dst = out,
                                 .source_scale = {(float)op->scales[0], (float)op->scales[1]}};
    const dnn_binding bindings[] = {{DNN_SRC, &op->a, false, false},
                                    {DNN_SRC_1, &op->b, false, false},
                                    {DNN_DST, &op->out, true, false}};
    return dnn_plan_emit(plan, &request, bindings, 3, NULL, err);
}

/* In a layout that the library chose for one of the two. */
static ob_status emit_blocked(dnn_plan *plan, const binary *op, ob_err *err)
{
    const dnn_view *leader = dnn_plan_is_blocked(plan, &op->a) ? &op->a : &op->b;
    const dnn_layout *layout = dnn_plan_current(plan, leader, err);
    const bool alike = dnn_view_same_sizes(&op->a, &op->b);
    const dnn_layout *b = alike ? layout : dnn_plan_plain(plan, &op->b, err);
    if (op->out.dtype != leader->dtype)
        return OB_ERR_UNSUPPORTED;
    return emit_layouts(plan, op, layout, b, layout, err);
}

static ob_status emit_plain(dnn_plan *plan, binary *op, ob_err *err)
{
    dnn_view *const views[] = {&op->out, &op->a, &op->b};
    dnn_views_collapse(views, 3);
    for (int i = 0; i < 3; i++) /* with one dimension, comparisons have only reference code */
        dnn_view_pad_dims(views[i], 2);
    return emit_layouts(plan, op, dnn_plan_plain(plan, &op->a, err),
                        dnn_plan_plain(plan, &op->b, err), dnn_plan_plain(plan, &op->out, err),
                        err);
}

/* Integers: comparisons of all that the library has, bytes with bytes. */
static ob_status check_dtypes(const dnn_plan *plan, const binary *op, ob_err *err)
{
    const bool comparison = op->algorithm >= DNN_GE && op->algorithm <= DNN_NE;
    if (comparison || dnn_is_float(op->out.dtype) ||
        (dnn_is_byte(op->out.dtype) && dnn_is_small(op->a.dtype) && dnn_is_small(op->b.dtype)))
        return OB_OK;
    return plan->host->err_set(err, OB_ERR_UNSUPPORTED,
                               "oneDNN computes with integers in float32, which does not hold "
                               "every %s; use another backend",
                               plan->host->dtype_get_info(op->out.dtype)->name);
}

static ob_status emit_any(dnn_plan *plan, binary *op, ob_err *err)
{
    if (op->out.ndim == 0) {
        static const int64_t one[] = {1};
        dnn_view_reshape(&op->a, 1, one);
        dnn_view_reshape(&op->b, 1, one);
        dnn_view_reshape(&op->out, 1, one);
    }
    if (dnn_plan_is_blocked(plan, &op->a) ||
        (dnn_view_same_sizes(&op->a, &op->b) && dnn_plan_is_blocked(plan, &op->b))) {
        const ob_status status = emit_blocked(plan, op, err);
        if (status != OB_ERR_UNSUPPORTED)
            return status;
    }
    return emit_plain(plan, op, err);
}

/* Bytes in float32, where their sums and products are exact, and then wrapped: the library has no other fast way
 * to results that are wider than bytes. */
static ob_status emit_wrapped(dnn_plan *plan, binary *op, const dnn_view *out, ob_err *err)
{
    dnn_view wide;
    for (int i = 0; i < 2; i++) {
        if (!dnn_wrap_number(op->scales[i], &op->scales[i]))
            return plan->host->err_set(err, OB_ERR_UNSUPPORTED,
                                       "integers are multiplied by a number with a fraction; use "
                                       "another backend");
    }
    OB_TRY(dnn_plan_temporary(plan, OB_DTYPE_F32, out->ndim, out->sizes, &wide, err));
    OB_TRY(dnn_emit_copy(plan, &wide, &op->a, err));
    op->a = op->out = wide;
    OB_TRY(emit_any(plan, op, err));
    return dnn_emit_wrap(plan, out, &wide, 1, NULL, 0, err);
}

ob_status dnn_emit_binary(dnn_plan *plan, dnn_algorithm algorithm, const dnn_view *a,
                          const dnn_view *b, const dnn_view *out, double b_scale, ob_err *err)
{
    binary op = {.algorithm = algorithm,
                 .a = broadcast_view(a, out),
                 .b = broadcast_view(b, out),
                 .out = *out,
                 .scales = {1, b_scale}};
    const bool a_whole = dnn_view_same_sizes(&op.a, out), b_whole = dnn_view_same_sizes(&op.b, out);
    const bool wraps =
        dnn_is_byte(out->dtype) && leaves_bytes(algorithm) && !plan->library_integers;
    OB_TRY(check_dtypes(plan, &op, err));
    if (!a_whole && b_whole && is_commutative(algorithm)) {
        const dnn_view swapped = op.a;
        op.a = op.b;
        op.b = swapped;
        op.scales[0] = b_scale;
        op.scales[1] = 1;
    } else if (!a_whole && !wraps) {
        dnn_view wide;
        OB_TRY(dnn_plan_temporary(plan, a->dtype, out->ndim, out->sizes, &wide, err));
        OB_TRY(dnn_emit_copy(plan, &wide, &op.a, err));
        op.a = wide;
    }
    return wraps ? emit_wrapped(plan, &op, out, err) : emit_any(plan, &op, err);
}

/* ---- elementwise ---- */

static ob_status emit_curve(dnn_plan *plan, const dnn_curve *curve, const dnn_view *in,
                            const dnn_view *out, const dnn_layout *layout, ob_err *err)
{
    const dnn_request request = {.kind = DNN_ELTWISE,
                                 .algorithm = curve->algorithm,
                                 .training = plan->training,
                                 .src = layout,
                                 .alpha = (float)curve->alpha,
                                 .beta = (float)curve->beta};
    const dnn_binding bindings[] = {{DNN_SRC, in, false, false}, {DNN_DST, out, true, false}};
    if (layout == NULL)
        return OB_ERR_UNSUPPORTED;
    return dnn_plan_emit(plan, &request, bindings, 2, NULL, err);
}

/* oneDNN 2.6 computes nothing, and says nothing, for one dimension with a stride. */
static void avoid_gaps_in_one_dimension(dnn_view *const *views, int count)
{
    if (views[0]->ndim == 1 && !dnn_view_is_dense(views[0]))
        for (int i = 0; i < count; i++)
            dnn_view_pad_dims(views[i], 2);
}

ob_status dnn_emit_eltwise(dnn_plan *plan, const dnn_curve *curve, const dnn_view *in,
                           const dnn_view *out, ob_err *err)
{
    dnn_view source = *in, target = *out;
    dnn_view *const views[] = {&target, &source};
    if (in->dtype == out->dtype && dnn_plan_is_blocked(plan, in))
        return emit_curve(plan, curve, in, out, dnn_plan_current(plan, in, err), err);
    if (!same_strides(in, out)) {
        OB_TRY(dnn_emit_copy(plan, out, in, err));
        source = *out;
    }
    dnn_views_collapse(views, 2);
    avoid_gaps_in_one_dimension(views, 2);
    return emit_curve(plan, curve, &source, &target, dnn_plan_plain(plan, &target, err), err);
}

static bool uses_result(dnn_algorithm algorithm)
{
    return algorithm >= DNN_RELU_DST && algorithm <= DNN_CLIP_V2_DST;
}

ob_status dnn_emit_eltwise_backward(dnn_plan *plan, const dnn_curve *curve, const dnn_view *grad,
                                    const dnn_view *data, const dnn_view *out, ob_err *err)
{
    dnn_view g = *grad, d = *data, o = *out;
    dnn_view *const views[] = {&o, &g, &d};
    const dnn_layout *layout;
    OB_TRY(dnn_plan_dense(plan, &g, err));
    if (dnn_plan_is_blocked(plan, data) && dnn_view_same_sizes(grad, data)) {
        layout = dnn_plan_current(plan, data, err);
    } else {
        OB_TRY(emit_alike(plan, &g, out, &g, err));
        OB_TRY(emit_alike(plan, data, out, &d, err));
        dnn_views_collapse(views, 3);
        avoid_gaps_in_one_dimension(views, 3);
        layout = dnn_plan_plain(plan, &o, err);
    }
    if (layout == NULL)
        return OB_ERR_UNSUPPORTED;
    const dnn_request request = {.kind = DNN_ELTWISE_BACKWARD,
                                 .algorithm = curve->algorithm,
                                 .src = layout,
                                 .diff = layout,
                                 .alpha = (float)curve->alpha,
                                 .beta = (float)curve->beta};
    const dnn_binding bindings[] = {
        {uses_result(curve->algorithm) ? DNN_DST : DNN_SRC, &d, false, false},
        {DNN_DIFF_DST, &g, false, false},
        {DNN_DIFF_SRC, &o, true, false}};
    return dnn_plan_emit(plan, &request, bindings, 3, NULL, err);
}
