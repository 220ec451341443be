/* SPDX-License-Identifier: Apache-2.0
 *
 * Running cases: options, a session (one opened backend in this process), and a supervised run over a
 * whole config with a worker process.
 */
#ifndef OPBENCH_RUN_H
#define OPBENCH_RUN_H

#include "opbench/config.h"
#include "opbench/record.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How cases are measured. ob_run_options_init gives the defaults; the rows of ob_run_option_rows fill it
 * from a command line, print it for a worker and for the repro line of a record. */
typedef struct ob_run_options {
    const char *backend; /* NULL = the first that works: native */
    const char *device;  /* NULL = "cpu" */
    int64_t warmup, iteration;
    bool backward;
    const char *exec_mode; /* "discrete", "continuous", "continuous_events" */
    const char *cache;     /* "hot", "cold" */
    const char *l2_cache;  /* PARAM's word for it: "on" = hot, "off" = cold; NULL = cache decides */
    double min_time_s;     /* > 0: measure at least as long, instead of `iteration` */
    double
        precision; /* > 0: until the interval's relative half width is below, instead of `iteration` */
    int64_t block; /* continuous: iterations per block; 0 = all */
    int64_t threads;
    int64_t cpu; /* pin to it; -1 = not pinned */
    int64_t seed;
    double case_timeout_s;  /* 0 = none */
    int64_t max_memory_mib; /* 0 = three quarters of the machine's */
    bool inference_mode;
    const char *config_name; /* for repro lines; no row. NULL = "CONFIG" */
    const char
        *backend_options; /* "forward_ns=700,queue=off": rows of the backend; NULL = defaults */
} ob_run_options;

void ob_run_options_init(ob_run_options *options);
/* Rows that fill ob_run_options, ended by name == NULL. */
const ob_option *ob_run_option_rows(void);
/* OB_ERR_INVALID for combinations that make no sense, naming the option and the cure. */
ob_status ob_run_options_check(const ob_run_options *options, ob_err *err);
/* Appends the options that differ from the defaults as words of a command line ("--exec-mode continuous"),
 * quoted for a shell. */
ob_status ob_run_options_print(const ob_run_options *options, ob_text *text, ob_err *err);

/* ---- in this process ---- */

typedef struct ob_session ob_session;

/* Opens the backend (its library is loaded here), sets threads and pins. The context must outlive it. */
ob_status ob_session_open(ob_context *context, const ob_run_options *options, ob_session **out,
                          ob_err *err);
void ob_session_close(ob_session *session); /* NULL is allowed */

/* Runs one case and fills a result record; a failure of the case is a record with its status and
 * reason, and OB_OK. What the record points to lives until the next call or the end of the session. */
ob_status ob_session_run(ob_session *session, const ob_case *c, ob_record *record, ob_err *err);
/* The backend's properties, for the header record: an object that lives as long as the session. */
const ob_json *ob_session_properties(const ob_session *session);

/* ---- in a worker process ---- */

/* The descriptors that a supervisor gives its worker. */
typedef struct ob_worker_fds {
    int socket; /* messages */
    int state;  /* memory that both see */
} ob_worker_fds;

/* The worker's whole life: takes leases until the supervisor is gone. err must not be NULL. */
ob_status ob_worker_serve(ob_context *context, const ob_config *config,
                          const ob_run_options *options, const ob_worker_fds *fds, ob_err *err);

/* What a run is told besides how to measure. */
typedef struct ob_run_params {
    const ob_run_options *options;
    /* The program that is started as `PROGRAM worker ...`; NULL = cases run in this process, and a crash
     * of an operator is a crash of the caller. */
    const char *worker_program;
    uint64_t first, count; /* which cases; count UINT64_MAX = all from first on */
    const ob_done *done;   /* cases to leave out; NULL = none */
    /* A line came (with its newline). The record is parsed and valid during the call. */
    ob_status (*on_record)(void *ctx, const ob_record *record, const char *line, size_t length,
                           ob_err *err);
    /* Before the first record: the backend's properties. May be NULL. */
    ob_status (*on_ready)(void *ctx, const ob_json *properties, ob_err *err);
    /* Asked often: 0 = go on, 1 = end after the present case, 2 = end at once. May be NULL. */
    int (*stop)(void *ctx);
    void *ctx;
} ob_run_params;

typedef struct ob_run_summary {
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

#ifdef __cplusplus
}
#endif
#endif
