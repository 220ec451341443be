/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of a trace, and what its readers share.
 */
#ifndef OB_TRACE_TRACE_MODEL_H
#define OB_TRACE_TRACE_MODEL_H

#include "opbench/trace.h"
#include "trace/intern.h"
#include "trace/tape.h"

struct ob_trace {
    ob_arena arena; /* everything that nodes point to */
    ob_intern blobs;
    char *name;
    const char *schema;
    ob_trace_node *nodes; /* in order of id once the file is read */
    size_t node_count, node_capacity;
    const ob_trace_tensor **tensors; /* distinct descriptions in order of appearance */
    size_t tensor_count, tensor_capacity;
    ob_intern tensor_index; /* says which descriptions were seen */
    uint32_t *iterations;   /* indices of nodes */
    size_t iteration_count;
    uint64_t text_bytes;
    size_t max_memory;
};

/* ---- building ---- */

/* A text that stands once; NULL when memory is out. */
const char *ob__trace_text(ob_trace *trace, const char *text, size_t length);
const int64_t *ob__trace_sizes(ob_trace *trace, const int64_t *sizes, size_t count);
const ob_trace_value *ob__trace_values(ob_trace *trace, const ob_trace_value *values, size_t count);
/* The one object for the description (its bytes must be zero where nothing is set). */
const ob_trace_tensor *ob__trace_tensor(ob_trace *trace, const ob_trace_tensor *tensor);
bool ob__trace_add_node(ob_trace *trace, const ob_trace_node *node);
ob_status ob__trace_out_of_memory(const ob_trace *trace, uint32_t line, ob_err *err);

/* "c10::Half", "long int", "float32" ...; OB_DTYPE_INVALID for others. */
ob_dtype ob__trace_dtype(const char *text, size_t length);

/* Whether it is one graph that torch.compile made; a region of its code has one or none. */
bool ob__trace_is_compiled_graph(const char *name);

/* What a node is, by its name and schema. */
ob_trace_node_kind ob__trace_classify(const char *name, const char *schema,
                                      const char *kernel_backend);

/* ---- the readers of one entry ---- */

/* A node of an execution trace (an item of "nodes"). */
ob_status ob__trace_read_node(ob_trace *trace, const ob_tape *tape, ob_err *err);
/* An event of a profiler trace (an item of "traceEvents"). */
ob_status ob__trace_read_event(ob_trace *trace, const ob_tape *tape, ob_err *err);
/* After the last event: nesting from times. */
ob_status ob__trace_nest_events(ob_trace *trace, ob_err *err);

/* ---- after the last node ---- */

/* Order, links, iterations. Odd links are cut and counted into a warning. */
ob_status ob__trace_link(ob_trace *trace, const ob_log *log, ob_err *err);

#endif
