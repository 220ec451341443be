/* SPDX-License-Identifier: Apache-2.0
 *
 * Operator rows: many embedding tables looked up in one call, with the optimiser in the backward.
 *
 * weights holds all tables one after the other ([rows, dim] each), momentum one number per row of
 * every table. Bag b of table t is indices[offsets[t * batch + b] .. offsets[t * batch + b + 1]),
 * and its result stands in columns of its own: the output is [batch, sum of dims]. The backward
 * gives no gradient of the tables: it updates them and momentum in place (row-wise Adagrad, each
 * row once with the sum of its gradients). anchor has no elements; it is what requires a gradient.
 */
#include "op/row_macros.h"

#define SPLIT(text, shape, cost) OB__ROW(text, "embedding", shape, cost, REDUCTION, 2)
#define TABLE_ARGS                                                                                 \
    "Tensor indices, Tensor offsets, Tensor? per_sample_weights, int[] rows, int[] dims, int "     \
    "pooling"

const ob_op_row ob__rows_split_table[] = {
    {SPLIT("opbench::split_table_embedding_bags(Tensor anchor, Tensor weights, Tensor "
           "momentum, " TABLE_ARGS ", float lr=0.01, float eps=1e-08) -> Tensor",
           split_table, split_table),
     .derivative = "anchor = opbench::split_table_embedding_bags_update(grad, weights, momentum, "
                   "indices, offsets, per_sample_weights, rows, dims, pooling, lr, eps)"},
    {SPLIT("opbench::split_table_embedding_bags_update(Tensor grad, Tensor(a!) weights, Tensor(b!) "
           "momentum, " TABLE_ARGS ", float lr=0.01, float eps=1e-08) -> Tensor",
           split_table_update, split_table_update)},
    OB__ROWS_END,
};
