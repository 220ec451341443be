/* SPDX-License-Identifier: Apache-2.0
 *
 * Operator rows: pooling, nearest-neighbour resizing and padding.
 */
#include "op/row_macros.h"

#define MAX(text, shape) OB__ROW(text, "pool", shape, pool, EXACT, 0)
#define AVG(text, shape, cost) OB__ROW(text, "pool", shape, cost, REDUCTION, 2)
#define MOVE(text, shape) OB__ROW(text, "pool", shape, copy, EXACT, 0)

#define MAX_ARGS "kernel_size, stride, padding, dilation, ceil_mode"
#define AVG_ARGS "kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override"
/* One dimension as two, the first of size 1. */
#define LINE_STRIDE "[1, stride[0] if @len(stride) > 0 else kernel_size[0]]"
#define MAX_LINE                                                                                   \
    "max_pool2d_with_indices(unsqueeze(self, -2), [1, kernel_size[0]], " LINE_STRIDE               \
    ", [0, padding[0]], [1, dilation[0]], ceil_mode)"

/* What max pooling's forward gave: places in the planes of its input. */
static const ob_constraint PLANE_OF_SELF[] = {
    {.arg = "indices", .kind = OB_CONSTRAINT_PLANE, .of = "self", .dim = -2}, {.arg = NULL}};

const ob_op_row ob__rows_pool[] = {
    {MAX("aten::max_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], "
         "int[1] dilation=[1], bool ceil_mode=False) -> Tensor",
         max_pool),
     .decomposition = "result = squeeze(" MAX_LINE "[0], -2)"},
    {MAX("aten::max_pool1d_with_indices(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] "
         "padding=[0], int[1] dilation=[1], bool ceil_mode=False) -> (Tensor, Tensor)",
         max_pool_indices),
     .decomposition = "v, i = " MAX_LINE "; result_0 = squeeze(v, -2); result_1 = squeeze(i, -2)"},
    {MAX("aten::max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, "
         "int[2] dilation=1, bool ceil_mode=False) -> Tensor",
         max_pool),
     .decomposition = "result = max_pool2d_with_indices(self, " MAX_ARGS ")[0]"},
    {MAX("aten::max_pool2d_with_indices(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] "
         "padding=0, int[2] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)",
         max_pool_indices),
     .derivative = "self = max_pool2d_with_indices_backward(grad, self, " MAX_ARGS ", result_1)"},
    {AVG("aten::max_pool2d_with_indices_backward(Tensor grad_output, Tensor self, int[2] "
         "kernel_size, int[2] stride, int[2] padding, int[2] dilation, bool ceil_mode, Tensor "
         "indices) -> Tensor",
         pool_backward, reduce_1),
     .constraints = PLANE_OF_SELF},
    {MAX("aten::max_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, "
         "int[3] dilation=1, bool ceil_mode=False) -> Tensor",
         max_pool),
     .decomposition = "result = max_pool3d_with_indices(self, " MAX_ARGS ")[0]"},
    {MAX("aten::max_pool3d_with_indices(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] "
         "padding=0, int[3] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)",
         max_pool_indices),
     .derivative = "self = max_pool3d_with_indices_backward(grad, self, " MAX_ARGS ", result_1)"},
    {AVG("aten::max_pool3d_with_indices_backward(Tensor grad_output, Tensor self, int[3] "
         "kernel_size, int[3] stride, int[3] padding, int[3] dilation, bool ceil_mode, Tensor "
         "indices) -> Tensor",
         pool_backward, reduce_1)},
    {AVG("aten::avg_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], "
         "bool ceil_mode=False, bool count_include_pad=True) -> Tensor",
         avg_pool, pool),
     .decomposition =
         "result = squeeze(avg_pool2d(unsqueeze(self, -2), [1, kernel_size[0]], " LINE_STRIDE
         ", [0, padding[0]], ceil_mode, count_include_pad), -2)"},
    {AVG("aten::avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, "
         "bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor",
         avg_pool, pool),
     .derivative = "self = avg_pool2d_backward(grad, self, " AVG_ARGS ")"},
    {AVG("aten::avg_pool2d_backward(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] "
         "stride, int[2] padding, bool ceil_mode, bool count_include_pad, int? divisor_override) "
         "-> Tensor",
         pool_backward, pool)},
    {AVG("aten::avg_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, "
         "bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor",
         avg_pool, pool),
     .derivative = "self = avg_pool3d_backward(grad, self, " AVG_ARGS ")"},
    {AVG("aten::avg_pool3d_backward(Tensor grad_output, Tensor self, int[3] kernel_size, int[3] "
         "stride, int[3] padding, bool ceil_mode, bool count_include_pad, int? divisor_override) "
         "-> Tensor",
         pool_backward, pool)},
    {AVG("aten::adaptive_avg_pool1d(Tensor self, int[1] output_size) -> Tensor", adaptive_pool,
         reduce_1),
     .decomposition =
         "result = squeeze(adaptive_avg_pool2d(unsqueeze(self, -2), [1, output_size[0]]), -2)"},
    {AVG("aten::adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor", adaptive_pool,
         reduce_1),
     .decomposition = "result = mean(self, [-1, -2], True) "
                      "if output_size[0] == 1 and output_size[1] == 1 "
                      "else _adaptive_avg_pool2d(self, output_size)"},
    {AVG("aten::_adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor", adaptive_pool,
         reduce_1),
     .derivative = "self = _adaptive_avg_pool2d_backward(grad, self)"},
    {AVG("aten::_adaptive_avg_pool2d_backward(Tensor grad_output, Tensor self) -> Tensor",
         pool_backward, reduce_1)},
    {AVG("aten::adaptive_avg_pool3d(Tensor self, int[3] output_size) -> Tensor", adaptive_pool,
         reduce_1),
     .decomposition = "result = _adaptive_avg_pool3d(self, output_size)"},
    {AVG("aten::_adaptive_avg_pool3d(Tensor self, int[3] output_size) -> Tensor", adaptive_pool,
         reduce_1),
     .derivative = "self = _adaptive_avg_pool3d_backward(grad, self)"},
    {AVG("aten::_adaptive_avg_pool3d_backward(Tensor grad_output, Tensor self) -> Tensor",
         pool_backward, reduce_1)},
    {OB__ROW("aten::adaptive_max_pool2d(Tensor self, int[2] output_size) -> (Tensor, Tensor)",
             "pool", adaptive_pool_indices, reduce_1, EXACT, 0),
     .derivative = "self = adaptive_max_pool2d_backward(grad, self, result_1)"},
    {AVG("aten::adaptive_max_pool2d_backward(Tensor grad_output, Tensor self, Tensor indices) -> "
         "Tensor",
         pool_backward, reduce_1)},
    {MOVE("aten::upsample_nearest2d(Tensor self, SymInt[2] output_size, float? scales_h=None, "
          "float? scales_w=None) -> Tensor",
          upsample_nearest2d),
     .derivative = "self = upsample_nearest2d_backward(grad, output_size, @sizes(self), "
                   "scales_h, scales_w)"},
    {MOVE("aten::upsample_nearest2d.vec(Tensor input, SymInt[]? output_size, float[]? "
          "scale_factors) -> Tensor",
          upsample_nearest2d),
     .decomposition =
         "result = upsample_nearest2d(input, output_size) if not @is_none(output_size) "
         "else upsample_nearest2d(input, [@int(@size(input, 2) * scale_factors[0]), "
         "@int(@size(input, 3) * scale_factors[1])], scale_factors[0], scale_factors[1])"},
    {AVG("aten::upsample_nearest2d_backward(Tensor grad_output, SymInt[2] output_size, SymInt[4] "
         "input_size, float? scales_h=None, float? scales_w=None) -> Tensor",
         upsample_nearest2d_backward, reduce_1)},
    {MOVE("aten::constant_pad_nd(Tensor self, int[] pad, Scalar value=0) -> Tensor", pad),
     .derivative =
         "self = constant_pad_nd(grad, [-pad[0], -pad[1]] if @len(pad) == 2 "
         "else [-pad[0], -pad[1], -pad[2], -pad[3]] if @len(pad) == 4 "
         "else [-pad[0], -pad[1], -pad[2], -pad[3], -pad[4], -pad[5]] if @len(pad) == 6 "
         "else @require(False, \"the derivative of constant_pad_nd covers 1 to 3 dimensions\"))"},
    {MOVE("aten::pad(Tensor self, int[] pad, str mode=\"constant\", float? value=None) -> Tensor",
          pad),
     .decomposition =
         "result = constant_pad_nd(self, pad, 0.0 if @is_none(value) else value) if mode == "
         "\"constant\" else @require(False, \"pad is only decomposed for mode constant\")"},
    {MOVE("aten::pixel_shuffle(Tensor self, int upscale_factor) -> Tensor", pixel_shuffle),
     .decomposition = "n = @slice(@sizes(self), 0, -3); c = @size(self, -3); h = @size(self, -2); "
                      "w = @size(self, -1); r = upscale_factor; b = @prod(n); "
                      "x = reshape(self, [b, c // (r * r), r, r, h, w]); "
                      "result = reshape(permute(x, [0, 1, 4, 2, 5, 3]), "
                      "@concat(n, [c // (r * r), h * r, w * r]))"},
    OB__ROWS_END,
};
