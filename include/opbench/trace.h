/* SPDX-License-Identifier: Apache-2.0
 *
 * Execution traces of PyTorch (its execution graph observer, schema 1.0.1 to 1.1.1) and profiler
 * traces (Kineto's Chrome JSON): what was called, with which arguments, in which order.
 *
 * A trace is data. It is read in one pass, plain or packed (gzip, tar, zstd), into tables in which
 * every text, shape, list and tensor stands once; memory is at most about that of the text.
 * Whatever is odd in a file (a parent that is missing, a cycle, a size that overflows) is an error
 * with its place or a node that says so; nothing in it is trusted.
 */
#ifndef OPBENCH_TRACE_H
#define OPBENCH_TRACE_H

#include "opbench/json.h"
#include "opbench/log.h"
#include "opbench/op.h"
#include "opbench/text.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ob_trace ob_trace;

typedef enum ob_trace_value_kind {
    OB_TRACE_NONE,
    OB_TRACE_BOOL,
    OB_TRACE_INT,
    OB_TRACE_DOUBLE,
    OB_TRACE_STR,
    OB_TRACE_DEVICE,
    OB_TRACE_GENERATOR,
    OB_TRACE_TENSOR,
    OB_TRACE_NO_TENSOR, /* an undefined tensor */
    OB_TRACE_LIST,
    OB_TRACE_TUPLE,
    OB_TRACE_OTHER,      /* an Object, Stream or Storage: a call with one cannot be repeated */
    OB_TRACE_UNRECORDED, /* none, or a string, device or the like, which a profiler leaves empty */
} ob_trace_value_kind;

/* A tensor as one call saw it. Ids are used again for other tensors: the same ids with another
 * shape are another tensor. Equal descriptions are one object, so pointers may be compared. */
typedef struct ob_trace_tensor {
    int64_t id, storage; /* -1: not recorded */
    int64_t offset;      /* in elements */
    int64_t numel;
    int64_t item_bytes;
    const char *device;     /* "cuda:0"; "" when not recorded */
    const char *dtype_text; /* "c10::Half" */
    ob_dtype dtype;         /* OB_DTYPE_INVALID: a type that opbench does not have */
    bool has_strides, has_range;
    int ndim;
    const int64_t *sizes;
    const int64_t *strides; /* contiguous ones when not recorded */
    double min, max;        /* of the values, if has_range */
} ob_trace_tensor;

typedef struct ob_trace_value ob_trace_value;
struct ob_trace_value {
    uint32_t kind;  /* ob_trace_value_kind */
    uint32_t count; /* LIST, TUPLE: items; STR, DEVICE, OTHER: bytes */
    union {
        int64_t integer; /* BOOL too */
        double real;
        const char *text; /* STR, DEVICE; OTHER: the type's name */
        const ob_trace_tensor *tensor;
        const ob_trace_value *items;
    } as;
};

typedef enum ob_trace_node_kind {
    OB_TRACE_LABEL,    /* a range, a thread, an autograd function: not a call */
    OB_TRACE_OPERATOR, /* a call with a schema (profiler traces: with a name like aten::add) */
    OB_TRACE_COMM,     /* communication: c10d, record_param_comms, nccl */
    OB_TRACE_FUSED,    /* a kernel that a compiler made (triton, cpp_fused) */
    OB_TRACE_COMPILED, /* code that torch.compile made, whose kernels were not recorded; calls below
                        * it are calls of their own, as those below a label */
} ob_trace_node_kind;

/* Why a FUSED or COMPILED node cannot be called again. */
#define OB_TRACE_FUSED_HELP "a kernel that a compiler made"
#define OB_TRACE_COMPILED_HELP                                                                     \
    "code that torch.compile made: the calls that it makes are recorded, the kernels that it "     \
    "fused are not; to have all calls, record with TORCHDYNAMO_DISABLE=1"

#define OB_TRACE_NO_NODE UINT32_MAX

typedef struct ob_trace_node {
    int64_t id, parent_id;
    int64_t fw_parent, seq_id, tid, fw_tid, rf_id;
    const char *name;
    const char *schema; /* "" when not recorded */
    const char *kernel_backend;
    ob_trace_node_kind kind;
    uint32_t line; /* in the file */
    /* Links by index into the node table; OB_TRACE_NO_NODE = none. Children are in order of id. */
    uint32_t parent, first_child, next_sibling;
    uint32_t input_count, output_count;
    const ob_trace_value *inputs, *outputs;
    double start_us, duration_us; /* profiler traces; negative = not recorded */
} ob_trace_node;

typedef struct ob_trace_limits {
    size_t size;             /* sizeof(ob_trace_limits) */
    size_t max_memory_bytes; /* 0 = 4 GiB: what the tables may take */
    uint64_t max_text_bytes; /* 0 = 64 GiB: of the unpacked text */
    uint64_t max_expansion;  /* 0 = 400: unpacked over packed size, looked at beyond 64 MiB */
    /* Called while reading, with the bytes read so far and the size of the file; not for input
     * without a size, such as standard input. May be NULL. */
    void (*on_read)(void *ctx, uint64_t bytes, uint64_t of);
    void *ctx;
} ob_trace_limits;

/* "-" is standard input. Warnings (an unknown schema version, parents that are missing) go to log,
 * once each. limits and log may be NULL. */
ob_status ob_trace_open(const char *path, const ob_trace_limits *limits, const ob_log *log,
                        ob_trace **out, ob_err *err);
/* The same from memory; name is for messages. */
ob_status ob_trace_open_memory(const char *name, const void *data, size_t size,
                               const ob_trace_limits *limits, const ob_log *log, ob_trace **out,
                               ob_err *err);
void ob_trace_close(ob_trace *trace); /* NULL is allowed */

const char *ob_trace_name(const ob_trace *trace);
const char *ob_trace_schema(const ob_trace *trace); /* "1.0.3-chakra.0.0.4"; "kineto" */
/* Nodes in the order in which the calls began. */
size_t ob_trace_node_count(const ob_trace *trace);
const ob_trace_node *ob_trace_node_at(const ob_trace *trace, size_t index);
/* Index of the node with that id, or OB_TRACE_NO_NODE. */
uint32_t ob_trace_find_node(const ob_trace *trace, int64_t id);
size_t ob_trace_tensor_count(const ob_trace *trace);
/* Steps that the profiler marked (ProfilerStep#N). */
size_t ob_trace_iteration_count(const ob_trace *trace);
const ob_trace_node *ob_trace_iteration_at(const ob_trace *trace, size_t index);
/* Memory of the tables, and length of the text that was read. */
size_t ob_trace_memory_bytes(const ob_trace *trace);
uint64_t ob_trace_text_bytes(const ob_trace *trace);

/* ---- which calls ---- */

typedef struct ob_trace_selection {
    size_t size; /* sizeof(ob_trace_selection) */
    bool leaves; /* calls without a call below them, instead of the topmost ones; of calls that
                  * pass the same operator on (autocast does) the inner one is the topmost */
    int64_t iteration; /* which ProfilerStep, from 0; negative = all nodes */
    const char *label; /* only below nodes whose name contains it; NULL = everywhere */
    bool keep_loader;  /* also what a DataLoader did */
} ob_trace_selection;

/* Indices of the chosen nodes that are not a LABEL, in order, malloc'ed; free() them. selection
 * NULL = the topmost calls of the whole trace. OB_ERR_NOT_FOUND when there is no such iteration or
 * label. */
ob_status ob_trace_select(const ob_trace *trace, const ob_trace_selection *selection,
                          uint32_t **indices, size_t *count, ob_err *err);

/* ---- as JSON ---- */

/* What is in the trace: schema, nodes by kind, threads, iterations, the chosen operators with count
 * and, where recorded, time (most first), tensors, storages, devices, dtypes. In doc. selection
 * NULL: see ob_trace_select. */
ob_status ob_trace_describe(const ob_trace *trace, const ob_trace_selection *selection,
                            ob_json_doc *doc, const ob_json **out, ob_err *err);
/* One node with its arguments and results. In doc. */
ob_status ob_trace_describe_node(const ob_trace *trace, size_t index, ob_json_doc *doc,
                                 const ob_json **out, ob_err *err);

/* ---- as a benchmark config ---- */

typedef struct ob_trace_convert_options {
    size_t size;                         /* sizeof(ob_trace_convert_options) */
    const ob_trace_selection *selection; /* NULL: see ob_trace_select */
    const char *device;                  /* what device arguments become; NULL = "cpu" */
    bool half_to_bfloat16; /* half becomes bfloat16: for CPUs whose library has no half */
} ob_trace_convert_options;

typedef struct ob_trace_convert_summary {
    size_t size;       /* sizeof(ob_trace_convert_summary) */
    uint64_t calls;    /* chosen */
    uint64_t distinct; /* entries written */
    uint64_t left_out; /* selected, but cannot be made again; one warning per kind */
} ob_trace_convert_summary;

/* A config with one entry per distinct call, each with its `count`, in order of first use, operator
 * by operator. table says which values integer arguments may have (an index is below the size it
 * indexes); reasons for calls that were left out go to log. OB_ERR_NOT_FOUND when no call is
 * left. */
ob_status ob_trace_convert(const ob_trace *trace, const ob_trace_convert_options *options,
                           const ob_op_table *table, const ob_log *log, ob_text *config,
                           ob_trace_convert_summary *summary, ob_err *err);

#ifdef __cplusplus
}
#endif
#endif
