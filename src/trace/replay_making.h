/* SPDX-License-Identifier: Apache-2.0
 *
 * The recorded call that is being made, for the files that make its values, build its graph and run it.
 */
#ifndef OB_TRACE_REPLAY_MAKING_H
#define OB_TRACE_REPLAY_MAKING_H

#include "trace/replay_call.h"

enum { OB_REPLAY_ARGS = 64, OB_REPLAY_OUTPUTS = 32 };
#define OB_REPLAY_ONE_CALL SIZE_MAX

typedef struct ob_replay_making {
    ob_replay_caller *caller;
    const ob_replay_step *step;
    ob_trace_alias alias;
    char name[256];
    ob_schema *recorded; /* NULL = arguments go by place */
    ob_value values[OB_REPLAY_ARGS];
    const char *names[OB_REPLAY_ARGS];
    size_t count;
    const ob_storage *fresh[OB_REPLAY_ARGS]; /* storages that were made just now */
    size_t fresh_count;
    /* In float32: what the values were; then they are copies. */
    ob_value narrow[OB_REPLAY_ARGS];
    bool in_float32;
    size_t element;  /* OB_REPLAY_ONE_CALL, or which of the tensors in its lists it is about */
    size_t elements; /* tensors in each of the lists */
    ob_err *err;
} ob_replay_making;

/* Whether the argument may be left away. */
bool ob__replay_says_nothing(const ob_schema_arg *arg, const ob_value *value);
ob_setup_args ob__replay_setup(const ob_replay_making *m);

/* The graph of the call, or of one that does the same; call has values and names as its memory. */
ob_status ob__replay_build(ob_replay_making *m, ob_value *values, const char **names, ob_call *call,
                           ob_graph **graph);
/* The same by a text in graph notation over the names of the arguments. */
ob_status ob__replay_build_text(ob_replay_making *m, const char *text, ob_value *values,
                                const char **names, ob_call *call, ob_graph **graph);
/* The argument, or what of it belongs to the element that the call is about. */
const ob_value *ob__replay_argument(const ob_replay_making *m, size_t arg);
/* Runs it, keeps its results, says how long it took. */
ob_status ob__replay_run_graph(ob_replay_making *m, const ob_graph *graph, const ob_call *call,
                               double *elapsed_ns);
/* For a backend that lacks an operator on lists: the one on one tensor, for each of the lists' tensors. */
ob_status ob__replay_run_each(ob_replay_making *m, double *elapsed_ns);

#endif
