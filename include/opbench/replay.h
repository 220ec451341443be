/* SPDX-License-Identifier: Apache-2.0
 *
 * Replaying a trace: the recorded calls again, in order, on any backend.
 *
 * Timed is each call alone (its prepared run, and the device's wait); making its arguments, finding its
 * operator and keeping its results are not. Tensors carry data from call to call: a result is the next
 * call's argument where the trace says so, views share their storage at their recorded offset and strides, and a
 * tensor that nobody reads any more is freed. What no call made (weights, the batch) is made at random when it
 * is first read: floating-point numbers in [0, 1), integers in their recorded range, else in the one that the
 * operator needs, else 0 or 1.
 */
#ifndef OPBENCH_REPLAY_H
#define OPBENCH_REPLAY_H

#include "opbench/run.h"
#include "opbench/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Why a call was not made: word for JSON, whether it would be computing, help. */
#define OB_REPLAY_SKIP_MAP(X)                                                                      \
    X(COMMUNICATION, "communication", false, "it talks to other processes")                        \
    X(STREAM, "stream", false, "it orders streams or pins memory")                                 \
    X(HOST, "host", false, "it reads, checks or marks something for the program")                  \
    X(NO_LIBRARY, "no_library", true, "its library is not installed")                              \
    X(LISTED, "listed", true, "it is in the list of operators to skip")                            \
    X(FUSED, "fused", true, OB_TRACE_FUSED_HELP)                                                   \
    X(COMPILED, "compiled", true, OB_TRACE_COMPILED_HELP)                                          \
    X(UNSUPPORTED, "unsupported", true, "the backend does not have it")                            \
    X(ARGUMENT, "argument", true, "it takes something that cannot be made again")                  \
    X(FAILED, "failed", true, "it failed")                                                         \
    X(CRASHED, "crashed", true, "it ended the process")

typedef enum ob_replay_skip {
#define OB_REPLAY_SKIP_ENUM(id, word, compute, help) OB_REPLAY_##id,
    OB_REPLAY_SKIP_MAP(OB_REPLAY_SKIP_ENUM)
#undef OB_REPLAY_SKIP_ENUM
        OB_REPLAY_SKIP_COUNT,
    OB_REPLAY_RAN = -1,
} ob_replay_skip;

const char *ob_replay_skip_word(ob_replay_skip skip);
bool ob_replay_skip_is_compute(ob_replay_skip skip);

/* Zero means the default. */
typedef struct ob_replay_options {
    ob_trace_selection selection;
    uint64_t warmup, iterations;     /* of the whole list of calls; at least 1 measured */
    const char *const *skip_names;   /* "aten::mm", with or without overload */
    const char *const *skip_reasons; /* for each name why, or NULL; NULL = none has a reason */
    size_t skip_count;
    size_t skip_strict_count; /* the first ones must name calls that are there: OB_ERR_NOT_FOUND */
    const int64_t *crashed;   /* ids of nodes that ended the process before */
    size_t crashed_count;
    bool half_to_bfloat16; /* where the trace has half, take bfloat16 */
    bool stop_at_half;     /* end after the first pass if ob_replay_wants_bfloat16 */
    bool keep_narrow;      /* leave out a call that fails in half or bfloat16, which is else made in
                            * float32, with copies that are not timed */
    bool keep_whole;       /* never put the calls that a failing call made in its place */
    uint64_t seed;
    /* Told before each call is made, also while warming up: nodes by index. NULL = nobody. */
    void (*on_call)(void *ctx, uint64_t iteration, uint64_t done, uint64_t total,
                    const ob_trace_node *node);
    /* Asked between calls: not 0 = stop after this iteration's calls so far. NULL = never. */
    int (*stop)(void *ctx);
    void *ctx;
} ob_replay_options;

typedef struct ob_replay ob_replay;

/* The session's backend makes the calls. */
ob_status ob_replay_run(ob_session *session, const ob_trace *trace,
                        const ob_replay_options *options, ob_replay **out, ob_err *err);
void ob_replay_destroy(ob_replay *replay); /* NULL is allowed */

/* True when more than a twentieth of the calls with half failed in it: run again with half_to_bfloat16. */
bool ob_replay_wants_bfloat16(const ob_replay *replay);

/* What came of it, as JSON in doc: trace, calls, coverage {nodes, operators, ran, compute}, skipped
 * [{name, reason, what, count}], not_compute (the same), replaced [{name, reason, count}], in_float32 (the
 * same), times {iterations,
 * unit, mean, median, ci_low, ...}, operators [{name, count, time_ns, mean_ns, min_ns, max_ns, ci_low, ci_high,
 * share}], untouched_bytes (of large tensors, which where memory is short are not filled), peak_bytes. */
ob_status ob_replay_describe(const ob_replay *replay, ob_json_doc *doc, const ob_json **out,
                             ob_err *err);

/* The calls of the last pass as a trace for Chrome or Perfetto, appended to text; calls stand one behind
 * the other, without the gaps in which arguments were made. */
ob_status ob_replay_profile(const ob_replay *replay, ob_text *text, ob_err *err);

/* ---- in processes of their own ---- */

typedef struct ob_replay_apart_params {
    /* The command line of a program that replays, ended by NULL. It is started with --no-isolate, --socket-fd=FD,
     * --state-fd=FD and --crashed=LIST (ids of nodes to leave out) behind it, and calls ob_replay_child_*. */
    const char *const *words;
    /* Asked often: 0 = go on, 1 = end after the present call (SIGTERM), 2 = end at once. May be NULL. */
    int (*stop)(void *ctx);
    /* The node ended its process, with the status that waitpid gives; the replay begins again without it. */
    void (*on_crash)(void *ctx, int64_t node, int status);
    void *ctx;
} ob_replay_apart_params;

typedef struct ob_replay_outcome {
    ob_json_doc *result; /* of ob_replay_describe, the caller's; NULL = none came */
    int status;          /* of the last process, as waitpid gives it */
    bool interrupted;
} ob_replay_outcome;

/* Goes on when a process dies. Errors: none can be started, or what it sent is no result. */
ob_status ob_replay_apart(const ob_replay_apart_params *params, ob_replay_outcome *out,
                          ob_err *err);

/* The side of such a process. */
typedef struct ob_replay_child {
    int socket;
    void *page;
} ob_replay_child;

ob_status ob_replay_child_open(int socket_fd, int state_fd, ob_replay_child *out, ob_err *err);
/* For ob_replay_options.on_call, with the child as its ctx. */
void ob_replay_child_on_call(void *child, uint64_t iteration, uint64_t done, uint64_t total,
                             const ob_trace_node *node);
/* The last that it says. */
ob_status ob_replay_child_finish(ob_replay_child *child, const ob_json *result, ob_err *err);
void ob_replay_child_close(ob_replay_child *child); /* zero is allowed */

#ifdef __cplusplus
}
#endif
#endif
