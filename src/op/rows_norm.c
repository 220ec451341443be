/* SPDX-License-Identifier: Apache-2.0
 *
 * Operator rows: normalisations. The plain forms are the first output of the native ones, whose
 * other outputs the backward needs.
 */
#include "op/row_macros.h"

#define NORM(text, shape, cost) OB__ROW(text, "norm", shape, cost, REDUCTION, 4)
#define MASK "[@needs_grad(input), @needs_grad(weight), @needs_grad(bias)]"
#define POSITIVE_VARIANCE OB__CONSTRAINTS(OB__POSITIVE("running_var"))
/* instance_norm is batch_norm over a batch of one with N * C channels. */
#define PER_SAMPLE(name) "None if @is_none(" name ") else repeat(" name ", [@size(input, 0)])"

const ob_op_row ob__rows_norm[] = {
    {NORM("aten::layer_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, Tensor? "
          "bias=None, float eps=1.0000000000000001e-05, bool cudnn_enable=True) -> Tensor",
          layer_norm, reduce_8),
     .decomposition = "result = native_layer_norm(input, normalized_shape, weight, bias, eps)[0]"},
    {NORM("aten::native_layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight, "
          "Tensor? bias, float eps) -> (Tensor, Tensor, Tensor)",
          native_layer_norm, reduce_8),
     .derivative = "input, weight, bias = native_layer_norm_backward(grad, input, "
                   "normalized_shape, result_1, result_2, weight, bias, " MASK ")"},
    {NORM("aten::native_layer_norm_backward(Tensor grad_out, Tensor input, SymInt[] "
          "normalized_shape, Tensor mean, Tensor rstd, Tensor? weight, Tensor? bias, bool[3] "
          "output_mask) -> (Tensor, Tensor, Tensor)",
          native_layer_norm_backward, reduce_16)},
    {NORM("aten::batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, "
          "Tensor? running_var, bool training, float momentum, float eps, bool cudnn_enabled) -> "
          "Tensor",
          batch_norm, reduce_8),
     .constraints = POSITIVE_VARIANCE,
     .decomposition = "result = native_batch_norm(input, weight, bias, running_mean, "
                      "running_var, training, momentum, eps)[0]"},
    {NORM("aten::native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? "
          "running_mean, Tensor? running_var, bool training, float momentum, float eps) -> "
          "(Tensor, Tensor, Tensor)",
          native_batch_norm, reduce_8),
     .constraints = POSITIVE_VARIANCE,
     .derivative = "input, weight, bias = native_batch_norm_backward(grad, input, weight, "
                   "running_mean, running_var, result_1, result_2, training, eps, " MASK ")"},
    {NORM("aten::native_batch_norm_backward(Tensor grad_out, Tensor input, Tensor? weight, Tensor? "
          "running_mean, Tensor? running_var, Tensor? save_mean, Tensor? save_invstd, bool train, "
          "float eps, bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
          native_batch_norm_backward, reduce_16),
     .constraints = OB__CONSTRAINTS(OB__POSITIVE("running_var"), OB__POSITIVE("save_invstd"))},
    {NORM("aten::group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, "
          "float eps=1.0000000000000001e-05, bool cudnn_enabled=True) -> Tensor",
          group_norm, reduce_8),
     .decomposition = "n = @size(input, 0); c = @size(input, 1); "
                      "result = native_group_norm(contiguous(input), weight, bias, n, c, "
                      "@prod(@slice(@sizes(input), 2, @ndim(input))), num_groups, eps)[0]"},
    {NORM("aten::native_group_norm(Tensor input, Tensor? weight, Tensor? bias, SymInt N, SymInt C, "
          "SymInt HxW, int group, float eps) -> (Tensor, Tensor, Tensor)",
          native_group_norm, reduce_8),
     .derivative = "input, weight, bias = native_group_norm_backward(grad, input, result_1, "
                   "result_2, weight, N, C, HxW, group, " MASK ")"},
    {NORM("aten::native_group_norm_backward(Tensor grad_out, Tensor input, Tensor mean, Tensor "
          "rstd, Tensor? weight, SymInt N, SymInt C, SymInt HxW, int group, bool[3] output_mask) "
          "-> (Tensor, Tensor, Tensor)",
          native_group_norm_backward, reduce_16)},
    {NORM("aten::instance_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, "
          "Tensor? running_var, bool use_input_stats, float momentum, float eps, bool "
          "cudnn_enabled) -> Tensor",
          instance_norm, reduce_8),
     .constraints = POSITIVE_VARIANCE,
     .decomposition =
         "n = @size(input, 0); c = @size(input, 1); "
         "result = view(native_batch_norm(reshape(input, @concat([1, n * c], "
         "@slice(@sizes(input), 2, @ndim(input)))), " PER_SAMPLE("weight") ", " PER_SAMPLE(
             "bias") ", " PER_SAMPLE("running_mean") ", " PER_SAMPLE("running_var") ", "
                                                                                    "use_input_"
                                                                                    "stats, "
                                                                                    "momentum, "
                                                                                    "eps)[0], "
                                                                                    "@sizes(input)"
                                                                                    ")"},
    OB__ROWS_END,
};
