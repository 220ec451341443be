/* SPDX-License-Identifier: Apache-2.0
 *
 * Running snippets: each in its own process, compiled first if it is C or C++ (and kept for the
 * next time), timed in blocks or counted under valgrind. The code runs with the rights of the user
 * who passes it; no shell is involved anywhere.
 */
#ifndef OPBENCH_SNIPPET_RUN_H
#define OPBENCH_SNIPPET_RUN_H

#include "opbench/config.h"
#include "opbench/context.h"
#include "opbench/count.h"
#include "opbench/snippet.h"
#include "opbench/timer.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ob_snippet_options {
    size_t size;           /* sizeof(ob_snippet_options) */
    const char *program;   /* opbench, which loads what was compiled; NULL = this program */
    const char *cc;        /* NULL = cc */
    const char *cxx;       /* NULL = c++ */
    const char *python;    /* NULL = that of the active virtual environment, else PATH's python3 */
    const char *valgrind;  /* NULL = valgrind */
    const char *cache_dir; /* for compiled snippets; NULL = opbench/snippets in the user's cache */
    double timeout_s;      /* from the process's start to its last answer; 0 = none */
    /* Called several times a second while waiting, from any thread that a call uses. Any other
     * value than 0: everything that was started is stopped, and the call returns OB_ERR_STATE. May
     * be NULL. */
    int (*stop)(void *ctx);
    /* Gets a message, without a full stop, before something that takes long. May be NULL. */
    void (*notice)(void *ctx, const char *text);
    void *ctx;
    /* Additional compiler flags, split as a shell would: "-O3 -march=native". NULL = none. */
    const char *cflags;
    const char *ldflags; /* after the source: libraries, and where they are */
    bool rebuild;        /* compile even if cached: what it includes or links may have changed */
    const char *const *variables; /* "NAME=VALUE" for its process, ended by NULL; NULL = none */
    /* The standard, "c11" or "gnu++20"; that of the other language is unchanged. NULL = gnu17, and
     * gnu++17 or what a library needs. */
    const char *std;
    const char *libs;         /* libraries: names as for -l, or files. NULL = none */
    double compile_timeout_s; /* limit for a compiler; 0 = OB_SNIPPET_COMPILE_S, below 0 = none */
} ob_snippet_options;

#define OB_SNIPPET_COMPILE_S 300
/* Whether a standard is one of that language. */
bool ob_snippet_std_fits(const char *std, ob_language language);

/* Whether the compiler removed a statement because its result is never used: then only the loop
 * around it is measured. False for Python, for code that needs a library's headers, and if it
 * cannot be determined. */
ob_status ob_snippet_is_removed(const ob_timer_args *args, const ob_snippet_options *options,
                                bool *removed, ob_err *err);

/* ---- time ---- */

/* A snippet's process, waiting for work. One thread at a time. */
typedef struct ob_snippet_process ob_snippet_process;

/* Compiles and starts. A compile error is OB_ERR_CONFIG with the compiler's message and the lines
 * of "stmt", "setup" and "global setup". options may be NULL. */
ob_status ob_snippet_open(const ob_timer_args *args, const ob_snippet_options *options,
                          ob_snippet_process **out, ob_err *err);
/* Runs the setup, untimed, then the statement n times. In C and C++ the statement runs once before,
 * untimed. */
ob_status ob_snippet_time(ob_snippet_process *process, uint64_t n, double *seconds, ob_err *err);
void ob_snippet_close(ob_snippet_process *process); /* NULL is allowed */

/* Takes one measurement with the timer that it is given: one of ob_timer_timeit and so on. */
typedef ob_status (*ob_snippet_take)(void *ctx, const ob_timer *timer, ob_measurements *to,
                                     ob_err *err);
/* Starts a process, has it measured and ends it. The measurement is added to the list; its task is
 * the given one, with texts normalised as a Timer does it: dedented, without blanks at the end. */
ob_status ob_snippet_measure(const ob_timer_args *args, const ob_task_spec *task,
                             const ob_snippet_options *options, ob_snippet_take take,
                             void *take_ctx, ob_measurements *to, ob_err *err);

/* ---- instructions ---- */

enum { OB_SNIPPET_NUMBER = 100 };

typedef struct ob_snippet_count_params {
    size_t size;      /* sizeof(ob_snippet_count_params) */
    int64_t number;   /* runs to count; 0 = OB_SNIPPET_NUMBER */
    int64_t repeats;  /* counts, all in one process; 0 = 1 */
    bool no_baseline; /* Python: do not count the empty statement */
} ob_snippet_count_params;

/* Counts under valgrind's callgrind: n and 2n runs of the statement, whose difference is that of n
 * runs without anything around them. Gives `repeats` statistics in stats, which has room for them;
 * the caller destroys each. params NULL = defaults. args and task must describe the same code.
 * OB_ERR_UNSUPPORTED: valgrind is missing, or cannot run the code (it has no AVX-512). */
ob_status ob_snippet_count(const ob_timer_args *args, const ob_task_spec *task,
                           const ob_snippet_count_params *params, const ob_snippet_options *options,
                           ob_count_stats **stats, ob_err *err);

/* ---- statements as cases: for opbench/run.h ---- */

/* The code of one side of a comparison. */
typedef struct ob_code_side {
    size_t size;      /* sizeof(ob_code_side) */
    const char *name; /* of the side */
    /* num_threads 0 = as the run says; the language is that of the case. */
    const ob_timer_args *args;
    /* Only the programs, their flags and the cache folder are used; NULL = defaults. */
    const ob_snippet_options *options;
} ob_code_side;

typedef struct ob_code_case {
    size_t size;      /* sizeof(ob_code_case) */
    const char *name; /* of its records */
    const ob_code_side *const *sides;
    size_t side_count; /* at least one */
} ob_code_case;

/* A config whose cases are code. A worker runs the statement of its side in a process of its own:
 * the setup once, then blocks as the executor asks for them. */
ob_status ob_snippet_open_config(ob_context *context, const ob_code_case *const *cases,
                                 size_t count, ob_config **out, ob_err *err);
/* Makes the cases of such a config: for ob_run_options.maker, with this as the command. */
const struct ob_case_maker *ob_snippet_maker(void);
#define OB_SNIPPET_COMMAND "time --lang"

/* ---- the process itself ---- */

typedef struct ob_snippet_serve_params {
    size_t size; /* sizeof(ob_snippet_serve_params) */
    int socket;
    const char *object;
    int64_t threads;
    /* Gives a context with backends, when a statement in C first asks for an operator; NULL = there
     * are none. It must live until the end of the call. */
    ob_context *(*open_context)(void *ctx, ob_err *err);
    void *ctx;
} ob_snippet_serve_params;

/* Implements the started program: loads the compiled object and answers on the socket until it is
 * closed. */
ob_status ob_snippet_serve(const ob_snippet_serve_params *params, ob_err *err);

#ifdef __cplusplus
}
#endif
#endif
