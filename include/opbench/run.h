/* SPDX-License-Identifier: Apache-2.0
 *
 * Running cases: options, a session (one opened backend in this process), and a supervised run over
 * a whole config with a worker process.
 */
#ifndef OPBENCH_RUN_H
#define OPBENCH_RUN_H

#include "opbench/config.h"
#include "opbench/record.h"
#include "opbench/timer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The backend that is used where none is named, and whose reference --check compares with. */
#define OB_REFERENCE_BACKEND "native"

/* The option rows of ob_run_options, to include in your own tables (OB_OPTION_ROWS_OF): how cases
 * are measured, and how the Timer of `opbench time` measures. A command that has "library-caps"
 * corrects libraries before it loads any. */
const ob_option *ob_run_option_rows(void);
const ob_option *ob_timer_option_rows(void);

/* How many names `backend` has, separated by commas; one if it is not given. */
size_t ob_run_options_backend_count(const ob_run_options *options);
/* Whether one of them has operators of its own, beyond those that the core knows. */
bool ob_run_options_bring_operators(const ob_context *context, const ob_run_options *options);
/* Finds the variant in a backend's name, such as "python:compile", in the backend's manifest; *out
 * is NULL for a name without one. OB_ERR_NOT_FOUND lists the variants that exist. */
ob_status ob_backend_find_variant(const ob_context *context, const char *name,
                                  const ob_manifest_variant **out, ob_err *err);
/* OB_ERR_INVALID for combinations that make no sense, naming the option and what to do. */
ob_status ob_run_options_check(const ob_run_options *options, ob_err *err);
/* Appends the options that differ from the defaults as words of a command line ("--exec-mode
 * continuous"), quoted for a shell. */
ob_status ob_run_options_print(const ob_run_options *options, ob_text *text, ob_err *err);

/* ---- in this process ---- */

typedef struct ob_session ob_session;

/* Opens the backend (its library is loaded here), sets threads and pins. The context and what the
 * options point to must outlive it. */
ob_status ob_session_open(ob_context *context, const ob_run_options *options, ob_session **out,
                          ob_err *err);
void ob_session_close(ob_session *session); /* NULL is allowed */

/* Runs one case and fills a result record; a failure of the case is a record with its status and
 * reason, and OB_OK. What the record points to lives until the next call or the end of the
 * session. */
ob_status ob_session_run_case(ob_session *session, const ob_case *c, ob_record *record,
                              ob_err *err);
static inline ob_status ob_session_run(ob_session *session, const ob_case *c, ob_record *record,
                                       ob_err *err)
{
    record->size = sizeof *record;
    return ob_session_run_case(session, c, record, err);
}
/* Prepares the case and gives it as a task of the Timer: forward passes on the session's backend,
 * or, with options.backward, each with its backward. The task lives until the next call or the end
 * of the session. Fails where a record would report a failure. */
ob_status ob_session_prepare_task(ob_session *session, const ob_case *c, ob_timer_task *out,
                                  ob_err *err);
/* The clock that times its tasks: the backend's own, or a monotonic one. Valid as long as the
 * session. */
ob_clock ob_session_clock(ob_session *session);
/* The backend's properties, for the header record: an object that lives as long as the session. */
const ob_json *ob_session_properties(const ob_session *session);
/* The backend's library and its version, "oneDNN 2.6.3"; "" = not known. This may load the
 * library. */
void ob_session_library(ob_session *session, ob_reason *out);
/* Calls fn for each operator that the backend adds; OB_ERR_UNSUPPORTED when it adds none. */
ob_status ob_session_schemas(ob_session *session, ob_schema_fn fn, void *ctx, ob_err *err);
/* Why the backend never runs that operator of its own ("aten::from_file"); NULL = it does.
 * Static. */
const char *ob_session_refuses(ob_session *session, const char *name);

/* ---- in a worker process ---- */

/* The descriptors that a supervisor gives its worker. */
typedef struct ob_worker_fds {
    size_t size; /* sizeof(ob_worker_fds) */
    int socket;  /* messages */
    int state;   /* memory that both share */
    int ring;    /* memory shared by all that take turns; 0 = it runs alone */
    unsigned ring_member;
    unsigned counts; /* above 0: count this often under valgrind instead of measuring */
} ob_worker_fds;

/* Whether the backend's manifest names a host: a program in which its workers run, such as an
 * interpreter. */
bool ob_backend_has_host(const ob_context *context, const char *backend);
/* If it does, replaces this process by that program, which calls opbench again as `opbench worker
 * --hosted` with the words; returns only on failure. OB_OK: the backend needs no host, or does not
 * exist. For processes that were started to open a backend. */
ob_status ob_host_enter(const ob_context *context, const char *backend, const char *const *words,
                        size_t word_count, ob_err *err);

/* For such a process: answers one question of its parent over the socket. */
ob_status ob_worker_answer(ob_context *context, const ob_run_options *options, const char *what,
                           int socket, ob_err *err);

/* The worker's whole life: takes leases until the supervisor is gone. err must not be NULL. */
ob_status ob_worker_serve(ob_context *context, const ob_config *config,
                          const ob_run_options *options, const ob_worker_fds *fds, ob_err *err);

#define OB_ALL_CASES UINT64_MAX

/* Progress within a step of a trace. */
typedef struct ob_run_progress {
    uint64_t index;      /* of the case */
    const char *backend; /* the backend that runs it */
    uint64_t pass;       /* from 0, warm-up included */
    uint64_t passes;     /* how many were asked for; 0 = it depends on their times */
    uint64_t done, size; /* calls done in this pass, and calls in a pass */
} ob_run_progress;

/* A side: one of several configurations measured in turns. A member that is zero takes the run's
 * option. */
struct ob_side {
    size_t size;                 /* sizeof(ob_side) */
    const char *name;            /* unique among the sides of a run */
    const char *backend;         /* one name; several sides may have the same */
    const char *backend_options; /* the run's are not used if the side has a backend of its own */
    const char *device;
    int64_t threads;
    /* Lists, ended by NULL; NULL = none. */
    const char *const *variables; /* "NAME=VALUE" in the environment of its workers */
    const char *const *plugins;   /* files that its workers load before all others */
    const char *program;          /* another build of opbench, whose workers measure this side */
};

/* The results so far of a case's processes on one side. The library makes it. */
typedef struct ob_side_progress {
    const char *name;
    bool failed; /* it has its record, and is no longer measured */
    /* Only the lists of times, disturbed samples and samples per process are set; NULL = there are
     * none. */
    const ob_record_pass *forward, *backward;
    const ob_record_result *last; /* what its last process gave; NULL = nothing */
} ob_side_progress;

/* The library makes it; it is valid during the call. */
struct ob_sides_progress {
    uint64_t index;                /* of the case */
    int64_t processes;             /* processes that each side has run in */
    const ob_side_progress *sides; /* in their order; side_size bytes each */
    size_t side_size, side_count;
    double seconds;       /* since the case began */
    double start_seconds; /* of these, starting processes */
    double measured;      /* of these, what the samples of all sides took */
};

/* Cases of a config: first, first + step, ..., `count` of them. */
typedef struct ob_case_range {
    uint64_t first, count;
    uint64_t step; /* 0 = 1 */
} ob_case_range;

/* Parameters of a run, besides how to measure. */
typedef struct ob_run_params {
    size_t size; /* sizeof(ob_run_params) */
    const ob_run_options *options;
    /* The program that is started as `PROGRAM worker ...`; NULL = cases run in this process, and a
     * crash of an operator is a crash of the caller. */
    const char *worker_program;
    uint64_t first, count; /* which cases; count OB_ALL_CASES = all from first on */
    const ob_done *done;   /* cases to leave out; NULL = none */
    /* Called for each line (with its newline). The record is parsed and valid during the call.
     * Lines of a case's parts come before its own. */
    ob_status (*on_record)(void *ctx, const ob_record *record, const char *line, size_t length,
                           ob_err *err);
    /* Called before the first record, with the backend's properties. May be NULL. */
    ob_status (*on_ready)(void *ctx, const ob_json *properties, ob_err *err);
    /* Called often: 0 = continue, 1 = stop after the current case, 2 = stop at once. May be
     * NULL. */
    int (*stop)(void *ctx);
    /* Gets the progress of a case that has parts, a few times a second. May be NULL. */
    void (*on_progress)(void *ctx, const struct ob_run_progress *progress);
    void *ctx;
    /* How long a worker with cases left may be idle between cases before it counts as stopped; 0 =
     * 60 s. */
    double worker_idle_s;
    /* Gets what options->wrap printed after the last case of a worker. May be NULL. */
    void (*on_wrapped)(void *ctx, const char *text, size_t length);
    /* Sides to measure in turns; ratios are relative to the first. NULL = if options->backend has
     * several names, each is a side of that name. Needs worker_program. */
    const ob_side *const *sides;
    size_t side_count; /* 0 = none */
    /* For sides with options->processes above 1, which is then the maximum: called after each
     * process of a case. Any other value than 0: no more are needed. May be NULL. */
    int (*enough)(void *ctx, const ob_sides_progress *progress);
    void *enough_ctx;
    /* Instead of first and count: these cases, range after range. Each lies within the config. NULL
     * = none. */
    const ob_case_range *ranges;
    size_t range_count;
} ob_run_params;

typedef struct ob_run_summary {
    size_t size;                            /* sizeof(ob_run_summary) */
    uint64_t cases[OB_RECORD_STATUS_COUNT]; /* how many of each status */
    uint64_t left_out;                      /* already done */
    uint64_t workers;                       /* how many were started */
    bool interrupted;
} ob_run_summary;

/* Runs the cases of a config. A case that fails, crashes, hangs or runs out of memory becomes a
 * record; OB_OK means that every case has one (or the run was interrupted). Errors: the backend
 * cannot be opened, a callback failed, workers cannot be started. */
ob_status ob_run(ob_context *context, const ob_config *config, const ob_run_params *params,
                 ob_run_summary *summary, ob_err *err);

/* One operator of a backend's own; refused: why it never runs it, or NULL. */
typedef ob_status (*ob_backend_schema_fn)(void *ctx, const char *schema, const char *refused);
/* ob_session_schemas for a backend that is opened in a separate process. */
ob_status ob_backend_schemas(ob_context *context, const ob_run_options *options,
                             ob_backend_schema_fn fn, void *ctx, ob_err *err);

/* For a config that names iterators or data generators which are not registered here, if the user
 * gave code of their own to one of the backends in options (an option of its manifest): replaces
 * *doc by the config as that backend expands it, in a separate process. The result is data like the
 * config, for ob_config_open_json. */
ob_status ob_config_expand_foreign(ob_context *context, const ob_run_options *options,
                                   ob_json_doc **doc, ob_err *err);

/* Whether a backend can be opened. */
typedef struct ob_backend_trial {
    const char *name; /* the caller's; NULL = it is not to be tried */
    bool tried;       /* false: no process could be started, and its probe answered */
    bool opened;
    char text[1024]; /* its library, "oneDNN 2.6.3", or ""; else why it cannot be opened */
    /* An earlier answer may be used, as long as no file that was loaded then has changed. */
    bool may_recall;
    bool without_symbols; /* the library that its manifest names has no debug symbols */
    char isa[48];         /* the instruction set that it says it uses, "AVX2"; "" = it says none */
} ob_backend_trial;

/* Opens each in a process of its own, all at the same time; one that crashes or hangs has that as
 * its reason. */
void ob_backends_try_sized(ob_context *context, void *trials, size_t trial_size, size_t count);
static inline void ob_backends_try(ob_context *context, ob_backend_trial *trials, size_t count)
{
    ob_backends_try_sized(context, trials, sizeof *trials, count);
}

struct ob_roofline;
/* Adds the ceilings of a device with its own memory (opbench/roofline.h), measured in a separate
 * process with the backend and device of the options: copies to, from and on the device, and
 * operators that only move bytes. seconds: approximate total time. A backend that computes in host
 * memory has none, which is OB_OK. */
ob_status ob_device_ceilings(ob_context *context, const ob_run_options *options, double seconds,
                             struct ob_roofline *roofline, ob_err *err);

/* Whether a name is one of names, "a,b"; NULL = every one is. */
bool ob_backend_is_among(const char *names, const char *name);
/* The same, ignoring variants: "a,b:v" has "b". */
bool ob_backend_is_meant(const char *names, const char *name);
/* Notes with the ceilings which files each of the named backends loads; opens those that were not
 * opened before. */
ob_status ob_roofline_note_libraries(ob_context *context, const char *names,
                                     struct ob_roofline *roofline, ob_err *err);
/* Whether the roofline must be measured again, because the kernel, the microcode or a library of
 * the named backends has changed. why says what: "under Linux 6.1.0, ..., and this is ...". Opens
 * nothing. */
bool ob_roofline_is_outdated(const struct ob_roofline *roofline, const char *names, char *why,
                             size_t size);

#ifdef __cplusplus
}
#endif
#endif
