/* SPDX-License-Identifier: Apache-2.0
 *
 * Making one recorded call on a backend.
 */
#ifndef OB_TRACE_REPLAY_CALL_H
#define OB_TRACE_REPLAY_CALL_H

#include "run/session_int.h"
#include "trace/replay_values.h"

typedef struct ob_replay_caller {
    ob_session *session;
    ob_replay_values *values;
    bool widens;         /* a call that fails in half or bfloat16 is made in float32 */
    uint64_t peak_bytes; /* of the backend's allocator, in the last call */
    /* With --check: who says what results must be (NULL = nobody is there), and what came of the last call. */
    bool checks;
    const ob_reference_desc *reference;
    double check_seconds;
    ob_check_result checked;
} ob_replay_caller;

/* Makes the call, keeps its results, says how long it took. On failure *why says what kind it was and
 * err the reason. Where only float32 works, the step says so from then on, and err why the narrow type did not. */
ob_status ob__replay_call(ob_replay_caller *caller, ob_replay_step *step, double *elapsed_ns,
                          ob_replay_fate *why, ob_err *err);
/* Whether tensors of that dtype go in or come out. */
bool ob__replay_uses_dtype(const ob_trace_node *node, ob_dtype dtype);

#endif
