/* SPDX-License-Identifier: Apache-2.0
 *
 * A kit for plug-ins whose backend runs operators one by one: it turns graphs into lists of kernel
 * calls with planned memory. It is the static library libopbench_kit.a, which a plug-in links
 * (`pkg-config --libs opbench-kit`); it calls opbench through the host's table.
 *
 * A backend provides its kernels and its memory (ob_kit_device), keeps an ob_kit_engine in its
 * ob_backend, and takes the rest of ob_backend_desc from here: ob_kit_run, ob_kit_release and
 * ob_kit_outputs as they are, and ob_kit_prepare, ob_kit_supports and ob_kit_memory_peak with a
 * one-line wrapper each. The kit defines ob_prepared. A backend that walks graphs in its own way
 * uses only the first half of this file and defines ob_prepared itself.
 *
 * ob_kit_prepare decomposes operators that have no kernel, gives every tensor its memory, and lets
 * each kernel set itself up; ob_kit_run walks the list. Values that may be read later (outputs,
 * what the backward needs, gradients) have their own memory. All others share one arena, in which
 * memory is reused after its last reader; forward and backward use the same arena, one after the
 * other.
 */
#ifndef OPBENCH_KIT_H
#define OPBENCH_KIT_H

#include "opbench/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- kernels ---- */

typedef enum ob_kit_kind {
    OB_KIT_COMPUTE = 0,
    /* Outputs share the memory of the first tensor argument at the offset and strides of their meta
     * tensors; no setup and no run. */
    OB_KIT_VIEW,
    /* A view when the output has the dtype and strides of the first tensor argument (contiguous,
     * to), else computed. A `copy` argument that is true always computes. */
    OB_KIT_VIEW_OR_COMPUTE,
} ob_kit_kind;

/* "aten::add.Tensor" */
const char *ob_kit_op_name(const ob_op *op, char *out, size_t size);
/* "aten::add.Tensor" for aten::add_.Tensor, whose schema writes self; NULL where op is not an
 * in-place form. */
const char *ob_kit_usual_name(const ob_op *op, char *out, size_t size);
/* Whether a call of a kernel of this kind computes nothing. */
bool ob_kit_is_view(const ob_host *host, ob_kit_kind kind, const ob_graph *graph,
                    const ob_graph_node *node);
/* The argument that the operator changes in place and returns as return k; -1 if there is none. */
int ob_kit_changed_argument(const ob_schema *schema, size_t k);

/* ---- edges ---- */

/* A tensor counts as a list of one. */
size_t ob_kit_tensor_count(const ob_value *meta);
/* NULL when the item is not a tensor. */
const ob_tensor *ob_kit_tensor_at(const ob_value *meta, size_t index);
/* The first argument that is a tensor, which views look at; NULL when there is none. */
const ob_operand *ob_kit_first_tensor(const ob_graph *graph, const ob_graph_node *node);
/* The index of the operand's tensor within its edge. */
size_t ob_kit_item_of(const ob_operand *operand);

/* ---- values ---- */

/* `otherwise` when value is NULL or not a number. Numbers of all kinds are converted. */
int64_t ob_kit_value_int(const ob_value *value, int64_t otherwise);
double ob_kit_value_double(const ob_value *value, double otherwise);
/* A list of ints; a single int counts as a list of one. At most `capacity` are written; returns how
 * many there are. */
size_t ob_kit_value_ints(const ob_value *value, int64_t *out, size_t capacity);
/* "" when it is not a string. */
const char *ob_kit_value_str(const ob_value *value);
/* Calls value_fini on each value and frees the array; NULL is allowed. */
void ob_kit_values_free(const ob_host *host, ob_value *values, size_t count);
/* A dimension number from the schema, negative ones counted from the end. ndim 0 counts as 1. */
int ob_kit_dim(int64_t dim, int ndim);

/* ---- preparing ---- */

/* *own is a decomposed copy, or NULL when the graph can stay as it is. */
typedef ob_status (*ob_kit_resolve_fn)(void *ctx, const ob_graph *graph, ob_graph **own,
                                       ob_err *err);
/* Resolves the forward graph with every saved edge as an additional output, so that decomposing
 * shows where each one went: map[edge] is set to the final edge for each one that the backward
 * uses. */
ob_status ob_kit_resolve_forward(const ob_host *host, const ob_prepare_args *args,
                                 ob_kit_resolve_fn resolve, void *ctx, const ob_graph **graph,
                                 ob_graph **own, ob_edge_id *map, ob_err *err);
/* Checks that a given tensor is like the one that the edge was built for; values of other kinds are
 * not checked. */
ob_status ob_kit_check_input(const ob_host *host, const ob_graph_edge *edge, const ob_value *given,
                             ob_err *err);
/* Refuses sparse tensors and those of a device that is not in `device_types`. */
ob_status ob_kit_check_device(const ob_host *host, const char *backend, const char *device_types,
                              const ob_tensor *tensor, const char *name, ob_err *err);

/* ---- running ---- */

/* What a prepared case has run so far. */
typedef struct ob_kit_progress {
    /* Forward ran; make grad ran; backward ran after the last zero grad. */
    bool ran, has_seed, has_grads;
} ob_kit_progress;

/* OB_ERR_STATE when the phase comes too early. */
ob_status ob_kit_check_order(const ob_host *host, const ob_kit_progress *progress,
                             bool has_backward, ob_phase phase, ob_err *err);
/* Checks that the pass has values, and that there is room for all of them. */
ob_status ob_kit_check_outputs(const ob_host *host, const ob_kit_progress *progress, ob_pass pass,
                               size_t total, size_t capacity, ob_err *err);

/* ---- dimensions ---- */

enum { OB_KIT_MAX_OPERANDS = 8 };

/* Dimensions that several operands walk together; the numbers are the caller's, and are changed in
 * place. */
typedef struct ob_kit_dims {
    int ndim, operand_count;
    int64_t *sizes;
    int64_t *strides[OB_KIT_MAX_OPERANDS]; /* of each operand, one per dimension, in any unit */
} ob_kit_dims;

static inline int64_t ob_kit_numel(const ob_tensor *tensor)
{
    return ob_shape_count(tensor->sizes, tensor->ndim);
}
static inline bool ob_kit_is_contiguous(const ob_tensor *tensor)
{
    return ob_shape_is_contiguous(tensor->sizes, tensor->strides, tensor->ndim);
}
/* The strides of a tensor that is broadcast to `ndim` dimensions: 0 where it is repeated. */
void ob_kit_broadcast_strides(const ob_tensor *tensor, int ndim, int64_t *strides);
void ob_kit_dims_swap(ob_kit_dims *dims, int a, int b);
/* Removes dimensions of size one; the others keep their order. */
void ob_kit_dims_drop_ones(ob_kit_dims *dims);
/* Merges neighbouring dimensions that every operand can walk as one. */
void ob_kit_dims_merge(ob_kit_dims *dims);

/* Kernels: what the plan of a case gives them and what they give the plan. A kernel is one row in a
 * table. Every output is allocated before `setup`, and no tensor moves afterwards: `setup` may
 * resolve arguments, choose loops and remember pointers; `run` only computes, or enqueues. Sizes,
 * dtypes and dims have been checked by the operator's shape rule. Values inside index tensors have
 * not: a kernel checks each index and returns OB_ERR_INVALID naming it. */

/* One opened backend, as its kernels see it; the backend defines it. */
typedef struct ob_kit_env ob_kit_env;

typedef struct ob_kit_kernel ob_kit_kernel;

typedef struct ob_kit_call {
    const ob_host *host;
    const struct ob_kit_device *device;
    ob_kit_env *env;
    const ob_kit_kernel *kernel;
    const ob_op *op;
    const ob_value *args; /* op->schema->arg_count; tensors are real */
    ob_value *outputs;    /* op->schema->return_count; tensors are real, not initialised */
    uint64_t number;      /* of the call within the case: selects a stream of random numbers */
    /* What setup leaves for run. state: malloc'ed by setup, freed by the framework. */
    void *state;
    /* setup sets scratch_bytes; in run, scratch is that large, 64-byte aligned, and shared with all
     * other calls, so that its content does not last. (The data of a storage that the device
     * allocated.) */
    size_t scratch_bytes;
    void *scratch;
} ob_kit_call;

typedef ob_status (*ob_kit_setup_fn)(ob_kit_call *call, ob_err *err);
typedef ob_status (*ob_kit_run_fn)(const ob_kit_call *call, ob_err *err);

/* Sets of dtypes, as bits 1 << OB_DTYPE_x. */
#define OB_KIT_BIT(id) (1u << OB_DTYPE_##id)
#define OB_KIT_FLOATS (OB_KIT_BIT(F16) | OB_KIT_BIT(BF16) | OB_KIT_BIT(F32) | OB_KIT_BIT(F64))
#define OB_KIT_INTS                                                                                \
    (OB_KIT_BIT(U8) | OB_KIT_BIT(I8) | OB_KIT_BIT(I16) | OB_KIT_BIT(I32) | OB_KIT_BIT(I64))
#define OB_KIT_BOOL OB_KIT_BIT(BOOL)
#define OB_KIT_WHOLES (OB_KIT_INTS | OB_KIT_BOOL)
#define OB_KIT_NUMBERS (OB_KIT_FLOATS | OB_KIT_INTS)
#define OB_KIT_REALS (OB_KIT_NUMBERS | OB_KIT_BOOL)
#define OB_KIT_ALL (OB_KIT_REALS | OB_KIT_BIT(C64) | OB_KIT_BIT(C128))

struct ob_kit_kernel {
    const char *name; /* "aten::add.Tensor"; NULL ends a table */
    /* Dtypes that the first tensor argument may have; without one, the first output. Complex
     * arguments and results are refused unless their dtype is in the mask. `check` handles what a
     * mask cannot express. */
    uint32_t dtypes;
    ob_kit_setup_fn setup; /* may be NULL */
    ob_kit_run_fn run;     /* NULL for views */
    bool in_place;         /* also serves the in-place form ("aten::add_.Tensor") */
    ob_kit_kind kind;
    /* For the kernel itself, so that one function can serve several rows. */
    int variant;
    const void *data;
    /* Called with meta tensors: returns OB_ERR_UNSUPPORTED with the reason for calls that the
     * kernel cannot do. Only op, args, outputs, kernel and env of `call` are set. NULL = takes
     * every call of the right dtypes. */
    ob_kit_setup_fn check;
};

/* ---- arguments ---- */

/* Arguments by their names in the schema. NULL when there is no such argument. */
const ob_value *ob_kit_arg(const ob_kit_call *call, const char *name);
/* NULL when the argument is None or absent. */
ob_tensor *ob_kit_arg_tensor(const ob_kit_call *call, const char *name);
/* `otherwise` when it is None or absent. Numbers of all kinds are converted. */
int64_t ob_kit_arg_int(const ob_kit_call *call, const char *name, int64_t otherwise);
double ob_kit_arg_double(const ob_kit_call *call, const char *name, double otherwise);
bool ob_kit_arg_bool(const ob_kit_call *call, const char *name, bool otherwise);
/* "" when it is None or absent. */
const char *ob_kit_arg_str(const ob_kit_call *call, const char *name);
bool ob_kit_arg_is_none(const ob_kit_call *call, const char *name);
/* A list of ints; a single int counts as a list of one. At most `capacity` are written; returns how
 * many there are. */
size_t ob_kit_arg_ints(const ob_kit_call *call, const char *name, int64_t *out, size_t capacity);
/* Output k as a tensor; NULL when it is None (a gradient that the mask leaves out). */
ob_tensor *ob_kit_output(const ob_kit_call *call, size_t k);

/* Zeroed state of `size` bytes in call->state. */
ob_status ob_kit_state(ob_kit_call *call, size_t size, void **state, ob_err *err);

/* ---- cases ---- */

/* What a backend provides. Its functions get tensors in the device's memory. */
typedef struct ob_kit_device {
    const char *name;         /* of the backend, for messages: "native" */
    const char *device_types; /* as in ob_backend_desc: tensors for others are refused */
    uint32_t dtypes;          /* allowed for all tensors; rows speak of the first; 0 = any */
    const ob_kit_kernel *const *tables; /* each ends with name == NULL; the list ends with NULL */
    bool has_functions; /* tensors are in host memory: functions of plug-ins can be called */

    /* All three NULL: results are in host memory and inputs are used in place. Otherwise, allocate
     * gives device storage of at least one byte; upload and download copy from the start of one
     * storage to the start of another, and are done when they return. */
    ob_status (*allocate)(ob_kit_env *env, size_t size_bytes, ob_storage **out, ob_err *err);
    ob_status (*upload)(ob_kit_env *env, ob_storage *to, const ob_storage *from, size_t size_bytes,
                        ob_err *err);
    ob_status (*download)(ob_kit_env *env, ob_storage *to, const ob_storage *from,
                          size_t size_bytes, ob_err *err);

    /* Done or enqueued. copy is for tensors of one shape and dtype with any strides. */
    ob_status (*copy)(ob_kit_env *env, const ob_tensor *to, const ob_tensor *from, ob_err *err);
    ob_status (*fill)(ob_kit_env *env, const ob_tensor *to, double value, ob_err *err);
    /* Frees what setup put into call->state, other than the memory itself. NULL = nothing. */
    void (*clear_state)(ob_kit_call *call);
    const char *has; /* lists its kernels in messages: "it has aten::relu"; NULL = docs/ops.md */
} ob_kit_device;

/* One opened backend, as plans see it. */
typedef struct ob_kit_engine {
    const ob_host *host;
    ob_kit_env *env;
    const ob_kit_device *device;
    const ob_kit_kernel **index; /* all kernels, sorted by name */
    size_t kernel_count;
    uint64_t used_bytes, peak_bytes;
} ob_kit_engine;

/* ---- the backend's functions ---- */

ob_status ob_kit_engine_open(ob_kit_engine *engine, const ob_host *host,
                             const ob_kit_device *device, ob_kit_env *env, ob_err *err);
void ob_kit_engine_close(ob_kit_engine *engine);
ob_status ob_kit_supports(ob_kit_engine *engine, const ob_graph *graph, ob_pass pass,
                          ob_reason *why_not);
ob_status ob_kit_prepare(ob_kit_engine *engine, const ob_prepare_args *args, ob_prepared **out,
                         ob_err *err);
void ob_kit_release(ob_prepared *prepared);
ob_status ob_kit_run(ob_prepared *prepared, ob_phase phase, uint64_t iterations, ob_err *err);
ob_status ob_kit_outputs(ob_prepared *prepared, ob_pass pass, ob_value *values, size_t capacity,
                         size_t *count, ob_err *err);
/* For devices in host memory, which use inputs in place: renews the copies of inputs that are
 * changed in place. */
ob_status ob_kit_refill(ob_prepared *prepared, ob_err *err);
ob_status ob_kit_memory_peak(ob_kit_engine *engine, bool reset, uint64_t *peak_bytes);
/* NULL when there is none. */
const ob_kit_kernel *ob_kit_kernel_find(const ob_kit_engine *engine, const ob_op *op);
/* The environment of the backend that prepared the case. */
ob_kit_env *ob_kit_env_of(const ob_prepared *prepared);
/* Kernels for every device: operators that only make views. */
extern const ob_kit_kernel ob_kit_kernels_view[];

#ifdef __cplusplus
}
#endif

#endif
