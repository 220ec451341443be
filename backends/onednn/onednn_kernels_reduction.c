/* SPDX-License-Identifier: Apache-2.0
 *
 * Reductions over dimensions.
 */
#include "emit_bytes.h"

#include <string.h>

/* Rows are summed up by a product with ones: oneDNN 2.6 has only its reference code for that reduction. */
static ob_status sum_by_product(dnn_plan *plan, const dnn_view *in, const dnn_view *out,
                                double scale, ob_err *err)
{
    dnn_view ones;
    int64_t sizes[] = {1, 1, 1};
    sizes[in->ndim - 1] = in->sizes[in->ndim - 2];
    OB_TRY(dnn_plan_temporary(plan, in->dtype, in->ndim, sizes, &ones, err));
    OB_TRY(dnn_emit_ones(plan, &ones, err));
    const dnn_request request = {.kind = DNN_MATMUL,
                                 .src = dnn_plan_plain(plan, &ones, err),
                                 .weights = dnn_plan_plain(plan, in, err),
                                 .dst = dnn_plan_plain(plan, out, err),
                                 .scale = (float)scale};
    if (request.src == NULL || request.weights == NULL || request.dst == NULL)
        return OB_ERR_UNSUPPORTED;
    const dnn_binding bindings[] = {{DNN_SRC, &ones, false, false},
                                    {DNN_WEIGHTS, in, false, false},
                                    {DNN_DST, out, true, false}};
    return dnn_plan_emit(plan, &request, bindings, 3, NULL, err);
}

bool dnn_sums_rows(const dnn_view *in, const dnn_view *out)
{
    const int rows = in->ndim - 2;
    return in->ndim >= 2 && in->ndim <= 3 && in->sizes[rows] > 1 && out->sizes[rows] == 1 &&
           out->sizes[rows + 1] == in->sizes[rows + 1] &&
           (rows == 0 || out->sizes[0] == in->sizes[0]);
}

/* The largest of each column as a pool over images of one column of pixels, whose channels the columns are: for
 * the reduction the library has only its reference code. */
static ob_status pool_columns(dnn_plan *plan, const dnn_view *in, const dnn_view *out, ob_err *err)
{
    const int rows = in->ndim - 2, columns = in->ndim - 1;
    dnn_view image = *in, largest = *out;
    dnn_view *const views[] = {&image, &largest};
    const dnn_view *const from[] = {in, out};
    for (int i = 0; i < 2; i++) {
        const dnn_view *view = from[i];
        const int64_t all = view->sizes[rows] * view->strides[rows];
        const int64_t sizes[] = {rows > 0 ? view->sizes[0] : 1, view->sizes[columns],
                                 view->sizes[rows], 1};
        const int64_t strides[] = {rows > 0 ? view->strides[0] : all, view->strides[columns],
                                   view->strides[rows], view->strides[rows]};
        views[i]->ndim = 4;
        memcpy(views[i]->sizes, sizes, sizeof sizes);
        memcpy(views[i]->strides, strides, sizeof strides);
    }
    const int64_t height = in->sizes[rows];
    const dnn_request request = {.kind = DNN_POOL,
                                 .algorithm = DNN_POOL_MAX,
                                 .spatial = 2,
                                 .kernel = {height, 1},
                                 .strides = {height, 1},
                                 .dilation = {1, 1},
                                 .src = dnn_plan_plain(plan, &image, err),
                                 .dst = dnn_plan_plain(plan, &largest, err)};
    if (request.src == NULL || request.dst == NULL)
        return OB_ERR_UNSUPPORTED;
    const dnn_binding bindings[] = {{DNN_SRC, &image, false, false},
                                    {DNN_DST, &largest, true, false}};
    return dnn_plan_emit(plan, &request, bindings, 2, NULL, err);
}

static bool adds_up(dnn_algorithm algorithm)
{
    return algorithm == DNN_REDUCE_SUM || algorithm == DNN_REDUCE_MEAN;
}

/* Brings what is reduced behind what is kept, by a copy: for other orders there is only reference code. */
ob_status dnn_emit_reduced_last(dnn_plan *plan, dnn_view *in, dnn_view *out, ob_err *err)
{
    dnn_view turned = *in, result = *out;
    dnn_view *const views[] = {in, out};
    bool behind = false, last = true;
    int at = 0;
    for (int d = 0; d < in->ndim; d++) {
        const bool reduced = in->sizes[d] != out->sizes[d];
        last = last && (reduced || !behind);
        behind = behind || reduced;
    }
    if (last)
        return OB_OK;
    for (int reduced = 0; reduced < 2; reduced++) {
        for (int d = 0; d < in->ndim; d++) {
            if ((in->sizes[d] != out->sizes[d]) != (reduced != 0))
                continue;
            turned.sizes[at] = in->sizes[d], turned.strides[at] = in->strides[d];
            result.sizes[at] = out->sizes[d],
            result.strides[at] = reduced != 0 ? 1 : out->strides[d];
            at++;
        }
    }
    *out = result;
    OB_TRY(dnn_plan_temporary(plan, in->dtype, turned.ndim, turned.sizes, in, err));
    OB_TRY(dnn_emit_copy(plan, in, &turned, err));
    dnn_views_collapse(views, 2);
    return OB_OK;
}

/* The sum of squares or sizes: of the library's norm there is only reference code. */
static ob_status emit_norm(dnn_plan *plan, double power, const dnn_view *in, const dnn_view *out,
                           ob_err *err)
{
    const dnn_curve curve = {.algorithm = power == 2 ? DNN_SQUARE : DNN_ABS};
    const dnn_curve root = {.algorithm = DNN_SQRT};
    dnn_view each, sum;
    OB_TRY(dnn_plan_temporary(plan, OB_DTYPE_F32, in->ndim, in->sizes, &each, err));
    OB_TRY(dnn_plan_temporary(plan, OB_DTYPE_F32, out->ndim, out->sizes, &sum, err));
    OB_TRY(dnn_emit_eltwise(plan, &curve, in, &each, err));
    OB_TRY(dnn_emit_reduction(plan, DNN_REDUCE_SUM, 0, &each, &sum, err));
    if (power == 2 && out->dtype == OB_DTYPE_F32)
        return dnn_emit_eltwise(plan, &root, &sum, out, err);
    if (power == 2)
        OB_TRY(dnn_emit_eltwise(plan, &root, &sum, &sum, err));
    return dnn_emit_copy(plan, out, &sum, err);
}

ob_status dnn_emit_reduction(dnn_plan *plan, dnn_algorithm algorithm, double power,
                             const dnn_view *in, const dnn_view *out, ob_err *err)
{
    dnn_view source = *in, target = *out;
    dnn_view *const views[] = {&source, &target};
    OB_TRY(dnn_plan_dense(plan, &source, err));
    if (dnn_view_same_sizes(&source, &target) && algorithm != DNN_REDUCE_NORM)
        return dnn_emit_copy(plan, &target, &source, err);
    if (algorithm == DNN_REDUCE_NORM)
        return emit_norm(plan, power, &source, &target, err);
    dnn_views_collapse(views, 2);
    if (adds_up(algorithm) && source.dtype == target.dtype && dnn_sums_rows(&source, &target)) {
        const double rows = (double)source.sizes[source.ndim - 2];
        return sum_by_product(plan, &source, &target, algorithm == DNN_REDUCE_MEAN ? 1 / rows : 1,
                              err);
    }
    if (algorithm == DNN_REDUCE_MAX && dnn_sums_rows(&source, &target) &&
        pool_columns(plan, &source, &target, err) == OB_OK)
        return OB_OK;
    OB_TRY(dnn_emit_reduced_last(plan, &source, &target, err));
    const dnn_request request = {.kind = DNN_REDUCTION,
                                 .algorithm = algorithm,
                                 .src = dnn_plan_plain(plan, &source, err),
                                 .dst = dnn_plan_plain(plan, &target, err)};
    if (request.src == NULL || request.dst == NULL)
        return OB_ERR_UNSUPPORTED;
    const dnn_binding bindings[] = {{DNN_SRC, &source, false, false},
                                    {DNN_DST, &target, true, false}};
    return dnn_plan_emit(plan, &request, bindings, 2, NULL, err);
}

/* The result with size 1 in what is reduced; dims none or empty: all. */
static dnn_view spread_result(const dnn_call *call, const dnn_view *in, const dnn_view *out)
{
    int64_t dims[OB_MAX_DIMS];
    bool reduced[OB_MAX_DIMS] = {false};
    const size_t count =
        dnn_arg_is_none(call, "dim") ? 0 : dnn_arg_ints(call, "dim", dims, OB_MAX_DIMS);
    for (int d = 0; d < in->ndim; d++)
        reduced[d] = count == 0;
    for (size_t i = 0; i < count && in->ndim > 0; i++)
        reduced[ob_kit_dim(dims[i], in->ndim)] = true;
    dnn_view wide = *out;
    wide.ndim = in->ndim;
    for (int d = 0, from = 0; d < in->ndim; d++) {
        const bool kept = !reduced[d] || out->ndim == in->ndim;
        wide.sizes[d] = reduced[d] ? 1 : out->sizes[from];
        wide.strides[d] = reduced[d] ? 1 : out->strides[from];
        from += kept;
    }
    /* What has size 1 steps over all behind it, as the library expects of a layout. */
    for (int d = in->ndim - 1; d >= 0; d--) {
        if (wide.sizes[d] == 1)
            wide.strides[d] = d + 1 < in->ndim ? wide.sizes[d + 1] * wide.strides[d + 1] : 1;
    }
    return wide;
}

static ob_status reduce_bytes(dnn_call *call, dnn_algorithm algorithm, const dnn_view *in,
                              const dnn_view *out, ob_err *err)
{
    if (algorithm == DNN_REDUCE_SUM) {
        dnn_view dense = *in;
        OB_TRY(dnn_plan_dense(call->plan, &dense, err));
        return dnn_emit_byte_sum(call->plan, &dense, out, err);
    }
    if ((algorithm == DNN_REDUCE_MAX || algorithm == DNN_REDUCE_MIN) && in->dtype == out->dtype)
        return dnn_emit_reduction(call->plan, algorithm, 0, in, out, err);
    return dnn_refuse(call, err, "oneDNN does this with integers in float32, which is not exact");
}

static ob_status reduce(dnn_call *call, dnn_algorithm algorithm, double power, ob_err *err)
{
    static const int64_t one[] = {1};
    dnn_view in = dnn_arg_view(call, "self");
    const dnn_view out = dnn_output(call, 0);
    dnn_view wide = spread_result(call, &in, &out);
    if (in.ndim == 0) {
        dnn_view_reshape(&in, 1, one);
        dnn_view_reshape(&wide, 1, one);
    }
    if (dnn_is_small(in.dtype) && !dnn_is_float(out.dtype))
        return reduce_bytes(call, algorithm, &in, &wide, err);
    if (!dnn_is_float(out.dtype) || !(dnn_is_float(in.dtype) || dnn_is_small(in.dtype)))
        return dnn_refuse(call, err, "the backend only reduces floating dtypes and bytes");
    if (dnn_is_small(in.dtype)) { /* as PyTorch does it: converted first */
        dnn_view converted;
        OB_TRY(dnn_plan_temporary(call->plan, out.dtype, in.ndim, in.sizes, &converted, err));
        OB_TRY(dnn_emit_copy(call->plan, &converted, &in, err));
        in = converted;
    }
    return dnn_emit_reduction(call->plan, algorithm, power, &in, &wide, err);
}

static ob_status plan_reduction(dnn_call *call, ob_err *err)
{
    return reduce(call, (dnn_algorithm)call->kernel->variant, 0, err);
}

static ob_status plan_norm(dnn_call *call, ob_err *err)
{
    const double p = dnn_arg_double(call, call->kernel->data, 2);
    if (p != 1 && p != 2)
        return dnn_refuse(call, err, "the backend only has norms of order 1 and 2");
    const dnn_view in = dnn_arg_view(call, "self");
    if (in.dtype == OB_DTYPE_F16 && !dnn_lib_computes(call->plan->lib, in.dtype))
        return dnn_refuse(call, err, "oneDNN does not compute with float16 on this CPU");
    return reduce(call, DNN_REDUCE_NORM, p, err);
}

#define REDUCTION(op, algorithm)                                                                   \
    {                                                                                              \
        .name = "aten::" op, .plan = plan_reduction, .variant = (algorithm)                        \
    }
#define SUM(op)                                                                                    \
    {                                                                                              \
        .name = "aten::" op, .plan = plan_reduction, .variant = DNN_REDUCE_SUM, .sums = true       \
    }
#define NORM(op, order)                                                                            \
    {                                                                                              \
        .name = "aten::" op, .plan = plan_norm, .data = (order)                                    \
    }

const dnn_kernel dnn_kernels_reduction[] = {
    SUM("sum"),
    SUM("sum.dim_IntList"),
    REDUCTION("mean", DNN_REDUCE_MEAN),
    REDUCTION("mean.dim", DNN_REDUCE_MEAN),
    REDUCTION("prod", DNN_REDUCE_MUL),
    REDUCTION("prod.dim_int", DNN_REDUCE_MUL),
    REDUCTION("max", DNN_REDUCE_MAX),
    REDUCTION("min", DNN_REDUCE_MIN),
    REDUCTION("amax", DNN_REDUCE_MAX),
    REDUCTION("amin", DNN_REDUCE_MIN),
    NORM("norm.Scalar", "p"),
    NORM("norm.ScalarOpt_dim", "p"),
    NORM("norm.ScalarOpt_dtype", "p"),
    NORM("norm.ScalarOpt_dim_dtype", "p"),
    NORM("linalg_vector_norm", "ord"),
    {.name = NULL},
};
