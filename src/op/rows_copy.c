/* SPDX-License-Identifier: Apache-2.0
 *
 * Operator rows: copies and conversions.
 */
#include "op/row_macros.h"

#define COPY(text, shape) OB__ROW(text, "copy", shape, copy, EXACT, 0)
/* A conversion rounds once. */
#define CONVERT(text, shape) OB__ROW(text, "copy", shape, copy, ELEMENTWISE, 1)

#define CONVERT_BACK "self = to.dtype(grad, @dtype(self))"

const ob_op_row ob__rows_copy[] = {
    {CONVERT("aten::copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)",
             assign),
     .derivative = "self = zeros_like(grad); src = to.dtype(grad, @dtype(src))"},
    {COPY("aten::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor", clone),
     .derivative = "self = grad"},
    {OB__ROW("aten::contiguous(Tensor(a) self, *, MemoryFormat memory_format=0) -> Tensor(a)",
             "copy", contiguous, maybe_copy, EXACT, 0),
     .derivative = "self = grad"},
    {CONVERT("aten::to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool "
             "copy=False, MemoryFormat? memory_format=None) -> Tensor(a)",
             to),
     .derivative = CONVERT_BACK},
    {CONVERT("aten::to.device(Tensor(a) self, Device device, ScalarType dtype, bool "
             "non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)",
             to),
     .derivative = CONVERT_BACK},
    {CONVERT("aten::to.other(Tensor(a) self, Tensor other, bool non_blocking=False, bool "
             "copy=False, MemoryFormat? memory_format=None) -> Tensor(a)",
             to),
     .derivative = CONVERT_BACK},
    {CONVERT("aten::to.dtype_layout(Tensor(a) self, *, ScalarType? dtype=None, Layout? "
             "layout=None, Device? device=None, bool? pin_memory=None, bool non_blocking=False, "
             "bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)",
             to),
     .derivative = CONVERT_BACK},
    {CONVERT("aten::_to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? "
             "device=None, bool? pin_memory=None, bool non_blocking=False, MemoryFormat? "
             "memory_format=None) -> Tensor",
             to_copy),
     .derivative = "self = _to_copy(grad, dtype=@dtype(self))"},
    {OB__ROW("aten::detach(Tensor(a) self) -> Tensor(a)", "view", alias, free, EXACT, 0),
     .derivative = ""},
    OB__ROWS_END,
};
