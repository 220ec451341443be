/* SPDX-License-Identifier: Apache-2.0
 *
 * Arithmetic on int8 and uint8. PyTorch's wraps around, the library's stops at the limits. So, unless the option
 * integers=library asks for the latter, results are computed wide and cut to their last eight bits by a plain loop.
 *
 * Modulo 256 it makes no difference whether a byte is signed. That is why factors are given as the library likes
 * them best, the first unsigned and the second signed: such sums of products stay whole numbers of 32 bits.
 */
#ifndef OB_ONEDNN_EMIT_BYTES_H
#define OB_ONEDNN_EMIT_BYTES_H

#include "emit.h"

/* int8 or uint8 */
bool dnn_is_byte(ob_dtype dtype);
/* or bool, which the library takes for uint8 */
bool dnn_is_small(ob_dtype dtype);
/* The signed byte with the last eight bits of a whole number; false when it is none. */
bool dnn_wrap_number(double number, double *out);

/* out = scale * wide + add_scale * add; wide is int32, or float32 without fractions; add may be none, and is
 * repeated to the shape of out where it has size or stride 1 and 0. */
ob_status dnn_emit_wrap(dnn_plan *plan, const dnn_view *out, const dnn_view *wide, double scale,
                        const dnn_view *add, double add_scale, ob_err *err);

/* Refuses sums of products where the library would add them up in 16 bits, or integers=library lacks them. */
ob_status dnn_check_products(const dnn_call *call, ob_err *err);
/* How many products of bytes a primitive like this one can add up exactly, `wanted` or less: some
 * implementations of the library turn their sums into float32. */
ob_status dnn_exact_products(dnn_plan *plan, const dnn_request *request, int64_t wanted,
                             int64_t *out, ob_err *err);

/* Dimension 1 lies innermost: what the library wants for images of bytes. */
dnn_view dnn_view_channels_last(const dnn_view *view);
/* The same with its dimensions in the order of memory. */
dnn_view dnn_view_channels_behind(const dnn_view *view);

/* out = the sum of bytes; out has size 1 where it is reduced, and is an integer. */
ob_status dnn_emit_byte_sum(dnn_plan *plan, const dnn_view *in, const dnn_view *out, ob_err *err);

#endif
