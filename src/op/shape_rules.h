/* SPDX-License-Identifier: Apache-2.0
 *
 * The shape and dtype rules that the operator rows share. Each reads its arguments by name, so that
 * one rule serves all operators with the same names.
 */
#ifndef OB_OP_SHAPE_RULES_H
#define OB_OP_SHAPE_RULES_H

#include "opbench/op.h"

#define OB__SHAPE_RULE_MAP(X)                                                                      \
    /* shape_elementwise.c: all tensors broadcast, the dtype is promoted */                        \
    X(promote)          /* the common dtype */                                                     \
    X(promote_reversed) /* the memory order follows the second operand first */                    \
    X(quotient)         /* promote; integers are not divided by the number 0 */                    \
    X(square)                                                                                      \
    X(promote_float) /* integers become f32 */                                                     \
    X(want_float)    /* the common dtype must be floating */                                       \
    X(compare)       /* bool */                                                                    \
    X(bitwise)       /* the common dtype must be bool or an integer */                             \
    X(abs)           /* complex becomes real */                                                    \
    X(div_mode)      /* promote_float without rounding_mode, promote with it */                    \
    X(assign)        /* self; other tensors expand to it, any dtype */                             \
    X(where)                                                                                       \
    X(masked_fill)                                                                                 \
    X(prelu)                                                                                       \
    X(prelu_backward)                                                                              \
    X(glu)                                                                                         \
    X(two_alike) /* two outputs like the elementwise one (log_sigmoid_forward) */                  \
    X(lerp)                                                                                        \
    /* shape_matrix.c */                                                                           \
    X(mm)                                                                                          \
    X(bmm)                                                                                         \
    X(mv)                                                                                          \
    X(dot)                                                                                         \
    X(outer)                                                                                       \
    X(addmm)                                                                                       \
    X(addbmm)                                                                                      \
    X(baddbmm)                                                                                     \
    X(addmv)                                                                                       \
    X(addr)                                                                                        \
    X(matmul)                                                                                      \
    X(linear)                                                                                      \
    X(attention)                                                                                   \
    /* shape_reduce.c */                                                                           \
    X(sum)          /* integers become i64; dtype argument */                                      \
    X(mean)         /* floating only; dtype argument */                                            \
    X(reduce_float) /* floating only: var, std */                                                  \
    X(reduce_two)   /* var_mean */                                                                 \
    X(norm)         /* floating or complex to real; dtype argument */                              \
    X(logsumexp)                                                                                   \
    X(cosine_similarity)                                                                           \
    X(extremum)     /* max(self), amax: same dtype */                                              \
    X(extremum_dim) /* max.dim: values and i64 indices */                                          \
    X(arg_extremum)                                                                                \
    X(any_all)                                                                                     \
    X(cumulate)                                                                                    \
    X(topk)                                                                                        \
    X(sort)                                                                                        \
    X(argsort)                                                                                     \
    X(bucketize)                                                                                   \
    X(searchsorted)                                                                                \
    /* shape_norm.c */                                                                             \
    X(softmax)                                                                                     \
    X(softmax_int)                                                                                 \
    X(softmax_backward)                                                                            \
    X(layer_norm)                                                                                  \
    X(native_layer_norm)                                                                           \
    X(native_layer_norm_backward)                                                                  \
    X(batch_norm)                                                                                  \
    X(native_batch_norm)                                                                           \
    X(native_batch_norm_backward)                                                                  \
    X(group_norm)                                                                                  \
    X(native_group_norm)                                                                           \
    X(native_group_norm_backward)                                                                  \
    X(instance_norm)                                                                               \
    /* shape_conv.c */                                                                             \
    X(convolution)                                                                                 \
    X(conv_nd) /* conv1d to conv3d, also without a batch */                                        \
    X(conv_transpose)                                                                              \
    X(convolution_backward)                                                                        \
    /* shape_pool.c */                                                                             \
    X(max_pool)                                                                                    \
    X(max_pool_indices)                                                                            \
    X(avg_pool)                                                                                    \
    X(adaptive_pool)                                                                               \
    X(adaptive_pool_indices)                                                                       \
    X(pool_backward)                                                                               \
    X(upsample_nearest2d)                                                                          \
    X(upsample_nearest2d_backward)                                                                 \
    X(pad)                                                                                         \
    X(pixel_shuffle)                                                                               \
    /* shape_embedding.c */                                                                        \
    X(embedding)                                                                                   \
    X(embedding_backward)                                                                          \
    X(embedding_bag)                                                                               \
    X(embedding_bag_backward)                                                                      \
    X(embedding_bag_weights_backward)                                                              \
    X(one_hot)                                                                                     \
    /* shape_join.c */                                                                             \
    X(cat)                                                                                         \
    X(stack)                                                                                       \
    X(split)                                                                                       \
    X(split_sizes)                                                                                 \
    X(chunk)                                                                                       \
    X(unbind)                                                                                      \
    /* shape_create.c */                                                                           \
    X(clone)                                                                                       \
    X(contiguous)                                                                                  \
    X(to)                                                                                          \
    X(to_copy)                                                                                     \
    X(like)         /* empty_like and its kin */                                                   \
    X(create)       /* zeros, rand: size, dtype */                                                 \
    X(create_index) /* randint: i64 */                                                             \
    X(full)                                                                                        \
    X(create_strided)                                                                              \
    X(new) /* new_zeros */                                                                         \
    X(arange)                                                                                      \
    X(linspace)                                                                                    \
    X(randperm)                                                                                    \
    X(scalar_tensor)                                                                               \
    /* shape_view.c */                                                                             \
    X(alias)                                                                                       \
    X(view)                                                                                        \
    X(view_as)                                                                                     \
    X(reshape_as)                                                                                  \
    X(reshape)                                                                                     \
    X(flatten)                                                                                     \
    X(unflatten)                                                                                   \
    X(transpose)                                                                                   \
    X(t)                                                                                           \
    X(permute)                                                                                     \
    X(expand)                                                                                      \
    X(squeeze)                                                                                     \
    X(squeeze_dim)                                                                                 \
    X(unsqueeze)                                                                                   \
    X(select)                                                                                      \
    X(slice)                                                                                       \
    X(narrow)                                                                                      \
    X(as_strided)                                                                                  \
    X(diagonal)                                                                                    \
    X(repeat)                                                                                      \
    X(roll)                                                                                        \
    X(flip)                                                                                        \
    X(triangle)                                                                                    \
    /* shape_index.c */                                                                            \
    X(gather)                                                                                      \
    X(scatter)                                                                                     \
    X(index_select)                                                                                \
    X(index_tensor)                                                                                \
    X(index_add)                                                                                   \
    X(index_put)                                                                                   \
    X(index_fill)                                                                                  \
    /* shape_loss.c */                                                                             \
    X(nll_loss)                                                                                    \
    X(nll_loss_forward)                                                                            \
    X(nll_loss_nd)                                                                                 \
    X(cross_entropy)                                                                               \
    X(loss)          /* mse_loss and its kin: reduction over the broadcast shape */                \
    X(loss_alike)    /* binary_cross_entropy: target must have the shape of self */                \
    X(loss_backward) /* a gradient like self */                                                    \
    /* shape_random.c */                                                                           \
    X(native_dropout)                                                                              \
    X(same) /* like the first tensor, floating */                                                  \
    /* shape_foreach.c */                                                                          \
    X(foreach)                                                                                     \
    X(foreach_float)                                                                               \
    X(foreach_norm)                                                                                \
    /* shape_split_table.c */                                                                      \
    X(split_table)                                                                                 \
    X(split_table_update)

#define OB__SHAPE_RULE_DECLARE(name)                                                               \
    ob_status ob__shape_##name(const ob_op_call *call, ob_value *out, ob_err *err);
OB__SHAPE_RULE_MAP(OB__SHAPE_RULE_DECLARE)
#undef OB__SHAPE_RULE_DECLARE

#endif
