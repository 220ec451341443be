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

/* Who computes where no backend is named, and whom --check compares a single one with. */
#define OB_REFERENCE_BACKEND "native"

/* How the Timer measures (opbench/timer.h), and how the measurement is called. */
typedef struct ob_timer_options {
    const char *method; /* "blocked", "adaptive", "timeit"; NULL = not by the Timer */
    int64_t number;
    double min_run_time_s; /* below 0: the method's default */
    double max_run_time_s, threshold;
    const char *label, *sub_label, *description, *env; /* NULL = none */
} ob_timer_options;

/* How cases are measured. ob_run_options_init gives the defaults; the rows below fill it
 * from a command line, print it for a worker and for the repro line of a record. */
typedef struct ob_run_options {
    const char *backend; /* NULL = the first that works: native. ob_run takes several, "a,b" */
    const char *device;  /* "cpu,opencl:0": which the backend has first; NULL = its own first */
    int64_t warmup, iteration;
    bool backward;
    const char *exec_mode; /* "discrete", "continuous", "continuous_events" */
    const char *cache;     /* "hot", "cold"; NULL = l2_cache decides, hot if it is NULL too */
    const char *l2_cache;  /* PARAM's word for it: "on" = hot, "off" = cold; NULL = cache decides */
    double min_time_s;     /* > 0: measure at least as long, instead of `iteration` */
    double
        precision; /* > 0: until the interval's relative half width is below, instead of `iteration` */
    int64_t block; /* continuous: iterations per block; 0 = all */
    int64_t threads;
    int64_t cpu; /* pin to it; -1 = not pinned */
    int64_t seed;
    int64_t processes; /* 1 = one worker for all cases; more = each case in so many fresh ones */
    double case_timeout_s;  /* 0 = none */
    int64_t max_memory_mib; /* 0 = three quarters of the machine's */
    bool inference_mode;
    bool check; /* compare results with those of the first backend, or of native if there is one */
    bool profile;           /* records say when the phases of a case began and how long they took */
    bool count;             /* instructions too: each case once more in a process under valgrind */
    const char *count_with; /* "callgrind" or "perf_event" alone; NULL = both */
    int64_t count_number;   /* iterations that a count is of */
    const char *count_dir;  /* where tables by function are kept; NULL = nowhere */
    double count_timeout_s; /* of a case under valgrind */
    int64_t count_repeats;  /* above 0: cases are counted so often, and not timed; no row */
    ob_timer_options timer;
    /* For repro lines; no rows. */
    const char *config_name;    /* "-" = standard input; NULL = "CONFIG" */
    const char *config_command; /* prints the config, in place of a file; NULL = none */
    const char *program;        /* NULL = "opbench" */
    const char *command;        /* NULL = "run", or "time" for the Timer */
    bool by_words;              /* the case came from words of a command line */
    const char *library_caps;   /* "on", "quiet", "off": see OB_RUN_CAPS_ROWS; NULL = on */
    const char
        *backend_options; /* "forward_ns=700,queue=off": rows of the backend; NULL = defaults */
} ob_run_options;

/* The rows, for tables of one's own: base is the offset of the ob_run_options in the struct that is filled.
 * In groups, because a command may have its own way to say some of it. */
#define OB_RUN_PLACE_ROWS(base)                                                                    \
    {.name = "backend",                                                                            \
     .type = OB_OPTION_STRING,                                                                     \
     .offset = (base) + offsetof(ob_run_options, backend),                                         \
     .value = "NAME",                                                                              \
     .help = "Who computes; `opbench list backends` shows them. native if not given. Several "     \
             "(a,b) run "                                                                          \
             "every case in turns, block by block, on one CPU; the first is what the others are "  \
             "compared with."},                                                                    \
        {.name = "backend-options",                                                                \
         .type = OB_OPTION_STRING,                                                                 \
         .offset = (base) + offsetof(ob_run_options, backend_options),                             \
         .value = "LIST",                                                                          \
         .help = "Options of the backend itself, as name=value,name=value; with several "          \
                 "backends NAME.name=value."},                                                     \
    {                                                                                              \
        .name = "device", .letter = 'd', .type = OB_OPTION_STRING,                                 \
        .offset = (base) + offsetof(ob_run_options, device), .value = "DEVICE",                    \
        .help = "Where: cpu, cuda:0, opencl:0, ...; the backend's first device if not given. Of "  \
                "several (cpu,opencl:0) each backend takes the one that it has first."             \
    }
/* Commands that have this row correct libraries before they load any. */
#define OB_RUN_CAPS_ROWS(base)                                                                     \
    {                                                                                              \
        .name = "library-caps", .type = OB_OPTION_CHOICE,                                          \
        .offset = (base) + offsetof(ob_run_options, library_caps), .value = "STATE",               \
        .choices = "on|quiet|off",                                                                 \
        .help = "Whether libraries are corrected that would take instructions which this machine " \
                "announces but does not have, or kernels far below it: on says so on standard "    \
                "error, quiet does not; the header record has it. $OPBENCH_LIBRARY_CAPS if not "   \
                "given, else on."                                                                  \
    }
#define OB_RUN_SAMPLING_ROWS(base)                                                                 \
    {.name = "warmup",                                                                             \
     .letter = 'w',                                                                                \
     .type = OB_OPTION_INT,                                                                        \
     .offset = (base) + offsetof(ob_run_options, warmup),                                          \
     .value = "N",                                                                                 \
     .help = "Warm-up iterations (1); 0 or less: none."},                                          \
        {.name = "iteration",                                                                      \
         .letter = 'i',                                                                            \
         .type = OB_OPTION_INT,                                                                    \
         .offset = (base) + offsetof(ob_run_options, iteration),                                   \
         .value = "N",                                                                             \
         .help = "Measured iterations (1); 0 or less: none."},                                     \
        {.name = "min-time",                                                                       \
         .type = OB_OPTION_DOUBLE,                                                                 \
         .offset = (base) + offsetof(ob_run_options, min_time_s),                                  \
         .value = "SECONDS",                                                                       \
         .open = true,                                                                             \
         .max = 1e6,                                                                               \
         .help = "Measure until the samples took so long, instead of a number of iterations."},    \
        {.name = "precision",                                                                      \
         .type = OB_OPTION_DOUBLE,                                                                 \
         .offset = (base) + offsetof(ob_run_options, precision),                                   \
         .value = "SHARE",                                                                         \
         .open = true,                                                                             \
         .max = 1,                                                                                 \
         .help =                                                                                   \
             "Measure until the 95 % confidence interval of the mean is within this share of it, " \
             "such as 0.01."},                                                                     \
        {.name = "backward",                                                                       \
         .letter = 'b',                                                                            \
         .type = OB_OPTION_FLAG,                                                                   \
         .offset = (base) + offsetof(ob_run_options, backward),                                    \
         .help = "Include the backward pass."},                                                    \
        {.name = "exec-mode",                                                                      \
         .type = OB_OPTION_CHOICE,                                                                 \
         .offset = (base) + offsetof(ob_run_options, exec_mode),                                   \
         .value = "MODE",                                                                          \
         .choices = "discrete|continuous|continuous_events",                                       \
         .help = "One sample per iteration; per block of iterations; or per iteration by the "     \
                 "device's "                                                                       \
                 "events. discrete if not given."},                                                \
        {.name = "block",                                                                          \
         .type = OB_OPTION_INT,                                                                    \
         .offset = (base) + offsetof(ob_run_options, block),                                       \
         .value = "N",                                                                             \
         .max = 1e12,                                                                              \
         .help = "Iterations per block in continuous mode; all of them if not given."},            \
        {.name = "cache",                                                                          \
         .type = OB_OPTION_CHOICE,                                                                 \
         .offset = (base) + offsetof(ob_run_options, cache),                                       \
         .value = "STATE",                                                                         \
         .choices = "hot|cold",                                                                    \
         .help = "Leave operands in the cache between samples, or flush them (discrete mode)."},   \
    {                                                                                              \
        .name = "cuda-l2-cache", .type = OB_OPTION_CHOICE,                                         \
        .offset = (base) + offsetof(ob_run_options, l2_cache), .value = "STATE",                   \
        .choices = "on|off", .help = "The same in PARAM's words: on is hot, off is cold."          \
    }
#define OB_RUN_THREADS_ROWS(base)                                                                  \
    {                                                                                              \
        .name = "num-threads", .type = OB_OPTION_INT,                                              \
        .offset = (base) + offsetof(ob_run_options, threads), .value = "N", .min = 1, .max = 4096, \
        .help = "Threads of every library underneath (1)."                                         \
    }
#define OB_RUN_PROCESS_ROWS(base)                                                                  \
    {.name = "pin",                                                                                \
     .type = OB_OPTION_INT,                                                                        \
     .offset = (base) + offsetof(ob_run_options, cpu),                                             \
     .value = "CPU",                                                                               \
     .max = 4095,                                                                                  \
     .help = "Run on this CPU alone."},                                                            \
        {.name = "seed",                                                                           \
         .type = OB_OPTION_INT,                                                                    \
         .offset = (base) + offsetof(ob_run_options, seed),                                        \
         .value = "N",                                                                             \
         .max = 9223372036854775807.0,                                                             \
         .help = "Seed of the generated data (0)."},                                               \
        {.name = "processes",                                                                      \
         .type = OB_OPTION_INT,                                                                    \
         .offset = (base) + offsetof(ob_run_options, processes),                                   \
         .value = "N",                                                                             \
         .min = 1,                                                                                 \
         .max = 10000,                                                                             \
         .help = "Measure each case in so many fresh processes, each with its own warm-up and "    \
                 "samples; one record holds all, its interval is over the processes (1)."},        \
        {.name = "case-timeout",                                                                   \
         .type = OB_OPTION_DOUBLE,                                                                 \
         .offset = (base) + offsetof(ob_run_options, case_timeout_s),                              \
         .value = "SECONDS",                                                                       \
         .max = 1e9,                                                                               \
         .help = "A case that takes longer fails, and the run goes on; none if not given."},       \
    {                                                                                              \
        .name = "max-memory", .type = OB_OPTION_INT,                                               \
        .offset = (base) + offsetof(ob_run_options, max_memory_mib), .value = "MIB", .max = 1e9,   \
        .help =                                                                                    \
            "A case that needs more fails, and the run goes on; three quarters of the machine's "  \
            "memory if not given."                                                                 \
    }
#define OB_RUN_CHECK_ROWS(base)                                                                    \
    {                                                                                              \
        .name = "check", .type = OB_OPTION_FLAG,                                                   \
        .offset = (base) + offsetof(ob_run_options, check),                                        \
        .help = "Compare results, and with -b gradients, with those of the first backend (with a " \
                "single one: of native); a case that differs fails."                               \
    }
#define OB_RUN_PROFILE_ROWS(base)                                                                  \
    {                                                                                              \
        .name = "profile", .letter = 'p', .type = OB_OPTION_FLAG,                                  \
        .offset = (base) + offsetof(ob_run_options, profile),                                      \
        .help = "Write a trace file for Chrome or Perfetto: phases, cases, iterations."            \
    }
#define OB_RUN_INFERENCE_ROWS(base)                                                                \
    {                                                                                              \
        .name = "inference-mode", .type = OB_OPTION_FLAG,                                          \
        .offset = (base) + offsetof(ob_run_options, inference_mode),                               \
        .help = "Without autograd's bookkeeping, where the backend has it."                        \
    }
#define OB_RUN_COUNT_ROWS(base)                                                                    \
    {.name = "count",                                                                              \
     .type = OB_OPTION_FLAG,                                                                       \
     .offset = (base) + offsetof(ob_run_options, count),                                           \
     .help = "Count instructions too: each case once more, in a process under valgrind, and by "   \
             "the processor's own counters where it has some."},                                   \
        {.name = "count-with",                                                                     \
         .type = OB_OPTION_CHOICE,                                                                 \
         .offset = (base) + offsetof(ob_run_options, count_with),                                  \
         .value = "SOURCE",                                                                        \
         .choices = "callgrind|perf_event",                                                        \
         .help = "With --count: only this way of counting."},                                      \
        {.name = "count-number",                                                                   \
         .type = OB_OPTION_INT,                                                                    \
         .offset = (base) + offsetof(ob_run_options, count_number),                                \
         .value = "N",                                                                             \
         .min = 1,                                                                                 \
         .max = 1 << 30,                                                                           \
         .help = "With --count: iterations that a count is of (10)."},                             \
        {.name = "count-dir",                                                                      \
         .type = OB_OPTION_STRING,                                                                 \
         .offset = (base) + offsetof(ob_run_options, count_dir),                                   \
         .value = "DIR",                                                                           \
         .help = "With --count: keep the counts by function there, for `opbench count show` and "  \
                 "`diff`."},                                                                       \
    {                                                                                              \
        .name = "count-timeout", .type = OB_OPTION_DOUBLE,                                         \
        .offset = (base) + offsetof(ob_run_options, count_timeout_s), .value = "SECONDS",          \
        .max = 1e9,                                                                                \
        .help = "With --count: how long a case may take under valgrind (600); 0: as long as it "   \
                "takes."                                                                           \
    }
#define OB_RUN_OPTION_ROWS(base)                                                                   \
    OB_RUN_PLACE_ROWS(base), OB_RUN_SAMPLING_ROWS(base), OB_RUN_THREADS_ROWS(base),                \
        OB_RUN_PROCESS_ROWS(base), OB_RUN_PROFILE_ROWS(base), OB_RUN_INFERENCE_ROWS(base),         \
        OB_RUN_CHECK_ROWS(base), OB_RUN_COUNT_ROWS(base), OB_RUN_CAPS_ROWS(base)

/* How the Timer measures a case, for `opbench time`. */
#define OB_TIMER_OPTION_ROWS(base)                                                                 \
    {.name = "method",                                                                             \
     .type = OB_OPTION_CHOICE,                                                                     \
     .offset = (base) + offsetof(ob_run_options, timer.method),                                    \
     .value = "METHOD",                                                                            \
     .choices = "blocked|adaptive|timeit",                                                         \
     .help = "Blocks for a given time; blocks until their spread is small; or one block of "       \
             "--number. blocked if not given."},                                                   \
        {.name = "number",                                                                         \
         .letter = 'n',                                                                            \
         .type = OB_OPTION_INT,                                                                    \
         .offset = (base) + offsetof(ob_run_options, timer.number),                                \
         .value = "N",                                                                             \
         .min = 1,                                                                                 \
         .max = 1e15,                                                                              \
         .help = "timeit: iterations of the block (1000000); giving it means --method timeit."},   \
        {.name = "min-run-time",                                                                   \
         .type = OB_OPTION_DOUBLE,                                                                 \
         .offset = (base) + offsetof(ob_run_options, timer.min_run_time_s),                        \
         .value = "SECONDS",                                                                       \
         .max = 1e6,                                                                               \
         .help = "How long the blocks of a measurement take in all, at least (blocked 0.2, "       \
                 "adaptive 0.01)."},                                                               \
        {.name = "max-run-time",                                                                   \
         .type = OB_OPTION_DOUBLE,                                                                 \
         .offset = (base) + offsetof(ob_run_options, timer.max_run_time_s),                        \
         .value = "SECONDS",                                                                       \
         .max = 1e6,                                                                               \
         .help = "adaptive: give up after so long (10); 0: never."},                               \
        {.name = "threshold",                                                                      \
         .type = OB_OPTION_DOUBLE,                                                                 \
         .offset = (base) + offsetof(ob_run_options, timer.threshold),                             \
         .value = "SHARE",                                                                         \
         .max = 1e6,                                                                               \
         .help = "adaptive: go on until the interquartile range is below this share of the "       \
                 "median (0.1)."},                                                                 \
        {.name = "label",                                                                          \
         .type = OB_OPTION_STRING,                                                                 \
         .offset = (base) + offsetof(ob_run_options, timer.label),                                 \
         .value = "TEXT",                                                                          \
         .help = "What the measurement is of; one table per label in comparisons."},               \
        {.name = "sub-label",                                                                      \
         .type = OB_OPTION_STRING,                                                                 \
         .offset = (base) + offsetof(ob_run_options, timer.sub_label),                             \
         .value = "TEXT",                                                                          \
         .help = "Which implementation; a row in comparisons. The call if not given."},            \
        {.name = "description",                                                                    \
         .type = OB_OPTION_STRING,                                                                 \
         .offset = (base) + offsetof(ob_run_options, timer.description),                           \
         .value = "TEXT",                                                                          \
         .help = "Which inputs; a column in comparisons."},                                        \
    {                                                                                              \
        .name = "env", .type = OB_OPTION_STRING,                                                   \
        .offset = (base) + offsetof(ob_run_options, timer.env), .value = "TEXT",                   \
        .help = "Which environment, such as a branch; rows are grouped by it in comparisons."      \
    }

void ob_run_options_init(ob_run_options *options);
/* How many names `backend` has, separated by commas; one if it is not given. */
size_t ob_run_options_backend_count(const ob_run_options *options);
/* Whether one of them brings operators of its own, beyond those that the core knows. */
bool ob_run_options_bring_operators(const ob_context *context, const ob_run_options *options);
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
/* Prepares the case and gives it as a task of the Timer: forward passes on the session's backend, or, with options.backward, each
 * with its backward. The
 * task lives until the next call or the end of the session. Fails where a record would say so. */
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
    int socket; /* messages */
    int state;  /* memory that both see */
    int ring;   /* memory that all see who take turns; 0 = it runs alone */
    int check;  /* file with the results to compare with; 0 = none */
    unsigned ring_member;
    const char *reference; /* with check: the backend whose results they are */
    unsigned counts; /* above 0: it runs under valgrind and counts so often, instead of measuring */
} ob_worker_fds;

/* The worker's whole life: takes leases until the supervisor is gone. err must not be NULL. */
ob_status ob_worker_serve(ob_context *context, const ob_config *config,
                          const ob_run_options *options, const ob_worker_fds *fds, ob_err *err);

#define OB_ALL_CASES UINT64_MAX

/* What a run is told besides how to measure. */
typedef struct ob_run_params {
    const ob_run_options *options;
    /* The program that is started as `PROGRAM worker ...`; NULL = cases run in this process, and a crash
     * of an operator is a crash of the caller. */
    const char *worker_program;
    uint64_t first, count; /* which cases; count OB_ALL_CASES = all from first on */
    const ob_done *done;   /* cases to leave out; NULL = none */
    /* A line came (with its newline). The record is parsed and valid during the call. */
    ob_status (*on_record)(void *ctx, const ob_record *record, const char *line, size_t length,
                           ob_err *err);
    /* Before the first record: the backend's properties. May be NULL. */
    ob_status (*on_ready)(void *ctx, const ob_json *properties, ob_err *err);
    /* Asked often: 0 = go on, 1 = end after the present case, 2 = end at once. May be NULL. */
    int (*stop)(void *ctx);
    void *ctx;
    /* How long a worker that has cases may do nothing outside of one, before it is taken for stopped; 0 = 60 s. */
    double worker_idle_s;
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

/* Whether a backend can be opened. */
typedef struct ob_backend_trial {
    const char *name; /* the caller's; NULL = it is not to be tried */
    bool tried;       /* not without room for another process: then it is what its probe said */
    bool opened;
    char text[1024]; /* its library, "oneDNN 2.6.3", or ""; else why it cannot be opened */
} ob_backend_trial;

/* Opens each in a process of its own, all at the same time; one that crashes or hangs has that as its reason. */
void ob_backends_try(ob_context *context, ob_backend_trial *trials, size_t count);

#ifdef __cplusplus
}
#endif
#endif
