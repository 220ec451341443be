/* SPDX-License-Identifier: Apache-2.0
 *
 * Reductions over dimensions.
 */
#include "emit.h"

/* Rows are summed up by a product with ones: oneDNN 2.6 has only its reference code for that reduction. */
static ob_status sum_by_product(dnn_plan *plan, const dnn_view *in, const dnn_view *out,
                                double scale, ob_err *err)
{
    dnn_view ones;
    int64_t sizes[] = {1, 1, 1};
    sizes[in->ndim - 1] = in->sizes[in->ndim - 2];
    OB_TRY(dnn_plan_temporary(plan, in->dtype, in->ndim, sizes, &ones, err));
    const dnn_list list = plan->list;
    plan->list = DNN_LIST_SETUP;
    const ob_status status = dnn_emit_fill(plan, &ones, 1, err);
    plan->list = list;
    OB_TRY(status);
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

/* [n,] rows, columns to [n,] 1, columns. */
static bool sums_rows(dnn_algorithm algorithm, const dnn_view *in, const dnn_view *out)
{
    const int rows = in->ndim - 2;
    return (algorithm == DNN_REDUCE_SUM || algorithm == DNN_REDUCE_MEAN) && in->ndim >= 2 &&
           in->ndim <= 3 && in->dtype == out->dtype && in->sizes[rows] > 1 &&
           out->sizes[rows] == 1 && out->sizes[rows + 1] == in->sizes[rows + 1] &&
           (rows == 0 || out->sizes[0] == in->sizes[0]);
}

ob_status dnn_emit_reduction(dnn_plan *plan, dnn_algorithm algorithm, double power,
                             const dnn_view *in, const dnn_view *out, ob_err *err)
{
    dnn_view source = *in, target = *out;
    dnn_view *const views[] = {&source, &target};
    OB_TRY(dnn_plan_dense(plan, &source, err));
    if (dnn_view_same_sizes(&source, &target) && algorithm != DNN_REDUCE_NORM)
        return dnn_emit_copy(plan, &target, &source, err);
    dnn_views_collapse(views, 2);
    if (sums_rows(algorithm, &source, &target)) {
        const double rows = (double)source.sizes[source.ndim - 2];
        return sum_by_product(plan, &source, &target, algorithm == DNN_REDUCE_MEAN ? 1 / rows : 1,
                              err);
    }
    const dnn_request request = {.kind = DNN_REDUCTION,
                                 .algorithm = algorithm,
                                 .src = dnn_plan_plain(plan, &source, err),
                                 .dst = dnn_plan_plain(plan, &target, err),
                                 .power = (float)power};
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
        reduced[dnn_dim(dims[i], in->ndim)] = true;
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

static ob_status reduce(dnn_call *call, dnn_algorithm algorithm, double power, ob_err *err)
{
    static const int64_t one[] = {1};
    dnn_view in = dnn_arg_view(call, "self");
    const dnn_view out = dnn_output(call, 0);
    if (!dnn_is_float(out.dtype) || !dnn_is_float(in.dtype))
        return dnn_refuse(call, err, "the backend reduces floating dtypes only");
    dnn_view wide = spread_result(call, &in, &out);
    if (in.ndim == 0) {
        dnn_view_reshape(&in, 1, one);
        dnn_view_reshape(&wide, 1, one);
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
        return dnn_refuse(call, err, "the backend has norms of order 1 and 2");
    return reduce(call, DNN_REDUCE_NORM, p, err);
}

#define REDUCTION(op, algorithm)                                                                   \
    {                                                                                              \
        .name = "aten::" op, .plan = plan_reduction, .variant = (algorithm)                        \
    }
#define NORM(op, order)                                                                            \
    {                                                                                              \
        .name = "aten::" op, .plan = plan_norm, .data = (order)                                    \
    }

const dnn_kernel dnn_kernels_reduction[] = {
    REDUCTION("sum", DNN_REDUCE_SUM),   REDUCTION("sum.dim_IntList", DNN_REDUCE_SUM),
    REDUCTION("mean", DNN_REDUCE_MEAN), REDUCTION("mean.dim", DNN_REDUCE_MEAN),
    REDUCTION("prod", DNN_REDUCE_MUL),  REDUCTION("prod.dim_int", DNN_REDUCE_MUL),
    REDUCTION("max", DNN_REDUCE_MAX),   REDUCTION("min", DNN_REDUCE_MIN),
    REDUCTION("amax", DNN_REDUCE_MAX),  REDUCTION("amin", DNN_REDUCE_MIN),
    NORM("norm.Scalar", "p"),           NORM("norm.ScalarOpt_dim", "p"),
    NORM("norm.ScalarOpt_dtype", "p"),  NORM("norm.ScalarOpt_dim_dtype", "p"),
    NORM("linalg_vector_norm", "ord"),  {.name = NULL},
};
