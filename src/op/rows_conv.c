/* SPDX-License-Identifier: Apache-2.0
 *
 * Operator rows: convolutions. All lead to aten::convolution; a missing batch dimension is added
 * for the call and dropped afterwards.
 */
#include "op/row_macros.h"

#define CONV(text, shape, cost) OB__ROW(text, "conv", shape, cost, REDUCTION, 2)

#define CALL(input, padding, transposed, output_padding)                                           \
    "convolution(" input ", weight, bias, stride, " padding ", dilation, " transposed              \
    ", " output_padding ", groups)"
/* ndim: that of a batched input. */
#define BATCHED(ndim, padding, transposed, output_padding)                                         \
    "x = input if @ndim(input) == " ndim " else unsqueeze(input, 0); "                             \
    "y = " CALL("x", padding, transposed, output_padding) "; " UNBATCHED(ndim)
#define UNBATCHED(ndim) "result = y if @ndim(input) == " ndim " else squeeze(y, 0)"
#define FORWARD(ndim, zeros) BATCHED(ndim, "padding", "False", zeros)
#define TRANSPOSED(ndim) BATCHED(ndim, "padding", "True", "output_padding")

/* TOTAL is what "same" pads along one spatial dimension: half of it goes to either side, an odd
 * element to the end, beforehand. */
#define TOTAL(i, d) "dilation[" i "] * (@size(weight, " d ") - 1)"
#define HALF(i, d) TOTAL(i, d) " // 2"
#define ODD(i, d) "0, " TOTAL(i, d) " % 2"
#define NAMED(ndim, zeros, halves, odd)                                                            \
    "x = input if @ndim(input) == " ndim " else unsqueeze(input, 0); "                             \
    "odd = " odd "; "                                                                              \
    "padded = x if padding == \"valid\" or @sum(odd) == 0 else constant_pad_nd(x, odd); "          \
    "sides = " zeros " if padding == \"valid\" else " halves "; "                                  \
    "y = " CALL("padded", "sides", "False", zeros) "; " UNBATCHED(ndim)

const ob_op_row ob__rows_conv[] = {
    {CONV("aten::convolution(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] "
          "padding, int[] dilation, bool transposed, int[] output_padding, int groups) -> Tensor",
          convolution, convolution),
     .derivative = "input, weight, bias = convolution_backward(grad, input, weight, "
                   "None if @is_none(bias) else @sizes(bias), stride, padding, dilation, "
                   "transposed, output_padding, groups, "
                   "[@needs_grad(input), @needs_grad(weight), @needs_grad(bias)])"},
    {CONV("aten::convolution_backward(Tensor grad_output, Tensor input, Tensor weight, SymInt[]? "
          "bias_sizes, int[] stride, int[] padding, int[] dilation, bool transposed, int[] "
          "output_padding, int groups, bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
          convolution_backward, convolution_backward)},
    {CONV("aten::_convolution(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] "
          "padding, int[] dilation, bool transposed, int[] output_padding, int groups, bool "
          "benchmark, bool deterministic, bool cudnn_enabled, bool allow_tf32) -> Tensor",
          convolution, convolution),
     .decomposition = "result = " CALL("input", "padding", "transposed", "output_padding")},
    {CONV("aten::conv1d(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=[1], int[1] "
          "padding=[0], int[1] dilation=[1], int groups=1) -> Tensor",
          conv_nd, convolution),
     .decomposition = FORWARD("3", "[0]")},
    {CONV("aten::conv2d(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, int[2] "
          "padding=0, int[2] dilation=1, int groups=1) -> Tensor",
          conv_nd, convolution),
     .decomposition = FORWARD("4", "[0, 0]")},
    {CONV("aten::conv3d(Tensor input, Tensor weight, Tensor? bias=None, int[3] stride=1, int[3] "
          "padding=0, int[3] dilation=1, int groups=1) -> Tensor",
          conv_nd, convolution),
     .decomposition = FORWARD("5", "[0, 0, 0]")},
    {CONV("aten::conv1d.padding(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=[1], "
          "str padding=\"valid\", int[1] dilation=[1], int groups=1) -> Tensor",
          conv_nd, convolution),
     .decomposition = NAMED("3", "[0]", "[" HALF("0", "2") "]", "[" ODD("0", "2") "]")},
    {CONV("aten::conv2d.padding(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, "
          "str padding=\"valid\", int[2] dilation=1, int groups=1) -> Tensor",
          conv_nd, convolution),
     .decomposition = NAMED("4", "[0, 0]", "[" HALF("0", "2") ", " HALF("1", "3") "]",
                            "[" ODD("1", "3") ", " ODD("0", "2") "]")},
    {CONV("aten::conv3d.padding(Tensor input, Tensor weight, Tensor? bias=None, int[3] stride=1, "
          "str padding=\"valid\", int[3] dilation=1, int groups=1) -> Tensor",
          conv_nd, convolution),
     .decomposition =
         NAMED("5", "[0, 0, 0]", "[" HALF("0", "2") ", " HALF("1", "3") ", " HALF("2", "4") "]",
               "[" ODD("2", "4") ", " ODD("1", "3") ", " ODD("0", "2") "]")},
    {CONV("aten::conv_transpose1d(Tensor input, Tensor weight, Tensor? bias=None, int[1] "
          "stride=[1], int[1] padding=[0], int[1] output_padding=[0], int groups=1, int[1] "
          "dilation=[1]) -> Tensor",
          conv_transpose, conv_transpose),
     .decomposition = TRANSPOSED("3")},
    {CONV("aten::conv_transpose2d.input(Tensor input, Tensor weight, Tensor? bias=None, int[2] "
          "stride=1, int[2] padding=0, int[2] output_padding=0, int groups=1, int[2] dilation=1) "
          "-> Tensor",
          conv_transpose, conv_transpose),
     .decomposition = TRANSPOSED("4")},
    {CONV("aten::conv_transpose3d.input(Tensor input, Tensor weight, Tensor? bias=None, int[3] "
          "stride=1, int[3] padding=0, int[3] output_padding=0, int groups=1, int[3] dilation=1) "
          "-> Tensor",
          conv_transpose, conv_transpose),
     .decomposition = TRANSPOSED("5")},
    OB__ROWS_END,
};
