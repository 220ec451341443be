/* SPDX-License-Identifier: Apache-2.0
 *
 * The tensors that are alive during a replay.
 */
#ifndef OB_TRACE_REPLAY_VALUES_H
#define OB_TRACE_REPLAY_VALUES_H

#include "trace/replay_schedule.h"

typedef struct ob_replay_values {
    ob_replay_schedule *plan;
    ob_value *tensors;     /* per key; NONE = not there */
    ob_storage **storages; /* per storage; NULL = not there */
    ob_dtype *held; /* per storage: of what is in it; the bits of one are no values of another */
    ob_rng rng;
    bool half_to_bfloat16;
    uint64_t max_bytes;       /* of one storage; what is larger is refused */
    uint64_t untouched_bytes; /* of large storages, since the pass began: memory was short */
} ob_replay_values;

ob_status ob__replay_values_init(ob_replay_values *values, ob_replay_schedule *plan, uint64_t seed,
                                 ob_err *err);
void ob__replay_values_fini(ob_replay_values *values);
/* Everything goes: before an iteration. The same seed gives the same values again. */
void ob__replay_values_clear(ob_replay_values *values, uint64_t seed);

/* The value of a recorded argument. need: bytes that its storage must have. *fresh (may be NULL) says
 * whether it was made just now, so that an operator's constraints may still be put on it. */
ob_status ob__replay_values_tensor(ob_replay_values *values, const ob_trace_tensor *tensor,
                                   uint64_t need, ob_value *out, bool *fresh, ob_err *err);
/* What the tensor's dtype is here. */
ob_dtype ob__replay_values_dtype(const ob_replay_values *values, const ob_trace_tensor *tensor);
/* Values as those of a tensor that no call made. */
void ob__replay_values_fill(ob_replay_values *values, const ob_tensor *tensor);
/* A result takes the place of what stood under its ids. Takes over value. */
void ob__replay_values_put(ob_replay_values *values, const ob_trace_tensor *recorded,
                           ob_value *value);
/* After a call: what nobody needs any more. */
void ob__replay_values_free(ob_replay_values *values, const ob_replay_step *step);

#endif
