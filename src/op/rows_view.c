/* SPDX-License-Identifier: Apache-2.0
 *
 * Operator rows: views, which move nothing, and reorderings that copy.
 */
#include "op/row_macros.h"

#define VIEW(text, shape) OB__ROW(text, "view", shape, free, EXACT, 0)
/* A copy where a view is not possible. */
#define MAYBE(text, shape) OB__ROW(text, "view", shape, maybe_copy, EXACT, 0)
#define MOVE(text, shape) OB__ROW(text, "copy", shape, copy, EXACT, 0)

#define OLD_SIZES "self = reshape(grad, @sizes(self))"
#define RESHAPE(sizes)                                                                             \
    "view(self, " sizes ") if @can_view(self, " sizes ") else view(contiguous(self), " sizes ")"

const ob_op_row ob__rows_view[] = {
    {VIEW("aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)", view), .derivative = OLD_SIZES},
    {VIEW("aten::_unsafe_view(Tensor self, SymInt[] size) -> Tensor", view),
     .derivative = OLD_SIZES},
    {VIEW("aten::_reshape_alias(Tensor(a) self, SymInt[] size, SymInt[] stride) -> Tensor(a)",
          as_strided),
     .derivative = OLD_SIZES},
    {MAYBE("aten::reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)", reshape),
     .decomposition = "result = " RESHAPE("shape")},
    {MAYBE("aten::flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)",
           flatten),
     .decomposition =
         "s = @normdim(start_dim, @ndim(self)); e = @normdim(end_dim, @ndim(self)) + 1; "
         "z = @sizes(self); "
         "n = [1] if @ndim(self) == 0 else @concat(@slice(z, 0, s), [@prod(@slice(z, s, e))], "
         "@slice(z, e, @ndim(self))); "
         "result = " RESHAPE("n")},
    {VIEW("aten::unflatten.int(Tensor(a) self, int dim, int[] sizes) -> Tensor(a)", unflatten),
     .decomposition = "d = @normdim(dim, @ndim(self)); z = @sizes(self); "
                      "result = view(self, @concat(@slice(z, 0, d), sizes, "
                      "@slice(z, d + 1, @ndim(self))))"},
    {VIEW("aten::view_as(Tensor(a) self, Tensor other) -> Tensor(a)", view_as),
     .decomposition = "result = view(self, @sizes(other))"},
    {MAYBE("aten::reshape_as(Tensor(a) self, Tensor other) -> Tensor(a)", reshape_as),
     .decomposition = "result = reshape(self, @sizes(other))"},
    {VIEW("aten::transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)", transpose),
     .derivative = "self = transpose(grad, dim0, dim1)"},
    {VIEW("aten::t(Tensor(a) self) -> Tensor(a)", t), .derivative = "self = t(grad)"},
    {VIEW("aten::permute(Tensor(a) self, int[] dims) -> Tensor(a)", permute),
     .derivative = "self = permute(grad, @inverse(dims))"},
    {VIEW("aten::expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)",
          expand),
     .derivative = "self = grad"},
    {VIEW("aten::expand_as(Tensor(a) self, Tensor other) -> Tensor(a)", expand),
     .decomposition = "result = expand(self, @sizes(other))"},
    {VIEW("aten::squeeze(Tensor(a) self) -> Tensor(a)", squeeze),
     .derivative = "self = view(grad, @sizes(self))"},
    {VIEW("aten::squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)", squeeze_dim),
     .derivative = "self = view(grad, @sizes(self))"},
    {VIEW("aten::unsqueeze(Tensor(a) self, int dim) -> Tensor(a)", unsqueeze),
     .derivative = "self = squeeze(grad, dim)"},
    {VIEW("aten::select.int(Tensor(a) self, int dim, int index) -> Tensor(a)", select),
     .derivative = "self = select_backward(grad, @sizes(self), dim, index)"},
    {OB__ROW("aten::select_backward(Tensor grad_output, SymInt[] input_sizes, int dim, int index) "
             "-> Tensor",
             "copy", select, write, EXACT, 0),
     .derivative = "grad_output = select(grad, dim, index)"},
    {VIEW("aten::slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, "
          "SymInt step=1) -> Tensor(a)",
          slice),
     .derivative = "self = slice_backward(grad, @sizes(self), dim, "
                   "0 if @is_none(start) else start, "
                   "9223372036854775807 if @is_none(end) else end, step)"},
    {OB__ROW("aten::slice_backward(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt "
             "start, SymInt end, SymInt step) -> Tensor",
             "copy", slice, write, EXACT, 0),
     .derivative = "grad_output = slice(grad, dim, start, end, step)"},
    {VIEW("aten::narrow(Tensor(a) self, int dim, int start, int length) -> Tensor(a)", narrow),
     .decomposition = "first = start if start >= 0 else start + @size(self, dim); "
                      "result = slice(self, dim, first, first + length, 1)"},
    {VIEW("aten::as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? "
          "storage_offset=None) -> Tensor(a)",
          as_strided)},
    {VIEW("aten::diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)",
          diagonal),
     .derivative = "self = diagonal_backward(grad, @sizes(self), offset, dim1, dim2)"},
    {OB__ROW("aten::diagonal_backward(Tensor grad_output, SymInt[] input_sizes, int offset, int "
             "dim1, int dim2) -> Tensor",
             "copy", diagonal, write, EXACT, 0)},
    {VIEW("aten::alias(Tensor(a) self) -> Tensor(a)", alias), .derivative = "self = grad"},
    /* z: sizes of self with the new leading dimensions; the repeats are summed up. */
    {MOVE("aten::repeat(Tensor self, SymInt[] repeats) -> Tensor", repeat),
     .derivative =
         "n = @len(repeats); r = repeats; "
         "z = @concat(@repeat(1, n - @ndim(self)), @sizes(self)); "
         "self = grad if n == 0 "
         "else sum(reshape(grad, [r[0], z[0]]), [0]) if n == 1 "
         "else sum(reshape(grad, [r[0], z[0], r[1], z[1]]), [0, 2]) if n == 2 "
         "else sum(reshape(grad, [r[0], z[0], r[1], z[1], r[2], z[2]]), [0, 2, 4]) if n == 3 "
         "else sum(reshape(grad, [r[0], z[0], r[1], z[1], r[2], z[2], r[3], z[3]]), "
         "[0, 2, 4, 6]) if n == 4 "
         "else sum(reshape(grad, [r[0], z[0], r[1], z[1], r[2], z[2], r[3], z[3], r[4], z[4]]), "
         "[0, 2, 4, 6, 8]) if n == 5 "
         "else @require(False, \"the derivative of repeat covers 5 dimensions\")"},
    {MOVE("aten::roll(Tensor self, int[1] shifts, int[1] dims=[]) -> Tensor", roll),
     .derivative = "self = roll(grad, [-shifts[0]] if @len(shifts) == 1 "
                   "else [-shifts[0], -shifts[1]] if @len(shifts) == 2 "
                   "else [-shifts[0], -shifts[1], -shifts[2]] if @len(shifts) == 3 "
                   "else @require(False, \"the derivative of roll covers 3 dimensions\"), dims)"},
    {MOVE("aten::flip(Tensor self, int[] dims) -> Tensor", flip),
     .derivative = "self = flip(grad, dims)"},
    {MOVE("aten::tril(Tensor self, int diagonal=0) -> Tensor", triangle),
     .derivative = "self = tril(grad, diagonal)"},
    {MOVE("aten::triu(Tensor self, int diagonal=0) -> Tensor", triangle),
     .derivative = "self = triu(grad, diagonal)"},
    OB__ROWS_END,
};
