/* SPDX-License-Identifier: Apache-2.0
 *
 * Running cases: options, a session (one opened backend in this process), and a supervised run over a
 * whole config with a worker process.
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

/* The rows of ob_run_options, for tables of one's own (OB_OPTION_ROWS_OF): how cases are measured, and how the Timer of `opbench time`
 * does it. A command that has "library-caps" corrects libraries before it loads any. */
const ob_option *ob_run_option_rows(void);
const ob_option *ob_timer_option_rows(void);

/* How many names `backend` has, separated by commas; one if it is not given. */
size_t ob_run_options_backend_count(const ob_run_options *options);
/* Whether one of them brings operators of its own, beyond those that the core knows. */
bool ob_run_options_bring_operators(const ob_context *context, const ob_run_options *options);
/* What a name behind a colon means, as the backend's manifest has it: "python:compile"; *out is NULL for a name without one.
 * OB_ERR_NOT_FOUND with those there are. */
ob_status ob_backend_find_variant(const ob_context *context, const char *name,
                                  const ob_manifest_variant **out, ob_err *err);
/* OB_ERR_INVALID for combinations that make no sense, naming the option and the cure. */
ob_status ob_run_options_check(const ob_run_options *options, ob_err *err);
/* Appends the options that differ from the defaults as words of a command line ("--exec-mode continuous"),
 * quoted for a shell. */
ob_status ob_run_options_print(const ob_run_options *options, ob_text *text, ob_err *err);

/* ---- in this process ---- */

typedef struct ob_session ob_session;

/* Opens the backend (its library is loaded here), sets threads and pins. The context and what the options point to must outlive it. */
ob_status ob_session_open(ob_context *context, const ob_run_options *options, ob_session **out,
                          ob_err *err);
void ob_session_close(ob_session *session); /* NULL is allowed */

/* Runs one case and fills a result record; a failure of the case is a record with its status and
 * reason, and OB_OK. What the record points to lives until the next call or the end of the session. */
ob_status ob_session_run_case(ob_session *session, const ob_case *c, ob_record *record,
                              ob_err *err);
static inline ob_status ob_session_run(ob_session *session, const ob_case *c, ob_record *record,
                                       ob_err *err)
{
    record->size = sizeof *record;
    return ob_session_run_case(session, c, record, err);
}
/* Prepares the case and gives it as a task of the Timer: forward passes on the session's backend, or, with options.backward, each
 * with its backward. The task lives until the next call or the end of the session. Fails where a record would say so. */
ob_status ob_session_prepare_task(ob_session *session, const ob_case *c, ob_timer_task *out,
                                  ob_err *err);
/* The clock that times its tasks: the backend's own, or a monotonic one. As long as the session. */
ob_clock ob_session_clock(ob_session *session);
/* The backend's properties, for the header record: an object that lives as long as the session. */
const ob_json *ob_session_properties(const ob_session *session);
/* Its library and that one's version, "oneDNN 2.6.3"; "" = it does not say. The library may be loaded for that. */
void ob_session_library(ob_session *session, ob_reason *out);
/* Calls fn for each operator that the backend brings; OB_ERR_UNSUPPORTED when it brings none. */
ob_status ob_session_schemas(ob_session *session, ob_schema_fn fn, void *ctx, ob_err *err);
/* Why the backend never runs that operator of its own ("aten::from_file"); NULL = it does. Static. */
const char *ob_session_refuses(ob_session *session, const char *name);

/* ---- in a worker process ---- */

/* The descriptors that a supervisor gives its worker. */
typedef struct ob_worker_fds {
    size_t size; /* sizeof(ob_worker_fds) */
    int socket;  /* messages */
    int state;   /* memory that both see */
    int ring;    /* memory shared by all that take turns; 0 = it runs alone */
    unsigned ring_member;
    unsigned
        counts; /* above 0: it runs under valgrind and counts this often, instead of measuring */
} ob_worker_fds;

/* Whether the backend's manifest names a host: a program in which its workers run, such as an interpreter. */
bool ob_backend_has_host(const ob_context *context, const char *backend);
/* Where it does, this process becomes that program, which calls opbench again as
 * `opbench worker --hosted` and the words; it returns only when that fails. OB_OK: the backend needs no host, or is not there. For
 * processes that were started to open a backend. */
ob_status ob_host_enter(const ob_context *context, const char *backend, const char *const *words,
                        size_t word_count, ob_err *err);

/* For such a process: answers one question of the one that started it over the socket. */
ob_status ob_worker_answer(ob_context *context, const ob_run_options *options, const char *what,
                           int socket, ob_err *err);

/* The worker's whole life: takes leases until the supervisor is gone. err must not be NULL. */
ob_status ob_worker_serve(ob_context *context, const ob_config *config,
                          const ob_run_options *options, const ob_worker_fds *fds, ob_err *err);

#define OB_ALL_CASES UINT64_MAX

/* How far a step of a trace is. */
typedef struct ob_run_progress {
    uint64_t index;      /* of the case */
    const char *backend; /* that is on it */
    uint64_t pass;       /* from 0, warm-up included */
    uint64_t passes;     /* as many are asked for; 0 = it depends on their times */
    uint64_t done, size; /* calls of the pass, and how many it has */
} ob_run_progress;

/* One of several that are measured side by side: what is different about it. Zero is what the run's options say. */
struct ob_side {
    size_t size;                 /* sizeof(ob_side) */
    const char *name;            /* its own among the sides of a run */
    const char *backend;         /* one name; the same as another side's is fine */
    const char *backend_options; /* those of the run are for the run's backend: they go with it */
    const char *device;
    int64_t threads;
    /* Lists, ended by NULL; NULL = none. */
    const char *const *variables; /* "NAME=VALUE" in the environment of its workers */
    const char *const *plugins;   /* files that its workers load before all others */
    const char *program;          /* whose workers are its own: another build of opbench */
};

/* What the processes of a case gave so far on one side. The library makes it. */
typedef struct ob_side_progress {
    const char *name;
    bool failed; /* it has its record, and takes part no more */
    /* Of these the lists of times, of disturbed samples and of samples per process; NULL = there are none. */
    const ob_record_pass *forward, *backward;
} ob_side_progress;

/* The library makes it; it is valid during the call. */
struct ob_sides_progress {
    uint64_t index;                /* of the case */
    int64_t processes;             /* that each side ran in */
    const ob_side_progress *sides; /* in their order; side_size bytes each */
    size_t side_size, side_count;
    double seconds;       /* since the case began */
    double start_seconds; /* of these, starting processes */
    double measured;      /* of these, what the samples of all sides took */
};

/* Cases of a config: first, first + step, ...: count of them. */
typedef struct ob_case_range {
    uint64_t first, count;
    uint64_t step; /* 0 = 1 */
} ob_case_range;

/* What a run is told apart from how to measure. */
typedef struct ob_run_params {
    size_t size; /* sizeof(ob_run_params) */
    const ob_run_options *options;
    /* The program that is started as `PROGRAM worker ...`; NULL = cases run in this process, and a crash
     * of an operator is a crash of the caller. */
    const char *worker_program;
    uint64_t first, count; /* which cases; count OB_ALL_CASES = all from first on */
    const ob_done *done;   /* cases to leave out; NULL = none */
    /* A line came (with its newline). The record is parsed and valid during the call. Lines of a case's parts come
     * before its own. */
    ob_status (*on_record)(void *ctx, const ob_record *record, const char *line, size_t length,
                           ob_err *err);
    /* Before the first record: the backend's properties. May be NULL. */
    ob_status (*on_ready)(void *ctx, const ob_json *properties, ob_err *err);
    /* Asked often: 0 = go on, 1 = end after the present case, 2 = end at once. May be NULL. */
    int (*stop)(void *ctx);
    /* How far a case that has parts is, some times a second. May be NULL. */
    void (*on_progress)(void *ctx, const struct ob_run_progress *progress);
    void *ctx;
    /* How long a worker that has cases may do nothing outside of one, before it is taken for stopped; 0 = 60 s. */
    double worker_idle_s;
    /* What options->wrap printed after the last case of a worker. May be NULL. */
    void (*on_wrapped)(void *ctx, const char *text, size_t length);
    /* Measured side by side, in turns; the first is what the ratios of the others are against. NULL = the names of
     * options->backend, if there are several, are sides that are called so. Needs worker_program. */
    const ob_side *const *sides;
    size_t side_count; /* 0 = none */
    /* Sides with options->processes above 1, which then is the most: asked after each process of a case. Not 0: it has
     * enough of them. May be NULL. */
    int (*enough)(void *ctx, const ob_sides_progress *progress);
    void *enough_ctx;
    /* Instead of first and count: these cases, range after range. Each lies within the config. NULL = none. */
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

/* Runs the cases of a config. A case that fails, crashes, hangs or eats the memory is a record; OB_OK means
 * that every case has one (or the run was interrupted). Errors: the backend cannot be opened, a hook
 * failed, workers cannot be started. */
ob_status ob_run(ob_context *context, const ob_config *config, const ob_run_params *params,
                 ob_run_summary *summary, ob_err *err);

/* One operator of a backend's own; refused: why it never runs it, or NULL. */
typedef ob_status (*ob_backend_schema_fn)(void *ctx, const char *schema, const char *refused);
/* ob_session_schemas of a backend that is opened in a process of its own. */
ob_status ob_backend_schemas(ob_context *context, const ob_run_options *options,
                             ob_backend_schema_fn fn, void *ctx, ob_err *err);

/* Where a config names iterators or data generators that are not registered here, and the user brought code of their own to
 * one of the options' backends (an option of its manifest): *doc becomes what that backend makes of it, in a process of its own. It is
 * data as the config was, to be opened by ob_config_open_json. */
ob_status ob_config_expand_foreign(ob_context *context, const ob_run_options *options,
                                   ob_json_doc **doc, ob_err *err);

/* Whether a backend can be opened. */
typedef struct ob_backend_trial {
    const char *name; /* the caller's; NULL = it is not to be tried */
    bool tried;       /* not without room for another process: then it is what its probe said */
    bool opened;
    char text[1024]; /* its library, "oneDNN 2.6.3", or ""; else why it cannot be opened */
    /* What it said when it was opened before will do, as long as no file has changed that was loaded then. */
    bool may_recall;
    bool without_symbols; /* the library that its manifest names has no debug symbols */
    char isa[48];         /* the instruction set that it says it uses, "AVX2"; "" = it says none */
} ob_backend_trial;

/* Opens each in a process of its own, all at the same time; one that crashes or hangs has that as its reason. */
void ob_backends_try_sized(ob_context *context, void *trials, size_t trial_size, size_t count);
static inline void ob_backends_try(ob_context *context, ob_backend_trial *trials, size_t count)
{
    ob_backends_try_sized(context, trials, sizeof *trials, count);
}

struct ob_roofline;
/* Adds what a device with memory of its own can do (opbench/roofline.h), by the backend, and on the device that the options name, in
 * a process of its own: copies to it, from it and on it, and operators that move bytes alone. seconds: about, for all of it. A
 * backend that computes in the host's memory has none, which is OB_OK. */
ob_status ob_device_ceilings(ob_context *context, const ob_run_options *options, double seconds,
                             struct ob_roofline *roofline, ob_err *err);

/* Whether a name is one of names, "a,b"; NULL = every one is. */
bool ob_backend_is_among(const char *names, const char *name);
/* The same of a backend that may be there as a variant: "a,b:v" means "b". */
bool ob_backend_is_meant(const char *names, const char *name);
/* Notes beside the ceilings which files each backend of names has loaded; those are opened that were not before. */
ob_status ob_roofline_note_libraries(ob_context *context, const char *names,
                                     struct ob_roofline *roofline, ob_err *err);
/* Whether it asks for a new measurement: another kernel, microcode or library of the backends of names is there now. why says it:
 * "under Linux 6.1.0, ..., and this is ...". Opens nothing. */
bool ob_roofline_is_outdated(const struct ob_roofline *roofline, const char *names, char *why,
                             size_t size);

#ifdef __cplusplus
}
#endif
#endif
