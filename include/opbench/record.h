/* SPDX-License-Identifier: Apache-2.0
 *
 * The record: one JSON line about one case, or about the run (header, finish, profiler batch, trace
 * file). A result line is a superset of PARAM's and of a serialised Measurement of
 * torch.utils.benchmark. Every field is a row of one table: printing, reading, documentation and
 * views follow from the rows. docs/records.md lists them.
 *
 * A record borrows what it points to. One thread at a time per object.
 */
#ifndef OPBENCH_RECORD_H
#define OPBENCH_RECORD_H

#include "opbench/json.h"
#include "opbench/measure.h"
#include "opbench/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ statuses and kinds */

/* enum name, word in the record, whether the case ran to its end, whether it makes the run fail,
 * whether --resume treats the case as done, meaning. */
#define OB_RECORD_STATUS_MAP(X)                                                                    \
    X(OK, "ok", 1, 0, 1, "measured")                                                               \
    X(MISTRUSTED, "mistrusted", 1, 0, 1, "measured, but the reason says why not to rely on it")    \
    X(FAILED, "failed", 0, 1, 1, "an error that was reported")                                     \
    X(DIFFERS, "differs", 0, 1, 1, "its results are not those of the reference")                   \
    X(CRASHED, "crashed", 0, 1, 1, "the worker died of a signal or exited")                        \
    X(TIMED_OUT, "timed_out", 0, 1, 1, "it took longer than the limit for a case")                 \
    X(OUT_OF_MEMORY, "out_of_memory", 0, 1, 1, "more memory than allowed, or than there is")       \
    X(INVALID, "invalid", 0, 1, 1, "the case itself is wrong for the operator")                    \
    X(UNSUPPORTED, "unsupported", 0, 1, 1, "the backend cannot run it")                            \
    X(SKIPPED, "skipped", 0, 0, 1, "left out on request")                                          \
    X(INTERRUPTED, "interrupted", 0, 1, 0, "the run was stopped in the middle of it")

typedef enum ob_record_status {
    OB_RECORD_NO_STATUS, /* not given, as in PARAM's own files */
#define OB_RECORD_STATUS_ENUM(id, word, ran, failed, settled, help) OB_RECORD_##id,
    OB_RECORD_STATUS_MAP(OB_RECORD_STATUS_ENUM)
#undef OB_RECORD_STATUS_ENUM
        OB_RECORD_STATUS_COUNT
} ob_record_status;

typedef struct ob_record_status_info {
    const char *word, *help;
    bool ran, failed, settled;
} ob_record_status_info;
/* NULL for a number that is not a status. OB_RECORD_NO_STATUS has "" and counts as ran and
 * settled. */
const ob_record_status_info *ob_record_status_get_info(ob_record_status status);
bool ob_record_status_from_word(const char *word, ob_record_status *out);

/* enum name, word, what the line is. */
#define OB_RECORD_KIND_MAP(X)                                                                      \
    X(HEADER, "header", "the first line: options, machine, versions")                              \
    X(RESULT, "result", "one case")                                                                \
    X(BATCH, "batch", "one run of a profiler over a batch of cases")                               \
    X(FINISH, "finish", "the last line of a run that came to its end")                             \
    X(TRACE, "trace", "names the trace file of --profile")                                         \
    X(KERNEL, "kernel", "with --profile: one operator that ran inside a case, all its calls")

typedef enum ob_record_kind {
#define OB_RECORD_KIND_ENUM(id, word, help) OB_RECORD_##id##_LINE,
    OB_RECORD_KIND_MAP(OB_RECORD_KIND_ENUM)
#undef OB_RECORD_KIND_ENUM
        OB_RECORD_KIND_COUNT,
    OB_RECORD_OTHER_LINE = OB_RECORD_KIND_COUNT, /* read only: an object with none of our marks */
} ob_record_kind;
const char *ob_record_kind_word(ob_record_kind kind);

/* ------------------------------------------------------------------ the record */

/* Absent: items NULL. An empty list has items that are not NULL and count 0: ob_reals_empty. */
typedef struct ob_reals {
    const double *items;
    size_t count;
} ob_reals;
ob_reals ob_reals_empty(void);

typedef struct ob_strings {
    const char *const *items; /* NULL = absent */
    size_t count;
} ob_strings;

/* Any bytes; what is not UTF-8 is written as U+FFFD. */
typedef struct ob_bytes {
    const char *data; /* NULL = absent */
    size_t size;
} ob_bytes;

/* Absent values of the scalars: NULL, "", NaN, INT64_MIN, -1 (int8_t), 0 (uint64_t). */
#define OB_NO_INT INT64_MIN

/* A pass compared with the same pass on the reference backend. */
typedef struct ob_record_ratio {
    double value;      /* time relative to the reference: the centre of the pairs' ratios */
    double low, high;  /* its confidence interval */
    double confidence; /* how often such intervals contain the true ratio */
} ob_record_ratio;

/* One pass of a case. Times in ms are ns / 1e6, as PARAM makes them. */
typedef struct ob_record_pass {
    ob_reals warmup_time_ms, warmup_memory_mib;
    ob_reals measure_time_ms, measure_memory_mib;
    ob_stats time_ms;              /* of measure_time_ms */
    ob_interval interval_ms;       /* of the median */
    const char *interval_over;     /* "samples", "processes" or "passes" */
    const char *no_interval;       /* why it has no ends, and what helps; NULL = it has */
    double flops, bytes;           /* of one iteration, by the operator's cost row */
    double gflops_per_s, gb_per_s; /* at the median time */
    uint64_t allocator_peak_bytes;
    ob_record_ratio ratio;                /* several backends side by side */
    double attainable_ms, of_attainable;  /* shortest possible time; its share of the median */
    const char *attainable_by, *bound_by; /* ob_bound_word */
    ob_reals disturbed;       /* ascending indices in measure_time_ms: the kernel disturbed them */
    const char *disturbed_by; /* how that is known: "perf_event", "getrusage"; NULL = it is not */
    ob_reals process_samples; /* with several processes: number of samples of each */
} ob_record_pass;

/* Instructions of one iteration, counted by valgrind in a process of its own. */
typedef struct ob_record_instructions {
    double forward, backward;
    int64_t number;                           /* iterations that were counted */
    const char *source;                       /* "callgrind" */
    const char *reason;                       /* why there are none */
    const char *forward_file, *backward_file; /* tables by function, if they are kept */
    ob_reals counts;                          /* of `number` iterations together, one per repeat */
    const ob_json *tables;                    /* a list of what ob_count_stats_to_json makes */
} ob_record_instructions;

/* What the processor's own counters say of one iteration, in a pass of its own after the timed
 * ones. NaN = not known. */
typedef struct ob_record_pass_counters {
    double instructions, cycles, cache_misses, branch_misses;
} ob_record_pass_counters;

typedef struct ob_record_counters {
    ob_record_pass_counters forward, backward;
    int64_t number;     /* iterations that were counted */
    double share;       /* of the time in which they counted; below 1, counts are scaled up */
    const char *source; /* "perf_event" */
    const char *reason; /* why there are none, though the machine has counters */
} ob_record_counters;

/* The phases of a case that --profile shows: enum name, key, what it is. */
#define OB_CASE_PHASE_MAP(X)                                                                       \
    X(CASE, case, "the whole case")                                                                \
    X(GENERATE, generate, "making the values of the arguments")                                    \
    X(GRAPH, graph, "building the graph, and its backward pass")                                   \
    X(PARAMETERS, parameters, "making the values of the parameters")                               \
    X(PREPARE, prepare, "the backend's preparation")                                               \
    X(WARMUP, warmup, "warm-up iterations")                                                        \
    X(MEASURE, measure, "measured iterations")

typedef enum ob_case_phase {
#define OB_CASE_PHASE_ENUM(id, key, help) OB_CASE_PHASE_##id,
    OB_CASE_PHASE_MAP(OB_CASE_PHASE_ENUM)
#undef OB_CASE_PHASE_ENUM
        OB_CASE_PHASE_COUNT
} ob_case_phase;
const char *ob_case_phase_name(ob_case_phase phase); /* its key */

/* How a step of a trace was replayed; its operators are parts of it. */
typedef struct ob_record_replay {
    const char *trace, *step; /* the file, and the profiler's mark */
    const char *what;         /* for a part: why its calls were not made, or not as recorded */
    int64_t calls;            /* selected calls */
    int64_t computing, ran;   /* of these: those that compute, and how many of them ran */
    int64_t operators, operators_ran; /* of the computing calls; those whose calls all ran */
    int8_t bfloat16_for_half;
    uint64_t untouched_bytes; /* of large tensors that were not filled, because memory was short */
} ob_record_replay;

typedef struct ob_record_result {
    const char *op_name;
    const char *id;
    ob_record_pass forward, backward;
    const ob_json *build, *input;
    const char *key;
    ob_record_status status;
    const char *reason;  /* why the status is not ok */
    int64_t index;       /* number of the case in the whole run */
    const char *part_of; /* key of the case that it is a part of; NULL = it is a case */
    int64_t part;        /* number among the parts, from 0 */
    ob_record_replay replay;
    int64_t count;     /* how often the recorded program made this call */
    int64_t outermost; /* of these, how often it was not inside another recorded call */
    const char *backend;
    const char *side;          /* its name among the sides of the run, if they have names */
    const char *reference;     /* side or backend that the ratios are relative to */
    const char *check_verdict; /* "same", "differs", "not checked" */
    double check_worst;        /* largest difference in units of its bound */
    double check_checked, check_elements; /* elements compared, and elements in total */
    const char *check_again; /* "refilled", "prepared again", "same inputs"; NULL = not done */
    const char *device;
    const ob_json *libraries; /* properties that the header could not have yet; may be NULL */
    const char *mode;         /* "discrete", "continuous", "continuous_events" */
    int64_t number_per_run;   /* iterations per block */
    ob_reals raw_times_s;     /* one per block of the forward pass: ns / 1e9 */
    ob_task_spec task;
    const ob_json *metadata;
    ob_record_instructions instructions;
    ob_record_counters counters;
    const char *stop_rule;          /* "count", "min_time", "precision" */
    const char *stop_verdict;       /* "done" or "gave up" */
    int64_t threads, threads_asked; /* the second only if it differs */
    int64_t cpu;                    /* the CPU that it was pinned to */
    const char *cpus;               /* several CPUs: the list as given */
    int64_t threads_bound;          /* several CPUs: threads bound to one each */
    const char *membind;            /* NUMA nodes that its memory is bound to */
    const char *cache_state;        /* "hot" or "cold" */
    const char *cache_how;          /* how the cache was flushed */
    const char *cache_reached;      /* where flushed data was loaded from: "memory" or "cache" */
    double cache_load_ns;           /* time of a load of flushed data */
    double cache_memory_ns;         /* time of a load from memory */
    int64_t seed;
    int64_t process; /* which of `processes`, from 0 */
    int64_t processes;
    int64_t attempts; /* of a snippet: how often it was tried */
    int64_t pid;
    uint64_t process_peak_bytes;                      /* high-water mark of resident memory */
    double noise_foreign, noise_steal, noise_seconds; /* the latest window or windows */
    const char *fp_mode; /* how a library changed the floating-point mode, if one did */
    const char *start_time;
    double seconds;       /* total wall time of the case */
    double start_seconds; /* additional time to start its processes, if there are several */
    /* With --profile: start on the monotonic clock and duration, in ns. */
    ob_reals phases[OB_CASE_PHASE_COUNT];
    const ob_json *implementation;
    /* With --profile, from backends that report them: the operators inside one iteration, as [name,
     * pass, depth, start ns, duration ns], durations the means over kernel_iterations. */
    const ob_json *kernels;
    int64_t kernel_iterations; /* 0 = not known */
    const char *signal;        /* "SIGSEGV" */
    int64_t exit_code;
    ob_bytes output; /* what the libraries printed */
    uint64_t output_dropped_bytes;
    ob_strings warnings;
    const char *repro;
    const char *call;                   /* "softmax(f32[8,50257], -1)"; NULL in older files */
    int8_t best_forward, best_backward; /* of several sides: 1 = the fastest, -1 = undecided */
} ob_record_result;

/* PARAM's run_options, in its words. */
typedef struct ob_record_options {
    const char *device;
    const char *pass_type; /* "ExecutionPass.FORWARD" or "ExecutionPass.BACKWARD" */
    int64_t warmup, iteration;
    const char *op_exec_mode; /* "OpExecutionMode.DISCRETE", ... */
    int8_t cuda_l2_cache;
    const char *time_unit; /* "millisecond" */
    const char *out_file_prefix, *out_stream;
    int8_t run_ncu;
    const char *ncu_bin, *ncu_args;
    int64_t ncu_warmup, ncu_iteration;
    int8_t run_nsys;
    const char *nsys_bin, *nsys_args;
    int64_t nsys_warmup, nsys_iteration;
    int64_t run_batch_size, batch_cuda_device;
    const char *batch_cmd;
    const char *resume_op_run_id, *stop_op_run_id;
    int8_t pt2_model, cuda_graph;
    const ob_json *cmd_args; /* every option of the command line by its name */
} ob_record_options;

typedef struct ob_record_header {
    ob_record_options options;
    ob_system system;
    int64_t pid;
    const char *cwd;
    int8_t cuda_available;
    const char *opbench_version;
    const char *compiler;
    ob_clock_quality clock;
    const char *perf_event;      /* "available", or why there are no hardware counters */
    const char *fp_mode;         /* of the process at its start, as hexadecimal digits */
    const ob_json *backends;     /* per backend an object with its library properties */
    const ob_json *library_caps; /* per library what it was corrected to, or "off" */
    const ob_json *findings;     /* what spoils measurements on this machine */
    const ob_json *ceilings;     /* ob_roofline_json: what results are compared with */
    const ob_json *self_test;    /* ob_self_test_read: how reliable verdicts are on this machine */
    const char *start_time;      /* local time, "2024-05-01T12:00:00" */
    int64_t format;              /* of our fields: OB_RECORD_FORMAT */
    const char *config;          /* file name */
    const char *source;          /* what the cases are, if not those of a config: "trace" */
    const ob_json *sweep;        /* the whole sweep, so that the records alone make its table */
    const char *config_hash;     /* a resumed run must have the same */
    int64_t cases;
    const char *shard;                                       /* "2/8" */
    const char *shard_by, *shard_hash, *shard_cases;         /* "cost"; as in ob_shard_division */
    const ob_json *divided;                                  /* the cases of all shards */
    const ob_json *repeat;                                   /* the command for other parts */
    int64_t merged;                                          /* made from this many files */
    const char *launcher, *job_id, *node, *nodes, *restarts; /* as in ob_shard */
    int64_t seed;
    const char *command_line;
    int64_t start_unix;    /* the same moment as start_time, in seconds since 1970 */
    const char *hardware;  /* ob_system_class */
    const char *microcode; /* "0xa20102b" */
    const ob_json *tags;   /* the user's tags: an object of strings */
    const char *commit;    /* of the work tree that the run was started in */
    const char *branch;    /* NULL = none, or there is no work tree */
    int8_t dirty;          /* 1: tracked files differ from the commit */
} ob_record_header;

/* Raised when the meaning of a field changes; new fields do not raise it. */
enum { OB_RECORD_FORMAT = 1 };

typedef struct ob_record_batch {
    const char *ncu_file, *ncu_cmd_str;
    const char *nsys_file, *nsys_cmd_str;
    const ob_json *config;
    const char *start_run_id, *end_run_id;
    int64_t exit_code;
    const char *error;
} ob_record_batch;

typedef struct ob_record_finish {
    const char *finish_time;
    const char *end; /* "finished", "stopped" (at --stop_id) or "interrupted" */
    double seconds;
    uint64_t cases[OB_RECORD_STATUS_COUNT]; /* how many of each status */
    double noise_foreign, noise_steal, noise_seconds, noise_max_foreign, noise_max_steal;
    ob_bytes wrapped; /* what the command of --wrap printed */
} ob_record_finish;

/* All calls of one operator inside one iteration of a case. */
typedef struct ob_record_kernel {
    const char *name, *pass;
    const char *case_op_name, *case_id, *case_key;
    int64_t calls;
    double total_ns;    /* including what they call */
    double own_ns;      /* excluding what they call */
    int64_t iterations; /* over which the times are means; 0 = not known */
} ob_record_kernel;

/* The layout is that of one version of this header: a record of another size is refused. A program
 * that must keep working with a newer library reads records through ob_record_number and
 * ob_record_word, or through their rows: ob_record_find_field, ob_record_member. */
struct ob_record {
    size_t size; /* sizeof(ob_record): ob_record_init */
    ob_record_kind kind;
    ob_record_header header;
    ob_record_result result;
    ob_record_batch batch;
    ob_record_finish finish;
    const char *trace_file;
    ob_record_kernel kernel;
};

/* Initialises a record with all fields absent. */
void ob_record_init_sized(ob_record *record, size_t size, ob_record_kind kind);
static inline void ob_record_init(ob_record *record, ob_record_kind kind)
{
    ob_record_init_sized(record, sizeof *record, kind);
}
/* Appends the record's line, with its newline. Numbers read back exactly; a NaN or infinity in a
 * list becomes null, and the line's warnings say so. On failure text is unchanged. */
ob_status ob_record_print(const ob_record *record, ob_text *text, ob_err *err);

/* "2024-05-01T12:00:00" of local time, as PARAM writes it. out holds 32 bytes; returns out. */
char *ob_record_format_time(int64_t unix_seconds, char *out);

/* ------------------------------------------------------------------ rows */

/* C type of the member, and what the JSON value is. */
typedef enum ob_field_type {
    OB_FIELD_STR,     /* const char *: string */
    OB_FIELD_CHARS,   /* char[]: string */
    OB_FIELD_BYTES,   /* ob_bytes: string */
    OB_FIELD_INT,     /* int64_t: number */
    OB_FIELD_COUNT,   /* uint64_t: number */
    OB_FIELD_REAL,    /* double: number */
    OB_FIELD_FLAG,    /* int8_t: true or false */
    OB_FIELD_STATUS,  /* ob_record_status: its word */
    OB_FIELD_REALS,   /* ob_reals: list of numbers */
    OB_FIELD_STRINGS, /* ob_strings: list of strings */
    OB_FIELD_JSON,    /* const ob_json *: anything */
    OB_FIELD_OBJECT,  /* no member: the object is written even if it is empty */
} ob_field_type;

/* How a view may scale and name a number: enum name, text. */
#define OB_UNIT_MAP(X)                                                                             \
    X(NONE, "")                                                                                    \
    X(COUNT, "count")                                                                              \
    X(NS, "ns")                                                                                    \
    X(MS, "ms")                                                                                    \
    X(S, "s")                                                                                      \
    X(BYTES, "bytes")                                                                              \
    X(MIB, "MiB")                                                                                  \
    X(FLOP, "FLOP")                                                                                \
    X(GFLOPS, "GFLOP/s")                                                                           \
    X(GBS, "GB/s")                                                                                 \
    X(SHARE, "share, 0 to 1")                                                                      \
    X(TIME, "local time")

typedef enum ob_unit {
#define OB_UNIT_ENUM(id, text) OB_UNIT_##id,
    OB_UNIT_MAP(OB_UNIT_ENUM)
#undef OB_UNIT_ENUM
        OB_UNIT_TYPE_COUNT
} ob_unit;
const char *ob_unit_text(ob_unit unit);

enum {
    OB_FIELD_PARAM = 1,  /* a key of PARAM's, in its place */
    OB_FIELD_ALWAYS = 2, /* null when absent */
    OB_FIELD_FILL = 4,   /* null when absent, if the same object has other members */
    OB_FIELD_MARK = 8,   /* a line that has it is of the row's kind */
};

typedef struct ob_field {
    const char *path; /* keys from the top, with "/" between: "metric/forward/measure.time" */
    ob_record_kind kind;
    ob_field_type type;
    ob_unit unit;
    uint32_t flags;
    uint32_t size; /* of the member */
    size_t offset; /* in ob_record */
    const char *help;
} ob_field;

const ob_field *ob_record_fields(size_t *count); /* in the order of the line */
const ob_field *ob_record_find_field(ob_record_kind kind, const char *path); /* NULL if none */
/* Address of the field in the record; cast by the row's type. */
const void *ob_record_member(const ob_record *record, const ob_field *field);
bool ob_record_has(const ob_record *record, const ob_field *field);

/* ------------------------------------------------------------------ writing files */

typedef enum ob_result_open_mode {
    OB_RESULT_CREATE, /* a new file, or an old one emptied */
    OB_RESULT_APPEND, /* after what is there; starts a new line if the last one is not ended */
    OB_RESULT_RESUME, /* the file must exist and be a regular one; read it with ob_done_read_locked,
                       * then cut it with ob_result_file_cut */
    OB_RESULT_NEW,    /* as CREATE, but a file that holds something is refused, OB_ERR_INVALID */
} ob_result_open_mode;

typedef struct ob_result_file_params {
    size_t size;        /* sizeof(ob_result_file_params) */
    const char *path;   /* exact name; NULL = make one from prefix */
    const char *prefix; /* "<prefix>_<pid>_<unix seconds>.json", a later second if that is taken */
    ob_result_open_mode mode; /* with a prefix: CREATE, which never empties a file; or APPEND, which
                                 is then the same */
    int64_t pid, unix_seconds; /* 0 = this process, now */
    /* The option that continues after a full disk, for messages; NULL = none. */
    const char *continue_option;
    bool any_lines; /* APPEND: also accept a file that begins with JSON of another kind */
    /* Called while another run has the file, about ten times a second; pid: that of the other run,
     * 0 = unknown. False gives up. NULL = do not wait. */
    bool (*wait)(void *ctx, const char *path, int64_t pid);
    void *wait_ctx;
    /* For messages: the option that names the file, in a program that has --force, but not
     * --append, --resume and --wait. NULL = --output, in a program that has all of them. */
    const char *named_by;
} ob_result_file_params;

typedef struct ob_result_file ob_result_file;
typedef struct ob_done_file ob_done_file;

/* The file is locked (advisory) before it is read and until it is closed: a second run on it waits
 * or is refused, OB_ERR_STATE. On a file system without locks there is no lock. */
ob_status ob_result_file_open(const ob_result_file_params *params, ob_result_file **out,
                              ob_err *err);
/* One write() for the whole line, so that a killed process leaves at most one torn line. When the
 * disk is full the part that was written is cut off again: the file holds whole lines only. */
ob_status ob_result_file_append(ob_result_file *file, const ob_record *record, ob_err *err);
/* The same for a line that was printed before, by a worker for example; with or without its
 * newline, which must be the only one. */
ob_status ob_result_file_append_line(ob_result_file *file, const char *line, size_t length,
                                     ob_err *err);
const char *ob_result_file_path(const ob_result_file *file);
/* Cuts off the torn last line that reading the file found. OB_ERR_STATE, and nothing is cut, if the
 * file is longer or shorter now than what was read: another program writes to it despite the lock,
 * or there are no locks. */
ob_status ob_result_file_cut(ob_result_file *file, const ob_done_file *read, ob_err *err);
/* NULL is allowed. Reports what the system says late (network file systems); the file is closed in
 * any case. */
ob_status ob_result_file_close(ob_result_file *file, ob_err *err);

/* ------------------------------------------------------------------ reading files */

/* Zero means the default. */
struct ob_record_reader_params {
    size_t size;           /* sizeof(ob_record_reader_params) */
    size_t max_line_bytes; /* 0 = 1 GiB */
    bool whole_lines_only; /* never give a last line without its newline, even if complete */
};

/* A text in memory; data and name are borrowed. */
ob_status ob_record_reader_open_memory(const char *name, const void *data, size_t size,
                                       const ob_record_reader_params *params,
                                       ob_record_reader **out, ob_err *err);
/* Reads an open file from its beginning; it must have been opened to resume, and must outlive the
 * reader. */
ob_status ob_record_reader_open_locked(const ob_result_file *file,
                                       const ob_record_reader_params *params,
                                       ob_record_reader **out, ob_err *err);
/* The line of the record given last, from 1. */
uint64_t ob_record_reader_line(const ob_record_reader *reader);
/* After OB_END. True: the last line has no newline; *cut_at (may be NULL) is where it begins, or
 * the size of the file when nothing is torn. */
bool ob_record_reader_is_torn(const ob_record_reader *reader, uint64_t *cut_at);

/* ------------------------------------------------------------------ what is done */

typedef struct ob_done ob_done;

/* Identifies a case's result in a file. Members may be NULL; process OB_NO_INT or 0 = the only
 * one. */
typedef struct ob_done_name {
    const char *key, *id, *backend;
    int64_t process;
    int64_t threads; /* requested threads; OB_NO_INT or 0 = not known */
    const char *side;
} ob_done_name;

struct ob_done_file {
    size_t size;     /* sizeof(ob_done_file) */
    uint64_t cut_at; /* where the torn last line begins, or read_bytes */
    uint64_t read_bytes;
    bool torn;
    bool finished;        /* the last line is a finish record */
    uint64_t results;     /* result lines */
    char config_hash[64]; /* of the last header; "" if it has none */
};

ob_status ob_done_create(ob_done **out, ob_err *err);
void ob_done_destroy(ob_done *done); /* NULL is allowed */
/* Adds a result; costs 21 to 64 bytes of memory. */
ob_status ob_done_add(ob_done *done, const ob_done_name *name, ob_err *err);
bool ob_done_has(const ob_done *done, const ob_done_name *name);
uint64_t ob_done_count(const ob_done *done);
/* Adds every settled result of the file. A damaged line is an error: nothing may be skipped
 * silently. info may be NULL. */
ob_status ob_done_read_file(ob_done *done, const char *path, ob_done_file *info, ob_err *err);
/* The same for a file that is open to be resumed: what is read is what is locked. */
ob_status ob_done_read_locked(ob_done *done, const ob_result_file *file, ob_done_file *info,
                              ob_err *err);

#ifdef __cplusplus
}
#endif
#endif
