/* SPDX-License-Identifier: Apache-2.0
 *
 * half and bfloat16 as float32 and back: for a call that the backend has no kernel for in the narrow type.
 */
#ifndef OB_TRACE_REPLAY_CAST_H
#define OB_TRACE_REPLAY_CAST_H

#include "opbench/value.h"

bool ob__replay_is_narrow(ob_dtype dtype); /* half or bfloat16 */

/* A copy in which the tensors of half and bfloat16, in lists too, are float32 at the same strides; others are shared. */
ob_status ob__replay_widen(const ob_value *from, ob_value *out, ob_err *err);
/* Puts what is in the float32 copies back into the tensors that they were made of. */
void ob__replay_put_back(const ob_value *wide, const ob_value *narrow);
/* The float32 tensor becomes one of the narrow type. Other values stay. */
ob_status ob__replay_narrow(ob_value *value, ob_dtype dtype, ob_err *err);

#endif
