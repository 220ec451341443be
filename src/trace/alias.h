/* SPDX-License-Identifier: Apache-2.0
 *
 * What recorded calls are: operators that exist on one vendor's device only, as the generic operator that means
 * the same; calls that are no computing; tensors that are sparse.
 */
#ifndef OB_TRACE_ALIAS_H
#define OB_TRACE_ALIAS_H

#include "opbench/trace.h"

enum { OB_TRACE_ALIAS_ARGS = 12 };

/* A call as it is to be made: the recorded one, or the one that stands for it. */
typedef struct ob_trace_alias {
    const char *name;   /* with overload */
    const char *schema; /* "" = not known */
    const ob_trace_value *args;
    size_t count;
    bool changed;
    char fitted[160]; /* name may stand here */
    ob_trace_value own[OB_TRACE_ALIAS_ARGS];
} ob_trace_alias;

/* "aten::add.Tensor": from the schema, else the node's own name. Cut to size. */
void ob__trace_call_name(const ob_trace_node *node, char *out, size_t size);
/* Why the call of a profiler trace has no arguments, and what to do; NULL when it has, or needs none. */
const char *ob__trace_unrecorded(const ob_trace_node *node);
/* Whether the calls below it are its own; those below a label or compiled code are the program's. */
bool ob__trace_is_call(const ob_trace_node *node);
/* Whether it reads a number for the program, checks one or marks a range: nothing to compute either. */
bool ob__trace_is_host_call(const char *name);
/* Whether it orders streams or pins memory: bookkeeping of a device, nothing to compute. */
bool ob__trace_is_stream_call(const ob_trace_node *node, const char *name);
/* A sparse tensor has no storage of its own: PyTorch records neither that nor its elements' size. */
bool ob__trace_is_sparse(const ob_trace_tensor *tensor);
/* name is what ob__trace_call_name gave; it and the node must outlive alias. */
void ob__trace_alias_apply(const ob_trace_node *node, const char *name, ob_trace_alias *alias);
/* For a call without a schema, as profilers record it: the first overload in the table that takes as many values of
 * these kinds. without_out: the last one is a tensor that an out= variant writes to, and goes. False, and no change, when
 * there is none, or a schema. */
bool ob__trace_alias_fit(const ob_op_table *table, bool without_out, ob_trace_alias *alias);
/* Whether the value is to be left away, so that the schema's default counts. arg may be NULL. */
bool ob__trace_left_away(const ob_schema_arg *arg, const ob_trace_value *value);
/* For a backend that lacks the operator: another one that does the same. False when there is none. */
bool ob__trace_alias_replace(const ob_trace_node *node, const char *name, ob_trace_alias *alias);
/* For an operator that one vendor's device has and others lack: a graph that does the same, in graph notation over
 * the names of the arguments. NULL when there is none. */
const char *ob__trace_alias_text(const char *name);
/* The same for an operator that the backend may have, if it is of a later release. */
const char *ob__trace_alias_later_text(const char *name);
/* The same for one tensor of the lists that the operator takes (fused optimizers). */
const char *ob__trace_alias_each_text(const char *name);
/* "aten::_foreach_lerp_.Scalar" is "aten::lerp_" for each tensor of its lists. False for other names. */
bool ob__trace_alias_each(const char *name, char *out, size_t size);

#endif
