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
#define WRITE_ALONG(text, shape, cost) WRITE(text, shape, cost), .constraints = ALONG_DIM
#define ADD_ALONG(text, shape, cost) ADD(text, shape, cost), .constraints = ALONG_DIM
#define ADD_PER_DIMENSION(text, shape, cost) ADD(text, shape, cost), .constraints = PER_DIMENSION

/* As in PyTorch, src must have the shape of index here. */
#define SRC                                                                                        \
    "src = gather(grad, dim, index) if @numel(src) == @numel(index) "                              \
    "else @require(False, \"the derivative of scatter needs src in the shape of index\")"
#define SCATTER "self = scatter(grad, dim, index, 0); " SRC
#define SCATTER_ADD "self = grad; " SRC
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
    OB__PAIR("index_add", "", ", int dim, Tensor index, Tensor source, *, Scalar alpha=1",
             "self = grad; picked = index_select(grad, dim, index); "
             "source = picked if alpha == 1 else mul(picked, alpha)",
             ADD_ALONG, index_add, lookup_add),
    OB__PAIR("index_put", "", ", Tensor?[] indices, Tensor values, bool accumulate=False",
             "self = grad if accumulate else index_put(grad, indices, zeros_like(values), False); "
             "values = index(grad, indices)",
             ADD_PER_DIMENSION, index_put, lookup_add),
    {WRITE(
         "aten::index_fill.int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor",
         index_fill, scatter),
     .constraints = ALONG_DIM, .derivative = "self = index_fill(grad, dim, index, 0)"},
    OB__PAIR("scatter", ".src", ", int dim, Tensor index, Tensor src", SCATTER, WRITE_ALONG,
             scatter, scatter),
    OB__PAIR("scatter", ".value", ", int dim, Tensor index, Scalar value",
             "self = scatter(grad, dim, index, 0)", WRITE_ALONG, scatter, scatter),
    OB__PAIR("scatter_add", "", ", int dim, Tensor index, Tensor src", SCATTER_ADD, ADD_ALONG,
             scatter, scatter_add),
    OB__ROWS_END,
};
