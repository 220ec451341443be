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
    ob_clock clock;
} ob_replay_caller;

/* Makes the call, keeps its results, says how long it took. On failure *why says what kind it was and
 * err the reason. */
ob_status ob__replay_call(ob_replay_caller *caller, const ob_replay_step *step,
                          uint64_t *elapsed_ns, ob_replay_skip *why, ob_err *err);

#endif
