/* SPDX-License-Identifier: Apache-2.0
 *
 * What tests of traces share: traces from text, nodes written small, JSON and configs as text.
 */
#ifndef OB_TEST_TRACE_TEST_H
#define OB_TEST_TRACE_TEST_H

#include "check.h"
#include "opbench/trace.h"

#include <stdlib.h>

/* A node of an execution trace in the later layout; more: further members, each with a comma before it. */
#define TRACE_NODE(id, parent, name, schema, more)                                                 \
    "{\"id\": " #id ", \"ctrl_deps\": " #parent ", \"name\": \"" name                              \
    "\", \"attrs\": [{\"name\": \"op_schema\", \"value\": \"" schema "\"}]" more "}"
#define TRACE_INPUTS(values, shapes, types)                                                        \
    ", \"inputs\": {\"values\": " values ", \"shapes\": " shapes ", \"types\": " types "}"
#define TRACE_OF(nodes) "{\"schema\": \"1.0.2-chakra.0.0.4\", \"nodes\": [" nodes "]}"

/* A call of a profiler trace; more: further members of the event. */
#define TRACE_EVENT(name, tid, ts, dur, more)                                                      \
    "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"" name "\", \"tid\": " #tid ", \"ts\": " #ts \
    ", \"dur\": " #dur more "}"
#define TRACE_EVENTS(events) "{\"traceEvents\": [" events "]}"

static inline ob_trace *trace_of(const char *text)
{
    ob_err err;
    ob_trace *trace = NULL;
    if (ob_trace_open_memory("t.json", text, strlen(text), NULL, NULL, &trace, &err) != OB_OK) {
        fprintf(stderr, "no trace: %s\n", err.message);
        exit(1);
    }
    return trace;
}

/* Malloc'ed, with a NUL. */
static inline char *text_of_json(const ob_json *node)
{
    char *text = NULL;
    CHECK_INT(ob_json_print(node, &text, NULL, NULL), OB_OK);
    return text;
}

#endif
