/* SPDX-License-Identifier: Apache-2.0
 *
 * Cost rules: the arithmetic and the memory traffic that an operator cannot avoid.
 *
 * An addition, multiplication, comparison or division is one flop, a multiply-add two, and so is
 * each exp, log, sqrt, tanh ... one: the figure is for rates, not for predicting times. Bytes are
 * each input element read once (an expanded dimension is read once) and each output written once;
 * look-ups count the rows they touch, not the table.
 */
#ifndef OB_OP_COST_H
#define OB_OP_COST_H

#include "opbench/op.h"

#define OB__COST_RULE_MAP(X)                                                                       \
    X(free)          /* views: nothing is moved */                                                 \
    X(copy)          /* no arithmetic; all inputs read, outputs written */                         \
    X(maybe_copy)    /* the same, unless self lies dense already: then nothing */                  \
    X(write)         /* outputs written, nothing read */                                           \
    X(draw)          /* the same with one flop per element */                                      \
    X(elementwise_1) /* flops per element of the result */                                         \
    X(elementwise_2)                                                                               \
    X(elementwise_3)                                                                               \
    X(elementwise_4)                                                                               \
    X(elementwise_5)                                                                               \
    X(elementwise_8)                                                                               \
    X(elementwise_12)                                                                              \
    X(reduce_1) /* flops per element of the first tensor */                                        \
    X(reduce_2)                                                                                    \
    X(reduce_3)                                                                                    \
    X(reduce_4)                                                                                    \
    X(reduce_5)                                                                                    \
    X(reduce_8)                                                                                    \
    X(reduce_16)                                                                                   \
    X(matrix)     /* 2 m n k */                                                                    \
    X(matrix_add) /* the same and one addition per result */                                       \
    X(matrix_sum) /* addbmm: 2 b m n k */                                                          \
    X(linear)                                                                                      \
    X(attention)                                                                                   \
    X(convolution)                                                                                 \
    X(conv_transpose)                                                                              \
    X(convolution_backward)                                                                        \
    X(pool)       /* kernel elements per result */                                                 \
    X(sort)       /* n log2(n) along the dimension */                                              \
    X(lookup)     /* rows read = rows written */                                                   \
    X(lookup_add) /* one addition per element that is moved in */                                  \
    X(embedding_backward)                                                                          \
    X(embedding_bag)                                                                               \
    X(embedding_bag_backward)                                                                      \
    X(scatter)                                                                                     \
    X(scatter_add)                                                                                 \
    X(split_table) /* shape_split_table.c */                                                       \
    X(split_table_update)

#define OB__COST_RULE_DECLARE(name)                                                                \
    ob_status ob__cost_##name(const ob_op_call *call, const ob_value *outputs, ob_cost *out);
OB__COST_RULE_MAP(OB__COST_RULE_DECLARE)
#undef OB__COST_RULE_DECLARE

/* Bytes that reading each element of the value once takes (tensors, also in lists; others 0). */
double ob__cost_bytes(const ob_value *value);

#endif
