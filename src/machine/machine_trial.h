/* SPDX-License-Identifier: Apache-2.0
 *
 * A question that is answered by a process which may die of it: does an instruction set work, what does a library
 * choose. Answers are kept per machine, so that each is asked once.
 */
#ifndef OB_MACHINE_MACHINE_TRIAL_H
#define OB_MACHINE_MACHINE_TRIAL_H

#include "machine/isa.h"
#include "opbench/text.h"

#include <limits.h>

typedef struct ob_trial {
    const char *what;     /* "avx512_bf16", "openblas", "onednn" */
    const char *variable; /* "OPENBLAS_CORETYPE=Haswell" in its environment; NULL = none */
    const char *library;  /* the file that it loads; NULL = none */
} ob_trial;

typedef enum ob_trial_state {
    OB_TRIAL_UNKNOWN, /* it could not be tried; not kept */
    OB_TRIAL_OK,
    OB_TRIAL_FAILED
} ob_trial_state;

typedef struct ob_trial_outcome {
    ob_trial_state state;
    char text[OB_ISA_WHY_BYTES]; /* the answer, or why it failed */
} ob_trial_outcome;

/* Answers by a process of its own. */
typedef void (*ob_trial_fn)(void *ctx, const ob_trial *trial, ob_trial_outcome *out);

/* ---- answers that are kept ---- */

/* A file per processor. One that is torn, foreign or of another kernel is as good as none. */
typedef struct ob_trial_memo {
    char path[PATH_MAX]; /* "" = nothing is kept */
    char head[256];      /* its first line */
    ob_text lines;       /* what is known, a line each */
    bool changed;
} ob_trial_memo;

/* dir NULL = opbench/machine in the user's cache; kernel: its release. */
void ob__memo_open(ob_trial_memo *memo, const char *dir, const char *cpu_key, const char *kernel);
/* Writes what is new. */
void ob__memo_close(ob_trial_memo *memo);

typedef struct ob_trial_runner {
    ob_trial_fn fn;
    void *ctx;
    ob_trial_memo *memo; /* NULL = nothing is kept */
} ob_trial_runner;

/* From the file, or by trying. A library is known by its file's identity: another version is another question. */
void ob__trial_ask(const ob_trial_runner *place, const ob_trial *trial, ob_trial_outcome *out);

#endif
