/* SPDX-License-Identifier: Apache-2.0
 *
 * Operator rows: reading and writing by index.
 */
#include "op/row_macros.h"

#define READ(text, shape) OB__ROW(text, "index", shape, lookup, EXACT, 0)
#define WRITE(text, shape, cost) OB__ROW(text, "index", shape, cost, EXACT, 0)
#define ADD(text, shape, cost) OB__ROW(text, "index", shape, cost, REDUCTION, 2)
#define ALONG_DIM OB__CONSTRAINTS(OB__INDEX_DIM("index", "self"))
#define PER_DIMENSION OB__CONSTRAINTS(OB__INDEX("indices", "self", 0))

#define INDEX_ADD                                                                                  \
    "self = grad; picked = index_select(grad, dim, index); "                                       \
    "source = picked if alpha == 1 else mul(picked, alpha)"
/* As in PyTorch, src must have the shape of index here. */
#define SRC                                                                                        \
    "src = gather(grad, dim, index) if @numel(src) == @numel(index) "                              \
    "else @require(False, \"the derivative of scatter needs src in the shape of index\")"
#define SCATTER "self = scatter(grad, dim, index, 0); " SRC
#define SCATTER_VALUE "self = scatter(grad, dim, index, 0)"
#define SCATTER_ADD "self = grad; " SRC
#define INDEX_PUT                                                                                  \
    "self = grad if accumulate else index_put(grad, indices, zeros_like(values), False); "         \
    "values = index(grad, indices)"

const ob_op_row ob__rows_index[] = {
    {READ("aten::gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor",
          gather),
     .constraints = ALONG_DIM,
     .derivative = "self = scatter_add(zeros_like(self), dim, index, grad)"},
    {READ("aten::index_select(Tensor self, int dim, Tensor index) -> Tensor", index_select),
     .constraints = ALONG_DIM,
     .derivative = "self = index_add(zeros_like(self), dim, index, grad)"},
    {READ("aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor", index_tensor),
     .constraints = PER_DIMENSION,
     .derivative = "self = index_put(zeros_like(self), indices, grad, True)"},
    {ADD("aten::index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> "
         "Tensor",
         index_add, lookup_add),
     .constraints = ALONG_DIM, .derivative = INDEX_ADD},
    {ADD("aten::index_add_(Tensor(a!) self, int dim, Tensor index, Tensor source, *, Scalar "
         "alpha=1) -> Tensor(a!)",
         index_add, lookup_add),
     .constraints = ALONG_DIM, .derivative = INDEX_ADD},
    {ADD("aten::index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> "
         "Tensor",
         index_put, lookup_add),
     .constraints = PER_DIMENSION, .derivative = INDEX_PUT},
    {ADD("aten::index_put_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool "
         "accumulate=False) -> Tensor(a!)",
         index_put, lookup_add),
     .constraints = PER_DIMENSION, .derivative = INDEX_PUT},
    {WRITE(
         "aten::index_fill.int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor",
         index_fill, scatter),
     .constraints = ALONG_DIM, .derivative = "self = index_fill(grad, dim, index, 0)"},
    {WRITE("aten::scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor", scatter,
           scatter),
     .constraints = ALONG_DIM, .derivative = SCATTER},
    {WRITE("aten::scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor",
           scatter, scatter),
     .constraints = ALONG_DIM, .derivative = SCATTER_VALUE},
    {WRITE("aten::scatter_.src(Tensor(a!) self, int dim, Tensor index, Tensor src) -> Tensor(a!)",
           scatter, scatter),
     .constraints = ALONG_DIM, .derivative = SCATTER},
    {WRITE(
         "aten::scatter_.value(Tensor(a!) self, int dim, Tensor index, Scalar value) -> Tensor(a!)",
         scatter, scatter),
     .constraints = ALONG_DIM, .derivative = SCATTER_VALUE},
    {ADD("aten::scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor", scatter,
         scatter_add),
     .constraints = ALONG_DIM, .derivative = SCATTER_ADD},
    {ADD("aten::scatter_add_(Tensor(a!) self, int dim, Tensor index, Tensor src) -> Tensor(a!)",
         scatter, scatter_add),
     .constraints = ALONG_DIM, .derivative = SCATTER_ADD},
    OB__ROWS_END,
};
