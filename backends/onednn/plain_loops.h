/* SPDX-License-Identifier: Apache-2.0
 *
 * What the library has no primitive for, in plain C: filling, copies of repeated elements, the statistics of
 * norms. Views are plain; the first is written.
 */
#ifndef OB_ONEDNN_PLAIN_LOOPS_H
#define OB_ONEDNN_PLAIN_LOOPS_H

#include "onednn_plan.h"

/* views[0] = views[1]: same dtype and sizes. */
void dnn_plain_copy(const dnn_plain_loop *loop);
/* views[0] = numbers[0] */
void dnn_plain_fill(const dnn_plain_loop *loop);
/* views[0] = 1 / sqrt(views[1] + numbers[0]), dense f32 */
void dnn_plain_inverse_deviation(const dnn_plain_loop *loop);
/* views[0] = 1 / views[1]^2 - numbers[0], dense f32 */
void dnn_plain_variance(const dnn_plain_loop *loop);
/* views[0] = (1 - numbers[0]) * views[0] + numbers[0] * numbers[1] * views[1], dense f32 */
void dnn_plain_running(const dnn_plain_loop *loop);

/* views[0] = 1 with probability numbers[0], else 0; dense bytes; another one each time */
void dnn_plain_mask(const dnn_plain_loop *loop);
/* views[0] += numbers[0]: dense i64, for counters */
void dnn_plain_count(const dnn_plain_loop *loop);

/* views[0] = numbers[0] * views[1] + numbers[1] * views[2], modulo 256: bytes; int32 or float32 without
 * fractions; bytes, which may be missing. Numbers are whole and within 32 bits. */
void dnn_plain_wrap(const dnn_plain_loop *loop);
/* views[0] = the sum over the first dimension of views[1], dense int32; modulo what an element holds. */
void dnn_plain_total(const dnn_plain_loop *loop);

/* Steps through the sizes of the first view; false after the last position. offsets are in elements. */
bool dnn_plain_advance(const dnn_view *const *views, int count, int ndim, int64_t *index,
                       int64_t *offsets);

/* Whether fill knows the dtype. */
bool dnn_plain_can_fill(ob_dtype dtype);

#endif
