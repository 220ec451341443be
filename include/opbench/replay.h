/* SPDX-License-Identifier: Apache-2.0
 *
 * Replaying a trace: making the recorded calls of a step again, in order, on any backend. A step is
 * a case like any other: a config has one per trace, and ob_run, a job or a session measures it,
 * with ob_replay_maker() among the options.
 *
 * A sample is one pass over the calls. Only the calls themselves are timed, as the executor times a
 * case: after a wait for the device, the prepared run and the wait after it, by the backend's
 * clock. Making arguments, finding operators and keeping results are not timed. Tensors carry data
 * from call to call: a result is the next call's argument where the trace says so, views share
 * their storage at their recorded offset and strides, and a tensor that no later call reads is
 * freed. Tensors that no call made (weights, the batch) are filled with random numbers when they
 * are first read: floating-point numbers in [0, 1), integers in their recorded range, else in the
 * one that the operator needs, else 0 or 1.
 *
 * Each operator is a part of the step and has a record before that of the step: with its times per
 * call if it ran, or with status, reason and number of calls if it did not.
 */
#ifndef OPBENCH_REPLAY_H
#define OPBENCH_REPLAY_H

#include "opbench/run.h"
#include "opbench/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What became of calls that were not made as recorded: enum name, word for the record, status of
 * their part, whether they would be computing and are missing, help. */
#define OB_REPLAY_FATE_MAP(X)                                                                      \
    X(COMMUNICATION, "communication", SKIPPED, false, "it talks to other processes")               \
    X(STREAM, "stream", SKIPPED, false, "it orders streams or pins memory")                        \
    X(HOST, "host", SKIPPED, false, "it reads, checks or marks something for the program")         \
    X(NO_LIBRARY, "no_library", UNSUPPORTED, true, "its library is not installed")                 \
    X(LISTED, "listed", SKIPPED, true, "it is in the list of operators to skip")                   \
    X(FUSED, "fused", UNSUPPORTED, true, OB_TRACE_FUSED_HELP)                                      \
    X(COMPILED, "compiled", UNSUPPORTED, true, OB_TRACE_COMPILED_HELP)                             \
    X(UNSUPPORTED, "unsupported", UNSUPPORTED, true, "the backend does not have it")               \
    X(ARGUMENT, "argument", INVALID, true, "it takes a value that cannot be recreated")            \
    X(FAILED, "failed", FAILED, true, "it failed")                                                 \
    X(CRASHED, "crashed", CRASHED, true, "it ended the process")                                   \
    X(DIFFERS, "differs", DIFFERS, false, "its results are wrong")                                 \
    X(REPLACED, "replaced", SKIPPED, false, "the calls that it made are replayed instead")         \
    X(IN_FLOAT32, "in_float32", OK, false, "it was made in float32")

typedef enum ob_replay_fate {
#define OB_REPLAY_FATE_ENUM(id, word, status, missing, help) OB_REPLAY_##id,
    OB_REPLAY_FATE_MAP(OB_REPLAY_FATE_ENUM)
#undef OB_REPLAY_FATE_ENUM
        OB_REPLAY_FATE_COUNT,
    OB_REPLAY_RAN = -1,
} ob_replay_fate;

typedef struct ob_replay_fate_info {
    const char *word, *help;
    ob_record_status status;
    bool missing;
} ob_replay_fate_info;

/* NULL for OB_REPLAY_RAN. */
const ob_replay_fate_info *ob_replay_fate_get_info(ob_replay_fate fate);
/* By the word of a record; OB_REPLAY_RAN for NULL and for words that are not known. */
ob_replay_fate ob_replay_fate_from_word(const char *word);

/* The first step if two or more are marked (the last is often cut off), else the whole trace. */
#define OB_REPLAY_FIRST_STEP (-2)

/* Which calls, and how. */
typedef struct ob_replay_options {
    size_t size; /* sizeof(ob_replay_options) */
    /* iteration: also OB_REPLAY_FIRST_STEP. NULL = all calls of that step. */
    const ob_trace_selection *selection;
    const char *const *skip_names;   /* "aten::mm", with or without overload */
    const char *const *skip_reasons; /* for each name why, or NULL; NULL = none has a reason */
    size_t skip_count;
    size_t skip_strict_count; /* the first ones must name existing calls: OB_ERR_NOT_FOUND */
    /* What to do with half. "auto": use bfloat16 if more than a twentieth of the calls with half
     * fail; "keep": keep half; "bfloat16": always use bfloat16. Except with "keep", a call that
     * fails is repeated in float32, with copies that are not timed. NULL = "auto". */
    const char *half;
    bool compute_only;             /* calls that do not compute have no records */
    const ob_trace_limits *limits; /* for reading the traces; NULL = those of ob_trace_open */
} ob_replay_options;

/* A config with a case for the chosen step of each trace, in their order. The traces are read and
 * the choice is checked; warnings about them go to the context's log. */
ob_status ob_replay_open_config(ob_context *context, const char *const *paths, size_t path_count,
                                const ob_replay_options *options, ob_config **out, ob_err *err);

/* Makes the cases of such a config: for ob_run_options.maker. */
const struct ob_case_maker *ob_replay_maker(void);

#ifdef __cplusplus
}
#endif
#endif
