/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows: tensors out of nothing, and random numbers. ONNX Runtime computes what does not depend on an input once, when
 * the session is made; what is timed then is the copy of it.
 */
#include "translate.h"

static void fill(ort_call *call, double value)
{
    const ob_tensor *result = ort_result_meta(call, 0);
    ort_result(call, 0, ort_filled(call->t, result->dtype, value, result->sizes, result->ndim));
}

static void emit_zeros(ort_call *call)
{
    fill(call, 0);
}

static void emit_ones(ort_call *call)
{
    fill(call, 1);
}

/* The number under the name that the row gives. */
static void emit_full(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *result = ort_result_meta(call, 0);
    const ort_id tensor = ort_arg_as(call, call->row->onnx, result->dtype);
    const ort_id value = tensor != ORT_NONE ? tensor
                                            : ort_number_from(t, result->dtype,
                                                              ort_arg_value(call, call->row->onnx));
    ort_result(call, 0, ort_expand(t, value, result->sizes, result->ndim));
}

/* start + i * step */
static void count_up(ort_call *call, double start, double step, ob_dtype dtype)
{
    ort_translation *t = call->t;
    const ob_tensor *result = ort_result_meta(call, 0);
    ort_id x = ort_cast(t, ort_range(t, result->sizes[0]), dtype);
    if (step != 1)
        x = ort_binary(t, "Mul", x, ort_number(t, dtype, step));
    if (start != 0)
        x = ort_binary(t, "Add", x, ort_number(t, dtype, start));
    ort_result(call, 0, x);
}

static void emit_arange(ort_call *call)
{
    count_up(call, ort_arg_double(call, "start", 0), ort_arg_double(call, "step", 1),
             ort_result_meta(call, 0)->dtype);
}

static void emit_linspace(ort_call *call)
{
    const double start = ort_arg_double(call, "start", 0), end = ort_arg_double(call, "end", 0);
    const int64_t steps = ort_arg_int(call, "steps", 1);
    const ob_dtype dtype = ort_result_meta(call, 0)->dtype;
    count_up(call, start, steps > 1 ? (end - start) / (double)(steps - 1) : 0,
             ort_is_float(dtype) ? dtype : OB_DTYPE_F64);
}

/* ---- random numbers ---- */

/* low and high, or mean and scale, by the names of the attributes. */
static ort_id random_like(ort_call *call, const char *op, const char *first, double a,
                          const char *second, double b)
{
    const ob_tensor *result = ort_result_meta(call, 0);
    return ort_emit(call->t, op, result->dtype, NULL, 0,
                    ORT_ATTRS(ORT_F(first, a), ORT_F(second, b),
                              ORT_I("dtype", ort_dtype_number(result->dtype)),
                              ORT_IS("shape", result->sizes, (size_t)result->ndim)));
}

static void emit_uniform(ort_call *call)
{
    /* The library ends the process where its ends are not in order, as float has them. */
    if (!((float)ort_arg_double(call, "from", 0) <= (float)ort_arg_double(call, "to", 1))) {
        ort_refuse(call, "the range is empty");
        return;
    }
    ort_result(call, 0,
               random_like(call, "RandomUniform", "low", ort_arg_double(call, "from", 0), "high",
                           ort_arg_double(call, "to", 1)));
}

static void emit_normal(ort_call *call)
{
    if (!((float)ort_arg_double(call, "std", 1) > 0)) {
        ort_refuse(call, "a deviation that rounds to 0 as a float");
        return;
    }
    ort_result(call, 0,
               random_like(call, "RandomNormal", "mean", ort_arg_double(call, "mean", 0), "scale",
                           ort_arg_double(call, "std", 1)));
}

/* 1 where a number out of [0, 1) is below p, which may be a tensor. */
static void emit_bernoulli(ort_call *call)
{
    ort_translation *t = call->t;
    const ob_tensor *result = ort_result_meta(call, 0);
    const ob_value *given = ort_arg_value(call, "p");
    const ort_id p =
        given != NULL ? ort_number_from(t, result->dtype, given) : ort_arg(call, "self");
    const ort_id chance = random_like(call, "RandomUniform", "low", 0, "high", 1);
    ort_result(call, 0, ort_emit(t, "Less", OB_DTYPE_BOOL, ORT_IN(chance, p), NULL));
}

static ort_id dropout(ort_call *call, const char *name, ort_id *mask)
{
    ort_translation *t = call->t;
    const ob_tensor *input = ort_arg_meta(call, name);
    const ort_id ratio = ort_number(t, OB_DTYPE_F32, ort_arg_double(call, "p", 0.5));
    const ort_id train = ort_number(t, OB_DTYPE_BOOL, 1);
    const ort_id out = ort_model_node(
        &t->model, "Dropout", ORT_IN(ort_arg(call, name), ratio, train), 2, input->dtype, NULL);
    ort_model_retype(&t->model, out + 1, OB_DTYPE_BOOL);
    *mask = out + 1;
    return out;
}

/* Whether everything stays, everything goes (ratio 1, which ONNX forbids), or chance decides. */
static void emit_dropout(ort_call *call)
{
    ort_translation *t = call->t;
    const char *name = call->schema->args[0].name;
    const ob_tensor *input = ort_arg_meta(call, name);
    const bool train = ort_arg_bool(call, "train", true);
    const double p = ort_arg_double(call, "p", 0.5);
    ort_id mask = ORT_NONE, out = ort_arg(call, name);
    if (!train || p == 0 || p == 1) {
        const bool stays = !train || p == 0;
        if (!stays)
            out = ort_binary(t, "Mul", out, ort_number(t, input->dtype, 0));
        if (ort_result_meta(call, 1) != NULL)
            mask = ort_filled(t, OB_DTYPE_BOOL, stays, input->sizes, input->ndim);
    } else {
        out = dropout(call, name, &mask);
    }
    ort_result(call, 0, out);
    if (ort_result_meta(call, 1) != NULL)
        ort_result(call, 1, mask);
}

const ort_row ort_rows_create[] = {
    {.name = "aten::zeros", .emit = emit_zeros},
    {.name = "aten::zeros_like", .emit = emit_zeros},
    {.name = "aten::new_zeros", .emit = emit_zeros},
    {.name = "aten::zero_", .emit = emit_zeros},
    {.name = "aten::empty.memory_format", .emit = emit_zeros},
    {.name = "aten::empty_strided", .emit = emit_zeros},
    {.name = "aten::empty_like", .emit = emit_zeros},
    {.name = "aten::new_empty", .emit = emit_zeros},
    {.name = "aten::new_empty_strided", .emit = emit_zeros},
    {.name = "aten::ones", .emit = emit_ones},
    {.name = "aten::ones_like", .emit = emit_ones},
    {.name = "aten::new_ones", .emit = emit_ones},
    {.name = "aten::full", .emit = emit_full, .onnx = "fill_value"},
    {.name = "aten::full_like", .emit = emit_full, .onnx = "fill_value"},
    {.name = "aten::new_full", .emit = emit_full, .onnx = "fill_value"},
    {.name = "aten::fill_.Scalar", .emit = emit_full, .onnx = "value"},
    {.name = "aten::fill_.Tensor", .emit = emit_full, .onnx = "value"},
    {.name = "aten::scalar_tensor", .emit = emit_full, .onnx = "s"},
    {.name = "aten::arange", .emit = emit_arange},
    {.name = "aten::arange.start", .emit = emit_arange},
    {.name = "aten::arange.start_step", .emit = emit_arange},
    {.name = "aten::linspace", .emit = emit_linspace},
    {.name = "aten::rand", .emit = emit_uniform},
    {.name = "aten::rand_like", .emit = emit_uniform},
    {.name = "aten::uniform_", .emit = emit_uniform},
    {.name = "aten::randn", .emit = emit_normal},
    {.name = "aten::randn_like", .emit = emit_normal},
    {.name = "aten::normal_", .emit = emit_normal},
    {.name = "aten::bernoulli", .emit = emit_bernoulli},
    {.name = "aten::bernoulli.p", .emit = emit_bernoulli},
    {.name = "aten::bernoulli_.float", .emit = emit_bernoulli},
    {.name = "aten::dropout", .emit = emit_dropout},
    {.name = "aten::native_dropout", .emit = emit_dropout},
    {.name = "aten::native_dropout_backward",
     .recipe = "m = AsType(mask); p = Mul(grad_output, m); result = Mul(p, scale)"},
    {.name = NULL},
};
