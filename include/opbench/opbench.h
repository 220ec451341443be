/* SPDX-License-Identifier: Apache-2.0
 *
 * What most programs that measure need: a context, configs, jobs that turn them into records, the
 * Timer, comparisons, fuzzers. The rest has headers of its own: opbench/builder.h makes configs in
 * memory, opbench/run.h runs single cases, opbench/record.h has the members of records,
 * opbench/report.h their tables, opbench/plugin.h what plug-ins bring. docs/library.md shows how
 * they go together.
 *
 * Structs that a caller fills begin with their `size`, so that they can grow; small values (texts,
 * tensors, clocks, statistics) never grow, and structs that the library fills for reading grow at
 * their end.
 */
#ifndef OPBENCH_OPBENCH_H
#define OPBENCH_OPBENCH_H

#include "opbench/basic.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ a context */

typedef struct ob_context ob_context;

/* Creates a context with the core's operators, generators and iterators. log may be NULL; it is
 * copied. */
ob_status ob_context_create(const ob_log *log, ob_context **out, ob_err *err);
void ob_context_destroy(ob_context *context); /* NULL is allowed; plug-ins stay loaded */
/* Loads every *.so of the directories in $OPBENCH_PLUGIN_PATH (colon separated) and then of
 * `library_dir` (NULL = the directory set at build time), in name order. One that cannot be loaded
 * is logged as a warning, remembered with its reason, and does not stop the others; one that
 * reports that it cannot work here is only remembered. Afterwards, listings also contain those of
 * opbench's own backends that were not found. */
ob_status ob_plugin_discover(ob_context *context, const char *library_dir, ob_err *err);

/* ------------------------------------------------------------------ a config: cases to measure */

typedef struct ob_config ob_config;
typedef struct ob_config_options ob_config_options; /* opbench/config.h */

/* Every error of the config (at most 20) goes to the context's log as OB_LOG_ERROR; *err holds the
 * first. Warnings go to the log too. The context must outlive the config. options may be NULL. */
ob_status ob_config_open_file(ob_context *context, const char *path,
                              const ob_config_options *options, ob_config **out, ob_err *err);
/* name is for messages; data is copied. */
ob_status ob_config_open_memory(ob_context *context, const char *name, const void *data,
                                size_t size, const ob_config_options *options, ob_config **out,
                                ob_err *err);
void ob_config_destroy(ob_config *config); /* NULL is allowed; after its ob_cases */

/* ------------------------------------------------------------------ how they are measured */

/* How the Timer measures (opbench/timer.h), and the names of the measurement. */
typedef struct ob_timer_options {
    const char *method; /* "blocked", "adaptive", "timeit"; NULL = not by the Timer */
    int64_t number;
    double min_run_time_s; /* below 0: the method's default */
    double max_run_time_s, threshold;
    const char *label, *sub_label, *description, *env; /* NULL = none */
} ob_timer_options;

/* How cases are measured. ob_run_options_init sets the defaults of the option rows; the same rows
 * fill the struct from a command line, and print it for a worker and for the repro line of a
 * record. */
typedef struct ob_run_options {
    size_t size;         /* sizeof(ob_run_options) */
    const char *backend; /* NULL = the first that works: native. ob_run takes several, "a,b" */
    const char *device;  /* "cpu,opencl:0": the first that the backend has; NULL = its first */
    int64_t warmup, iteration;
    bool backward;
    const char *exec_mode; /* "discrete", "continuous", "continuous_events" */
    const char *cache;     /* "hot", "cold"; NULL = l2_cache decides, hot if it is NULL too */
    const char *l2_cache;  /* PARAM's word for it: "on" = hot, "off" = cold; NULL = cache decides */
    double min_time_s;     /* > 0: measure at least this long, instead of `iteration` */
    double precision;      /* > 0: until the interval's relative half width is below it */
    int64_t block;         /* continuous: iterations per block; 0 = all */
    int64_t threads;
    const char *pin; /* "0,2,4-7": a CPU for each thread; NULL = not pinned */
    int64_t seed;
    int64_t processes; /* 1 = one worker for all cases; more = each case in this many fresh ones */
    double case_timeout_s;  /* 0 = none */
    int64_t max_memory_mib; /* 0 = three quarters of the machine's */
    bool inference_mode;
    bool check;             /* compare results with the reference's */
    bool profile;           /* records say when the phases of a case began and how long they took */
    bool count;             /* also count instructions: each case once more, under valgrind */
    const char *count_with; /* "callgrind" or "perf_event" alone; NULL = both */
    int64_t count_number;   /* iterations to count */
    const char *count_dir;  /* where tables by function are kept; NULL = nowhere */
    double count_timeout_s; /* limit for a case under valgrind */
    int64_t count_repeats;  /* above 0: cases are counted this often, and not timed; no row */
    ob_timer_options timer;
    /* For repro lines; these have no option rows. */
    const char *config_name;    /* "-" = standard input; NULL = "CONFIG" */
    const char *config_command; /* prints the config, in place of a file; NULL = none */
    const char *program;        /* NULL = "opbench" */
    const char *command;        /* NULL = "run", or "time" for the Timer */
    bool by_words;              /* the case came from words of a command line */
    const char *library_caps;   /* "on", "quiet", "off"; NULL = on */
    const char *roofline; /* file of ceilings or "off"; NULL = OPBENCH_ROOFLINE, or the machine's */
    const char *backend_options; /* "forward_ns=700,queue=off": of the backend; NULL = none */
    /* What makes cases that are not operators: ob_replay_maker(), ob_snippet_maker(); NULL = there
     * are none. No row. */
    const struct ob_case_maker *maker;
    const char *membind; /* "0" or "0-1": NUMA nodes that all memory comes from; NULL = any */
    const char *wrap;    /* "perf stat -d": command that workers run under; NULL = none */
    /* Words in front of the program in repro lines, quoted for a shell: "A=b "; NULL = none. No
     * row. */
    const char *repro_before;
    double warmup_time_s; /* warm up at least this long */
    double block_time_s; /* continuous, with a rule: how long a block should take; 0 = up to 1 ms */
    double turn_time_s;  /* several sides: how long a turn should be; 0 = a block, or 1 ms */
    int64_t min_samples; /* with a rule: at least this many, whatever the rule says */
    const char *side;    /* the side that is measured; NULL = there are none. No row */
} ob_run_options;

void ob_run_options_init_sized(ob_run_options *options, size_t size);
static inline void ob_run_options_init(ob_run_options *options)
{
    ob_run_options_init_sized(options, sizeof *options);
}

/* ------------------------------------------------------------------ a record: how a case went */

typedef struct ob_record ob_record; /* opbench/record.h */

/* The value of a field, by its path in docs/records.md: "statistics/forward/median", "status". NaN
 * or NULL if the record has no such field, or the field is not a number or not a text. A flag is 0
 * or 1. The text lives as long as the record. */
double ob_record_number(const ob_record *record, const char *path);
const char *ob_record_word(const ob_record *record, const char *path);

/* A file of records. */
typedef struct ob_record_reader ob_record_reader;
typedef struct ob_record_reader_params ob_record_reader_params; /* opbench/record.h */

/* "-" reads standard input. params may be NULL. */
ob_status ob_record_reader_open(const char *path, const ob_record_reader_params *params,
                                ob_record_reader **out, ob_err *err);
void ob_record_reader_close(ob_record_reader *reader); /* NULL is allowed */
/* The next record, valid until the next call; empty lines are skipped. OB_END after the last. A
 * line that is not a JSON object is OB_ERR_SYNTAX with its place; the next call continues after it.
 * Keys that are not rows are skipped; a value of another type than its row's is OB_ERR_SYNTAX. */
ob_status ob_record_reader_next(ob_record_reader *reader, const ob_record **out, ob_err *err);

/* ------------------------------------------------------------------ a job: cases become records */

typedef struct ob_job ob_job;
/* opbench/job.h, opbench/batch.h, opbench/run.h */
typedef struct ob_case_selection ob_case_selection;
typedef struct ob_job_progress ob_job_progress;
typedef struct ob_job_summary ob_job_summary;
typedef struct ob_job_batches ob_job_batches;
typedef struct ob_side ob_side;
typedef struct ob_sides_progress ob_sides_progress;
typedef struct ob_shard ob_shard; /* opbench/shard.h */

/* Cases of a config that are measured in the same way. */
typedef struct ob_job_part {
    const ob_config *config;
    const ob_case_selection *selection; /* NULL = all */
    const ob_run_options *options;      /* read when the job runs */
} ob_job_part;

typedef struct ob_job_configs {
    size_t size;              /* sizeof(ob_job_configs) */
    const ob_job_part *parts; /* measured one after the other */
    size_t part_size;         /* sizeof(ob_job_part) */
    size_t part_count;
    const char *name;              /* NULL = the first config's */
    const char *worker_program;    /* path of opbench; NULL = cases run in this process */
    const ob_run_options *options; /* for the header, about all parts; NULL = those of the first */
    const char *chosen_by;         /* see ob_job_source */
    const ob_json *sweep; /* what the configs were made from, for the header; NULL = none */
    const char *source;   /* what the cases are, for the header: "trace"; NULL = a config */
    const ob_job_batches *batches; /* NULL = no profiler */
    const ob_side *const *sides;   /* see ob_run_params; they must outlive the job */
    size_t side_count;
    int (*enough)(void *ctx, const ob_sides_progress *progress); /* see ob_run_params */
    void *enough_ctx;
} ob_job_configs;

typedef enum ob_job_mode {
    OB_JOB_NEW,     /* a file that holds something is refused, OB_ERR_INVALID */
    OB_JOB_REPLACE, /* it is emptied */
    OB_JOB_APPEND,  /* records go after what is there */
    OB_JOB_RESUME,  /* the same, but what it has is not measured again; the file must exist */
} ob_job_mode;

/* A result, for on_record. */
typedef struct ob_job_event {
    const ob_record *record; /* valid during the call, like the line */
    const char *line;        /* with its newline */
    size_t length;
    bool is_old; /* the resumed file had it; those come first, while the job is opened */
} ob_job_event;

typedef struct ob_job_params {
    size_t size; /* sizeof(ob_job_params) */
    /* The name of the file, or a prefix that makes one (ob_result_file_params.prefix). Neither:
     * there is no file, and records only go to on_record. */
    const char *output, *prefix;
    ob_job_mode mode; /* for a file named by `output` */
    /* Called while another run writes to the file: see ob_result_file_params.wait. NULL = that is
     * an error. */
    bool (*wait)(void *ctx, const char *path, int64_t pid);
    void *wait_ctx;
    /* For the header. All may be NULL. */
    const ob_json *arguments; /* every option by its name; NULL = those of the source's options */
    const ob_json *library_caps; /* see ob_library_caps_json */
    const ob_json *findings;     /* see ob_findings_json */
    /* With ob_run_options.profile: the trace file, which is overwritten. NULL = one next to the
     * records. */
    const char *trace_output;
    /* Callbacks; all may be NULL. */
    ob_status (*on_record)(void *ctx, const ob_job_event *event, ob_err *err);
    void (*on_progress)(void *ctx, const ob_job_progress *progress);
    /* Called often: 0 = continue, 1 = stop after the current case, 2 = stop at once. */
    int (*stop)(void *ctx);
    void *ctx;
    /* Gets what the command of ob_run_options.wrap printed after the last case of a worker; the
     * finish record has it too. */
    void (*on_wrapped)(void *ctx, const char *text, size_t length);
    const char *named_by;  /* see ob_result_file_params */
    const ob_shard *shard; /* a part of the cases; NULL = all. It must outlive the job */
    /* With prefix and OB_JOB_RESUME: files of the same cases, whose results are not measured again;
     * not NULL, even if there are none. They are read while the job is opened. */
    const char *const *earlier;
    size_t earlier_count;
    const ob_json *tags; /* the user's tags for the header, an object of strings; NULL = none */
    /* For the header of a shard: the command without its options for files and parts, as
     * docs/records.md describes it; NULL = none. */
    const ob_json *repeat;
} ob_job_params;

/* Opens a job on the cases of configs. The parts must outlive it. */
ob_status ob_job_open_configs(ob_context *context, const ob_job_configs *configs,
                              const ob_job_params *params, ob_job **out, ob_err *err);
/* Measures the cases and writes the finish record. Call it once. OB_OK even if cases failed or the
 * job was interrupted: see the summary. */
ob_status ob_job_run(ob_job *job, ob_err *err);
/* Valid as long as the job. */
const ob_job_summary *ob_job_get_summary(const ob_job *job);
/* The exit code for a program: 0 = success, 1 = something failed in this run, 130 = interrupted. */
int ob_job_summary_exit_code(const ob_job_summary *summary);
/* NULL is allowed. A file that was named from a prefix is removed if it has no header. */
ob_status ob_job_close(ob_job *job, ob_err *err);

/* ------------------------------------------------------------------ the Timer */

typedef struct ob_clock ob_clock; /* opbench/measure.h */

/* What a measurement says about its task, with the names that torch.utils.benchmark gives. NULL =
 * none. */
typedef struct ob_task_spec {
    const char *stmt;
    const char *setup;
    const char *global_setup;
    const char *label;
    const char *sub_label;
    const char *description;
    const char *env;
    int64_t num_threads;
} ob_task_spec;

/* run or time_block must be set; the rest may be NULL. Every function but set_threads may be called
 * many times; a failure ends the measurement and is its result. */
typedef struct ob_timer_task {
    /* Runs the body n times; n may be 0. */
    ob_status (*run)(void *ctx, uint64_t n, ob_err *err);
    /* Called before every block, untimed. */
    ob_status (*setup)(void *ctx, ob_err *err);
    /* Waits until nothing is under way; called before each reading of the clock. */
    ob_status (*sync)(void *ctx, ob_err *err);
    /* Sets how many threads the body uses and says how many it had; called again with that number
     * at the end. NULL = ob_threads_set: every library in the process that we know. */
    ob_status (*set_threads)(void *ctx, int64_t threads, int64_t *before, ob_err *err);
    /* Instead of run, setup, sync and our clock: a body with a clock of its own, such as one in
     * another process. Runs a block of n and gives the seconds it took. */
    ob_status (*time_block)(void *ctx, uint64_t n, double *seconds, ob_err *err);
    void *ctx;
} ob_timer_task;

typedef struct ob_timer {
    size_t size; /* sizeof(ob_timer) */
    ob_timer_task task;
    ob_task_spec spec;     /* num_threads 0 = 1 */
    const ob_clock *clock; /* NULL = monotonic */
    /* After each block of an autorange that counts; not OB_OK ends the measurement with that
     * status. May be NULL. */
    ob_status (*progress)(void *ctx, uint64_t number, double seconds, ob_err *err);
    void *progress_ctx;
} ob_timer;

/* A list of what was measured: opbench/measurement.h reads it. */
typedef struct ob_measurements ob_measurements;
ob_status ob_measurements_create(ob_measurements **out, ob_err *err);
void ob_measurements_destroy(ob_measurements *list); /* NULL is allowed */

#define OB_TIMER_MIN_RUN_TIME_S 0.2
/* Appends one measurement to the list, or nothing after a failure. Takes blocks, at least one,
 * until they add up to min_run_time_s; a block never counts as less than a nanosecond. Their size
 * is a power of ten, chosen first: large enough for the clock's cost to be below a ten-thousandth,
 * and for a thousandth of min_run_time_s. One untimed iteration comes first, so that a slow first
 * call does not mislead it. */
ob_status ob_timer_blocked_autorange(const ob_timer *timer, double min_run_time_s,
                                     ob_measurements *to, ob_err *err);

/* ------------------------------------------------------------------ measurements side by side */

typedef struct ob_compare ob_compare;
typedef struct ob_compare_style ob_compare_style; /* opbench/compare.h */

/* Merges the measurements (ob_measurements_merge) and sorts them into tables; copies what it needs.
 * OB_ERR_DUPLICATE for two different tasks in one cell, OB_ERR_INVALID for samples without
 * statistics (ob_measurement_compute), OB_ERR_LIMIT for more than ten million cells. */
ob_status ob_compare_create(const ob_measurements *results, ob_compare **out, ob_err *err);
void ob_compare_destroy(ob_compare *compare); /* NULL is allowed */
/* Appends all tables; style may be NULL. Without measurements: nothing, [] in JSON, the heading in
 * CSV. OB_ERR_LIMIT for a table of more than 1 GiB. */
ob_status ob_compare_print(const ob_compare *compare, const ob_compare_style *style, ob_text *text,
                           ob_err *err);

/* ------------------------------------------------------------------ fuzzers */

typedef struct ob_fuzzer ob_fuzzer;
typedef struct ob_fuzz_draw ob_fuzz_draw; /* opbench/fuzz.h */

/* A spec in JSON. seed NULL = the file's own "seed", or 0. */
ob_status ob_fuzzer_open_file(const char *path, const uint64_t *seed, ob_fuzzer **out, ob_err *err);
/* name is for messages; data is not needed after the call. */
ob_status ob_fuzzer_open_memory(const char *name, const void *data, size_t size,
                                const uint64_t *seed, ob_fuzzer **out, ob_err *err);
void ob_fuzzer_destroy(ob_fuzzer *fuzzer); /* NULL is allowed */
/* Draw number `index`; *out is valid until the next draw of this fuzzer. OB_ERR_LIMIT when 1000
 * sets of parameters in a row were refused. */
ob_status ob_fuzzer_draw(ob_fuzzer *fuzzer, uint64_t index, const ob_fuzz_draw **out, ob_err *err);
/* A parameter as a whole number (a bool is 0 or 1); fallback when it is not a number or not
 * there. */
int64_t ob_fuzz_draw_int(const ob_fuzz_draw *draw, const char *name, int64_t fallback);
/* Appends {"params": {...}, "tensors": {...}, ...} in one line, without the newline. */
ob_status ob_fuzz_draw_print(const ob_fuzzer *fuzzer, const ob_fuzz_draw *draw, ob_text *text,
                             ob_err *err);

#ifdef __cplusplus
}
#endif
#endif
