/* SPDX-License-Identifier: Apache-2.0
 *
 * Operator rows: tensors made from nothing, or in the shape of another.
 */
#include "op/row_macros.h"

/* No gradient passes through them. */
#define FILL(text, shape)                                                                          \
    {                                                                                              \
        OB__ROW(text, "create", shape, write, EXACT, 0), .derivative = ""                          \
    }
#define EMPTY(text, shape)                                                                         \
    {                                                                                              \
        OB__ROW(text, "create", shape, free, UNDEFINED, 0), .derivative = ""                       \
    }

const ob_op_row ob__rows_create[] = {
    FILL("aten::zeros(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? "
         "device=None, bool? pin_memory=None) -> Tensor",
         create),
    FILL("aten::ones(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? "
         "device=None, bool? pin_memory=None) -> Tensor",
         create),
    FILL("aten::full(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? "
         "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
         full),
    EMPTY(
        "aten::empty.memory_format(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, "
        "Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
        create),
    EMPTY("aten::empty_strided(SymInt[] size, SymInt[] stride, *, ScalarType? dtype=None, Layout? "
          "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
          create_strided),
    EMPTY("aten::empty_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? "
          "device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
          like),
    FILL("aten::zeros_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? "
         "device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
         like),
    FILL("aten::ones_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? "
         "device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
         like),
    FILL("aten::full_like(Tensor self, Scalar fill_value, *, ScalarType? dtype=None, Layout? "
         "layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? "
         "memory_format=None) -> Tensor",
         like),
    EMPTY("aten::new_empty(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? "
          "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
          new),
    EMPTY("aten::new_empty_strided(Tensor self, SymInt[] size, SymInt[] stride, *, ScalarType? "
          "dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
          create_strided),
    FILL("aten::new_zeros(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? "
         "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
         new),
    FILL("aten::new_ones(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? "
         "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
         new),
    FILL("aten::new_full(Tensor self, SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, "
         "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
         new),
    FILL("aten::arange(Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? "
         "device=None, bool? pin_memory=None) -> Tensor",
         arange),
    FILL("aten::arange.start(Scalar start, Scalar end, *, ScalarType? dtype=None, Layout? "
         "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
         arange),
    FILL("aten::arange.start_step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? "
         "dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
         arange),
    FILL("aten::linspace(Scalar start, Scalar end, int steps, *, ScalarType? dtype=None, Layout? "
         "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
         linspace),
    FILL("aten::scalar_tensor(Scalar s, *, ScalarType? dtype=None, Layout? layout=None, Device? "
         "device=None, bool? pin_memory=None) -> Tensor",
         scalar_tensor),
    OB__ROWS_END,
};
