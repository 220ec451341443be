/* SPDX-License-Identifier: Apache-2.0
 *
 * Where and how a case was run, as the column of its measurement in comparisons: results of two backends,
 * of a hot and a cold cache, of two modes or of the two passes are different tasks.
 */
#ifndef OB_RESULT_RUN_CONDITIONS_H
#define OB_RESULT_RUN_CONDITIONS_H

#include "opbench/record.h"
#include "opbench/text.h"

#include <stdbool.h>

/* Each may be NULL. */
typedef struct ob_run_conditions {
    const char *backend, *device, *mode, *cache_state;
    bool is_backward;
} ob_run_conditions;

/* Appends "native", "torch, cuda:0, cold cache, continuous, backward": what is not usual is named. Nothing
 * if nothing is known. False when memory is out. */
bool ob__run_conditions_append(ob_text *text, const ob_run_conditions *place);

enum { OB_CALL_ROOM = 256 };
/* "softmax(f32[8,50257], -1)" of "torch.softmax(f32[8,50257], -1)"; points into the text. */
const char *ob__short_call(const char *stmt);
/* What was measured, for people: the call; of records that do not have it OPERATOR|ID, in room. */
const char *ob__record_call(const ob_record_result *result, char room[OB_CALL_ROOM]);

#endif
