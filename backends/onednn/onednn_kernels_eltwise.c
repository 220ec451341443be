/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators on each element by itself, forward and backward.
 */
#include "emit_bytes.h"
#include "plain_loops.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* How the numbers of a curve follow from the call. */
typedef enum numbers {
    FIXED, /* those of the row */
    GELU,
    ELU,
    LEAKY,
    CLAMP,
    SOFTPLUS,
    POWER,
    ADD_SCALAR,
    SUB_SCALAR,
    RSUB_SCALAR,
    MUL_SCALAR,
    DIV_SCALAR,
} numbers;

typedef struct row {
    dnn_curve curve;
    numbers numbers;
    const char *data;        /* backward: the argument that it needs; NULL: forward */
    dnn_algorithm if_result; /* backward: the algorithm when that is the result */
} row;

static double limit(const dnn_call *call, const char *name, const char *other, double otherwise)
{
    return dnn_arg_is_none(call, name) ? dnn_arg_double(call, other, otherwise)
                                       : dnn_arg_double(call, name, otherwise);
}

/* false: the library's curve is another one for these numbers. */
static bool set_numbers(const dnn_call *call, const row *r, dnn_curve *curve)
{
    const double other = dnn_arg_double(call, "other", 0), alpha = dnn_arg_double(call, "alpha", 1);
    switch (r->numbers) {
    case FIXED:
        return true;
    case GELU:
        if (strcmp(ob_kit_value_str(dnn_arg_value(call, "approximate")), "tanh") == 0)
            curve->algorithm = DNN_GELU_TANH;
        return true;
    case ELU:
        curve->alpha = alpha;
        if (dnn_arg_bool(call, "is_result", false))
            curve->algorithm = r->if_result;
        return dnn_arg_double(call, "scale", 1) == 1 && dnn_arg_double(call, "input_scale", 1) == 1;
    case LEAKY:
        curve->alpha = dnn_arg_double(call, "negative_slope", 0.01);
        if (dnn_arg_bool(call, "self_is_result", false) && curve->alpha > 0)
            curve->algorithm = r->if_result;
        return true;
    case CLAMP:
        curve->alpha = limit(call, "min_val", "min", -FLT_MAX);
        curve->beta = limit(call, "max_val", "max", FLT_MAX);
        return curve->alpha <= curve->beta;
    case SOFTPLUS:
        return dnn_arg_double(call, "beta", 1) == 1 && dnn_arg_double(call, "threshold", 20) >= 20;
    case POWER:
        curve->beta = dnn_arg_double(call, "exponent", 1);
        return true;
    case ADD_SCALAR:
        curve->beta = other * alpha;
        return true;
    case SUB_SCALAR:
        curve->beta = -other * alpha;
        return true;
    case RSUB_SCALAR:
        curve->alpha = -alpha;
        curve->beta = other;
        return true;
    case MUL_SCALAR:
        curve->alpha = other;
        return true;
    case DIV_SCALAR:
        curve->alpha = 1 / other;
        return other != 0;
    }
    return false;
}

/* batch_norm counts its batches in an integer. */
static ob_status plan_count(dnn_call *call, const dnn_view *out, ob_err *err)
{
    const dnn_view in = dnn_arg_view(call, "self");
    const double step = dnn_arg_double(call, "other", 0) * dnn_arg_double(call, "alpha", 1);
    const ob_value *other = dnn_arg_value(call, "other");
    if (other == NULL || other->kind != OB_VALUE_INT || in.dtype != OB_DTYPE_I64 ||
        !(fabs(step) < 9007199254740992.0)) /* 2^53: whole numbers up to there are exact */
        return dnn_refuse(call, err, "the backend only does this for floating dtypes");
    if (!dnn_view_equal(&in, out))
        OB_TRY(dnn_emit_copy(call->plan, out, &in, err));
    const dnn_plain_loop loop = {
        .run = dnn_plain_count, .name = "count", .views = {*out}, .count = 1, .numbers = {step}};
    return dnn_plan_plain_loop(call->plan, &loop, 1, err);
}

/* ---- bytes ---- */

static bool is_within(ob_dtype dtype, double limit)
{
    const double low = dtype == OB_DTYPE_U8 ? 0 : INT8_MIN;
    const double high = dtype == OB_DTYPE_U8 ? UINT8_MAX : INT8_MAX;
    return fabs(limit) == (double)FLT_MAX ||
           (limit == trunc(limit) && limit >= low && limit <= high);
}

/* Curves whose results are whole numbers, with numbers that keep float32 exact. */
static ob_status fit_curve(const dnn_call *call, ob_dtype dtype, dnn_curve *curve, ob_err *err)
{
    switch (curve->algorithm) {
    case DNN_RELU:
        if (curve->alpha == 0)
            return OB_OK;
        break;
    case DNN_ABS:
    case DNN_SQUARE:
    case DNN_ROUND:
        return OB_OK;
    case DNN_LINEAR:
        if (dnn_wrap_number(curve->alpha, &curve->alpha) &&
            dnn_wrap_number(curve->beta, &curve->beta))
            return OB_OK;
        break;
    case DNN_CLIP:
        if (is_within(dtype, curve->alpha) && is_within(dtype, curve->beta))
            return OB_OK;
        return dnn_refuse(call, err, "the limits are not whole numbers that the dtype holds");
    case DNN_POW:
        if (curve->beta == 2) {
            curve->algorithm = DNN_SQUARE;
            return OB_OK;
        }
        break;
    default:
        break;
    }
    return dnn_refuse(call, err, "oneDNN has no exact curve for integers here");
}

/* The library has few curves of bytes: all but relu are computed in float32 and wrapped. */
static ob_status plan_byte_curve(dnn_call *call, dnn_curve *curve, const dnn_view *out, ob_err *err)
{
    dnn_plan *plan = call->plan;
    const dnn_view in = dnn_arg_view(call, "self");
    dnn_view wide;
    if (!dnn_is_small(in.dtype))
        return dnn_refuse(call, err, "the dtypes differ");
    if (curve->algorithm == DNN_LINEAR && plan->library_integers && in.dtype == out->dtype)
        return dnn_emit_eltwise(plan, curve, &in, out, err);
    OB_TRY(fit_curve(call, out->dtype, curve, err));
    if (curve->algorithm == DNN_ROUND)
        return dnn_emit_copy(plan, out, &in, err);
    if (curve->algorithm == DNN_RELU && in.dtype == out->dtype)
        return dnn_emit_eltwise(plan, curve, &in, out, err);
    OB_TRY(dnn_plan_temporary(plan, OB_DTYPE_F32, out->ndim, out->sizes, &wide, err));
    OB_TRY(dnn_emit_copy(plan, &wide, &in, err));
    OB_TRY(dnn_emit_eltwise(plan, curve, &wide, &wide, err));
    return dnn_emit_wrap(plan, out, &wide, 1, NULL, 0, err);
}

static ob_status plan_curve(dnn_call *call, ob_err *err)
{
    const row *r = call->kernel->data;
    dnn_curve curve = r->curve;
    const dnn_view out = dnn_output(call, 0);
    if (r->numbers == ADD_SCALAR && out.dtype == OB_DTYPE_I64 && dnn_view_is_contiguous(&out))
        return plan_count(call, &out, err);
    if (!dnn_is_float(out.dtype) && !dnn_is_byte(out.dtype))
        return dnn_refuse(call, err, "the backend only does this for floating dtypes and bytes");
    if (!set_numbers(call, r, &curve))
        return dnn_refuse(call, err, "oneDNN's curve does not have these parameters");
    if (dnn_is_byte(out.dtype))
        return r->data == NULL ? plan_byte_curve(call, &curve, &out, err)
                               : dnn_refuse(call, err, "integers have no gradients");
    if (strcmp(call->kernel->name, "aten::threshold_backward") == 0 &&
        dnn_arg_double(call, "threshold", 0) != 0)
        return dnn_refuse(call, err, "oneDNN only has the threshold 0");
    if (curve.algorithm == DNN_LOG && out.dtype == OB_DTYPE_F32)
        OB_TRY(dnn_refuse_inexact(call, err));
    if (r->data == NULL) {
        const dnn_view in = dnn_arg_view(call, "self");
        return dnn_emit_eltwise(call->plan, &curve, &in, &out, err);
    }
    const dnn_view grad = dnn_arg_view(call, "grad_output"), data = dnn_arg_view(call, r->data);
    return dnn_emit_eltwise_backward(call->plan, &curve, &grad, &data, &out, err);
}

#define CURVE(op, algorithm, a, b, how)                                                            \
    {                                                                                              \
        .name = (op), .plan = plan_curve, .in_place = true, .data = &(const row)                   \
        {                                                                                          \
            {(algorithm), (a), (b)}, (how), NULL, DNN_NONE                                         \
        }                                                                                          \
    }
#define BACKWARD(op, algorithm, a, b, how, argument, if_result)                                    \
    {                                                                                              \
        .name = (op), .plan = plan_curve, .data = &(const row)                                     \
        {                                                                                          \
            {(algorithm), (a), (b)}, (how), (argument), (if_result)                                \
        }                                                                                          \
    }

const dnn_kernel dnn_kernels_eltwise[] = {
    CURVE("aten::relu", DNN_RELU, 0, 0, FIXED),
    CURVE("aten::sigmoid", DNN_LOGISTIC, 0, 0, FIXED),
    CURVE("aten::tanh", DNN_TANH, 0, 0, FIXED),
    CURVE("aten::gelu", DNN_GELU_ERF, 0, 0, GELU),
    CURVE("aten::exp", DNN_EXP, 0, 0, FIXED),
    CURVE("aten::log", DNN_LOG, 0, 0, FIXED),
    CURVE("aten::sqrt", DNN_SQRT, 0, 0, FIXED),
    CURVE("aten::rsqrt", DNN_POW, 1, -0.5, FIXED),
    CURVE("aten::reciprocal", DNN_POW, 1, -1, FIXED),
    CURVE("aten::abs", DNN_ABS, 0, 0, FIXED),
    CURVE("aten::neg", DNN_LINEAR, -1, 0, FIXED),
    CURVE("aten::square", DNN_SQUARE, 0, 0, FIXED),
    CURVE("aten::round", DNN_ROUND, 0, 0, FIXED),
    CURVE("aten::silu", DNN_SWISH, 1, 0, FIXED),
    CURVE("aten::mish", DNN_MISH, 0, 0, FIXED),
    CURVE("aten::hardswish", DNN_HARDSWISH, 0, 0, FIXED),
    CURVE("aten::softplus", DNN_SOFT_RELU, 0, 0, SOFTPLUS),
    CURVE("aten::log_sigmoid", DNN_LOGSIGMOID, 0, 0, FIXED),
    CURVE("aten::elu", DNN_ELU, 1, 0, ELU),
    CURVE("aten::leaky_relu", DNN_RELU, 0, 0, LEAKY),
    CURVE("aten::hardtanh", DNN_CLIP, 0, 0, CLAMP),
    CURVE("aten::clamp", DNN_CLIP, 0, 0, CLAMP),
    CURVE("aten::clamp_min", DNN_CLIP, 0, 0, CLAMP),
    CURVE("aten::clamp_max", DNN_CLIP, 0, 0, CLAMP),
    CURVE("aten::pow.Tensor_Scalar", DNN_POW, 1, 0, POWER),
    CURVE("aten::add.Scalar", DNN_LINEAR, 1, 0, ADD_SCALAR),
    CURVE("aten::sub.Scalar", DNN_LINEAR, 1, 0, SUB_SCALAR),
    CURVE("aten::rsub.Scalar", DNN_LINEAR, -1, 0, RSUB_SCALAR),
    CURVE("aten::mul.Scalar", DNN_LINEAR, 1, 0, MUL_SCALAR),
    CURVE("aten::div.Scalar", DNN_LINEAR, 1, 0, DIV_SCALAR),
    BACKWARD("aten::threshold_backward", DNN_RELU, 0, 0, FIXED, "self", DNN_NONE),
    BACKWARD("aten::sigmoid_backward", DNN_LOGISTIC_DST, 0, 0, FIXED, "output", DNN_NONE),
    BACKWARD("aten::tanh_backward", DNN_TANH_DST, 0, 0, FIXED, "output", DNN_NONE),
    BACKWARD("aten::gelu_backward", DNN_GELU_ERF, 0, 0, GELU, "self", DNN_NONE),
    BACKWARD("aten::silu_backward", DNN_SWISH, 1, 0, FIXED, "self", DNN_NONE),
    BACKWARD("aten::mish_backward", DNN_MISH, 0, 0, FIXED, "self", DNN_NONE),
    BACKWARD("aten::hardswish_backward", DNN_HARDSWISH, 0, 0, FIXED, "self", DNN_NONE),
    BACKWARD("aten::softplus_backward", DNN_SOFT_RELU, 0, 0, SOFTPLUS, "self", DNN_NONE),
    BACKWARD("aten::leaky_relu_backward", DNN_RELU, 0, 0, LEAKY, "self", DNN_RELU_DST),
    BACKWARD("aten::elu_backward", DNN_ELU, 1, 0, ELU, "self_or_result", DNN_ELU_DST),
    BACKWARD("aten::hardtanh_backward", DNN_CLIP_V2, 0, 0, CLAMP, "self", DNN_NONE),
    {.name = NULL},
};
