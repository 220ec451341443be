/* SPDX-License-Identifier: Apache-2.0
 *
 * Operator rows: embedding look-ups. Gradients are dense.
 */
#include "op/row_macros.h"

#define LOOKUP(text, shape, cost) OB__ROW(text, "embedding", shape, cost, EXACT, 0)
#define BAG(text, shape, cost) OB__ROW(text, "embedding", shape, cost, REDUCTION, 2)
#define BAG_CONSTRAINTS                                                                            \
    OB__CONSTRAINTS(OB__INDEX("indices", "weight", 0), OB__OFFSETS("offsets", "indices"))

/* Gradients know the number of rows only. */
#define WITHIN_ROWS OB__CONSTRAINTS(OB__INDEX("indices", "num_weights", 0))

#define BAG_CALL(padding)                                                                          \
    "result_0, result_1, result_2, result_3 = _embedding_bag(weight, indices, offsets, "           \
    "scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset, " padding ")"
/* A sum may come without its map from positions to bags; the offsets give it: how many start at or
 * before each position. */
#define BAG_MAP(map)                                                                               \
    map " if @numel(" map ") > 0 or @numel(indices) == 0 else "                                    \
        "_to_copy(sub(bucketize(arange(@numel(indices), dtype=@dtype(offsets)), offsets, "         \
        "right=True), 1), dtype=@dtype(offsets))"
#define BAG_GRADIENT                                                                               \
    "weight = _embedding_bag_dense_backward(grad, indices, " BAG_MAP(                              \
        "result_1") ", result_2, result_3, @size(weight, 0), scale_grad_by_freq, mode, "           \
                    "per_sample_weights, "                                                         \
                    "padding_idx); "                                                               \
                    "per_sample_weights = None if @is_none(per_sample_weights) else "              \
                    "_embedding_bag_per_sample_weights_backward(grad, weight, indices, "           \
                    "offsets, " BAG_MAP("result_1") ", mode, padding_idx)"

const ob_op_row ob__rows_embedding[] = {
    {LOOKUP("aten::embedding(Tensor weight, Tensor indices, int padding_idx=-1, bool "
            "scale_grad_by_freq=False, bool sparse=False) -> Tensor",
            embedding, lookup),
     .constraints = OB__CONSTRAINTS(OB__INDEX("indices", "weight", 0)),
     .derivative = "weight = embedding_dense_backward(grad, indices, @size(weight, 0), "
                   "padding_idx, scale_grad_by_freq)"},
    {BAG("aten::embedding_backward(Tensor grad, Tensor indices, SymInt num_weights, int "
         "padding_idx, bool scale_grad_by_freq, bool sparse) -> Tensor",
         embedding_backward, embedding_backward),
     .constraints = WITHIN_ROWS,
     .decomposition = "result = embedding_dense_backward(grad, indices, num_weights, "
                      "padding_idx, scale_grad_by_freq)"},
    {BAG("aten::embedding_dense_backward(Tensor grad_output, Tensor indices, SymInt num_weights, "
         "int padding_idx, bool scale_grad_by_freq) -> Tensor",
         embedding_backward, embedding_backward),
     .constraints = WITHIN_ROWS},
    {BAG("aten::embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool "
         "scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? "
         "per_sample_weights=None, bool include_last_offset=False) -> (Tensor, Tensor, Tensor, "
         "Tensor)",
         embedding_bag, embedding_bag),
     .constraints = BAG_CONSTRAINTS, .decomposition = BAG_CALL("-1")},
    {BAG("aten::embedding_bag.padding_idx(Tensor weight, Tensor indices, Tensor offsets, bool "
         "scale_grad_by_freq, int mode, bool sparse, Tensor? per_sample_weights, bool "
         "include_last_offset, int? padding_idx) -> (Tensor, Tensor, Tensor, Tensor)",
         embedding_bag, embedding_bag),
     .constraints = BAG_CONSTRAINTS,
     .decomposition = BAG_CALL("-1 if @is_none(padding_idx) else padding_idx")},
    {BAG("aten::_embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool "
         "scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? "
         "per_sample_weights=None, bool include_last_offset=False, int padding_idx=-1) -> (Tensor, "
         "Tensor, Tensor, Tensor)",
         embedding_bag, embedding_bag),
     .constraints = BAG_CONSTRAINTS, .derivative = BAG_GRADIENT},
    {BAG("aten::_embedding_bag_forward_only(Tensor weight, Tensor indices, Tensor offsets, bool "
         "scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? "
         "per_sample_weights=None, bool include_last_offset=False, int padding_idx=-1) -> (Tensor, "
         "Tensor, Tensor, Tensor)",
         embedding_bag, embedding_bag),
     .constraints = BAG_CONSTRAINTS},
    {BAG("aten::_embedding_bag_backward(Tensor grad, Tensor indices, Tensor offsets, Tensor "
         "offset2bag, Tensor bag_size, Tensor maximum_indices, int num_weights, bool "
         "scale_grad_by_freq, int mode, bool sparse, Tensor? per_sample_weights, int "
         "padding_idx=-1) -> Tensor",
         embedding_bag_backward, embedding_bag_backward),
     .constraints =
         OB__CONSTRAINTS(OB__INDEX("indices", "num_weights", 0), OB__OFFSETS("offsets", "indices")),
     .decomposition = "result = _embedding_bag_dense_backward(grad, indices, " BAG_MAP(
         "offset2bag") ", bag_size, maximum_indices, num_weights, scale_grad_by_freq, mode, "
                       "per_sample_weights, padding_idx)"},
    {BAG("aten::_embedding_bag_dense_backward(Tensor grad, Tensor indices, Tensor offset2bag, "
         "Tensor bag_size, Tensor maximum_indices, int num_weights, bool scale_grad_by_freq, int "
         "mode, Tensor? per_sample_weights, int padding_idx=-1) -> Tensor",
         embedding_bag_backward, embedding_bag_backward),
     .constraints = OB__CONSTRAINTS(OB__INDEX("indices", "num_weights", 0),
                                    OB__INDEX("offset2bag", "grad", 0))},
    {BAG("aten::_embedding_bag_per_sample_weights_backward(Tensor grad, Tensor weight, Tensor "
         "indices, Tensor offsets, Tensor offset2bag, int mode, int padding_idx=-1) -> Tensor",
         embedding_bag_weights_backward, embedding_bag_backward),
     .constraints = OB__CONSTRAINTS(OB__INDEX("indices", "weight", 0))},
    {LOOKUP("aten::one_hot(Tensor self, int num_classes=-1) -> Tensor", one_hot, write),
     .constraints = OB__CONSTRAINTS(OB__INDEX("self", "num_classes", 0))},
    OB__ROWS_END,
};
