/* SPDX-License-Identifier: Apache-2.0
 *
 * What is known about a replay before the first call: which calls, and after which one each tensor and
 * each storage is no longer needed.
 */
#ifndef OB_TRACE_REPLAY_SCHEDULE_H
#define OB_TRACE_REPLAY_SCHEDULE_H

#include "opbench/replay.h"
#include "trace/alias.h"
#include "trace/intern.h"

/* A tensor by its ids. Others may come under the same ids later; then the shape tells. */
typedef struct ob_replay_key {
    int64_t id, storage;
} ob_replay_key;

typedef struct ob_replay_step {
    const ob_trace_node *node;
    uint32_t op;         /* number of the operator's name */
    uint32_t top;        /* into tops: the chosen call that it is, or is part of */
    ob_replay_fate fate; /* OB_REPLAY_RAN = to be called */
    bool in_float32;     /* it fails in half or bfloat16 */
    const char *why;     /* the user's reason to skip it; NULL = none */
    uint32_t first_free; /* into frees: tensors that die with this call */
    uint32_t free_count;
    uint32_t first_storage; /* into storage_frees */
    uint32_t storage_count;
    uint32_t first_need; /* into needs: one per tensor among the inputs, in order */
} ob_replay_step;

typedef struct ob_replay_schedule {
    ob_arena arena;
    ob_intern names;    /* of operators */
    ob_intern keys;     /* ob_replay_key */
    ob_intern storages; /* int64_t */
    const char **name_of;
    ob_replay_step *steps;
    size_t step_count;
    uint32_t *tops; /* per chosen call: number of its operator's name */
    size_t top_count;
    uint32_t *frees, *storage_frees;
    uint64_t *
        needs; /* bytes that the tensor's storage must have, from this call until it is made anew */
    size_t free_count, storage_free_count, need_count;
} ob_replay_schedule;

/* Which calls. */
typedef struct ob_replay_choice {
    const ob_replay_options *options;
    const int64_t *lost; /* ids of nodes that took a process down */
    size_t lost_count;
    const char *const *
        replaced; /* per node of the trace, not NULL = the calls that it made stand in its place; NULL =
                                  * none is replaced */
} ob_replay_choice;

/* out is the caller's to free, also after a failure. */
ob_status ob__replay_schedule_make(const ob_trace *trace, const ob_replay_choice *choice,
                                   ob_replay_schedule *out, ob_err *err);
void ob__replay_schedule_fini(ob_replay_schedule *plan);

/* Numbers of a tensor's key and of its storage; both are in the plan for tensors of its calls. */
uint32_t ob__replay_key_number(ob_replay_schedule *plan, const ob_trace_tensor *tensor);
uint32_t ob__replay_storage_number(ob_replay_schedule *plan, int64_t storage);

/* Calls fn for every tensor in the values, also inside lists. */
typedef void (*ob_replay_tensor_fn)(void *ctx, const ob_trace_tensor *tensor);
void ob__replay_each_tensor(const ob_trace_value *values, size_t count, ob_replay_tensor_fn fn,
                            void *ctx);

#endif
