/* SPDX-License-Identifier: Apache-2.0
 *
 * Recorded arguments: a value, a shape and a type's text, each in its own list, become one value.
 */
#ifndef OB_TRACE_TRACE_VALUES_H
#define OB_TRACE_TRACE_VALUES_H

#include "trace/trace_model.h"

/* Places of the parallel lists on the tape; OB_TAPE_NONE = not recorded. */
typedef struct ob_trace_lists {
    size_t values, shapes, types, strides;
    const ob_json *ranges; /* {"0": [min, max]}: by number of the tensor among the arguments */
} ob_trace_lists;

ob_status ob__trace_read_values(ob_trace *trace, const ob_tape *tape, const ob_trace_lists *lists,
                                const ob_trace_value **out, uint32_t *count, ob_err *err);

#endif
