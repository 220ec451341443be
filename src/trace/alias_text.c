/* SPDX-License-Identifier: Apache-2.0
 *
 * What operators of GPUs compute, as graphs of plain operators. Fused kernels keep what is in between to themselves (the
 * scores of an attention, the parts of an optimizer's step); here it is in memory.
 */
#include "trace/alias.h"

#include <stdio.h>
#include <string.h>

/* Arguments that a release does not have yet are None, False or 0. */
#define SCORES(mask, causal)                                                                       \
    "factor = 1 / @sqrt(@size(query, -1)) if @is_none(scale) else scale;"                          \
    "scores = mul(matmul(query, transpose(key, -2, -1)), factor);"                                 \
    "masked = add(scores, log(tril(ones([@size(query, -2), @size(key, -2)],"                       \
    "    dtype=@dtype(query))))) if " causal " else scores if @is_none(" mask ")"                  \
    "    else add(scores, " mask ") if @is_floating(" mask ")"                                     \
    "    else add(scores, log(_to_copy(" mask ", dtype=@dtype(query))));"                          \
    "weights = softmax(masked, -1);"
#define WEIGHED                                                                                    \
    "result = matmul(dropout(weights, dropout_p, True) if dropout_p > 0 else weights, value)"
#define ATTENTION(mask) SCORES(mask, "is_causal") WEIGHED
/* Heads that share keys and values. */
#define FOR_ALL_HEADS(name)                                                                        \
    name " = reshape(expand(unsqueeze(" name ", 2), [@size(" name ", 0), @size(" name              \
         ", 1), times, @size(" name ", 2), @size(" name ", 3)]), [@size(" name ", 0), @size(" name \
         ", 1) * times, @size(" name ", 2), @size(" name ", 3)]) if times > 1 else " name ";"
#define SHARED_HEADS                                                                               \
    "times = @size(query, -3) // @size(key, -3) if enable_gqa else 1;" FOR_ALL_HEADS("key")        \
        FOR_ALL_HEADS("value")
/* Here heads come behind the places, and sequences of several lengths are not packed into one. */
#define PLACES_FIRST                                                                               \
    "_ = @require(@ndim(query) == 4, 'sequences of several lengths in one tensor');"               \
    "query = transpose(query, 1, 2); key = transpose(key, 1, 2); value = transpose(value, 1, 2);"
#define ATTENTION_BACKWARD(grad, mask)                                                             \
    SCORES(mask, "is_causal")                                                                      \
    "result_2 = matmul(transpose(weights, -2, -1), " grad ");"                                     \
    "inner = matmul(" grad ", transpose(value, -2, -1));"                                          \
    "back = mul(_softmax_backward_data(inner, weights, -1, @dtype(weights)), factor);"             \
    "result_0 = matmul(back, key);"                                                                \
    "result_1 = matmul(transpose(back, -2, -1), query)"

#define ROOT_MEAN_SQUARE                                                                           \
    "dims = @range(-@len(normalized_shape), 0);"                                                   \
    "small = @epsilon(input) if @is_none(eps) else eps;"                                           \
    "rstd = rsqrt(add(mean(mul(input, input), dims, True), small));"                               \
    "scaled = mul(input, rstd);"                                                                   \
    "result_0 = scaled if @is_none(weight) else mul(scaled, weight)"

#define CONVOLVED                                                                                  \
    "convolution(self, weight, bias, stride, padding, dilation, False, @repeat(0, "                \
    "@len(stride)), groups)"

typedef struct text_row {
    const char *from, *text;
} text_row;

/* Later releases have these on CPUs too. */
static const text_row LATER_ROWS[] = {
    {"aten::scaled_dot_product_attention", SHARED_HEADS ATTENTION("attn_mask")},
    {"aten::_scaled_dot_product_flash_attention_for_cpu", ATTENTION("attn_mask")},
    {"aten::_scaled_dot_product_flash_attention_for_cpu_backward",
     ATTENTION_BACKWARD("grad_out", "attn_mask")},
    {"aten::rms_norm", ROOT_MEAN_SQUARE},
};

static const text_row TEXT_ROWS[] = {
    {"aten::_scaled_dot_product_flash_attention", ATTENTION("attn_mask")},
    {"aten::_scaled_dot_product_efficient_attention", ATTENTION("attn_bias")},
    {"aten::_scaled_dot_product_cudnn_attention", ATTENTION("attn_bias")},
    {"aten::_scaled_dot_product_flash_attention_backward",
     ATTENTION_BACKWARD("grad_out", "attn_mask")},
    {"aten::_scaled_dot_product_efficient_attention_backward",
     ATTENTION_BACKWARD("grad_out_", "attn_bias")},
    {"aten::_scaled_dot_product_cudnn_attention_backward",
     ATTENTION_BACKWARD("grad_out", "attn_bias")},
    {"aten::_flash_attention_forward",
     PLACES_FIRST SCORES("attn_mask", "is_causal") "result = transpose(matmul(weights, value), 1, "
                                                   "2)"},
    {"aten::_efficient_attention_forward",
     PLACES_FIRST SCORES("bias", "custom_mask_type > 0") "result = transpose(matmul(weights, "
                                                         "value), 1, 2)"},
    /* Its p is the share that stays. */
    {"aten::_fused_dropout", "result_0, result_1 = native_dropout(self, 1 - p, True)"},
    {"aten::_masked_scale", "result = mul(mul(self, mask), scale)"},
    {"aten::_fused_rms_norm", ROOT_MEAN_SQUARE "; result_1 = rstd"},
    {"aten::_fused_rms_norm_backward",
     "dims = @range(-@len(normalized_shape), 0);"
     "scaled = mul(input, rstd);"
     "inner = grad_out if @is_none(weight) else mul(grad_out, weight);"
     "result_0 = mul(sub(inner, mul(scaled, mean(mul(inner, scaled), dims, True))), rstd);"
     "result_1 = sum(mul(grad_out, scaled), @range(0, @ndim(input) - @len(dims)))"},
    /* 6 is float32. */
    {"aten::_softmax",
     "result = _softmax(_to_copy(self, dtype=6) if half_to_float else self, dim, False)"},
    {"aten::_log_softmax",
     "result = _log_softmax(_to_copy(self, dtype=6) if half_to_float else self, dim, False)"},
    {"aten::mm.dtype", "result = _to_copy(mm(self, mat2), dtype=out_dtype)"},
    {"aten::cudnn_convolution_relu", "result = relu(" CONVOLVED ")"},
    {"aten::cudnn_convolution_add_relu",
     "result = relu(add(" CONVOLVED ", z, alpha=1 if @is_none(alpha) else alpha))"},
    {"aten::_amp_update_scale_",
     "grown = where(eq(growth_tracker, growth_interval - 1), mul(self, scale_growth_factor), self);"
     "result_1 = copy_(growth_tracker, where(gt(found_inf, 0), mul(growth_tracker, 0),"
     "    add(growth_tracker, 1)));"
     "result_0 = copy_(self, where(gt(found_inf, 0), mul(self, scale_backoff_factor), grown))"},
};

#define GRADIENT                                                                                   \
    "plain = grads if @is_none(grad_scale) else div(grads, grad_scale);"                           \
    "grad = neg(plain) if maximize else plain;"
#define DECAYED_GRADIENT                                                                           \
    GRADIENT "grad = add(grad, self, alpha=weight_decay) if weight_decay != 0 else grad;"
#define ADAM                                                                                       \
    "m = lerp_(exp_avgs, grad, 1 - beta1);"                                                        \
    "v = addcmul_(mul_(exp_avg_sqs, beta2), grad, grad, value=1 - beta2);"                         \
    "below = add(div(sqrt(v), sqrt(rsub(pow(beta2, state_steps), 1))), eps);"                      \
    "step = div(m, mul(below, rsub(pow(beta1, state_steps), 1)));"                                 \
    "result = sub_(self, mul(step, lr))"

static const text_row EACH_ROWS[] = {
    {"aten::_fused_adam_", DECAYED_GRADIENT ADAM},
    {"aten::_fused_adamw_",
     GRADIENT "self = sub_(self, mul(mul(self, lr), weight_decay)) if weight_decay != 0 else "
              "self;" ADAM},
    {"aten::_fused_sgd_", DECAYED_GRADIENT
     "kept = grad if momentum == 0 else copy_(momentum_buffer_list, grad) if is_first_step"
     "    else add_(mul_(momentum_buffer_list, momentum), grad, alpha=1 - dampening);"
     "step = add(grad, kept, alpha=momentum) if nesterov else kept;"
     "result = sub_(self, mul(step, lr))"},
    {"aten::_fused_adagrad_",
     DECAYED_GRADIENT "sums = addcmul_(state_sums, grad, grad);"
                      "result = sub_(self, mul(div(grad, add(sqrt(sums), eps)), lr))"},
    {"aten::_amp_foreach_non_finite_check_and_unscale_",
     "bad = _to_copy(any(logical_not(isfinite(self))), dtype=@dtype(found_inf));"
     "result_1 = copy_(found_inf, maximum(found_inf, bad));"
     "result_0 = mul_(self, inv_scale)"},
    {"aten::_foreach_minimum.Scalar", "result = clamp_max(self, scalar)"},
    {"aten::_foreach_minimum_.Scalar", "result = clamp_max_(self, scalar)"},
    {"aten::_foreach_maximum.Scalar", "result = clamp_min(self, scalar)"},
    {"aten::_foreach_maximum_.Scalar", "result = clamp_min_(self, scalar)"},
};

static const char *find_text(const text_row *rows, size_t count, const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(rows[i].from, name, length) == 0 && rows[i].from[length] == '\0')
            return rows[i].text;
    return NULL;
}

const char *ob__trace_alias_text(const char *name)
{
    return find_text(TEXT_ROWS, sizeof TEXT_ROWS / sizeof *TEXT_ROWS, name, strlen(name));
}

const char *ob__trace_alias_later_text(const char *name)
{
    return find_text(LATER_ROWS, sizeof LATER_ROWS / sizeof *LATER_ROWS, name, strlen(name));
}

const char *ob__trace_alias_each_text(const char *name)
{
    const size_t count = sizeof EACH_ROWS / sizeof *EACH_ROWS;
    const char *text = find_text(EACH_ROWS, count, name, strlen(name));
    /* Rates that are tensors: _fused_adam_.tensor_lr. */
    const char *dot = strstr(name, ".tensor_lr");
    return text == NULL && dot != NULL ? find_text(EACH_ROWS, count, name, (size_t)(dot - name))
                                       : text;
}

bool ob__trace_alias_each(const char *name, char *out, size_t size)
{
    static const char PREFIX[] = "aten::_foreach_";
    if (strncmp(name, PREFIX, sizeof PREFIX - 1) != 0)
        return false;
    const char *plain = name + sizeof PREFIX - 1;
    snprintf(out, size, "aten::%.*s", (int)strcspn(plain, "."), plain);
    return true;
}
