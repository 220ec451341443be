/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of calls of a replay.
 */
#ifndef OB_TRACE_REPLAY_STEPS_H
#define OB_TRACE_REPLAY_STEPS_H

#include "trace/replay_schedule.h"

/* Fills names, name_of, steps and tops of the plan. */
ob_status ob__replay_steps_make(const ob_trace *trace, const ob_replay_choice *choice,
                                ob_replay_schedule *plan, ob_err *err);

/* Whether the calls below a node do its work: among them is one that computes, not only ones that give memory,
 * views and copies, as the kernels themselves make. */
bool ob__replay_can_replace(const ob_trace *trace, const ob_trace_node *node);

#endif
