/* SPDX-License-Identifier: Apache-2.0
 *
 * Plain values that a profiler recorded as text.
 */
#ifndef OB_TRACE_CONCRETE_H
#define OB_TRACE_CONCRETE_H

#include "trace/trace_model.h"

/* A number, a bool, none, a list of these, or else a string. False when memory is out. */
bool ob__trace_concrete(ob_trace *trace, const char *text, ob_trace_value *out);

#endif
